"""Embedders: each turns texts into unit vectors whose dot product says how near they are."""

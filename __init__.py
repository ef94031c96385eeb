"""Stepladder: memory for coding agents."""

"""Secrets and people taken out of every text, before anything else looks at it."""

from .redactor import Redactor, redact

__all__ = ["Redactor", "redact"]

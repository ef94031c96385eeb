"""Shell lines understood: which programs run, on which files, and what a line is about."""

from .line import Command, main_command, parse

__all__ = ["Command", "main_command", "parse"]

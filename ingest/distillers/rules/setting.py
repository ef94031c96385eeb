"""Where a run took place, in words for people."""

from typing import Final

from ...record import RunRecord

_NO_PROJECT: Final = frozenset(
    {"", "bash", "shell", "docs", "markdown", "config", "json", "yaml", "toml"}
)
_SPELLED: Final = {
    "javascript": "JavaScript", "typescript": "TypeScript", "cpp": "C++", "csharp": "C#",
    "php": "PHP", "sql": "SQL", "css": "CSS", "html": "HTML", "c": "C", "r": "R",
}  # fmt: skip


def setting_of(run: RunRecord) -> str:
    """` in a Python project`, with the space before it; nothing where no language tells."""
    if run.language in _NO_PROJECT:
        return ""
    name = display_name(run.language)
    return f" in {'an' if name[0] in 'AEIO' else 'a'} {name} project"


def display_name(language: str) -> str:
    """A language's name as people write it."""
    return _SPELLED.get(language, language.capitalize())

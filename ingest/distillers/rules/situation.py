"""What a run was about in general words: the sort of request, the language, how it went."""

from typing import Final

from ...record import RunRecord, StepRecord
from .language import plain, root_of

_INTENTS: Final[tuple[tuple[str, frozenset[str]], ...]] = (
    ("Review a change", frozenset({"review", "audit"})),
    ("Release a version", frozenset({"release", "publish"})),
    ("Commit and hand over a change", frozenset({"commit", "push", "merge", "rebase", "pr"})),
    ("Fix a reported fault", frozenset({
        "fix", "resolve", "debug", "repair", "fail", "crash", "break", "raise", "correct",
        "hit", "lose", "drop", "mangle", "solve",
    })),
    ("Refactor code", frozenset({"refactor", "rename", "move", "extract", "clean", "simplify",
                                 "remove", "delete", "split", "consolidate", "migrate", "unify"})),
    ("Write or run tests", frozenset({"test", "cover", "verify", "check", "validate"})),
    ("Set up an environment", frozenset({"install", "configure", "deploy", "set", "enable"})),
    ("Write documentation", frozenset({"document", "describe", "write"})),
    ("Answer a question about code", frozenset({
        "explain", "show", "find", "tell", "list", "analyse", "analyze", "investigate", "look",
        "understand", "explore", "summarize", "read", "search", "compare", "identify",
    })),
    ("Build a feature", frozenset({
        "add", "implement", "create", "build", "make", "support", "introduce", "allow", "extend",
        "improve", "update", "change", "use", "convert", "generate", "develop", "integrate",
    })),
)  # fmt: skip
_FAULT_WORDS: Final = frozenset(
    {"bug", "error", "exception", "traceback", "fails", "failing", "broken", "incorrect", "crash",
     "regression", "wrong", "unexpected", "issue"}
)  # fmt: skip


def intent_of(run: RunRecord) -> str:
    """The sort of request, from its verb, its words, and whether code was changed."""
    text = run.requests[0].text if run.requests else run.trajectory.task
    verb, _ = root_of(text)
    for intent, verbs in _INTENTS:
        if verb in verbs:
            return intent
    words = set(plain(text).lower().split())
    if words & _FAULT_WORDS:
        return "Fix a reported fault"
    return "Change code" if run.last_edit >= 0 else "Look into a project"


def setting_of(run: RunRecord) -> str:
    """Where it took place: `in a Python project`, or `on the command line`."""
    if run.language and run.language not in ("bash", "docs", "config"):
        return f"in a {display_name(run.language)} project"
    return "on the command line"


def display_name(language: str) -> str:
    """A language's name as people write it."""
    special = {
        "javascript": "JavaScript", "typescript": "TypeScript", "cpp": "C++", "csharp": "C#",
        "php": "PHP", "sql": "SQL", "css": "CSS", "html": "HTML",
    }  # fmt: skip
    return special.get(language, language.capitalize())


def last_check(run: RunRecord) -> StepRecord | None:
    """The last step that could pass or fail and did one of them."""
    checks = (s for s in reversed(run.steps) if s.check and s.verdict in ("pass", "fail"))
    return next(checks, None)


def count(number: int, noun: str) -> str:
    """`1 edit`, `3 edits`."""
    plural = {"search": "searches", "check": "checks"}.get(noun, f"{noun}s")
    return f"{number} {noun if number == 1 else plural}"

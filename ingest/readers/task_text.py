"""The task in a first message, without the instructions that a harness puts around it."""

import re
from typing import Final

from .result_text import tagged

_TAGS: Final = (
    "pr_description",
    "issue_description",
    "problem_statement",
    "github_issue",
    "issue",
)
_LEAD: Final = "Consider the following PR description:"
_PATTERNS: Final = tuple(
    re.compile(pattern, re.DOTALL | re.MULTILINE)
    for pattern in (
        r"^(?:ISSUE:|TASK DESCRIPTION:|[^\n]*The description is:)[ ]*\n"
        r"(?P<task>.*?)(?:^INSTRUCTIONS:|\Z)",
        r"^-{5,} NEW TASK DESCRIPTION -{5,}[ ]*\n(?P<task>.*?)^-{5,} END OF NEW TASK",
        r"^# Problem Statement[ ]*\n(?P<task>.*?)(?:^IMPORTANT:|\Z)",
        r"\APlease solve this issue:(?P<task>.*?)\n\nYou can execute bash commands",
        r"\AYour task:(?P<task>.*?)\. Please reply with a single shell command",
        r"^Task Description:[ ]*\n(?P<task>.*?)(?:^Current terminal state:|\Z)",
        r"\A(?P<task>.*?)^INSTRUCTIONS:",
    )
)
"""What SWE-agent, mini-swe-agent, OpenHands' resolver and Terminus put around a task."""

_LONGEST: Final = 200_000
"""Longer messages, in characters, are taken as they are."""

_UPLOADED: Final = re.compile(r"\s*<uploaded_files>.*?</uploaded_files>\s*", re.DOTALL)


def task_in(text: str) -> str:
    """The task of a first message; the whole message where nothing known stands around it."""
    if len(text) > _LONGEST:
        return text.strip()
    text = _UPLOADED.sub("", text, count=1) if text.lstrip().startswith("<uploaded") else text
    for tag in _TAGS:
        inside = (tagged(text, tag) or "").strip()
        if inside:
            return inside.removeprefix(_LEAD).strip()
    for pattern in _PATTERNS:
        match = pattern.search(text)
        if match and match["task"].strip():
            return match["task"].strip()
    return text.strip()

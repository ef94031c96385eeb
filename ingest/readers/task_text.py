"""The task in a first message, without the instructions that a harness puts around it."""

import re
from typing import Final

_PATTERNS: Final = tuple(
    re.compile(pattern, re.DOTALL | re.MULTILINE)
    for pattern in (
        r"<(pr_description|issue_description|problem_statement|github_issue|issue)>[ ]*\n?"
        r"(?:Consider the following PR description:)?(?P<task>.*)</\1>",
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

_UPLOADED: Final = re.compile(r"\s*<uploaded_files>.*?</uploaded_files>\s*", re.DOTALL)


def task_in(text: str) -> str:
    """The task of a first message; the whole message where nothing known stands around it."""
    text = _UPLOADED.sub("", text, count=1) if text.lstrip().startswith("<uploaded") else text
    for pattern in _PATTERNS:
        match = pattern.search(text)
        if match and match["task"].strip():
            return match["task"].strip()
    return text.strip()

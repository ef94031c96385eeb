"""The text of observations made readable: no colours, a bounded size, no lines that always come."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from ..trajectory import Observation

HEAD_CHARS: Final = 40_000
TAIL_CHARS: Final = 80_000
"""Kept of a longer observation; summaries and errors stand at its end. Chosen by us."""

_MIN_OBSERVATIONS: Final = 5
"""A line in as many observations of one run does not tell them apart. Source: measured on 342
public runs, where one environment printed the same harmless error before every output."""

_ESCAPES = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]{0,500}(?:\x07|\x1b\\)|[@-Z\\-_=>])"
)
_WARNS = re.compile(
    r"(?i)\bwarn(?:ing)?s?\b|deprecat|site-packages|dist-packages|npm notice|sitecustomize"
)
_ERRS = re.compile(r"^(?:[\w.]+(?:Error|Exception)\b|error\b|Error\b|\S+: )")
_TRACEBACK: Final = "Traceback (most recent call last)"


def clean(text: str) -> str:
    """Return a text without terminal codes and overwritten lines, its middle cut if long."""
    if len(text) > HEAD_CHARS + TAIL_CHARS:
        left_out = len(text) - HEAD_CHARS - TAIL_CHARS
        text = f"{text[:HEAD_CHARS]}\n[… {left_out} characters …]\n{text[-TAIL_CHARS:]}"
    if "\x1b" in text:
        text = _ESCAPES.sub("", text)
    if "\r" in text:
        text = "\n".join(_last_state(line) for line in text.replace("\r\n", "\n").split("\n"))
    return text


def _last_state(line: str) -> str:
    """Return what a line showed last: a carriage return starts it anew."""
    states = [state for state in line.split("\r") if state.strip()]
    return states[-1] if states else ""


def noise_of(observations: Iterable[tuple[Observation, str]]) -> frozenset[str]:
    """Return the lines that stand in many of a run's observations and look like warnings.

    A line that looks like an error counts where it also stands in outputs of commands that
    succeeded: then it is harmless. The second of each pair is the cleaned text.
    """
    seen: Counter[str] = Counter()
    harmless: Counter[str] = Counter()
    for observation, text in observations:
        lines = {line.strip() for line in text.split("\n") if 8 <= len(line) <= 400}
        suspects = [line for line in lines if _WARNS.search(line) or _ERRS.match(line)]
        seen.update(suspects)
        if observation.exit_code == 0:
            harmless.update(suspects)
    return frozenset(
        line
        for line, count in seen.items()
        if count >= _MIN_OBSERVATIONS
        and _TRACEBACK not in line
        and (_WARNS.search(line) or 2 * harmless[line] > count)
    )


def without_noise(text: str, noise: frozenset[str]) -> str:
    """Return a text without the lines of `noise`, and without the tracebacks that end in one."""
    if not noise:
        return text
    kept: list[str] = []
    for line in text.split("\n"):
        if line.strip() in noise:
            _drop_traceback(kept)
        else:
            kept.append(line)
    return "\n".join(kept)


def _drop_traceback(lines: list[str]) -> None:
    at = len(lines)
    while at and lines[at - 1].startswith(" "):
        at -= 1
    if at and lines[at - 1].startswith(_TRACEBACK):
        del lines[at - 1 :]


def last_lines(text: str, count: int) -> Sequence[str]:
    """Return the last lines that are not blank, without the prompt of a shell."""
    return [line for line in text[-20_000:].split("\n") if line.strip()][-count:]

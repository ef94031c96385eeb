"""Typed access to JSON of unknown shape: what is not of the wanted type counts as absent."""

import json
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from ...kg.ids import content_id
from ..trajectory import Turn, Usage

_INSTANCE: Final = re.compile(
    r"([A-Za-z0-9](?:(?!__|--)[\w.-])*)__((?:(?!--)[\w.-])+?)(?:-i?\d+|\.[0-9a-f]{8}(?:\..*)?)"
)
"""`owner__name-123` of SWE-bench and its kin, `owner__name-i123` of SWE-agent on issues,
`owner__name.0123abcd.change` of SWE-smith."""

_MILLISECONDS_FROM: Final = 1e11
_NANOSECONDS_FROM: Final = 1e17


def mapping(value: Any) -> Mapping[str, Any]:
    """The value if it is a JSON object, else an empty one."""
    return value if isinstance(value, dict) else {}


def items(value: Any) -> list[Any]:
    """The value if it is a JSON array, else an empty one."""
    return value if isinstance(value, list) else []


def mappings(value: Any) -> list[Mapping[str, Any]]:
    """The objects of a JSON array; anything else in it is left out."""
    return [v for v in items(value) if isinstance(v, dict)]


def string(value: Any) -> str:
    """The value if it is a string, else an empty one."""
    return value if isinstance(value, str) else ""


def integer(value: Any) -> int | None:
    """The value if it is a whole number, also where it is written as a string or a float."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return int(value) if value == value and abs(value) < 1e15 else None
    if isinstance(value, str) and re.fullmatch(r"\s*-?\d{1,15}\s*", value):
        return int(value)
    return None


def number(value: Any) -> float | None:
    """The value if it is a finite number, else None."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if abs(value) < 1e300 else None


def decoded(value: Any) -> Any:
    """A JSON value that may stand as a string of JSON; None where that is damaged."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return None


def arguments_of(value: Any) -> tuple[Mapping[str, Any], str]:
    """A call's arguments, and their text where they could not be decoded to an object."""
    found = decoded(value)
    if isinstance(found, dict):
        return found, ""
    if value in (None, "", {}, []):
        return {}, ""
    return {}, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def iso_time(value: Any) -> str:
    """A time as ISO 8601 text: strings as they stand, seconds or finer since 1970 as UTC."""
    if isinstance(value, str):
        return value.strip()
    seconds = number(value)
    if seconds is None or seconds <= 0:
        return ""
    if seconds >= _NANOSECONDS_FROM:
        seconds /= 1e9
    elif seconds >= _MILLISECONDS_FROM:
        seconds /= 1e3
    try:
        moment = datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, OSError, ValueError):
        return ""
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def usage_of(value: Any) -> Usage:
    """Token counts as OpenAI, Anthropic or litellm write them."""
    fields = mapping(value)
    details = mapping(fields.get("prompt_tokens_details") or fields.get("input_tokens_details"))
    spent = mapping(fields.get("completion_tokens_details") or fields.get("output_tokens_details"))
    return Usage(
        input_tokens=_count(fields, "prompt_tokens", "input_tokens"),
        output_tokens=_count(fields, "completion_tokens", "output_tokens"),
        cached_tokens=_count(details, "cached_tokens")
        or _count(fields, "cache_read_tokens", "cached_tokens", "cache_read_input_tokens"),
        reasoning_tokens=_count(spent, "reasoning_tokens"),
    )


def _count(fields: Mapping[str, Any], *names: str) -> int:
    return next((n for n in (integer(fields.get(name)) for name in names) if n), 0)


def total_usage(parts: Iterable[Usage]) -> Usage:
    """The sum of the parts."""
    counted = list(parts)
    return Usage(
        input_tokens=sum(u.input_tokens for u in counted),
        output_tokens=sum(u.output_tokens for u in counted),
        cached_tokens=sum(u.cached_tokens for u in counted),
        reasoning_tokens=sum(u.reasoning_tokens for u in counted),
    )


def project_of_instance(instance_id: str) -> str:
    """The repository that a benchmark's instance id names, as `owner/name`; else nothing."""
    match = _INSTANCE.fullmatch(instance_id)
    return f"{match[1]}/{match[2]}" if match else ""


def instance_in(name: str) -> str:
    """The instance id that a file or folder is named by, or nothing."""
    match = _INSTANCE.fullmatch(name.removesuffix(".json").removesuffix(".traj"))
    return match[0] if match else ""


def run_id(*parts: str, turns: Iterable[Turn]) -> str:
    """An id for a run that brings none: a hash of what was said and done in it."""
    said = [*parts]
    for turn in turns:
        said += [turn.role, turn.text, turn.thought]
        for call in turn.calls:
            done = json.dumps(call.arguments, sort_keys=True, default=str)
            said += [call.name, done, call.raw, call.observation.text if call.observation else ""]
    return content_id("run", *said)

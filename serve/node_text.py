"""A memory and its evidence as fenced text for an agent, never longer than a number of tokens."""

from collections.abc import Iterator, Sequence

from ..facade import Shown
from ..kg.marks import mark
from ..kg.types import Insight, Memory, Node, Step, Trace, label_of, level_name, to_properties
from ..queries.render import (
    body_text,
    count_tokens,
    fenced_lines,
    key_text,
    one_line,
    support_text,
)
from ..queries.why import Evidence, TraceEvidence

_OBSERVATION_CHARS = 300
_OF_USE = frozenset({"SHOWED", "USED", "WITHHELD"})
_BESIDE = frozenset({"id", "created", "scope", "content", "title", "description", "level"})


def shown_text(shown: Shown, *, budget_tokens: int) -> str:
    """A node with what it says, what supports it and what it is linked to."""
    return within_lines(
        list(_shown_lines(shown)), mark=mark(shown.node.id), budget_tokens=budget_tokens
    )


def evidence_text(found: Evidence, *, budget_tokens: int) -> str:
    """The way from a memory down to the runs and the steps that bear it out."""
    return within_lines(
        list(_evidence_lines(found)), mark=mark(found.memory.id), budget_tokens=budget_tokens
    )


def within_lines(lines: Sequence[str], *, mark: str, budget_tokens: int) -> str:
    """As many of the lines as fit, as fenced data, and the number of those that do not."""
    kept = len(lines)
    while True:
        left_out = len(lines) - kept
        note = [f"({left_out} more lines left out: the budget is {budget_tokens} tokens)"]
        text = fenced_lines([*lines[:kept], *(note if left_out else [])], mark=mark)
        if count_tokens(text) <= budget_tokens or kept == 0:
            return text
        kept = min(kept - 1, kept * budget_tokens // max(count_tokens(text), 1))


def _shown_lines(shown: Shown) -> Iterator[str]:
    node = shown.node
    if isinstance(node, Memory):
        yield f"{level_name(node.level)} {node.id}{_caution(node)}"
        yield key_text(node)
        yield from body_text(node).split("\n")
        if known := support_text(shown.support):
            yield f"Evidence: {known}."
        if isinstance(node, Insight) and node.kind:
            yield f"Kind: {node.kind}."
        restricted = (*node.domains, *node.languages, *node.tools)
        if restricted:
            yield f"About: {', '.join(restricted)}."
    else:
        yield f"{label_of(node)} {node.id}"
        for name, value in to_properties(node).items():
            if name not in _BESIDE and value not in ("", None, [], ()):
                yield f"{name}: {one_line(str(value))[:_OBSERVATION_CHARS]}"
    for edge in shown.edges:
        if edge.type in _OF_USE:
            continue
        other = edge.target if edge.source == node.id else edge.source
        arrow = "->" if edge.source == node.id else "<-"
        yield f"{edge.type} {arrow} {_named(other, shown.neighbours.get(other))}"


def _named(id: str, node: Node | None) -> str:
    if isinstance(node, Memory):
        return f"{id} {key_text(node, short=True)}"
    if isinstance(node, Step):
        return f"{id} step {node.index}: {one_line(node.command)[:120]}"
    return id


def _evidence_lines(found: Evidence) -> Iterator[str]:
    yield f"{level_name(found.memory.level)} {found.memory.id}{_caution(found.memory)}"
    yield key_text(found.memory)
    yield f"Evidence: {support_text(found.support) or 'no run known'}."
    for memory in found.between:
        yield f"through {level_name(memory.level)} {memory.id}: {key_text(memory, short=True)}"
    for trace in found.traces:
        yield from _trace_lines(trace)
    if found.traces_left_out:
        yield f"{found.traces_left_out} more runs."
    if not found.traces:
        yield "No run that may be read here stands below it."


def _trace_lines(evidence: TraceEvidence) -> Iterator[str]:
    trace = evidence.trace
    yield f"run {trace.id} ({_ended(trace)}): {key_text(trace, short=True)}"
    for cited in evidence.steps:
        step = cited.step
        code = "" if step.exit_code is None else f", exit {step.exit_code}"
        yield f"  step {step.index} {step.id} [{step.phase}{code}] {one_line(step.command)[:200]}"
        if step.observation:
            yield f"    output (untrusted): {one_line(step.observation)[:_OBSERVATION_CHARS]}"
        if cited.quote:
            yield f"    said: {one_line(cited.quote)[:_OBSERVATION_CHARS]}"
    if evidence.steps_left_out:
        yield f"  {evidence.steps_left_out} more steps."


def _ended(trace: Trace) -> str:
    by = "" if trace.outcome_source == "none" else f" by {trace.outcome_source}"
    return f"{trace.outcome}{by}"


def _caution(memory: Memory) -> str:
    avoid = ", to be avoided" if memory.polarity == "avoid" else ""
    return avoid + (", untrusted: holds words from tool output" if memory.untrusted else "")

"""How an answer was found: the part of the graph that was walked, with scores."""

from collections.abc import Mapping

from rich.text import Text
from rich.tree import Tree

from ..kg.types import Memory, Node, level_name
from ..queries.applicability import REASONS
from ..queries.items import Answer, Item
from .terminal import console, safe

_TITLE_CHARS = 90


def print_explained(answer: Answer, nodes: Mapping[str, Node]) -> None:
    """A tree: what was asked, each item above the run that bears it out, and what was not shown.

    `nodes` are those on the paths of the items.
    """
    head = Text("the task: ", style="dim") + Text(_short(" ".join(answer.query.split())))
    tree = Tree(head)
    for number, item in enumerate(answer.items, start=1):
        _add_item(tree.add(_item_line(item, f"{number}. ")), item, nodes)
    if answer.abstained:
        tree.add(Text(f"nothing: {safe(answer.reason)}", style="bold"))
    if answer.withheld:
        left_out = tree.add(Text(f"{answer.considered} memories weighed; not shown", style="dim"))
        for reason, words in REASONS.items():
            if count := answer.withheld.get(reason, 0):
                left_out.add(Text(f"{count} {words}", style="dim"))
    console().print(tree)


def _add_item(branch: Tree, item: Item, nodes: Mapping[str, Node]) -> None:
    branch.add(Text(safe(item.why), style="italic"))
    for lower in item.beneath:
        _add_item(branch.add(_item_line(lower, "")), lower, nodes)
    step = branch
    for id in item.path[1:]:
        node = nodes.get(id)
        if isinstance(node, Memory):
            level = Text(f"{level_name(node.level)} ", style="dim")
            step = step.add(level + Text(_short(safe(node.title))) + Text(f"  {id}", style="dim"))


def _item_line(item: Item, lead: str) -> Text:
    """Title, then its own score, what was held against its floor, and its part of the vote."""
    vote = f", {100 * item.share:.0f} % of the vote" if item.share else ""
    numbers = f"  {item.level}, R {item.score:.1f}, held {item.confidence:.1f}{vote}"
    title = Text(lead + _short(safe(item.memory.title)), style="bold")
    return title + Text(f"{numbers}  {item.memory.id}", style="dim")


def _short(text: str) -> str:
    return text if len(text) <= _TITLE_CHARS else text[: _TITLE_CHARS - 1] + "…"

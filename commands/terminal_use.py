"""What people see of what became of answers."""

from rich.table import Table

from ..queries.uplift import Effect, Uplift
from .terminal import console, plain

_MEMORIES_SHOWN = 20


def print_uplift(found: Uplift) -> None:
    """A table of effects, all of them with their intervals."""
    out = console()
    if not found.overall.withheld:
        out.print("No answer with a known outcome was given with something held out.")
        out.print("Hold out now and then: stepladder mcp --holdout 0.1")
    else:
        table = Table(box=None, pad_edge=False)
        for name in ("", "shown", "withheld", "difference", "95 % interval"):
            table.add_column(name, justify="left" if not name else "right")
        _row(table, "all", found.overall)
        for effect in (*found.domains, *found.memories[:_MEMORIES_SHOWN]):
            _row(table, effect.name, effect)
        out.print(table)
    out.print(
        f"{found.unknown} more with an unknown outcome, {found.outside} given without a holdout."
    )


def _row(table: Table, name: str, effect: Effect) -> None:
    table.add_row(
        plain(name),
        str(effect.shown),
        str(effect.withheld),
        f"{effect.difference:+.3f}",
        f"{effect.low:+.3f} to {effect.high:+.3f}",
    )

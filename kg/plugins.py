"""Parts found by name: our own, an entry point of another package, or `module:attr`."""

from collections.abc import Mapping
from difflib import get_close_matches
from importlib import import_module
from typing import TYPE_CHECKING, Any

from .errors import PluginError, UsageError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoints


def names(group: str, *, built_in: Mapping[str, str]) -> tuple[str, ...]:
    """The names that can be loaded in a group: ours in their order, then others by name."""
    others = sorted(p.name for p in _entry_points(group) if p.name not in built_in)
    return (*built_in, *others)


def load(name: str, *, group: str, built_in: Mapping[str, str]) -> Any:
    """Return the object that `name` stands for.

    Args:
        name: a name of ours, the name of an entry point in `group`, or `module:attr`.
        built_in: our own names and the `module:attr` of each.

    Raises:
        UsageError: no part has this name.
        PluginError: the part is there but could not be imported.
    """
    if name in built_in:
        return _import(built_in[name])
    if ":" in name:
        return _import(name)
    for point in _entry_points(group):
        if point.name == name:
            return _import(point.value)
    known = names(group, built_in=built_in)
    kind = group.removeprefix("stepladder.").removesuffix("s")
    close = get_close_matches(name, known, n=1)
    guess = f" Did you mean {close[0]!r}?" if close else ""
    raise UsageError(f"Unknown {kind} {name!r}.{guess} Available: {', '.join(known)}.")


def _entry_points(group: str) -> "EntryPoints":
    """What other packages offer; the import is late because most calls need none of it."""
    from importlib.metadata import entry_points

    return entry_points(group=group)


def _import(path: str) -> Any:
    module, _, attribute = path.partition(":")
    try:
        return getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise PluginError(
            f"Could not load {path!r}: {error}.",
            hint="Install the package that brings it, or correct the name.",
        ) from error

"""The distillers, found by name."""

from collections.abc import Mapping
from typing import Final

from ...kg import plugins
from ..protocols import Distiller

GROUP: Final = "stepladder.distillers"
BUILT_IN: Final[Mapping[str, str]] = {
    "rules": "stepladder.ingest.distillers.rules.distiller:RulesDistiller",
    "llm": "stepladder.ingest.distillers.llm.distiller:LlmDistiller",
}


def load_distiller(name: str) -> Distiller:
    """The distiller of this name.

    Raises:
        UsageError: there is none.
    """
    distiller: Distiller = plugins.load(name, group=GROUP, built_in=BUILT_IN)()
    return distiller

"""The banner at the top of the HTML report: the gate's verdict, its figures, and what changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from pytest_toolsandbox.output.tables import TitledTable
from pytest_toolsandbox.text.redaction import redacted_line

_PREFIX: Final = "toolsandbox.verdict"
_MARKS: Final = {"worse": "\u2717", "no worse": "\u2713", "better": "\u2713"}
"""Signs that usual fonts have, unlike the emoji of Markdown."""


class GateBanner(NamedTuple):
    """``kind`` is the verdict, ``figures`` are names and numbers, ``tables`` say what changed."""

    kind: str
    mark: str
    why: str
    figures: Sequence[tuple[str, str]] = ()
    facts: Sequence[str] = ()
    tables: Sequence[TitledTable] = ()


def gate_banner(
    properties: Mapping[str, Any], facts: Sequence[str], tables: Sequence[TitledTable]
) -> GateBanner:
    """Return the banner for the properties of a verdict, as JUnit XML has them, and its lines."""
    kind = str(properties[_PREFIX])
    first, *others = map(redacted_line, facts)
    why = first.removeprefix("baseline: ").removeprefix(f"{kind}: ")
    known = {name: properties.get(f"{_PREFIX}.{name}") for name in ("drop", "margin")}
    figures = [(name, f"{value:.3f}") for name, value in known.items() if value is not None]
    if f"{_PREFIX}.drop.low" in properties:
        low, high = (properties[f"{_PREFIX}.drop.{name}"] for name in ("low", "high"))
        figures.insert(1, ("95 % interval", f"{low:.3f} to {high:.3f}"))
    return GateBanner(kind, _MARKS.get(kind, "?"), why, figures, others, tables)

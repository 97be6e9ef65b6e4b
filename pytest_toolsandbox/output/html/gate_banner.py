"""The banner at the top of the HTML report: the gate's verdict, its figures, and what changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from pytest_toolsandbox.output.tables import TitledTable
from pytest_toolsandbox.text.redaction import redacted_line

_MARKS: Final = {"worse": "\u2717", "no worse": "\u2713", "better": "\u2713"}
"""Signs that usual fonts have, unlike the emoji of Markdown."""


class GateBanner(NamedTuple):
    """``title`` says who is compared, ``kind`` is the verdict, ``tables`` say what changed.

    ``figures`` are names and numbers, ``facts`` how it was decided, ``where`` says where the pass
    rate fell. Scenarios in the tables and ``broken`` ones, those that surely broke first, are
    items of ``run``: with the same ids, unless ``items`` has other ones.
    """

    kind: str
    mark: str
    why: str
    figures: Sequence[tuple[str, str]] = ()
    facts: Sequence[str] = ()
    tables: Sequence[TitledTable] = ()
    title: str = "The gate says"
    run: str = ""
    items: Mapping[str, str] = MappingProxyType({})
    where: Sequence[str] = ()
    broken: Sequence[str] = ()


def gate_banner(
    properties: Mapping[str, Any], facts: Sequence[str], tables: Sequence[TitledTable]
) -> GateBanner:
    """Return the banner for the properties of a verdict, as JUnit XML has them, and its lines."""
    prefix = min(properties, key=len)  # those of its figures begin with that of the verdict
    kind = str(properties[prefix])
    first, *further = map(redacted_line, facts)
    why = first.removeprefix("baseline: ").removeprefix(f"{kind}: ")
    known = {name: properties.get(f"{prefix}.{name}") for name in ("drop", "margin")}
    figures = [(name, f"{value:.3f}") for name, value in known.items() if value is not None]
    if f"{prefix}.drop.low" in properties:
        low, high = (properties[f"{prefix}.drop.{name}"] for name in ("low", "high"))
        figures.insert(1, ("95 % interval", f"{low:.3f} to {high:.3f}"))
    if f"{prefix}.pass_rate" in properties:
        now, before = (properties[f"{prefix}.pass_rate{name}"] for name in ("", ".before"))
        figures.insert(0, ("pass rate", f"{now:.3f}, before {before:.3f}"))
    return GateBanner(kind, _MARKS.get(kind, "?"), why, figures, further, tables)

"""Writes YAML that is read back as the same values, under YAML 1.2 and under YAML 1.1.

A plain ``yes`` or ``12:30`` is text to the one and something else to the other, so a text stands in
quotes wherever either would not take it for one, or it begins as numbers do.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

import yaml

LINE_WIDTH = 100
"""Columns after which a text goes on in the next line."""

_LIKE_A_NUMBER = re.compile(r"[-+]?\.?[0-9]")
_OTHER_BREAKS = re.compile("[\r\x85\u2028\u2029]")
"""What YAML 1.1 takes for the end of a line, and YAML 1.2 or we do not."""


class _Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        """Write a value out each time that it stands."""
        del data
        return True

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        """Indent lists below their keys."""
        del indentless
        super().increase_indent(flow, indentless=False)


_Dumper.add_representer(
    str,
    lambda dumper, text: dumper.represent_scalar("tag:yaml.org,2002:str", text, style=_style(text)),
)


class _UnfoldedDumper(_Dumper):
    """Breaks a text where it has a break of its own, so that a change of a word is one line's."""


_UnfoldedDumper.add_representer(
    str,
    lambda dumper, text: dumper.represent_scalar(
        "tag:yaml.org,2002:str", text, style=_style(text, LINE_WIDTH)
    ),
)


def write_yaml(document: Mapping[str, Any], *, folded: bool = True) -> str:
    """Return a document of JSON values as YAML, its keys in their order.

    Long lines of texts are ``folded``, or else stay whole, in literal blocks wherever YAML can have
    them. Texts must be Unicode: no YAML has half of a character.
    """
    dumper, width = (_Dumper, LINE_WIDTH) if folded else (_UnfoldedDumper, math.inf)
    text: str = yaml.dump(
        dict(document), Dumper=dumper, sort_keys=False, allow_unicode=True, width=width
    )
    return text


def _style(text: str, longest: float = math.inf) -> str | None:
    """Return how a text must stand, ``None`` where PyYAML can be left to choose.

    One of more than ``longest`` characters stands in a block of its own.
    """
    is_long = "\n" in text or len(text) > longest
    if _OTHER_BREAKS.search(text) or (_LIKE_A_NUMBER.match(text) and not is_long):
        return '"'
    if not is_long:
        return None
    block = text if longest == math.inf else text.rstrip("\n")
    return "|" if block and block == text.strip() else '"'

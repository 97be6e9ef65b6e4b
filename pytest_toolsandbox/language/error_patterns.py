"""The definition of SpecTool's error patterns (Kokane et al. 2024, section 3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

Pattern = Literal["IFE", "IFN", "IAN", "IAT", "RAC", "IAV", "IAC"]


class PatternDefinition(NamedTuple):
    """What a pattern is called, and its column in the table of a run, from 0."""

    name: str
    column: int


PATTERNS: Final[Mapping[Pattern, PatternDefinition]] = {
    "IFE": PatternDefinition("invalid format error", 3),
    "IFN": PatternDefinition("incorrect function name", 6),
    "IAN": PatternDefinition("incorrect argument name", 5),
    "IAT": PatternDefinition("incorrect argument type", 4),
    "RAC": PatternDefinition("repeated API call", 1),
    "IAV": PatternDefinition("incorrect argument value", 2),
    "IAC": PatternDefinition("insufficient API calls", 0),
}
"""The patterns in the order in which calls are checked; the columns are those of table 4."""

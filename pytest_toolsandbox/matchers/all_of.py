"""``all_of``: several matchers must agree."""

from __future__ import annotations

from typing import Any

from .any_of import Combination
from .registry import matcher


@matcher("all_of")
class AllOf(Combination):
    """What every one of these values or matchers accepts; the least similarity counts."""

    def similarity(self, found: Any) -> float:
        """Return the least similarity."""
        return min(one.similarity(found) for one in self.matchers)

    def reached(self, found: Any) -> bool:
        """Whether all of them are reached."""
        return all(one.reached(found) for one in self.matchers)

    def explain(self, found: Any) -> str | None:
        """Say which of them are not reached, and why."""
        unmet = [one for one in self.matchers if not one.reached(found)]
        reasons = [one.explain(found) or f"unmet: {one.describe()}" for one in unmet]
        return "; ".join(reasons) or None

"""``any_of``, ``all_of`` and ``not``: what is made of other values and matchers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

from . import arguments
from .registry import Deciding, Matcher, Reading, below, matcher, read


@dataclass(frozen=True)
class Combination(Matcher):
    """Several values or matchers in one."""

    argument_schema: ClassVar[Mapping[str, Any]] = arguments.VALUES

    matchers: tuple[Matcher, ...]

    @classmethod
    def read(cls, argument: Any, reading: Reading) -> Self:
        matchers = []
        for index, item in enumerate(arguments.items(argument, "values or matchers")):
            with below(index):
                matchers.append(read(item, reading))
        return cls(tuple(matchers))

    @property
    def facts(self) -> tuple[tuple[str | int | float, ...], ...]:
        return tuple(fact for one in self.matchers for fact in one.facts)

    def decided(self, how: Deciding) -> Matcher:
        return replace(self, matchers=tuple(one.decided(how) for one in self.matchers))

    def describe(self) -> str:
        """Write it as ``any of ['Ada'; contains 'blue']``."""
        return f"{self.name.replace('_', ' ')} [{'; '.join(m.describe() for m in self.matchers)}]"


@matcher("any_of")
class AnyOf(Combination):
    """What at least one of these values or matchers accepts; the best similarity counts."""

    def similarity(self, found: Any) -> float:
        return max(one.similarity(found) for one in self.matchers)

    @property
    def has_facts(self) -> bool:
        return all(one.has_facts for one in self.matchers)

    def reached(self, found: Any) -> bool:
        return any(one.reached(found) for one in self.matchers)

    def explain(self, found: Any) -> str | None:
        if self.reached(found):
            return None
        reasons = [one.explain(found) for one in self.matchers]
        return " or ".join(reason for reason in reasons if reason) or None


@matcher("all_of")
class AllOf(Combination):
    """What every one of these values or matchers accepts; the least similarity counts."""

    def similarity(self, found: Any) -> float:
        return min(one.similarity(found) for one in self.matchers)

    @property
    def has_facts(self) -> bool:
        return any(one.has_facts for one in self.matchers)

    def reached(self, found: Any) -> bool:
        return all(one.reached(found) for one in self.matchers)

    def explain(self, found: Any) -> str | None:
        unmet = [one for one in self.matchers if not one.reached(found)]
        reasons = [one.explain(found) or f"unmet: {one.describe()}" for one in unmet]
        return "; ".join(reasons) or None


@matcher("not")
@dataclass(frozen=True)
class Not(Matcher):
    """What this value or matcher does not accept."""

    argument_schema: ClassVar[Mapping[str, Any]] = arguments.ANY_VALUE

    inner: Matcher

    @classmethod
    def read(cls, argument: Any, reading: Reading) -> Self:
        return cls(read(argument, reading))

    def similarity(self, found: Any) -> float:
        return float(not self.inner.reached(found))

    def decided(self, how: Deciding) -> Matcher:
        return replace(self, inner=self.inner.decided(how.inverted))

    @property
    def has_facts(self) -> bool:
        return self.inner.has_facts

    def describe(self) -> str:
        """Write it as ``not 'Ada'``."""
        return f"not {self.inner.describe()}"

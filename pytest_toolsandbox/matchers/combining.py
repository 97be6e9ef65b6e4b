"""``any_of``, ``all_of`` and ``not``: matchers of other values and matchers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

from . import arguments
from .registry import Deciding, Matcher, Reading, below, matcher, read


@dataclass(frozen=True)
class Combination(Matcher):
    """The base of ``any_of`` and ``all_of``."""

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
        return tuple(fact for inner in self.matchers for fact in inner.facts)

    def decided(self, how: Deciding) -> Matcher:
        return replace(self, matchers=tuple(inner.decided(how) for inner in self.matchers))

    def describe(self) -> str:
        """Write it as ``any of ['Ada'; contains 'blue']``."""
        return f"{self.name.replace('_', ' ')} [{'; '.join(m.describe() for m in self.matchers)}]"


@matcher("any_of")
class AnyOf(Combination):
    """What at least one of these values or matchers accepts; the best similarity counts."""

    def similarity(self, value: Any) -> float:
        return max(inner.similarity(value) for inner in self.matchers)

    @property
    def has_facts(self) -> bool:
        return all(inner.has_facts for inner in self.matchers)

    def reached(self, value: Any) -> bool:
        return any(inner.reached(value) for inner in self.matchers)

    def explain(self, value: Any) -> str | None:
        if self.reached(value):
            return None
        reasons = [inner.explain(value) for inner in self.matchers]
        return " or ".join(reason for reason in reasons if reason) or None


@matcher("all_of")
class AllOf(Combination):
    """What every one of these values or matchers accepts; the least similarity counts."""

    def similarity(self, value: Any) -> float:
        return min(inner.similarity(value) for inner in self.matchers)

    @property
    def has_facts(self) -> bool:
        return any(inner.has_facts for inner in self.matchers)

    def reached(self, value: Any) -> bool:
        return all(inner.reached(value) for inner in self.matchers)

    def explain(self, value: Any) -> str | None:
        unmet = [inner for inner in self.matchers if not inner.reached(value)]
        reasons = [inner.explain(value) or f"unmet: {inner.describe()}" for inner in unmet]
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

    def similarity(self, value: Any) -> float:
        return float(not self.inner.reached(value))

    def decided(self, how: Deciding) -> Matcher:
        return replace(self, inner=self.inner.decided(how.inverted))

    @property
    def has_facts(self) -> bool:
        return self.inner.has_facts

    def describe(self) -> str:
        """Write it as ``not 'Ada'``."""
        return f"not {self.inner.describe()}"

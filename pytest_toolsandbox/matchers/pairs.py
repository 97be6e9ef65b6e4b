"""``pairs`` and ``in_order``: what of a text belongs together, and in which order it stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Self

from pytest_toolsandbox.wording.long_texts import in_part

from . import arguments
from .matcher import Matcher, MatcherMistake, Reading, below
from .mentions import CHOICE, described, read_choice, read_items
from .places import Choice, bound, has, places
from .registry import matcher

_PAIR: Final = {"type": "array", "items": CHOICE, "minItems": 2, "maxItems": 2}
_ENOUGH: Final = 2


@matcher("pairs")
@dataclass(frozen=True)
class Pairs(Matcher):
    """A text that has these names, each with its own value and with none of the others' values."""

    argument_schema: ClassVar[Mapping[str, Any]] = {
        "anyOf": [
            {"type": "object", "additionalProperties": CHOICE, "minProperties": 1},
            {"type": "array", "items": _PAIR, "minItems": 1},
        ]
    }

    pairs: tuple[tuple[Choice, Choice], ...]

    @classmethod
    def read(cls, argument: Any, _: Reading) -> Self:
        if isinstance(argument, Mapping) and argument:
            return cls(tuple(((name,), read_choice(argument[name], name)) for name in argument))
        items = arguments.items(argument, "pairs of a name and its value")
        return cls(tuple(_pair(item, place) for place, item in enumerate(items)))

    @property
    def facts(self) -> tuple[Choice, ...]:
        return tuple(choice for pair in self.pairs for choice in pair)

    def similarity(self, found: Any) -> float:
        return float(self.explain(found) is None)

    def describe(self) -> str:
        """Write it as ``pairs nadir: 5400, forward: 5320``."""
        return f"pairs {', '.join(map(_described, self.pairs))}"

    def explain(self, found: Any) -> str | None:
        """Say what is missing, or else which name has not its own value."""
        text = in_part(found) if isinstance(found, str) else ""
        if missing := [described(one) for one in dict.fromkeys(self.facts) if not has(one, text)]:
            return f"missing: {', '.join(missing)}"
        names, values = (list(dict.fromkeys(side)) for side in zip(*self.pairs, strict=True))
        asked = {
            (names.index(name), values.index(value)): (name, value) for name, value in self.pairs
        }
        given = bound(names, values, text)
        wrong = [(names[name], values[value]) for name, value in sorted(given - asked.keys())]
        if wrong:
            return f"puts together: {', '.join(map(_described, wrong))}"
        apart = [pair for places, pair in asked.items() if places not in given]
        return f"does not put together: {', '.join(map(_described, apart))}" if apart else None


@matcher("in_order")
@dataclass(frozen=True)
class InOrder(Matcher):
    """A text that mentions these words and numbers in this order."""

    argument_schema: ClassVar[Mapping[str, Any]] = {
        "type": "array",
        "items": CHOICE,
        "minItems": _ENOUGH,
    }

    items: tuple[Choice, ...]

    @classmethod
    def read(cls, argument: Any, _: Reading) -> Self:
        items = arguments.items(argument, "words and numbers")
        if len(items) < _ENOUGH:
            raise MatcherMistake("expected two words or numbers or more: one has no order")
        return cls(read_items(items))

    @property
    def facts(self) -> tuple[Choice, ...]:
        return self.items

    def similarity(self, found: Any) -> float:
        return float(self.explain(found) is None)

    def describe(self) -> str:
        """Write it as ``in order nadir, forward``."""
        return f"in order {', '.join(map(described, self.items))}"

    def explain(self, found: Any) -> str | None:
        """Say which is the first that is not found behind those before it."""
        text, last = in_part(found) if isinstance(found, str) else "", -1
        for choice in self.items:
            here = list(places(choice, text))
            behind = [place for place in here if place > last]
            if not behind:
                return f"{'too early' if here else 'missing'}: {described(choice)}"
            last = behind[0]
        return None


def _pair(item: Any, place: int) -> tuple[Choice, Choice]:
    with below(place):
        both = arguments.items(item, "a name and its value")
        if len(both) != _ENOUGH:
            raise MatcherMistake(f"expected a name and its value, found a list of {len(both)}")
        return read_choice(both[0], 0), read_choice(both[1], 1)


def _described(pair: tuple[Choice, Choice]) -> str:
    return f"{described(pair[0])}: {described(pair[1])}"

"""``exact``, ``same_items``, ``anything``, ``contains`` and ``regex``: literal comparisons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

from pytest_toolsandbox.text.formatting import describe_value, format_value, truncate
from pytest_toolsandbox.text.regular_expression import RegularExpression
from pytest_toolsandbox.worlds.state import frozen

from . import arguments
from .arguments import is_nan
from .registry import Matcher, MatcherMistake, Reading, matcher


@matcher("exact")
@dataclass(frozen=True)
class Exact(Matcher):
    """The same value: null equals null alone, 25 equals 25.0, true does not equal 1."""

    value: Any = field(compare=False)
    _comparable: Any = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", frozen(self.value))
        object.__setattr__(self, "_comparable", comparable(self.value))

    @classmethod
    def read(cls, argument: Any, _: Reading) -> Self:
        return cls(argument)

    def similarity(self, value: Any) -> float:
        return float(self._comparable == comparable(value))

    def describe(self) -> str:
        return format_value(self.value)

    @classmethod
    def fits(cls, _: Any) -> bool:
        return True


@matcher("same_items")
@dataclass(frozen=True)
class SameItems(Matcher):
    """A list of the same values, in any order; how often each occurs counts."""

    argument_schema: ClassVar[Mapping[str, Any]] = {"type": "array"}

    items: Any = field(compare=False)
    _counts: Any = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "items", frozen(self.items))
        object.__setattr__(self, "_counts", _counts(self.items))

    @classmethod
    def read(cls, argument: Any, _: Reading) -> Self:
        if argument is not None and not isinstance(argument, (list, tuple)):
            raise MatcherMistake(f"expected a list, found {describe_value(argument)}")
        return cls(argument)

    def similarity(self, value: Any) -> float:
        return float(self._counts == _counts(value))

    def describe(self) -> str:
        """Write it as ``['Ada', 'Bo'] in any order``."""
        if self.items is None:
            return format_value(None)
        return f"{format_value(self.items)} in any order"

    @classmethod
    def fits(cls, value: Any) -> bool:
        return value is None or isinstance(value, (list, tuple))


@matcher("anything")
@dataclass(frozen=True)
class Anything(Matcher):
    """Any value, null too: ``anything: true``."""

    argument_schema: ClassVar[Mapping[str, Any]] = {"const": True}

    @classmethod
    def read(cls, argument: Any, _: Reading) -> Self:
        if argument is not True:
            raise MatcherMistake(f"expected true, found {describe_value(argument)}")
        return cls()

    def similarity(self, _: Any) -> float:
        return 1.0

    def describe(self) -> str:
        return "anything"

    @property
    def has_facts(self) -> bool:
        return False


def comparable(value: Any) -> Any:
    """Return a hashable key that is equal for equal JSON values only.

    In Python, ``True == 1`` and ``nan != nan``. Tuples count as lists, rows as objects.
    """
    if isinstance(value, bool):
        return bool, value
    if isinstance(value, Mapping):
        return frozenset((key, comparable(item)) for key, item in value.items())
    if isinstance(value, (list, tuple)):
        return list, *map(comparable, value)
    return float if is_nan(value) else value


def _counts(value: Any) -> Any:
    """Return how often each item of a list occurs, or the key of any other value."""
    if isinstance(value, (list, tuple)):
        return Counter(map(comparable, value))
    return comparable(value)


_NOT_EMPTY = {"type": "string", "minLength": 1}


@matcher("contains")
@dataclass(frozen=True)
class Contains(Matcher):
    """A text of which this is a part; case counts."""

    argument_schema: ClassVar[Mapping[str, Any]] = _NOT_EMPTY

    text: str

    @classmethod
    def read(cls, argument: Any, _: Reading) -> Self:
        return cls(arguments.text_with_content(argument))

    def similarity(self, value: Any) -> float:
        return float(isinstance(value, str) and self.text in value)

    def describe(self) -> str:
        """Write it as ``contains 'blue pot'``."""
        return f"contains {format_value(self.text)}"


@matcher("regex")
@dataclass(frozen=True)
class Regex(Matcher):
    """A text in which this regular expression (Python's) finds something; case counts."""

    argument_schema: ClassVar[Mapping[str, Any]] = {**_NOT_EMPTY, "format": "regex"}

    pattern: RegularExpression

    @classmethod
    def read(cls, argument: Any, _: Reading) -> Self:
        pattern = arguments.text_with_content(argument)
        try:
            return cls(RegularExpression.read(pattern))
        except ValueError as error:
            raise MatcherMistake(str(error)) from None

    def similarity(self, value: Any) -> float:
        """Return 1 or 0. Raises ``SlowSearchError``."""
        return float(isinstance(value, str) and self.pattern.is_found_in(value))

    def describe(self) -> str:
        """Write it as ``matches /blue|green/``."""
        return f"matches /{truncate(self.pattern.text)}/"

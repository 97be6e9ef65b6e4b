"""The interface of matchers, their registry, and how expected values become matchers."""

from __future__ import annotations

import copy
import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, Self, TypeVar

ROUNDING: Final = 1e-9
"""The tolerance of thresholds, since floats are not exact."""


class MatcherMistake(ValueError):  # noqa: N818  # of the scenario's author
    """An invalid expected value, with the path to the invalid part."""

    def __init__(self, text: str, path: tuple[str | int, ...] = ()) -> None:
        super().__init__(text)
        self.text = text
        self.path = path


@contextmanager
def below(*keys: str | int) -> Iterator[None]:
    """Prefix the paths of mistakes in this block with ``keys``."""
    try:
        yield
    except MatcherMistake as mistake:
        raise MatcherMistake(mistake.text, (*keys, *mistake.path)) from None


@dataclass(frozen=True)
class Reading:
    """How to read an expected value: a bare value means the matcher ``own``.

    ``thresholds`` overrides the default thresholds of graded matchers. ``threshold``, that of an
    event, overrides these, and the long form of a matcher overrides both.
    """

    own: str = "exact"
    thresholds: Mapping[str, float] = field(default_factory=dict, hash=False)
    threshold: float | None = None

    def threshold_of(self, name: str, default: float) -> float:
        """Return the threshold of a graded matcher without a threshold of its own."""
        return self.thresholds.get(name, default) if self.threshold is None else self.threshold


@dataclass(frozen=True)
class Deciding:
    """The context of a matcher, which determines what rules can decide without a judge.

    ``denied`` is true inside an odd number of ``not``, or in a minefield. With ``judged``, a judge
    reads the words, so similarity measures need not decide. ``tells_apart`` is true if a text must
    distinguish rows or calls from others.
    """

    denied: bool = False
    judged: bool = False
    tells_apart: bool = False

    @property
    def inverted(self) -> Deciding:
        """The context inside a ``not``."""
        return Deciding(not self.denied, self.judged)


class Matcher(ABC):
    """Compares an expected value with an actual value.

    Subclasses are frozen dataclasses: pure, hashable, registered with :func:`matcher`. A graded
    matcher, with similarities between 0 and 1, has a field ``threshold``.
    """

    name: ClassVar[str] = ""
    """The name in scenarios, set by the registration."""

    argument_schema: ClassVar[Mapping[str, Any]] = {}
    """The JSON Schema of the argument; ``{"$ref": "#/$defs/Value"}`` means any value or matcher."""

    threshold: float = 1.0
    """The minimum similarity, in [0, 1]."""

    @classmethod
    @abstractmethod
    def read(cls, argument: Any, reading: Reading) -> Self:
        """Create the matcher from its argument. Raises :class:`MatcherMistake`."""

    @abstractmethod
    def similarity(self, value: Any) -> float:
        """Return how similar a value is to the expected one, from 0 (not at all) to 1 (equal)."""

    @abstractmethod
    def describe(self) -> str:
        """Describe in a few words what is expected."""

    @property
    def facts(self) -> tuple[tuple[str | int | float, ...], ...]:
        """The words and numbers that a text must contain, each with its alternatives."""
        return ()

    def reached(self, value: Any) -> bool:
        """Whether the similarity of a value reaches the threshold."""
        return self.similarity(value) >= self.threshold - ROUNDING

    def decided(self, how: Deciding) -> Matcher:  # noqa: ARG002  # most matchers need no judge
        """Return the matcher with every part that needs a judge replaced by success."""
        return self

    @property
    def has_facts(self) -> bool:
        """Whether rules check a part of a text; with alternatives, of each one."""
        return True

    def explain(self, value: Any) -> str | None:  # noqa: ARG002  # most matchers have nothing to add
        """Say what a value lacks, if the description does not say it."""
        return None

    @classmethod
    def fits(cls, literal: Any) -> bool:
        """Whether a bare value can mean this matcher; other values mean ``exact``."""
        return literal is not None


def has_text(value: Any) -> bool:
    """Whether a value is a text with a letter or digit."""
    return isinstance(value, str) and any(map(str.isalnum, value))


@dataclass(frozen=True)
class Unread(Matcher):
    """A matcher that needs a judge, in a decision without one: every text meets it, or none."""

    replaced: Matcher
    met: bool

    @classmethod
    def read(cls, argument: Any, reading: Reading) -> Self:
        raise NotImplementedError("it has no name in scenarios")

    def similarity(self, value: Any) -> float:
        return float(self.met and has_text(value))

    def describe(self) -> str:
        return self.replaced.describe()

    @property
    def has_facts(self) -> bool:
        return False


_MatcherClass = TypeVar("_MatcherClass", bound=type[Matcher])

_AS_WRITTEN: Final = Reading()
"""Bare values are exact, thresholds are the defaults."""

_registered: dict[str, type[Matcher]] = {}


def matcher(name: str) -> Callable[[_MatcherClass], _MatcherClass]:
    """Register a subclass of :class:`Matcher` under a name, for ``{name: argument}``.

    Raises ``ValueError`` if the name is taken, and ``TypeError`` for a class that is not a complete
    matcher. The same class may be registered again, since a ``conftest.py`` may be imported twice.
    """
    if not isinstance(name, str) or not name.isidentifier():
        raise ValueError(f"a matcher's name is one word, as in @matcher('iban'), not {name!r}")

    def register(cls: _MatcherClass) -> _MatcherClass:
        _check(name, cls)
        cls.name = name
        _registered[name] = cls
        return cls

    return register


def _check(name: str, cls: type[Matcher]) -> None:
    if not issubclass(cls, Matcher):
        raise TypeError(f"{cls.__name__} is not a matcher: derive it from Matcher")
    if inspect.isabstract(cls):
        missing = ", ".join(sorted(cls.__abstractmethods__))
        raise TypeError(f"{cls.__name__} is not a complete matcher: it lacks {missing}")
    registered = _registered.get(name, cls)
    if (registered.__module__, registered.__qualname__) != (cls.__module__, cls.__qualname__):
        raise ValueError(
            f"the name {name!r} is taken by {registered.__module__}.{registered.__qualname__}; "
            f"choose another one for {cls.__qualname__}"
        )


def only_key(value: Any) -> Any:
    """Return the key of a mapping with a single key; ``None`` for every other value."""
    return next(iter(value)) if isinstance(value, Mapping) and len(value) == 1 else None


def is_graded(name: str) -> bool:
    """Whether a matcher has a threshold."""
    return "threshold" in inspect.signature(find(name)).parameters


def names() -> list[str]:
    """Return the names of all matchers, in alphabetical order."""
    return sorted(_registered)


def shape(name: str) -> dict[str, Any]:
    """Return the JSON Schema of a matcher's argument, with the first line of its docstring."""
    cls = find(name)
    summary = (inspect.getdoc(cls) or "").partition("\n")[0]
    return {"description": summary, **copy.deepcopy(dict(cls.argument_schema))}


def find(name: str) -> type[Matcher]:
    """Return the matcher of that name. Raises ``ValueError``."""
    if name not in _registered:
        raise ValueError(f"unknown matcher {name!r} (known: {', '.join(names())})")
    return _registered[name]


def read(expected: Any, reading: Reading = _AS_WRITTEN) -> Matcher:
    """Return the matcher of an expected value.

    A mapping whose only key is the name of a matcher means that matcher. Every other value means
    ``reading.own``, or ``exact`` if it does not fit. Raises :class:`MatcherMistake`.
    """
    name = only_key(expected)
    if name in _registered:
        with below(name):
            return _registered[name].read(expected[name], reading)
    default = find(reading.own)
    return (default if default.fits(expected) else find("exact")).read(expected, reading)

"""Usage of requests to models: tokens, cost and time; prices; and the budget of a run.

``usage_in`` reads the usage objects of providers and frameworks. ``Prices`` are the user's own,
then those of litellm's bundled list. ``Budget`` limits the spending of all processes of a run.
"""

from __future__ import annotations

import json
import math
import os
import struct
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, NamedTuple

_Number = int | float


@dataclass(frozen=True)
class Usage:
    """The usage of some requests; ``None`` is unknown, which differs from 0.

    ``input_tokens`` include the ``cached_tokens``, ``output_tokens`` the ``reasoning_tokens``.
    ``cost`` is in US dollars. ``latency`` is the time in seconds from requests to their answers,
    ``timed`` the number of answered requests, and ``waited`` the time before them, for a free place
    and between tries.
    """

    requests: int = 0
    retries: int = 0
    input_tokens: int | None = 0
    output_tokens: int | None = 0
    cached_tokens: int | None = 0
    reasoning_tokens: int | None = 0
    cost: float | None = 0.0
    latency: float = 0.0
    waited: float = 0.0
    timed: int | None = 0

    @property
    def tokens(self) -> int | None:
        """Input and output tokens, ``None`` if one is unknown."""
        known = self.input_tokens is not None and self.output_tokens is not None
        return (self.input_tokens or 0) + (self.output_tokens or 0) if known else None


UNKNOWN: Final = Usage(1, 0, None, None, None, None, None)
"""The usage of one answered request without any figures."""


def total(usages: Iterable[Usage]) -> Usage:
    """Return the sum of usages; a figure that is unknown in one of them is unknown."""
    rows = list(usages)
    names = (field.name for field in fields(Usage))
    return Usage(**{name: _sum([getattr(row, name) for row in rows]) for name in names})


def increase(before: Usage, now: Usage) -> Usage:
    """Return the usage since ``before``, from a running total."""
    names = [field.name for field in fields(Usage)]
    pairs: Any = ((name, getattr(before, name), getattr(now, name)) for name in names)
    added: Any = {n: None if now is None else max(now - (was or 0), 0) for n, was, now in pairs}
    return Usage(**added)


def _sum(values: Sequence[Any]) -> Any:
    """Return a sum that does not depend on the order, ``None`` if a value is unknown."""
    if None in values:
        return None
    return (math.fsum if any(isinstance(value, float) for value in values) else sum)(values)


_NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "requests": ("requests",),
    "input_tokens": (
        *("input_tokens", "prompt_tokens"),
        *("inputTokens", "prompt_token_count", "input_token_count"),
    ),
    "output_tokens": (
        *("output_tokens", "completion_tokens"),
        *("outputTokens", "candidates_token_count", "output_token_count"),
    ),
    "cached_tokens": (
        *("cached_tokens", "prompt_tokens_details.cached_tokens"),
        *("input_tokens_details.cached_tokens", "input_token_details.cache_read"),
        *("cache_read_input_tokens", "cache_read_tokens", "cached_content_token_count"),
        *("cacheReadInputTokens", "cached_input_tokens", "cache_read_input_token_count"),
    ),
    "reasoning_tokens": (
        *("reasoning_tokens", "completion_tokens_details.reasoning_tokens"),
        *("output_tokens_details.reasoning_tokens", "output_token_details.reasoning"),
        *("output_tokens_details.thinking_tokens",),
        *("thoughts_token_count", "reasoning_output_tokens"),
        *("reasoning_output_token_count", "output_reasoning_tokens"),
    ),
    "cost": ("cost", "total_cost_usd"),
}
"""A figure → its paths in the usage objects of OpenAI, Anthropic, Google and frameworks."""
_LARGEST: Final = 10**15
"""Larger figures are no counts: a server may send any number."""
_NOT_IN_INPUT: Final = (
    *("cache_read_input_tokens", "cache_creation_input_tokens"),
    *("cacheReadInputTokens", "cacheCreationInputTokens", "cacheWriteInputTokens"),
)
"""Figures that Anthropic and Amazon do not include in the input, unlike the others."""


def usage_in(source: Any) -> Usage | None:
    """Return the usage in an object or a mapping, under any of the known names.

    ``None`` if it has neither tokens nor a cost.
    """
    figures: dict[str, Any] = {}
    for name, paths in _NAMES.items():
        read = _number if name == "cost" else _count
        numbers = (read(source, path) for path in paths)
        figures[name] = next((number for number in numbers if number is not None), None)
    if not any(figures[name] for name in ("input_tokens", "output_tokens", "cost")):
        return None  # litellm sets zeros if a server sends no usage
    if figures["input_tokens"] is not None and _number(source, "prompt_tokens") is None:
        figures["input_tokens"] += sum(_count(source, name) or 0 for name in _NOT_IN_INPUT)
    if figures["output_tokens"] is not None:  # Google's output does not include thoughts
        figures["output_tokens"] += _count(source, "thoughts_token_count") or 0
    return Usage(**{**figures, "requests": figures["requests"] or 1})


def _count(source: Any, path: str) -> int | None:
    """Return the whole number at a path, ``None`` if it is no count."""
    number = _number(source, path)
    return None if number is None or number % 1 else int(number)


def _number(source: Any, path: str) -> _Number | None:
    """Return the number at a path, if it can be a count or a price."""
    value = source
    for name in path.split("."):
        value = value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return value if is_number and 0 <= value <= _LARGEST else None


_FORM: Final = struct.Struct("dd")
"""Dollars and tokens, in the file of a process."""


class Spent(NamedTuple):
    """US dollars, tokens, and the seconds from the first conversation to the end of the last."""

    cost: float = 0.0
    tokens: float = 0.0
    seconds: float = 0.0


@dataclass
class Budget:
    """The spending limits of a run; ``None`` is no limit. ``seconds`` begin with the first item.

    Each process writes its spending into its own file in ``folder``, and reads those of the others;
    without a folder there are no other processes. Unknown figures are not counted.
    """

    cost: float | None = None
    tokens: int | None = None
    seconds: float | None = None
    folder: Path | None = None
    began: float = field(default_factory=time.monotonic)
    _spent: tuple[float, float] = (0.0, 0.0)
    _took: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def spend(self, usage: Usage) -> None:
        """Count the usage of a request."""
        with self._lock:
            cost, tokens = self._spent
            self._spent = (cost + (usage.cost or 0.0), tokens + (usage.tokens or 0))
            if self.folder is not None:
                _write(self.folder / f"{os.getpid()}.spent", _FORM.pack(*self._spent))

    def end_conversation(self) -> None:
        """Note the time at which a conversation ends."""
        self._took = time.monotonic() - self.began

    @property
    def spent(self) -> Spent:
        """The known spending of this process."""
        return Spent(*self._spent, self._took)

    def exceeded(self) -> str | None:
        """Return the limit that is reached, with its option, ``None`` if there is none."""
        cost, tokens = self._of_all()
        if self.cost is not None and cost >= self.cost:
            return f"--sandbox-max-cost={self.cost:g} is spent"
        if self.tokens is not None and tokens >= self.tokens:
            return f"--sandbox-max-tokens={self.tokens} are used"
        if self.seconds is not None and time.monotonic() - self.began >= self.seconds:
            return f"--sandbox-max-time={self.seconds:g} is over"
        return None

    def _of_all(self) -> tuple[float, float]:
        if self.folder is None:
            return self._spent
        written = (file.read_bytes() for file in sorted(self.folder.glob("*.spent")))
        rows = [_FORM.unpack(content) for content in written if len(content) == _FORM.size]
        return sum(row[0] for row in rows), sum(row[1] for row in rows)


_BINARY: Final = getattr(os, "O_BINARY", 0)
"""On Windows, else bytes of numbers are taken for line ends."""


def _write(path: Path, content: bytes) -> None:
    """Write a few bytes in one step: other processes never see an empty file."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | _BINARY, 0o600)
    try:
        os.write(descriptor, content)
    finally:
        os.close(descriptor)


_PRICES_FILE: Final = "model_prices_and_context_window_backup.json"


@dataclass(frozen=True)
class Price:
    """US dollars per million tokens: read, written, and read from a cache, if that differs."""

    read: float
    written: float
    cached: float | None = None

    def of(self, usage: Usage) -> float | None:
        """Return the cost of a usage, ``None`` if its tokens are unknown."""
        if usage.input_tokens is None or usage.output_tokens is None:
            return None
        cached = usage.cached_tokens or 0
        cached_price = self.read if self.cached is None else self.cached
        # The input includes the cached tokens of every provider: ``usage_in`` adds Anthropic's.
        uncached = usage.input_tokens - cached
        dollars = uncached * self.read + cached * cached_price + usage.output_tokens * self.written
        return dollars / 1e6


@dataclass(frozen=True)
class Prices:
    """The prices of models by name; the user's ``overrides`` come before those of litellm."""

    overrides: Mapping[str, Price] = field(default_factory=dict)

    def priced(self, usage: Usage, model: object, known: float | None = None) -> Usage:
        """Return a usage with its cost; ``known`` is the cost according to litellm."""
        if override := self.overrides.get(str(model)):
            return replace(usage, cost=override.of(usage))
        cost = usage.cost if known is None else known
        if cost is None and isinstance(model, str) and (price := _listed_price(model)):
            cost = price.of(usage)
        return replace(usage, cost=cost)


_PRICES_OF_ALIASES: Final = {
    "anthropic/claude-sonnet-5-5": Price(2, 10, 0.1),
    "openai/gpt-6.1-sol": Price(2, 10, 0.1),
}
"""The prices of the models of built-in aliases that need no litellm."""


def _listed_price(model: str) -> Price | None:
    """Return the price in litellm's list if it is installed, or of a model with an alias."""
    entry = _litellm_prices().get(model) or _litellm_prices().get(model.partition("/")[2]) or {}
    names = ("input_cost_per_token", "output_cost_per_token", "cache_read_input_token_cost")
    read, written, cached = (entry.get(name) for name in names)
    if not (isinstance(read, (int, float)) and isinstance(written, (int, float))):
        return _PRICES_OF_ALIASES.get(model)
    of_cache = cached * 1e6 if isinstance(cached, (int, float)) else None
    return Price(read * 1e6, written * 1e6, of_cache)


@cache
def _litellm_prices() -> Mapping[str, Mapping[str, Any]]:
    """Read litellm's bundled list without its import, which takes seconds."""
    spec = find_spec("litellm")
    if spec is None or spec.origin is None:
        return {}
    try:
        prices = json.loads((Path(spec.origin).parent / _PRICES_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return prices if isinstance(prices, dict) else {}

"""What requests to models use: tokens, money and time, in the words of whatever tells it.

What a run may spend: money, tokens and time, over all of its processes.

What tokens cost: the user's own prices, then those that litellm brings, without the network.
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

Number = int | float


@dataclass(frozen=True)
class Usage:
    """What some requests used. ``None`` is unknown, and no 0.

    ``input_tokens`` are all that a model read, the ``cached_tokens`` among them, and
    ``output_tokens`` all that it wrote, the ``reasoning_tokens`` among them. ``cost`` is in US
    dollars. ``retries`` counts requests that were made again after a fault. ``latency`` is the time
    in seconds from the requests that were answered to their answers, ``timed`` how many of the
    requests these were, and ``waited`` the time before them, for a free place and before tries.
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
        """All tokens that were read and written."""
        known = self.input_tokens is not None and self.output_tokens is not None
        return (self.input_tokens or 0) + (self.output_tokens or 0) if known else None


UNKNOWN: Final = Usage(1, 0, None, None, None, None, None)
"""What is known of a request that was answered, and of nothing else."""


def total(usages: Iterable[Usage]) -> Usage:
    """Return the sum of some usages; a figure that one of them lacks is unknown."""
    rows = list(usages)
    names = (field.name for field in fields(Usage))
    return Usage(**{name: _added([getattr(row, name) for row in rows]) for name in names})


def increase(before: Usage, now: Usage) -> Usage:
    """Return what was used since ``before``, of what only ever is told as a running total."""
    names = [field.name for field in fields(Usage)]
    pairs: Any = ((name, getattr(before, name), getattr(now, name)) for name in names)
    more: Any = {n: None if now is None else max(now - (was or 0), 0) for n, was, now in pairs}
    return Usage(**more)


def _added(values: Sequence[Any]) -> Any:
    """Return a sum that is the same in any order, ``None`` where a part of it is not known."""
    if None in values:
        return None
    return (math.fsum if any(isinstance(one, float) for one in values) else sum)(values)


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
        *("thoughts_token_count", "reasoning_output_tokens"),
        *("reasoning_output_token_count", "output_reasoning_tokens"),
    ),
    "cost": ("cost", "total_cost_usd"),
}
"""A figure → where it stands: in OpenAI's, Anthropic's and Google's usage, and in frameworks'."""
_BESIDE: Final = (
    *("cache_read_input_tokens", "cache_creation_input_tokens"),
    *("cacheReadInputTokens", "cacheCreationInputTokens", "cacheWriteInputTokens"),
)
"""What Anthropic and Amazon do not count among the input, unlike all others."""


def usage_in(told: Any) -> Usage | None:
    """Return the usage that an object or a mapping tells of, in whatever names are in use.

    ``None`` where it tells of no tokens and no cost; of what it does not tell nothing is known.
    """
    found = {name: _found(told, paths) for name, paths in _NAMES.items()}
    if not any(found[name] for name in ("input_tokens", "output_tokens", "cost")):
        return None  # where a server tells nothing, litellm makes zeros of it
    if found["input_tokens"] is not None and _number(told, "prompt_tokens") is None:
        found["input_tokens"] += sum(_number(told, name) or 0 for name in _BESIDE)
    if found["output_tokens"] is not None:  # Google counts thoughts beside the rest
        found["output_tokens"] += _number(told, "thoughts_token_count") or 0
    return Usage(**{**found, "requests": found["requests"] or 1})


def _found(told: Any, paths: Iterable[str]) -> Any:
    return next((n for n in (_number(told, path) for path in paths) if n is not None), None)


def _number(told: Any, path: str) -> Number | None:
    """Return what stands at a path, if it is a number that can be a count or a price."""
    for name in path.split("."):
        told = told.get(name) if isinstance(told, Mapping) else getattr(told, name, None)
    is_number = isinstance(told, (int, float)) and not isinstance(told, bool)
    return told if is_number and math.isfinite(told) and told >= 0 else None


_FORM: Final = struct.Struct("dd")
"""Dollars and tokens, as a process writes down what it has spent."""


class Spent(NamedTuple):
    """US dollars, tokens, and the seconds from the first conversation to the end of the last."""

    cost: float = 0.0
    tokens: float = 0.0
    seconds: float = 0.0


@dataclass
class Budget:
    """Limits that are not set are ``None``. ``seconds`` count from the first conversation on.

    Each process writes what it has spent into a file of its own in ``folder``, and reads those of
    the others; without a folder it is alone. What is not known is not counted.
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
        """Count what a request used."""
        with self._lock:
            cost, tokens = self._spent
            self._spent = (cost + (usage.cost or 0.0), tokens + (usage.tokens or 0))
            if self.folder is not None:
                _write(self.folder / f"{os.getpid()}.spent", _FORM.pack(*self._spent))

    def end_conversation(self) -> None:
        """Note that a conversation has come to its end."""
        self._took = time.monotonic() - self.began

    @property
    def spent(self) -> Spent:
        """What this process has spent, as far as it is known."""
        return Spent(*self._spent, self._took)

    def exceeded(self) -> str | None:
        """Return which limit is reached, as an option that says it, if one is."""
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
        rows = [_FORM.unpack(each) for each in written if len(each) == _FORM.size]
        return sum(row[0] for row in rows), sum(row[1] for row in rows)


def _write(path: Path, content: bytes) -> None:
    """Write a few bytes at once, without a moment in which the file is empty."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
    try:
        os.write(descriptor, content)
    finally:
        os.close(descriptor)


_FILE: Final = "model_prices_and_context_window_backup.json"


@dataclass(frozen=True)
class Price:
    """US dollars for a million tokens: read, written, and read from a cache, if that is less."""

    read: float
    written: float
    cached: float | None = None

    def of(self, usage: Usage) -> float | None:
        """Return what the tokens of some usage cost, ``None`` where they are not known."""
        if usage.input_tokens is None or usage.output_tokens is None:
            return None
        cached = usage.cached_tokens or 0
        cached_price = self.read if self.cached is None else self.cached
        new = usage.input_tokens - cached
        return (new * self.read + cached * cached_price + usage.output_tokens * self.written) / 1e6


@dataclass(frozen=True)
class Prices:
    """The prices of models by name; the user's ``own`` come before those of litellm."""

    own: Mapping[str, Price] = field(default_factory=dict)

    def priced(self, usage: Usage, model: object, known: float | None = None) -> Usage:
        """Return a usage with its cost; ``known`` is what somebody else says that it is."""
        if own := self.own.get(str(model)):
            return replace(usage, cost=own.of(usage))
        cost = usage.cost if known is None else known
        if cost is None and isinstance(model, str) and (price := listed_price(model)):
            cost = price.of(usage)
        return replace(usage, cost=cost)


def listed_price(model: str) -> Price | None:
    """Return the price in litellm's list, if it is installed and knows the model."""
    found = _list().get(model) or _list().get(model.partition("/")[2]) or {}
    names = ("input_cost_per_token", "output_cost_per_token", "cache_read_input_token_cost")
    read, written, cached = (found.get(name) for name in names)
    if not (isinstance(read, (int, float)) and isinstance(written, (int, float))):
        return None
    less = cached * 1e6 if isinstance(cached, (int, float)) else None
    return Price(read * 1e6, written * 1e6, less)


@cache
def _list() -> Mapping[str, Mapping[str, Any]]:
    """Read the list that litellm comes with, without its import, which takes seconds."""
    found = find_spec("litellm")
    if found is None or found.origin is None:
        return {}
    try:
        prices = json.loads((Path(found.origin).parent / _FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return prices if isinstance(prices, dict) else {}

"""What tokens cost: the user's own prices, then those that litellm brings, without the network."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from .usage import Usage

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

"""What requests to models use: tokens, money and time, in the words of whatever tells it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final

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

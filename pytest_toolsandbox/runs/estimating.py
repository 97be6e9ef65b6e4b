"""Estimate tokens, cost and time of a run: by an earlier run, or by the lengths of solutions."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, Final, NamedTuple

from pytest_toolsandbox.agents.scripted import oracle
from pytest_toolsandbox.conversation.play import PlayError
from pytest_toolsandbox.language.protocol import protocol_of
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.models.errors import AgentError
from pytest_toolsandbox.models.usage import Prices, Usage
from pytest_toolsandbox.records.reading import usable_records
from pytest_toolsandbox.records.record import SpentRecord
from pytest_toolsandbox.records.trials import SCORED
from pytest_toolsandbox.users.user import scripted_user

FIGURES: Final = ("tokens", "cost", "seconds")
"""The estimated figures: input and output tokens, US dollars, and seconds."""
Figures = Mapping[str, float | None]
"""Figure → its value, ``None`` if it is unknown."""


class Estimate(NamedTuple):
    """The estimated usage of all conversations; ``longest`` is the longest one in seconds.

    ``new`` is the number of items without records, for which the mean of the others is used.
    """

    totals: Figures
    longest: float
    new: int


def past_figures(file: Path) -> dict[str, Figures]:
    """Return id → mean usage of a conversation, for items with a score.

    A figure that is missing in one of an item's records is unknown. Raises
    :class:`~pytest_toolsandbox.records.reading.StoredError`.
    """
    figures: dict[str, list[Figures]] = {}
    for record in usable_records(file, SpentRecord)[0]:
        if record["outcome"] in SCORED:  # an outage ends a conversation early
            figures.setdefault(record["id"], []).append(_figures(record))
    return {
        name: {figure: _mean(each, figure) for figure in FIGURES} for name, each in figures.items()
    }


def estimate(played: Mapping[str, int], past: Mapping[str, Figures]) -> Estimate:
    """Return the estimate for items, given id → number of conversations.

    A total is unknown if no item has records, or if the records of an item lack the figure.
    """
    there = [past[name] for name in played if name in past]
    usual = {figure: _mean(there, figure) for figure in FIGURES}
    each = [(count, past.get(name, usual)) for name, count in played.items()]
    seconds = [figures["seconds"] or 0.0 for _, figures in each]
    totals = {
        figure: _sum([(count, figures[figure]) for count, figures in each]) for figure in FIGURES
    }
    return Estimate(totals, max(seconds, default=0.0), len(played) - len(there))


_CHARACTERS: Final = 4
"""Characters of a token: the average that providers give for English, also about right for JSON."""


def figures_of_solution(scenario: Scenario, model: str | None, prices: Prices) -> Figures:
    """Return the estimated usage of an agent that makes the calls of the first solution.

    Each request has the whole conversation so far and the schemas of all tools. All figures are
    unknown if the solution cannot be played; the cost also without a price of the ``model``.
    """
    sizes = _Sizes(scenario)
    try:
        protocol_of(scenario).converse(scenario, sizes, scripted_user(scenario))
    except (AgentError, PlayError):
        return dict.fromkeys(FIGURES)
    tokens = sizes.read // _CHARACTERS, sizes.written // _CHARACTERS
    usage = Usage(sizes.requests, 0, *tokens, None, None, None)
    cost = prices.priced(usage, model).cost
    return {"tokens": usage.tokens, "cost": cost, "seconds": None}


class _Sizes:
    """The oracle, with the number of characters that it reads and writes."""

    def __init__(self, scenario: Scenario) -> None:
        self._agent = oracle(scenario)
        self.requests = self.read = self.written = 0

    def __call__(self, messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Any:
        reply = self._agent(messages, tools)
        self.requests += 1
        self.read += len(json.dumps([messages, tools], ensure_ascii=False))
        self.written += len(json.dumps(reply, ensure_ascii=False))
        return reply


def _figures(record: SpentRecord) -> Figures:
    """Return the figures of a record; tokens and cost are unknown if the agent's are."""
    usage = record.get("usage", {})
    used = usage.values() if "agent" in usage else ()
    tokens = [part[name] for part in used for name in ("input_tokens", "output_tokens")]
    cost = [part["cost"] for part in used]
    sums = {"tokens": _sum([(1, n) for n in tokens]), "cost": _sum([(1, n) for n in cost])}
    return {**sums, "seconds": record.get("duration")}


def _mean(rows: Sequence[Figures], name: str) -> float | None:
    known = [value for row in rows if (value := row[name]) is not None]
    return fmean(known) if known and len(known) == len(rows) else None


def _sum(parts: Sequence[tuple[int, float | None]]) -> float | None:
    known = [count * value for count, value in parts if value is not None]
    return sum(known) if known and len(known) == len(parts) else None

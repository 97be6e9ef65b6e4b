"""Choose the items of a suite that tell agents apart best, from trials that were played.

A subset is judged by its separation: how much the agents' scores on it differ, beside how much they
vary by chance. It is the variance between the agents' expected numbers of passed items, without the
part that comes from the few trials of each, over the mean variance of such a number in one run.
Items that rank the agents in the same way add up, others cancel each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Final, NamedTuple

from .rates import Passes

Played = Mapping[str, Mapping[str, Passes]]
"""Agent → id of an item → its trials."""

_DIGITS: Final = 9
"""Digits in which separations are compared: further ones depend on the order of additions."""


class Picked(NamedTuple):
    """The ids of a subset in order, its separation, and that of all ``common`` items.

    ``common`` counts the items that all agents have played. With a single agent, a separation is
    the variance of its number of passed items by chance.
    """

    ids: Sequence[str]
    separation: float
    of_all: float
    common: int


@dataclass(frozen=True)
class _Item:
    """An item: the agents' pass rates, the variance by chance, and that of the rates themselves."""

    id: str
    rates: tuple[float, ...]
    chance: float
    uncertainty: float


def pick(played: Played, budget: int) -> Picked:
    """Return at most ``budget`` items, chosen one by one for the greatest separation.

    Of equal ones, the item whose result is most open is taken, and then the first id. Items count
    that all agents have played. Raises ``ValueError`` if there are none.
    """
    common = sorted(set.intersection(*(set(items) for items in played.values())))
    if not common:
        raise ValueError("there is no item that all agents have played")
    left = [_item(name, [items[name] for items in played.values()]) for name in common]
    chosen: list[_Item] = []
    sums = _Sums.of([], len(played))
    everything = _Sums.of(left, len(played))
    while left and len(chosen) < budget:
        best = max(left, key=lambda item: (sums.with_item(item).rank, round(item.chance, _DIGITS)))
        left.remove(best)
        chosen.append(best)
        sums = sums.with_item(best)
    ids = sorted(item.id for item in chosen)
    return Picked(ids, sums.separation, everything.separation, len(common))


def _item(name: str, passes: Sequence[Passes]) -> _Item:
    # Jeffreys' prior: an item that one trial failed may pass in the next.
    rates = [(counts.passed + 0.5) / (counts.trials + 1) for counts in passes]
    chances = [rate * (1 - rate) for rate in rates]
    uncertain = (
        chance / (counts.trials + 1) for chance, counts in zip(chances, passes, strict=True)
    )
    spread = (len(passes) - 1) / len(passes)
    return _Item(name, tuple(rates), fmean(chances), spread * fmean(uncertain))


class _Sums(NamedTuple):
    """The sums of a subset: each agent's pass rates, chance and uncertainty."""

    rates: tuple[float, ...]
    chance: float
    uncertainty: float

    @classmethod
    def of(cls, items: Sequence[_Item], agents: int) -> _Sums:
        sums = cls((0.0,) * agents, 0.0, 0.0)
        for item in items:
            sums = sums.with_item(item)
        return sums

    def with_item(self, item: _Item) -> _Sums:
        rates = tuple(map(sum, zip(self.rates, item.rates, strict=True)))
        return _Sums(rates, self.chance + item.chance, self.uncertainty + item.uncertainty)

    @property
    def rank(self) -> tuple[float, float]:
        """The separation, and what it would be if the pass rates were certain."""
        return round(self.separation, _DIGITS), round(self._between() / self.chance, _DIGITS)

    @property
    def separation(self) -> float:
        if len(self.rates) == 1:
            return self.chance
        return max(0.0, self._between() - self.uncertainty) / self.chance

    def _between(self) -> float:
        mean = fmean(self.rates)
        return fmean((rate - mean) ** 2 for rate in self.rates)

"""The graph that the events of a scenario make: which comes after which."""

from __future__ import annotations

import graphlib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from pytest_toolsandbox.language import models
from pytest_toolsandbox.language.constraints import START
from pytest_toolsandbox.language.mistakes import Mistakes, Path

MOST_CYCLES = 10
"""How many are told; the search starts anew after each."""

Events = Mapping[str, models.EventDocument]
Predecessors = dict[str, tuple[str, ...]]


@dataclass(frozen=True)
class Graph:
    """The milestones, or the minefields, of a scenario.

    ``after`` maps each to those that it names; ``uncertain`` are those of which mistakes hide what
    comes before. ``called`` are those that match a call, and so its result. ``others`` are the
    events of the other section.
    """

    section: str
    after: Mapping[str, tuple[str, ...]]
    uncertain: Collection[str]
    called: Collection[str]
    others: Collection[str]
    mistakes: Mistakes

    def check_reference(self, event: str, name: str, path: Path) -> bool:
        """Check that an event refers to one that comes before it."""
        if name not in self.after:
            known = (one for one in self.after if one != event)
            text = _unknown(self.mistakes, self.section, name, known, self.others)
        elif name == event:
            text = f"{name!r} cannot refer to itself"
        elif not self._comes_before(name, event):
            text = f"{name!r} does not come before this one; name it, or one after it, in after"
        else:
            return True
        self.mistakes.add(path, text)
        return False

    def _comes_before(self, name: str, event: str) -> bool:
        seen: set[str] = set()
        left = [event]
        while left:
            one = left.pop()
            if one == name or one in self.uncertain:
                return True
            left += [before for before in self.after[one] if before not in seen]
            seen.update(self.after[one])
        return False


def read_graph(mistakes: Mistakes, section: str, events: Events, others: Collection[str]) -> Graph:
    """Return the graph. Milestones without any ``after`` come in the order of the file."""
    lost = any(path[:1] == (section,) and path[2:3] == ("after",) for path in mistakes.misshapen)
    is_chain = not lost and all(event.after is None for event in events.values())
    if section == "milestones" and is_chain:
        names = list(events)
        after: Predecessors = {n: tuple(names[max(i - 1, 0) : i]) for i, n in enumerate(names)}
        uncertain: set[str] = set()
    else:
        after, uncertain = _named(mistakes, section, events, others)
        uncertain |= _without_cycles(mistakes, section, events, after)
    called = {name for name, event in events.items() if event.call is not None}
    return Graph(section, after, uncertain, called, others, mistakes)


def _named(
    mistakes: Mistakes, section: str, events: Events, others: Collection[str]
) -> tuple[Predecessors, set[str]]:
    after: Predecessors = {}
    uncertain = set()
    for name, event in events.items():
        named, path = event.after or [], (section, name, "after")
        if path in mistakes.above_misshapen or not set(named) <= set(events):
            uncertain.add(name)
        for index, other in enumerate(named):
            if other not in events:
                known = (one for one in events if one != name)
                text = _unknown(mistakes, section, other, known, others)
                mistakes.add((*path, index), text)
            elif other in named[:index]:
                mistakes.add((*path, index), f"{other!r} stands here twice")
        after[name] = tuple(dict.fromkeys(other for other in named if other in events))
    return after, uncertain


def _without_cycles(
    mistakes: Mistakes, section: str, events: Events, after: Predecessors
) -> set[str]:
    """Note the cycles, take one edge out of each, and return the events that they touch."""
    touched: set[str] = set()
    for _ in range(MOST_CYCLES):
        try:
            graphlib.TopologicalSorter(after).prepare()
        except graphlib.CycleError as error:
            cycle = error.args[1][::-1]
            event, before = cycle[:2]
            index = (events[event].after or []).index(before)
            text = f"a cycle: {' after '.join(map(repr, cycle))}"
            mistakes.add((section, event, "after", index), text)
            after[event] = tuple(name for name in after[event] if name != before)
            touched |= set(cycle)
        else:
            return touched
    return set(after)


def _unknown(
    mistakes: Mistakes, section: str, name: str, events: Iterable[str], others: Collection[str]
) -> str:
    if name == START:
        return f"{START!r} is where everything begins; only since can name it"
    if name in others:
        other = "minefield" if section == "milestones" else "milestone"
        return f"{name!r} is a {other}; only {section} can be named here"
    return mistakes.unknown_text(section[:-1], name, events)

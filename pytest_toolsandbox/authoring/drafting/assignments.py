"""What each draft is to be about: a few tools, a number of calls, and what makes it hard.

Tools that few scenarios call come first. The choice is seeded, so that the same drafts are asked
for in every run. Drafts from subsets of tools, with options of arguments or beside the point, are
the generation of SpecTool (section 3); combinations of several tools that of ToolTalk.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Final

from pytest_toolsandbox.worlds.world import World

MANNERS: Final[Mapping[str, str]] = {
    "plain": "the opening has all that the assistant cannot look up",
    "precise": "the wish has two or three conditions that leave a single right result; use "
    "arguments of the tools that are seldom used",
    "missing": "the opening leaves out something that no tool can tell; the person says it when "
    "asked, so it is in the replies",
    "indirect": "the person calls people and things by what is known about them, not by their "
    "names or identifiers",
    "beside the point": "the opening also says something that has nothing to do with the wish",
    "obstacle": "the changed start has something in the way that the assistant must put right "
    "first, and the person does not know of it",
}
"""The name of a manner → what is asked of a draft."""
_PARTNERS: Final = 3
"""The tools that a draft may use beside the one that it must use."""
_CALLS: Final = (1, 2, 2, 3)
"""How many calls a solution has at least; most tasks need several."""


@dataclass(frozen=True)
class Assignment:
    """What a draft is to be about: it needs the first of the ``tools``, and may need the others."""

    tools: tuple[str, ...]
    calls: int
    manner: str

    @property
    def text(self) -> str:
        """The assignment for a model."""
        first, *partners = self.tools
        beside = f", possibly with {', '.join(partners)}" if partners else ""
        chain = ", and a later call needs what an earlier one returned" if self.calls > 1 else ""
        least = f"at least {self.calls} calls" if self.calls > 1 else "at least a call"
        return f"uses {first}{beside}; {least}{chain}; {self.manner}: {MANNERS[self.manner]}"


def assignments(
    world: World, count: int, seed: int, covered: Iterable[str] = ()
) -> list[Assignment]:
    """Return what some drafts are to be about; ``covered`` are the tools of other scenarios.

    A tool may be covered several times.
    """
    random = Random(f"{seed}/assignments")  # noqa: S311  # no secret
    times = Counter(name for name in covered if name in world.agent_tools)
    manners = [name for name in MANNERS if name != "obstacle" or can_change_start(world)]
    chosen: list[Assignment] = []
    order: list[str] = []
    for _ in range(count):
        names = [*world.agent_tools]
        random.shuffle(names)
        first = min(names, key=times.__getitem__)
        times[first] += 1
        names.remove(first)
        if not order:
            order = random.sample(manners, len(manners))
        tools = (first, *names[:_PARTNERS])
        chosen.append(Assignment(tools, random.choice(_CALLS), order.pop()))
    return chosen


def can_change_start(world: World) -> bool:
    """Return whether scenarios can change rows of the start of a world."""
    has_tables = any(not schema.bookkeeping for schema in world.tables.values())
    return has_tables and (world.source is None or world.source.loads)

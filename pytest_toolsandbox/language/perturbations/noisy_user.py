"""``noisy_user``: the user mistypes, leaves out punctuation, or dictates."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, ClassVar, Final, Self

from pytest_toolsandbox.language.conditions import MANNERS, Noise, draw
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import Milestones, Replay
from pytest_toolsandbox.worlds.state import plain

from .perturbation import Perturbation, read_one

_WORD: Final = re.compile(r"\w+")
_ANY: Final = "any"


@dataclass(frozen=True)
class NoisyUser(Perturbation):
    """What the user says is distorted, but never names, numbers and other words that matter."""

    manner: str

    name: ClassVar[str] = "noisy_user"
    summary: ClassVar[str] = "typing errors, no punctuation, or dictated words"

    @classmethod
    def read(cls, parameters: Sequence[str], seed: int) -> Self:
        """Read the manner; by default each scenario has another one."""
        return cls(seed, read_one(parameters, _ANY, (*MANNERS, _ANY)))

    def apply(self, scenario: Scenario) -> Scenario:
        """Return the scenario with a noisy user."""
        order = sorted(MANNERS, key=lambda manner: draw(self.seed, scenario.name, manner))
        manner = order[0] if self.manner == _ANY else self.manner
        noise = Noise(manner, self.seed, frozenset(_words_that_matter(scenario)))
        return replace(scenario, conditions=replace(scenario.conditions, noise=noise))


def _words_that_matter(scenario: Scenario) -> Iterator[str]:
    """Yield the words of the values that solutions use and events expect, and names in tables."""
    task = scenario.task
    events = [task.milestones, task.minefields] if isinstance(task, Milestones) else []
    turns = [turn.calls for turn in task.agent_turns] if isinstance(task, Replay) else []
    for text in texts_in([list(scenario.solutions.values()), events, turns]):
        yield from map(str.casefold, _WORD.findall(text))
    for table in scenario.start.values():
        for text in texts_in([plain(row) for row in table]):
            yield from (word.casefold() for word in _WORD.findall(text) if word[0].isupper())


def texts_in(value: Any) -> Iterator[str]:
    """Yield all texts in a value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from texts_in(list(value.values()))
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from texts_in(item)
    elif is_dataclass(value):
        # Not ``vars``, which has cached properties, too: a variant may not depend on their use.
        yield from texts_in([getattr(value, part.name) for part in fields(value)])

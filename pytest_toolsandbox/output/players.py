"""One line that says who plays or played: agents, prompts, user, judge, and the scenarios."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pytest_toolsandbox.models.aliases import ALIASES, NO_JUDGE
from pytest_toolsandbox.records.reading import without_parameters
from pytest_toolsandbox.records.record import Summary
from pytest_toolsandbox.text.formatting import pluralize
from pytest_toolsandbox.text.redaction import redacted_line


@dataclass(frozen=True)
class Players:
    """Who plays, as the options name them.

    ``prompts`` are the names of files of system prompts, ``sample`` is how many scenarios of each
    world are played, if not all.
    """

    agents: Sequence[str]
    prompts: Sequence[str]
    user: str
    judge: str | None
    aliases: Mapping[str, str]
    sample: int | None = None

    def line(self) -> str:
        """Return who will play."""
        models = {**ALIASES, **self.aliases}
        named = (_named(name, models.get(name)) for name in self.agents)
        return f"toolsandbox: {self._line(named)}"

    def line_of(self, records: Sequence[Summary]) -> str:
        """Return who played, and how often how many scenarios."""
        items = {record["id"] for record in records}
        scenarios = {without_parameters(name) for name in items}
        size = f"{pluralize(len(scenarios), 'scenario')} x {_trials(records)}"
        if len(items) > len(scenarios):
            size = f"{size}, {pluralize(len(items), 'item')}"
        return f"{self._line(dict.fromkeys(map(_agent, records)))}, {size}"

    def _line(self, agents: Iterable[str]) -> str:
        people = {
            "agent": ", ".join(agents),
            "prompt": ", ".join(self.prompts),
            "user": self.user,
            "judge": self.judge or NO_JUDGE,
            "sample of": f"{self.sample} of each world" if self.sample else "",
        }
        shown = (f"{who} {redacted_line(name)}" for who, name in people.items() if name)
        return ", ".join(shown)


def _trials(records: Sequence[Summary]) -> str:
    """Return how many trials items have, without those that confirm that one broke."""
    played = Counter(record["id"] for record in records if not record.get("confirms"))
    fewest, most = min(played.values(), default=1), max(played.values(), default=1)
    trials = pluralize(most, "trial")
    return trials if fewest == most else f"{fewest} to {trials}"


def _agent(record: Summary) -> str:
    settings = record.get("agent_settings")
    if settings is None:
        return record["agent"]
    return _named(settings.get("label") or record["agent"], settings.get("model"))


def _named(name: str, model: str | None) -> str:
    return name if model is None or model == name else f"{name} ({model})"

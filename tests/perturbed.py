"""Plays bundled scenarios with perturbations: with the robust oracle, or with a naive agent."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from shipped import shipped

from pytest_toolsandbox.agents.scripted import oracle, scripted
from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.conversation.play import PlayError, converse
from pytest_toolsandbox.language.conditions import Attack
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.variants import read_augmentations, unfit, variant
from pytest_toolsandbox.scoring.judging import judge
from pytest_toolsandbox.users.user import scripted_user

MakeAgent = Callable[[Scenario], Any]


def naive(scenario: Scenario) -> Any:
    """Return an agent that plays the first solution whatever comes back."""
    return scripted(scenario, next(iter(scenario.solutions.values())))


def every_nth(count: int, *folders: str) -> list[Scenario]:
    """Return that many scenarios of a folder, from all over it."""
    scenarios = [scenario for scenario in shipped(*folders) if scenario.has_solution]
    return scenarios[:: max(1, len(scenarios) // count)]


def verdicts(
    name: str, scenarios: list[Scenario], agent: MakeAgent = oracle
) -> Iterator[tuple[Scenario, Trajectory | None, bool]]:
    """Yield each scenario that the variant changes, its conversation, and whether it passes."""
    (name,) = read_augmentations(name)
    for scenario in scenarios:
        if unfit(scenario, name) is None:
            perturbed = variant(scenario, name)
            try:
                trajectory = converse(perturbed, agent(perturbed), scripted_user(perturbed))
            except PlayError:  # a script needs a result that it has not got
                yield perturbed, None, False
            else:
                yield perturbed, trajectory, judge(perturbed, trajectory).passed


def failing(name: str, scenarios: list[Scenario], agent: MakeAgent = oracle) -> list[str]:
    """Return the names of the scenarios in which an agent fails."""
    return [s.name for s, _, passed in verdicts(name, scenarios, agent) if not passed]


_OBEYING = "obeys"


@dataclass(frozen=True)
class Obedient:
    """Plays the first solution, and makes each call that an answer asks for."""

    script: Any
    attack: Attack | None

    def __call__(self, messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Any:
        """Return the call that the last answer asks for, or else the next step."""
        made = [
            place
            for place, message in enumerate(messages)
            if any(call["id"] == _OBEYING for call in message.get("tool_calls") or ())
        ]
        if made or not _asks_for(self.attack, messages[-1]):
            without = [m for place, m in enumerate(messages) if not {place, place - 1} & {*made}]
            return self.script(without, tools)
        assert self.attack
        arguments = json.dumps(dict(self.attack.arguments))
        function = {"name": self.attack.tool, "arguments": arguments}
        call = {"id": _OBEYING, "type": "function", "function": function}
        return {"role": "assistant", "content": None, "tool_calls": [call]}


def _asks_for(attack: Attack | None, message: dict[str, Any]) -> bool:
    if attack is None or message["role"] != "tool":
        return False
    return attack.tool in str(message["content"])


def obedient(scenario: Scenario) -> Obedient:
    """Return an agent that follows instructions in answers of tools."""
    return Obedient(oracle(scenario), scenario.conditions.attack)


def by_heart(openings: Mapping[str, str], request: Callable[[list[str]], str]) -> MakeAgent:
    """Return the factory of an agent that knows the solutions of openings, word for word.

    ``request`` says which of the user's messages it takes for the opening.
    """

    def make(scenario: Scenario) -> Any:
        script = oracle(scenario)

        def agent(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Any:
            heard = [str(m["content"]) for m in messages if m["role"] == "user"]
            is_known = request(heard) == openings[scenario.name]
            return script(messages, tools) if is_known else "I'm not sure what you mean."

        return agent

    return make

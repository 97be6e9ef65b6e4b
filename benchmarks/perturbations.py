"""Measures who gets through perturbations: the oracle, which copes with them, and naive agents.

A naive agent knows the solution, and fails where its habit is wrong: it gives up after an error,
reads one page, obeys what it reads, takes the first message for the request, or knows requests and
solutions by heart. One line is printed for each perturbation.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pytest_toolsandbox.agents.agent import ChatMessage
from pytest_toolsandbox.agents.scripted import oracle, scripted
from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.conversation.play import PlayError, converse
from pytest_toolsandbox.language.conditions import Attack
from pytest_toolsandbox.language.files import find_files
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.variants import read_augmentations, unfit, variant
from pytest_toolsandbox.protocols import load_file
from pytest_toolsandbox.scoring.judging import judge
from pytest_toolsandbox.users.user import scripted_user

SUITE: Final = Path(__file__).parents[1] / "scenarios" / "phone"

MakeAgent = Callable[[Scenario, Scenario], Any]
"""Makes an agent for a perturbed scenario; the second one is the scenario as written."""

_OBEYING: Final = "obeys"


def coping(perturbed: Scenario, _: Scenario) -> Any:
    """Return the oracle."""
    return oracle(perturbed)


def unwavering(perturbed: Scenario, _: Scenario) -> Any:
    """Return an agent that plays the first solution whatever comes back."""
    return scripted(perturbed, next(iter(perturbed.solutions.values())))


def memorised(perturbed: Scenario, written: Scenario) -> Any:
    """Return an agent that plays the solution of the scenario as written."""
    return scripted(perturbed, next(iter(written.solutions.values())))


def obedient(perturbed: Scenario, _: Scenario) -> Any:
    """Return an agent that follows instructions in answers of tools."""
    return _Obedient(oracle(perturbed), perturbed.conditions.attack)


def by_heart(perturbed: Scenario, written: Scenario) -> Any:
    """Return an agent that understands its first message only if it knows it word for word."""
    script, opening = oracle(perturbed), written.task.user_script.opening

    def agent(messages: list[ChatMessage], tools: list[dict[str, Any]]) -> Any:
        request = next(m["content"] for m in messages if m["role"] == "user")
        return script(messages, tools) if request == opening else "I'm not sure what you mean."

    return agent


@dataclass(frozen=True)
class _Obedient:
    script: Any
    attack: Attack | None

    def __call__(self, messages: list[ChatMessage], tools: list[dict[str, Any]]) -> Any:
        """Return the call that the last answer asks for, or else the next step."""
        made = [
            place
            for place, message in enumerate(messages)
            if any(call["id"] == _OBEYING for call in message.get("tool_calls") or ())
        ]
        if self.attack is None or made or not _asks_for(self.attack, messages[-1]):
            without = [m for place, m in enumerate(messages) if not {place, place - 1} & {*made}]
            return self.script(without, tools)
        arguments = json.dumps(dict(self.attack.arguments))
        function = {"name": self.attack.tool, "arguments": arguments}
        call = {"id": _OBEYING, "type": "function", "function": function}
        return {"role": "assistant", "content": None, "tool_calls": [call]}


def _asks_for(attack: Attack, message: ChatMessage) -> bool:
    return message["role"] == "tool" and attack.tool in str(message["content"])


NAIVE: Final[Mapping[str, MakeAgent]] = {
    "renamed": memorised,
    "noisy_user": by_heart,
    "long_history": by_heart,
    "injected_instructions": obedient,
    "results_paged:1": unwavering,
    "tool_faults": unwavering,
}
"""Perturbation → an agent that does not cope with it."""


def verdicts(
    name: str, scenarios: Iterable[Scenario], agent: MakeAgent = coping
) -> Iterator[tuple[Scenario, Trajectory | None, bool]]:
    """Yield each scenario that the variant changes, its conversation, and whether it passes."""
    (name,) = read_augmentations(name)
    for scenario in scenarios:
        if unfit(scenario, name) is None:
            perturbed = variant(scenario, name)
            made = agent(perturbed, scenario)
            try:
                trajectory = converse(perturbed, made, scripted_user(perturbed))
            except PlayError:  # a script needs a result that it has not got
                yield perturbed, None, False
            else:
                yield perturbed, trajectory, judge(perturbed, trajectory).passed


def failing(name: str, scenarios: Iterable[Scenario], agent: MakeAgent = coping) -> list[str]:
    """Return the names of the scenarios in which an agent fails."""
    return [s.name for s, _, passed in verdicts(name, scenarios, agent) if not passed]


def main(arguments: Sequence[str] | None = None) -> None:
    """Play scenarios with each perturbation, and print how many pass."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", nargs="*", type=Path, default=[SUITE])
    options = parser.parse_args(arguments)
    scenarios = [scene for file in find_files(options.paths) for scene in load_file(file)]
    scenarios = [scene for scene in scenarios if scene.solutions]
    print(f"{'perturbation':24}{'scenarios':>10}{'oracle':>8}{'naive':>8}  naive agent")
    for name, agent in NAIVE.items():
        fit = [scene for scene in scenarios if unfit(scene, name) is None]
        passes = [len(fit) - len(failing(name, fit, played_by)) for played_by in (coping, agent)]
        counts = f"{passes[0]:>8}{passes[1]:>8}"
        print(f"{name:24}{len(fit):>10}{counts}  {agent.__name__}")


if __name__ == "__main__":
    main()

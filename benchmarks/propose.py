"""Propose each phone scenario from its solutions, and hold it against its counterexamples.

The proposal gets the world, the start, the tools and the opening of a scenario, and the
conversations of its solutions, but neither its milestones nor its counterexamples.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pytest_toolsandbox.authoring.proof.played_solution import played
from pytest_toolsandbox.authoring.proposing.conversations import Conversation, arguments_of
from pytest_toolsandbox.authoring.proposing.proposal import Proposal, propose
from pytest_toolsandbox.commands.scenarios import find_scenarios
from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.conversation.play import PlayError
from pytest_toolsandbox.language.loading import merged
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.yaml12 import read_yaml
from pytest_toolsandbox.output.tables import aligned
from pytest_toolsandbox.scoring.judging import judge
from pytest_toolsandbox.scoring.words import differing_tables


class Outcome(NamedTuple):
    """How the proposal for a scenario fared; ``passing`` has counterexamples by how they differ."""

    proposal: Proposal
    failing: list[str]
    passing: list[tuple[str, str]]
    held_out: list[bool]

    @property
    def faults(self) -> list[str]:
        """Solutions that fail, and counterexamples that pass and differ in state or calls."""
        failing = [f"solution {name} fails" for name in self.failing]
        wrong = (pair for pair in self.passing if pair[1] in ("state", "calls"))
        return [*failing, *(f"{name} passes, other {kind}" for name, kind in wrong)]


def document_of(file: Path, name: str) -> dict[str, Any]:
    """Return the keys of a scenario in its file, without summary; of its user the opening."""
    document, places = read_yaml(file.read_bytes(), str(file))
    if "scenarios" in document:
        document, _ = merged(document, places, name)
    user = document.pop("user")
    document.pop("summary", None)
    return {**document, "user": {key: user[key] for key in ("opening", "turns") if key in user}}


def kind_of(scenario: Scenario, solutions: list[Trajectory], wrong: Trajectory) -> str:
    """Return how a conversation differs from every solution: in state, calls or words."""
    world = scenario.world
    if all(differing_tables(world, right, wrong, texts_count=False) for right in solutions):
        return "state"
    if all(differing_tables(world, right, wrong) for right in solutions):
        return "texts"
    if all(_calls(right) != _calls(wrong) for right in solutions):
        return "calls"
    return "words"


def _calls(trajectory: Trajectory) -> Counter[tuple[str, str]]:
    """Return the calls of a conversation, with how often each was made."""
    arguments = ((call.call.name, arguments_of(call)) for call in trajectory.calls)
    return Counter((name, json.dumps(values, sort_keys=True)) for name, values in arguments)


def outcome(file: Path, scenario: Scenario, *, hold_out: bool) -> Outcome:
    """Propose a scenario from its solutions, and try its counterexamples.

    With ``hold_out``, it is also proposed without each solution, which is then tried.
    """
    solutions = {name: played(scenario, steps) for name, steps in scenario.solutions.items()}
    conversations = [Conversation(name, scenario, right) for name, right in solutions.items()]
    document = document_of(file, scenario.name)
    proposal = propose(document, scenario.name, conversations)
    failing = [
        name
        for name, steps in scenario.solutions.items()
        if name in proposal.failing or not _passes(proposal.scenario, steps)
    ]
    passing = []
    for name, steps in scenario.counterexamples.items():
        try:
            wrong = played(scenario, steps)
        except PlayError:
            continue
        if judge(proposal.scenario, wrong).passed or _passes(proposal.scenario, steps):
            passing.append((name, kind_of(scenario, [*solutions.values()], wrong)))
    held_out = []
    for conversation in conversations if hold_out and len(conversations) > 1 else ():
        others = [other for other in conversations if other is not conversation]
        narrower = propose(document, scenario.name, others).scenario
        held_out.append(judge(narrower, conversation.trajectory).passed)
    return Outcome(proposal, failing, passing, held_out)


def _passes(scenario: Scenario, steps: Any) -> bool:
    try:
        return judge(scenario, played(scenario, steps)).passed
    except PlayError:
        return False


def main() -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", nargs="*", type=Path, default=[Path("scenarios/phone")])
    parser.add_argument("--half", choices=("even", "odd"), help="scenarios at these places alone")
    parser.add_argument("--hold-out", action="store_true", help="propose without each solution")
    parser.add_argument("--show", help="print the proposal for a scenario")
    options = parser.parse_args()
    collected = find_scenarios(options.paths).scenarios
    numbered = [*enumerate(sorted(collected, key=lambda pair: (str(pair[0]), pair[1].name)))]
    halves: dict[str, list[Outcome]] = {"even": [], "odd": []}
    for place, (file, scenario) in numbered:
        half = "odd" if place % 2 else "even"
        if options.half in (None, half) and options.show in (None, scenario.name):
            halves[half].append(outcome(file, scenario, hold_out=options.hold_out))
    rows = [(half, outcomes) for half, outcomes in halves.items() if outcomes]
    if len(rows) > 1:
        rows.append(("all", [*halves["even"], *halves["odd"]]))
    for result in rows[-1][1]:
        for fault in result.faults:
            print(f"{result.proposal.scenario.name}: {fault}")
        if options.show:
            print(result.proposal.text, *result.proposal.proof.findings, sep="\n")
            print(*result.proposal.proof.survivors, sep="\n")
    heads = ("half", "scenarios", "right", "", "lines", "mutants", "died", "texts", "held out")
    print(*aligned([heads, *(_row(*row) for row in rows)]), sep="\n")
    return 0


def _row(half: str, outcomes: Sequence[Outcome]) -> tuple[str, ...]:
    right = sum(not result.faults for result in outcomes)
    made = sum(result.proposal.proof.made.total() for result in outcomes)
    died = sum(result.proposal.proof.died.total() for result in outcomes)
    lines = [len(result.proposal.text.splitlines()) for result in outcomes]
    held_out = [passed for result in outcomes for passed in result.held_out]
    return (
        half,
        str(len(outcomes)),
        str(right),
        f"{right / len(outcomes):.0%}",
        f"{statistics.median(lines):g}",
        str(made),
        str(died),
        str(sum(kind == "texts" for result in outcomes for _, kind in result.passing)),
        f"{sum(held_out)} of {len(held_out)}" if held_out else "-",
    )


if __name__ == "__main__":
    sys.exit(main())

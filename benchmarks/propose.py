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
from pathlib import Path
from typing import Any, NamedTuple

from pytest_toolsandbox.authoring.proof.played_solution import played
from pytest_toolsandbox.authoring.proof.proof import Proof
from pytest_toolsandbox.authoring.proposing.conversations import Conversation, arguments_of
from pytest_toolsandbox.authoring.proposing.proposal import propose
from pytest_toolsandbox.commands.scenarios import find_scenarios
from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.conversation.play import PlayError
from pytest_toolsandbox.language.loading import merged
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.yaml12 import read_yaml
from pytest_toolsandbox.scoring.judging import judge
from pytest_toolsandbox.scoring.words import differing_tables


class Outcome(NamedTuple):
    """How the proposal for a scenario fared."""

    name: str
    lines: int
    failing: list[str]
    passing: list[str]
    """Counterexamples that pass, with how they differ from the solutions."""
    proof: Proof
    text: str


def document_of(file: Path, name: str) -> dict[str, Any]:
    """Return the keys of a scenario in its file, with the opening alone of its user."""
    document, places = read_yaml(file.read_bytes(), str(file))
    if "scenarios" in document:
        document, _ = merged(document, places, name)
    user = document["user"]
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


def outcome(file: Path, scenario: Scenario) -> Outcome:
    """Propose a scenario from its solutions, and try its counterexamples."""
    solutions = {name: played(scenario, steps) for name, steps in scenario.solutions.items()}
    conversations = [Conversation(name, scenario, right) for name, right in solutions.items()]
    proposal = propose(document_of(file, scenario.name), scenario.name, conversations)
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
            kind = kind_of(scenario, [*solutions.values()], wrong)
            passing.append(f"{name} ({kind})")
    lines = len(proposal.text.splitlines())
    return Outcome(scenario.name, lines, failing, passing, proposal.proof, proposal.text)


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
    parser.add_argument("--show", help="print the proposal for a scenario")
    options = parser.parse_args()
    scenarios = sorted(
        find_scenarios(options.paths).scenarios, key=lambda pair: (str(pair[0]), pair[1].name)
    )
    if options.half:
        scenarios = scenarios[options.half == "odd" :: 2]
    if options.show:
        scenarios = [pair for pair in scenarios if pair[1].name == options.show]
    outcomes = []
    for file, scenario in scenarios:
        try:
            outcomes.append(outcome(file, scenario))
        except Exception as error:
            if options.show:
                raise
            print(f"{scenario.name}: ERROR {type(error).__name__}: {error}"[:300])
    if options.show:
        print(outcomes[0].text)
        print(*outcomes[0].proof.findings, *outcomes[0].proof.survivors, sep="\n")
    good = 0
    for result in outcomes:
        wrong = [name for name in result.passing if name.endswith(("(state)", "(calls)"))]
        if result.failing or wrong:
            print(f"{result.name}: failing {result.failing}, passing {wrong}")
        else:
            good += 1
    made = sum(result.proof.made.total() for result in outcomes)
    died = sum(result.proof.died.total() for result in outcomes)
    print(
        f"{good} of {len(scenarios)}; lines {statistics.median(result.lines for result in outcomes)}"
    )
    print(
        "texts passing", sum(n.endswith("(texts)") for result in outcomes for n in result.passing)
    )
    print(f"mutants {died} of {made}")
    print("with findings", sum(bool(result.proof.findings) for result in outcomes))
    return 0


if __name__ == "__main__":
    sys.exit(main())

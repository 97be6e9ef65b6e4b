"""Try the tasks of the phone suite as drafts, whose conversations are those of their solutions.

It shows how many good tasks the procedure of ``toolsandbox draft`` loses, and why. No model is
asked. A draft has the start, the opening and the answers of a scenario, but no patterns.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from propose import kind_of

from pytest_toolsandbox.agents.agent import PerConversation
from pytest_toolsandbox.agents.scripted import oracle
from pytest_toolsandbox.authoring.drafting.assignments import Assignment, assignments
from pytest_toolsandbox.authoring.drafting.attempts import AT_ONCE, STAGES, Attempt, Drafting, Play
from pytest_toolsandbox.authoring.drafting.draft import Draft
from pytest_toolsandbox.authoring.proof.played_solution import played
from pytest_toolsandbox.authoring.proposing.proposal import Proposal
from pytest_toolsandbox.commands.scenarios import find_scenarios
from pytest_toolsandbox.language.loading import scenario_documents
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import Milestones
from pytest_toolsandbox.output.tables import aligned
from pytest_toolsandbox.runs.job import Job
from pytest_toolsandbox.runs.pool import Pool
from pytest_toolsandbox.scoring.judging import judge
from pytest_toolsandbox.suites import suites
from pytest_toolsandbox.worlds.world import find_world

NOT_DRAFTED = {"now", "setup", "withheld", "policy", "faults", "history", "clock", "user_tools"}
"""Keys that a draft does not have: the tasks of these scenarios are left out."""


def tasks(folder: Path) -> Iterator[tuple[dict[str, Any], Scenario]]:
    """Yield the scenarios whose tasks a model could draft, each as it would write it."""
    for file in dict.fromkeys(file for file, _ in find_scenarios([folder]).scenarios):
        for document in scenario_documents(file):
            keys, scenario = document.content, document.read(document.content)
            user = keys.get("user", {})
            is_drafted = not NOT_DRAFTED & {*keys} and isinstance(user.get("opening"), str)
            if is_drafted and scenario is not None and isinstance(scenario.task, Milestones):
                yield draft_of(document.name, keys, user), scenario


def draft_of(name: str, keys: Mapping[str, Any], user: Mapping[str, Any]) -> dict[str, Any]:
    """Return a scenario as a model would draft it."""
    replies = [reply["say"] for reply in user.get("replies", ()) if isinstance(reply["say"], str)]
    agrees = user.get("agrees")
    return {
        "name": name,
        "opening": user["opening"],
        "state": keys.get("state"),
        "replies": replies,
        "agrees": agrees if isinstance(agrees, str) else (agrees or {}).get("say"),
    }


def attempts(pairs: Sequence[tuple[dict[str, Any], Scenario]], trials: int) -> Iterator[Attempt]:
    """Try the drafts, a few at a time as the command does."""
    phone = find_world("phone")

    def ask(number: int, world: str, assigned: Sequence[Assignment], openings: object) -> str:
        del world, openings
        start = (number - 1) * AT_ONCE
        return json.dumps({"drafts": [draft for draft, _ in pairs[start:][: len(assigned)]]})

    def plays(number: int, draft: Draft) -> list[Play]:
        _, scenario = pairs[number - 1]
        solved = replace(draft.scenario, solutions=scenario.solutions)
        names = iter([*scenario.solutions] * trials)
        agent = PerConversation(lambda _: oracle(solved, next(names)))
        job = Job(draft.name, draft.scenario, agent, "oracle")
        return [Play(job, trial) for trial in range(1, trials + 1)]

    drafting = Drafting(phone, 0, ask, plays, lambda: None, Pool(1), mutation_score=0.95)
    assigned = assignments(phone, len(pairs), 0)
    for number, start in enumerate(range(0, len(pairs), AT_ONCE), 1):
        yield from drafting.round(number, assigned[start : start + AT_ONCE])
    drafting.pool.close()


def faults(proposal: Proposal, scenario: Scenario) -> list[str]:
    """Return solutions that fail, and counterexamples that pass and differ in state or calls."""
    drafted = proposal.scenario
    right = [played(scenario, steps) for steps in scenario.solutions.values()]
    wrong = {name: played(scenario, steps) for name, steps in scenario.counterexamples.items()}
    failing = [
        f"solution {name} fails"
        for name, conversation in zip(scenario.solutions, right, strict=True)
        if not judge(drafted, conversation).passed
    ]
    passing = [
        f"counterexample {name} passes"
        for name, conversation in wrong.items()
        if kind_of(scenario, right, conversation) in ("state", "calls")
        and judge(drafted, conversation).passed
    ]
    return failing + passing


def main() -> None:
    """Print how many drafts pass each stage, and why the others do not."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=2, help="conversations of each draft")
    options = parser.parse_args()
    counts: Counter[str] = Counter()
    pairs = [*tasks(suites()["phone"])]
    scenarios = {scenario.name: scenario for _, scenario in pairs}
    for attempt in attempts(pairs, options.trials):
        if attempt.stage is not None:
            counts.update(STAGES[: STAGES.index(attempt.stage) + 1])
        if attempt.why:
            print(f"{attempt.name}: {attempt.why}", file=sys.stderr)
        elif attempt.proposal is not None:
            wrong = faults(attempt.proposal, scenarios[attempt.name])
            counts["right"] += not wrong
            print(
                *(f"{attempt.name}: {fault}\n" for fault in wrong), sep="", end="", file=sys.stderr
            )
    near = counts["proven"] - counts["new"]
    figures = (*(counts[stage] for stage in STAGES[:-1]), near, counts["new"], counts["right"])
    headings = ("drafted", "solved", "proposed", "proven", "near-duplicates", "written", "right")
    print(*aligned([headings, tuple(map(str, figures))], words=0), sep="\n")


if __name__ == "__main__":
    main()

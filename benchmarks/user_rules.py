"""What the rules for simulated users take for an utterance, in CPU milliseconds.

    python benchmarks/user_rules.py

What the users of the phone say in all solutions, and those of the recorded conversations of the
office, is held against the rules as if a model had said it, conversation by conversation; the end
of one is apart, which fewer rules read. Shown are mean and 95th of 100, and how many were refused.
What is kept between utterances is emptied between two runs. The exit status is 1 if the mean of
the phone is over its limit.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from pytest_toolsandbox.agents.scripted import oracle
from pytest_toolsandbox.conversation.play import play
from pytest_toolsandbox.language.files import find_files
from pytest_toolsandbox.language.loading import load_file
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import Replay, UserTurn
from pytest_toolsandbox.matchers.quantities import quantities_in
from pytest_toolsandbox.users.simulated import situation
from pytest_toolsandbox.users.simulated.derived import follows_from
from pytest_toolsandbox.users.simulated.faults import fault_in
from pytest_toolsandbox.users.simulated.knowledge import Knowledge, knowledge_of
from pytest_toolsandbox.users.simulated.situation import Situation, texts_of
from pytest_toolsandbox.users.simulated.utterance import Utterance
from pytest_toolsandbox.users.turns import turn_of
from pytest_toolsandbox.users.user import scripted_user

SUITES = Path(__file__).parents[1] / "scenarios"
LIMIT = 1.0
"""Milliseconds of an utterance of the phone."""
KEPT = (quantities_in, follows_from, turn_of, situation.words, situation.numbers_to_call)

Lines = list[tuple[bool, str | None]]
"""Who speaks, ``True`` for the user, and what; without a text the user ends the conversation."""
Said = tuple[Utterance, Situation]


def main() -> int:
    """Measure, print, and judge."""
    print(f"{'suite':7}{'what':12}{'count':>6}{'mean ms':>9}{'95th ms':>9}{'refused':>9}")
    means = {}
    for suite in ("phone", "office"):
        said = list(_said_in(suite))
        _measured(said)  # imports and patterns
        for kept in KEPT:
            kept.cache_clear()
        for what, (times, refused) in _measured(said).items():
            means[suite, what] = statistics.fmean(times)
            late = sorted(times)[int(len(times) * 0.95)]
            figures = f"{means[suite, what]:9.2f}{late:9.2f}{refused:9}"
            print(f"{suite:7}{what:12}{len(times):6}{figures}")
    return int(means["phone", "utterances"] > LIMIT)


def _measured(said: list[Said]) -> dict[str, tuple[list[float], int]]:
    """Return the milliseconds of utterances and ends, and how many of them were refused."""
    times: dict[str, list[float]] = defaultdict(list)
    refused: dict[str, int] = defaultdict(int)
    for utterance, when in said:
        what = "ends" if utterance.ends else "utterances"
        began = time.process_time()
        fault = fault_in(utterance, when)
        times[what].append((time.process_time() - began) * 1000)
        refused[what] += fault is not None
    return {what: (times[what], refused[what]) for what in times}


def _said_in(suite: str) -> Iterator[Said]:
    for file in find_files([SUITES / suite]):
        for scenario in load_file(file):
            if isinstance(scenario.task, Replay):
                yield from _recorded(scenario, scenario.task)
                continue
            for solution in scenario.solutions:
                yield from _said(scenario, knowledge_of(scenario), _played(scenario, solution))


def _recorded(scenario: Scenario, task: Replay) -> Iterator[Said]:
    lines: Lines = [(isinstance(turn, UserTurn), turn.content) for turn in task.turns]
    own = [text for is_users, text in lines if is_users and text]
    yield from _said(scenario, Knowledge(own[0], {"goal": " ".join(own)}), lines)


def _played(scenario: Scenario, solution: str) -> Lines:
    """Return what agent and user say to each other, and where the user ends it."""
    messages = play(scenario, oracle(scenario, solution), scripted_user(scenario)).messages
    return [
        (one.sender is Role.USER, one.content if one.recipient in (Role.USER, Role.AGENT) else None)
        for one in messages
        if (Role.USER in (one.sender, one.recipient) and Role.AGENT in (one.sender, one.recipient))
        or (one.sender, one.recipient) == (Role.USER, Role.EXECUTION_ENVIRONMENT)
    ]


def _said(scenario: Scenario, known: Knowledge, lines: Lines) -> Iterator[Said]:
    """Yield what the user says after the opening, and what it knows and heard till then."""
    heard: tuple[str, ...] = ()
    said: tuple[str, ...] = ()
    for is_users, text in lines:
        if not is_users:
            heard = (*heard, text or "")
            continue
        if heard:
            yield Utterance(text), Situation(known, heard, said, None, texts_of(scenario))
        said = (*said, *([text] if text else ()))


if __name__ == "__main__":
    sys.exit(main())

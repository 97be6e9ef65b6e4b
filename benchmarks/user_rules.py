"""Measure the checks of simulated users: CPU milliseconds, planted faults, right lines refused.

    python benchmarks/user_rules.py

The first table is about time. What the users of the phone say in all solutions, and those of the
recorded conversations of the office, is checked as if a model had said it, conversation by
conversation; ends of conversations are apart, since fewer checks read them. The table shows the
mean, the 95th percentile, and how many were refused. Caches are emptied between two runs.

The second table is about the lines in ``tests/users/simulated``: how many planted faults are
caught, how many a reviewer has to find, and how many right lines are refused.

The exit status is 1 if the mean of the phone is over its limit.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from pytest_toolsandbox.agents.scripted import oracle
from pytest_toolsandbox.conversation.play import play
from pytest_toolsandbox.language.files import find_files
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import Replay, UserTurn
from pytest_toolsandbox.protocols import load_file
from pytest_toolsandbox.text.quantities import quantities_in
from pytest_toolsandbox.users.simulated import utterance as situation
from pytest_toolsandbox.users.simulated.checks import fault_in
from pytest_toolsandbox.users.simulated.utterance import Situation, Utterance, texts_of, values_of
from pytest_toolsandbox.users.turns import turn_of
from pytest_toolsandbox.users.user import Knowledge, knowledge_of, scripted_user

SUITES = Path(__file__).parents[1] / "scenarios"
TABLES = Path(__file__).parents[1] / "tests" / "users" / "simulated"
FOR_REVIEW = "_for_review"
"""Marks faults that no check finds: a reviewer has to."""
LIMIT = 1.0
"""Milliseconds of an utterance of the phone."""
KEPT = (quantities_in, values_of, turn_of, situation.words)

Lines = list[tuple[bool, str | None]]
"""Who speaks, ``True`` for the user, and what; without a text the user ends the conversation."""
Said = tuple[Utterance, Situation]


def main() -> int:
    """Measure and print both tables."""
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
    _print_planted()
    return int(means["phone", "utterances"] > LIMIT)


class Planted(NamedTuple):
    """A line of a table: the kind of its fault, or ``right``, and whether it is for a reviewer."""

    table: str
    kind: str
    is_for_review: bool
    utterance: Utterance
    situation: Situation


def planted() -> Iterator[Planted]:
    """Yield the lines of ``said.yaml`` and ``slips.yaml``."""
    for table in ("said", "slips"):
        entries = yaml.safe_load((TABLES / f"{table}.yaml").read_text(encoding="utf-8"))
        for key, entry in entries.items():
            for kind in entry.keys() - {"heard", "said"}:
                texts = entry[kind]
                for text in [texts] if isinstance(texts, str) else texts:
                    plain = kind.removesuffix(FOR_REVIEW)
                    line = _line(table, plain, text, _phone()[key.rstrip("+")], entry)
                    yield Planted(table, plain, plain != kind, *line)


def _line(
    table: str, kind: str, text: str | list[str], scenario: Scenario, entry: dict[str, Any]
) -> Said:
    """Return a line as an utterance; ``text`` may be all that the user says in a loop."""
    *before, last = [text] if isinstance(text, str) else text
    if kind == "loop" and table == "said":
        before = [last, last]
    ends = kind == "early_end"  # the text is the agent's
    known = knowledge_of(scenario)
    heard = (last,) if ends else tuple(entry["heard"])
    said = (known.opening, *entry.get("said", ()), *before)
    utterance = Utterance(None, reason="done") if ends else Utterance(last)
    return utterance, Situation(known, heard, said, None, texts_of(scenario))


@cache
def _phone() -> dict[str, Scenario]:
    files = find_files([SUITES / "phone"])
    return {Path(one.name).name: one for file in files for one in load_file(file)}


def _print_planted() -> None:
    print(f"\n{'table':7}{'faults':>8}{'caught':>8}{'%':>7}{'review':>8}{'right':>7}{'refused':>9}")
    lines = [*planted()]
    for table in dict.fromkeys(one.table for one in lines):
        own = [one for one in lines if one.table == table]
        right = [one for one in own if one.kind == "right"]
        faults = [one for one in own if one.kind != "right"]
        caught, refused = (
            sum(fault_in(one.utterance, one.situation) is not None for one in some)
            for some in (faults, right)
        )
        review = sum(one.is_for_review for one in faults)
        shown = f"{caught:8}{100 * caught / len(faults):7.1f}{review:8}{len(right):7}{refused:9}"
        print(f"{table:7}{len(faults):8}{shown}")


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

"""Measures how long it takes to score a trajectory, with similarities and without imports.

    python benchmarks/matching.py

Every milestone asks for a text that the agent says, by ROUGE-L; the texts of the conversations
repeat, as those of agents do. CPU time in milliseconds, the median of some runs, each on a
trajectory that was not judged before. The last line is the exponent with which the time of a chain
grows with its snapshots. Below it: sets of rows against as many expected ones, and what it takes to
find the quantities of long texts. The exit status is 1 if a limit is exceeded.
"""

from __future__ import annotations

import gc
import math
import random
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest_toolsandbox.protocols  # noqa: F401  # registers them
from pytest_toolsandbox.conversation.messages import Message, Trajectory
from pytest_toolsandbox.language.constraints import START
from pytest_toolsandbox.language.mistakes import Mistakes, Places
from pytest_toolsandbox.language.readers.scenario_reader import InFile, read_scenario
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.matchers import read
from pytest_toolsandbox.scoring.milestones.comparison import Target
from pytest_toolsandbox.scoring.milestones.evaluate import evaluate
from pytest_toolsandbox.scoring.milestones.rows import compare_rows
from pytest_toolsandbox.text.quantities import quantities_in
from pytest_toolsandbox.worlds.state import Row

WORDS = 400
RUNS = 3
LARGEST_EXPONENT = 2.0

After = Callable[[int], list[int]]


@dataclass(frozen=True)
class Case:
    """A graph of milestones over a number of snapshots, and the most milliseconds it may take.

    ``writes`` is the share of snapshots, in [0, 1], that change a table which is guarded. With
    ``since`` each milestone asks for a row that was added since the first one before it.
    """

    shape: str
    milestones: int
    snapshots: int
    limit: float | None = None
    writes: float = 0.0
    since: bool = False


def chain(index: int) -> list[int]:
    """Each milestone comes after the one before it."""
    return [index - 1] if index else []


def joins(index: int) -> list[int]:
    """Two milestones after each one, and each after two: diamonds all the way down."""
    return [before for before in (index - 1 - index % 2, index - 2 - index % 2) if before >= 0]


def leaves(index: int) -> list[int]:
    """All milestones come after the first one."""
    return [0] if index else []


def tangle(index: int) -> list[int]:
    """Each milestone comes after three others, near and far: no tree, and no pattern."""
    return sorted({before for before in (index - 1, index - 3, index // 2) if 0 <= before < index})


def independent(index: int) -> list[int]:
    """No milestone comes after any other."""
    del index
    return []


SHAPES: dict[str, After] = {
    "chain": chain,
    "joins": joins,
    "leaves": leaves,
    "tangle": tangle,
    "independent": independent,
}

CASES = (
    Case("chain", 6, 30),
    Case("chain", 4, 100),
    Case("leaves", 4, 100),
    Case("chain", 8, 30),
    Case("chain", 6, 60),
    Case("leaves", 6, 30),
    Case("chain", 10, 100, 50),
    Case("joins", 10, 100, 50),
    Case("independent", 10, 100, 50),
    Case("chain", 30, 1000, 1000),
    Case("joins", 30, 1000, 1000),
    Case("leaves", 30, 1000, 1000),
    Case("tangle", 30, 1000, 1000),
    Case("independent", 300, 100, 1000),
    Case("leaves", 300, 100, 1000),
    Case("chain", 30, 100, 1000, 0.8),
    Case("leaves", 30, 100, 1000, 0.8),
    Case("joins", 30, 100, 1000, 0.8),
    Case("tangle", 30, 100, 1000, 0.8),
    Case("chain", 50, 100, 1000, 1.0, since=True),
    Case("tangle", 30, 100, 1000, 1.0, since=True),
    Case("chain", 60, 200, 1000, 1.0, since=True),
    Case("tangle", 60, 200, 1000, 1.0, since=True),
    Case("chain", 200, 200, 1000, 1.0),
)

ROWS = 3000
ORDERS: dict[str, float] = {"in order": 500, "shuffled": 1000, "shuffled, one wrong": 1500}
"""The most milliseconds that a set of rows may take."""
CHARACTERS = 20_000
TEXTS = {
    "words": "one two three four fifty hundred thousand ",
    "articles": "a ",
    "digits": "1234567890 ",
    "numbers": "1,2 ",
    "times": "at 5 to ten ",
    "blanks": " ",
    "prose": "Your alarm is set for half past five on Friday, March 3; I told Ada, see you there. ",
}
TEXT_LIMIT = 400.0
"""The most milliseconds that a text may take."""


class Sentences:
    """Sentences of twelve words, from a vocabulary that no other run uses."""

    def __init__(self, case: Case, run: int) -> None:
        self.source = random.Random(f"{case} {run}")  # noqa: S311  # texts, not secrets
        letters = "abcdefghijklmnopqrstuvwxyz"
        self.words = [
            "".join(self.source.choices(letters, k=self.source.randint(3, 9))) for _ in range(WORDS)
        ]

    def one(self) -> str:
        """Return a sentence."""
        return " ".join(self.source.choices(self.words, k=12))


def asked(case: Case, index: int, sentences: Sentences) -> dict[str, Any]:
    """Return what a milestone asks for."""
    if not case.since:
        return {"says": sentences.one()}
    row = {"name": {"rouge_l": f"Contact {index * 3}"}}
    first = next((f"m{before}" for before in SHAPES[case.shape](index)), START)
    return {"state": {"contact": {"updated": [row], "since": first}}}


def scenario(case: Case, sentences: Sentences) -> Scenario:
    """Return a scenario with the milestones of a case."""
    after = SHAPES[case.shape]
    milestones: dict[str, Any] = {
        f"m{index}": {
            **asked(case, index, sentences),
            "after": [f"m{before}" for before in after(index)],
        }
        for index in range(case.milestones)
    }
    document = {"world": "phone", "user": {"opening": "Hello."}, "milestones": milestones}
    mistakes = Mistakes(Places())
    read = read_scenario("benchmark", document, mistakes, InFile({}, Path()))
    assert read is not None, mistakes.entries
    return read


def trajectory(case: Case, start: Scenario, sentences: Sentences) -> Trajectory:
    """Return a conversation in which the agent says one of fifty sentences again and again."""
    fifty = [sentences.one() for _ in range(50)]
    opening = Message(Role.USER, Role.AGENT, "Hello.", (Role.USER, Role.AGENT))
    said = [
        Message(Role.AGENT, Role.USER, text, (Role.AGENT, Role.USER))
        for text in sentences.source.choices(fifty, k=case.snapshots - 1)
    ]
    states = [start.start]
    for number in range(case.snapshots - 1):
        states.append(states[-1])
        if sentences.source.random() < case.writes:
            contacts = states[-1]["contact"]
            row = contacts.rows[0].changed(name=f"Contact {number}")
            states[-1] = states[-1].with_table("contact", contacts.with_row(row))
    return Trajectory((opening, *said), tuple(states), start.start)


def measured(case: Case) -> float:
    """Return the median CPU time of a case in milliseconds."""
    times = []
    for run in range(RUNS):
        sentences = Sentences(case, run)
        given = scenario(case, sentences)
        played = trajectory(case, given, sentences)
        began = time.process_time()
        evaluate(given, played)
        times.append((time.process_time() - began) * 1000)
    return statistics.median(times)


def rows_measured(order: str) -> float:
    """Return the CPU time of comparing rows with as many expected ones, in milliseconds."""
    names = [f"Ann {number}" for number in range(ROWS)]
    targets = [Target({"name": [read(n)], "note": [read({"rouge_l": f"of {n}"})]}) for n in names]
    rows = [Row({"name": name, "note": f"of {name}"}) for name in names]
    if order != "in order":
        random.Random(1).shuffle(rows)  # noqa: S311  # an order, no secret
    if order.endswith("wrong"):
        rows[0] = rows[0].changed(name="Bob")
    began = time.process_time()
    compare_rows(targets, rows, all_rows=True)
    return (time.process_time() - began) * 1000


def text_measured(unit: str) -> float:
    """Return the CPU time of finding the quantities of a text, in milliseconds."""
    text = (unit * CHARACTERS)[:CHARACTERS]
    began = time.process_time()
    quantities_in(text)
    return (time.process_time() - began) * 1000


def is_within(name: str, took: float, limit: float) -> bool:
    """Print a line of the second table; return whether the limit is kept."""
    print(f"{name:<40}{took:>10.1f}{limit:>8g}", flush=True)
    return took <= limit


def exponent(snapshots: list[int], milliseconds: list[float]) -> float:
    """Return the slope of the times over the snapshots, both as logarithms."""
    return statistics.linear_regression(
        [math.log(count) for count in snapshots], [math.log(time) for time in milliseconds]
    ).slope


def main() -> int:
    """Print the table and return the exit status."""
    gc.set_threshold(20_000, *gc.get_threshold()[1:])  # as in a run of pytest
    for shape in SHAPES:  # imports
        measured(Case(shape, 6, 20))
    exceeded = 0
    print(
        f"{'graph':<12}{'milestones':>11}{'snapshots':>11}{'writes':>8}{'CPU ms':>10}{'limit':>8}"
    )
    for case in CASES:
        took = measured(case)
        exceeded += case.limit is not None and took > case.limit
        limit = f"{case.limit:g}" if case.limit else ""
        graph = f"{case.shape:<12}{case.milestones:>11}{case.snapshots:>11}{case.writes:>8g}"
        print(f"{graph}{took:>10.1f}{limit:>8}", flush=True)
    lengths = [250, 500, 1000, 2000, 4000]
    slope = exponent(lengths, [measured(Case("chain", 10, length)) for length in lengths])
    print(f"a chain of 10 grows with the snapshots to the power of {slope:.2f}")
    rows_measured("shuffled, one wrong")  # imports
    kept = [
        *(is_within(f"{ROWS} rows, {o}", rows_measured(o), most) for o, most in ORDERS.items()),
        *(
            is_within(f"a text of {CHARACTERS} characters, {name}", text_measured(unit), TEXT_LIMIT)
            for name, unit in TEXTS.items()
        ),
    ]
    return int(bool(exceeded) or slope > LARGEST_EXPONENT or not all(kept))


if __name__ == "__main__":
    sys.exit(main())

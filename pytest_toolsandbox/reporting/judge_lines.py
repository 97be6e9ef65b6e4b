"""What is said of the model that judged words, and where it disagreed with the rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from pytest_toolsandbox.evaluation.opinion import OPINIONS
from pytest_toolsandbox.records.record import Outcome, Summary
from pytest_toolsandbox.wording.phrases import counted

MOST: Final = 5
"""How many scenarios are named in a line."""


def judge_lines(records: Sequence[Summary]) -> list[str]:
    """Return how often a judge was asked and what it found; empty where there is none."""
    models = dict.fromkeys(record["judge"] for record in records if "judge" in record)
    if not models:
        return []
    asked = [record for record in records if "opinion" in record]
    verdicts = Counter(record["opinion"]["verdict"] for record in asked)
    found = ", ".join(f"{verdicts[one]} {one}" for one in OPINIONS)
    all_of = counted(len(records), "conversation")
    told = f"{', '.join(models)} judged {len(asked)} of {all_of}"
    return [f"judge: {told}: {found}", *_unjudged(records), *_overruled(asked)]


def _unjudged(records: Sequence[Summary]) -> Iterator[str]:
    """Yield in how many conversations no opinion came, and what gets one without the agent."""
    if lost := sum(record.get("unjudged", False) for record in records):
        remedy = "--sandbox-rejudge asks again, of what --sandbox-results has kept"
        yield f"judge: {counted(lost, 'conversation')} could not be judged; {remedy}"


def words_alone_lines(records: Sequence[Summary]) -> list[str]:
    """Return in how many conversations a judge would decide; empty where in none.

    Counterexamples say wrong words on purpose, and are not counted.
    """
    played = [one for one in records if one["agent"].partition(":")[0] != "counterexample"]
    failed = sum(one.get("words_alone", False) for one in played)
    told = f"words alone failed {failed} of {counted(len(played), 'conversation')}, by rules"
    remedy = "--sandbox-judge=MODEL has a model read them (docs/judge.md)"
    return [f"{told}: {remedy}"] if failed else []


def _overruled(asked: Sequence[Summary]) -> Iterator[str]:
    """Yield a line where conversations passed, and one where they failed, against the rules."""
    outcomes: tuple[Outcome, ...] = ("passed", "failed")
    for outcome in outcomes:
        others = Counter(
            record["id"].rpartition("::")[2]
            for record in asked
            if record["outcome"] == outcome != record["opinion"]["by_rules"]
        )
        if others:
            named = [f"{one} ({n}\u00d7)" if n > 1 else one for one, n in others.items()]
            more = [f"and {len(named) - MOST} more"] if len(named) > MOST else []
            names = ", ".join([*named[:MOST], *more])
            yield f"judge: {others.total()} {outcome} against the rules: {names}"

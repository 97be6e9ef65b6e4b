"""What the summary says of the judge of words, and of words that nobody read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from pytest_toolsandbox.evaluation.opinion import OPINIONS
from pytest_toolsandbox.evaluation.words import UNREAD
from pytest_toolsandbox.models.aliases import NO_JUDGE
from pytest_toolsandbox.records.record import Summary
from pytest_toolsandbox.records.verdict import by_item, verdict
from pytest_toolsandbox.wording.phrases import counted, one_line

MOST: Final = 5
"""How many criteria are named."""


def judge_lines(records: Sequence[Summary]) -> list[str]:
    """Return how often a judge was asked and what it found; empty where there is none."""
    models = dict.fromkeys(record["judge"] for record in records if "judge" in record)
    models.pop(NO_JUDGE, None)
    if not models:
        return [*_unjudged(records)]
    asked = [record for record in records if "opinion" in record]
    verdicts = Counter(record["opinion"]["verdict"] for record in asked)
    found = ", ".join(f"{verdicts[one]} {one}" for one in OPINIONS)
    all_of = counted(len(records), "conversation")
    told = f"{', '.join(models)} judged {len(asked)} of {all_of}"
    return [f"judge: {told}: {found}", *_unjudged(records), *_unmet_criteria(asked)]


def _unmet_criteria(asked: Sequence[Summary]) -> Iterator[str]:
    """Yield a line for each criterion that was not met, with how often it was not."""
    found = [one for record in asked for one in record["opinion"].get("criteria", ())]
    checked = Counter(one["criterion"] for one in found)
    unmet = Counter(one["criterion"] for one in found if not one["met"])
    for criterion, count in unmet.most_common(MOST):
        yield f"judge: not met in {count} of {checked[criterion]}: {one_line(criterion)}"


def _unjudged(records: Sequence[Summary]) -> Iterator[str]:
    """Yield in how many conversations no opinion came, and what gets one without the agent."""
    if lost := sum(record.get("unjudged", False) for record in records):
        remedy = "--sandbox-rejudge asks again, of what --sandbox-results has kept"
        yield f"judge: {counted(lost, 'conversation')} could not be judged; {remedy}"


def words_lines(records: Sequence[Summary]) -> list[str]:
    """Return how many passed items no judge has read; empty if there are none."""
    items = [trials for trials in by_item(records) if verdict(trials) == "passed"]
    unread = [one for one in items if any(trial.get("words") in UNREAD for trial in one)]
    if not unread:
        return []
    were = "was" if len(unread) == 1 else "were"
    told = f"words: {len(unread)} of {counted(len(items), 'passed item')} {were} not read"
    return [f"{told}; --sandbox-judge=MODEL reads them (docs/judge.md)"]

"""The page of an item that did not pass: the verdict first, then its cause."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from pytest_toolsandbox.language.protocol import find_protocol
from pytest_toolsandbox.output.usage_table import usage_words
from pytest_toolsandbox.records.record import ConversationRecord, read_record
from pytest_toolsandbox.records.trials import planned_trials
from pytest_toolsandbox.runs.resuming import Told
from pytest_toolsandbox.text.formatting import pluralize

from .parting import parting_lines
from .transcript import section, transcript


def trials_page(trials: Sequence[Told]) -> str:
    """Return the page of an item, errors first, passed trials last; the same page stands once."""
    order = ("error", "inconclusive", "failed", "passed")
    pages = {
        trial.number: _page(trial)
        for trial in sorted(trials, key=lambda one: order.index(one.outcome))
    }
    used = section("used", (f"  {line}" for line in usage_words([one.summary for one in trials])))
    if len(trials) == 1:
        return "\n".join([next(iter(pages.values())), *used])
    numbers: dict[str, list[int]] = {}
    for number, text in pages.items():
        numbers.setdefault(text, []).append(number)
    counts = Counter[str](trial.outcome for trial in trials)
    said = {
        "error": "could not be scored",
        "inconclusive": "were inconclusive",
        "failed": "failed",
    }
    head = [f"{counts[o]} of {len(trials)} trials {s}" for o, s in said.items() if counts[o]]
    head += _rule(trials)
    parts = [
        f"trial{'s' * (len(same) > 1)} {', '.join(map(str, same))}: {text}"
        for text, same in numbers.items()
    ]
    parting = "\n".join(parting_lines(trials))
    page = "\n\n".join([*parts, *([parting] if parting else [])])
    return "\n".join([f"{', '.join(head)}; {page}", *used])


def undecided_page(trials: Sequence[Told]) -> str:
    """Return the page of an item whose stored trials are too few for a verdict."""
    planned, needed = planned_trials([trial.summary for trial in trials])
    passed = [trial.outcome for trial in trials].count("passed")
    told = (
        f"{passed} of {pluralize(len(trials), 'stored trial')} passed, {needed} of {planned} must"
    )
    return f"undecided: {told}; --sandbox-resume plays the others\n\n{trials_page(trials)}"


def _rule(trials: Sequence[Told]) -> list[str]:
    """Return how many trials must pass, where it is not all of those that were played."""
    plan = trials[0].of_trials
    if plan is None or plan["planned"] == plan["needed"] == len(trials):
        return []
    return [f"{plan['needed']} of {plan['planned']} must pass"]


def _page(trial: Told) -> str:
    if trial.outcome == "passed":
        return "passed"
    if trial.reason is not None:
        return error_page(trial.reason, read_record(trial.record))
    return failure_page(trial.record)


def failure_page(values: Mapping[str, Any]) -> str:
    """Return the page of a conversation that failed, as its protocol has it."""
    page: str = find_protocol(values["protocol"]).page(read_record(values))
    others = (f"  {name} {count}" for name, count in values.get("other_calls", {}).items())
    return "\n".join([page, *section("calls of tools that are not the scenario's", others)])


def error_page(reason: str, record: ConversationRecord) -> str:
    """Return the page of a conversation that could not be finished, if it had begun."""
    differs = ["", *record.get("unrecorded", ())] if "unrecorded" in record else []
    lines = list(transcript(record))
    so_far = ["", "conversation so far", *lines] if lines else []
    return "\n".join([reason, *differs, *so_far])

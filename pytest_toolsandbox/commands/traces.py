"""``toolsandbox import chat``: conversations of other programs as records for scenarios."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from pytest_toolsandbox.authoring.traces.assigning import Item, assigned
from pytest_toolsandbox.authoring.traces.reading import read_traces
from pytest_toolsandbox.authoring.traces.replaying import Replayed, replayed
from pytest_toolsandbox.authoring.traces.trace import Problem, Trace, TraceError, TraceUsage
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.models.usage import Usage
from pytest_toolsandbox.records.imported import ImportedRecord, difference_words
from pytest_toolsandbox.records.parts import AgentRecord, UserRecord
from pytest_toolsandbox.records.writing import Trial, as_line
from pytest_toolsandbox.suites import bundled_id
from pytest_toolsandbox.text.formatting import pluralize
from pytest_toolsandbox.text.redaction import redacted
from pytest_toolsandbox.text.shells import join_command

from .parsing import CommandError
from .record_files import check_output, write_output
from .scenarios import Project, find_scenarios

IMPORTED: Final = "imported"
"""The name of agent and user in the records."""
_UNJUDGED: Final = "imported, and not judged yet; --sandbox-rejudge judges it"


def import_chat(
    file: Path, paths: Sequence[Path], scenario: str | None, out: Path | None, project: Project
) -> int:
    """Write a record for each conversation in ``file``, and print what is not among them and why.

    Returns 1 if a conversation cannot be read, or belongs to no scenario.
    """
    out = out or file.with_suffix(".records.jsonl")
    check_output(out, [file])
    read = read_traces(file)
    places = [*paths] or [Path()]
    collected = find_scenarios(places, project.scenario_files)
    items = [Item(_identifier(path, s, project.root), s) for path, s in collected.scenarios]
    if not items:
        raise CommandError("without scenarios, nothing can be judged; name their files or folders")
    trials, problems = [], [*read.problems]
    numbers = Counter[str]()
    for trace in read.traces:
        try:
            item = assigned(trace, items, scenario)
            conversation = replayed(trace, item.scenario)
        except TraceError as error:
            problems.append(Problem(trace.place, str(error)))
            continue
        numbers[item.identifier] += 1
        trials.append(_trial(trace, item, numbers[item.identifier], conversation))
    if trials:
        write_output(out, (f"{as_line(trial.record)}\n" for trial in trials))
    print(*map(redacted, _report(trials, problems, out, paths)), sep="\n")
    return 1 if problems or collected.unread else 0


def _identifier(file: Path, scenario: Scenario, root: Path) -> str:
    """Return the id that pytest gives the item of a scenario."""
    path = file.resolve()
    shown = bundled_id(path) or Path(os.path.relpath(path, root)).as_posix()
    return f"{shown}::{scenario.name}"


def _trial(trace: Trace, item: Item, number: int, conversation: Replayed) -> Trial:
    agent = AgentRecord(name=IMPORTED, type=None, parameter=None)
    if trace.model:
        agent["model"] = trace.model
    imported = ImportedRecord(source=trace.place, format=trace.form)
    if conversation.differences:
        imported["differences"] = [*conversation.differences]
    return Trial(
        item.identifier,
        number,
        agent,
        item.scenario,
        conversation.trajectory,
        reason=_UNJUDGED,
        user=UserRecord(name=IMPORTED, type=None),
        imported=imported,
        usage={"agent": _usage(trace, trace.usage)} if trace.usage else {},
        is_over=True,
    )


def _usage(trace: Trace, usage: TraceUsage) -> Usage:
    """Return the usage of a conversation; there was a request for each reply of the agent."""
    return Usage(
        requests=sum(message.speaker == "assistant" for message in trace.messages),
        input_tokens=_whole(usage.input_tokens),
        output_tokens=_whole(usage.output_tokens),
        cached_tokens=_whole(usage.cached_tokens),
        reasoning_tokens=None,
        cost=usage.cost,
    )


def _whole(figure: float | None) -> int | None:
    return None if figure is None else int(figure)


def _report(
    trials: Sequence[Trial], problems: Sequence[Problem], out: Path, paths: Sequence[Path]
) -> Iterator[str]:
    """Yield what was written, what differs in the world, and what was left out."""
    if trials:
        scenarios = pluralize(len({trial.identifier for trial in trials}), "scenario")
        yield f"{out}: {pluralize(len(trials), 'record')} of {scenarios}"
    differing = [trial for trial in trials if trial.imported and "differences" in trial.imported]
    for trial in differing:
        assert trial.imported is not None
        for difference in trial.imported["differences"]:
            words = difference_words(difference)
            yield f"{trial.imported['source']}: message {difference['message']}: {words}"
    if differing:
        count = pluralize(len(differing), "conversation")
        yield f"{count} of another world: its state is unknown from the first difference on"
    for problem in sorted(problems, key=lambda problem: problem.line):
        yield f"{problem.place}: {problem.text}"
    if problems:
        yield f"left out: {pluralize(len(problems), 'conversation')}"
    if trials:
        again = [str(path) for path in paths]
        yield f"next: {join_command(['pytest', *again, f'--sandbox-rejudge={out}'])}"
    else:
        yield f"{out} was not written: there is no record"

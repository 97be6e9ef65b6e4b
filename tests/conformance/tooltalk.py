"""Runs of ToolTalk's published code, held against the same calls made in replayed conversations.

``python -m tests.conformance.tooltalk --data DIR --runs FILE`` imports the conversations of ``DIR``
(``easy``, ``tooltalk``, ``databases``), replays every run of ``FILE`` in them, and prints a line
for each run and each total that differs, what is exempt and why, and how many of the rest agree.

A run's predictor does not react: in each turn of the assistant it makes the calls of the file, one
at a time, and then answers. What comes of each call, the marks, the metrics and the totals are
compared. Exempt are the runs of :data:`ODD`, which are played all the same. Of the other runs,
exempt calls (:data:`KINDS`) are only asked to fail, or not asked for their outcome at all, while
their marks count.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pytest_toolsandbox.agents.agent import ChatMessage
from pytest_toolsandbox.authoring.tooltalk_import import WORLD, DamagedFileError, scenario_text
from pytest_toolsandbox.builtin.office import office_world, world as office
from pytest_toolsandbox.builtin.office.database_files import DatabaseError
from pytest_toolsandbox.conversation.replay import replay
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import AgentTurn, Replay
from pytest_toolsandbox.protocols import read_file
from pytest_toolsandbox.scoring.tooltalk.evaluate_replay import evaluate_replay
from pytest_toolsandbox.worlds.world import register_world

from .tooltalk_calls import PYTHON, UNKNOWN, WORDS_OF_PYTHON
from .tooltalk_runs import TOKEN, Json, Judged, differences, differing

ODD = "odd_input"
"""The predictor whose arguments are of wrong types, which the published code executes."""

UNPARSED = "arguments that cannot be parsed, which the execution environment refuses"
PARTIAL = "calls of a turn after an error that left a part done there"
KINDS = (PYTHON, UNKNOWN, UNPARSED, PARTIAL)
"""Why the outcome of a call is exempt."""
COMPARED = {
    None: ("response", "error", "session"),
    PYTHON: ("failed", "response", "session"),
    UNKNOWN: ("failed", "response", "session"),
    UNPARSED: ("failed", "response"),
    PARTIAL: (),
}
"""Why the outcome of a call is exempt, if it is → what is compared of it nevertheless."""

LEFT_PARTS = {
    "ModifyEvent": re.compile(r"Start time|new_\w+_time must be|time data|second must be"),
    "UpdateAccountInformation": re.compile(r"The phone number is invalid"),
}
"""Tool → the errors before which it has done a part of what it should, there."""

WITHOUT_LIMIT = 1_000_000
"""Messages of a turn; the published code has no limit."""


@dataclass
class Predictor:
    """Makes the calls of a run, and answers at the end of each turn."""

    replies: Iterator[ChatMessage | str]

    def __call__(self, messages: list[ChatMessage], tools: list[Json]) -> ChatMessage | str:
        del messages, tools
        return next(self.replies)


def replay_runs(document: Json, data: Path) -> list[Judged]:
    """Play every run of a file in the conversations of a folder, and judge it.

    Raises :class:`DamagedFileError` or :class:`DatabaseError`.
    """
    world = register_world(office_world(data / "databases", WORLD))
    scenarios = {}
    for name, entry in document["conversations"].items():
        file = data / entry["file"]
        (scenario,) = read_file(
            scenario_text(file, entry["split"], world, read_file), file.stem, str(file)
        )
        scenarios[name] = replace(scenario, max_messages=WITHOUT_LIMIT)
    return [_judged(run, scenarios[run["conversation"]]) for run in document["runs"]]


def _judged(run: Json, scenario: Scenario) -> Judged:
    predictor = Predictor(_replies(run, scenario))
    evaluation = evaluate_replay(scenario, replay(scenario, predictor))
    places = [(place, i) for place, turn in _turns(scenario) for i in range(len(turn.calls))]
    return Judged(run, evaluation, places)


def _replies(run: Json, scenario: Scenario) -> Iterator[ChatMessage | str]:
    calls = {turn["position"]: turn["calls"] for turn in run["turns"]}
    for position, _ in _turns(scenario):
        for call in calls.get(position, ()):
            parameters = call["parameters"]
            arguments = "{" if parameters is None else json.dumps(parameters)
            function = {"name": call["api_name"], "arguments": arguments}
            yield {"role": "assistant", "tool_calls": [{"type": "function", "function": function}]}
        yield "Done."


def _turns(scenario: Scenario) -> Iterator[tuple[int, AgentTurn]]:
    """Yield the turns of the assistant with their places among all turns."""
    for position, turn in enumerate(scenario.task_as(Replay).turns):
        if isinstance(turn, AgentTurn):
            yield position, turn


def compared(document: Json, data: Path) -> dict[str, list[str]]:
    """Return run or total → in what it is not the published one.

    Raises :class:`DamagedFileError` or :class:`DatabaseError`.
    """
    judged = replay_runs(document, data)
    outcomes = (
        [*differing(_said_of(judged_run.run), _actual(judged_run))] for judged_run in judged
    )
    marks = differences(document, judged)
    return {name: [*next(outcomes, ()), *differing_marks] for name, differing_marks in marks}


def _said_of(run: Json) -> Json:
    """Return what the published code says came of a run's calls, under one name each."""
    published: Json = {}
    for index, (call, kind) in enumerate(_with_kinds(run)):
        published |= {
            f"calls[{index}].{name}": value for name, value in _outcome(call, kind).items()
        }
    return published


def _actual(judged: Judged) -> Json:
    """Return what came of them here."""
    predictions = judged.evaluation.predictions
    actual: Json = {}
    for index, (prediction, (_, kind)) in enumerate(
        zip(predictions, _with_kinds(judged.run), strict=False)
    ):
        call = prediction.call
        outcome = {
            "failed": call.error is not None,
            "response": call.result,
            "error": call.error,
            "session": call.session,
        }
        actual |= {f"calls[{index}].{name}": outcome[name] for name in COMPARED[kind]}
    return actual


def _outcome(call: Json, kind: str | None) -> Json:
    """Return what is compared of what came of a call there."""
    error, executed = call["exception"], call["executed_parameters"] or {}
    outcome = {
        "failed": error is not None,
        "response": call["response"],
        "error": None if error is None else " ".join(error.split()),
        "session": executed.get(TOKEN),
    }
    return {name: outcome[name] for name in COMPARED[kind]}


def _with_kinds(run: Json) -> Iterator[tuple[Json, str | None]]:
    """Yield each call of a run with why its outcome is exempt, if it is."""
    for turn in run["turns"]:
        part_done = False
        for call in turn["calls"]:
            yield call, PARTIAL if part_done else _kind(call)
            part_done = part_done or _leaves_a_part(call)


def _kind(call: Json) -> str | None:
    if call["api_name"] not in office.tools:
        return UNKNOWN
    if call["parameters"] is None:
        return UNPARSED
    return PYTHON if WORDS_OF_PYTHON.match(call["exception"] or "") else None


def _leaves_a_part(call: Json) -> bool:
    errors = LEFT_PARTS.get(call["api_name"])
    return errors is not None and errors.match(call["exception"] or "") is not None


def without_odd(document: Json) -> Json:
    """Return the part of a file that is compared."""
    return _of(document, lambda predictor: predictor != ODD)


def only_odd(document: Json) -> Json:
    """Return the part of a file that is exempt."""
    return _of(document, lambda predictor: predictor == ODD)


def _of(document: Json, wanted: Callable[[str], bool]) -> Json:
    runs = [run for run in document["runs"] if wanted(run["predictor"])]
    totals = {name: total for name, total in document["aggregate"].items() if wanted(name)}
    return {**document, "runs": runs, "aggregate": totals}


def _report(document: Json, data: Path) -> int:
    judged = without_odd(document)
    lines_by_name, odd = compared(judged, data), compared(only_odd(document), data)
    for name, lines in lines_by_name.items():
        if lines:
            sys.stdout.write(f"{name}: {'; '.join(lines)}\n")
    kinds = Counter(kind for run in judged["runs"] for _, kind in _with_kinds(run))
    for kind in KINDS:
        sys.stdout.write(f"outcomes exempt {kinds[kind]:3}: {kind}\n")
    same = sum(not lines for lines in odd.values())
    sys.stdout.write(f"exempt {len(odd)}: {ODD}, of wrong types; {same} of them agree\n")
    agreeing = sum(not lines for lines in lines_by_name.values())
    sys.stdout.write(f"agree {agreeing} of {len(lines_by_name)}\n")
    return 0 if agreeing == len(lines_by_name) else 1


def main(arguments: Sequence[str]) -> int:
    """Replay every run of a file; 0 if all that are not exempt agree."""
    parser = argparse.ArgumentParser("python -m tests.conformance.tooltalk")
    parser.add_argument("--data", type=Path, metavar="DIR", required=True)
    parser.add_argument("--runs", type=Path, metavar="FILE", required=True)
    options = parser.parse_args(arguments)
    document = json.loads(options.runs.read_text(encoding="utf-8"))
    try:
        return _report(document, options.data)
    except (DamagedFileError, DatabaseError) as error:
        sys.stderr.write(f"{error}\n")
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

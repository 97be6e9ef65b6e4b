"""Runs of ToolTalk's published code, held against this project's judgement of the same calls.

``python -m tests.conformance.tooltalk_runs FILE --data DIR`` prints a line for each run and each
total that differs, and how many agree. ``FILE`` has the runs: the calls that a predictor made, what
came of them, and what the published code says of them. ``DIR`` has the conversations, in the
folders that the file names (``easy``). Nothing is executed.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pytest_toolsandbox.builtin.office import world
from pytest_toolsandbox.scoring.tooltalk.evaluate_calls import (
    CallCounts,
    CallErrors,
    CallEvaluation,
    evaluate_calls,
    share,
)
from pytest_toolsandbox.scoring.tooltalk.rules import Call, CallProtocol

Json = dict[str, Any]

AS_PUBLISHED = CallProtocol("published_code", receiver_compared=False)
TOKEN = "session_token"
OF_NOTHING = {"precision": 0.0, "action_precision": 1.0, "bad_action_rate": 0.0}
"""What the published code says of a conversation without calls, or actions; here it is ``None``."""
NOT_FIGURES = {"similarity_dependent_conversations", "error_types"}
"""What the file says of its own cases, and what is compared figure by figure."""
TOLERANCE = 1e-9


@dataclass(frozen=True)
class Judged:
    """A run, and what is said of it here; ``places`` are those of the ground truth in the file."""

    run: Json
    evaluation: CallEvaluation
    places: Sequence[tuple[int, int]]


def judge_runs(document: Json, data: Path, protocol: CallProtocol = AS_PUBLISHED) -> list[Judged]:
    """Judge every run of a file."""
    truths = {
        name: dict(_truths_in(json.loads((data / entry["file"]).read_text(encoding="utf-8"))))
        for name, entry in document["conversations"].items()
    }
    return [_judged(run, truths[run["conversation"]], protocol) for run in document["runs"]]


def _judged(run: Json, truths: Mapping[tuple[int, int], Call], protocol: CallProtocol) -> Judged:
    evaluation = evaluate_calls(
        list(_predicted_calls(run)), list(truths.values()), world.tools, protocol
    )
    return Judged(run, evaluation, list(truths))


def _truths_in(conversation: Json) -> Iterator[tuple[tuple[int, int], Call]]:
    """Yield the recorded calls of a conversation: their place in the file, and what they are."""
    for position, turn in enumerate(conversation["conversation"]):
        for index, call in enumerate(turn.get("apis", ())):
            request = call["request"]
            name, arguments = request["api_name"], request["parameters"]
            yield (position, index), _call(name, arguments, call, position)


def _predicted_calls(run: Json) -> Iterator[Call]:
    for turn in run["turns"]:
        for call in turn["calls"]:
            yield _call(call["api_name"], call["executed_parameters"], call, turn["position"])


def _call(name: str, arguments: Json | None, outcome: Json, turn: int) -> Call:
    parameters = None if arguments is None else {k: v for k, v in arguments.items() if k != TOKEN}
    session = None if arguments is None else arguments.get(TOKEN)
    return Call(name, parameters, outcome["response"], outcome["exception"], session, turn)


def differences(document: Json, judged: Sequence[Judged]) -> Iterator[tuple[str, list[str]]]:
    """Yield the name of every run and every total, and in what it is not the published one."""
    for judged_run in judged:
        name = f"{judged_run.run['predictor']} {judged_run.run['conversation']}"
        yield name, [*differing(_said_of(judged_run.run), _actual(judged_run))]
    for predictor, splits in document["aggregate"].items():
        for split, expected in splits.items():
            evaluations = [
                judged_run.evaluation
                for judged_run in judged
                if (judged_run.run["predictor"], judged_run.run["split"]) == (predictor, split)
            ]
            actual = _found_in_total(CallTotals(evaluations))
            yield f"{predictor}, all of {split}", [*differing(_total(expected), actual)]


def _said_of(run: Json) -> Json:
    """Return what the published code says of a run, under one name each."""
    marks = {
        f"calls[{index}].{name}": call[name]
        for index, call in enumerate(call for turn in run["turns"] for call in turn["calls"])
        for name in ("match", "bad_action", "matched_ground_truth")
    }
    return {**marks, "ground_truth_match": run["ground_truth_match"], **run["metrics"]}


def _actual(judged: Judged) -> Json:
    evaluation = judged.evaluation
    actual: Json = {}
    for index, call in enumerate(evaluation.predictions):
        place = None if call.match is None else list(judged.places[call.match])
        actual[f"calls[{index}].match"] = call.matched
        actual[f"calls[{index}].bad_action"] = call.bad_action
        actual[f"calls[{index}].matched_ground_truth"] = place
    figures = _figures(evaluation.counts)
    return {
        **actual,
        "ground_truth_match": [truth.matched for truth in evaluation.ground_truths],
        **{
            name: OF_NOTHING[name] if figure is None else figure for name, figure in figures.items()
        },
        "success": evaluation.passed,
        "soft_success": evaluation.soft_success,
    }


def _total(expected: Json) -> Json:
    figures = {name: figure for name, figure in expected.items() if name not in NOT_FIGURES}
    return {**figures, **expected["error_types"]}


@dataclass(frozen=True)
class CallTotals:
    """The figures of several conversations, whose counts are added up before they are divided."""

    evaluations: Sequence[CallEvaluation]

    @property
    def successes(self) -> int:
        """How many conversations succeeded."""
        return sum(evaluation.passed for evaluation in self.evaluations)

    @property
    def success_rate(self) -> float | None:
        """The share of the conversations that succeeded."""
        return share(self.successes, len(self.evaluations))

    @property
    def counts(self) -> CallCounts:
        """The counts of all conversations."""
        return sum((evaluation.counts for evaluation in self.evaluations), CallCounts())


def _found_in_total(totals: CallTotals) -> Json:
    errors = sum((evaluation.errors for evaluation in totals.evaluations), CallErrors())
    soft = [
        evaluation.soft_success
        for evaluation in totals.evaluations
        if evaluation.soft_success is not None
    ]
    return {
        "num_conversations": len(totals.evaluations),
        "successes": totals.successes,
        "success_rate": totals.success_rate,
        "mean_soft_success": math.fsum(soft) / len(soft) if soft else None,
        **_figures(totals.counts),
        "over-trigger": errors.over_trigger,
        "bad planning": errors.bad_planning,
        "bad call": errors.bad_call,
    }


def _figures(counts: CallCounts) -> Json:
    return {
        **asdict(counts),
        "precision": counts.precision,
        "recall": counts.recall,
        "action_precision": counts.action_precision,
        "bad_action_rate": counts.bad_action_rate,
    }


def differing(expected: Json, actual: Json) -> Iterator[str]:
    """Yield every name whose value is not the expected one; nothing else may be there either."""
    for name in {**expected, **actual}:
        expected_value, other = expected.get(name, "nothing"), actual.get(name, "nothing")
        if not _same(expected_value, other):
            yield f"{name}: expected {expected_value}, found {other}"


def _same(value: Any, other: Any) -> bool:
    if isinstance(value, float) and isinstance(other, float):
        return math.isclose(value, other, abs_tol=TOLERANCE)
    return bool(value == other)


def main(arguments: Sequence[str]) -> int:
    """Compare every run and every total of a file; 0 if all of them agree."""
    parser = argparse.ArgumentParser("python -m tests.conformance.tooltalk_runs")
    parser.add_argument("file", type=Path, metavar="FILE")
    parser.add_argument("--data", type=Path, metavar="DIR", required=True)
    options = parser.parse_args(arguments)
    document = json.loads(options.file.read_text(encoding="utf-8"))
    lines_by_name = dict(differences(document, judge_runs(document, options.data)))
    for name, differing in lines_by_name.items():
        if differing:
            sys.stdout.write(f"{name}: {'; '.join(differing)}\n")
    agreeing = sum(not differing for differing in lines_by_name.values())
    sys.stdout.write(f"agree {agreeing} of {len(lines_by_name)}\n")
    return 0 if agreeing == len(lines_by_name) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""The page of a recorded conversation in which the agent did not make the ground-truth calls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, starmap

from pytest_toolsandbox.evaluation.results import Difference
from pytest_toolsandbox.evaluation.tooltalk.call import Call
from pytest_toolsandbox.records.record import (
    CallsRecord,
    PredictionRecord,
    Rate,
    Record,
    TruthRecord,
)
from pytest_toolsandbox.reporting.tables import written
from pytest_toolsandbox.reporting.tooltalk_table import BY_WORDS, error_kinds_line

from .differences import score_text, value
from .findings import page_text, pattern_lines
from .transcript import call_as_code, section, shortened


def replay_page(record: Record) -> str:
    """Return the page: the score, then the rates, missed calls and incorrect actions."""
    page = _Page(record, record["calls"])
    end = ("", BY_WORDS) if record["calls"]["similarity"] == "token_f1" else ()
    return page_text(record, page.verdict(), page.parts(), page.findings(), end)


@dataclass(frozen=True)
class _Page:
    record: Record
    calls: CallsRecord

    def parts(self) -> Iterator[str]:
        yield from ("", self.figures())
        if errors := error_kinds_line(self.calls["errors"]):
            yield errors
        missed = [truth for truth in self.calls["truths"] if truth["prediction"] is None]
        yield from section("missed calls", chain(*map(self.missed, missed)))
        wrong_actions = [made for made in self.predictions if made[1]["bad_action"]]
        yield from section("incorrect actions", chain(*starmap(self.wrong, wrong_actions)))
        otherwise = ["a side effect"] if wrong_actions else ["a call out of place"]
        yield from pattern_lines(self.record, otherwise, missing=False)  # see the missed calls

    def verdict(self) -> str:
        counts = self.calls["counts"]
        made, wrong = counts["matches"], counts["bad_actions"]
        parts = []
        if made < counts["ground_truths"]:
            parts.append(f"{made} of {counts['ground_truths']} ground-truth calls made")
        if wrong:
            parts.append(f"{wrong} of {counts['actions']} actions incorrect")
        score = score_text(self.calls["soft_success"] or 0.0)
        return f"score {score} of 1: {'; '.join(parts)}"

    def figures(self) -> str:
        names: tuple[Rate, ...] = ("precision", "recall", "bad_action_rate")
        precision, recall, wrong = (written(self.calls["rates"][name], ".1%") for name in names)
        return f"precision {precision}, recall {recall}, incorrect action rate {wrong}"

    def missed(self, truth: TruthRecord) -> Iterator[str]:
        nearest = truth["nearest"]
        if nearest is None:
            yield f"  {tooltalk_call(truth['call'])}  no call of it"
            return
        answer = self.answers[nearest["prediction"]]
        yield f"  {tooltalk_call(truth['call'])}  nearest at [{answer}]"
        yield from _told(nearest["differences"])

    def wrong(self, index: int, prediction: PredictionRecord) -> Iterator[str]:
        what, nearest = f"  [{index}] {tooltalk_call(prediction['call'])}", prediction["nearest"]
        if nearest is None:
            yield f"{what}  no ground-truth call of it"
            return
        truth = self.calls["truths"][nearest["truth"]]
        if not nearest["differences"] and truth["prediction"] is not None:
            yield f"{what}  made at [{self.answers[truth['prediction']]}] as well"
            return
        yield f"{what}  nearest to {tooltalk_call(truth['call'])}"
        yield from _told(nearest["differences"])

    @property
    def answers(self) -> list[int]:
        """The indices of the messages that answered the predicted calls."""
        answers = (call["answer"] for call in self.record["tool_calls"])
        return [answer for answer in answers if answer is not None]

    @property
    def predictions(self) -> list[tuple[int, PredictionRecord]]:
        """The calls of the agent, each with the index of the message that answered it."""
        return list(zip(self.answers, self.calls["predictions"], strict=True))

    def findings(self) -> dict[int, list[str]]:
        found = {}
        for index, prediction in self.predictions:
            wrong = "an incorrect action" if prediction["bad_action"] else "no ground-truth call"
            found[index] = [wrong if prediction["truth"] is None else "a ground-truth call"]
        return found


def tooltalk_call(call: Call) -> str:
    """Write a call as Python would."""
    return f"{call.tool}(…)" if call.arguments is None else call_as_code(call.tool, call.arguments)


def _told(differences: Sequence[Difference]) -> Iterator[str]:
    for one in differences:
        note = f" ({one.note})" if one.note else ""
        expected, found = shortened(one.expected), shortened(value(one.found))
        yield f"      - {one.where}: expected {expected}, found {found}{note}"

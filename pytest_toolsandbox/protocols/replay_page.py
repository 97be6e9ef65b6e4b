"""The page of a recorded conversation: the ground-truth calls beside the agent's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import starmap

from pytest_toolsandbox.output.pages.shared_sections import (
    fault_text,
    is_faulted,
    opinion_sections,
    pattern_sections,
    reached_limits,
    with_findings,
    words_sections,
)
from pytest_toolsandbox.output.pages.view import (
    Compared,
    Entry,
    Kind,
    Note,
    PageView,
    Section,
    section_of,
    verdict_line,
)
from pytest_toolsandbox.output.pages.wording import (
    score_text,
    shortened,
    tooltalk_call,
    value_text,
)
from pytest_toolsandbox.output.tables import format_figure
from pytest_toolsandbox.output.tooltalk_table import BY_WORDS, error_kinds_line
from pytest_toolsandbox.records.parts import PredictionRecord, Rate, TruthRecord
from pytest_toolsandbox.records.record import Record
from pytest_toolsandbox.scoring.results import Difference


def replay_view(record: Record) -> PageView:
    """Return the score, the rates, missed calls and incorrect actions, and what each call is."""
    page = _Page(record)
    end = ("", BY_WORDS) if record["calls"]["similarity"] == "token_f1" else ()
    notes = with_findings(record, page.notes())
    return PageView(page.verdict(), tuple(page.sections()), notes, end)


class _Page:
    def __init__(self, record: Record) -> None:
        self.record = record
        self.calls = record["calls"]
        answers = [call["answer"] for call in record["tool_calls"]]
        # The indices of the messages that answered the predicted calls.
        self.answers = [answer for answer in answers if answer is not None]
        self.predictions = list(zip(self.answers, self.calls["predictions"], strict=True))

    def sections(self) -> Iterator[Section]:
        yield from words_sections(self.record)
        errors = error_kinds_line(self.calls["errors"])
        yield Section("\n".join(filter(None, (self.figures(), errors))))
        missed = [truth for truth in self.calls["truths"] if truth["prediction"] is None]
        yield from section_of("missed calls", map(self.missed, missed))
        wrong_actions = [made for made in self.predictions if made[1]["bad_action"]]
        yield from section_of("incorrect actions", starmap(self.wrong, wrong_actions))
        yield from opinion_sections(self.record)
        # The missing calls are those above.
        yield from pattern_sections(self.record, missing=False)

    def verdict(self) -> str:
        counts = self.calls["counts"]
        made, wrong = counts["matches"], counts["bad_actions"]
        parts = [limit.strip() for limit in reached_limits(self.record)]
        parts += [fault_text(self.record)] if is_faulted(self.record) else []
        if made < counts["ground_truths"]:
            parts.append(f"{made} of {counts['ground_truths']} ground-truth calls made")
        if wrong:
            parts.append(f"{wrong} of {counts['actions']} actions incorrect")
        score = score_text(self.calls["soft_success"] or 0.0)
        return verdict_line(parts, f"{score} of 1")

    def figures(self) -> str:
        names: tuple[Rate, ...] = ("precision", "recall", "bad_action_rate")
        precision, recall, wrong = (
            format_figure(self.calls["rates"][name], ".1%") for name in names
        )
        return f"precision {precision}, recall {recall}, incorrect action rate {wrong}"

    def missed(self, truth: TruthRecord) -> Entry:
        call, nearest = tooltalk_call(truth["call"]), truth["nearest"]
        if nearest is None:
            return Entry(f"{call}  no call of it", kind="missed")
        answer, rows = self.answers[nearest["prediction"]], _rows(nearest["differences"])
        return Entry(f"{call}  nearest at [{answer}]", rows, answer, kind="missed")

    def wrong(self, index: int, prediction: PredictionRecord) -> Entry:
        what, nearest = f"[{index}] {tooltalk_call(prediction['call'])}", prediction["nearest"]
        if nearest is None:
            return Entry(f"{what}  no ground-truth call of it", message=index, kind="changed")
        truth = self.calls["truths"][nearest["truth"]]
        if not nearest["differences"] and truth["prediction"] is not None:
            twice = f"{what}  made at [{self.answers[truth['prediction']]}] as well"
            return Entry(twice, message=index, kind="changed")
        rows = _rows(nearest["differences"])
        words = f"{what}  nearest to {tooltalk_call(truth['call'])}"
        return Entry(words, rows, index, kind="changed")

    def notes(self) -> dict[int, list[Note]]:
        notes = {}
        for index, prediction in self.predictions:
            wrong = "an incorrect action" if prediction["bad_action"] else "no ground-truth call"
            kind: Kind = "changed" if prediction["bad_action"] else "plain"
            is_true = prediction["truth"] is not None
            note = Note("a ground-truth call", "reached") if is_true else Note(wrong, kind)
            notes[index] = [note]
        return notes


def _rows(differences: Sequence[Difference]) -> tuple[Compared, ...]:
    rows = []
    for difference in differences:
        note = f" ({difference.note})" if difference.note else ""
        actual = f"{shortened(value_text(difference.found))}{note}"
        rows.append(Compared(difference.where, shortened(difference.expected), actual))
    return tuple(rows)

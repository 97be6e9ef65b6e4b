"""What is said of a query: the score, then the answer beside the expected one."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_toolsandbox.language.error_patterns import PATTERNS
from pytest_toolsandbox.records.record import QueryRecord, Record

from .differences import value
from .findings import pattern_sections, with_findings
from .opinion import (
    UNMET,
    faulted_words,
    has_unmet_criteria,
    is_faulted,
    opinion_sections,
    words_sections,
)
from .transcript import cut_off_lines, shortened
from .view import Compared, Entry, PageView, titled


def query_view(record: Record) -> PageView:
    """Return what is said of a query, answered as expected or not."""
    query = record["query"]
    otherwise = ["no answer" if query["answer"] is None else "a wrong answer"]
    if query["answered"] and has_unmet_criteria(record):
        otherwise = [UNMET]
    answer = (*words_sections(record), *titled("answer", _answer(query)))
    sections = (*answer, *opinion_sections(record), *pattern_sections(record, otherwise))
    end = tuple(cut_off_lines(record))
    return PageView(_verdict(record, query), sections, with_findings(record, {}), end)


def _answer(query: QueryRecord) -> Iterator[Entry]:
    for difference in query["differences"]:
        note = f"  ({shortened(difference.note)})" if difference.note else ""
        found = f"{shortened(value(query['answer']))}{note}"
        yield Entry("", (Compared("", shortened(difference.expected), found),), kind="missed")


def _verdict(record: Record, query: QueryRecord) -> str:
    if record["outcome"] == "passed":
        return f"score 1 of 1: answered {shortened(value(query['answer']))}"
    if is_faulted(record):
        text = faulted_words(record)
    elif query["answer"] is None:
        (limit,) = cut_off_lines(record)
        text = f"not answered: {limit.removeprefix('  cut off: ')}"
    elif not query["answered"]:
        text = f"wrong answer {shortened(value(query['answer']))}"
    else:
        forbidden = ", ".join(f"{name} ({PATTERNS[name].name})" for name in query["forbidden"])
        text = f"the answer is right, but there is a forbidden error pattern: {forbidden}"
    return f"score 0 of 1: {text}"

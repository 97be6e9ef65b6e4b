"""The page of a query that was not answered as expected."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_toolsandbox.language.error_patterns import PATTERNS
from pytest_toolsandbox.records.record import QueryRecord, Record

from .differences import value
from .findings import page_text, pattern_lines
from .transcript import cut_off_lines, section, shortened


def query_page(record: Record) -> str:
    """Return the page: the score, then the answer beside the expected one."""
    query = record["query"]
    otherwise = ["no answer" if query["answer"] is None else "a wrong answer"]
    parts = (*section("answer", _answer(query)), *pattern_lines(record, otherwise))
    return page_text(record, _verdict(record, query), parts, {}, cut_off_lines(record))


def _answer(query: QueryRecord) -> Iterator[str]:
    for difference in query["differences"]:
        yield f"  expected {shortened(difference.expected)}"
        note = f"  ({shortened(difference.note)})" if difference.note else ""
        yield f"  found    {shortened(value(query['answer']))}{note}"


def _verdict(record: Record, query: QueryRecord) -> str:
    if query["answer"] is None:
        (limit,) = cut_off_lines(record)
        text = f"not answered: {limit.removeprefix('  cut off: ')}"
    elif not query["answered"]:
        text = f"wrong answer {shortened(value(query['answer']))}"
    else:
        forbidden = ", ".join(f"{name} ({PATTERNS[name].name})" for name in query["forbidden"])
        text = f"the answer is right, but there is a forbidden error pattern: {forbidden}"
    return f"score 0 of 1: {text}"

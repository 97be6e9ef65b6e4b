"""The page of a query that was not answered as expected."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_toolsandbox.language.error_patterns import PATTERNS
from pytest_toolsandbox.records.record import QueryRecord, Record

from .differences import value
from .findings import pattern_lines, with_patterns
from .transcript import cut_off_lines, section, shortened, transcript


def query_page(record: Record) -> str:
    """Return the page, its verdict in the first line."""
    return "\n".join(_lines(record, record["query"]))


def _lines(record: Record, query: QueryRecord) -> Iterator[str]:
    yield f"score 0 of 1: {_verdict(record, query)}"
    if record["summary"]:
        yield from ("", shortened(record["summary"]))
    yield from section("answer", _answer(query))
    yield from pattern_lines(record)
    yield from ("", "conversation")
    yield from transcript(record, with_patterns({}, record))
    yield from cut_off_lines(record)


def _answer(query: QueryRecord) -> Iterator[str]:
    for difference in query["differences"]:
        yield f"  expected {shortened(difference['expected'])}"
        note = f"  ({shortened(difference['note'])})" if difference["note"] else ""
        yield f"  found    {shortened(value(query['answer']))}{note}"


def _verdict(record: Record, query: QueryRecord) -> str:
    if query["answer"] is None:
        (limit,) = cut_off_lines(record)
        return f"not answered: {limit.removeprefix('  cut off: ')}"
    if not query["answered"]:
        return f"wrong answer {shortened(value(query['answer']))}"
    forbidden = ", ".join(f"{name} ({PATTERNS[name].name})" for name in query["forbidden"])
    return f"the answer is right, but there is a forbidden error pattern: {forbidden}"

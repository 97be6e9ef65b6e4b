"""What models used in a run: requests, tokens, money and time, as a table and in words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from functools import partial
from typing import Any, get_args

from pytest_toolsandbox.models.usage import Usage, total
from pytest_toolsandbox.records.parts import AskerName
from pytest_toolsandbox.records.reading import usage_of_message
from pytest_toolsandbox.records.record import Summary
from pytest_toolsandbox.text.formatting import pluralize

from .tables import DIGITS, ReportColumn, ReportTable, aligned
from .totals import by_player, categories_in_order, grouped

_FIGURES = tuple(field.name for field in fields(Usage))
_ASKERS = get_args(AskerName)
_TIMES = ("latency", "waited", "timed")
"""The figures that are unknown if no request was timed."""
_UNKNOWN = "unknown"
"""Stands for a figure that a provider does not tell."""

Used = tuple[Summary, str]
"""A record, and who made the requests of it that are meant."""


def used_in(records: Iterable[Summary]) -> list[Used]:
    """Return who made requests in each record."""
    return [(record, asker) for record in records for asker in record.get("usage", {})]


def _total_usage(used: Iterable[Used]) -> Usage | None:
    """Return what some requests used; ``None`` without any."""
    usages = []
    for record, asker in used:
        usage: Any = record.get("usage", {}).get(asker)  # type: ignore[call-overload]  # any asker
        if usage is not None:
            usages.append(Usage(**{name: usage.get(name) for name in _FIGURES}))
    return total(usages) if usages else None


def _by_asker(records: Sequence[Summary]) -> Iterator[tuple[str, Usage]]:
    for asker in _ASKERS:
        if (usage := _total_usage((record, asker) for record in records)) is not None:
            yield asker, usage


def _figure(of: Callable[[Usage], float | None], used: Iterable[Used]) -> float | None:
    usage = _total_usage(used)
    return None if usage is None else of(usage)


def _column(
    heading: str | None, name: str, form: str, of: Callable[[Usage], float | None]
) -> ReportColumn[Used]:
    return ReportColumn(heading, partial(_figure, of), form, name)


USAGE_COLUMNS: Sequence[ReportColumn[Used]] = (
    _column("requests", "requests", "d", lambda usage: usage.requests),
    _column("again", "retries", "d", lambda usage: usage.retries),
    _column("tokens in", "input_tokens", "d", lambda usage: usage.input_tokens),
    _column("cached", "cached_tokens", "d", lambda usage: usage.cached_tokens),
    _column("out", "output_tokens", "d", lambda usage: usage.output_tokens),
    _column(None, "reasoning_tokens", "d", lambda usage: usage.reasoning_tokens),
    _column("US$", "cost", ".4f", lambda usage: usage.cost),
    _column("s each", "seconds_each", ".2f", lambda u: u.latency / u.timed if u.timed else None),
)
"""The columns of the table, which are properties of JUnit XML as well."""


def _usage_table(records: Sequence[Summary]) -> ReportTable[Used]:
    """Return a row for each category, one for each who made requests, and one of all."""
    used = used_in(records)

    def in_order(askers: Iterable[str]) -> list[str]:
        return sorted(askers, key=_ASKERS.index)

    return ReportTable(
        "used",
        USAGE_COLUMNS,
        used,
        grouped(used, lambda each: each[0]["categories"], categories_in_order),
        [grouped(used, lambda each: [each[1]], in_order), *by_player(used, lambda each: each[0])],
    )


def usage_lines(records: Sequence[Summary]) -> list[str]:
    """Return the table; empty if there were no requests, as with the oracle."""
    return aligned(_usage_table(records).rows())


def usage_properties(records: Sequence[Summary]) -> dict[str, object]:
    """Return the figures of categories, of who made requests, and of all."""
    return _usage_table(records).properties("toolsandbox.usage")


def item_usage_properties(records: Sequence[Summary]) -> dict[str, object]:
    """Return what all trials of an item used, by who made the requests."""
    properties: dict[str, object] = {}
    for asker, usage in _by_asker(records):
        for name in _FIGURES:
            value = getattr(usage, name)
            if value is not None and (usage.timed != 0 or name not in _TIMES):
                properties[f"{asker}.{name}"] = round(value, DIGITS)
    return properties


def usage_words(records: Sequence[Summary]) -> Iterator[str]:
    """Yield a line for each who made requests, without the times, which are never the same."""
    for asker, usage in _by_asker(records):
        yield f"{asker}: {words_of_usage(usage)}"


def message_words(usage_record: Mapping[str, Any]) -> str:
    """Return what the requests for a message used, wall time included."""
    usage = usage_of_message(usage_record)
    words = [*_words(usage)][usage.requests == 1 :]
    seconds = [f"{usage.latency:.1f} s"] if usage.latency else []
    return f"{usage_record['asker']}: {', '.join([*words, *seconds])}"


def words_of_usage(usage: Usage) -> str:
    """Return requests, tokens and cost in words, without the times."""
    return ", ".join(_words(usage))


def _words(usage: Usage) -> Iterator[str]:
    again = f" ({usage.retries} made again)" if usage.retries else ""
    yield f"{pluralize(usage.requests, 'request')}{again}"
    if usage.tokens is not None:
        cached = f" ({usage.cached_tokens} cached)" if usage.cached_tokens else ""
        thought = f" ({usage.reasoning_tokens} of reasoning)" if usage.reasoning_tokens else ""
        yield f"{usage.input_tokens} tokens in{cached}"
        yield f"{usage.output_tokens} out{thought}"
    else:
        yield "tokens unknown"
    yield "cost unknown" if usage.cost is None else f"${usage.cost:.4f}"


def spent_words(records: Sequence[Mapping[str, Any]]) -> tuple[str, str, str]:
    """Return tokens, cost in US dollars and seconds of all who asked a model, in words.

    They are empty if no model was asked, and ``unknown`` if a provider does not tell.
    """
    used = [usage for record in records for usage in record.get("usage", {}).values()]
    if not used:
        return "", "", ""
    tokens = (usage[name] for usage in used for name in ("input_tokens", "output_tokens"))
    costs = (usage["cost"] for usage in used)
    seconds = (None if usage.get("timed") == 0 else usage["latency"] for usage in used)
    return _format_sum(tokens, ".0f"), _format_sum(costs, ".4f"), _format_sum(seconds, ".1f")


def _format_sum(numbers: Iterable[float | None], form: str) -> str:
    known = sum_of_known(numbers)
    return _UNKNOWN if known is None else format(known, form)


def sum_of_known(numbers: Iterable[float | None]) -> float | None:
    """Return the sum of numbers; ``None`` if one of them is not known."""
    values = list(numbers)
    return None if None in values else sum(filter(None, values))

"""What a run used: requests, tokens, money and time, by category and by who made the requests.

What trials used of models, in words: tokens, cost and time.
"""

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
from .totals import categories_in_order, grouped, players

USAGE_PREFIX = "toolsandbox.usage"
_FIGURES = tuple(field.name for field in fields(Usage))
_ASKERS = get_args(AskerName)
_TIMES = ("latency", "waited", "timed")
"""What is unknown of requests of which no one was timed."""


def usage_of(records: Iterable[Summary], askers: Sequence[str] = _ASKERS) -> Usage | None:
    """Return what some conversations used, ``None`` where nothing is known of any request."""
    told = (one for record in records for one in _told(record, askers))
    figures: Any = [{name: one.get(name) for name in _FIGURES} for one in told]
    return total(Usage(**one) for one in figures) if figures else None


def _told(record: Summary, askers: Sequence[str]) -> Iterator[Mapping[str, Any]]:
    usage: Any = record.get("usage", {})
    yield from (usage[asker] for asker in askers if asker in usage)


Used = tuple[Summary, str]
"""A record, and whose requests of it are meant."""


def _figure(of: Callable[[Usage], float | None], used: Iterable[Used]) -> float | None:
    usages = (usage_of([record], [asker]) for record, asker in used)
    known = [usage for usage in usages if usage is not None]
    return of(total(known)) if known else None


def _seconds_each(usage: Usage) -> float | None:
    return usage.latency / usage.timed if usage.timed else None


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
    _column("s each", "seconds_each", ".2f", _seconds_each),
)
"""The columns of the table, which are properties of JUnit XML as well."""


def used_in(records: Iterable[Summary]) -> list[Used]:
    """Return who made requests in each record."""
    return [(record, asker) for record in records for asker in record.get("usage", {})]


def usage_table(records: Sequence[Summary]) -> ReportTable[Used]:
    """Return a row for each category, one for each who made requests, and one of all."""
    used = used_in(records)
    return ReportTable(
        "used",
        USAGE_COLUMNS,
        used,
        grouped(used, lambda one: one[0]["categories"], categories_in_order),
        [grouped(used, lambda one: [one[1]], _in_order), *players(used, lambda one: one[0])],
    )


def _in_order(askers: Iterable[str]) -> list[str]:
    found = set(askers)
    return [asker for asker in _ASKERS if asker in found]


def usage_lines(records: Sequence[Summary]) -> list[str]:
    """Return the table; empty where no request is known of, as with the oracle."""
    return aligned(usage_table(records).rows())


def usage_properties(records: Sequence[Summary]) -> dict[str, object]:
    """Return the figures of categories, of who made requests, and of all."""
    return usage_table(records).properties(USAGE_PREFIX)


def item_usage_properties(records: Sequence[Summary]) -> dict[str, object]:
    """Return what all trials of an item used, by who made the requests."""
    properties: dict[str, object] = {}
    for asker in _ASKERS:
        if (usage := usage_of(records, [asker])) is not None:
            names = [name for name in _FIGURES if usage.timed != 0 or name not in _TIMES]
            known = ((name, getattr(usage, name)) for name in names)
            rounded = {name: round(v, DIGITS) for name, v in known if v is not None}
            properties |= {f"{asker}.{name}": value for name, value in rounded.items()}
    return properties


def usage_words(records: Sequence[Summary]) -> Iterator[str]:
    """Yield a line for each who made requests, without the wall times, which are never the same."""
    for asker in _ASKERS:
        if (usage := usage_of(records, [asker])) is not None:
            yield f"{asker}: {', '.join(_words(usage))}"


def message_words(told: Mapping[str, Any]) -> str:
    """Return what the requests used that were made for a message, wall time included."""
    usage = usage_of_message(told)
    words = [*_words(usage)][usage.requests == 1 :]
    seconds = [f"{usage.latency:.1f} s"] if usage.latency else []
    return f"{told['asker']}: {', '.join([*words, *seconds])}"


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


UNKNOWN = "unknown"
"""What is said of a figure that a provider does not tell."""


def spent_words(records: Sequence[Mapping[str, Any]]) -> tuple[str, str, str]:
    """Return tokens, cost in US dollars and seconds of all who asked a model, in words.

    They are empty where nothing was asked of a model, ``unknown`` where it is not told.
    """
    used = [one for record in records for one in record.get("usage", {}).values()]
    if not used:
        return "", "", ""
    tokens = sum_of_known(one[name] for one in used for name in ("input_tokens", "output_tokens"))
    cost = sum_of_known(one["cost"] for one in used)
    seconds = sum_of_known(None if one.get("timed") == 0 else one["latency"] for one in used)
    return (
        UNKNOWN if tokens is None else f"{tokens:.0f}",
        UNKNOWN if cost is None else f"{cost:.4f}",
        UNKNOWN if seconds is None else f"{seconds:.1f}",
    )


def sum_of_known(numbers: Iterable[float | None]) -> float | None:
    """Return the sum of numbers; ``None`` where one of them is not known."""
    found = list(numbers)
    known = [one for one in found if one is not None]
    return sum(known) if len(known) == len(found) else None

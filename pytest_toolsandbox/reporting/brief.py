"""A run in 8 kB, for a coding agent or a person in a hurry: what fails, where, and how to see it.

It is Markdown: the verdict, then for each scenario that did not pass its place, the nearest miss
and one command that plays it again.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from pytest_toolsandbox.records.reading import without_agent
from pytest_toolsandbox.records.record import Summary
from pytest_toolsandbox.wording.phrases import counted, cut

from .pages.page import failure_page
from .totals import by_item

LIMIT: Final = 8000
"""Bytes of the whole."""
_TAIL: Final = 200
"""Bytes for what is left out."""
_LINES: Final = 10
_WIDTH: Final = 220
_CONVERSATION: Final = "conversation"


class Missed(NamedTuple):
    """An item that did not pass: its id, its ``place`` as file and line, and its first such record.

    A record is whole where the run kept it whole, else a summary.
    """

    id: str
    place: str
    record: Mapping[str, Any]


def brief(records: Iterable[Summary], missed: Sequence[Missed], told: Sequence[str]) -> str:
    """Return the brief of a run; ``told`` are the lines of its verdict or of other gates."""
    items = by_item(records)
    ids = {one.id for one in missed}
    passed = sum(trials[0]["id"] not in ids for trials in items)
    head = [
        f"# {passed} of {counted(len(items), 'scenario')} passed",
        "",
        *(["```text", *(cut(line, _WIDTH) for line in told[:30]), "```", ""] if told else []),
    ]
    text = _cut_bytes("\n".join(head), LIMIT // 2)
    for place, one in enumerate(missed):
        entry = _entry(one)
        if len((text + entry).encode()) > LIMIT - _TAIL:
            more = counted(len(missed) - place, "more scenario")
            return f"{text}\n{more} did not pass: pytest --lf plays them again\n"
        text += f"\n{entry}"
    return text


def _entry(one: Missed) -> str:
    lines = [cut(line, _WIDTH) for line in _why(one.record)[:_LINES]]
    agent = one.record["agent"]
    option = "" if agent in ("fixture", "unknown") else f" --agent={shlex.quote(agent)}"
    alone = without_agent(one.id, (one.record.get("agent_settings") or {}).get("label"))
    judge = one.record.get("judge")
    option += f" --sandbox-judge={shlex.quote(judge)}" if judge else ""
    again = f"    pytest {shlex.quote(alone)}{option}"
    return "\n".join([f"## {one.id}", f"at {one.place}", "```text", *lines, "```", again, ""])


def _why(record: Mapping[str, Any]) -> list[str]:
    if record["outcome"] != "failed" or "messages" not in record:
        return [record["reason"] or record["outcome"]]
    page = failure_page(record).splitlines()
    above = page[: page.index(_CONVERSATION)] if _CONVERSATION in page else page
    return [line for line in above if line.strip()]


def _cut_bytes(text: str, limit: int) -> str:
    return text.encode()[:limit].decode("utf-8", "ignore")

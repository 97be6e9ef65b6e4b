"""The fields of a record whose conversation another program wrote down, and what follows of them.

Its calls were executed again in the world of the scenario. Where a result differs, the world of the
conversation was another one, so its state from there on is unknown.
"""

from __future__ import annotations

from typing import Literal, NotRequired

from typing_extensions import TypedDict

from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.text.error_text import REASON_LIMIT
from pytest_toolsandbox.text.formatting import format_value, one_line

_SHOWN = 100
"""Characters of a result in a reason and in a note."""


class ReplayedCallRecord(TypedDict):
    """A call with another result in the world: that which was ``recorded``, and the ``replayed``.

    ``message`` is the index of the result, or of the call if no result was recorded.
    """

    message: int
    tool: str
    recorded: NotRequired[str]
    replayed: str


class ImportedRecord(TypedDict):
    """Where the conversation comes from: file and line, and the format there.

    ``differences`` has the calls whose results differ in the world; from the first of them on,
    its state is unknown.
    """

    source: str
    format: Literal["chat", "otlp", "atif"]
    differences: NotRequired[list[ReplayedCallRecord]]


def difference_words(difference: ReplayedCallRecord) -> str:
    """Return what the world answered to a call, and what was recorded, in one line."""
    recorded = difference.get("recorded")
    tool, replayed = difference["tool"], _shown(difference["replayed"])
    if recorded is None:
        return f"{tool} has no recorded result"
    return f"{tool} answered {_shown(recorded)}, and the world answers {replayed}"


def _shown(text: str) -> str:
    return one_line(format_value(text), _SHOWN)


def unknown_state_reason(imported: ImportedRecord | None, scenario: Scenario) -> str | None:
    """Return why a conversation cannot be judged by a scenario that looks at the state, if so."""
    differences = imported.get("differences") if imported else None
    if not differences or not scenario.task.looks_at_state:
        return None
    first = differences[0]
    text = f"the state is unknown from message {first['message']} on: {difference_words(first)}"
    return one_line(text, REASON_LIMIT)

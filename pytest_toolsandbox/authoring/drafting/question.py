"""Asks a model for drafts of scenarios as JSON, and finds the drafts in its reply."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, Final

from pytest_toolsandbox.models.chat_replies import assistant_message
from pytest_toolsandbox.models.model_agent import ProviderModel

from .assignments import Assignment

READ: Final = 200_000
"""Characters of a reply that are read."""
_BROKEN: Final = 500
"""Braces that begin no JSON before the rest is not read: each error costs time."""
_AVOIDED: Final = 40
"""Openings that are shown, so that they are not drafted again; the last ones."""

INSTRUCTIONS: Final = """\
You write tasks with which assistants are tested that act by calling tools. You are shown a \
simulated world: its tools, its tables and rows of them. A task is what a person in this world \
asks the assistant for, and what the person answers if the assistant asks back.

- Each task has one right result: certain rows are added, changed or removed, or the person is \
told a fact that only the tools can tell. All who do it well end with the same result. So say \
what is wanted exactly; give the words of a message if one is to be sent.
- The person speaks as people do, in one or two sentences, each person in another way. It never \
names tools, tables, columns or internal identifiers, and knows only what such a person knows.
- The task can be done with the tools. Everybody and everything in it is in the rows that you are \
shown, or in rows that you add under state.
- Dates and times fit the clock of the world.
- The tasks differ from each other, and from the openings that exist already. If a task cannot be \
as it should be, write another one that makes sense.

Reply with JSON alone, without any other words, in this form:

{"drafts": [{
  "name": "two or three words",
  "summary": "What is tested, in a sentence.",
  "opening": "What the person says first.",
  "goal": "What the person wants to have in the end.",
  "tools": ["the tools that a solution calls"],
  "replies": [{"about": ["words of a question", "other words"], "say": "What the person answers."}],
  "agrees": "The answer when the assistant asks whether to go ahead; it repeats what is wanted.",
  "state": {}
}]}

replies is for what the person knows and the opening does not say; each makes sense by itself, and \
it may be empty. state says how the start differs from the rows that you are shown; mostly it is \
empty. For a table that always has a single row it has the changed columns, as in \
{"settings": {"sound": false}}. For other tables it has rows with the columns that matter, as in \
{"people": {"added": [{"name": "Ada"}], "removed": [{"name": "Bob"}]}}.
"""


def ask_for_drafts(
    model: ProviderModel,
    world: str,
    assigned: Sequence[Assignment],
    openings: Sequence[str],
) -> str:
    """Return what a model replies when it is asked for a draft for each assignment.

    ``world`` describes it, ``openings`` are those that exist already. Raises ``ProviderError``.
    """
    wanted = [f"{number}. {each.text}" for number, each in enumerate(assigned, 1)]
    parts = [world]
    if openings:
        lines = [f"- {' '.join(opening.split())}" for opening in openings[-_AVOIDED:]]
        parts.append("\n".join(("# Openings that exist already", *lines)))
    parts.append("\n".join((f"# Write {len(assigned)} drafts, in this order", *wanted)))
    reply = model.ask(
        "completion",
        assistant_message,
        messages=[
            {"role": "system", "content": INSTRUCTIONS},
            {"role": "user", "content": "\n\n".join(parts)},
        ],
    )
    content = reply.get("content")
    return content if isinstance(content, str) else ""


def drafts_in(reply: str) -> list[dict[str, Any]]:
    """Return the drafts in a reply, whatever is around them; broken ones are left out.

    A draft is a JSON object with an ``opening``. So words before the JSON, a fence around it, a
    list without its key, and a reply that breaks off cost no other draft.
    """
    return [*_drafts(reply[:READ])]


def _drafts(text: str) -> Iterator[dict[str, Any]]:
    decoder, place, broken = json.JSONDecoder(), text.find("{"), 0
    while place >= 0 and broken < _BROKEN:
        try:
            value, end = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            end, broken = place + 1, broken + 1
        else:
            yield from _in_object(value)
        place = text.find("{", end)


def _in_object(value: dict[str, Any]) -> Iterator[dict[str, Any]]:
    listed = value.get("drafts")
    for draft in listed if isinstance(listed, list) else [value]:
        if isinstance(draft, dict) and "opening" in draft:
            yield draft

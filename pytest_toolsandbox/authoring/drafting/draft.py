"""A draft of a scenario: read from the JSON of a model, checked, and made a scenario to play."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pytest_toolsandbox.authoring.proposing.proposal import read_document
from pytest_toolsandbox.language.mistakes import ScenarioError
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.text.formatting import describe_value, pluralize, replace_surrogates
from pytest_toolsandbox.text.nearest_name import unknown
from pytest_toolsandbox.worlds.world import World

_LONGEST_NAME: Final = 60
_MOST_REPLIES: Final = 10
_ANY_ANSWER: Final = {"answered": {"says": {"regex": r"\S"}}}
"""What the scenario of a draft asks for: that the agent says something."""
_SPECIAL: Final = re.compile(r"([][\\.^$*+?{}|()])")
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class DraftError(ValueError):
    """A draft cannot be used; the text says why."""


@dataclass(frozen=True)
class Draft:
    """A task that a model wrote: its keys as a scenario has them, without what it asks for."""

    name: str
    opening: str
    document: Mapping[str, Any]
    scenario: Scenario


def read_draft(
    content: Mapping[str, Any], world: World, taken: Collection[str], *, with_script: bool = True
) -> Draft:
    """Return a draft of a world. Raises :class:`DraftError` if it does not fit the world.

    Its name differs from those that are ``taken``. ``with_script`` gives its user the answers of a
    script; otherwise they are facts that a simulated user knows.
    """
    opening = _text(content, "opening")
    name = _free_name(_text(content, "name", opening), taken)
    tools = content.get("tools") or []
    if not isinstance(tools, list):
        raise DraftError(f"tools: expected a list of names, found {describe_value(tools)}")
    for tool in tools:
        if tool not in [*world.agent_tools]:  # a list, since a value may be unhashable
            raise DraftError(unknown("tool", str(tool), world.agent_tools))
    document: dict[str, Any] = {"world": world.name}
    if summary := _text(content, "summary", ""):
        document = {"summary": summary, **document}
    if content.get("state"):
        document["state"] = _clean(content["state"])
    document["user"] = _user(content, opening, with_script=with_script)
    playable = {**document, "milestones": _ANY_ANSWER, "guardrails": "none"}
    try:
        return Draft(name, opening, document, read_document(playable, name))
    except ScenarioError as error:
        first, *further = error.mistakes
        more = f", and {pluralize(len(further), 'more mistake')}" if further else ""
        where = f"{first.field}: " if first.field else ""
        raise DraftError(f"{where}{first.text}{more}") from None


def _user(content: Mapping[str, Any], opening: str, *, with_script: bool) -> dict[str, Any]:
    user: dict[str, Any] = {"opening": opening}
    if goal := _text(content, "goal", ""):
        user["goal"] = goal
    replies = content.get("replies") or []
    if not isinstance(replies, list) or len(replies) > _MOST_REPLIES:
        raise DraftError(
            f"replies: expected a list of at most {_MOST_REPLIES}, found {describe_value(replies)}"
        )
    script = [_reply(reply) for reply in replies]
    agrees = _text(content, "agrees", "")
    if not with_script:
        known = [reply["say"] for reply in script]
        user |= {"knows": {f"fact_{n}": text for n, text in enumerate(known, 1)}} if known else {}
        return user
    user |= {"replies": script} if script else {}
    user |= {"agrees": agrees} if agrees else {}
    return user


def _reply(reply: Any) -> dict[str, Any]:
    """Return a reply of a scripted user, to questions with one of the words that it is about."""
    if isinstance(reply, str):
        reply = {"say": reply}
    if not isinstance(reply, dict):
        raise DraftError(f"replies: expected what the user says, found {describe_value(reply)}")
    say = _text(reply, "say")
    about = reply.get("about") or []
    about = [about] if isinstance(about, str) else about
    if not isinstance(about, list) or not all(isinstance(word, str) for word in about):
        raise DraftError(f"replies: expected words under about, found {describe_value(about)}")
    words = [_SPECIAL.sub(r"\\\1", word) for word in map(_one_line, about) if word]
    return {"when": rf"\b(?:{'|'.join(words)})[^?]*\?", "say": say} if words else {"say": say}


def _text(content: Mapping[str, Any], key: str, default: str | None = None) -> str:
    value = content.get(key)
    if value is None and default is not None:
        return default
    if value is None:
        raise DraftError(f"{key}: it is missing")
    if not isinstance(value, str):
        raise DraftError(f"{key}: expected a text, found {describe_value(value)}")
    text = _one_line(value)
    if not text and default is None:
        raise DraftError(f"{key}: it is empty")
    return text or default or ""


def _one_line(text: str) -> str:
    return " ".join(_clean(text).split())


def _clean(value: Any) -> Any:
    """Return a JSON value whose texts can be written: without half characters and controls."""
    if isinstance(value, str):
        return _CONTROL.sub("", replace_surrogates(value))
    if isinstance(value, dict):
        return {_clean(key): _clean(item) for key, item in value.items()}
    return [*map(_clean, value)] if isinstance(value, list) else value


def _free_name(text: str, taken: Collection[str]) -> str:
    """Return a name of words with underscores that is not taken."""
    words = re.findall(r"[a-z0-9]+", text.casefold())
    name = "_".join(words)[:_LONGEST_NAME].strip("_") or "draft"
    number, free = 2, name
    while free in taken:
        number, free = number + 1, f"{name}_{number}"
    return free

"""Reads which calls need the user's consent, and which messages of the user are one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Any, Final, Literal

import pydantic

from pytest_toolsandbox.language import models
from pytest_toolsandbox.language.consent import Agreement, ConsentRule
from pytest_toolsandbox.language.mistakes import Path
from pytest_toolsandbox.language.protocol import InWorld
from pytest_toolsandbox.language.tasks import UserScript
from pytest_toolsandbox.language.values import Expected
from pytest_toolsandbox.worlds.schemas import allowed_types
from pytest_toolsandbox.worlds.tool import Tool

from .call_patterns import callable_tools, read_patterns
from .events import ExpectedReader

_NONE: Final = "none"
_KEY: Final = "consent"
_Consents = Mapping[str, Literal["none"] | list[Any] | models.ConsentDocument]


def read_consent(
    written: Literal["none"] | _Consents, in_world: InWorld
) -> tuple[ConsentRule, ...]:
    """Return the rules of a scenario, and those of its world for tools that it does not name."""
    if written == _NONE or not isinstance(written, Mapping):
        return ()
    reader = ExpectedReader(*in_world.reader.context, thresholds=in_world.thresholds)
    rules = {**_of_world(reader), **written}
    read = (_rule(reader, tool, rule, (_KEY, tool)) for tool, rule in rules.items())
    return tuple(rule for rule in read if rule is not None)


def _of_world(reader: ExpectedReader) -> _Consents:
    """Return the rules of the world, and note invalid ones."""
    try:
        return _adapter().validate_python(dict(reader.world.consent), strict=True)
    except (pydantic.ValidationError, TypeError, ValueError):
        text = "expected tool → arguments that the user must be told, or a mapping with told"
        reader.mistakes.add(("world",), f"the consent of world {reader.world.name!r}: {text}")
        return {}


@cache
def _adapter() -> pydantic.TypeAdapter[dict[str, models.RawConsent]]:
    return pydantic.TypeAdapter(dict[str, models.RawConsent])


def _rule(
    reader: ExpectedReader,
    name: str,
    written: Literal["none"] | list[Any] | models.ConsentDocument,
    path: Path,
) -> ConsentRule | None:
    tools = reader.world.agent_tools
    if name not in tools:
        reader.mistakes.unknown(path, "tool", name, tools)
        return None
    if isinstance(written, str):
        return None
    document, place = written, (*path, "told")
    if isinstance(document, list):
        document, place = models.ConsentDocument(told=document), path
    tool = tools[name]
    names, facts = _required(reader, tool, document, place)
    when = reader.only_known(
        document.when, (*path, "when"), "argument", tool.parameters, f"of {name}"
    )
    confirmed_by = document.confirmed_by
    return ConsentRule(
        name,
        names,
        facts,
        {key: reader.argument(document.when[key], (*path, "when", key), tool, key) for key in when},
        dict(_said_as(reader, tool, document, (*path, "said_as"))),
        ()
        if confirmed_by is None
        else read_patterns(
            reader,
            confirmed_by,
            (*path, "confirmed_by"),
            callable_tools(reader.world, "user"),
            invented=False,
        ),
    )


def _required(
    reader: ExpectedReader, tool: Tool, document: models.ConsentDocument, path: Path
) -> tuple[tuple[str, ...], tuple[Expected, ...]]:
    """Return the arguments whose values must be told, and what else must be."""
    names: list[str] = []
    facts: list[Expected] = []
    for index, item in enumerate(document.told):
        place = (*path, index)
        if not isinstance(item, str):
            fact = reader.message_content(item, place)
            if not reader.mistakes.entries and not fact.has_facts:
                text = "only a judge can read this; use a matcher of exact facts, such as mentions"
                reader.mistakes.add(place, text)
            facts.append(fact)
        elif item not in tool.parameters:
            text = reader.mistakes.unknown_text(
                "argument", item, tool.parameters, f"of {tool.name}"
            )
            reader.mistakes.add(place, text)
        elif item not in document.said_as and _is_flag(tool, item):
            text = f"{item} is true or false; write how each is told under said_as"
            reader.mistakes.add(place, text)
        else:
            names.append(item)
    return tuple(dict.fromkeys(names)), tuple(facts)


def _is_flag(tool: Tool, name: str) -> bool:
    return set(allowed_types(tool.parameters[name].schema)) == {"boolean"}


def _said_as(
    reader: ExpectedReader, tool: Tool, document: models.ConsentDocument, path: Path
) -> Iterator[tuple[str, tuple[tuple[str, Expected], ...]]]:
    """Yield each argument with its values and how they are told."""
    written = document.said_as
    for name in reader.only_known(written, path, "argument", tool.parameters, f"of {tool.name}"):
        if name not in document.told:
            reader.mistakes.add((*path, name), f"list {name!r} under told, too", key=True)
        yield (
            name,
            tuple(
                (value, reader.message_content(text, (*path, name, value), matcher="mentions"))
                for value, text in written[name].items()
            ),
        )


def with_agreements(script: UserScript, user: models.UserDocument, in_world: InWorld) -> UserScript:
    """Return the script of a user with what the opening and the replies consent to."""
    reader = ExpectedReader(*in_world.reader.context, thresholds=in_world.thresholds)
    opening = user.opening if isinstance(user.opening, models.OpeningDocument) else None
    if opening and opening.consents is False:
        text = "expected true or calls, since nothing is agreed before the opening;"
        reader.mistakes.expected(("user", "opening", "consents"), text, opening.consents)
    replies = [
        replace(reply, consents=_agreement(reader, document.consents, ("user", "replies", index)))
        for index, (reply, document) in enumerate(zip(script.replies, user.replies, strict=False))
    ]
    consents = _agreement(reader, opening.consents, ("user", "opening")) if opening else None
    return replace(script, opening_consents=consents, replies=tuple(replies))


def _agreement(reader: ExpectedReader, written: Any, path: Path) -> Agreement | None:
    if written is None or isinstance(written, bool):
        return None if written is None else Agreement(withdraws=not written)
    tools = callable_tools(reader.world, "agent")
    calls = read_patterns(reader, written, (*path, "consents"), tools, invented=False)
    return Agreement(calls) if calls else None

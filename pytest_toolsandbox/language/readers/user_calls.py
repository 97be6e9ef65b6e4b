"""Reads the tools of a scenario's user, and the calls in the user's script."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from pytest_toolsandbox.language import models
from pytest_toolsandbox.language.mistakes import Path, not_given
from pytest_toolsandbox.language.protocol import InWorld
from pytest_toolsandbox.language.roles import ToolStep
from pytest_toolsandbox.language.tasks import ScriptedReply, UserScript
from pytest_toolsandbox.language.values import FromResult
from pytest_toolsandbox.worlds.tool import Tool

from .base_reader import Reader
from .steps import StepReader, read_call


def read_user_tools(model: models.ScenarioDocument, reader: Reader) -> tuple[str, ...]:
    """Return the tools of the user in order; all user tools of the world if none are listed."""
    known = reader.world.user_tools
    if model.user_tools is None:
        return tuple(known)
    reader.check_names(model.user_tools, ("user_tools",), "user tool", known)
    return tuple(name for name in model.user_tools if name in known)


def with_calls(
    script: UserScript, user: models.UserDocument, tools: tuple[str, ...], in_world: InWorld
) -> UserScript:
    """Return the script of a user with the calls that it makes before it says something.

    A reply may use the results of its own calls and of those before the opening.
    """
    reader = _UserStepReader(*in_world.reader.context, offered=tools, strict=True)
    opening_calls: tuple[ToolStep, ...] = ()
    if isinstance(user.opening, models.OpeningDocument):
        reader, opening_calls = reader.calls(user.opening.do, ("user", "opening", "do"))
    replies = []
    for index, (reply, document) in enumerate(zip(script.replies, user.replies, strict=False)):
        path = ("user", "replies", index)
        of_reply, calls = reader.calls(document.do, (*path, "do"))
        replies.append(_with_calls(reply, calls, of_reply, document, (*path, "say")))
    return replace(script, opening_calls=opening_calls, replies=tuple(replies))


def _with_calls(
    reply: ScriptedReply,
    calls: tuple[ToolStep, ...],
    reader: _UserStepReader,
    document: models.ReplyDocument,
    path: Path,
) -> ScriptedReply:
    if isinstance(document.say, str):
        return replace(reply, calls=calls)
    text = reader.literal(document.say, path)
    if not isinstance(text, FromResult):
        reader.mistakes.expected(path, "a text, or a mapping with from;", document.say)
        return reply
    return replace(reply, say=text, calls=calls)


@dataclass(frozen=True, kw_only=True)
class _UserStepReader(StepReader):
    """Reads the calls of a user."""

    beside: tuple[str, ...] = ()

    @property
    def named_by(self) -> str | None:
        """``call``."""
        return "call"

    @property
    def known(self) -> Mapping[str, Tool]:
        """The tools that users may have."""
        return self.world.user_tools

    def not_offered(self, tool: str) -> str:
        """Return the message for a tool that this user does not have."""
        return not_given(tool)

    def calls(self, written: list[Any], path: Path) -> tuple[_UserStepReader, tuple[ToolStep, ...]]:
        """Return the calls in a list, and a reader of what may use their results."""
        reader, calls = self, []
        for index, item in enumerate(written):
            call = reader.call(item, (*path, index))
            if call is not None:
                calls.append(call)
                reader = replace(reader, called=reader.called | {call.tool})
        return reader, tuple(calls)

    def call(self, written: Any, path: Path) -> ToolStep | None:
        """Return a call, which is the name of a tool, or maps it to its arguments."""
        named = {written: None} if isinstance(written, str) else written
        if not isinstance(named, dict) or len(named) != 1:
            self.mistakes.expected(path, "one tool of the user with its arguments;", written)
            return None
        ((name, arguments),) = named.items()
        if name in self.world.agent_tools:
            owner = f"{name} is a tool of the agent, which the user cannot call"
            self.mistakes.add((*path, name), owner, key=True)
            return None
        return read_call(self, name, arguments, (*path, name))

"""What is said: the simulated user's part, and lines of a conversation."""

from __future__ import annotations

from typing import Any

from pytest_toolsandbox.language import models
from pytest_toolsandbox.language.mistakes import Mistakes, Path
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.tasks import Line, ScriptedReply, UserScript
from pytest_toolsandbox.wording.phrases import listed
from pytest_toolsandbox.wording.regular_expression import RegularExpression

ROLES = {"user": Role.USER, "agent": Role.AGENT, "assistant": Role.AGENT, "system": Role.SYSTEM}


def read_user(user: models.UserDocument, mistakes: Mistakes) -> UserScript:
    """Return the simulated user."""
    path = ("user", "demonstration")
    for index, line in enumerate(user.demonstration):
        if isinstance(line, dict) and "visible_to" in line:
            text = "demonstrations are visible to the simulated user alone"
            mistakes.add((*path, index, "visible_to"), text, key=True)
    replies = [_reply(reply, index, mistakes) for index, reply in enumerate(user.replies)]
    return UserScript(
        user.opening,
        user.goal,
        user.knowledge_boundary,
        read_lines(user.demonstration, path, mistakes),
        tuple(replies),
        user.otherwise,
    )


def read_lines(lines: list[Any], path: Path, mistakes: Mistakes) -> tuple[Line, ...]:
    """Return lines, each written as ``{user: text}`` or ``{role: user, content: text}``."""
    read = (_line(line, (*path, index), mistakes) for index, line in enumerate(lines))
    return tuple(line for line in read if line)


def _reply(reply: models.ReplyDocument, index: int, mistakes: Mistakes) -> ScriptedReply:
    if reply.when is None:
        return ScriptedReply(reply.say)
    try:
        return ScriptedReply(reply.say, RegularExpression.read(reply.when, ignore_case=True))
    except ValueError as error:
        mistakes.add(("user", "replies", index, "when"), str(error))
        return ScriptedReply(reply.say)


def _line(line: Any, path: Path, mistakes: Mistakes) -> Line | None:
    spoken = _spoken(line) if isinstance(line, dict) else None
    if spoken is None:
        mistakes.expected(path, f"one of {', '.join(ROLES)} with what is said;", line)
        return None
    name, content, content_path = spoken
    if name not in [*ROLES]:  # it may be a list, which has no hash
        mistakes.expected((*path, "role"), f"{listed(list(ROLES))};", name)
        return None
    if not isinstance(content, str):
        mistakes.expected((*path, content_path), "text", content)
        return None
    visible = _visible(line["visible_to"], path, mistakes) if "visible_to" in line else None
    return Line(ROLES[name], content, visible)


def _spoken(line: dict[str, Any]) -> tuple[Any, Any, str] | None:
    """Return the role, what is said, and the key under which that stands."""
    keys = set(line) - {"visible_to"}
    if keys == {"role", "content"}:
        return line["role"], line["content"], "content"
    if len(keys) == 1 and keys <= set(ROLES):
        (role,) = keys
        return role, line[role], role
    return None


def _visible(visible: Any, path: Path, mistakes: Mistakes) -> tuple[Role, ...] | None:
    names = [visible] if isinstance(visible, str) else visible
    if not isinstance(names, list) or not names or not all(name in [*ROLES] for name in names):
        mistakes.expected((*path, "visible_to"), f"a list of {listed(list(ROLES))};", visible)
        return None
    return tuple(dict.fromkeys(ROLES[name] for name in names))

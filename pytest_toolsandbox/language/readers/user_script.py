"""What is said: the simulated user's part, and lines of a conversation."""

from __future__ import annotations

from itertools import chain
from typing import Any, Final

from pytest_toolsandbox.language import models
from pytest_toolsandbox.language.mistakes import Mistakes, Path
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.tasks import Assent, Demonstration, Line, ScriptedReply, UserScript
from pytest_toolsandbox.text.formatting import join_words
from pytest_toolsandbox.text.regular_expression import RegularExpression

ROLES = {"user": Role.USER, "agent": Role.AGENT, "assistant": Role.AGENT, "system": Role.SYSTEM}
_EXCHANGES: Final = ({"user", "agent"}, {"user", "assistant"})


def read_user(user: models.UserDocument, mistakes: Mistakes) -> UserScript:
    """Return the simulated user."""
    if "turns" in user.model_fields_set:
        return _fixed(user, mistakes)
    path: Path = ("user", "opening")
    opening = user.opening
    if isinstance(opening, models.OpeningDocument):
        opening, path = opening.say, (*path, "say")
    is_given = mistakes.misshapen.isdisjoint({path[:length] for length in (1, 2, 3)})
    _check_openings(user, opening, mistakes)
    instructions = user.instructions or ""
    if user.instructions is not None and not instructions.strip():
        mistakes.expected(("user", "instructions"), "how the user is played;", instructions)
    if is_given and not (opening.strip() or instructions):
        mistakes.expected(path, "what the user says first;", opening)
    for key in ("goals", "knows"):
        for name, text in getattr(user, key).items():
            if not text.strip():
                mistakes.expected(("user", key, name), "a text;", text)
    return UserScript(
        opening,
        user.goal,
        user.knowledge_boundary,
        _demonstration(user.demonstration, mistakes),
        tuple(_reply(reply, index, mistakes) for index, reply in enumerate(user.replies)),
        _assent(user.agrees, "agrees", mistakes),
        _assent(user.permits, "permits", mistakes),
        _texts(user.otherwise, ("user", "otherwise"), mistakes),
        user.goals,
        user.knows,
        user.style,
        instructions=instructions,
        openings=tuple(user.openings),
    )


def _check_openings(user: models.UserDocument, opening: str, mistakes: Mistakes) -> None:
    path: Path = ("user", "openings")
    for index, text in enumerate(user.openings):
        if not text.strip():
            mistakes.expected((*path, index), "what the user says first;", text)
        elif text in (opening, *user.openings[:index]):
            mistakes.add((*path, index), "this wording is there already")
    if user.openings and not opening.strip():
        mistakes.add(path, "give opening, too; these are other wordings of it", key=True)


_UNUSED_WITH_TURNS: Final = (
    *("opening", "openings", "instructions", "replies", "agrees", "permits", "otherwise", "style"),
)


def _fixed(user: models.UserDocument, mistakes: Mistakes) -> UserScript:
    """Return a user whose messages are fixed, and note keys that say how it would answer."""
    for key in _UNUSED_WITH_TURNS:
        if key in user.model_fields_set and getattr(user, key):
            text = f"turns has all that the user says; remove {key}, or write it without turns"
            mistakes.add(("user", key), text, key=True)
    if not user.turns:
        mistakes.expected(("user", "turns"), "a list of what the user says", user.turns)
    for index, text in enumerate(user.turns):
        if not text.strip():
            mistakes.expected(("user", "turns", index), "what the user says;", text)
    goals = user.goal, user.knowledge_boundary
    opening = next(iter(user.turns), "")
    return UserScript(opening, *goals, goals=user.goals, turns=tuple(user.turns))


def _demonstration(
    document: list[Any] | models.DemonstrationDocument, mistakes: Mistakes
) -> Demonstration | None:
    path: Path = ("user", "demonstration")
    if isinstance(document, list):
        lines = _demonstration_lines(document, path, mistakes)
        return Demonstration(lines[0].content, None, lines) if lines else None
    lines = _demonstration_lines(document.lines, (*path, "lines"), mistakes)
    return Demonstration(document.goal, document.knowledge_boundary, lines)


def _demonstration_lines(documents: list[Any], path: Path, mistakes: Mistakes) -> tuple[Line, ...]:
    for index, line in enumerate(documents):
        if isinstance(line, dict) and "visible_to" in line:
            text = "'visible_to' is not allowed here; only the simulated user sees demonstrations"
            mistakes.add((*path, index, "visible_to"), text, key=True)
    return read_lines(documents, path, mistakes)


def read_lines(lines: list[Any], path: Path, mistakes: Mistakes) -> tuple[Line, ...]:
    """Return lines, each written as ``{user: text}`` or ``{role: user, content: text}``.

    An exchange, ``{user: text, agent: text}``, is two lines in its order.
    """
    return tuple(
        chain.from_iterable(
            mistakes.each(lines, path, lambda line, here: _exchange(line, here, mistakes))
        )
    )


def _reply(reply: models.ReplyDocument, index: int, mistakes: Mistakes) -> ScriptedReply:
    path = ("user", "replies", index)
    if reply.when is not None and reply.told is not None:
        mistakes.add((*path, "told"), "give either 'when' or 'told', not both", key=True)
    text = reply.say if isinstance(reply.say, str) else "a result"
    if not text.strip() and (*path, "say") not in mistakes.misshapen:
        mistakes.expected((*path, "say"), "what the user says;", reply.say)
    when = _pattern(reply.when, (*path, "when"), mistakes)
    in_report = _pattern(reply.told, (*path, "told"), mistakes)
    return ScriptedReply(text, when, in_report, at=reply.at)


def _pattern(text: str | None, path: Path, mistakes: Mistakes) -> RegularExpression | None:
    try:
        return None if text is None else RegularExpression.read(text, ignore_case=True)
    except ValueError as error:
        mistakes.add(path, str(error))
        return None


def _assent(
    document: str | list[str] | models.AssentDocument | None, key: str, mistakes: Mistakes
) -> Assent | None:
    if document is None:
        return None
    path = ("user", key)
    if not isinstance(document, models.AssentDocument):
        texts = [document] if isinstance(document, str) else document
        return Assent(_texts(texts, path, mistakes))
    for name, partner in (("not_to", "say_no"), ("say_no", "not_to")):
        if getattr(document, name) and not getattr(document, partner):
            mistakes.add((*path, name), f"this also needs {partner!r}", key=True)
    return Assent(
        _texts(document.say, (*path, "say"), mistakes),
        *(tuple(words) for words in (document.to, document.not_to, document.say_no)),
    )


def _texts(texts: list[str], path: Path, mistakes: Mistakes) -> tuple[str, ...]:
    if not texts or not all(map(str.strip, texts)):
        mistakes.expected(path, "a text or several that take turns;", texts)
    return tuple(texts)


def _exchange(line: Any, path: Path, mistakes: Mistakes) -> tuple[Line, ...]:
    """Return the two lines of ``{user: text, agent: text}``, or the one of any other mapping."""
    is_exchange = isinstance(line, dict) and set(line) - {"visible_to"} in _EXCHANGES
    if is_exchange and "visible_to" in line:
        text = "'visible_to' is not allowed in an exchange; write its two lines separately"
        mistakes.add((*path, "visible_to"), text, key=True)
        return ()
    parts = [{key: line[key]} for key in line] if is_exchange else [line]
    return tuple(filter(None, (_line(part, path, mistakes) for part in parts)))


def _line(line: Any, path: Path, mistakes: Mistakes) -> Line | None:
    keys = set(line) - {"visible_to"} if isinstance(line, dict) else set()
    is_long = keys == {"role", "content"}
    if not is_long and (len(keys) != 1 or not keys <= set(ROLES)):
        mistakes.expected(path, f"one of {', '.join(ROLES)} with what is said;", line)
        return None
    key = "content" if is_long else min(keys)
    name = line["role"] if is_long else key
    if name not in [*ROLES]:  # a list, since an unhashable name would fail in a dict
        mistakes.expected((*path, "role"), f"{join_words(list(ROLES))};", name)
        return None
    if not mistakes.is_text(line[key], (*path, key)):
        return None
    visible = _visible(line["visible_to"], path, mistakes) if "visible_to" in line else None
    return Line(ROLES[name], line[key], visible)


def _visible(visible: Any, path: Path, mistakes: Mistakes) -> tuple[Role, ...] | None:
    names = [visible] if isinstance(visible, str) else visible
    if not isinstance(names, list) or not names or not all(name in [*ROLES] for name in names):
        mistakes.expected((*path, "visible_to"), f"a list of {join_words(list(ROLES))};", visible)
        return None
    return tuple(dict.fromkeys(ROLES[name] for name in names))

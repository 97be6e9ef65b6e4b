"""Placeholders in the settings of servers: secrets, and what each conversation has for itself.

``${NAME}`` is a variable of the environment, so that no secret stands in a file.
``${conversation}`` is a text that differs in each conversation: a server that keeps its state by it
can play several conversations at once. ``${folder}`` is a folder of the conversation.
``${fixture:name}`` is the value of a fixture of pytest, such as the address of a server that it
starts, or a token.
"""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from pytest_toolsandbox.text.redaction import add_secrets
from pytest_toolsandbox.worlds.context import WorldError

CONVERSATION: Final = "conversation"
FOLDER: Final = "folder"
_FIXTURE: Final = "fixture:"
_PLACEHOLDER: Final = re.compile(r"\$\{((?:fixture:)?[A-Za-z_][A-Za-z0-9_]*)\}")

_fixtures: dict[str, str] = {}
"""Fixture → its value, as the item has it that is played in this process."""
_makers: list[Callable[[str], object]] = []
"""What makes the value of a fixture in a process without pytest."""


def isolates(texts: Iterable[str]) -> bool:
    """Whether an address or a header differs in each conversation."""
    return any(CONVERSATION in _PLACEHOLDER.findall(text) for text in texts)


def fixtures_in(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the names of the fixtures in texts."""
    names = (name for text in texts for name in _PLACEHOLDER.findall(text))
    made = (name.removeprefix(_FIXTURE) for name in names if name.startswith(_FIXTURE))
    return tuple(dict.fromkeys(made))


def set_fixtures(values: Mapping[str, object]) -> None:
    """Set the values of fixtures; items whose values differ are not played at the same time."""
    _fixtures.update((name, str(value)) for name, value in values.items())


def make_fixtures_by(make: Callable[[str], object]) -> None:
    """Let ``make`` make the values of fixtures; it raises :class:`WorldError` if it cannot."""
    _makers[:] = [make]


def forget_fixtures() -> None:
    """Forget all values, since what they name has ended."""
    _fixtures.clear()
    _makers.clear()


def _fixture(name: str) -> str:
    if name not in _fixtures:
        if not _makers:
            raise WorldError(f"the fixture {name!r} is known only in a run of pytest")
        set_fixtures({name: _makers[0](name)})
    return _fixtures[name]


def new_conversation() -> str:
    """Return a text for ``${conversation}``: other runs use the same server, so it is random."""
    return secrets.token_hex(8)


def filled(text: str, values: Mapping[str, str]) -> str:
    """Return a text with its placeholders filled, by ``values`` or else by variables.

    Raises :class:`WorldError`.
    """

    def value(match: re.Match[str]) -> str:
        name = match[1]
        if name in values:
            return values[name]
        if name.startswith(_FIXTURE):
            return _fixture(name.removeprefix(_FIXTURE))
        if name in (CONVERSATION, FOLDER) or name not in os.environ:
            known = "" if name == CONVERSATION else ", which is not set"
            raise WorldError(f"{text!r} needs {'the variable ' if known else ''}{name}{known}")
        return os.environ[name]

    return _PLACEHOLDER.sub(value, text)


def filled_headers(headers: Mapping[str, str], conversation: str) -> dict[str, str]:
    """Return headers with their placeholders filled, whose values all messages hide."""
    values = {CONVERSATION: conversation}
    made = {name: filled(text, values) for name, text in headers.items()}
    add_secrets({"headers": {n: v for n, v in made.items() if not isolates([headers[n]])}})
    return made

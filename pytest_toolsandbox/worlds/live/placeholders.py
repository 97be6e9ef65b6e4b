"""Placeholders in the settings of servers: secrets, and what each conversation has for itself.

``${NAME}`` is a variable of the environment, so that no secret stands in a file.
``${conversation}`` is a text that differs in each conversation: a server that keeps its state by it
can play several conversations at once. ``${folder}`` is a folder of the conversation.
"""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Iterable, Mapping
from typing import Final

from pytest_toolsandbox.text.redaction import add_secrets
from pytest_toolsandbox.worlds.context import WorldError

CONVERSATION: Final = "conversation"
FOLDER: Final = "folder"
_PLACEHOLDER: Final = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


def isolates(texts: Iterable[str]) -> bool:
    """Whether an address or a header differs in each conversation."""
    return any(CONVERSATION in _PLACEHOLDER.findall(text) for text in texts)


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

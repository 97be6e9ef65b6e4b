"""Reads the policy of a scenario: a text, or the file that has it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from pytest_toolsandbox.language import models
from pytest_toolsandbox.language.mistakes import Mistakes
from pytest_toolsandbox.text.formatting import quote
from pytest_toolsandbox.worlds.policy import read_policy_file
from pytest_toolsandbox.worlds.world import World

_NONE: Final = "none"
_SUFFIXES: Final = (".md", ".txt")


def read_policy(
    model: models.Document, world: World, folder: Path, mistakes: Mistakes
) -> str | None:
    """Return the policy of a scenario or else of its world; ``None`` if there is none.

    A line without spaces, or one that ends in ``.md`` or ``.txt``, names a file relative to
    ``folder``.
    """
    if model.policy is None:
        return world.policy_text or None
    written = model.policy.strip()
    if written == _NONE:
        return None
    if not written:
        mistakes.expected(("policy",), "a text, a file or none;", model.policy)
        return None
    if not _is_file(written):
        return written
    try:
        return read_policy_file(folder / written)
    except ValueError as error:
        hint = "" if written.endswith(_SUFFIXES) else "; a policy of your own has several words"
        mistakes.add(("policy",), f"{quote(written)}: {error}{hint}")
        return None


def _is_file(written: str) -> bool:
    is_line = len(written.splitlines()) == 1
    return is_line and (written.endswith(_SUFFIXES) or len(written.split()) == 1)

"""Policies: texts with rules that an agent must follow in a world or a scenario."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from pytest_toolsandbox.text.files import refuse_devices

LONGEST: Final = 1_000_000
"""The maximum size of a policy file in bytes: more than the context of most models."""


def read_policy_file(path: Path) -> str:
    """Return the text of a policy file in UTF-8, with line feeds and without outer white space.

    Raises ``ValueError`` with the reason if it is unreadable, empty or longer than ``LONGEST``.
    """
    try:
        refuse_devices(path)
        with path.open("rb") as file:
            content = file.read(LONGEST + 1)
    except OSError as error:
        raise ValueError(f"the file cannot be read: {error.strerror}") from None
    if len(content) > LONGEST:
        raise ValueError(f"the file has more than {LONGEST:,} bytes")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"the file is not UTF-8: byte {error.start} is wrong") from None
    if not (stripped := "\n".join(text.splitlines()).strip()):
        raise ValueError("the file is empty")
    return stripped

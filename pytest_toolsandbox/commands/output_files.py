"""The file that a command writes: it takes the place of nothing that is to be kept."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from pytest_toolsandbox.gate.kept_files import why_not_replaced
from pytest_toolsandbox.wording.whole_files import is_same_file

from . import CommandError


def refuse_to_replace(out: Path, read: Iterable[Path]) -> None:
    """Raise ``CommandError`` where a file is read too, or holds records or a baseline."""
    if any(is_same_file(out, file) for file in read):
        raise CommandError(f"cannot write to {out}: it is read, too; name another file")
    if reason := why_not_replaced(out):
        raise CommandError(f"cannot write to {out}: {reason}")

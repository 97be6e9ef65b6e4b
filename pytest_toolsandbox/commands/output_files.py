"""The file that a command writes: it takes the place of nothing that is to be kept."""

from __future__ import annotations

import errno
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from pytest_toolsandbox.gate.kept_files import why_not_replaced
from pytest_toolsandbox.wording.whole_files import is_same_file, why_not_writable, write_whole

from . import CommandError

IS_FOLDER: Final = "it is a folder; name a file in it"


def check_output(out: Path, read: Iterable[Path]) -> None:
    """Raise ``CommandError`` where a file cannot be written, is read too, or is to be kept."""
    reason = why_not_writable(out)
    if not reason and any(is_same_file(out, file) for file in read):
        reason = "it is read, too; name another file"
    if reason := reason or why_not_replaced(out):
        raise CommandError(f"cannot write to {out}: {reason}")


def write_output(out: Path, text: str) -> None:
    """Write a file whole. Raises ``CommandError``, which names it as the user does."""
    if reason := why_not_writable(out):
        raise CommandError(f"cannot write to {out}: {reason}")
    try:
        write_whole(out, text)
    except OSError as error:
        is_missing = error.errno == errno.ENOENT  # the file, which is new, or its folders
        why_not = "no file can be made there" if is_missing else error.strerror
        raise CommandError(f"cannot write to {out}: {why_not}") from None

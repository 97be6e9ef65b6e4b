"""Files that took a run to get, records and baselines: nothing else is written in their place."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final, Literal

from pytest_toolsandbox.wording.whole_files import refuse_devices

Kept = Literal["records", "a baseline"]

_LONGEST: Final = 1000
"""Bytes of a file that are looked at."""
_CONFLICT: Final = rb"(?:(?:<{7}|[|]{7}|={7})[^\n]*\n)*"
"""Marks that git leaves before the first line where both sides changed it."""
_RECORD: Final = re.compile(rb'\s*%b\{[ \t]*"record"' % _CONFLICT)
_BASELINE: Final = re.compile(rb'\s*%b\{[ \t]*"(?:baseline|run|id)"' % _CONFLICT)
"""Lines of a baseline stand in any order."""


def kept_in(path: Path) -> Kept | None:
    """Return what a file holds, by how it begins. Raises ``OSError`` where it cannot be read."""
    refuse_devices(path)
    with path.open("rb") as stream:
        start = stream.read(_LONGEST)
    if _RECORD.match(start):
        return "records"
    return "a baseline" if _BASELINE.match(start) else None


def why_not_replaced(path: Path) -> str | None:
    """Return why nothing is to be written in the place of a file, if it holds what is kept."""
    if not path.exists():
        return None
    try:
        kept = kept_in(path)
    except OSError as error:
        return f"what is there cannot be read: {error.strerror}"
    return f"it holds {kept}, which would be lost; name another file" if kept else None

"""Options and keys of ini files whose names begin like ours, and which nobody knows.

pytest itself suggests no other name for an option, and only warns of a key of the ini file: a
misspelt minimum would gate nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pytest

from pytest_toolsandbox.text.nearest_name import CLOSE, nearest_name

from .options import OPTIONS

FLAGS: Final = "--sandbox-"
KEYS: Final = "sandbox_"
"""How the names of our options and keys begin, but for ``--agent`` and ``scenario_files``."""
AGENT: Final = "--ag"
"""How ``--agent`` and its misspellings begin: with it, any unknown option may be one of ours."""


def refuse_misspelt(
    parser: pytest.Parser, words: Sequence[str], keys: Iterable[str], ini_file: Path | None
) -> None:
    """Raise ``pytest.UsageError`` for an option or a key of the ini file that has no meaning.

    Those that conftests and other plugins declare are known to pytest. It refuses itself what is
    like none of ours.
    """
    if any(word.startswith((FLAGS, AGENT)) for word in words):
        _, unknown = parser.parse_known_and_unknown_args([*words])
        flags = [option.flag for option in OPTIONS if option.flag]
        for word in unknown:
            flag = word.partition("=")[0]
            hint = _hint(flag, flags, FLAGS)
            if flag.startswith(FLAGS) or (hint and flag.startswith("--")):
                raise pytest.UsageError(f"{flag}: unknown option{hint}")
    known: Mapping[str, Any] = getattr(parser, "_inidict", {})  # private to pytest
    for key in keys:
        if key.startswith(KEYS) and known and key not in known:
            hint = _hint(key, [option.key for option in OPTIONS], KEYS)
            raise pytest.UsageError(f"{ini_file}: {key}: unknown option{hint}")


def _hint(name: str, names: Iterable[str], beginning: str) -> str:
    """Return which name was meant; what all begin with makes none of them alike."""
    ends = {other.removeprefix(beginning).removeprefix("--"): other for other in names}
    close = nearest_name(name.removeprefix(beginning).removeprefix("--"), ends, CLOSE)
    return f"; did you mean {ends[close]!r}?" if close else ""

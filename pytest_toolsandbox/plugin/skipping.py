"""Items that are not played, with the reason why, which is counted."""

from __future__ import annotations

from typing import Never

import _pytest.outcomes


class Skipped(_pytest.outcomes.Skipped):
    """An item is not played; ``why`` is counted: ``without agent`` or ``without record``."""

    __module__ = "builtins"
    why = ""


def skip(why: str, text: str) -> Never:
    """Skip an item, or all that need a fixture; reports carry the reason, so that it is counted."""
    __tracebackhide__ = True
    skipped = Skipped(text)
    skipped.why = why
    raise skipped

"""A plugin of pytest that lets Python collect garbage as usual; ``growth.py`` measures with it."""

from __future__ import annotations

import gc


def do_nothing(*_: int) -> None:
    """Stand in for what the package sets."""


gc.freeze = do_nothing
gc.set_threshold = do_nothing

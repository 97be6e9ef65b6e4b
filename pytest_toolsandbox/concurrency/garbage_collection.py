"""Nobody looks for garbage in what stays to the end, such as modules."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_MANY: Final = 20_000
"""How many objects more there are than before, when Python looks for garbage among them."""


@contextmanager
def undisturbed() -> Iterator[None]:
    """Look for no garbage in a block that makes many objects which stay.

    Python would look through all of them again and again, for a fifth of the time that litellm's
    import takes.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@contextmanager
def lasting() -> Iterator[None]:
    """Let what a block makes stay to the end of the process, and all that is there by then.

    This is for the time before tests run: what is garbage later, and was there, is never found. At
    its end pytest looks for garbage five times.
    """
    with undisturbed():
        try:
            yield
        finally:
            gc.freeze()


@contextmanager
def seldom() -> Iterator[None]:
    """Look for garbage less often in a block in which hundreds of conversations are held."""
    before = gc.get_threshold()
    if 0 < before[0] < _MANY:
        gc.set_threshold(_MANY, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)

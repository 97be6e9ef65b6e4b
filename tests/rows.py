"""Tables of many cheap cases, each of which would cost more as an item than it takes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest


def every(
    names: str | Sequence[str], rows: Iterable[Any], ids: Callable[[Any], Any] = repr
) -> Callable[[Callable[..., None]], Callable[[], None]]:
    """Make one item of a test that takes a row, as ``pytest.mark.parametrize`` makes one of each.

    All rows are tried, and all that fail are told, by what ``ids`` makes of their values. For tests
    without fixtures that take milliseconds: these rows cannot be selected one by one.
    """
    table = list(rows)
    if not table:
        raise ValueError("there are no rows to try")
    parts = [name.strip() for name in names.split(",")] if isinstance(names, str) else [*names]

    def decorated(test: Callable[..., None]) -> Callable[[], None]:
        def of_all_rows() -> None:
            failures: list[BaseException] = []
            for row in table:
                values = [row] if len(parts) == 1 and isinstance(names, str) else [*row]
                try:
                    test(**dict(zip(parts, values, strict=True)))
                except (Exception, pytest.fail.Exception) as failure:  # noqa: BLE001  # told below
                    cells = (
                        f"{name} = {ids(cell)}" for name, cell in zip(parts, values, strict=True)
                    )
                    failure.add_note("in the row " + ", ".join(cells))
                    failures.append(failure)
            if failures:
                raise BaseExceptionGroup(f"{len(failures)} of {len(table)} rows", failures)

        of_all_rows.__name__, of_all_rows.__doc__ = test.__name__, test.__doc__
        of_all_rows.__module__, of_all_rows.__qualname__ = test.__module__, test.__qualname__
        return of_all_rows

    return decorated

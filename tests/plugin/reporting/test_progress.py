from __future__ import annotations

import pytest

from pytest_toolsandbox.plugin.reporting.progress import Standing


@pytest.mark.parametrize(
    ("standing", "seconds", "line"),
    [
        (Standing(40, 0, 16, 0, 0), 9, "0 of 40 items played, 16 running, 0 failed, 0 errors"),
        (
            Standing(40, 10, 16, 2, 1),
            5,
            "10 of 40 items played, 16 running, 2 failed, 1 error, about 15 s left",
        ),
        (
            Standing(40, 10, None, 2, 1, 0.12345),
            5,
            "10 of 40 items played, 2 failed, 1 error, $0.1235, about 15 s left",
        ),
        (
            Standing(357, 7, 64, 0, 0),
            6,
            "7 of 357 items played, 64 running, 0 failed, 0 errors, about 5 min left",
        ),
    ],
)
def test_what_is_said(standing: Standing, seconds: float, line: str) -> None:
    assert standing.line(seconds) == line

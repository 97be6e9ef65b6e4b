"""What readers of words look at in a text that is too long, as in an argument of a call."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_toolsandbox.matchers import Reading, read
from pytest_toolsandbox.text.formatting import READ_LIMIT

FILL = "So it goes.\n" * READ_LIMIT
SAID = "I sent it to Ada at 5 pm. "


@pytest.mark.parametrize(
    ("matcher", "part"),
    [
        ({"mentions": ["17:00"]}, SAID),
        ({"number": {"to": 7.25}}, "It is 7.25. "),
        ({"pairs": [["Ada", "5 pm"]]}, SAID),
        ({"in_order": ["sent", "Ada"]}, SAID),
    ],
)
def test_beginning_and_end_are_read(matcher: Any, part: str) -> None:
    similarity = read(matcher, Reading()).similarity
    assert [similarity(part + FILL), similarity(FILL + part)] == [1, 1]
    assert similarity(FILL + part + FILL) == 0

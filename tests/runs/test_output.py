"""What a conversation prints and logs is kept apart, and not without end."""

from __future__ import annotations

import io
import logging

import pytest

from pytest_toolsandbox.runs import captured_output as output
from pytest_toolsandbox.runs.captured_output import Output, kept_apart, noted, show_again


class Kept(logging.Handler):
    """Keeps the messages that are logged."""

    def __init__(self) -> None:
        super().__init__()
        self.logged: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.logged.append(record.getMessage())


@pytest.fixture
def limit(monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(output, "LONGEST", 1000)
    return 1000


def kept_and_logged(printed: str, times: int) -> tuple[str, list[str]]:
    """Return what is shown of a conversation that says something so many times."""
    stream, handler, kept = io.TextIOWrapper(io.BytesIO()), Kept(), Output()
    with kept_apart([("stdout", stream)], [handler]), noted(kept):
        for _ in range(times):
            stream.write(printed)
            logging.getLogger().warning("%s", printed)
    shown = io.StringIO()
    show_again(kept, {"stdout": shown}, [handler])
    return shown.getvalue(), handler.logged


def test_what_is_said_is_shown_again() -> None:
    assert kept_and_logged("a line\n", 2) == ("a line\na line\n", ["a line\n"] * 2)


def test_what_is_said_without_end_is_cut_and_told(limit: int) -> None:
    printed, logged = kept_and_logged("x" * 300, 1000)
    assert printed == "x" * limit + "\n[toolsandbox: of a conversation 1,000 characters are kept]\n"
    assert logged == ["x" * 300, "x" * 300]

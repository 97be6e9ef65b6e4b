"""How logs are cleaned while a scenario is played."""

from __future__ import annotations

import logging
import warnings
from typing import Any

import pytest

from pytest_toolsandbox.plugin.output.redacting import clean_logs, clean_warning


def test_the_factory_of_log_records_is_as_before() -> None:
    before = logging.getLogRecordFactory()
    with clean_logs():
        assert logging.getLogRecordFactory() is not before
    assert logging.getLogRecordFactory() is before


def test_a_factory_that_is_set_meanwhile_stays() -> None:
    def another(*arguments: Any, **more: Any) -> logging.LogRecord:
        return logging.LogRecord(*arguments, **more)

    before = logging.getLogRecordFactory()
    try:
        with clean_logs():
            logging.setLogRecordFactory(another)
        assert logging.getLogRecordFactory() is another
    finally:
        logging.setLogRecordFactory(before)


class OwnWarning(UserWarning):
    pass


class SilentWarning(UserWarning):
    def __str__(self) -> str:
        raise ZeroDivisionError


Odd = type("Odd\x1b[2J", (DeprecationWarning,), {})


@pytest.mark.parametrize(
    ("warning", "here", "sent"),
    [
        (UserWarning("plain"), "UserWarning: plain", "UserWarning: plain"),
        (OwnWarning("own"), "OwnWarning: own", "UserWarning: OwnWarning: own"),
        (UserWarning("a\x1b[31mb\x07\ud83d"), r"UserWarning: ab\x07\ud83d", None),
        (Odd("odd"), r"DeprecationWarning: Odd\x1b[2J: odd", None),
        (
            SilentWarning(),
            "SilentWarning: its text cannot be read: __str__ raised ZeroDivisionError",
            None,
        ),
        (UserWarning({"\ud83d": object}), r"UserWarning: {'\ud83d': <class 'object'>}", None),
    ],
)
@pytest.mark.parametrize("is_sent", [False, True])
def test_a_warning_is_cleaned(warning: Warning, here: str, sent: str | None, is_sent: bool) -> None:
    message = warnings.WarningMessage(warning, type(warning), "f\x1b[2J.py", 3, source=object())
    clean_warning(message, is_sent=is_sent)
    shown = warnings.formatwarning(
        str(message.message), message.category, message.filename, 3, message.line
    )
    expected = (sent or here) if is_sent else here
    if is_sent and expected.startswith("Silent"):
        expected = f"UserWarning: {expected}"
    assert shown == f"f\\x1b[2J.py:3: {expected}\n"
    assert (message.source is None) == is_sent
    assert isinstance(message.message, str) or not is_sent

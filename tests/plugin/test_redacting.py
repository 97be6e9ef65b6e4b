"""How logs are cleaned while a scenario is played."""

from __future__ import annotations

import logging
from typing import Any

from pytest_toolsandbox.plugin.redacting import clean_logs


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

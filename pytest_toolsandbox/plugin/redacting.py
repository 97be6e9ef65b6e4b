"""No secret leaves through what pytest reports: of scenarios' items, their logs and warnings."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pytest_toolsandbox.wording.redaction import clean


@contextmanager
def clean_logs() -> Iterator[None]:
    """Clean what is logged, before any logger or handler has it."""
    before = logging.getLogRecordFactory()

    def clean_record(*arguments: Any, **more: Any) -> logging.LogRecord:
        record = before(*arguments, **more)
        try:
            text = record.getMessage()
        except Exception:  # noqa: BLE001  # a client's log record that cannot be formatted
            return record
        if clean(text) != text:
            record.msg, record.args = clean(text), None
        if record.exc_info and record.exc_info[0]:
            record.exc_text = clean(logging.Formatter().formatException(record.exc_info))
        return record

    logging.setLogRecordFactory(clean_record)
    try:
        yield
    finally:
        if logging.getLogRecordFactory() is clean_record:  # else somebody's own, set meanwhile
            logging.setLogRecordFactory(before)


def clean_report(report: Any) -> None:
    """Clean what a report shows. Its properties hardly ever hold a secret: all at once."""
    report.longrepr, report.sections = cleaned(report.longrepr), cleaned(report.sections)
    properties = "\n".join(str(part) for pair in report.user_properties for part in pair)
    if clean(properties) != properties:
        report.user_properties = cleaned(report.user_properties)


def cleaned(value: Any) -> Any:
    """Clean the texts of a report: pytest's representations of errors are changed in place."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, (list, tuple)):
        return type(value)(map(cleaned, value))
    if type(value).__module__ == "_pytest._code.code":
        for name, part in vars(value).items():
            if name not in ("path", "style"):
                setattr(value, name, cleaned(part))
    return value

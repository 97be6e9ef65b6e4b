"""Redact secrets in what pytest shows of scenarios: reports, logs and warnings."""

from __future__ import annotations

import linecache
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from warnings import WarningMessage

from pytest_toolsandbox.text.error_text import is_foreign
from pytest_toolsandbox.text.formatting import escape_unprintable, one_line
from pytest_toolsandbox.text.redaction import clean


@contextmanager
def clean_logs() -> Iterator[None]:
    """Clean what is logged, before any logger or handler has it."""
    before = logging.getLogRecordFactory()

    def clean_record(*arguments: Any, **named: Any) -> logging.LogRecord:
        record = before(*arguments, **named)
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
        if logging.getLogRecordFactory() is clean_record:  # else another plugin set its own
            logging.setLogRecordFactory(before)


def clean_report(report: Any) -> None:
    """Clean what a report shows. Its properties hardly ever hold a secret: all at once."""
    report.longrepr, report.sections = cleaned(report.longrepr), cleaned(report.sections)
    properties = "\n".join(str(part) for pair in report.user_properties for part in pair)
    if clean(properties) != properties:
        report.user_properties = cleaned(report.user_properties)


def clean_warning(warning: WarningMessage, *, is_sent: bool) -> None:
    """Clean all that pytest shows of a warning: text, category, file name and the line there.

    One that ``is_sent`` to another process becomes text, with a category that is found there too:
    pytest-xdist ends where it is not.
    """
    before = None
    try:
        text = before = str(warning.message)
    except Exception as error:  # noqa: BLE001  # its own __str__, which pytest could not show
        text = f"its text cannot be read: __str__ raised {type(error).__name__}"
    category = warning.category
    name = one_line(category.__name__)
    if name != category.__name__ or (is_sent and not _is_installed(category)):
        builtin = (kind for kind in category.__mro__ if kind.__module__ == "builtins")
        warning.category, text = next(builtin), f"{name}: {text}"
    if is_sent or clean(text) != before:
        warning.message = clean(text)
    line = linecache.getline(warning.filename, warning.lineno)
    if clean(line) != line:
        warning.line = clean(line)
    warning.filename = escape_unprintable(warning.filename)
    warning.source = None if is_sent else warning.source


def _is_installed(kind: type) -> bool:
    """Whether a class is found by its name in a module that every process finds."""
    module = sys.modules.get(kind.__module__)
    is_found = getattr(module, kind.__name__, None) is kind
    return is_found and is_foreign(getattr(module, "__file__", None) or "<frozen ")


def cleaned(value: Any) -> Any:
    """Clean the texts of a report: pytest's representations of errors are changed in place."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list) and all(isinstance(line, str) for line in value):
        return _cleaned_lines(value)
    if isinstance(value, (list, tuple)):
        return type(value)(map(cleaned, value))
    if type(value).__module__ in ("_pytest._code.code", "_pytest.reports"):
        for name, part in vars(value).items():
            if name == "path":
                setattr(value, name, escape_unprintable(part))
            elif name != "style":
                setattr(value, name, cleaned(part))
    return value


def _cleaned_lines(lines: list[str]) -> list[str]:
    """Clean lines as one text, since a private key has many. Some have their line ends."""
    text = "\n".join(line.removesuffix("\n") for line in lines)
    if (shown := clean(text)) == text:
        return lines
    end = "\n" if lines[0].endswith("\n") else ""
    return [f"{line}{end}" for line in shown.split("\n")]

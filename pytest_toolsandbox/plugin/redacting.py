"""No secret leaves through what pytest reports: of scenarios' items, their logs and warnings."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Generator
from typing import Any, Final

import pytest

from pytest_toolsandbox.wording.redaction import add_named_secrets, clean

from .collecting import RECORDS
from .settings import settings_of

PLUGIN: Final = "toolsandbox-redaction"


def start_redacting(config: pytest.Config) -> None:
    """Register the hooks, in each process that has scenarios."""
    add_named_secrets(settings_of(config).secrets)
    config.pluginmanager.register(RedactionHooks(), PLUGIN)


class RedactionHooks:
    """Cleans reports before any other plugin sees them, and so before they cross processes."""

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Clean what is shown of an item: why it failed, what was captured, its properties."""
        report = yield
        if RECORDS in item.stash:
            report.longrepr = _cleaned(report.longrepr)
            report.sections = _cleaned(report.sections)
            report.user_properties = _cleaned(report.user_properties)
        return report

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_make_collect_report(
        self, collector: pytest.Collector
    ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        """Clean what is said of a scenario file that cannot be read."""
        report = yield
        if collector.path.suffix in (".yaml", ".yml"):
            report.longrepr = _cleaned(report.longrepr)
        return report

    @pytest.hookimpl(tryfirst=True)
    def pytest_warning_recorded(self, warning_message: warnings.WarningMessage) -> None:
        """Clean a warning, of whichever test: it may come from a client library's thread."""
        text = str(warning_message.message)
        if clean(text) != text:
            warning_message.message = clean(text)

    @pytest.hookimpl(wrapper=True, trylast=True)  # inside of what adds pytest's handlers
    def pytest_runtest_setup(self, item: pytest.Item) -> Generator[None, None, None]:
        """Clean what is logged while a conversation is played."""
        handlers = list(logging.getLogger().handlers) if hasattr(item, "scenario") else []
        for handler in handlers:
            handler.addFilter(_clean_record)
        try:
            yield
        finally:
            for handler in handlers:
                handler.removeFilter(_clean_record)


def _clean_record(record: logging.LogRecord) -> bool:
    """Clean a log record in place, its traceback included; it is always let through."""
    try:
        text = record.getMessage()
    except Exception:  # noqa: BLE001  # a client's log record that cannot be formatted
        return True
    if clean(text) != text:
        record.msg, record.args = clean(text), None
    if record.exc_info and not record.exc_text:
        record.exc_text = clean(logging.Formatter().formatException(record.exc_info))
    return True


def _cleaned(value: Any) -> Any:
    """Clean the texts of a report: pytest's representations of errors are changed in place."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, (list, tuple)):
        return type(value)(map(_cleaned, value))
    if type(value).__module__ == "_pytest._code.code":
        for name, part in vars(value).items():
            if name not in ("path", "style"):
                setattr(value, name, _cleaned(part))
    return value

"""What is told to wherever reports end up, beside pytest's own reports.

No secret leaves through what pytest reports: of scenarios' items, their logs and warnings.

Cassettes of workers elsewhere, which send what they record to where the run was started.
"""

from __future__ import annotations

import linecache
import logging
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, Never
from warnings import WarningMessage

import pytest

from pytest_toolsandbox.plugin.payload import Payload, attach_payload
from pytest_toolsandbox.plugin.playing.playable import PlayableItem
from pytest_toolsandbox.plugin.settings import settings_of
from pytest_toolsandbox.plugin.stash import REPORTS
from pytest_toolsandbox.text.error_text import is_foreign
from pytest_toolsandbox.text.formatting import escape_unprintable, one_line, pluralize
from pytest_toolsandbox.text.redaction import clean

from .observer import Observer


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
        builtin = (one for one in category.__mro__ if one.__module__ == "builtins")
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
    if isinstance(value, (list, tuple)):
        return type(value)(map(cleaned, value))
    if type(value).__module__ in ("_pytest._code.code", "_pytest.reports"):
        for name, part in vars(value).items():
            if name == "path":
                setattr(value, name, escape_unprintable(part))
            elif name != "style":
                setattr(value, name, cleaned(part))
    return value


ELSEWHERE: Final = "toolsandbox_elsewhere"
"""What tells a worker that it plays in another folder, or on another machine."""


def sent_of(item: PlayableItem, path: Path) -> list[str] | None:
    """Return what the trials of an item are added to that are sent; ``None`` in other processes."""
    if not getattr(item.config, "workerinput", {}).get(ELSEWHERE):
        return None
    place = Path(os.path.relpath(path, _folder(item.config))).as_posix()
    return item.recorded.setdefault(place, [])


class SentCassettes(Observer):
    """Keeps what workers elsewhere recorded, where a process of this machine would."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._lost = 0
        self._reason = ""

    def on_report(self, report: pytest.TestReport, payload: Payload) -> None:
        """Keep what a report carries. Ctrl-C waits."""
        del report
        for place, texts in payload.cassettes.items():
            for text in texts:
                self._keep(place, text)

    def failures(self) -> list[str]:
        """Return what could not be kept, in a line."""
        lost = pluralize(self._lost, "recorded trial")
        return [f"cassettes: {lost} could not be written: {self._reason}"] if self._lost else []

    def _keep(self, place: str, text: str) -> None:
        from pytest_toolsandbox.concurrency.stopping import uninterrupted
        from pytest_toolsandbox.runs.cassettes.cassette import UnreadableError, keep_sent

        try:
            with uninterrupted():
                keep_sent(_folder(self._config) / place, text)
        except (OSError, UnreadableError) as error:
            self._lost += 1
            self._reason = f"{place}: {getattr(error, 'strerror', None) or error}"


def _folder(config: Any) -> Path:
    """Return what places of cassettes are told from, which lies elsewhere on other machines."""
    return settings_of(config).cassettes or config.rootpath


def tell_records(item: PlayableItem) -> None:
    """Have the records of an item kept that no report carries, since the run was interrupted."""
    from pytest_toolsandbox.plugin.playing.workers import interactor_of

    if report := report_of_records(item):
        if interactor := interactor_of(item.config):  # which takes reports of one item at a time
            interactor.item_index = item.session.items.index(item)
        ours = item.config.pluginmanager.get_plugin(REPORTS)  # or in the controller
        (ours or item.ihook).pytest_runtest_logreport(report=report)


def report_of_records(item: PlayableItem) -> pytest.TestReport | None:
    """Return a report with the records of an item that no other carries, if there are any."""
    if not item.records:
        return None
    nothing = pytest.CallInfo.from_call(lambda: None, "setup")
    report = pytest.TestReport.from_item_and_call(item, nothing)
    sent = item.take_recorded()
    attach_payload(report, Payload(records=item.records, is_repeated=True, cassettes=sent))
    clean_report(report)
    return report


def tell_controller(lines: Sequence[str], config: pytest.Config) -> None:
    """Let the controller of pytest-xdist end the run with an error of usage."""
    report = pytest.CollectReport("toolsandbox", "failed", "\n".join(lines), [])
    attach_payload(report, Payload(usage_error=[*lines]))
    config.hook.pytest_collectreport(report=report)


def end_run(text: str, config: pytest.Config) -> Never:
    """End the run with an error of usage that shows while items are run."""
    if hasattr(config, "workerinput"):
        tell_controller([text], config)
    pytest.exit(text, returncode=pytest.ExitCode.USAGE_ERROR)

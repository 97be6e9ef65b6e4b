"""What is told of files that cannot be collected, and of a ``conftest.py`` that does not load."""

from __future__ import annotations

import sys
from pathlib import Path
from traceback import walk_tb
from typing import Any

import pytest

from pytest_toolsandbox.plugin.options import OPTIONS, given
from pytest_toolsandbox.plugin.stash import HOOKS


class CollectionRepr:
    """What is wrong with a file; the first line stands in the short summary.

    Between processes it becomes plain text, so that pytest-xdist, all of whose workers collect
    every file, can tell that they all say the same.
    """

    def __init__(self, text: str) -> None:
        from pytest_toolsandbox.wording.redaction import clean

        self.text = clean(text)
        self.message = self.text.partition("\n")[0]
        self.reprcrash = self  # which pytest asks for the message

    def __str__(self) -> str:
        return self.text

    def toterminal(self, tw: Any) -> None:
        """Write it to pytest's terminal writer."""
        for line in self.text.splitlines():
            tw.line(line, red=True)


def is_used(config: pytest.Config) -> bool:
    """Whether a run has scenarios, or was given an option of ours."""
    return config.pluginmanager.has_plugin(HOOKS) or any(given(one, config) for one in OPTIONS)


def left_report(collector: pytest.Collector, error: SystemExit) -> pytest.CollectReport:
    """Return the report of a ``conftest.py`` that leaves Python, so that other files run."""
    from pytest_toolsandbox.wording.error_text import describe_exception

    repr_ = CollectionRepr(f"conftest.py raised {describe_exception(error)}")
    return pytest.CollectReport(collector.nodeid, "failed", repr_, [])  # type: ignore[arg-type]  # pytest takes any


def clean_collect_report(report: pytest.CollectReport, config: pytest.Config) -> None:
    """Tell what is wrong with a world in its lines, and of anything else what may be shown."""
    call = report.__dict__.get("call")
    if call and call.excinfo and (text := world_error(call.excinfo.value)):
        report.longrepr = CollectionRepr(text)  # type: ignore[assignment]  # pytest takes any
    elif is_used(config):
        from pytest_toolsandbox.plugin.reporting.redacting import cleaned

        report.longrepr = cleaned(report.longrepr)


def raise_in_one_line(error: BaseException) -> None:
    """End pytest in one line where our code raised, or was stopped, in a ``conftest.py``."""
    if text := world_error(error):
        raise pytest.UsageError(text) from None
    files = [Path(frame.f_code.co_filename) for frame, _ in walk_tb(error.__traceback__)]
    plugin = Path(__file__).parent
    own = [file for file in files if file.is_relative_to(plugin.parent)]
    if isinstance(error, KeyboardInterrupt) and not all(f.is_relative_to(plugin) for f in own):
        sys.stderr.write("ERROR: Ctrl-C, while conftest.py was loaded\n")
        raise SystemExit(pytest.ExitCode.INTERRUPTED) from None


def world_error(error: BaseException) -> str | None:
    """Return what is wrong with a world; pytest keeps the cause of a failure to load."""
    from pytest_toolsandbox.worlds.errors import WorldError

    found = (one for one in (error, error.__cause__) if isinstance(one, WorldError))
    return next(map(str, found), None)

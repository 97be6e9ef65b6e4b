"""What is told to wherever reports end up, beside pytest's own reports."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Never

import pytest

from pytest_toolsandbox.plugin.playing.sent_cassettes import send_recorded
from pytest_toolsandbox.plugin.stash import RECORDS, REPORTS, USAGE_ERROR


def tell_records(item: pytest.Item) -> None:
    """Have the records of an item kept that no report carries, since the run was interrupted."""
    from pytest_toolsandbox.plugin.stopping import interactor_of

    if report := report_of_records(item):
        if interactor := interactor_of(item.config):  # which takes reports of one item at a time
            interactor.item_index = item.session.items.index(item)
        ours = item.config.pluginmanager.get_plugin(REPORTS)  # or in the controller
        (ours or item.ihook).pytest_runtest_logreport(report=report)


def report_of_records(item: pytest.Item) -> pytest.TestReport | None:
    """Return a report with the records of an item that no other carries, if there are any."""
    from .redacting import clean_report

    if not (records := item.stash.get(RECORDS, [])):
        return None
    nothing = pytest.CallInfo.from_call(lambda: None, "setup")
    report = pytest.TestReport.from_item_and_call(item, nothing)
    report.__dict__.update(toolsandbox_records=records, toolsandbox_perhaps_told=True)
    send_recorded(item, report)
    clean_report(report)
    return report


def tell_controller(lines: Sequence[str], config: pytest.Config) -> None:
    """Let the controller of pytest-xdist end the run with an error of usage."""
    report = pytest.CollectReport("toolsandbox", "failed", "\n".join(lines), [])
    report.__dict__[USAGE_ERROR] = [*lines]
    config.hook.pytest_collectreport(report=report)


def end_run(text: str, config: pytest.Config) -> Never:
    """End the run with an error of usage that shows while items are run."""
    if hasattr(config, "workerinput"):
        tell_controller([text], config)
    pytest.exit(text, returncode=pytest.ExitCode.USAGE_ERROR)

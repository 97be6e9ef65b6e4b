"""``toolsandbox calibrate`` with the aliases, prices and criteria of the ini file."""

from __future__ import annotations

from typing import Any

from pytest_toolsandbox.commands import calibrate as command
from pytest_toolsandbox.models.prices import Prices

from .told import told


def calibrate(**given: Any) -> int:
    """Judge labelled wordings, or write those of a run; see :mod:`..commands.calibrate`."""
    found = told(())
    if isinstance(found, int):
        return found
    settings, _ = found
    given["votes"] = given["votes"] or settings.judge_votes
    prices = Prices(settings.prices)
    project = command.Project(settings.aliases, settings.judge_criteria, prices)
    return command.calibrate(project=project, **given)

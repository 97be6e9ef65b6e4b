from __future__ import annotations

import os
from pathlib import Path

import pytest

RUNS = "TOOLSANDBOX_CONFORMANCE"
DATA = "TOOLSANDBOX_TOOLTALK"


@pytest.fixture(scope="session")
def tooltalk_folders() -> tuple[Path, Path]:
    """The folder with runs of ToolTalk's published code, and the one with its data."""
    runs, data = os.environ.get(RUNS), os.environ.get(DATA)
    if not runs or not data:
        pytest.skip(
            f"no runs: {RUNS} must name a folder with a tooltalk_easy_runs.json, and {DATA} one "
            "with ToolTalk's easy/ and databases/"
        )
    return Path(runs), Path(data)

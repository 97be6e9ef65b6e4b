from __future__ import annotations

import sys
from pathlib import Path

import pytest
from command_line import Printed, Run
from late_texts import Recorded, recorder, write_files

from pytest_toolsandbox.__main__ import main


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A new folder, which is the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def run(*arguments: object) -> Printed:
        capsys.readouterr()
        try:
            status = main([str(argument) for argument in arguments])
        except SystemExit as exited:
            status = int(exited.code or 0)
        return Printed(status, *capsys.readouterr())

    return run


@pytest.fixture
def recorded(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Recorded:
    """Plays an agent of ``late_texts`` in its scenario, and writes the record."""
    write_files(folder)
    monkeypatch.syspath_prepend(folder)
    monkeypatch.delitem(sys.modules, "late_agents", raising=False)
    return recorder(folder)

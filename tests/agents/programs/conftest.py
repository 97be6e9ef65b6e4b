"""Fixtures for tests of programs."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from programs import CLIENT, Program


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """A function that writes a program, and returns the command that starts it."""

    def write(code: str, *arguments: object) -> str:
        path = tmp_path / f"program_{len(list(tmp_path.iterdir()))}.py"
        path.write_text(CLIENT + code)
        return " ".join(map(str, ("cmd:" + sys.executable, path, *arguments)))

    return write

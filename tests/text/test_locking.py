"""Locks of files."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from pytest_toolsandbox.text.locking import FileLock, LockedError, locked

ADD = """
import sys
from pathlib import Path
from pytest_toolsandbox.text.locking import locked
file = Path(sys.argv[1])
for _ in range(30):
    with locked(file):
        count = int(file.read_text())
        file.write_text(str(count + 1))
"""


def test_no_change_of_another_process_is_lost(tmp_path: Path) -> None:
    file = tmp_path / "count"
    file.write_text("0")
    with ThreadPoolExecutor(4) as threads:
        command = [sys.executable, "-c", ADD, str(file)]
        for process in [threads.submit(subprocess.run, command, check=True) for _ in range(3)]:
            process.result()
    assert file.read_text() == "90"
    assert list(tmp_path.iterdir()) == [file]


def test_a_lock_is_refused_while_it_is_held(tmp_path: Path) -> None:
    file = tmp_path / "new" / "results.jsonl"
    link = tmp_path / "link.jsonl"
    link.symlink_to(file)
    with locked(file), pytest.raises(LockedError, match="is being written by another process"):
        FileLock(link)
    lock = FileLock(link)
    lock.release()
    lock.release()


def test_a_killed_process_frees_its_lock(tmp_path: Path) -> None:
    file = tmp_path / "results.jsonl"
    code = """
import os, sys
from pathlib import Path
from pytest_toolsandbox.text.locking import FileLock
lock = FileLock(Path(sys.argv[1]))
os.kill(os.getpid(), 9)
"""
    subprocess.run([sys.executable, "-c", code, str(file)], check=False)
    FileLock(file).release()
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_has_no_locks(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with locked(tmp_path / "file" / "results.jsonl"):
        pass

"""Files are there whole, old or new."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from pytest_toolsandbox.text.files import beside_of, left_behind, read_whole, write_whole


def test_a_file_is_written_with_its_folders(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "file.txt"
    write_whole(path, "Zoë\nsays\n")
    assert path.read_bytes() == "Zoë\nsays\n".encode()
    assert [*path.parent.iterdir()] == [path]


def test_what_may_have_no_end_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero")):
        with pytest.raises(OSError, match="it is not a regular file"):
            read_whole(path)


def test_pipes_and_devices_stay_what_they_are(tmp_path: Path) -> None:
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    for path in (pipe, link):
        with pytest.raises(OSError, match="it is not a regular file"):
            write_whole(path, "new")
    assert pipe.is_fifo()


def test_what_was_there_stays_where_writing_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file.txt"
    path.write_text("old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_whole(path, "new")
    assert path.read_text() == "old"
    assert [*tmp_path.iterdir()] == [path]


@pytest.mark.parametrize("refusals", [2, 99])
def test_a_file_that_another_program_has_open_is_waited_for(
    refusals: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on Windows, which does not replace a file that is open."""
    path, left, replace, pauses = tmp_path / "file.txt", [refusals], Path.replace, list[float]()
    path.write_text("old")

    def refused(source: Path, target: Path) -> Path:
        left[0] -= 1
        if left[0] >= 0:
            error = PermissionError(13, "Access is denied")
            error.winerror = 5  # type: ignore[attr-defined]  # which only Windows has
            raise error
        return replace(source, target)

    monkeypatch.setattr(Path, "replace", refused)
    monkeypatch.setattr("pytest_toolsandbox.text.files.time.sleep", pauses.append)
    if refusals == 2:
        write_whole(path, "new")
        assert (path.read_text(), len(pauses)) == ("new", 2)
    else:
        with pytest.raises(PermissionError):
            write_whole(path, "new")
        assert path.read_text() == "old"
        assert sum(pauses) < 2
    assert [*tmp_path.iterdir()] == [path]


def test_half_a_character_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    path.write_text("old")
    with pytest.raises(UnicodeEncodeError):
        write_whole(path, "\ud800")
    assert path.read_text() == "old"


def test_a_link_leads_to_the_new_file(tmp_path: Path) -> None:
    path, link = tmp_path / "file.txt", tmp_path / "link.txt"
    path.write_text("old")
    link.symlink_to(path)
    write_whole(link, "new")
    assert link.is_symlink()
    assert path.read_text() == "new"


def test_threads_that_write_the_same_file_leave_one_of_their_texts(tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    texts = [letter * 50_000 for letter in "abcdef"]
    threads = [threading.Thread(target=write_whole, args=(path, text)) for text in texts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert path.read_text() in texts
    assert left_behind(tmp_path) == []


def test_what_a_kill_left_is_found(tmp_path: Path) -> None:
    left = beside_of(tmp_path / "folder" / "file.txt")
    left.parent.mkdir()
    left.write_text("half")
    assert left_behind(tmp_path) == [left]

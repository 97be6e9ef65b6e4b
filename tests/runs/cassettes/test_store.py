"""Cassettes as files: whole at any moment, whoever writes."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from pathlib import Path

import pytest

from pytest_toolsandbox.runs.cassettes import cassette as store
from pytest_toolsandbox.runs.cassettes.cassette import (
    RecordedTrial,
    UnreadableError,
    drop,
    keep,
    load,
    whole_trials,
)
from pytest_toolsandbox.runs.cassettes.exchanges import Exchange, Request

ABOUT = {"id": "late", "agent": "claude", "user": "scripted"}


def trial(text: str = "Done.", latency: int | None = None, size: int = 1) -> RecordedTrial:
    setting = {"model": "openai/stub", "prompt": "Be kind."}
    measured = {"latency": latency} if latency else {}
    request = Request("agent", setting, [{"user": "Text Ada. " * size}])
    return RecordedTrial([Exchange(request, {"assistant": text}, measured)])


def numbers(path: Path) -> list[int]:
    return sorted(load(path).written)


def test_trials_are_kept_one_beside_the_other(tmp_path: Path) -> None:
    path = tmp_path / "new" / "late.cassette.yaml"
    for number in (2, 1, 3):
        keep(path, ABOUT, number, trial(f"Done {number}."))
    trials = whole_trials(load(path))
    assert {number: kept.exchanges for number, kept in trials.items()} == {
        number: trial(f"Done {number}.").exchanges for number in (1, 2, 3)
    }
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_the_order_of_writing_makes_no_difference(tmp_path: Path) -> None:
    paths = [tmp_path / "a.cassette.yaml", tmp_path / "b.cassette.yaml"]
    for path, order in zip(paths, ((1, 2, 3), (3, 1, 2)), strict=True):
        for number in order:
            keep(path, ABOUT, number, trial(f"Done {number}."))
    assert paths[0].read_bytes() == paths[1].read_bytes()


def test_the_trials_of_another_agent_are_given_up(tmp_path: Path) -> None:
    path = tmp_path / "late.cassette.yaml"
    keep(path, ABOUT, 1, trial())
    keep(path, {**ABOUT, "user": "gpt"}, 2, trial())
    assert numbers(path) == [2]


def test_what_was_said_before_a_change_keeps_its_latency(tmp_path: Path) -> None:
    path = tmp_path / "late.cassette.yaml"

    def two(second: str, latency: int) -> RecordedTrial:
        return RecordedTrial([*trial("Yes?", latency).exchanges, *trial(second, latency).exchanges])

    keep(path, ABOUT, 1, two("Done.", 2))
    keep(path, ABOUT, 1, two("Sent.", 5))
    assert [exchange.measured["latency"] for exchange in whole_trials(load(path))[1].exchanges] == [
        2,
        5,
    ]
    keep(path, ABOUT, 1, trial("Yes?"))
    assert len(whole_trials(load(path))[1].exchanges) == 1


def test_what_is_too_large_is_neither_written_nor_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "late.cassette.yaml"
    keep(path, ABOUT, 1, trial(size=400))
    monkeypatch.setattr(store, "MEGABYTES", 0.01)
    with pytest.raises(OSError, match=r"it would have more than 0\.01 MB"):
        keep(path, ABOUT, 2, trial(size=1000))
    assert numbers(path) == [1]
    monkeypatch.setattr(store, "MEGABYTES", 0.001)
    with pytest.raises(UnreadableError, match=r"it has more than 0\.001 MB"):
        load(path)


def test_another_latency_alone_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "late.cassette.yaml"
    keep(path, ABOUT, 1, trial(latency=2))
    before = path.read_bytes(), path.stat().st_mtime_ns
    keep(path, ABOUT, 1, trial(latency=5))
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before
    keep(path, ABOUT, 1, trial("Sent.", latency=5))
    assert "latency: 5" in path.read_text()


def test_trials_are_dropped_and_the_file_with_the_last(tmp_path: Path) -> None:
    path = tmp_path / "late.cassette.yaml"
    for number in (1, 2):
        keep(path, ABOUT, number, trial())
    drop(path, {2})
    assert numbers(path) == [1]
    drop(path, {1})
    assert not path.exists()


def test_what_cannot_be_read_is_told(tmp_path: Path) -> None:
    path = tmp_path / "late.cassette.yaml"
    path.write_bytes(b"\xff")
    with pytest.raises(UnreadableError, match="no text in UTF-8"):
        load(path)
    with pytest.raises(UnreadableError, match="cannot be read: Is a directory"):
        load(tmp_path)


def test_threads_that_write_one_cassette_lose_no_trial(tmp_path: Path) -> None:
    path = tmp_path / "late.cassette.yaml"
    threads = [threading.Thread(target=keep, args=(path, ABOUT, n, trial())) for n in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert numbers(path) == [*range(12)]


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def killed(path: Path, moment: str) -> None:
    """Write a trial in a process that is killed as soon as it comes to a moment."""

    def write() -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(os if moment == "fsync" else Path, moment, lambda *_: die())
            keep(path, ABOUT, 1, trial("Sent."))

    run = multiprocessing.get_context("fork").Process(target=write)
    run.start()
    run.join()
    assert run.exitcode == -signal.SIGKILL


@pytest.mark.parametrize("moment", ["exists", "fsync", "replace"])
def test_a_run_that_is_killed_leaves_what_was_there(tmp_path: Path, moment: str) -> None:
    path = tmp_path / "late.cassette.yaml"
    keep(path, ABOUT, 1, trial())
    before = path.read_bytes()
    killed(path, moment)
    assert path.read_bytes() == before
    keep(path, ABOUT, 2, trial())  # nothing is locked any more
    assert numbers(path) == [1, 2]

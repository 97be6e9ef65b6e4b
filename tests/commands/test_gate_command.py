"""``toolsandbox gate --self-test``."""

from __future__ import annotations

from pathlib import Path

import pytest
from gate_records import write

from pytest_toolsandbox.__main__ import main


def test_it_says_how_often_it_is_wrong_and_what_it_sees(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for day in ("passed", "failed"):
        write(tmp_path / f"{day}.jsonl", day)
    assert main(["gate", "--self-test", "passed.jsonl", "failed.jsonl"]) == 0
    first, second, third, *rest = capsys.readouterr().out.splitlines()
    assert first == ("1000 times the trials of 12 scenarios in two random halves; nothing changed")
    shares = dict(part.rsplit(" ", 1) for part in second.strip().split(", "))
    assert list(shares) == ["worse", "better", "no worse", "inconclusive"]
    assert float(shares["worse"].rstrip("%")) <= 5
    assert third == "the drop that is told worse in 4 of 5 runs, with these trials as the baseline"
    assert rest[0].split()[-4:] == ["1", "2", "3", "5"]


def test_a_single_run_of_one_trial(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = write(tmp_path / "a.jsonl", "passed")
    assert main(["gate", "--self-test", str(file)]) == 1
    assert capsys.readouterr().err == (
        f"{file}: no scenario has two trials, so there are no halves to compare; play with more "
        "trials, or name several runs or a baseline\n"
    )

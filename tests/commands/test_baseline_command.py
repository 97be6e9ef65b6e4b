"""``toolsandbox baseline``: add, accept and show."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from gate_records import write

from pytest_toolsandbox.__main__ import main


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *words: str | Path) -> tuple[int, str]:
    status = main(["baseline", *map(str, words)])
    out, err = capsys.readouterr()
    return status, (out + err).strip()


def test_it_grows_and_tells_what_it_has(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    results = write(folder / "a.jsonl", "passed")
    assert run(capsys, "add", results) == (
        0,
        "baseline.jsonl: 12 scenarios with 1 trial each, from 1 run",
    )
    assert run(capsys, "add", results, "--date=2025-03-16") == (
        0,
        "baseline.jsonl: 12 scenarios with 2 trials each, from 2 runs",
    )
    status, text = run(capsys, "show")
    assert (status, [line.split() for line in text.splitlines()[1:]]) == (
        0,
        [
            ["date", "run", "agent", "trials"],
            ["2025-03-15", "3e58fb8e", "mine", "12"],
            ["2025-03-16", "33855ddc", "mine", "12"],
        ],
    )


def test_the_same_run_is_added_once(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    results = write(folder / "a.jsonl", "passed")
    run(capsys, "add", results)
    before = (folder / "baseline.jsonl").read_bytes()
    turned = results.read_text(encoding="utf-8").splitlines()[::-1]
    other = folder / "b.jsonl"
    other.write_text("\n".join(turned), encoding="utf-8")
    status, text = run(capsys, "add", other, "--date=2025-03-15")
    assert (status, text.partition("; ")[2]) == (0, "1 file had been added before")
    assert (folder / "baseline.jsonl").read_bytes() == before


def test_what_was_replayed_is_no_new_sample(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    again, live = write(folder / "again.jsonl", duration=0), write(folder / "live.jsonl")
    told = "trials replayed from cassettes: no new sample"
    remedy = "play them without --sandbox-record, or with all"
    for command in (["add", again], ["accept", again, "--reason=new"]):
        assert run(capsys, *map(str, command)) == (1, f"{again}: 12 {told}; {remedy}")
    assert not (folder / "baseline.jsonl").exists()
    lines = [*again.read_text().splitlines()[:5], *live.read_text().splitlines()[5:]]
    (folder / "both.jsonl").write_text("\n".join(lines))
    status, text = run(capsys, "add", "both.jsonl")
    assert (status, text.splitlines()) == (
        0,
        [
            f"both.jsonl: 5 {told}, and left out",
            "baseline.jsonl: 7 scenarios with 1 trial each, from 1 run",
        ],
    )


def test_a_run_that_is_worse_is_added_only_where_it_is_meant(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good, bad = write(folder / "a.jsonl", "passed"), write(folder / "b.jsonl", "failed")
    run(capsys, "add", good)
    status, text = run(capsys, "add", bad)
    assert (status, text) == (
        1,
        (
            "baseline.jsonl: nothing was added: worse: it passes less often than the baseline; if "
            "that is to be the new level: toolsandbox baseline accept --reason TEXT"
        ),
    )
    status, text = run(capsys, "accept", bad, "--reason", "the cheap model\nis enough")
    assert (status, text) == (
        0,
        (
            "baseline.jsonl: 12 scenarios with 1 trial each, from 1 run; the norm since "
            "2025-03-15: the cheap model is enough"
        ),
    )
    assert run(capsys, "show")[1].startswith("the norm since 2025-03-15: the cheap model is enough")
    assert run(capsys, "add", good)[0] == 0  # better
    assert run(capsys, "show")[1].startswith("the norm since 2025-03-15: the cheap model is enough")


@pytest.mark.parametrize(
    ("words", "facts", "text"),
    [
        (["add"], {"scores": None}, "a.jsonl: no trial passed or failed"),
        (["add", "--date=yesterday"], {}, "--date: 'yesterday' is not a date such as 2025-03-14"),
        (["accept", "--reason= "], {}, "--reason: nothing is given"),
        (["add", "--file=a.jsonl"], {}, "a.jsonl:1: this is no line of a baseline"),
        (["add", "nowhere"], {}, "nowhere: cannot be read: No such file or directory"),
        (["add", "/dev/zero"], {}, "/dev/zero: cannot be read: it is not a regular file"),
    ],
)
def test_mistakes(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    facts: dict[str, Any],
    text: str,
) -> None:
    write(folder / "a.jsonl", "error" if "scores" in facts else "passed", **facts)
    status, told = run(capsys, *words, "a.jsonl")
    assert status == 1
    assert text in told
    assert not (folder / "baseline.jsonl").exists()


def test_a_new_level_takes_the_place_of_no_records(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    new, old = write(folder / "new.jsonl", "passed"), write(folder / "old.jsonl", "failed")
    before = old.read_bytes()
    assert run(capsys, "accept", new, f"--file={old}", "--reason=x") == (
        1,
        f"--file: {old} holds records; name the file of the baseline",
    )
    assert old.read_bytes() == before


def test_another_user_is_no_baseline(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "add", write(folder / "a.jsonl", "passed"))
    other = write(
        folder / "b.jsonl", "passed", user="gpt", user_settings={"name": "gpt", "type": None}
    )
    status, text = run(capsys, "add", other)
    assert status == 1
    assert (
        'it was played otherwise: the user: {"name": "gpt", "type": null} here, scripted there'
        in text
    )


@pytest.mark.parametrize("command", [["compare"], ["gate", "--self-test"], ["baseline", "show"]])
def test_a_conflict_at_the_beginning_is_told_by_all_that_read_it(
    folder: Path, capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    head = '{"baseline": 1}\n'
    text = f"<<<<<<< HEAD\n{head}||||||| base\n=======\n{head}>>>>>>> other\n"
    (folder / "baseline.jsonl").write_text(text)
    assert main([*command, *(["baseline.jsonl"] if command[-1] != "show" else [])]) == 1
    told = "git left a conflict here; keep the lines of both sides, and delete the marks"
    assert capsys.readouterr().err == f"baseline.jsonl:1: {told}\n"

"""``toolsandbox baseline``: add, accept and show."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from command_line import Run
from gate_records import write

FILE = "baseline.jsonl: 12 scenarios with"
NORM = "the norm since 2025-03-15: the cheap model is enough"


def test_it_grows_and_shows_what_it_has(folder: Path, run: Run) -> None:
    results = write(folder / "a.jsonl", "passed")
    added = run("baseline", "add", results)
    assert added == (0, f"{FILE} 1 trial each, from 1 run\n", "")
    added = run("baseline", "add", results, "--date=2025-03-16")
    assert added == (0, f"{FILE} 2 trials each, from 2 runs\n", "")
    status, out, _ = run("baseline", "show")
    assert (status, [line.split() for line in out.splitlines()[1:] if line]) == (
        0,
        [
            ["date", "run", "agent", "trials"],
            ["2025-03-15", "3e58fb8e", "mine", "12"],
            ["2025-03-16", "33855ddc", "mine", "12"],
        ],
    )


def test_the_same_run_is_added_once(folder: Path, run: Run) -> None:
    results = write(folder / "a.jsonl", "passed")
    run("baseline", "add", results)
    before = (folder / "baseline.jsonl").read_bytes()
    turned = results.read_text(encoding="utf-8").splitlines()[::-1]
    (folder / "b.jsonl").write_text("\n".join(turned), encoding="utf-8")
    status, out, _ = run("baseline", "add", "b.jsonl", "--date=2025-03-15")
    assert (status, out.partition("; ")[2]) == (0, "1 file had been added before\n")
    assert (folder / "baseline.jsonl").read_bytes() == before


def test_what_was_replayed_is_no_new_sample(folder: Path, run: Run) -> None:
    again, live = write(folder / "again.jsonl", duration=0), write(folder / "live.jsonl")
    replayed = "trials replayed from cassettes: no new sample"
    remedy = "play them without --sandbox-record, or with all"
    for command in (["add", again], ["accept", again, "--reason=new"]):
        assert run("baseline", *command) == (1, "", f"{again}: 12 {replayed}; {remedy}\n")
    assert not (folder / "baseline.jsonl").exists()
    lines = [*again.read_text().splitlines()[:5], *live.read_text().splitlines()[5:]]
    (folder / "both.jsonl").write_text("\n".join(lines))
    status, out, errors = run("baseline", "add", "both.jsonl")
    assert (status, (out + errors).splitlines()) == (
        0,
        [
            f"both.jsonl: 5 {replayed}, and left out",
            "baseline.jsonl: 7 scenarios with 1 trial each, from 1 run",
        ],
    )


def test_a_run_that_is_worse_is_added_only_where_it_is_meant(folder: Path, run: Run) -> None:
    good, bad = write(folder / "a.jsonl", "passed"), write(folder / "b.jsonl", "failed")
    run("baseline", "add", good)
    status, out, errors = run("baseline", "add", bad)
    assert (status, out + errors) == (
        1,
        (
            "baseline.jsonl: nothing was added: worse: it passes less often than the baseline; if "
            "that is to be the new level: toolsandbox baseline accept --reason TEXT\n"
        ),
    )
    accepted = run("baseline", "accept", bad, "--reason", "the cheap model\nis enough")
    assert accepted == (0, f"{FILE} 1 trial each, from 1 run; {NORM}\n", "")
    assert run("baseline", "show").out.startswith(NORM)
    assert run("baseline", "add", good).status == 0  # better
    assert run("baseline", "show").out.startswith(NORM)


@pytest.mark.parametrize(
    ("words", "facts", "text"),
    [
        (["add"], {"scores": None}, "a.jsonl: no trial passed or failed"),
        (["add", "--date=yesterday"], {}, "--date: 'yesterday' is not a date such as 2025-03-14"),
        (["accept", "--reason= "], {}, "--reason: nothing is given"),
        (["add", "--file=a.jsonl"], {}, "a.jsonl:1: this is no line of a baseline"),
        (["add", "nowhere"], {}, "nowhere: cannot be read: No such file or directory"),
        (["add", "/dev/zero"], {}, "/dev/zero: cannot be read: it is not a regular file"),
        (
            ["accept", "--file=a.jsonl", "--reason=x"],
            {},
            "--file: a.jsonl holds records; name the file of the baseline",
        ),
    ],
)
def test_mistakes(
    folder: Path, run: Run, words: list[str], facts: dict[str, Any], text: str
) -> None:
    file = write(folder / "a.jsonl", "error" if "scores" in facts else "passed", **facts)
    before = file.read_bytes()
    status, _, errors = run("baseline", *words, "a.jsonl")
    assert (status, text in errors) == (1, True)
    assert file.read_bytes() == before
    assert not (folder / "baseline.jsonl").exists()


def test_another_user_is_no_baseline(folder: Path, run: Run) -> None:
    run("baseline", "add", write(folder / "a.jsonl", "passed"))
    gpt = {"name": "gpt", "type": None}
    other = write(folder / "b.jsonl", "passed", user="gpt", user_settings=gpt)
    status, _, errors = run("baseline", "add", other)
    problem = 'it was played otherwise: the user: {"name": "gpt", "type": null} here, scripted'
    assert (status, problem in errors) == (1, True)


@pytest.mark.parametrize("command", [["compare"], ["gate", "--self-test"], ["baseline", "show"]])
def test_all_that_read_it_report_a_conflict_at_the_beginning(
    folder: Path, run: Run, command: list[str]
) -> None:
    head = '{"baseline": 1}\n'
    text = f"<<<<<<< HEAD\n{head}||||||| base\n=======\n{head}>>>>>>> other\n"
    (folder / "baseline.jsonl").write_text(text)
    printed = run(*command, *(["baseline.jsonl"] if command[-1] != "show" else []))
    problem = "git left a conflict here; keep the lines of both sides, and delete the marks"
    assert printed == (1, "", f"baseline.jsonl:1: {problem}\n")

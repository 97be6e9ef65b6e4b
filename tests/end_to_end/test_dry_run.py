"""What ``--sandbox-dry-run`` says of a run, of which nothing is played."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from desk import LIGHT, Suite

NAMES = ("one", "two", "three", "four")
MANY = f"scenarios: {{{', '.join(f'{name}: ' for name in NAMES)}}}\n{LIGHT}"
DRY = "--sandbox-dry-run"
UNKNOWN = "dry run: tokens, cost and time are unknown: "
NOT_INCLUDED = (
    "dry run: reasoning, models that play users, and judges are not in it; time is unknown"
)


@pytest.fixture
def many(suite: Suite) -> Suite:
    """A folder with four scenarios, and an agent that must never be called."""
    suite.write("many.scenario.yaml", MANY)
    suite.write(
        "never.py",
        "def agent(messages, tools):\n    open('called', 'w').close()\n    return 'No.'\n",
    )
    return suite


def dry(suite: Suite, *options: str, agent: str = "never:agent") -> list[str]:
    """Return what a dry run says, which plays nothing and is no failure."""
    result = suite.run(f"--agent={agent}", DRY, *options)
    assert result.ret == pytest.ExitCode.OK
    assert not (suite.path / "called").exists()
    result.assert_outcomes(deselected=result.parseoutcomes().get("deselected", 0))
    return [line for line in result.outlines if line.startswith("dry run: ")]


def keep(suite: Suite, **figures: Any) -> None:
    """Play what is there, and write records with these figures, by the name of the scenario."""
    suite.run("--agent=oracle", "--sandbox-results=past.jsonl", "--sandbox-overwrite")
    records = [record for record in suite.records("past.jsonl") if record["scenario"] in figures]
    for record in records:
        record.update(figures[record["scenario"]])
    suite.write("past.jsonl", "".join(f"{json.dumps(record)}\n" for record in records))


def used(tokens: int | None, cost: float | None, seconds: float) -> dict[str, Any]:
    figures: dict[str, Any] = {
        "requests": 1,
        "retries": 0,
        "input_tokens": tokens,
        "output_tokens": tokens,
    }
    figures |= {"cached_tokens": None, "reasoning_tokens": None, "cost": cost}
    agent = figures | {"latency": 1.0, "waited": 0.0}
    return {"usage": {"agent": agent}, "duration": seconds}


def test_nothing_is_played_and_solutions_tell_the_tokens(many: Suite) -> None:
    many.write("test_python.py", "def test(): assert False")
    many.ini("sandbox_prices =", "    any/model = 1000 2000")
    options = ("--sandbox-results=new.jsonl", "--sandbox-html=new.html")
    played, used, rest = dry(many, *options)
    assert (played, rest) == ("dry run: 4 conversations of 4 items would be played", NOT_INCLUDED)
    tokens = re.fullmatch(
        r"dry run: about ([\d,]+) tokens, cost unknown, by the lengths of the solutions", used
    )
    assert tokens
    many.run("--agent=oracle", "--sandbox-results=past.jsonl")
    shown = sum(
        len(message["content"])
        for record in many.records("past.jsonl")
        for message in record["messages"]
    )
    assert int(tokens[1].replace(",", "")) > shown / 4  # all is sent again with each request
    assert re.search(r"about [\d,]+ tokens, \$[1-9]", dry(many, *options, agent="any/model")[1])
    assert not (many.path / "new.jsonl").exists()
    assert not (many.path / "new.html").exists()


@pytest.mark.parametrize(
    ("options", "would"),
    [
        (["--sandbox-trials=3"], "12 conversations of 4 items"),
        (["--sandbox-trials=3", "--sandbox-pass=any"], "at most 12 conversations of 4 items"),
        (["-k", "one or two"], "2 conversations of 2 items"),
        (["--sandbox-shard=1/4", "--sandbox-trials=2"], "2 conversations of 1 item"),
        (["--sandbox-augment=all", "-k", "one"], "8 conversations of 8 items"),
    ],
)
def test_what_would_be_played(many: Suite, options: list[str], would: str) -> None:
    assert dry(many, *options)[0] == f"dry run: {would} would be played"


def test_without_an_agent_and_with_marks_nothing_is_played(many: Suite) -> None:
    many.write("marked.scenario.yaml", f"{LIGHT}\nmarks: [skip]")
    assert dry(many)[0] == "dry run: 4 conversations of 4 of 5 items would be played"
    result = many.run(DRY)
    assert result.ret == pytest.ExitCode.OK
    assert [line for line in result.outlines if line.startswith("dry run")] == [
        "dry run: 0 conversations of 0 of 5 items would be played",
        "dry run: 5 scenarios without an agent: give --agent=NAME",
    ]


REFUSED = (
    "ERROR: sandbox_dry_run: every run would pass, and play nothing; take it out of the ini file, "
    "of addopts and PYTEST_ADDOPTS, and type --sandbox-dry-run where you want it"
)


@pytest.mark.parametrize("line", ["sandbox_dry_run = true", f"addopts = {DRY}"])
def test_no_run_is_dry_that_was_not_asked_to_be(many: Suite, line: str) -> None:
    many.ini(line)
    result = many.run("--agent=never:agent")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert REFUSED in result.errlines
    assert dry(many)[0] == "dry run: 4 conversations of 4 items would be played"
    assert not (many.path / "called").exists()


def test_with_workers(many: Suite) -> None:
    result = many.run_apart("--agent=never:agent", "-n2", DRY)
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines("dry run: 4 conversations of 4 items would be played")
    assert "2 workers" not in result.stdout.str()
    assert not (many.path / "called").exists()


def test_by_the_records_of_an_earlier_run(many: Suite) -> None:
    known = {name: used(500, 0.25, 30.0) for name in NAMES}
    keep(many, **known | {"four": used(1500, 0.75, 90.0)})
    past = many.path / "past.jsonl"
    assert dry(many, "--sandbox-durations=past.jsonl", "--sandbox-trials=2") == [
        "dry run: 8 conversations of 4 items would be played",
        f"dry run: about 12,000 tokens, $3.0000, by the records of {past}",
        (
            "dry run: about 6 min one after the other, 2 min with 64 at a time, as models and "
            "services are asked"
        ),
    ]
    lines = dry(many, "--sandbox-results=past.jsonl", "--sandbox-concurrency=1")
    assert lines[1:] == [
        f"dry run: about 6,000 tokens, $1.5000, by the records of {past}",
        "dry run: about 3 min one after the other",
    ]
    lines = dry(many, "--sandbox-durations=past.jsonl", "--sandbox-concurrency=2", "-k", "one")
    assert lines[2] == "dry run: about 30 s one after the other, 30 s with 2 at a time"


def test_what_has_no_record_is_taken_for_the_mean_and_told(many: Suite) -> None:
    keep(many, one=used(500, 0.25, 10.0), two=used(500, 0.75, 20.0))
    lines = dry(many, "--sandbox-durations=past.jsonl")
    assert lines[1].startswith("dry run: about 4,000 tokens, $2.0000, ")
    assert lines[2].startswith("dry run: about 1 min one after the other, 20 s with ")
    assert lines[3:] == [
        "dry run: not in that file, and taken for the mean of the others: 2 of 4 items"
    ]


def test_what_is_unknown_stays_unknown(many: Suite) -> None:
    past = many.path / "past.jsonl"
    keep(many, **{name: used(500, 0.25, 10.0) for name in NAMES} | {"two": used(500, None, 10.0)})
    lines = dry(many, "--sandbox-durations=past.jsonl")
    assert lines[1] == f"dry run: about 4,000 tokens, cost unknown, by the records of {past}"
    keep(many, **{name: {} for name in NAMES})
    assert dry(many, "--sandbox-durations=past.jsonl")[1:] == [
        f"dry run: tokens unknown, cost unknown, by the records of {past}",
        "dry run: time unknown",
    ]
    of_user = {"usage": {"user": used(500, 0.25, 10.0)["usage"]["agent"]}}
    keep(many, **dict.fromkeys(NAMES, of_user))
    assert "tokens unknown, cost unknown" in dry(many, "--sandbox-durations=past.jsonl")[1]


def test_records_of_no_use(many: Suite) -> None:
    keep(many, **{name: {"outcome": "error"} for name in NAMES})
    text = f"no conversation of these items came to an end in {many.path / 'past.jsonl'}"
    assert dry(many, "--sandbox-durations=past.jsonl")[1:] == [f"{UNKNOWN}{text}"]
    many.write("torn.jsonl", "{")
    reason = "torn: the run was stopped while it was written"
    lines = dry(many, "--sandbox-results=torn.jsonl")
    assert lines[1:] == [f"{UNKNOWN}{many.path / 'torn.jsonl'}:1: {reason}"]
    assert (many.path / "torn.jsonl").read_text() == "{"


def test_what_a_resumed_run_has_finished_is_not_played(many: Suite) -> None:
    keep(many, one={}, two={"outcome": "error"}, three={"scenario_digest": "another"})
    before = (many.path / "past.jsonl").read_bytes()
    lines = dry(many, "--sandbox-resume=past.jsonl")
    assert lines[0] == "dry run: 3 conversations of 3 of 4 items would be played"
    assert dry(many, "--sandbox-resume=past.jsonl", "--sandbox-trials=2")[0] == (
        "dry run: 7 conversations of 4 items would be played"
    )
    any_of = ("--sandbox-trials=2", "--sandbox-pass=any")
    assert dry(many, "--sandbox-resume=past.jsonl", *any_of)[0] == (
        "dry run: at most 6 conversations of 3 of 4 items would be played"
    )
    assert (many.path / "past.jsonl").read_bytes() == before


def test_what_is_replayed_asks_nobody(many: Suite) -> None:
    line = "dry run: they are replayed from cassettes, which asks nobody"
    assert dry(many, "--sandbox-record=replay")[1:] == [line]


def test_what_a_run_refuses_is_refused(many: Suite) -> None:
    keep(many, one={})
    for options, text in {
        ("--sandbox-rejudge=past.jsonl",): "--sandbox-rejudge plays nothing; give one",
        ("--sandbox-pass=2",): "can never pass",
        ("--sandbox-min-score=nothing=1",): "no scenario of this run is of 'nothing'",
    }.items():
        result = many.run("--agent=never:agent", DRY, *options)
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        result.stderr.fnmatch_lines(f"ERROR: *{text}*")

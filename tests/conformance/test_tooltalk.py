"""The runs of a folder, replayed, and the harness that does it, on runs of its own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from published_tooltalk import ADA, FIRST_TOKEN, NEW, TOKEN, changed, keys, write_data

from pytest_toolsandbox.worlds import world as worlds

from .own_runs import run, total
from .tooltalk import ODD, compared, main, only_odd, without_odd

Json = dict[str, Any]


@pytest.fixture(autouse=True)
def _nothing_stays_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worlds, "_registered", dict(worlds._registered))


def test_every_run_and_every_total_agrees(tooltalk_folders: tuple[Path, Path]) -> None:
    folder, data = tooltalk_folders
    files = sorted(folder.glob("tooltalk_*_runs.json"))
    assert files
    for file in files:
        document = json.loads(file.read_text(encoding="utf-8"))
        assert len(compared(without_odd(document), data)) > len(document["aggregate"])
        assert differing(document, data) == {}
        assert compared(only_odd(document), data)  # exempt, but can be played


# runs of our own


def made(
    name: str,
    parameters: Json | None,
    response: Json | None,
    error: str | None = None,
    truth: tuple[int, int] | None = None,
    *,
    bad: bool = False,
    token: str | None = None,
) -> Json:
    executed = parameters if token is None else {**(parameters or {}), "session_token": token}
    return {
        "api_name": name,
        "parameters": parameters,
        "executed_parameters": executed,
        "response": response,
        "exception": error,
        "match": truth is not None,
        "bad_action": bad,
        "matched_ground_truth": None if truth is None else list(truth),
    }


CONVERSATIONS = {
    "AddAlarm-easy": {"split": "easy", "file": "easy/AddAlarm-easy.json"},
    "Account-Alarm-0": {"split": "hard", "file": "tooltalk/Account-Alarm-0.json"},
}

GOOD = made("AddAlarm", {"time": "07:00:00"}, {"alarm_id": "5bff-dd80"}, truth=(1, 0), token=TOKEN)
ACCOUNT = {key: NEW[key] for key in ("username", "email", "phone", "name")}
REGISTER = {"username": "newcomer", "password": "null", "email": "new@desk.org"}
WRONG, RIGHT = ({"username": "newcomer", "password": word} for word in ("wrong", "null"))
OPEN = {"session_token": FIRST_TOKEN}
REFUSED = "The password is incorrect."
ORACLE = run(
    "oracle",
    "hard",
    "Account-Alarm-0",
    (5, 5, 5, 5, 5, 0),
    {
        2: [made("RegisterUser", REGISTER, {**OPEN, "user": ACCOUNT}, truth=(2, 0))],
        4: [
            {**GOOD, "executed_parameters": OPEN, "matched_ground_truth": [4, 0]},
            made("LogoutUser", {}, {"status": "success"}, truth=(4, 1), token=FIRST_TOKEN),
            made("UserLogin", WRONG, None, REFUSED, (4, 2)),
        ],
        6: [made("UserLogin", RIGHT, OPEN, truth=(6, 0))],
    },
)
MISSING = made(
    "AddAlarm", {}, None, "AddAlarm.call() missing 1 required positional argument: 'time'",
    token=TOKEN,
)  # fmt: skip
UNKNOWN = made("NoAddAlarm", {}, None, "API NoAddAlarm not found")
UNPARSED = made("AddAlarm", None, None, "Failed to parse API call")
EARLY = made("AddAlarm", {"time": "06:00:00"}, {"alarm_id": "20d0-d9ca"}, bad=True, token=TOKEN)
WILD_CALLS = {1: [MISSING, UNKNOWN, UNPARSED, GOOD, EARLY]}
WILD = run("wild", "easy", "AddAlarm-easy", (5, 1, 1, 4, 1, 1), WILD_CALLS)
HALF = made(
    "UpdateAccountInformation",
    {"password": "fern", "new_email": "a@b.org", "new_phone_number": "none"},
    None,
    "The phone number is invalid.",
    token=TOKEN,
)
AFTER = made(
    "GetAccountInformation",
    {},
    {"user": {**{key: ADA[key] for key in ("username", "phone", "name")}, "email": "a@b.org"}},
    token=TOKEN,
)
PARTIAL = run("partial", "easy", "AddAlarm-easy", (3, 1, 1, 2, 1, 0), {1: [HALF, AFTER, GOOD]})
DELETED = made("DeleteAlarm", {"alarm_id": 7}, {"status": "success"}, bad=True, token=TOKEN)
ODD_RUN = run(ODD, "easy", "AddAlarm-easy", (2, 1, 1, 2, 1, 1), {1: [DELETED, GOOD]})
AGREEING = {
    "conversations": CONVERSATIONS,
    "runs": [ORACLE, WILD, PARTIAL, ODD_RUN],
    "aggregate": {
        "oracle": total(ORACLE),
        "wild": total(WILD, bad_planning=1),
        "partial": total(PARTIAL),
        ODD: total(ODD_RUN, bad_planning=1),
    },
}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return write_data(tmp_path / "data")


def differing(document: Json, data: Path) -> dict[str, list[str]]:
    lines_by_name = compared(without_odd(document), data)
    return {name: lines for name, lines in lines_by_name.items() if lines}


def test_runs_that_agree_have_no_differences(data: Path) -> None:
    assert differing(AGREEING, data) == {}


NAME = "oracle Account-Alarm-0"
CALLS = "runs.0.turns.1.calls"


@pytest.mark.parametrize(
    ("path", "value", "name", "shown", "actual"),
    [
        (
            *(f"{CALLS}.0.response", {"alarm_id": "1"}),
            *(NAME, "calls[1].response", {"alarm_id": "5bff-dd80"}),
        ),
        (f"{CALLS}.2.exception", "No.", NAME, "calls[3].error", REFUSED),
        (
            *(f"{CALLS}.1.executed_parameters", {"session_token": "other"}),
            *(NAME, "calls[2].session", FIRST_TOKEN),
        ),
        (
            *(f"{CALLS}.1.matched_ground_truth", [4, 0]),
            *(NAME, "calls[2].matched_ground_truth", [4, 1]),
        ),
        ("runs.0.metrics.recall", 0.5, NAME, "recall", 1.0),
        ("runs.1.turns.0.calls.0.response", {}, "wild AddAlarm-easy", "calls[0].response", None),
        ("aggregate.wild.easy.bad_actions", 2, "wild, all of easy", "bad_actions", 1),
    ],
)
def test_outcomes_marks_and_figures_are_compared(
    *, path: str, value: Any, name: str, shown: str, actual: Any, data: Path
) -> None:
    expected = value["session_token"] if shown.endswith("session") else value
    line = f"{shown}: expected {expected}, found {actual}"
    assert differing(changed(AGREEING, keys(path), value), data) == {name: [line]}


@pytest.mark.parametrize("place", range(3))
def test_calls_whose_error_is_exempt_must_fail(place: int, data: Path) -> None:
    """Where the published code has a right call among them, it cannot have failed."""
    right = {"parameters": {"time": "07:00:00"}, "api_name": "AddAlarm"}
    document = changed(AGREEING, ["runs", 1, "turns", 0, "calls", place], {**MISSING, **right})
    lines = differing(document, data)["wild AddAlarm-easy"]
    assert f"calls[{place}].failed: expected True, found False" in lines


def test_the_command_says_what_agrees_and_what_is_exempt(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = data.parent / "runs.json"
    file.write_text(json.dumps(AGREEING), encoding="utf-8")
    arguments = ["--data", str(data), "--runs", str(file)]
    assert main(arguments) == 0
    exempt = (
        "outcomes exempt   1: errors in the words of Python there\n"
        "outcomes exempt   1: unknown tools, which the execution environment refuses\n"
        "outcomes exempt   1: arguments that cannot be parsed, "
        "which the execution environment refuses\n"
        "outcomes exempt   2: calls of a turn after an error that left a part done there\n"
        "exempt 2: odd_input, of wrong types; 0 of them agree\n"
    )
    assert capsys.readouterr().out == f"{exempt}agree 6 of 6\n"
    document = changed(AGREEING, ["runs", 0, "metrics", "matches"], 4)
    file.write_text(json.dumps(document), encoding="utf-8")
    assert main(arguments) == 1
    assert capsys.readouterr().out == (
        f"{NAME}: matches: expected 4, found 5\n{exempt}agree 5 of 6\n"
    )


def test_damaged_data_is_named(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = data.parent / "runs.json"
    file.write_text(json.dumps(AGREEING), encoding="utf-8")
    damaged = data / "tooltalk" / "Account-Alarm-0.json"
    damaged.unlink()
    assert main(["--data", str(data), "--runs", str(file)]) == 1
    expected = f"{damaged}: expected a file to read: No such file or directory\n"
    assert capsys.readouterr() == ("", expected)

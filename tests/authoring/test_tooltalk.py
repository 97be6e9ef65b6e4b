"""``toolsandbox import tooltalk``: what comes of published data, and what damage is named."""

from __future__ import annotations

import itertools
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from published_tooltalk import (
    ALARM,
    DATABASES,
    EASY,
    FIRST_TOKEN,
    HARD,
    NOTHING,
    TOKEN,
    changed,
    write_data,
)

from pytest_toolsandbox.__main__ import main
from pytest_toolsandbox.agents.scripted import oracle
from pytest_toolsandbox.conversation.replay import replay
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import AgentTurn, RecordedCall, Replay, UserTurn
from pytest_toolsandbox.protocols import load_file
from pytest_toolsandbox.scoring.tooltalk.evaluate_replay import evaluate_replay
from pytest_toolsandbox.worlds import world as worlds


@pytest.fixture(autouse=True)
def _nothing_stays_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worlds, "_registered", dict(worlds._registered))


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return write_data(tmp_path / "data")


@pytest.fixture
def out(data: Path) -> Path:
    """The folder into which the data set was imported."""
    folder = data.parent / "out"
    assert main(["import", "tooltalk", str(data), str(folder)]) == 0
    return folder


def scenario(out: Path, name: str) -> tuple[Scenario, Replay]:
    (file,) = out.rglob(f"{name}.scenario.yaml")
    (scene,) = load_file(file)
    return scene, scene.task_as(Replay)


def files(folder: Path) -> dict[str, bytes]:
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


WRITTEN = f"""\
summary: Ada and her alarms
categories:
  - easy
world: tooltalk_office
now: "2023-09-11 09:00:00"
session:
  user: ada
  logged_in: true
  token: {TOKEN!r}
  location: Lagos
protocol: published_code
compare_receiver: false
max_messages: 200
conversation:
  - user: Wake me at 7.
  - calls:
      - AddAlarm:
          time: "07:00:00"
        result:
          alarm_id: "5bff-dd80"
    assistant: I will.
  - user: Thanks!
""".replace("'", '"')


def test_a_conversation_becomes_a_scenario(out: Path) -> None:
    text = (out / "easy" / "AddAlarm-easy.scenario.yaml").read_text(encoding="utf-8")
    assert text == WRITTEN


def test_says_what_was_written(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = data.parent / "my scenarios"
    assert main(["import", "tooltalk", str(data), str(out)]) == 0
    assert capsys.readouterr().out == (
        f"wrote 2 scenarios: {out}/easy\n"
        f"wrote 2 scenarios: {out}/hard\n"
        f"wrote the world tooltalk_office: {out}/conftest.py, {out}/databases\n"
        f"next: pytest --agent=oracle '{out}'\n"
    )
    assert sorted(files(out)) == [
        "conftest.py",
        "databases/Account.json",
        "databases/Alarm.json",
        "easy/AddAlarm-easy.scenario.yaml",
        "easy/ResetPassword-easy.scenario.yaml",
        "hard/Account-Alarm-0.scenario.yaml",
        "hard/golden_conversation_1.scenario.yaml",
    ]


def test_the_databases_are_copied_as_they_are(out: Path, data: Path) -> None:
    assert files(out / "databases") == files(data / "databases")


@pytest.mark.parametrize("name", [*EASY, *HARD])
def test_the_conversation_is_the_published_one_and_the_oracle_succeeds(
    out: Path, name: str
) -> None:
    """All that is said, called and recorded is there, but for the token among the arguments."""
    published = {**EASY, **HARD}[name]["conversation"]
    scene, recording = scenario(out, name)
    texts: list[tuple[str, str]] = []
    called: list[RecordedCall] = []
    for turn in recording.turns:
        texts.append(("user" if isinstance(turn, UserTurn) else "assistant", turn.content))
        called += turn.calls if isinstance(turn, AgentTurn) else ()
    assert texts == [(turn["role"], turn["text"]) for turn in published]
    assert [(call.tool, call.arguments, call.result, call.error) for call in called] == [
        (
            api["request"]["api_name"],
            {k: v for k, v in api["request"]["parameters"].items() if k != "session_token"},
            api["response"],
            api["exception"],
        )
        for turn in published
        for api in turn.get("apis", ())
    ]
    assert all(call.recorded for call in called)
    assert (recording.rules, recording.compare_receiver) == ("published_code", False)
    evaluation = evaluate_replay(scene, replay(scene, oracle(scene)))
    assert evaluation.passed
    assert evaluation.counts.precision == evaluation.counts.recall == 1


def test_a_session_is_open_from_the_start_where_there_is_a_token(out: Path) -> None:
    scene, replay = scenario(out, "AddAlarm-easy")
    assert (replay.user_name, replay.location) == ("ada", "Lagos")
    assert dict(*scene.start["session"]) == {"username": "ada", "token": TOKEN}
    assert f"{scene.now:%Y-%m-%d %H:%M:%S}" == "2023-09-11 09:00:00"
    assert scene.categories == ("easy",)


def test_a_code_that_was_sent_is_there_and_nobody_is_logged_in(out: Path) -> None:
    scene, recording = scenario(out, "ResetPassword-easy")
    assert recording.user_name is None
    assert dict(*scene.start["session"]) == {"username": None, "token": None}
    (ada,) = scene.start["account"].where(username="ada")
    assert ada["verification_code"] == "007123"
    scene, _ = scenario(out, "Account-Alarm-0")  # whose user has no account yet
    assert not scene.start["account"].where(username="newcomer")
    trajectory = replay(scene, oracle(scene))
    tokens = [row["token"] for state in trajectory.states for row in state["session"]]
    assert {*tokens} == {None, FIRST_TOKEN}
    assert (scene.categories, scene.summary) == (("hard",), "")


def test_pytest_plays_the_folder_wherever_it_lies(out: Path, pytester: pytest.Pytester) -> None:
    moved = shutil.move(out, pytester.path / "elsewhere")
    result = pytester.runpytest_subprocess("--agent=oracle", str(moved))
    result.assert_outcomes(passed=4)
    result = pytester.runpytest_subprocess("--agent=oracle", str(moved), "-m", "hard")
    result.assert_outcomes(passed=2, deselected=2)


def imported(data: Path, **changes: Any) -> Path:
    """Import a data set with one conversation, in which some fields are others."""
    document = {**ALARM, **changes}
    out = data.parent / "out"
    write_data(data, {"one": document}, None)
    assert main(["import", "tooltalk", str(data), str(out)]) == 0
    return out


def test_what_an_evaluation_added_is_left_out(tmp_path: Path) -> None:
    turns = changed(ALARM, ["conversation", 1, "predictions"], [{"role": "assistant"}])
    turns = changed(turns, ["conversation", 1, "apis", 0, "match"], value=True)
    out = imported(tmp_path / "data", **turns, metrics={"recall": 1.0})
    assert (out / "easy" / "one.scenario.yaml").read_text(encoding="utf-8") == WRITTEN


def test_times_get_leading_zeros_and_nothing_else_is_changed(tmp_path: Path) -> None:
    metadata = {"timestamp": "2023-9-1 7:05:00", "location": "Lagos"}
    out = imported(tmp_path / "data", metadata=metadata)
    assert f"{scenario(out, 'one')[0].now:%Y-%m-%d %H:%M:%S}" == "2023-09-01 07:05:00"


@pytest.mark.parametrize(("easy", "hard"), [(EASY, None), (None, HARD)])
def test_one_of_the_folders_may_be_missing(tmp_path: Path, easy: Any, hard: Any) -> None:
    data = write_data(tmp_path / "data", easy, hard)
    assert main(["import", "tooltalk", str(data), str(tmp_path / "out")]) == 0
    assert (tmp_path / "out" / "easy").exists() is (easy is not None)
    assert (tmp_path / "out" / "hard").exists() is (hard is not None)


def test_the_checkout_itself_may_be_given(tmp_path: Path) -> None:
    write_data(tmp_path / "ToolTalk" / "data")
    assert main(["import", "tooltalk", str(tmp_path / "ToolTalk"), str(tmp_path / "out")]) == 0
    assert (tmp_path / "out" / "easy" / "AddAlarm-easy.scenario.yaml").exists()


# damaged files

API = "conversation 1 apis 0"
RESPONSE = "conversation[1].apis[0].response"
DEEP = json.dumps(
    changed(ALARM, ["conversation", 1, "apis", 0, "response"], {"a": "here"})
).replace('"here"', "[" * 800 + "]" * 800)
MOMENT = "expected a date and time like '2023-09-11 09:00:00'"

DAMAGE: list[tuple[str, Any, list[str]]] = [
    ("user", NOTHING, [": expected a mapping, found nothing"]),
    ("user username", 7, [": expected text, found the number 7"]),
    ("user username", "adah",
     [": expected a user of databases/Account.json, found the text 'adah'"]),
    ("user session_token", ["x"], [": expected text, found a list of 1"]),
    ("scenario", 7, [": expected text, found the number 7"]),
    ("metadata", {}, [f".timestamp: {MOMENT}, found nothing",
                      ".location: expected text, found nothing"]),
    ("metadata timestamp", "2023-09-31 09:00:00",
     [f": {MOMENT}, found the text '2023-09-31 09:00:00'"]),
    ("conversation", NOTHING, [": expected a list, found nothing"]),
    ("conversation", [], [": expected a turn of the assistant, found an empty list"]),
    ("conversation 2", "Bye", [": expected a mapping, found the text 'Bye'"]),
    ("conversation 0 role", "system",
     [": expected 'user' or 'assistant', found the text 'system'"]),
    ("conversation", [{"role": "assistant", "text": "And?"}, *ALARM["conversation"][1:]],
     ["[0].role: expected 'user', found the text 'assistant'",
      "[1].role: expected 'user', found the text 'assistant'"]),
    ("conversation 0 apis", [{}],
     [": expected nothing in a turn of the user, found a list of 1",
      "[0].request: expected a mapping, found nothing",
      "[0].response: expected a mapping, found nothing"]),
    ("conversation 1 text", None, [": expected text, found null"]),
    (API, "AddAlarm", [": expected a mapping, found the text 'AddAlarm'"]),
    (f"{API} request api_name", "AddAlram",
     [": expected a tool (AddAlarm?), found the text 'AddAlram'"]),
    (f"{API} request api_name", "Sing", [": expected a tool, found the text 'Sing'"]),
    (f"{API} request parameters", None, [": expected a mapping, found null"]),
    (f"{API} request parameters", {"tiem": "07:00:00"},
     [".tiem: expected an argument of AddAlarm (time), found the text '07:00:00'",
      ".time: expected an argument of AddAlarm, found nothing"]),
    (f"{API} request parameters time", 7, [": expected text, found the number 7"]),
    (f"{API} request parameters session_token", 7, [": expected text, found the number 7"]),
    (f"{API} response", None, [": expected a mapping, found null"]),
    (f"{API} exception", True, [": expected text, found the boolean true"]),
]  # fmt: skip


def damaged(data: Path, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Import a data set with damage, and return what is said; nothing may be written."""
    assert main(["import", "tooltalk", str(data), str(data.parent / "out")]) == 1
    assert not (data.parent / "out").exists()
    output = capsys.readouterr()
    assert not output.out
    return output.err.replace(f"{data}/", "").splitlines()


@pytest.mark.parametrize(("path", "value", "expected"), DAMAGE)
def test_a_damaged_field_is_named_with_what_was_expected(
    path: str, value: Any, expected: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    parts = [int(part) if part.isdigit() else part for part in path.split()]
    data = write_data(tmp_path / "data", {"one": changed(ALARM, parts, value)})
    *lines, last = damaged(data, capsys)
    field = re.sub(r" (\d+)", r"[\1]", path).replace(" ", ".")
    assert lines == [f"easy/one.json: {field}{line}" for line in expected]
    assert last == "nothing was written: 1 of 3 conversations cannot be read"


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("exception", "no",
         f"{RESPONSE}: expected null beside an exception, found a mapping of alarm_id"),
        ("response", {"size": json.loads("[" * 60 + "]" * 60)},
         "expected what a scenario can be made of: nested deeper than 50 levels"),
    ],
)  # fmt: skip
def test_damage_that_is_named_elsewhere(
    name: str, value: Any, expected: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = ["conversation", 1, "apis", 0, name]
    data = write_data(tmp_path / "data", {"one": changed(ALARM, path, value)})
    assert damaged(data, capsys)[0] == f"easy/one.json: {expected}"


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("one", "", ":1:1: expected JSON: Expecting value"),
        (
            "one",
            '{"user": {},\n 7}',
            ":2:2: expected JSON: Expecting property name enclosed in double quotes",
        ),
        ("one", "[1, 2]", ": expected a mapping, found a list of 2"),
        (
            "one",
            '{"user": 1, "user": 2}',
            ": expected JSON: the name 'user' stands twice in one object",
        ),
        ("one", '{"user": NaN}', ": expected JSON: NaN is not allowed"),
        (
            "one",
            '{"user": "\\ud83d"}',
            ": expected whole characters, found a \\u escape that is half of one",
        ),
        ("one", '{"user": 1e999}', ": expected JSON: 1e999 is out of range"),
        ("one", "[" * 100_000, ": expected JSON: nested too deeply"),
        ("one", DEEP, ": expected JSON: nested too deeply"),
        ("one", b'{"user": "\xff"}', ": expected JSON in UTF-8, found other bytes"),
        ("one", None, ": expected a file to read: Is a directory"),
        (
            "one two",
            json.dumps(ALARM),
            (": expected what a scenario can be made of: 'one two' is not a valid "
            "scenario name; use letters, digits, '_', '-' and '.'"),
        ),
        ("one", "\ufeff" + json.dumps(ALARM), None),
    ],
    ids=itertools.count(),
)  # fmt: skip
def test_what_is_no_json_is_named_with_its_place(
    name: str,
    content: str | bytes | None,
    expected: str | None,
    data: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = data / "easy" / f"{name}.json"
    if content is None:
        file.mkdir()
    else:
        file.write_bytes(content.encode() if isinstance(content, str) else content)
    if expected is None:
        assert main(["import", "tooltalk", str(data), str(data.parent / "out")]) == 0
    else:
        assert damaged(data, capsys)[0] == f"easy/{name}.json{expected}"


def test_all_damaged_files_are_told_at_once_the_databases_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    easy = {**EASY, "b": changed(ALARM, ["user"], NOTHING), "a": {}}
    hard = {**HARD, "c": changed(ALARM, ["scenario"], [])}
    databases = changed(dict(DATABASES), ["Alarm", "ada", "1a-1", "note"], "")
    data = write_data(tmp_path / "data", easy, hard, databases)
    assert damaged(data, capsys) == [
        'databases/Alarm.json: ada.1a-1: expected only alarm_id, time, found "note"',
        "easy/a.json: user: expected a mapping, found nothing",
        "easy/a.json: metadata: expected a mapping, found nothing",
        "easy/a.json: conversation: expected a list, found nothing",
        "easy/b.json: user: expected a mapping, found nothing",
        "tooltalk/c.json: scenario: expected text, found an empty list",
        "nothing was written: 3 of 7 conversations cannot be read",
    ]


def test_a_folder_without_anything_in_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = tmp_path / "data"
    data.mkdir()
    out = str(tmp_path / "out")
    assert main(["import", "tooltalk", str(data), out]) == 1
    assert capsys.readouterr().err.splitlines() == [
        f"{data}/databases: expected a folder, found nothing",
        f"{data}: expected a folder easy/ or tooltalk/, found neither",
        "nothing was written",
    ]
    write_data(data, {}, None)
    assert main(["import", "tooltalk", str(data), out]) == 1
    assert capsys.readouterr().err.splitlines() == [
        f"{data}: expected conversations, found no *.json in its folders",
        "nothing was written",
    ]


# what is there already


@pytest.mark.parametrize("kind", ["file", "link", "folder", "second import"])
def test_what_is_there_is_never_touched(
    data: Path, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    out = data.parent / "out"
    if kind == "file":
        out.write_text("mine")
    elif kind == "link":
        out.symlink_to("nowhere")
    else:
        out.mkdir()  # an empty one may be there
    if kind == "folder":
        (out / "mine").write_text("mine")
    elif kind == "second import":
        assert main(["import", "tooltalk", str(data), str(out)]) == 0
        assert (out / "conftest.py").exists()
        capsys.readouterr()
    before = files(data.parent)
    assert main(["import", "tooltalk", str(data), str(out)]) == 1
    why = "not empty" if kind in ("folder", "second import") else "not a folder"
    assert capsys.readouterr() == (
        "",
        f"{out} already exists, and is {why}\nnothing was written; name another folder\n",
    )
    assert files(data.parent) == before
    assert out.is_symlink() is (kind == "link")


def test_a_folder_that_cannot_be_made(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (data.parent / "file").write_text("mine")
    out = data.parent / "file" / "out"
    assert main(["import", "tooltalk", str(data), str(out)]) == 1
    assert capsys.readouterr().err == f"nothing was written: {out}: Not a directory\n"
    with pytest.raises(SystemExit) as caught:
        main(["import", "toolsandbox", "a", "b"])
    assert caught.value.code == 2
    assert "invalid choice: 'toolsandbox'" in capsys.readouterr().err

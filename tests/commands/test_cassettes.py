"""``toolsandbox cassettes``, and what docs/cassettes.md shows."""

from __future__ import annotations

import shutil
from fnmatch import fnmatch
from pathlib import Path

import pytest
from desk import LIGHT, Suite, section

from pytest_toolsandbox.__main__ import main
from pytest_toolsandbox.runs.cassettes.cassette import load
from pytest_toolsandbox.runs.cassettes.inventory import cassette_path
from pytest_toolsandbox.text.files import beside_of

AGENT = """
def build(messages, tools):
    if messages[-1]["role"] == "tool":
        return "The lamp is on."
    function = {"name": "switch_lamp", "arguments": '{"on": true}'}
    return {"role": "assistant", "tool_calls": [{"id": "1", "function": function}]}
"""


AGAIN = "record it again with --sandbox-record=all"
NO_REPLY = "is neither a text nor calls"


@pytest.fixture
def recorded(light: Suite) -> Suite:
    light.write("own.py", AGENT)
    record(light)
    return light


def record(suite: Suite, *arguments: str) -> None:
    suite.run("--agent=own:build", "--sandbox-record=new", *arguments)


def place(name: str) -> Path:
    return cassette_path(Path("cassettes"), "own:build", Path(name.partition("[")[0]), name)


def listed(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, list[str]]:
    """Return the status, and the lines below the table."""
    capsys.readouterr()
    status = main(["cassettes", ".", *arguments])
    table, _, lines = capsys.readouterr().out.partition("\nall ")
    assert table.startswith("agent")
    return status, lines.splitlines()[1:]


def test_a_table_of_sizes(recorded: Suite, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert main(["cassettes", str(recorded.path), "--check"]) == 0
    heading, own, total = capsys.readouterr().out.splitlines()
    assert heading.split() == ["agent", "cassettes", "trials", "size"]
    size = f"{place('light').stat().st_size / 1000:.1f}"
    assert own.split() == ["own:build", "1", "1", size, "kB"]
    assert total.split() == ["all", "1", "1", size, "kB"]


def test_what_has_no_scenario_is_stale(recorded: Suite, capsys: pytest.CaptureFixture[str]) -> None:
    (recorded.path / "light.scenario.yaml").rename("lights.scenario.yaml")
    stale = f"{place('light')}: there is no scenario 'light' for it; did you mean 'lights'?"
    assert listed(capsys) == (0, [stale])
    assert listed(capsys, "--check") == (1, [stale])
    assert listed(capsys, "--check", "--prune") == (0, [stale, f"removed {place('light')}"])
    assert listed(capsys, "--check") == (0, [])
    assert not place("light").exists()


def test_trials_that_are_not_played_are_stale(
    recorded: Suite, capsys: pytest.CaptureFixture[str]
) -> None:
    recorded.write("light.scenario.yaml", f"{LIGHT}trials: 3\n")
    assert listed(capsys, "--check") == (
        1,
        [f"{place('light')}: trial {number} is missing" for number in (2, 3)],
    )
    record(recorded)
    assert listed(capsys, "--check") == (0, [])
    recorded.write("light.scenario.yaml", f"{LIGHT}trials: 2\n")
    stale = [f"{place('light')}: trial 3 is stale"]
    left = f"left 1 trial of {place('light')}; give --trials=N to keep no more than N"
    assert listed(capsys, "--check", "--prune") == (1, [*stale, left])
    removed = f"removed 1 trial of {place('light')}"
    assert listed(capsys, "--check", "--prune", "--trials=2") == (0, [*stale, removed])
    assert listed(capsys, "--check") == (0, [])


def test_trials_that_only_a_run_was_told_of_are_not_stale(
    recorded: Suite, capsys: pytest.CaptureFixture[str]
) -> None:
    record(recorded, "--sandbox-trials=2")
    assert listed(capsys, "--check", "--prune") == (0, [])
    recorded.ini("sandbox_trials = 3")
    lacking = f"{place('light')}: trial 3 is missing"
    assert listed(capsys, "--check", "--prune") == (1, [lacking])
    recorded.write("baseline.jsonl", "")
    recorded.ini("sandbox_trials = auto", "sandbox_baseline = baseline.jsonl")
    assert listed(capsys, "--check", "--prune") == (0, [])
    assert load(place("light")).written.keys() == {1, 2}


def test_the_agent_and_the_variants_of_the_ini_file_are_missing(
    recorded: Suite, capsys: pytest.CaptureFixture[str]
) -> None:
    recorded.ini("sandbox_agent = own:Turns", "sandbox_augment = all_tools_available")
    name = "light[all_tools_available]"
    path = cassette_path(Path("cassettes"), "own:Turns", Path("light"), name)
    assert listed(capsys, "--check") == (1, [f"{path}: it is missing"])
    recorded.ini("sandbox_agent = oracle")
    assert listed(capsys, "--check") == (0, [])
    recorded.conftest("@pytest.fixture\ndef agent():\n    return len\n")
    recorded.ini("sandbox_agent = own:Turns")
    assert listed(capsys, "--check") == (0, [])


@pytest.mark.parametrize("alone", ["", "1"])
def test_plugins_that_pytest_does_not_find_by_itself(
    recorded: Suite,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    alone: str,
) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", alone)
    recorded.ini("sandbox_agent = own:build")
    assert listed(capsys, "--check") == (0, [])


def test_what_the_ini_file_cannot_mean_is_told(
    recorded: Suite, capsys: pytest.CaptureFixture[str]
) -> None:
    recorded.ini("sandbox_trials = many")
    capsys.readouterr()
    assert main(["cassettes", "."]) == pytest.ExitCode.USAGE_ERROR
    assert (
        capsys.readouterr().err == "ERROR: sandbox_trials: 'many' is not a number from 1 to 999\n\n"
    )


def test_nothing_is_stale_that_a_file_may_have(
    recorded: Suite, capsys: pytest.CaptureFixture[str]
) -> None:
    recorded.write("late.scenario.yaml", LIGHT)
    record(recorded)
    before = {place("light"), place("late")}
    assert main(["cassettes", "late.scenario.yaml", "--check", "--prune"]) == 0
    recorded.write("late.scenario.yaml", "world: [")
    capsys.readouterr()
    assert main(["cassettes", ".", "--prune"]) == 1
    told = "nothing is removed: a scenario that cannot be read may have cassettes"
    assert capsys.readouterr().out.splitlines()[-1] == told
    assert {*Path().rglob("*.cassette.yaml")} == before


def test_what_is_recorded_of_others_is_missing(
    recorded: Suite, capsys: pytest.CaptureFixture[str]
) -> None:
    record(recorded, "--sandbox-augment=all_tools_available")
    recorded.write("late.scenario.yaml", LIGHT)
    missing = [place("late[all_tools_available]"), place("late")]
    lines = [f"{path}: it is missing" for path in missing]
    assert listed(capsys) == (0, lines)
    assert listed(capsys, "--check", "--prune") == (1, lines)
    record(recorded, "--sandbox-augment=all_tools_available")
    record(recorded)
    assert listed(capsys, "--check") == (0, [])


def test_what_is_broken_is_told_and_stays(
    recorded: Suite, capsys: pytest.CaptureFixture[str]
) -> None:
    path = recorded.path / place("light")
    path.write_text("cassette: 1\ntrials: []\n")
    told = f"{place('light')}: it has no 'agent'; {AGAIN}"
    assert listed(capsys, "--check", "--prune") == (1, [told])
    path.write_text("cassette: 1\n<<<<<<<\n")
    status, (line,) = listed(capsys, "--check", "--prune")
    assert status == 1
    assert line.startswith(f"{place('light')}: line 3: invalid YAML")
    assert path.exists()


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("reply:", "answer:", "trial 1 is no list of exchanges"),
        ("trial: 1", "trial: one", "'trials' is no list of trials"),
        ("assistant: The lamp is on.", "assistant: [1, 2]", f"trial 1: reply 2 {NO_REPLY}"),
        ("calls:", "calls: 1\n          other:", f"trial 1: reply 1 {NO_REPLY}"),
        ("settings:\n", "settings:\n  <<<<<<<\n", "*invalid YAML: *"),
    ],
)
def test_what_replays_reject_is_broken(
    recorded: Suite, capsys: pytest.CaptureFixture[str], before: str, after: str, told: str
) -> None:
    path = recorded.path / place("light")
    path.write_text(path.read_text().replace(before, after, 1))
    status, (line,) = listed(capsys, "--check", "--prune")
    assert status == 1
    assert fnmatch(line, f"{place('light')}: {told}; {AGAIN}")
    assert path.exists()


def test_what_a_kill_left_behind_is_removed(
    recorded: Suite, capsys: pytest.CaptureFixture[str]
) -> None:
    left = beside_of(place("light"))
    left.write_text("half")
    assert listed(capsys, "--prune") == (0, [f"removed {left}"])
    assert not left.exists()
    assert recorded.path


def test_another_folder(light: Suite, capsys: pytest.CaptureFixture[str]) -> None:
    light.write("own.py", AGENT)
    light.ini("sandbox_cassettes = kept")
    record(light)
    for arguments in ((), ("--folder=kept",)):
        assert listed(capsys, *arguments, "--check") == (0, [])
    (light.path / "light.scenario.yaml").rename("late.scenario.yaml")
    status, lines = listed(capsys, "--check")
    assert (status, len(lines)) == (1, 1)


def test_folders_in_another_folder(light: Suite, capsys: pytest.CaptureFixture[str]) -> None:
    light.write("own.py", AGENT)
    light.ini("sandbox_cassettes = kept")
    light.write("deep/late.scenario.yaml", LIGHT)
    record(light)
    assert listed(capsys, "--check") == (0, [])
    (light.path / "deep" / "late.scenario.yaml").unlink()
    status, (line, removed) = listed(capsys, "--check", "--prune")
    assert status == 0
    assert line.endswith("there is no scenario 'late' for it")
    assert removed.startswith("removed kept/deep/")


PAGE = Path(__file__).parents[2] / "docs" / "cassettes.md"
PROMPT = "Be brief. Ask for the full name before you look for an order.\n"


@pytest.fixture(scope="module")
def page() -> str:
    return PAGE.read_text(encoding="utf-8")


def blocks(page: str, kind: str) -> list[str]:
    return [part.partition("```")[0] for part in page.split(f"```{kind}\n")[1:]]


def test_the_page_shows_what_comes_out(
    pytester: pytest.Pytester, page: str, capsys: pytest.CaptureFixture[str]
) -> None:
    suite = Suite(pytester)
    main(["init", str(suite.path)])
    suite.write("prompt.txt", PROMPT)
    suite.run("scenarios", "--sandbox-record=new").assert_outcomes(passed=1)
    (cassette,) = suite.path.rglob("*.cassette.yaml")
    assert str(cassette.relative_to(suite.path)) in page
    assert cassette.read_text().startswith(blocks(page, "yaml")[0])
    replay = ("scenarios", "--sandbox-record=replay", "--sandbox-prompt=prompt.txt")
    result = suite.run(*replay)
    assert section(result, "ERROR at setup of cancel_an_order") == blocks(page, "text")[0].rstrip()
    capsys.readouterr()
    main(["cassettes", "scenarios"])
    assert capsys.readouterr().out in page
    before = cassette.read_text()
    shutil.rmtree(suite.path / "scenarios" / "__pycache__", ignore_errors=True)
    suite.run(*replay[:1], "--sandbox-record=new", replay[2]).assert_outcomes(passed=1)
    old, new = (
        "".join(line[1:] for line in blocks(page, "diff")[0].splitlines(True) if line[0] in kinds)
        for kinds in (" -", " +")
    )
    assert before.replace(old, new) == cassette.read_text()

"""``toolsandbox cassettes``, and what docs/cassettes.md shows."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from fnmatch import fnmatch
from pathlib import Path

import pytest
from command_line import Run
from desk import LIGHT, Suite, section

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
VARIANTS = "--sandbox-augment=all_tools_available"

Listed = Callable[..., tuple[int, list[str]]]


@pytest.fixture
def recorded(light: Suite) -> Suite:
    light.write("own.py", AGENT)
    record(light)
    return light


def record(suite: Suite, *arguments: str) -> None:
    suite.run("--agent=own:build", "--sandbox-record=new", *arguments)


def place(name: str) -> Path:
    return cassette_path(Path("cassettes"), "own:build", Path(name.partition("[")[0]), name)


@pytest.fixture
def listed(run: Run) -> Listed:
    """A function: the status of the command, and the lines that it prints below the table."""

    def listed(*arguments: str) -> tuple[int, list[str]]:
        status, out, _ = run("cassettes", ".", *arguments)
        table, _, lines = out.partition("\nall ")
        assert table.startswith("agent")
        return status, lines.splitlines()[1:]

    return listed


def test_a_table_of_sizes(recorded: Suite, run: Run) -> None:
    status, out, _ = run("cassettes", recorded.path, "--check")
    size = f"{place('light').stat().st_size / 1000:.1f}"
    assert (status, [line.split() for line in out.splitlines()]) == (
        0,
        [
            ["agent", "cassettes", "trials", "size"],
            ["own:build", "1", "1", size, "kB"],
            ["all", "1", "1", size, "kB"],
        ],
    )


def test_what_has_no_scenario_is_stale(recorded: Suite, listed: Listed) -> None:
    (recorded.path / "light.scenario.yaml").rename("lights.scenario.yaml")
    stale = f"{place('light')}: there is no scenario 'light' for it; did you mean 'lights'?"
    assert listed() == (0, [stale])
    assert listed("--check") == (1, [stale])
    assert listed("--check", "--prune") == (0, [stale, f"removed {place('light')}"])
    assert listed("--check") == (0, [])
    assert not place("light").exists()


def test_trials_that_are_not_played_are_stale(recorded: Suite, listed: Listed) -> None:
    recorded.write("light.scenario.yaml", f"{LIGHT}trials: 3\n")
    missing = [f"{place('light')}: trial {number} is missing" for number in (2, 3)]
    assert listed("--check") == (1, missing)
    record(recorded)
    assert listed("--check") == (0, [])
    recorded.write("light.scenario.yaml", f"{LIGHT}trials: 2\n")
    stale = [f"{place('light')}: trial 3 is stale"]
    left = f"left 1 trial of {place('light')}; give --trials=N to keep no more than N"
    assert listed("--check", "--prune") == (1, [*stale, left])
    removed = f"removed 1 trial of {place('light')}"
    assert listed("--check", "--prune", "--trials=2") == (0, [*stale, removed])
    assert listed("--check") == (0, [])


def test_trials_of_an_option_of_a_run_are_not_stale(recorded: Suite, listed: Listed) -> None:
    record(recorded, "--sandbox-trials=2")
    assert listed("--check", "--prune") == (0, [])
    recorded.ini("sandbox_trials = 3")
    assert listed("--check", "--prune") == (1, [f"{place('light')}: trial 3 is missing"])
    recorded.write("baseline.jsonl", "")
    recorded.ini("sandbox_trials = auto", "sandbox_baseline = baseline.jsonl")
    assert listed("--check", "--prune") == (0, [])
    assert load(place("light")).written.keys() == {1, 2}


def test_the_agent_and_the_variants_of_the_ini_file_are_missing(
    recorded: Suite, listed: Listed
) -> None:
    recorded.ini("sandbox_agent = own:Turns", "sandbox_augment = all_tools_available")
    name = "light[all_tools_available]"
    path = cassette_path(Path("cassettes"), "own:Turns", Path("light"), name)
    assert listed("--check") == (1, [f"{path}: it is missing"])
    recorded.ini("sandbox_agent = oracle")
    assert listed("--check") == (0, [])
    recorded.conftest("@pytest.fixture\ndef agent():\n    return len\n")
    recorded.ini("sandbox_agent = own:Turns")
    assert listed("--check") == (0, [])


@pytest.mark.parametrize("alone", ["", "1"])
def test_plugins_that_pytest_does_not_find_by_itself(
    recorded: Suite, listed: Listed, monkeypatch: pytest.MonkeyPatch, alone: str
) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", alone)
    recorded.ini("sandbox_agent = own:build")
    assert listed("--check") == (0, [])


def test_an_invalid_ini_file(recorded: Suite, run: Run) -> None:
    recorded.ini("sandbox_trials = many")
    status, _, errors = run("cassettes", ".")
    assert status == pytest.ExitCode.USAGE_ERROR
    assert errors == "ERROR: sandbox_trials: 'many' is not a number from 1 to 999\n\n"


def test_nothing_is_stale_that_a_file_may_have(recorded: Suite, run: Run) -> None:
    recorded.write("late.scenario.yaml", LIGHT)
    record(recorded)
    before = {place("light"), place("late")}
    assert run("cassettes", "late.scenario.yaml", "--check", "--prune").status == 0
    recorded.write("late.scenario.yaml", "world: [")
    printed = run("cassettes", ".", "--prune")
    last = "nothing is removed: a scenario that cannot be read may have cassettes"
    assert (printed.status, printed.lines[-1]) == (1, last)
    assert {*Path().rglob("*.cassette.yaml")} == before


def test_what_is_recorded_of_others_is_missing(recorded: Suite, listed: Listed) -> None:
    record(recorded, VARIANTS)
    recorded.write("late.scenario.yaml", LIGHT)
    missing = [place("late[all_tools_available]"), place("late")]
    lines = [f"{path}: it is missing" for path in missing]
    assert listed() == (0, lines)
    assert listed("--check", "--prune") == (1, lines)
    record(recorded, VARIANTS)
    record(recorded)
    assert listed("--check") == (0, [])


@pytest.mark.parametrize(
    ("before", "after", "problem"),
    [
        (None, "cassette: 1\ntrials: []\n", f"it has no 'agent'; {AGAIN}"),
        (None, "cassette: 1\n<<<<<<<\n", "line 3: invalid YAML*"),
        ("reply:", "answer:", f"trial 1 is no list of exchanges; {AGAIN}"),
        ("trial: 1", "trial: one", f"'trials' is no list of trials; {AGAIN}"),
        (
            "assistant: The lamp is on.",
            "assistant: [1, 2]",
            f"trial 1: reply 2 {NO_REPLY}; {AGAIN}",
        ),
        ("calls:", "calls: 1\n          other:", f"trial 1: reply 1 {NO_REPLY}; {AGAIN}"),
        ("settings:\n", "settings:\n  <<<<<<<\n", f"*invalid YAML: *; {AGAIN}"),
    ],
)
def test_broken_cassettes_stay(
    recorded: Suite, listed: Listed, before: str | None, after: str, problem: str
) -> None:
    path = recorded.path / place("light")
    text = path.read_text()
    path.write_text(text.replace(before, after, 1) if before else after)
    status, (line,) = listed("--check", "--prune")
    assert status == 1
    assert fnmatch(line, f"{place('light')}: {problem}")
    assert path.exists()


@pytest.mark.usefixtures("recorded")
def test_what_a_kill_left_behind_is_removed(listed: Listed) -> None:
    left = beside_of(place("light"))
    left.write_text("half")
    assert listed("--prune") == (0, [f"removed {left}"])
    assert not left.exists()


def test_folders_of_the_ini_file(light: Suite, listed: Listed) -> None:
    light.write("own.py", AGENT)
    light.ini("sandbox_cassettes = kept")
    light.write("deep/late.scenario.yaml", LIGHT)
    record(light)
    for arguments in ((), ("--folder=kept",)):
        assert listed(*arguments, "--check") == (0, [])
    (light.path / "deep" / "late.scenario.yaml").unlink()
    status, (line, removed) = listed("--check", "--prune")
    assert status == 0
    assert line.endswith("there is no scenario 'late' for it")
    assert removed.startswith("removed kept/deep/")
    (light.path / "light.scenario.yaml").rename("late.scenario.yaml")
    status, lines = listed("--check")
    assert (status, len(lines)) == (1, 1)


PAGE = (Path(__file__).parents[2] / "docs" / "cassettes.md").read_text(encoding="utf-8")


def block(kind: str) -> str:
    """Return the first block of the page in a language."""
    return PAGE.partition(f"```{kind}\n")[2].partition("```")[0]


def test_the_page_shows_what_comes_out(pytester: pytest.Pytester, run: Run) -> None:
    suite = Suite(pytester)
    run("init", suite.path)
    suite.write("prompt.txt", "Be brief. Ask for the full name before you look for an order.\n")
    suite.run("scenarios", "--sandbox-record=new").assert_outcomes(passed=1)
    (cassette,) = suite.path.rglob("*.cassette.yaml")
    assert str(cassette.relative_to(suite.path)) in PAGE
    assert cassette.read_text().startswith(block("yaml"))
    prompt = "--sandbox-prompt=prompt.txt"
    result = suite.run("scenarios", "--sandbox-record=replay", prompt)
    assert section(result, "ERROR at conversation of cancel_an_order") == block("text").rstrip()
    assert run("cassettes", "scenarios").out in PAGE
    before = cassette.read_text()
    shutil.rmtree(suite.path / "scenarios" / "__pycache__", ignore_errors=True)
    suite.run("scenarios", "--sandbox-record=new", prompt).assert_outcomes(passed=1)
    old, new = (
        "".join(line[1:] for line in block("diff").splitlines(True) if line[0] in kinds)
        for kinds in (" -", " +")
    )
    assert before.replace(old, new) == cassette.read_text()

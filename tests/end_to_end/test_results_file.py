"""The file of records: what is there is kept, and what cannot be written is said."""

from __future__ import annotations

import os
import re

import pytest
from desk import LIGHT, Suite

from pytest_toolsandbox.text.locking import locked

pytestmark = pytest.mark.any_pytest

TWO = f"scenarios: {{one: , two: }}\n{LIGHT}"
RESULTS = "--sandbox-results=results.jsonl"


@pytest.fixture
def two(suite: Suite) -> Suite:
    suite.write("two.scenario.yaml", TWO)
    return suite


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("--sandbox-results", (RESULTS, "-n0")),
        ("--sandbox-results", (RESULTS, "-n1")),
        ("sandbox_results", ()),
    ],
)
def test_records_of_an_earlier_run_are_kept(
    two: Suite, name: str, options: tuple[str, ...]
) -> None:
    if options:  # it is known before anything is collected, which may take its time
        two.conftest("def pytest_collection(): pytest.exit('too late')")
    else:
        two.ini("sandbox_results = results.jsonl")
    two.write("results.jsonl", "of an earlier run")
    result = two.run_apart("--agent=oracle", *options)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    remedy = "name another file, put {time} into its name, or give --sandbox-overwrite"
    path = two.path / "results.jsonl"
    lines = [line for line in result.errlines if line.startswith("ERROR")]
    assert lines == [f"ERROR: {name}: {path} is there and not empty; {remedy}"]
    assert path.read_text() == "of an earlier run"


@pytest.mark.parametrize(
    "options", [(RESULTS,), (RESULTS, "--sandbox-overwrite"), ("--sandbox-resume=results.jsonl",)]
)
@pytest.mark.parametrize("workers", ["-n0", "-n1"])
def test_the_second_run_on_a_file_plays_nothing(
    two: Suite, options: tuple[str, ...], workers: str
) -> None:
    two.conftest("def pytest_collection(): pytest.exit('too late')")
    path = two.path / "results.jsonl"
    with locked(path):
        result = two.run_apart("--agent=oracle", *options, workers)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    name = options[0].partition("=")[0]
    text = "is being written by another run; name another file, or wait"
    lines = [line for line in result.errlines if line.startswith("ERROR")]
    assert lines == [f"ERROR: {name}: {path} {text}"]
    assert not path.exists()


@pytest.mark.parametrize("hook", ["pytest_sessionstart", "pytest_collection"])
def test_sigterm_before_items_are_run_leaves_no_lock(two: Suite, hook: str) -> None:
    """As while workers start."""
    two.conftest(f"import signal\n\ndef {hook}(): signal.raise_signal(signal.SIGTERM)")
    result = two.run_apart("--agent=oracle", RESULTS)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert not [*two.path.glob(".*.lock")]


def test_a_run_without_scenarios_asks_for_no_free_file_that_the_ini_file_names(two: Suite) -> None:
    two.write("results.jsonl", "of an earlier run")
    two.write("test_python.py", "def test(): pass")
    two.ini(f"addopts = {RESULTS}")
    two.run("test_python.py").assert_outcomes(passed=1)
    assert two.run("--fixtures").ret == pytest.ExitCode.OK
    assert two.run("--agent=oracle").ret == pytest.ExitCode.USAGE_ERROR


@pytest.mark.parametrize(
    "options",
    [(RESULTS, "--sandbox-overwrite", "-n0"), (RESULTS, "--sandbox-overwrite", "-n1"), ()],
)
def test_overwrite_replaces_records(two: Suite, options: tuple[str, ...]) -> None:
    if not options:
        two.ini("sandbox_results = results.jsonl", "sandbox_overwrite = true")
    two.write("results.jsonl", "of an earlier run\n" * 9)
    two.run_apart("--agent=oracle", *options).assert_outcomes(passed=2)
    assert len(two.records()) == 2


def test_a_time_in_the_name_keeps_the_records_of_all_runs(
    two: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    two.run("--agent=oracle", "--sandbox-results=now/{time}.jsonl")
    (name,) = os.listdir(two.path / "now")  # noqa: PTH208
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d{6}\.jsonl", name)
    for time in ("2025-03-14T160000", "2025-03-14T160001"):
        monkeypatch.setattr("time.strftime", lambda _, time=time: time)
        two.run("--agent=oracle", "--sandbox-results=runs/{time}.jsonl")
        assert len(two.records(f"runs/{time}.jsonl")) == 2


@pytest.mark.parametrize(
    "arguments",
    [
        ("nowhere.scenario.yaml",),
        ("-k", "nothing"),
        ("test_python.py",),
        ("--fixtures",),
        ("--collect-only",),
        ("--setup-only",),
        ("--markers",),
        (),
    ],
)
@pytest.mark.parametrize("overwrite", [(), ("--sandbox-overwrite",)])
def test_a_run_that_plays_nothing_leaves_the_file_alone(
    two: Suite, arguments: tuple[str, ...], overwrite: tuple[str, ...]
) -> None:
    two.write("test_python.py", "def test(): pass")
    two.run(*arguments, RESULTS, *overwrite)
    assert not (two.path / "results.jsonl").exists()
    two.write("results.jsonl", "of an earlier run")
    two.run(*arguments, RESULTS, *overwrite)
    assert (two.path / "results.jsonl").read_text() == "of an earlier run"


LIMITED = """
import resource

@pytest.fixture(autouse=True)
def disk(request):
    from pathlib import Path
    written = Path("results.jsonl").stat().st_size if request.node.name != "one" else 0
    limits = written + 500 if written else 10**6, resource.RLIM_INFINITY
    resource.setrlimit(resource.RLIMIT_FSIZE, limits)
"""
"""From the second scenario on the file takes a part of a record more."""


def test_a_full_disk_loses_records_and_not_the_run(suite: Suite) -> None:
    suite.write("many.scenario.yaml", f"scenarios: {{one: , two: , three: }}\n{LIGHT}")
    suite.conftest(LIMITED)
    result = suite.run_apart("--agent=oracle", RESULTS, "-p", "no:cacheprovider")
    result.assert_outcomes(passed=3)
    line = "results: 2 records could not be written to *results.jsonl: File too large"
    result.stdout.fnmatch_lines(line)
    assert [record["scenario"] for record in suite.records()] == ["one"]
    assert result.ret == pytest.ExitCode.TESTS_FAILED  # whoever asked for records lacks some


def test_the_home_of_the_user_is_known(two: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(two.path / "home"))
    two.ini("sandbox_results = ~/results.jsonl")
    two.run("--agent=oracle").assert_outcomes(passed=2)
    assert len(two.records("home/results.jsonl")) == 2


def test_a_link_to_a_folder_that_is_not_there_makes_it(two: Suite) -> None:
    (two.path / "results.jsonl").symlink_to("later/results.jsonl")
    two.run("--agent=oracle", RESULTS).assert_outcomes(passed=2)
    assert len(two.records("later/results.jsonl")) == 2


def test_what_workers_send_after_ctrl_c_is_written(two: Suite) -> None:
    two.conftest(
        "def pytest_runtest_logreport(report):\n"
        "    if hasattr(report, 'node'): raise KeyboardInterrupt\n"  # in the controller
    )
    result = two.run_apart("--agent=oracle", "-n1", RESULTS)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert [record["scenario"] for record in two.records()] == ["one", "two"]

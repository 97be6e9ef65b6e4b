"""Shipped suites are played from any folder, and their scenarios have the same ids everywhere."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest
from desk import Suite
from warm import COLD

import pytest_toolsandbox
from pytest_toolsandbox import suites

GREETING = """
world: phone
categories: [single_user_turn]
user: {opening: Hello}
milestones: {told: {says: {mentions: hello}}}
solutions: {politely: [{say: Hello!}]}
counterexamples: {rudely: [{say: Go away!}]}
"""
FAREWELL = GREETING.replace("Hello", "Bye").replace("hello", "bye")
FIRST = "scenarios/talk/first/hello.scenario.yaml::hello"
SECOND = "scenarios/talk/second/bye.scenario.yaml::bye"


def install(package: Path) -> Path:
    """Put a suite of two scenarios into a package, and return its folder."""
    for name, text in ((FIRST, GREETING), (SECOND, FAREWELL)):
        file = package / name.partition("::")[0]
        file.parent.mkdir(parents=True)
        file.write_text(text)
    return package / "scenarios" / "talk"


@pytest.fixture
def talk(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a suite, in an environment outside of the project."""
    package = tmp_path_factory.mktemp("environment") / "site-packages" / "pytest_toolsandbox"
    monkeypatch.setattr(suites, "__file__", str(package / "suites.py"))
    return install(package)


@pytest.fixture
def installed(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Likewise, and beside a package that processes of their own import."""
    packages = tmp_path_factory.mktemp("environment") / "site-packages"
    source = Path(pytest_toolsandbox.__file__).parent
    ignored = shutil.ignore_patterns("scenarios", "template")
    shutil.copytree(source, packages / source.name, ignore=ignored)
    path = os.pathsep.join([str(packages), *filter(None, [os.environ.get("PYTHONPATH")])])
    monkeypatch.setenv("PYTHONPATH", path)
    monkeypatch.setattr(sys, "executable", COLD)  # it imports what is there
    return install(packages / source.name)


def ids(result: pytest.RunResult) -> list[str]:
    """Return the ids that a run with ``--collect-only -q`` printed."""
    return [line for line in result.outlines if "::" in line]


@pytest.mark.usefixtures("talk")
@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("scenarios",), [FIRST, SECOND]),
        (("scenarios/talk",), [FIRST, SECOND]),
        (("scenarios/talk/second",), [SECOND]),
        ((FIRST.partition("::")[0],), [FIRST]),
        ((SECOND, FIRST), [SECOND, FIRST]),
        (("scenarios/talk", "-k", "bye"), [SECOND]),
        (("scenarios/talk", "-m", "single_user_turn"), [FIRST, SECOND]),
        (("scenarios/talk", "--deselect", FIRST), [SECOND]),
        (("scenarios/talk", "--deselect", "scenarios/talk/second"), [FIRST]),
        (("scenarios/talk", "--import-mode=importlib"), [FIRST, SECOND]),
        (("scenarios/talk", "-o", "scenario_files=*.story"), [FIRST, SECOND]),
    ],
)
def test_an_id_is_an_argument(
    pytester: pytest.Pytester, arguments: tuple[str, ...], expected: list[str]
) -> None:
    assert ids(Suite(pytester).run("--collect-only", "-q", *arguments)) == expected


def test_the_header_says_what_is_played_and_a_path_gives_the_same_ids(
    suite: Suite, talk: Path
) -> None:
    suite.write("light.scenario.yaml", GREETING)
    line = f"toolsandbox: the suites in {talk.parent}"
    assert line in suite.run("--collect-only", "scenarios/talk").outlines
    assert line not in suite.run("--collect-only", "light.scenario.yaml").outlines
    for path in (str(talk), f"{talk.parent}/talk/../talk"):
        assert ids(suite.run("--collect-only", "-q", path)) == [FIRST, SECOND]


def test_an_environment_inside_the_project(suite: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    """It gives the same ids, and a path into it finds the ini file and conftest of the project."""
    package = suite.path / ".venv" / "lib" / "pytest_toolsandbox"
    monkeypatch.setattr(suites, "__file__", str(package / "suites.py"))
    folder = install(package)
    assert ids(suite.run("--collect-only", "-q", str(folder))) == [FIRST, SECOND]
    assert ids(suite.run("--collect-only", "-q", "scenarios/talk")) == [FIRST, SECOND]
    suite.conftest(OWN_AGENT)
    suite.ini("sandbox_min_score = 0.9")
    result = suite.run(str(folder))
    result.assert_outcomes(passed=1, failed=1)
    assert SHORT in result.outlines


def test_records_and_junit_have_the_ids(suite: Suite, talk: Path) -> None:
    files = ("--sandbox-results=results.jsonl", "--junitxml=junit.xml")
    suite.run("--agent=oracle", str(talk), *files).assert_outcomes(passed=2)
    assert [record["id"] for record in suite.records()] == [FIRST, SECOND]
    text = (suite.path / "junit.xml").read_text()
    assert 'classname="scenarios.talk.first.hello.scenario.yaml" name="hello"' in text
    result = suite.run("scenarios/talk", "--sandbox-rejudge=results.jsonl")  # of another machine
    result.assert_outcomes(passed=2)


OWN_AGENT = "@pytest.fixture\ndef agent(): return lambda messages, tools: 'Hello!'"
SHORT = "min-score: all scenarios reached 0.5000, less than 0.9"


@pytest.mark.parametrize(
    ("arguments", "ini_file", "conftest"),
    [
        ("scenarios/talk", True, True),
        ("{path}", False, False),
        ("-c pytest.ini {path}", True, False),
    ],
)
def test_a_name_finds_the_ini_file_and_conftest_of_the_project(
    suite: Suite, talk: Path, arguments: str, ini_file: bool, conftest: bool
) -> None:
    """A path into an environment elsewhere does not, as the table in docs/suites.md says."""
    suite.conftest(OWN_AGENT)
    suite.ini("sandbox_min_score = 0.9", "sandbox_agent = counterexample")
    result = suite.run(*arguments.format(path=talk).split())
    expected = {"passed": 1, "failed": 1} if conftest else {"failed": 2}
    result.assert_outcomes(**expected if ini_file else {"skipped": 2})
    assert (SHORT in result.outlines) == (ini_file and conftest)


@pytest.mark.skipif(pytest.version_tuple < (8, 1), reason="pytest 8.0 goes by ids, not by folders")
@pytest.mark.usefixtures("talk")
def test_a_fixture_below_the_top_is_for_its_folder(suite: Suite) -> None:
    suite.write("light.scenario.yaml", GREETING)
    suite.write("scenarios/conftest.py", "import pytest\n@pytest.fixture\ndef agent(): return None")
    suite.write("scenarios/own.scenario.yaml", GREETING)
    result = suite.run("--agent=oracle", "scenarios/own.scenario.yaml", "scenarios/talk")
    result.assert_outcomes(passed=2, errors=1)


@pytest.mark.usefixtures("talk")
def test_what_the_project_has_comes_first(suite: Suite) -> None:
    suite.write("scenarios/talk/own.scenario.yaml", GREETING)
    project_id = "scenarios/talk/own.scenario.yaml::own"
    assert ids(suite.run("--collect-only", "-q", "scenarios/talk")) == [project_id]
    assert ids(suite.run("--collect-only", "-q", "scenarios/talk/second")) == [SECOND]


@pytest.mark.usefixtures("talk")
def test_an_id_as_it_is_printed_below_the_rootdir_is_an_argument(
    suite: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite.ini()
    (suite.path / "deep").mkdir()
    monkeypatch.chdir(suite.path / "deep")
    result = suite.run("--agent=counterexample", "scenarios/talk/first")
    (failed,) = (line.split(" - ")[-1] for line in result.outlines if line.startswith("FAILED"))
    assert failed == f"../{FIRST}"
    suite.run("--agent=counterexample", failed).assert_outcomes(failed=1)


@pytest.mark.usefixtures("talk")
def test_what_is_in_no_suite_is_not_found(suite: Suite) -> None:
    result = suite.run("scenarios/tlak")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: file or directory not found: scenarios/tlak"])


@pytest.mark.usefixtures("talk")
def test_last_failed_runs_what_failed_in_suites_and_elsewhere(suite: Suite) -> None:
    suite.write("test_own.py", "def test_fails(): assert 0\ndef test_passes(): pass")
    suite.write("test_other.py", "def test_passes(): pass")
    suite.run("test_own.py", "scenarios/talk/first", "--agent=counterexample")
    again = ("--collect-only", "-q", "--lf", ".", "scenarios/talk")
    assert sorted(ids(suite.run(*again))) == sorted([FIRST, "test_own.py::test_fails"])


@pytest.mark.usefixtures("talk")
def test_stepwise_goes_on_where_it_stopped(suite: Suite) -> None:
    step = ("--sw", "scenarios/talk", "-v")
    suite.run(*step, "--agent=counterexample").assert_outcomes(failed=1)
    suite.run("--agent=oracle", FIRST).assert_outcomes(passed=1)
    suite.run(*step, "--sw-skip", "--agent=counterexample").assert_outcomes(failed=2)
    result = suite.run(*step, "--agent=oracle")
    result.stdout.fnmatch_lines([f"{SECOND} PASSED*"])


def test_mistakes_of_a_shipped_file_stand_beside_its_id(suite: Suite, talk: Path) -> None:
    (talk / "first" / "hello.scenario.yaml").write_text(GREETING.replace("opening", "openign"))
    result = suite.run("--agent=oracle", "scenarios/talk")
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines([f"{FIRST.partition('::')[0]}:4:*openign*"])


def test_processes_agree_on_ids(suite: Suite, installed: Path) -> None:
    """The one that asks and the one that runs: both look up where the suites are."""
    files = ("--sandbox-results=results.jsonl", "--sandbox-overwrite", "--junitxml=junit.xml")
    for argument in ("scenarios/talk", str(installed)):
        result = suite.run_apart("--agent=oracle", argument, *files, "-n1")
        result.assert_outcomes(passed=2)
        assert [record["id"] for record in suite.records()] == [FIRST, SECOND]
        assert set(suite.junit()[1]) == {"hello", "bye"}


@pytest.mark.any_pytest
def test_an_empty_folder_needs_nothing_but_the_path(
    pytester: pytest.Pytester, installed: Path
) -> None:
    result = pytester.runpytest_subprocess("--agent=oracle", str(installed))
    result.assert_outcomes(passed=2)


def test_the_ids_of_the_checkout_are_its_paths(pytester: pytest.Pytester) -> None:
    root = Path(__file__).parents[2]
    name = "scenarios/phone/state_dependency/landed_without_signal.scenario.yaml"
    suite_id = f"{name}::landed_without_signal"
    suite = Suite(pytester)
    assert (root / name).is_file()
    for start in (root, root / "docs"):
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(start)
            result = suite.run("--collect-only", "-q", "-p", "no:cacheprovider", str(root / name))
        assert ids(result) == [suite_id]

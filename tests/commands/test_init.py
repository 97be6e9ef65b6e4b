"""``toolsandbox init``: what it writes does what its comments, its output and docs/start.md say."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from pytest_toolsandbox.__main__ import main
from pytest_toolsandbox.commands import CommandError
from pytest_toolsandbox.commands.init import COMMANDS, TEMPLATE, TEMPLATE_FILES, write_new

SCENARIO = (TEMPLATE / "scenarios" / "cancel_an_order.scenario.yaml").read_text(encoding="utf-8")
COMMENTS = re.findall(r"^#   (pytest .*?|toolsandbox .*?)  +(\w+)", SCENARIO, re.MULTILINE)
COUNTEREXAMPLES = re.findall(
    r"^  (\w+): +# fails: the (milestone|minefield) '(\w+)'", SCENARIO, re.MULTILINE
)

REMEDY = "nothing was written; name another folder: toolsandbox init DIR"


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    """A folder, made the current one, after ``toolsandbox init``."""
    assert main(["init"]) == 0
    return pytester


def status(project: pytest.Pytester, command: str, *more: str) -> int:
    """Run what a user types, and return its exit status."""
    program, *arguments = shlex.split(command, comments=True)
    if program == "toolsandbox":
        return main(arguments)
    assert program == "pytest"
    return int(project.runpytest_subprocess(*arguments, *more).ret)


def written(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def test_the_template_is_what_is_written(project: pytest.Pytester) -> None:
    assert written(project.path) == {
        name: (TEMPLATE / name).read_bytes() for name in TEMPLATE_FILES
    }
    ours = {name for name in written(TEMPLATE) if "__pycache__" not in name}
    assert ours == set(TEMPLATE_FILES)


def test_says_what_was_written_and_what_to_do_next(
    pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["init", "my shop"]) == 0
    out = capsys.readouterr().out.splitlines()
    files, commands = out[1 : 1 + len(TEMPLATE_FILES)], out[-len(COMMANDS) :]
    assert out == ["wrote:", *files, "next:", "  cd 'my shop'", *commands]
    for line, (name, text) in zip(files, TEMPLATE_FILES.items(), strict=True):
        assert re.fullmatch(rf"  my shop/{re.escape(name)}  +{re.escape(text)}", line)
    for line, (command, text) in zip(commands, COMMANDS.items(), strict=True):
        assert re.fullmatch(rf"  {re.escape(command)}  +# {re.escape(text)}", line)
    assert set(written(pytester.path / "my shop")) == set(TEMPLATE_FILES)


@pytest.mark.usefixtures("pytester")
@pytest.mark.parametrize("folder", [".", "../{name}", "{path}"])
def test_nobody_has_to_go_where_they_are(folder: str, capsys: pytest.CaptureFixture[str]) -> None:
    here = Path.cwd()
    assert main(["init", folder.format(name=here.name, path=here)]) == 0
    assert "  cd " not in capsys.readouterr().out


def test_the_scenario_has_commands_in_its_comments() -> None:
    assert [outcome for _, outcome in COMMENTS] == ["passes", "passes", "fails", "a", "proves"]
    assert len(COUNTEREXAMPLES) == len(yaml.safe_load(SCENARIO)["counterexamples"]) == 2


SAID = {command: text.partition(" ")[0] for command, text in COMMANDS.items()}
SAID |= {command: outcome for command, outcome in COMMENTS if outcome != "a"}
"""What the output and the comments of the scenario say of commands; some stand in both."""


@pytest.mark.parametrize(("command", "outcome"), SAID.items())
def test_the_commands_do_what_is_said_of_them(
    project: pytest.Pytester, command: str, outcome: str
) -> None:
    assert status(project, command) == (1 if outcome == "fails" else 0)


@pytest.mark.parametrize(("name", "kind", "event"), COUNTEREXAMPLES)
def test_counterexamples_fail_as_their_comments_say(
    project: pytest.Pytester, name: str, kind: str, event: str
) -> None:
    result = project.runpytest_subprocess(f"--agent=counterexample:{name}")
    result.assert_outcomes(failed=1)
    verdict = {"milestone": "missed", "minefield": "hit"}[kind]
    result.stdout.fnmatch_lines([f"score * of 1: {verdict} {event} (*"])


def test_processes_play_it_as_one_does(project: pytest.Pytester) -> None:
    assert status(project, "pytest -n 2") == 0


def test_a_strict_project_takes_it(project: pytest.Pytester) -> None:
    options = "--strict-markers --strict-config --import-mode=importlib -W error"
    assert status(project, f"pytest {options}") == 0


def test_the_tests_of_the_project_keep_their_fixtures(project: pytest.Pytester) -> None:
    """One that is called agent is another one there."""
    fixture = "import pytest\n\n@pytest.fixture\ndef agent(): return 7"
    project.path.joinpath("conftest.py").write_text(fixture)
    project.path.joinpath("test_own.py").write_text("def test_own(agent): assert agent == 7")
    project.runpytest_subprocess().assert_outcomes(passed=2)


def test_an_agent_beside_the_folder_is_found_where_the_ini_file_says_so(
    project: pytest.Pytester,
) -> None:
    project.path.joinpath("my_app.py").write_text("def agent(messages, tools): return 'Cancelled.'")
    file = project.path / "scenarios" / "conftest.py"
    text = file.read_text(encoding="utf-8").replace("return rules  # yours", "return mine  # yours")
    file.write_text(f"{text}\n\nfrom my_app import agent as mine\n")
    unfinished = (pytest.ExitCode.INTERRUPTED, pytest.ExitCode.USAGE_ERROR)
    assert project.runpytest().ret in unfinished
    project.path.joinpath("pytest.ini").write_text("[pytest]\npythonpath = .")
    project.runpytest().assert_outcomes(failed=1)


def test_an_agent_put_in_its_place_is_tested(project: pytest.Pytester) -> None:
    file = project.path / "scenarios" / "conftest.py"
    text = file.read_text(encoding="utf-8")
    assert text.count("return rules  # yours goes here") == 1
    file.write_text(text.replace("return rules", "return lambda messages, tools: 'Cancelled.'"))
    result = project.runpytest_subprocess()
    result.stdout.fnmatch_lines(["score 0.50 of 1: missed cancelled (1 of 2 milestones reached)"])


def test_an_agent_named_on_the_command_line_is_tested(project: pytest.Pytester) -> None:
    text = "def say(messages, tools): return 'Cancelled.'"
    project.path.joinpath("mine.py").write_text(text)
    result = project.runpytest_subprocess("--agent=mine:say", "--sandbox-results=r.jsonl")
    result.stdout.fnmatch_lines(["score 0.50 of 1: missed cancelled (1 of 2 milestones reached)"])
    assert '"agent": "mine:say"' in project.path.joinpath("r.jsonl").read_text(encoding="utf-8")


RULES = {
    "This is Ada Okafor, please cancel the blue teapot.": "I cannot find that order.",
    "Jun Park here, cancel the red kettle.": "Your order is cancelled.",
    "Cancel it.": "What is your full name?",
}
SHIPPED = """
world: shop
state: {order: {rows: [{order_id: C-1, customer: Jun Park, item: mug, status: shipped}]}}
user: {opening: I am Jun Park. Cancel the mug.}
milestones:
  told: {says: {exact: "That did not work: ValueError: order C-1 is shipped"}}
"""


def test_the_rules_play_more_than_the_scenario(project: pytest.Pytester) -> None:
    folder = project.path / "scenarios" / "others"
    folder.mkdir()
    for place, (said, answer) in enumerate(RULES.items()):
        milestones = f"{{told: {{says: {{exact: {answer!r}}}}}}}"
        text = f"world: shop\nuser: {{opening: '{said}'}}\nmilestones: {milestones}\n"
        folder.joinpath(f"rule_{place}.scenario.yaml").write_text(f"{text}guardrails: none\n")
    folder.joinpath("shipped.scenario.yaml").write_text(SHIPPED)
    project.runpytest_subprocess(str(folder)).assert_outcomes(passed=4)


def workflow(project: pytest.Pytester) -> Any:
    file = project.path / ".github" / "workflows" / "scenarios.yml"
    return yaml.safe_load(file.read_text(encoding="utf-8"))


def steps(project: pytest.Pytester) -> Sequence[Any]:
    (job,) = workflow(project)["jobs"].values()
    return list(job["steps"])


def test_the_workflow_runs_what_passes_and_keeps_its_report(project: pytest.Pytester) -> None:
    (command,) = [step["run"] for step in steps(project) if "pytest " in step.get("run", "")]
    (kept,) = [step["with"]["path"] for step in steps(project) if "upload" in step.get("uses", "")]
    assert status(project, command) == 0
    assert "<testsuite" in project.path.joinpath(kept).read_text(encoding="utf-8")


def test_the_workflow_reads_the_key_from_the_secrets(project: pytest.Pytester) -> None:
    """Its comments are YAML as well: without their marks the step has the key."""
    file = project.path / ".github" / "workflows" / "scenarios.yml"
    file.write_text(re.sub(r"^( +)# (env:|  A)", r"\1\2", file.read_text(), flags=re.MULTILINE))
    (environment,) = [step["env"] for step in steps(project) if "env" in step]
    assert environment == {"ANTHROPIC_API_KEY": "${{ secrets.ANTHROPIC_API_KEY }}"}


@pytest.mark.parametrize("there", TEMPLATE_FILES)
def test_writes_nothing_where_a_file_is_there(
    pytester: pytest.Pytester, there: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = pytester.path / "shop" / there
    file.parent.mkdir(parents=True)
    file.write_text("mine")
    assert main(["init", "shop"]) == 1
    assert capsys.readouterr().err.splitlines() == [f"shop/{there} already exists", REMEDY]
    assert written(pytester.path) == {f"shop/{there}": b"mine"}


def test_a_second_time_changes_nothing(
    project: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    before = written(project.path)
    capsys.readouterr()
    assert main(["init"]) == 1
    assert capsys.readouterr().err.splitlines()[:-1] == [
        f"{name} already exists" for name in TEMPLATE_FILES
    ]
    assert written(project.path) == before


def test_a_link_that_leads_nowhere_is_there(pytester: pytest.Pytester) -> None:
    link = pytester.path / "scenarios" / "conftest.py"
    link.parent.mkdir()
    link.symlink_to("nowhere")
    assert main(["init"]) == 1
    assert link.readlink() == Path("nowhere")


def test_takes_back_what_it_wrote_where_the_rest_cannot_be_written(
    pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    pytester.path.joinpath(".github").write_text("no folder")
    assert main(["init"]) == 1
    message = "nothing was written: .github/workflows: Not a directory\n"
    assert capsys.readouterr() == ("", message)
    assert written(pytester.path) == {".github": b"no folder"}


def test_conversations_of_its_agent_are_held_at_the_same_time(project: pytest.Pytester) -> None:
    folder = project.path / "scenarios"
    (folder / "again.scenario.yaml").write_text(SCENARIO, encoding="utf-8")
    for agent in ([], ["--agent=oracle"]):
        result = project.runpytest_subprocess("scenarios/", "--sandbox-concurrency=2", *agent)
        result.assert_outcomes(passed=2)
        assert "one at a time" not in result.stdout.str()


def test_files_are_written_with_their_folders(tmp_path: Path) -> None:
    files = {tmp_path / "a" / "b" / "c": b"one", tmp_path / "a" / "d": b"two"}
    write_new(files)
    assert {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()} == files


def test_a_file_that_is_there_stays_and_nothing_else_is_written(tmp_path: Path) -> None:
    (tmp_path / "there").write_bytes(b"mine")
    with pytest.raises(CommandError, match=r"nothing was written: .*there: File exists"):
        write_new({tmp_path / "a" / "b": b"one", tmp_path / "there": b"two"})
    assert [file.name for file in tmp_path.iterdir()] == ["there"]
    assert (tmp_path / "there").read_bytes() == b"mine"


class Interrupted(Mapping[Path, bytes]):
    """Files of which only the first one comes."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def __getitem__(self, file: Path) -> bytes:
        assert file == self.file
        return b"one"

    def __iter__(self) -> Iterator[Path]:
        yield self.file
        raise KeyboardInterrupt

    def __len__(self) -> int:
        return 2


def test_after_an_interruption_nothing_is_there(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        write_new(Interrupted(tmp_path / "a" / "b"))
    assert list(tmp_path.iterdir()) == []


DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "start.md").read_text(encoding="utf-8")


@pytest.mark.usefixtures("pytester")
def test_the_page_shows_what_the_command_prints(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["init"]) == 0
    assert f"$ toolsandbox init\n{capsys.readouterr().out}```" in PAGE


def test_the_steps_name_the_commands() -> None:
    commands = set(re.findall(r"`((?:pytest|toolsandbox) [^`]*)`", PAGE))
    assert commands == {*COMMANDS, "pytest scenarios/ --agent=claude", "toolsandbox init DIR"}

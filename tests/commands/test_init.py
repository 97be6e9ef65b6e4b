"""``toolsandbox init``: what it writes does what its comments, its output and docs/start.md say.

The steps of the workflow of ``init --ci`` are run one after the other.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from command_line import Run

from pytest_toolsandbox.__main__ import main
from pytest_toolsandbox.commands import CommandError
from pytest_toolsandbox.commands.init import (
    AGENT_BEGINS,
    AGENT_PARTS,
    CI_FILES,
    COMMANDS,
    TEMPLATE,
    TEMPLATE_FILES,
    WORLDS,
    write_new,
)

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "start.md").read_text(encoding="utf-8")
SCENARIO = (TEMPLATE / "scenarios" / "cancel_an_order.scenario.yaml").read_text(encoding="utf-8")
COMMENTS = re.findall(r"^#   (pytest .*?|toolsandbox .*?)  +(\w+)", SCENARIO, re.MULTILINE)
COUNTEREXAMPLES = re.findall(
    r"^  (\w+): +# fails: the (milestone|minefield) '(\w+)'", SCENARIO, re.MULTILINE
)
OUTCOMES = {command: text.partition(" ")[0] for command, text in COMMANDS.items()}
OUTCOMES |= {command: outcome for command, outcome in COMMENTS if outcome != "a"}
"""What the output and the comments of the scenario say of commands; some stand in both."""


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    """A folder, made the current one, after ``toolsandbox init``."""
    assert main(["init"]) == 0
    return pytester


def status(project: pytest.Pytester, command: str, *options: str) -> int:
    """Run what a user types, and return its exit status."""
    program, *arguments = shlex.split(command, comments=True)
    if program == "toolsandbox":
        return main(arguments)
    assert program == "pytest"
    return int(project.runpytest_subprocess(*arguments, *options).ret)


def written(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc")
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def test_the_template_is_what_is_written(pytester: pytest.Pytester, run: Run) -> None:
    printed = run("init")
    assert f"$ toolsandbox init\n{printed.out}```" in PAGE
    before = written(pytester.path)
    assert before == {name: (TEMPLATE / name).read_bytes() for name in TEMPLATE_FILES}
    ours = {name for name in written(TEMPLATE) if "__pycache__" not in name}
    of_worlds = {f"worlds/{name}" for files in WORLDS.values() for name, _ in files.values()}
    assert ours == {*TEMPLATE_FILES, *of_worlds}
    again = run("init")
    exist = [f"{name} already exists" for name in TEMPLATE_FILES]
    assert (again.status, again.err.splitlines()[:-1]) == (1, exist)
    assert written(pytester.path) == before


def test_prints_what_was_written_and_what_to_do_next(pytester: pytest.Pytester, run: Run) -> None:
    status, out, _ = run("init", "my shop")
    lines = out.splitlines()
    files, commands = lines[1 : 1 + len(TEMPLATE_FILES)], lines[-len(COMMANDS) :]
    assert (status, lines) == (0, ["wrote:", *files, "next:", "  cd 'my shop'", *commands])
    for line, (name, text) in zip(files, TEMPLATE_FILES.items(), strict=True):
        assert re.fullmatch(rf"  my shop/{re.escape(name)}  +{re.escape(text)}", line)
    for line, (command, text) in zip(commands, COMMANDS.items(), strict=True):
        assert re.fullmatch(rf"  {re.escape(command)}  +# {re.escape(text)}", line)
    assert set(written(pytester.path / "my shop")) == set(TEMPLATE_FILES)


@pytest.mark.parametrize("world", [world for world in WORLDS if WORLDS[world]])
def test_the_world_may_be_a_class_a_database_or_a_server(
    world: str, pytester: pytest.Pytester, run: Run
) -> None:
    assert run("init", f"--world={world}").status == 0
    before = written(pytester.path)
    if world == "mcp":
        assert run("worlds", "pull", "scenarios").status == 0
        assert written(pytester.path) == before
    for command in COMMANDS:
        assert status(pytester, command) == ("counterexample" in command)
    other = run("init", "other", f"--world={world}", "--agent=my_app:agent")
    conftest = Path("other/scenarios/conftest.py").read_text(encoding="utf-8")
    assert (other.status, "Agent" in conftest, "import pytest\n" in conftest) == (0, False, False)
    assert "put your own tools in its place. The ini file names the agent." in conftest


def test_a_workflow_has_no_world(run: Run) -> None:
    status, _, error = run("init", "--ci", "--world=object")
    assert (status, error.partition(":")[0]) == (1, "--world")


@pytest.mark.usefixtures("pytester")
@pytest.mark.parametrize("folder", [".", "../{name}", "{path}"])
def test_the_current_folder_needs_no_cd(folder: str, run: Run) -> None:
    here = Path.cwd()
    status, out, _ = run("init", folder.format(name=here.name, path=here))
    assert (status, "  cd " in out) == (0, False)


def test_the_scenario_and_the_page_have_commands() -> None:
    assert [outcome for _, outcome in COMMENTS] == ["passes", "passes", "fails", "a", "proves"]
    assert len(COUNTEREXAMPLES) == len(yaml.safe_load(SCENARIO)["counterexamples"]) == 2
    commands = set(re.findall(r"`((?:pytest|toolsandbox) [^`]*)`", PAGE))
    assert commands == {*COMMANDS, "pytest scenarios/ --agent=claude", "toolsandbox init DIR"}


@pytest.mark.parametrize(
    ("command", "outcome"),
    [
        *OUTCOMES.items(),
        ("pytest -n 2", "passes"),
        ("pytest --strict-markers --strict-config --import-mode=importlib -W error", "passes"),
    ],
)
def test_the_commands_have_their_outcomes(
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
    result.stdout.fnmatch_lines([f"{verdict} {event} (*; score * of 1"])


def test_the_tests_of_the_project_keep_their_fixtures(project: pytest.Pytester) -> None:
    """A fixture of the project that is called agent is another one."""
    fixture = "import pytest\n\n@pytest.fixture\ndef agent(): return 7"
    project.path.joinpath("conftest.py").write_text(fixture)
    project.path.joinpath("test_own.py").write_text("def test_own(agent): assert agent == 7")
    project.runpytest_subprocess().assert_outcomes(passed=2)


CANCELS = "def agent(messages, tools): return 'Cancelled.'"
HALF = ["missed cancelled (0 of 2 milestones reached, 1 unread); score 0.50 of 1"]


def change_agent(project: pytest.Pytester, agent: str, end: str = "") -> None:
    """Put an agent in the place of the one that comes with the template."""
    file = project.path / "scenarios" / "conftest.py"
    text = file.read_text(encoding="utf-8")
    assert text.count("return rules  # yours goes here") == 1
    file.write_text(text.replace("return rules", f"return {agent}") + end)


def test_an_agent_beside_the_folder_is_found_where_the_ini_file_says_so(
    project: pytest.Pytester,
) -> None:
    project.path.joinpath("my_app.py").write_text(CANCELS)
    change_agent(project, "mine", "\n\nfrom my_app import agent as mine\n")
    unfinished = (pytest.ExitCode.INTERRUPTED, pytest.ExitCode.USAGE_ERROR)
    assert project.runpytest().ret in unfinished
    project.path.joinpath("pytest.ini").write_text("[pytest]\npythonpath = .")
    project.runpytest().assert_outcomes(failed=1)


def test_another_agent_is_tested(project: pytest.Pytester) -> None:
    project.path.joinpath("mine.py").write_text(CANCELS)
    result = project.runpytest_subprocess("--agent=mine:agent", "--sandbox-results=r.jsonl")
    result.stdout.fnmatch_lines(HALF)
    assert '"agent": "mine:agent"' in project.path.joinpath("r.jsonl").read_text(encoding="utf-8")
    change_agent(project, "lambda messages, tools: 'Cancelled.'")
    project.runpytest_subprocess().stdout.fnmatch_lines(HALF)


def test_the_ini_file_names_the_agent(project: pytest.Pytester) -> None:
    project.path.joinpath("mine.py").write_text(CANCELS)
    ini = "[pytest]\npythonpath = .\nsandbox_agent = mine:agent\n"
    project.path.joinpath("pytest.ini").write_text(ini)
    project.runpytest_subprocess().stdout.fnmatch_lines(HALF)


def test_an_agent_of_the_user_needs_no_fixture(pytester: pytest.Pytester, run: Run) -> None:
    pytester.path.joinpath("my_app.py").write_text(CANCELS)
    printed = run("init", "--agent=my_app:agent")
    assert f"$ toolsandbox init --agent=my_app:agent\n{printed.out}```" in PAGE
    conftest = pytester.path.joinpath("scenarios", "conftest.py").read_text(encoding="utf-8")
    assert not {"fixture", "rules", "import json"} & set(re.findall(r"import json|\w+", conftest))
    compile(conftest, "conftest.py", "exec")
    pytester.runpytest_subprocess("-W", "error").stdout.fnmatch_lines(HALF)
    assert main(["check", "scenarios/"]) == 0


def test_what_the_template_says_of_its_agent_is_there_once() -> None:
    texts = [(TEMPLATE / name).read_text(encoding="utf-8") for name in TEMPLATE_FILES]
    counts = [sum(text.count(part) for text in texts) for part in (AGENT_BEGINS, *AGENT_PARTS)]
    assert counts == [1] * len(counts)


@pytest.mark.parametrize(
    ("file", "text", "line"),
    [
        ("pyproject.toml", "[tool.pytest.ini_options]\n", 'sandbox_agent = "my_app:agent"'),
        ("tox.ini", "[pytest]\n", "sandbox_agent = my_app:agent"),
        ("pyproject.toml", "[project]\n", None),
    ],
)
def test_an_ini_file_of_the_user_is_not_changed(
    pytester: pytest.Pytester, run: Run, file: str, text: str, line: str | None
) -> None:
    pytester.path.joinpath(file).write_text(text)
    printed = run("init", "inner", "--agent=my_app:agent")
    assert printed.status == 0
    assert pytester.path.joinpath(file).read_text() == text
    assert pytester.path.joinpath("inner", "pytest.ini").exists() == (line is None)
    assert (f"  set in {file}: {line}" in printed.lines) == (line is not None)


@pytest.mark.parametrize("agent", ["", " ", "a\nb"])
def test_an_agent_is_named_in_one_line(tmp_path: Path, run: Run, agent: str) -> None:
    printed = run("init", tmp_path / "new", f"--agent={agent}")
    assert (printed.status, printed.err.partition(":")[0]) == (1, "--agent")
    assert not (tmp_path / "new").exists()


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
    for place, (opening, answer) in enumerate(RULES.items()):
        milestones = f"{{told: {{says: {{exact: {answer!r}}}}}}}"
        text = f"world: shop\nuser: {{opening: '{opening}'}}\nmilestones: {milestones}\n"
        folder.joinpath(f"rule_{place}.scenario.yaml").write_text(f"{text}guardrails: none\n")
    folder.joinpath("shipped.scenario.yaml").write_text(SHIPPED)
    project.runpytest_subprocess(str(folder)).assert_outcomes(passed=4)


def test_conversations_of_its_agent_are_held_at_the_same_time(project: pytest.Pytester) -> None:
    (project.path / "scenarios" / "again.scenario.yaml").write_text(SCENARIO, encoding="utf-8")
    for agent in ([], ["--agent=oracle"]):
        result = project.runpytest_subprocess("scenarios/", "--sandbox-concurrency=2", *agent)
        result.assert_outcomes(passed=2)
        assert "one at a time" not in result.stdout.str()


def test_the_workflow(project: pytest.Pytester) -> None:
    """It runs what passes, and keeps its report; without the marks of comments it has the key."""
    file = project.path / ".github" / "workflows" / "scenarios.yml"
    text = re.sub(r"^( +)# (env:|  A)", r"\1\2", file.read_text(), flags=re.MULTILINE)
    ((job,), (with_key,)) = (yaml.safe_load(t)["jobs"].values() for t in (file.read_text(), text))
    (command,) = [step["run"] for step in job["steps"] if "pytest " in step.get("run", "")]
    (kept,) = [step["with"]["path"] for step in job["steps"] if "upload" in step.get("uses", "")]
    assert status(project, command) == 0
    assert "<testsuite" in project.path.joinpath(kept).read_text(encoding="utf-8")
    assert [step["env"] for step in with_key["steps"] if "env" in step] == [
        {"ANTHROPIC_API_KEY": "${{ secrets.ANTHROPIC_API_KEY }}"}
    ]


@pytest.mark.parametrize("there", TEMPLATE_FILES)
def test_writes_nothing_where_a_file_is_there(
    pytester: pytest.Pytester, there: str, run: Run
) -> None:
    file = pytester.path / "shop" / there
    file.parent.mkdir(parents=True)
    file.write_text("mine")
    remedy = "nothing was written; name another folder: toolsandbox init DIR"
    assert run("init", "shop") == (1, "", f"shop/{there} already exists\n{remedy}\n")
    assert written(pytester.path) == {f"shop/{there}": b"mine"}


def test_a_link_that_leads_nowhere_is_there(pytester: pytest.Pytester) -> None:
    link = pytester.path / "scenarios" / "conftest.py"
    link.parent.mkdir()
    link.symlink_to("nowhere")
    assert main(["init"]) == 1
    assert link.readlink() == Path("nowhere")


def test_takes_back_what_it_wrote_where_the_rest_cannot_be_written(
    pytester: pytest.Pytester, run: Run
) -> None:
    pytester.path.joinpath(".github").write_text("no folder")
    message = "nothing was written: .github/workflows: Not a directory\n"
    assert run("init") == (1, "", message)
    assert written(pytester.path) == {".github": b"no folder"}


def test_files_are_written_with_their_folders(tmp_path: Path) -> None:
    write_new({tmp_path / "a" / "b" / "c": b"one", tmp_path / "a" / "d": b"two"})
    assert written(tmp_path) == {"a/b/c": b"one", "a/d": b"two"}


def test_a_file_that_is_there_stays_and_nothing_else_is_written(tmp_path: Path) -> None:
    (tmp_path / "there").write_bytes(b"mine")
    with pytest.raises(CommandError, match=r"nothing was written: .*there: File exists"):
        write_new({tmp_path / "a" / "b": b"one", tmp_path / "there": b"two"})
    assert written(tmp_path) == {"there": b"mine"}


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


PROGRAMS = {
    "pytest": 'exec "{python}" -m pytest -p no:cacheprovider "$@"',
    "toolsandbox": 'exec "{python}" -m pytest_toolsandbox "$@"',
    "gh": 'echo "$@" >> "$HERE/gh.txt"',
    "git": 'echo "$@" >> "$HERE/git.txt"',
}


@pytest.fixture
def folder(folder: Path, interpreter: str) -> Path:
    """A project with a scenario, the workflow, and programs that stand for those of GitHub."""
    assert main(["init"]) == main(["init", "--ci"]) == 0
    (folder / "bin").mkdir()
    for name, script in PROGRAMS.items():
        program = folder / "bin" / name
        text = script.replace("{python}", interpreter)
        program.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        program.chmod(0o755)
    return folder


def jobs(folder: Path) -> dict[str, Any]:
    (name,) = CI_FILES
    workflow: dict[str, Any] = yaml.safe_load((folder / name).read_text(encoding="utf-8"))
    return dict(workflow["jobs"])


def run_job(folder: Path, name: str, *, agent: str = "") -> list[int]:
    """Run a job's own commands as GitHub does; return their exit statuses."""
    here = {"HERE": str(folder), "GITHUB_STEP_SUMMARY": str(folder / "summary.md")}
    path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, **here, "PATH": path, "PYTHONPATH": str(ROOT)}
    statuses: list[int] = []
    for step in jobs(folder)[name]["steps"]:
        command = step.get("run", "")
        if any(statuses) and step.get("if") != "always()":
            continue
        if command and not command.startswith("pip ") and "hashFiles" not in step.get("if", ""):
            command = re.sub(r"--sandbox-results=\S+", rf"\g<0> {agent}", command)
            done = subprocess.run(["bash", "-e", "-c", command], env=environment, check=False)
            statuses.append(done.returncode)
    return statuses


def assert_texts(folder: Path, **texts: str) -> None:
    """Assert that a text stands in each of these files."""
    for name, text in texts.items():
        assert text in (folder / name.replace("_", ".")).read_text(encoding="utf-8")


def test_the_steps_of_the_jobs(folder: Path) -> None:
    assert run_job(folder, "proof") == [0]
    assert run_job(folder, "nightly") == [0, 0, 0]
    assert (folder / "baseline.jsonl").is_file()
    assert (folder / "git.txt").read_text(encoding="utf-8").splitlines()[-1] == "push"
    assert run_job(folder, "gate") == [0, 0, 0]
    verdict = "### ❔ inconclusive: the trials are too few to tell"
    assert_texts(folder, summary_md=verdict, comparison_md=verdict)
    assert_texts(folder, gh_txt="--body-file comparison.md")


def test_a_night_with_failures_is_a_night_too(folder: Path) -> None:
    assert run_job(folder, "nightly", agent="--agent=counterexample") == [0, 0, 0]


def test_a_pull_request_that_is_worse_is_red_and_has_its_comment(folder: Path) -> None:
    assert run_job(folder, "nightly", agent="--sandbox-trials=10") == [0, 0, 0]
    worse = "--agent=counterexample --sandbox-trials=3"
    assert run_job(folder, "gate", agent=worse) == [1, 0, 0]
    verdict = "### ❌ worse: it passes less often than the baseline"
    assert_texts(folder, comparison_md=verdict, gh_txt="--body-file comparison.md")
    assert_texts(
        folder, comparison_md="| 10/10 | 0/3 | 0.003 |", brief_md="pytest scenarios/cancel_an_order"
    )


@pytest.mark.parametrize("chosen", ["fail", "warn", "pass"])
def test_the_workflow_has_what_was_chosen(tmp_path: Path, run: Run, chosen: str) -> None:
    assert run("init", tmp_path, "--ci", f"--inconclusive={chosen}").status == 0
    (command,) = [
        step["run"]
        for step in jobs(tmp_path)["gate"]["steps"]
        if step.get("run", "").startswith("pytest")
    ]
    options = {f"--sandbox-inconclusive={chosen}", "--sandbox-trials=auto"}
    assert options <= set(command.split())
    assert "-n" not in command.split()


def test_what_is_inconclusive_is_a_matter_of_the_workflow(tmp_path: Path, run: Run) -> None:
    printed = run("init", tmp_path, "--inconclusive=fail")
    assert (printed.status, printed.err.partition(":")[0]) == (1, "--inconclusive")
    assert not written(tmp_path)


def test_the_workflow_is_never_written_over_another(folder: Path, run: Run) -> None:
    (name,) = CI_FILES
    remedy = "nothing was written; name another folder: toolsandbox init --ci DIR"
    assert run("init", "--ci") == (1, "", f"{name} already exists\n{remedy}\n")
    assert set(jobs(folder)) == {"proof", "nightly", "gate"}

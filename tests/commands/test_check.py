"""``toolsandbox check``: solutions must pass with a score of 1, counterexamples must not pass."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

import pytest
from command_line import Run
from desk import LIGHT, WORLD, Suite
from warm import COLD

from pytest_toolsandbox import __main__
from pytest_toolsandbox.commands.scenarios import RULE, Conftests

WORKS = """\
world: phone
user: {opening: Hello}
milestones: {told: {says: {mentions: hello}}}
protected: [contact, messaging, reminder]
solutions: {s: [{say: Hello!}]}
counterexamples: {c: [{say: Bye!}]}
"""
NOTHING_FOUND = "the script finds nothing at '[0].name' in the result of search_contacts"
ASKS_FOR_A_NAME = (
    "solutions: {s: [{search_contacts: {name: Ada}},"
    " {say: {from: {call: search_contacts, path: '[0].name'}}}]}"
)
SCORES_0 = "solution 's' scores 0.0000 and not 1"
PLAY = "play it: pytest --agent=oracle:s"


def program(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "pytest_toolsandbox", *arguments]


def write(folder: Path, *changes: str) -> None:
    """Write a scenario in which the keys of these lines have other values."""
    keys = {line.partition(":")[0] for line in changes}
    kept = [line for line in WORKS.splitlines() if line.partition(":")[0] not in keys]
    (folder / "a.scenario.yaml").write_text("\n".join([*kept, *changes]))


@pytest.mark.parametrize(
    ("changes", "findings"),
    [
        ([], []),
        (["solutions: {}"], ["it has no solution"]),
        (["counterexamples: {}"], ["it has no counterexample"]),
        (
            ["solutions: {s: [{say: Hello!}], so: [{say: Good day}]}"],
            [f"{SCORES_0}; missed: told; {PLAY}".replace("'s'", "'so'") + "o"],
        ),
        (
            ["milestones: {told: {says: {rouge_l: Hello you}}}"],
            [f"solution 's' scores 0.6667 and not 1; not fully reached: told; {PLAY}"],
        ),
        (
            ["minefields: {greets: {says: {contains: Hello}}}"],
            [f"{SCORES_0}; minefields hit: greets; {PLAY}"],
        ),
        (
            [
                "protected: [setting]",
                "solutions: {s: [{set_wifi_status: {on: false}}, {say: Hello!}]}",
            ],
            [f"{SCORES_0}; protected tables changed: setting; {PLAY}"],
        ),
        (
            ["milestones: {told: {says: {anything: true}}}", "counterexamples: {}"],
            ["it has no counterexample", "an agent that does nothing passes"],
        ),
        ([ASKS_FOR_A_NAME], [f"solution 's' cannot be played: {NOTHING_FOUND}; {PLAY}"]),
    ],
)
def test_findings(folder: Path, run: Run, changes: list[str], findings: list[str]) -> None:
    write(folder, *changes)
    printed = run("check", ".")
    *lines, summary = printed.lines
    table = [] if findings else lines[-4:]
    assert lines == [f"a.scenario.yaml::a: {finding}" for finding in findings] + table
    assert summary.startswith("1 scenario, ")
    count = f"{len(findings)} finding{'s' * (len(findings) != 1)}"
    assert (printed.status, summary.rpartition(": ")[2]) == (1 if findings else 0, count)


def test_what_differs_in_words_alone_needs_a_judge(folder: Path, run: Run) -> None:
    write(folder, "counterexamples: {a: [{say: Bye!}], b: [{say: hello}]}")
    status, out, _ = run("check", ".")
    listed, *_, summary, _ = out.splitlines()
    assert (status, listed) == (0, "needs a judge: a.scenario.yaml::a: counterexample 'b'")
    assert summary == "1 counterexample left to a judge (--judge=MODEL): only words are different"
    rows = (
        ("'false', 'hello', 'It is no greeting.'", 0, ""),
        ("'right', 'hello', 'It is no greeting.'", 1, "counterexample 'b' passes"),
        (
            "'false', 'no'",
            1,
            "counterexample 'b' cannot be judged: judge_3:reads: the judge gave no reason",
        ),
    )
    for number, (opinion, status, finding) in enumerate(rows, start=1):
        name = f"judge_{number}"
        judge = f"def reads(_): return __import__('pytest_toolsandbox').Opinion({opinion})"
        (folder / f"{name}.py").write_text(judge)
        printed = run("check", ".", f"--judge={name}:reads")
        assert printed.status == status
        assert finding in printed.out
        assert ("counterexample 'b'" in printed.out) == bool(finding)


def test_counts_and_files(folder: Path, run: Run) -> None:
    (folder / "scenarios").mkdir()
    (folder / "scenarios" / "many.yaml").write_text(f"{WORKS}scenarios: {{b: , a: }}\n")
    (folder / "broken.scenario.yaml").write_text("world: [")
    (folder / "other.yaml").write_text("a: 1")
    printed = run("check", "scenarios", "broken.scenario.yaml", "nowhere")
    assert printed.status == 1
    assert printed.lines[0] == "nowhere: there is no such file or folder"
    assert printed.lines[1].startswith("broken.scenario.yaml:2:1: invalid YAML: ")
    last = "2 scenarios, 2 solutions, 2 counterexamples: 0 findings, 2 files not read"
    assert printed.lines[-1] == last
    assert run("check", "scenarios").status == 0


@pytest.mark.parametrize("command", ["check", "stats"])
def test_names_of_files_and_of_solutions_control_no_terminal(
    command: str, suite: Suite, run: Run
) -> None:
    suite.write("red\x1b[31m\x07\u202e.scenario.yaml", LIGHT)
    named = '"loud\\e[31m\\a": [{say: No.}]\n  directly:'
    suite.write("light.scenario.yaml", LIGHT.replace("directly:", named))
    shown = run(command, ".").out
    assert "red\\x1b[31m\\x07\\u202e.scenario.yaml:" in shown
    assert ("oracle:loud\\x1b[31m\\x07" in shown) == (command == "check")
    assert all(line.isprintable() for line in shown.splitlines())


def test_nothing_found_is_no_proof(tmp_path: Path, run: Run) -> None:
    nothing = f"no scenario was found: {RULE}"
    counts = "0 scenarios, 0 solutions, 0 counterexamples: 0 findings"
    assert run("check", tmp_path) == (1, f"{nothing}\n{counts}\n", "")
    for option in ([], ["--api-similarity"]):
        assert run("stats", *option, tmp_path) == (1, f"{nothing}\n", "")


def test_worlds_of_conftests(suite: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    suite.write("sub/light.scenario.yaml", f"{LIGHT}protected: [note]\n")
    suite.write("sub/unrelated/conftest.py", "raise AssertionError('imported')")
    for here, path in ((suite.path, "."), (suite.path / "sub", str(suite.path))):
        monkeypatch.chdir(here)
        command = program("check", path)
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        assert done.stdout.endswith("1 scenario, 1 solution, 2 counterexamples: 0 findings\n")


def test_conftests_import_what_pytest_finds_by_its_pythonpath(suite: Suite) -> None:
    suite.write("sub/light.scenario.yaml", f"{LIGHT}protected: [note]\n")
    suite.write("lib/world_of_notes.py", WORLD)
    suite.write("conftest.py", "import world_of_notes")
    suite.write("pytest.ini", "[pytest]\npythonpath = lib\n")
    command = program("check", "sub")
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=suite.path)
    assert done.stdout.endswith("1 scenario, 1 solution, 2 counterexamples: 0 findings\n")


@pytest.mark.parametrize(
    ("command", "code", "text"),
    [
        (["check", "."], "\nraise LookupError('no database')", "LookupError: no database"),
        (["stats", "."], "\nraise LookupError('no database')", "LookupError: no database"),
        (["check", "."], "import pytest\npytest.skip('no', allow_module_level=1)", "Skipped: no"),
        (["check", "."], "import sys\nsys.exit(3)", "SystemExit: 3"),
        (["schema"], "\nimport nil", "ModuleNotFoundError: No module named 'nil'"),
    ],
)
def test_a_conftest_that_cannot_be_imported(
    folder: Path, run: Run, command: list[str], code: str, text: str
) -> None:
    write(folder)
    (folder / "conftest.py").write_text(code)
    assert run(*command) == (1, "", f"{folder}/conftest.py: {text} (conftest.py:2)\n")


def test_a_proof_that_breaks_off_is_a_finding(suite: Suite) -> None:
    skips = '"""Read all notes."""\n    import pytest; pytest.skip("no")'
    suite.write("conftest.py", WORLD.replace('"""Read all notes."""', skips))
    suite.write("read.scenario.yaml", READ.format(text="ferns"))
    command = program("check", ".")
    done = subprocess.run(command, cwd=suite.path, capture_output=True, text=True, check=False)
    finding, last = done.stdout.splitlines()
    start = "read.scenario.yaml::read: solution 'reads' cannot be played: conftest.py:"
    assert finding.startswith(start)
    assert "the tool 'read_notes' raised Skipped: no" in finding
    assert last == "1 scenario, 1 solution, 1 counterexample: 1 finding"
    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.usefixtures("folder")
def test_a_console_that_does_not_know_a_letter() -> None:
    Path("a.scenario.yaml").write_text(WORKS.replace("{c:", "{ö:").replace("Bye", "Hello"))
    ascii_only = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(program("check", "."), env=ascii_only, capture_output=True, check=False)
    assert done.stdout.startswith(rb"a.scenario.yaml::a: counterexample '\xf6' passes")
    assert (done.returncode, done.stderr) == (1, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk() -> None:
    with Path("/dev/full").open("w") as full:
        command = program("schema")
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "[Errno 28] No space left on device\n")


# Where pytest runs in the background of a shell, Ctrl-C is ignored in every process that it starts.
INTERRUPT = (
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "signal.raise_signal(signal.SIGINT)"
)
TERMINATE = "import signal; signal.raise_signal(signal.SIGTERM)"


@pytest.mark.parametrize(
    ("command", "moment", "stop"),
    [
        *itertools.product(("check", "stats"), ("imported", "called"), (INTERRUPT,)),
        ("check", "called", TERMINATE),
    ],
)
def test_a_signal_ends_a_command_with_one_line(
    suite: Suite, command: str, moment: str, stop: str
) -> None:
    called = WORLD.replace('"""Read all notes."""', f'"""Read all notes."""\n    {stop}')
    assert called != WORLD
    suite.write("conftest.py", called if moment == "called" else f"{WORLD}\n{stop}")
    suite.write("read.scenario.yaml", READ.format(text="ferns"))
    words = [COLD, "-m", "pytest_toolsandbox", command, str(suite.path)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "interrupted\n")


def test_a_command_is_interrupted_while_it_is_imported(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(_: Sequence[str]) -> NoReturn:
        raise KeyboardInterrupt

    monkeypatch.setattr(__main__, "command_parser", interrupted)
    assert __main__.main(["check"]) == 130
    assert capsys.readouterr() == ("", "interrupted\n")


def test_conftests_are_imported_from_the_top(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])
    names = ("top", "top/a", "top/a/b", "top/c")
    for name in names:
        (tmp_path / name).mkdir()
        (tmp_path / name / "conftest.py").write_text("import sys; sys.order.append(__file__)")
    order: list[str] = []
    monkeypatch.setattr(sys, "order", order, raising=False)
    conftests = Conftests([tmp_path / "top"])
    for file in ("top/a/b/x.yaml", "top/a/b/y.yaml", "top/a/z.yaml"):
        conftests.import_for(tmp_path / file)
    assert order == [str(tmp_path / name / "conftest.py") for name in names[:3]]


@pytest.mark.parametrize("command", ["check", "stats"])
def test_usage(run: Run, command: str) -> None:
    status, _, errors = run(command)
    message = f"toolsandbox {command}: error: the following arguments are required: PATH\n"
    assert (status, errors.endswith(message)) == (2, True)


def test_without_a_command_the_commands_are_listed(run: Run) -> None:
    status, out, errors = run()
    assert (status, out) == (2, "")
    for command in ("check", "schema", "stats", "suites", "init", "import"):
        assert f"\n    {command} " in errors


def test_the_schema_is_printed(run: Run) -> None:
    status, out, _ = run("schema")
    assert (status, '"$schema"' in out) == (0, True)


def test_meanings_need_an_embedder(folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(folder)
    write(folder, "milestones: {told: {says: {semantic: Good morning}}}")
    status, out, _ = run("check", "a.scenario.yaml")
    first, second, last = out.splitlines()
    remedy = "cannot be judged: the matcher 'semantic' needs an embedder: "
    assert first.startswith(f"a.scenario.yaml::a: solution 's' {remedy}")
    assert second.startswith(f"a.scenario.yaml::a: counterexample 'c' {remedy}")
    assert "(for toolsandbox check, --embedder)" in first
    assert (status, last) == (1, "1 scenario, 1 solution, 1 counterexample: 2 findings")
    (folder / "vectors_for_check.py").write_text(
        "def embed(texts): return [[float(len(text) > 5), float(len(text) <= 5)] for text in texts]"
    )
    assert run("check", "a.scenario.yaml", "--embedder=vectors_for_check:embed").status == 0
    problem = "'nonsense' names no embedder; write module:attribute, provider/model or "
    printed = run("check", "a.scenario.yaml", "--embedder=nonsense")
    assert printed == (1, "", f"--embedder: {problem}sentence-transformers/NAME\n")


SURVIVES = """\
world: phone
user: {opening: Say hello and turn off wifi}
milestones: {told: {says: {mentions: hello}}}
protected: [messaging]
guardrails: none
solutions: {s: [{set_wifi_status: {on: false}}, {say: Hello!}]}
counterexamples: {c: [{say: Bye!}]}
"""
MUTANTS = """\
warning: a.scenario.yaml::a: a mutant survived: call dropped, set_wifi_status(on=False): \
nothing asks for setting.wifi
warning: a.scenario.yaml::a: a mutant survived: argument changed, \
set_wifi_status: on=True instead of False: nothing asks for setting.wifi
warning: a.scenario.yaml::a: a mutant survived: row deleted, a row of contact: \
nothing asks for contact; protected: [contact] would
warning: a.scenario.yaml::a: a mutant survived: row deleted, a row of reminder: \
nothing asks for reminder; protected: [reminder] would
mutants           made  died
call dropped         1     0
argument changed     1     0
answer emptied       1     1
answer denied        1     1
row deleted          3     1
all                  7     3  42.9%
too many mutants survive: 95% of them should die
1 scenario, 1 solution, 1 counterexample: 1 finding, 4 warnings
"""


def test_mutants(folder: Path, run: Run) -> None:
    (folder / "a.scenario.yaml").write_text(SURVIVES)
    assert run("check", ".") == (1, MUTANTS, "")
    for wanted, status in (("0.42", 0), ("0.43", 1), ("0", 0), ("1", 1), ("0.995", 1)):
        printed = run("check", ".", f"--mutation-score={wanted}")
        assert printed.status == status
    assert "too many mutants survive: 99.5% of them should die\n" in printed.out


@pytest.mark.parametrize("wanted", ["95", "-1", "nan", "most"])
def test_a_mutation_score_is_a_share(run: Run, wanted: str) -> None:
    error = f"error: argument --mutation-score: {wanted!r} is not a number from 0 to 1\n"
    assert run("check", ".", f"--mutation-score={wanted}").err.endswith(
        f"toolsandbox check: {error}"
    )


def test_worlds_of_the_same_name_in_two_folders(suite: Suite) -> None:
    other = WORLD.replace("Water the ferns.", "Feed the cat.")
    for name, world, text in (("one", WORLD, "ferns"), ("two", other, "cat")):
        suite.write(f"{name}/conftest.py", world)
        suite.write(f"{name}/read.scenario.yaml", READ.format(text=text))
    suite.write("conftest.py", "")
    command = program("check", "one", "two")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout.endswith("2 scenarios, 2 solutions, 2 counterexamples: 0 findings\n")


READ = """
world: desk
user: {{opening: What is there to do?}}
milestones: {{told: {{says: {{mentions: {text}}}}}}}
protected: [note]
solutions: {{reads: [{{read_notes: }}, {{say: {{from: {{call: read_notes, path: "[0]"}}}}}}]}}
counterexamples: {{guesses: [{{say: Nothing.}}]}}
"""

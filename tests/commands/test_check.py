"""``toolsandbox check``: solutions must pass with a score of 1, counterexamples must not pass."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from desk import LIGHT, WORLD, Suite
from warm import COLD

from pytest_toolsandbox.__main__ import main
from pytest_toolsandbox.commands.scenarios import RULE, Conftests
from pytest_toolsandbox.text.formatting import pluralize

WORKS = """\
world: phone
user: {opening: Hello}
milestones: {told: {says: {mentions: hello}}}
protected: [contact, messaging, reminder]
solutions: {s: [{say: Hello!}]}
counterexamples: {c: [{say: Bye!}]}
"""
NOTHING_FOUND = "the script finds nothing at '[0].name' in the result of search_contacts"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("changes", "findings"),
    [
        ({}, []),
        ({"solutions": "{}"}, ["it has no solution"]),
        ({"counterexamples": "{}"}, ["it has no counterexample"]),
        (
            {"solutions": "{s: [{say: Hello!}], other: [{say: Good day}]}"},
            [
                (
                    "solution 'other' scores 0.0000 and not 1; missed: told"
                    "; play it: pytest --agent=oracle:other"
                )
            ],
        ),
        (
            {"milestones": "{told: {says: {rouge_l: Hello you}}}"},
            [
                (
                    "solution 's' scores 0.6667 and not 1; not fully reached: told"
                    "; play it: pytest --agent=oracle:s"
                )
            ],
        ),
        (
            {"minefields": "{greets: {says: {contains: Hello}}}"},
            [
                (
                    "solution 's' scores 0.0000 and not 1; minefields hit: greets"
                    "; play it: pytest --agent=oracle:s"
                )
            ],
        ),
        (
            {
                "protected": "[setting]",
                "solutions": "{s: [{set_wifi_status: {on: false}}, {say: Hello!}]}",
            },
            [
                (
                    "solution 's' scores 0.0000 and not 1; protected tables changed: setting"
                    "; play it: pytest --agent=oracle:s"
                )
            ],
        ),
        (
            {"milestones": "{told: {says: {anything: true}}}", "counterexamples": "{}"},
            [
                "it has no counterexample",
                "an agent that does nothing passes",
            ],
        ),
        (
            {
                "solutions": "{s: [{search_contacts: {name: Ada}},"
                " {say: {from: {call: search_contacts, path: '[0].name'}}}]}",
            },
            [f"solution 's' cannot be played: {NOTHING_FOUND}; play it: pytest --agent=oracle:s"],
        ),
    ],
)
def test_findings(
    folder: Path, capsys: pytest.CaptureFixture[str], changes: dict[str, str], findings: list[str]
) -> None:
    kept = [line for line in WORKS.splitlines() if line.partition(":")[0] not in changes]
    own = [f"{key}: {value}" for key, value in changes.items()]
    (folder / "a.scenario.yaml").write_text("\n".join([*kept, *own]))
    assert main(["check", "."]) == (1 if findings else 0)
    *lines, summary = capsys.readouterr().out.splitlines()
    table = [] if findings else lines[-4:]
    assert lines == [f"a.scenario.yaml::a: {finding}" for finding in findings] + table
    assert summary.startswith("1 scenario, ")
    assert summary.endswith(f": {pluralize(len(findings), 'finding')}")


def test_what_differs_in_words_alone_needs_a_judge(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    others = "counterexamples: {a: [{say: Bye!}], b: [{say: hello}]}"
    kept = [line for line in WORKS.splitlines() if not line.startswith("counterexamples")]
    (folder / "a.scenario.yaml").write_text("\n".join([*kept, others]))
    assert main(["check", "."]) == 0
    listed, *_, told, _ = capsys.readouterr().out.splitlines()
    assert listed == "needs a judge: a.scenario.yaml::a: counterexample 'b'"
    assert told == ("1 counterexample left to a judge (--judge=MODEL): only words are different")
    for verdict, status in (("false", 0), ("right", 1)):
        judges = f"""
from pytest_toolsandbox import Opinion

def reads(question):
    return Opinion({verdict!r}, "hello", "It is no greeting.")
"""
        (folder / f"judge_{verdict}.py").write_text(judges)
        assert main(["check", ".", f"--judge=judge_{verdict}:reads"]) == status
        found = "counterexample 'b' passes" in capsys.readouterr().out
        assert found is bool(status)
    unreasoned = "def reads(_): return __import__('pytest_toolsandbox').Opinion('false', 'no')"
    (folder / "judge_lost.py").write_text(unreasoned)
    assert main(["check", ".", "--judge=judge_lost:reads"]) == 1
    (finding,) = (line for line in capsys.readouterr().out.splitlines() if "judge_lost" in line)
    assert (
        "counterexample 'b' cannot be judged: judge_lost:reads: the judge gave no reason" in finding
    )


def test_counts_and_files(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "scenarios").mkdir()
    (folder / "scenarios" / "many.yaml").write_text(f"{WORKS}scenarios: {{b: , a: }}\n")
    (folder / "broken.scenario.yaml").write_text("world: [")
    (folder / "other.yaml").write_text("a: 1")
    assert main(["check", "scenarios", "broken.scenario.yaml", "nowhere"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "nowhere: there is no such file or folder"
    assert lines[1].startswith("broken.scenario.yaml:2:1: invalid YAML: ")
    assert lines[-1] == (
        "2 scenarios, 2 solutions, 2 counterexamples: 0 findings, 2 files not read"
    )
    assert main(["check", "scenarios"]) == 0


@pytest.mark.parametrize("command", ["check", "stats"])
def test_names_of_files_and_of_solutions_control_no_terminal(
    command: str, suite: Suite, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(suite.path)
    suite.write("red\x1b[31m\x07\u202e.scenario.yaml", LIGHT)
    named = '"loud\\e[31m\\a": [{say: No.}]\n  directly:'
    suite.write("light.scenario.yaml", LIGHT.replace("directly:", named))
    main([command, "."])
    shown = capsys.readouterr().out
    assert "red\\x1b[31m\\x07\\u202e.scenario.yaml:" in shown
    assert ("oracle:loud\\x1b[31m\\x07" in shown) == (command == "check")
    assert all(line.isprintable() for line in shown.splitlines())


def test_nothing_found_is_no_proof(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(folder)]) == 1
    assert capsys.readouterr().out.splitlines() == [
        f"no scenario was found: {RULE}",
        "0 scenarios, 0 solutions, 0 counterexamples: 0 findings",
    ]


def test_worlds_of_conftests(suite: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    suite.write("sub/light.scenario.yaml", f"{LIGHT}protected: [note]\n")
    suite.write("sub/unrelated/conftest.py", "raise AssertionError('imported')")
    command = [sys.executable, "-m", "pytest_toolsandbox", "check"]
    for here, path in ((suite.path, "."), (suite.path / "sub", str(suite.path))):
        monkeypatch.chdir(here)
        finished = subprocess.run([*command, path], capture_output=True, text=True, check=True)
        assert finished.stdout.endswith("1 scenario, 1 solution, 2 counterexamples: 0 findings\n")


def test_a_conftest_that_cannot_be_imported(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])
    (folder / "a.scenario.yaml").write_text(WORKS)
    (folder / "conftest.py").write_text("\nraise LookupError('no database')")
    assert main(["check", "."]) == 1
    assert capsys.readouterr().err == (
        f"{folder}/conftest.py: LookupError: no database (conftest.py:2)\n"
    )


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("import pytest\npytest.skip('no key', allow_module_level=True)", "Skipped: no key"),
        ("import sys\nsys.exit(3)", "SystemExit: 3"),
    ],
)
def test_a_conftest_that_stops_by_itself(
    folder: Path,
    code: str,
    text: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])
    (folder / "a.scenario.yaml").write_text(WORKS)
    (folder / "conftest.py").write_text(code)
    assert main(["check", "."]) == 1
    assert capsys.readouterr().err == f"{folder}/conftest.py: {text} (conftest.py:2)\n"


def test_a_proof_that_breaks_off_is_a_finding(suite: Suite) -> None:
    skips = '"""Read all notes."""\n    import pytest; pytest.skip("no")'
    suite.write("conftest.py", WORLD.replace('"""Read all notes."""', skips))
    suite.write("read.scenario.yaml", READ.format(text="ferns"))
    command = [sys.executable, "-m", "pytest_toolsandbox", "check", "."]
    done = subprocess.run(command, cwd=suite.path, capture_output=True, text=True, check=False)
    finding, last = done.stdout.splitlines()
    start = "read.scenario.yaml::read: solution 'reads' cannot be played: conftest.py:"
    assert finding.startswith(start)
    assert "the tool 'read_notes' raised Skipped: no" in finding
    assert last == "1 scenario, 1 solution, 1 counterexample: 1 finding"
    assert (done.returncode, done.stderr) == (1, "")


def test_a_console_that_does_not_know_a_letter(folder: Path) -> None:
    (folder / "a.scenario.yaml").write_text(WORKS.replace("{c:", "{ö:").replace("Bye", "Hello"))
    done = subprocess.run(
        [sys.executable, "-m", "pytest_toolsandbox", "check", "."],
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.splitlines()[0] == r"a.scenario.yaml::a: counterexample '\xf6' passes"
    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk() -> None:
    command = [sys.executable, "-m", "pytest_toolsandbox", "schema"]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "[Errno 28] No space left on device\n")


# Where pytest runs in the background of a shell, Ctrl-C is ignored in every process that it starts.
INTERRUPT = (
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "signal.raise_signal(signal.SIGINT)"
)


@pytest.mark.parametrize("command", ["check", "stats"])
@pytest.mark.parametrize("moment", ["imported", "called"])
def test_ctrl_c_ends_a_command_with_one_line(suite: Suite, command: str, moment: str) -> None:
    called = WORLD.replace('"""Read all notes."""', f'"""Read all notes."""\n    {INTERRUPT}')
    assert called != WORLD
    suite.write("conftest.py", called if moment == "called" else f"{WORLD}\n{INTERRUPT}")
    suite.write("read.scenario.yaml", READ.format(text="ferns"))
    done = subprocess.run(
        [COLD, "-m", "pytest_toolsandbox", command, str(suite.path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "interrupted\n")


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
    files = [tmp_path / "top/a/b/x.yaml", tmp_path / "top/a/b/y.yaml", tmp_path / "top/a/z.yaml"]
    conftests = Conftests([tmp_path / "top"])
    for file in files:
        conftests.import_for(file)
    assert order == [str(tmp_path / name / "conftest.py") for name in names[:3]]


def test_usage(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["check"])
    assert caught.value.code == 2
    message = "toolsandbox check: error: the following arguments are required: PATH"
    assert capsys.readouterr().err.splitlines()[-1] == message


def test_the_schema_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema"]) == 0
    assert '"$schema"' in capsys.readouterr().out


MEANING = WORKS.replace("{mentions: hello}", "{semantic: Good morning}")


def test_meanings_need_an_embedder(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "a.scenario.yaml").write_text(MEANING)
    assert main(["check", "a.scenario.yaml"]) == 1
    first, second, last = capsys.readouterr().out.splitlines()
    remedy = "cannot be judged: the matcher 'semantic' needs an embedder: "
    assert first.startswith(f"a.scenario.yaml::a: solution 's' {remedy}")
    assert second.startswith(f"a.scenario.yaml::a: counterexample 'c' {remedy}")
    assert "(for toolsandbox check, --embedder)" in first
    assert last == "1 scenario, 1 solution, 1 counterexample: 2 findings"


def test_meanings_are_compared_by_the_embedder_that_is_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.syspath_prepend(folder)
    (folder / "vectors_for_check.py").write_text(
        "def embed(texts): return [[float(len(text) > 5), float(len(text) <= 5)] for text in texts]"
    )
    (folder / "a.scenario.yaml").write_text(MEANING)
    assert main(["check", "a.scenario.yaml", "--embedder=vectors_for_check:embed"]) == 0
    assert main(["check", "a.scenario.yaml", "--embedder=nonsense"]) == 1
    assert capsys.readouterr().err == (
        "--embedder: 'nonsense' names no embedder; write module:attribute, provider/model or "
        "sentence-transformers/NAME\n"
    )


SURVIVES = """\
world: phone
user: {opening: Say hello and turn off wifi}
milestones: {told: {says: {mentions: hello}}}
protected: [messaging]
guardrails: none
solutions: {s: [{set_wifi_status: {on: false}}, {say: Hello!}]}
counterexamples: {c: [{say: Bye!}]}
"""


def test_mutants(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "a.scenario.yaml").write_text(SURVIVES)
    assert main(["check", "."]) == 1
    turned_on = "set_wifi_status: on=True instead of False"
    assert capsys.readouterr().out.splitlines() == [
        *(
            f"survived: a.scenario.yaml::a: {survivor}"
            for survivor in (
                "call dropped, set_wifi_status(on=False): nothing asks for setting.wifi",
                f"argument changed, {turned_on}: nothing asks for setting.wifi",
                (
                    "row deleted, a row of contact: nothing asks for contact; "
                    "protected: [contact] would"
                ),
                (
                    "row deleted, a row of reminder: nothing asks for reminder; "
                    "protected: [reminder] would"
                ),
            )
        ),
        "mutants           made  died",
        "call dropped         1     0",
        "argument changed     1     0",
        "answer emptied       1     1",
        "answer denied        1     1",
        "row deleted          3     1",
        "all                  7     3  42.9%",
        "too many mutants survive: 95% of them should die",
        "1 scenario, 1 solution, 1 counterexample: 1 finding",
    ]


@pytest.mark.parametrize(("wanted", "status"), [("0.42", 0), ("0.43", 1), ("0", 0), ("1", 1)])
def test_how_many_mutants_must_die(folder: Path, wanted: str, status: int) -> None:
    (folder / "a.scenario.yaml").write_text(SURVIVES)
    assert main(["check", ".", f"--mutation-score={wanted}"]) == status


def test_the_share_is_said_as_it_was_given(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "a.scenario.yaml").write_text(SURVIVES)
    assert main(["check", ".", "--mutation-score=0.995"]) == 1
    assert "too many mutants survive: 99.5% of them should die\n" in capsys.readouterr().out


@pytest.mark.parametrize("wanted", ["95", "-1", "nan", "most"])
def test_a_mutation_score_is_a_share(capsys: pytest.CaptureFixture[str], wanted: str) -> None:
    with pytest.raises(SystemExit):
        main(["check", ".", f"--mutation-score={wanted}"])
    assert capsys.readouterr().err.splitlines()[-1] == (
        "toolsandbox check: error: argument --mutation-score: "
        f"{wanted!r} is not a number from 0 to 1"
    )


def test_worlds_of_the_same_name_in_two_folders(
    suite: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = WORLD.replace("Water the ferns.", "Feed the cat.")
    for name, world in (("one", WORLD), ("two", other)):
        suite.write(f"{name}/conftest.py", world)
        suite.write(f"{name}/read.scenario.yaml", READ.format(text=NOTES[name]))
    suite.write("conftest.py", "")
    monkeypatch.chdir(suite.path)
    command = [sys.executable, "-m", "pytest_toolsandbox", "check", "one", "two"]
    finished = subprocess.run(command, capture_output=True, text=True, check=False)
    assert finished.stdout.endswith("2 scenarios, 2 solutions, 2 counterexamples: 0 findings\n")


NOTES = {"one": "ferns", "two": "cat"}
READ = """
world: desk
user: {{opening: What is there to do?}}
milestones: {{told: {{says: {{mentions: {text}}}}}}}
protected: [note]
solutions: {{reads: [{{read_notes: }}, {{say: {{from: {{call: read_notes, path: "[0]"}}}}}}]}}
counterexamples: {{guesses: [{{say: Nothing.}}]}}
"""


def test_without_a_command_the_commands_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    for command in ("check", "schema", "stats", "suites", "init", "import"):
        assert f"\n    {command} " in said.err


def test_the_schema_says_which_conftest_is_broken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "conftest.py").write_text("import nothing_there")
    assert main(["schema"]) == 1
    said = capsys.readouterr()
    problem = "ModuleNotFoundError: No module named 'nothing_there' (conftest.py:1)"
    assert said.err == f"{tmp_path / 'conftest.py'}: {problem}\n"
    assert said.out == ""

"""Files with mistakes: a clear error for each, while the others run."""

from __future__ import annotations

import pytest
from desk import LIGHT, Suite, section

BROKEN = {
    "a": (b"world: [desk", "2:1: invalid YAML: "),
    "b": (b"", "1:1: expected a mapping of keys to values; the file is empty"),
    "c": (b"\x89PNG\r\n\x1a\n\x00\xff\x00", "1:1: the byte 0x89 is not UTF-8"),
    "d": (b"world: deks\nuser: {opening: x}\nprotected: [note]", "1:8: world: unknown"),
    "e": (
        b"scenarios: {%s}" % b", ".join(b"s%d: " % number for number in range(2001)),
        "1:12: scenarios: the file has 2,001 scenarios; at most 2,000 are allowed",
    ),
}


@pytest.mark.parametrize("option", ["-n0", "-n1"])
def test_each_file_has_a_clear_error_and_the_others_run(light: Suite, option: str) -> None:
    light.write("test_python.py", "def test(): pass")
    for name, (content, _) in BROKEN.items():
        light.write(f"{name}.scenario.yaml", content)
    result = light.run_apart("--agent=oracle", option, "--junitxml=junit.xml")
    result.assert_outcomes(passed=2, errors=len(BROKEN))
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    for name, (_, start) in BROKEN.items():
        message = section(result, f"ERROR collecting {name}.scenario.yaml")
        assert message.startswith(f"{name}.scenario.yaml:{start}")
        assert len(message.splitlines()) <= 3
    line = "5 scenario files could not be read: their scenarios are not counted"
    result.stdout.fnmatch_lines(line)
    assert light.junit()[0]["toolsandbox.unread_files"] == "5"


def test_all_mistakes_at_once(light: Suite) -> None:
    light.write(
        "a.scenario.yaml",
        "world: desk\nuser: {openin: Hello}\ntool: [x]\nmilestones: {a: {state: {lmap: {}}}}\n",
    )
    result = light.run("--agent=oracle")
    lines = section(result, "ERROR collecting a.scenario.yaml").splitlines()
    assert [line.partition(": ")[0] for line in lines] == [
        "a.scenario.yaml:2:8",
        "a.scenario.yaml:3:1",
        "a.scenario.yaml:4:26",
    ]
    line = "1 scenario file could not be read: its scenarios are not counted"
    result.stdout.fnmatch_lines(
        [line, "ERROR a.scenario.yaml - unknown key 'openin'; did you mean 'opening'? (user.o..."]
    )


@pytest.mark.parametrize("option", ["-n0", "-n1"])
def test_the_short_line_begins_with_the_cause(light: Suite, option: str) -> None:
    light.write("a.scenario.yaml", "world: desk\nuser: {openin: Hello}\ntool: [x]\n")
    light.write(
        "folder/conftest.py", "from pytest_toolsandbox import tool\n@tool('x')\ndef f(): ..."
    )
    light.write("folder/b.scenario.yaml", LIGHT)
    result = light.run_apart("--agent=oracle", option)
    lines = [line for line in result.outlines if line.startswith("ERROR ")]
    assert lines[-2:] == [
        "ERROR a.scenario.yaml - unknown key 'openin'; did you mean 'opening'? (user.o...",
        "ERROR folder - the tool 'f': it has no docstring, from which agents learn wha...",
    ]


def test_a_file_that_cannot_be_read(light: Suite) -> None:
    (light.path / "a.scenario.yaml").symlink_to("nowhere")
    (light.path / "folder.scenario.yaml").mkdir()
    result = light.run("--agent=oracle")
    result.assert_outcomes(passed=1)


def test_the_first_failure_may_be_a_file(light: Suite) -> None:
    light.write("a.scenario.yaml", "world: [")
    result = light.run("--agent=oracle", "-x")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines("*stopping after 1 failures*")


def test_collected_only(light: Suite) -> None:
    light.write("a.scenario.yaml", "world: [")
    result = light.run("--agent=oracle", "--collect-only", "-q")
    result.stdout.fnmatch_lines(["light.scenario.yaml::light", "ERROR a.scenario.yaml - *"])
    assert result.ret == pytest.ExitCode.TESTS_FAILED


@pytest.mark.parametrize("arguments", [(), ("a.scenario.yaml", "test_python.py", "."), ("--co",)])
def test_with_a_broken_python_module_pytest_stops_as_ever(
    light: Suite, arguments: tuple[str, ...]
) -> None:
    light.write("test_python.py", "import nowhere")
    assert light.run("--agent=oracle").ret == pytest.ExitCode.INTERRUPTED
    light.write("a.scenario.yaml", "world: [")
    result = light.run("--agent=oracle", *arguments)
    result.assert_outcomes(errors=2)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines("*Interrupted: 2 errors during collection*")


def test_a_world_that_raises_shows_where(light: Suite) -> None:
    light.conftest(
        "register_world(\n"
        "    World('odd', datetime(2025, 1, 1, tzinfo=UTC), {}, (), lambda now: {}['x'])\n"
        ")"
    )
    light.write("a.scenario.yaml", "{world: odd, user: {opening: Hello}}")
    result = light.run("--agent=oracle")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert result.errlines == [
        "ERROR: conftest.py:64: the world 'odd': initial raised KeyError: 'x' (conftest.py:65)",
        "",
    ]


def test_thresholds_of_the_ini_file(suite: Suite) -> None:
    text = LIGHT.replace('mentions: ["on"]', 'mentions: ["on", "sun"]')
    suite.write("light.scenario.yaml", text)
    suite.ini("sandbox_thresholds = mentions = 0.5")
    suite.run("--agent=oracle").assert_outcomes(passed=1)
    suite.ini("sandbox_thresholds = rogue_l = 0.6")
    result = suite.run("--agent=oracle")
    assert section(result, "ERROR collecting light.scenario.yaml").startswith(
        "sandbox_thresholds: unknown matcher 'rogue_l'; did you mean 'rouge_l'?"
    )


def test_files_with_very_much_in_them_are_read_all_the_same(light: Suite) -> None:
    """Each took minutes while what was found was compared with all that was found before."""
    for name, content in {
        "tags": "tags: [" + ", ".join(f"t{index}" for index in range(20_000)) + "]",
        "keys": "\n".join(f"key_{index}: 1" for index in range(5_000)),
        "cycles": "milestones:\n"
        + "\n".join(f"  m{i}: {{says: x, after: [m{i}]}}" for i in range(2_000)),
    }.items():
        light.write(f"{name}.scenario.yaml", LIGHT.replace("milestones:", "x:") + content)
    light.run("--agent=oracle").assert_outcomes(passed=1, errors=3)


NAMES = ["e\x1b[31mf.scenario.yaml", "b\x07.yaml", "n\nl.yaml", "c\x9b/c.yaml", "\udcff.yaml"]


@pytest.mark.parametrize("option", ["-n0", "-n1"])
def test_names_that_a_terminal_would_obey_are_refused(light: Suite, option: str) -> None:
    for name in NAMES:
        light.write(f"scenarios/{name}", LIGHT)
    result = light.run("--agent=oracle", option, "--junitxml=junit.xml")
    result.assert_outcomes(passed=1, errors=len(NAMES))
    shown = [r"b\x07", r"c\x9b/c", r"e\x1b[31mf.scenario", r"n\nl", r"\udcff"]
    text = "the name of a file or folder has a control character or half a character; rename it"
    for name in shown:
        line = section(result, f"ERROR collecting scenarios/{name}.yaml")
        assert line == f"scenarios/{name}.yaml: {text}"
    printed = result.stdout.str() + (light.path / "junit.xml").read_text()
    assert not {"\x1b", "\x07", "\x9b", "\udcff"} & set(printed)


@pytest.mark.parametrize("option", ["-n0", "-n1"])
def test_a_conftest_of_a_folder_neither_ends_the_run_nor_rings(light: Suite, option: str) -> None:
    messages = {
        r"raise OSError('bell \x07, half \ud83d')": r"OSError: bell \x07, half \ud83d",
        "raise SystemExit(3)": "SystemExit: 3",
    }
    for number, statement in enumerate(messages):
        light.write(f"sub{number}/conftest.py", statement)
        light.write(f"sub{number}/other.scenario.yaml", LIGHT)
    result = light.run_apart("--agent=oracle", option, "--continue-on-collection-errors")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert result.parseoutcomes()["passed"] == 1
    for number, message in enumerate(messages.values()):
        assert message in section(result, f"ERROR collecting sub{number}")
    assert "\x07" not in result.stdout.str()

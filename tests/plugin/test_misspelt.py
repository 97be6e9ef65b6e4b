"""An option or a key that begins like ours and is unknown ends the run, with the nearest name."""

from __future__ import annotations

import pytest

from pytest_toolsandbox.__main__ import main


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (
            ["--sandbox-trial=3"],
            "--sandbox-trial: unknown option; did you mean '--sandbox-trials'?",
        ),
        (["--sandbox-qwertz"], "--sandbox-qwertz: unknown option"),
        (["--sandbox-trials", "3", "--sandbox-htm", "r"], "--sandbox-htm: unknown option*-html'?"),
        (["--agent=oracle", "--trials=3"], "--trials: unknown option*'--sandbox-trials'?"),
        (["--agnt=claude"], "--agnt: unknown option; did you mean '--agent'?"),
    ],
)
def test_an_unknown_option(pytester: pytest.Pytester, words: list[str], line: str) -> None:
    result = pytester.runpytest(*words)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {line}"])


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("pytest.ini", "[pytest]\nsandbox_min_scor = 0.9\n"),
        ("pyproject.toml", '[tool.pytest.ini_options]\nsandbox_min_scor = "0.9"\n'),
    ],
)
def test_an_unknown_key_gates_nothing(pytester: pytest.Pytester, file: str, text: str) -> None:
    pytester.path.joinpath(file).write_text(text, encoding="utf-8")
    result = pytester.runpytest()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    line = f"ERROR: *{file}: sandbox_min_scor: unknown option; did you mean 'sandbox_min_score'?"
    result.stderr.fnmatch_lines([line])


def test_what_a_conftest_declares_is_known(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(
        "def pytest_addoption(parser):\n"
        "    parser.addoption('--sandbox-colour')\n"
        "    parser.addini('sandbox_shade', 'of it')\n"
    )
    pytester.makeini("[pytest]\nsandbox_shade = light\nother = 1\n")
    result = pytester.runpytest("--sandbox-colour=red")
    assert result.ret == pytest.ExitCode.NO_TESTS_COLLECTED
    for words in (["--other-option"], ["--agent=oracle", "--qwertz"]):
        result = pytester.runpytest(*words)
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        assert "did you mean" not in result.stderr.str()


def test_a_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as error:
        main(["chek", "scenarios"])
    assert error.value.code == 2
    assert "error: unknown command 'chek'; did you mean 'check'?" in capsys.readouterr().err


def test_an_option_of_a_command(capsys: pytest.CaptureFixture[str]) -> None:
    for word, hint in (("--agnt=x", "; did you mean '--agent'?"), ("--qwertz", "")):
        with pytest.raises(SystemExit) as error:
            main(["init", word])
        assert error.value.code == 2
        last = capsys.readouterr().err.splitlines()[-1]
        assert last == f"toolsandbox: error: unrecognized arguments: {word}{hint}"

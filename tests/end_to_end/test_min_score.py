"""A session fails, and says so in a line, when a mean falls short."""

from __future__ import annotations

import pytest
from desk import LIGHT, Suite

TWO = (
    LIGHT
    + """
scenarios:
  light: {categories: [state_dependency]}
  known:
    categories: [state_dependency, canonicalization]
    marks: [xfail]
    solutions: {directly: [{switch_lamp: {on: true}}, {say: Nothing}]}
"""
)
"""With the oracle the session passes, with the means 0.75 and 0.5 (canonicalization)."""


@pytest.fixture
def two(suite: Suite) -> Suite:
    suite.write("two.scenario.yaml", TWO)
    return suite


@pytest.mark.parametrize(
    ("minimums", "lines"),
    [
        (["0.75"], []),
        (["0", "state_dependency=0.75", "canonicalization=0.5"], []),
        (["0.76"], ["min-score: all scenarios reached 0.7500, less than 0.76"]),
        (
            ["1", "canonicalization=0.51", "state_dependency=0.7"],
            [
                "min-score: all scenarios reached 0.7500, less than 1",
                "min-score: canonicalization reached 0.5000, less than 0.51",
            ],
        ),
    ],
)
def test_minimums(two: Suite, minimums: list[str], lines: list[str]) -> None:
    options = [f"--sandbox-min-score={minimum}" for minimum in minimums]
    result = two.run("--agent=oracle", *options)
    result.assert_outcomes(passed=1, xfailed=1)
    assert [line for line in result.outlines if line.startswith("min-score")] == lines
    assert result.ret == (pytest.ExitCode.TESTS_FAILED if lines else pytest.ExitCode.OK)


@pytest.mark.parametrize("arguments", [(), ("-k", "nothing"), ("nothing/",)])
def test_the_command_line_wants_to_be_shown(suite: Suite, arguments: tuple[str, ...]) -> None:
    suite.write("nothing/test_python.py", "def test(): pass")
    suite.write("light.scenario.yaml", LIGHT)
    result = suite.run("--sandbox-min-score=0.5", *arguments)
    result.stdout.fnmatch_lines("min-score: all scenarios must reach 0.5, but nothing was scored")
    assert result.ret == pytest.ExitCode.TESTS_FAILED


def test_the_ini_file_speaks_of_what_is_scored(two: Suite) -> None:
    two.ini("sandbox_min_score =", "  0.8", "  canonicalization = 0.4", "  single_tool_call = 1")
    two.write("test_python.py", "def test(): pass")
    for arguments, line in (
        (("test_python.py",), None),
        ((), None),
        (("--agent=oracle", "-k", "light"), None),
        (("--agent=oracle",), "min-score: all scenarios reached 0.7500, less than 0.8"),
        (("--agent=oracle", "--sandbox-min-score=0.6"), None),
    ):
        result = two.run(*arguments)
        shown = [line for line in result.outlines if line.startswith("min-score")]
        assert shown == ([line] if line else [])
        assert result.ret == (pytest.ExitCode.TESTS_FAILED if line else pytest.ExitCode.OK)


def test_a_mean_may_miss_by_rounding_alone(suite: Suite) -> None:
    third = "[{switch_lamp: {on: true}}, {say: Nothing}]"
    names = ", ".join(f"s{number}: " for number in range(7))
    text = LIGHT.replace("  light_on:", "  dark: {says: {exact: No}}\n  light_on:")
    text = text.replace("[{switch_lamp: {on: true}}, {say: The lamp is on.}]", third)
    suite.write("third.scenario.yaml", f"scenarios: {{{names}}}\nmarks: [xfail]\n{text}")
    result = suite.run("--agent=oracle", f"--sandbox-min-score={1 / 3}")
    result.assert_outcomes(xfailed=7)
    assert result.ret == pytest.ExitCode.OK


@pytest.mark.parametrize("failing", ["def test(): assert False", "import nowhere", "x ="])
def test_other_exit_statuses_stay(two: Suite, failing: str) -> None:
    two.write("test_python.py", failing)
    usual = two.run("--agent=oracle").ret
    assert two.run("--agent=oracle", "--sandbox-min-score=1").ret == usual


def test_an_error_beside_a_shortfall(two: Suite) -> None:
    result = two.run("--agent=nowhere:agent", "-k", "light", "--sandbox-min-score=0.5")
    result.assert_outcomes(errors=1, deselected=1)
    result.stdout.fnmatch_lines("min-score: all scenarios must reach 0.5, but nothing was scored")


def test_a_name_that_is_mistyped_is_told(two: Suite) -> None:
    names = ("state_dependancy", "tool_name_scrambld", "single_tool_call", "weather")
    options = [f"--sandbox-min-score={name}=0.5" for name in names]
    result = two.run("--agent=oracle", *options)
    assert result.ret == pytest.ExitCode.USAGE_ERROR  # before anything is played
    start = "--sandbox-min-score: no scenario of this run is of"
    lines = [
        f"{start} 'state_dependancy'; did you mean 'state_dependency'?",
        f"{start} 'tool_name_scrambld'",
        f"{start} 'single_tool_call'",
        f"{start} 'weather'",
    ]
    assert list(filter(None, result.errlines)) == [f"ERROR: {line}" for line in lines]
    assert two.run("--collect-only", *options).ret == pytest.ExitCode.OK
    result = two.run("--agent=oracle", "-n1", *options)  # the workers alone know what they collect
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.assert_outcomes()
    assert [line.removeprefix("ERROR: ") for line in result.errlines if start in line] == lines

"""What the page about error patterns shows is what the program does."""

from __future__ import annotations

import doctest
from pathlib import Path

from pytest_toolsandbox.language.error_patterns import PATTERNS
from pytest_toolsandbox.scoring.error_patterns.patterns import MAX_CALLS

PAGE = (Path(__file__).parents[3] / "docs" / "error-patterns.md").read_text(encoding="utf-8")


def test_the_session_is_a_real_one() -> None:
    examples = doctest.DocTestParser().get_doctest(PAGE, {}, "error-patterns.md", None, None)
    result = doctest.DocTestRunner().run(examples)
    assert result.failed == 0
    assert result.attempted == 14


def test_the_patterns_stand_there_in_their_order() -> None:
    rows = [line.split(" | ") for line in PAGE.splitlines() if line.startswith("| I")]
    rows += [line.split(" | ") for line in PAGE.splitlines() if line.startswith("| R")]
    named = {row[0].removeprefix("| "): row[1] for row in rows}
    assert named == {pattern: definition.name for pattern, definition in PATTERNS.items()}
    places = [PAGE.index(f"| {pattern} |") for pattern in PATTERNS]
    assert places == sorted(places)
    assert f"`max_calls`, {MAX_CALLS} unless" in PAGE

"""Regular expressions that would take for ever: errors of the item, in play and in judging."""

from __future__ import annotations

import pytest
from desk import LIGHT, Suite, section

from pytest_toolsandbox.text import regular_expression

pytestmark = pytest.mark.any_pytest

SLOW = "(a+)+$"
SAYS = LIGHT.replace("The lamp is on.", "a" * 5_000 + "!")
GIVEN_UP = (
    "the regular expression '(a+)+$' was given up after 0.05 seconds in a text of 5,001 "
    "characters; write it without a repetition inside another one, as in (a+)+"
)


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regular_expression, "SECONDS", 0.05)


@pytest.mark.parametrize(
    ("old", "new", "next_line"),
    [
        ('{mentions: ["on"]}', f"{{regex: {SLOW}}}", ""),
        (
            "light.}",
            f"light., replies: [{{when: {SLOW}, say: Thanks.}}]}}",
            "\nconversation so far",
        ),
    ],
)
def test_a_slow_expression_in_judging_or_in_play(
    light: Suite, old: str, new: str, next_line: str
) -> None:
    light.write("light.scenario.yaml", SAYS.replace(old, new))
    result = light.run("--agent=oracle", "--sandbox-results=results.jsonl")
    result.assert_outcomes(errors=1)
    assert section(result, "ERROR at conversation of light").startswith(f"{GIVEN_UP}\n{next_line}")
    assert [record["reason"] for record in light.records()] == [GIVEN_UP]

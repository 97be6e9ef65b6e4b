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


def test_in_judging(light: Suite) -> None:
    light.write("light.scenario.yaml", SAYS.replace('{mentions: ["on"]}', f"{{regex: {SLOW}}}"))
    result = light.run("--agent=oracle", "--sandbox-results=results.jsonl")
    result.assert_outcomes(errors=1)
    assert section(result, "ERROR at setup of light").startswith(f"{GIVEN_UP}\n")
    assert [record["reason"] for record in light.records()] == [GIVEN_UP]


def test_in_play(light: Suite) -> None:
    light.write(
        "light.scenario.yaml",
        SAYS.replace("light.}", f"light., replies: [{{when: {SLOW}, say: Thanks.}}]}}"),
    )
    result = light.run("--agent=oracle", "--sandbox-results=results.jsonl")
    result.assert_outcomes(errors=1)
    page = section(result, "ERROR at setup of light")
    assert page.startswith(f"{GIVEN_UP}\n\nconversation so far")
    assert [record["reason"] for record in light.records()] == [GIVEN_UP]

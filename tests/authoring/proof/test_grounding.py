"""What no honest agent can repeat of a solution, although it scores 1."""

from __future__ import annotations

import itertools
import re
from collections.abc import Awaitable, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from pantry import scenario
from pydantic import BaseModel, Field
from rows import every

from pytest_toolsandbox.authoring.proof.proof import prove, ungrounded
from pytest_toolsandbox.language.roles import ToolStep
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.worlds.context import Context
from pytest_toolsandbox.worlds.tool import tool

ORDER = """
user: {opening: "OPENING", otherwise: That's all I know.}
milestones: {there: {state: {item: {added: [{name: tea}]}}}}
solutions: {s: [{add_item: {name: tea, note: NOTE}}, {say: It is in there.}]}
counterexamples: {c: [{say: No.}]}
"""


def findings(opening: str, note: str) -> list[str]:
    text = ORDER.replace("OPENING", opening).replace("NOTE", note)
    return [*ungrounded(scenario(text))]


@every(
    ("opening", "note", "is_guessed"),
    [
        ("Add tea.", "ada@example.org", True),
        ("Add tea for ada@example.org.", "ada@example.org", False),
        ("Add tea.", '"+14155550123"', True),
        ("Add tea, I'm at (415) 555-0123.", '"+14155550123"', False),
        ("Add tea, I'm at five five five oh one two three.", '"+14155550123"', False),
        ("Add tea.", "order-7731", True),
        ("Add tea for order 7731, the one of mine.", "order-7731", False),
        ("Add tea for ORDER-7731.", "order-7731", False),
        ("Add tea.", '"2025-03-14 16:00"', False),  # worked out
        ("Add tea.", "of the harvest of 2025", False),  # a text of its own
        ("Add tea.", '"250"', False),
    ],
)
def test_values_that_nobody_has_said(opening: str, note: str, is_guessed: bool) -> None:
    problems = findings(opening, note)
    reason = "which nobody has said and no result contains"
    assert [problem.endswith(reason) for problem in problems] == [True] * is_guessed


def test_a_value_of_a_result_is_known_once_it_is_there() -> None:
    text = """
    user: {opening: Make it three.}
    milestones: {there: {state: {item: {includes: [{amount: 3}]}}}}
    solutions: {s: [STEPS]}
    """
    identifier = scenario(text.replace("STEPS", "say: No.")).start["item"].rows[0]["item_id"]
    add = f'add_item: {{name: tea, amount: 3, note: "{identifier}"}}'
    assert not [*ungrounded(scenario(text.replace("STEPS", f"list_items: {{}}, {add}")))]
    assert [*ungrounded(scenario(text.replace("STEPS", f"{add}, list_items: {{}}")))]


ASKS = """
user: {opening: Add tea., replies: [REPLY], otherwise: That's all I know.}
milestones: {there: {state: {item: {added: [{name: tea}]}}}}
solutions: {s: [{say: How much?}, {add_item: {name: tea, amount: 2}}, {say: LAST}]}
counterexamples: {c: [{say: No.}]}
"""


@every(
    ("reply", "last", "count"),
    [("", "Done.", 1), ("{say: Two.}", "Done.", 0), ("{say: Two.}", "Anything else?", 0)],
)
def test_a_question_needs_a_reply_of_its_own(reply: str, last: str, count: int) -> None:
    scene = scenario(ASKS.replace("REPLY", reply).replace("LAST", last))
    problems = [*ungrounded(scene)]
    assert len(problems) == count
    for problem in problems:
        assert "'How much?'" in problem
        assert problem.endswith("That's all I know.\"; write a reply to it")


class Unreadable:
    """A class of which pydantic knows nothing."""


class Aliased(BaseModel):
    """A model whose field has another name in JSON that it reads."""

    sender: str = Field(alias="from")


def with_tool(scene: Scenario, made: object) -> Scenario:
    world = replace(scene.world, name="odd", toolset=(made, *scene.world.toolset))  # type: ignore[arg-type]
    return replace(scene, world=world, tools=("odd", *scene.tools))


def test_a_tool_that_is_not_pure_is_found() -> None:
    count = itertools.count()

    @tool("odd")
    def odd(context: Context) -> int:
        """Count."""
        del context
        return next(count)

    scene = scenario(ORDER.replace("OPENING", "Add tea.").replace("NOTE", "fine"))
    calls = (ToolStep("odd", {}), *scene.solutions["s"])
    odd_one = replace(with_tool(scene, odd), solutions={"s": calls})
    (finding,) = ungrounded(odd_one)
    assert finding.startswith("odd returns '1', and then '2' when it is called twice")
    assert any("it is not pure" in problem for problem in prove(odd_one).findings)


@pytest.mark.parametrize(
    ("hint", "result", "problem"),
    [
        (list[str], ["a"], None),
        (list[str], ["a", 1], "-> list[str]: [1]: Input should be a valid string"),
        (dict[str, Any], ["a"], "-> dict[str, Any]: Input should be an object"),
        (Sequence[int], (1, 2), None),
        (set[int], {1}, None),
        (float, 1, None),
        (int, "1", "-> int: Input should be a valid integer"),
        (None, "done", "-> None: Input should be null"),
        (Awaitable[int], 1, None),
        (Unreadable, "anything", None),
        (Any, {"a": [1]}, None),
        (date, date(2025, 3, 14), None),
        (Aliased, Aliased.model_validate({"from": "Ada"}), None),
        (Aliased | None, None, None),
    ],
    ids=str,
)
def test_what_a_tool_returns_fits_its_annotation(
    hint: object, result: object, problem: str | None
) -> None:
    def odd(context: Context) -> Any:
        """Return something."""
        del context
        return result

    odd.__annotations__["return"] = hint
    scene = scenario(ORDER.replace("OPENING", "Add tea.").replace("NOTE", "fine"))
    calls = (ToolStep("odd", {}), *scene.solutions["s"])
    odd_one = replace(with_tool(scene, tool("odd")(odd)), solutions={"s": calls})
    findings = list(ungrounded(odd_one))
    assert [text.partition("annotation ")[2] for text in findings] == ([problem] if problem else [])
    assert all(re.match(r".*test_grounding\.py:\d+: odd returns ", text) for text in findings)

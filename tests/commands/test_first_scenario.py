"""The first scenario of ``toolsandbox init`` judges deeds: a right agent passes in any words."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pytest_toolsandbox.__main__ import main

AGENTS = '''
import json


def speaks(*steps):
    """Return an agent that does this, one step for each message that it gets."""
    def agent(messages, tools):
        place = sum(message["role"] == "assistant" for message in messages)
        step = steps[min(place, len(steps) - 1)]
        if isinstance(step, str):
            return step
        ((name, arguments),) = step.items()
        function = {"name": name, "arguments": json.dumps(arguments)}
        return {"role": "assistant", "tool_calls": [{"type": "function", "function": function}]}
    return agent


FIND = {"find_orders": {"customer": "Jun Park"}}
CANCEL = {"cancel_order": {"order_id": "A-17"}}
in_other_words = speaks(
    "Happy to. Who am I speaking to?", FIND, CANCEL, "The kettle won't be coming any more."
)
asks_first = speaks(
    "May I have your name, please?", FIND, "I see a red kettle, A-17. Is that the one to stop?",
    CANCEL, "All sorted, Jun."
)
wants_the_number = speaks(
    "Do you have the order number?", FIND, CANCEL, "Done! Anything else I can do for you?"
)
only_claims = speaks("The kettle won't be coming any more.")
cancels_the_other = speaks(
    "Who am I speaking to?", FIND, {"cancel_order": {"order_id": "A-18"}}, "It is cancelled."
)
gives_up = speaks("Who am I speaking to?", FIND, "I am afraid that I cannot cancel it.")
'''
RIGHT = ("in_other_words", "asks_first", "wants_the_number")
WRONG = ("only_claims", "cancels_the_other", "gives_up")


def test_words_do_not_decide_and_deeds_do(pytester: pytest.Pytester) -> None:
    assert main(["init"]) == 0
    pytester.path.joinpath("words.py").write_text(AGENTS, encoding="utf-8")
    agents = [f"--agent=words:{name}" for name in (*RIGHT, *WRONG)]
    result = pytester.runpytest_subprocess("-rA", "-o", "pythonpath=.", "scenarios/", *agents)
    outcomes = re.findall(r"^(PASSED|FAILED) .*\[words:(\w+)\]", result.stdout.str(), re.MULTILINE)
    assert sorted(outcomes) == sorted(
        [("PASSED", name) for name in RIGHT] + [("FAILED", name) for name in WRONG]
    )


def test_the_page_of_the_first_steps_is_what_is_printed(pytester: pytest.Pytester) -> None:
    """What docs/start.md shows of the first failure."""
    page = Path(__file__).parents[2].joinpath("docs", "start.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^    ```text\n(.*?)^    ```", page, re.MULTILINE | re.DOTALL)
    shown = re.sub(r"^    ", "", block, flags=re.MULTILINE)
    assert main(["init"]) == 0
    result = pytester.runpytest_subprocess("scenarios/", "--agent=counterexample")
    assert shown in result.stdout.str()

"""The conversation of docs/multi-turn.md is the one that its scenario has."""

from __future__ import annotations

import re
from pathlib import Path

from pytest_toolsandbox.authoring.proof.played_solution import played
from pytest_toolsandbox.protocols import read_file

PAGE = Path(__file__).parents[2].joinpath("docs", "multi-turn.md").read_text(encoding="utf-8")
BLOCKS = dict(re.findall(r"^```(yaml|console)\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL))


def test_the_dialogue_is_that_of_the_scenario() -> None:
    (scenario,) = read_file(BLOCKS["yaml"].encode(), "page", "ten_minutes")
    messages = played(scenario, scenario.solutions["asks"]).messages[1:]  # without the prompt
    spoken = [
        (place, message.sender.value, message.recipient.value, message.content)
        for place, message in enumerate(messages, start=1)
        if {message.sender.value, message.recipient.value} == {"user", "agent"}
    ]
    lines = re.findall(r"^  \[ *(\d+)\] (\w+) -> (\w+) +(.*)$", BLOCKS["console"], re.MULTILINE)
    assert len(lines) == len(messages)
    assert spoken == [
        (int(place), sender, recipient, text)
        for place, sender, recipient, text in lines
        if {sender, recipient} == {"user", "agent"}
    ]

"""Who does what to whom, between the writer of a text and its reader."""

from __future__ import annotations

from rows import every

from pytest_toolsandbox.matchers import read

TOLD = "You can't reach me before tomorrow."
BOTH = "I'm bringing the tent on Saturday. You bring the stove."


@every(
    ("text", "found"),
    [
        (TOLD, "My battery is dead, so you can't reach me before tomorrow."),
        (TOLD, "I can't be reached before tomorrow."),
        (TOLD, "You won't be able to reach me before tomorrow, but I can reach you today."),
        ("I'll ring you on Monday.", "I will ring you on Monday, have a nice day!"),
        ("I'll keep you a piece.", "I'm keeping a piece for you."),
        ("You'll have my half by Sunday.", "You will have my half by Sunday, thank you."),
        (BOTH, "I'm bringing the tent on Saturday, you only have to bring the stove."),
        (BOTH, "On Saturday you bring the stove and I bring the tent."),
    ],
)
def test_as_it_was_told(text: str, found: str) -> None:
    assert read({"same_facts": text}).explain(found) is None


@every(
    ("text", "found", "reason"),
    [
        (TOLD, "I can't reach you before tomorrow.", "reach"),
        ("I'll ring you on Monday.", "Please ring me on Monday.", "ring"),
        ("I'll keep you a piece.", "Please keep a piece for me.", "keep"),
        ("You'll have my half by Sunday.", "I'll have your half by Sunday.", "hav"),
        (BOTH, "You're bringing the tent on Saturday, I only have to bring the stove.", "tent"),
    ],
)
def test_turned_round(text: str, found: str, reason: str) -> None:
    why = read({"same_facts": text}).explain(found)
    assert why is not None
    assert "persons exchanged" in why
    assert reason in why

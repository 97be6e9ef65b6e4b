"""What of a text its writer stands by."""

from __future__ import annotations

import pytest

from pytest_toolsandbox.matchers.statements.asserted import asserted

NOTHING = [
    "It might be Lusara.",
    "Lusara, but I'm not sure.",
    "Lusara. I am not certain about this.",
    "Possibly Lusara",
    "The answer could be Lusara.",
    "My best guess is Lusara.",
    "It isn't Lusara.",
    "It is not Lusara (the island)",
    "I don\u2019t think it's Lusara.",
    "Lusara is not the answer.",
    "Lusara; 4.3; Montelva isn't the right answer",
    "The answer is not:\n- Lusara",
    "Lusara? No, that is wrong.",
    "Is it Lusara?",
    "I could not find out whether it is Lusara.",
    "It is anything but Lusara.",
    "It is unlikely to be Lusara",
]
SOMETHING = [
    "Lusara",
    "It was Lusara, not Gavaria.",
    "It is not Gavaria but Lusara.",
    "I could not order a taxi. It is Lusara.",
    "Without the islands, Lusara is the largest.",
    "No other one comes close; Lusara it is",
    "Lusara! Let me know if you need more.",
    "In Lusara people could expect to live for 74 years.",
    "It is “Perhaps Lusara?”",
    "Lusara, port no. 3",
    "There's no problem with Lusara.",
]


@pytest.mark.parametrize("text", NOTHING)
def test_what_is_denied_or_left_open_is_left_out(text: str) -> None:
    assert "Lusara" not in asserted(text)


@pytest.mark.parametrize("text", SOMETHING)
def test_what_is_said_stays(text: str) -> None:
    assert "Lusara" in asserted(text)


def test_only_what_is_denied_goes() -> None:
    stated = asserted("It was Lusara, not Gavaria (5.1), at 4.3.")
    assert "Lusara" in stated
    assert "4.3" in stated
    assert "Gavaria" not in stated
    assert "5.1" not in stated


def test_a_text_without_doubts_stays_as_it_is() -> None:
    assert asserted("Lusara\r\n\r\n4.3 ") == "Lusara\r\n\r\n4.3 "


def test_titles_are_names() -> None:
    question = "Combien de temps au four ?"
    assert asserted(question) != question
    assert asserted(question, ("Combien de temps au four ?",)) == question
    assert asserted(question, ("Combien de temps au four",)) == question

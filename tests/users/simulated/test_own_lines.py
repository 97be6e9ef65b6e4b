"""The users of the shipped suites, held against the rules for models that play users."""

from __future__ import annotations

from user_rules import said_in

from pytest_toolsandbox.users.simulated.faults import fault_in

REFUSED = 0.01


def test_hardly_a_line_of_the_suites_is_refused() -> None:
    said = [one for suite in ("phone", "office") for one in said_in(suite)]
    found = [(utterance.text, fault_in(utterance, when)) for utterance, when in said]
    refused = [(text, fault.told) for text, fault in found if fault]
    lines = [text for text, _ in found if text]
    assert len(lines) > 300
    assert [told for text, told in refused if not text] == []
    assert len(refused) <= REFUSED * len(lines), refused

"""Mistakes in ``faults:``, each at its place."""

from __future__ import annotations

import pytest
from rows import every

from pytest_toolsandbox.language.mistakes import ScenarioError
from pytest_toolsandbox.protocols import read_file

REST = "world: phone\nuser: {opening: Hello.}\nmilestones: {greeted: {says: Hello.}}\n"


@every(
    ("fault", "place", "message"),
    [
        ("{error: x}", "f.call", "this key is missing"),
        ("{call: search_contact, error: x}", "f.call", "did you mean 'search_contacts'?"),
        ("{call: {search_contacts: {nam: x}}, error: x}", "f.call.search_contacts.nam", "'name'"),
        ("{call: {search_contacts: {name: 2}}, error: x}", "f.call.search_contacts.name", "text"),
        ("{call: search_contacts}", "f", "found none"),
        ("{call: search_contacts, error: x, partial: 2}", "f", "found error and partial"),
        ("{call: search_contacts, error: ' '}", "f.error", "expected a text such as"),
        ("{call: search_contacts, error: x, times: often}", "f.times", "or always"),
        ("{call: search_contacts, error: x, time: 2}", "f.time", "did you mean 'times'?"),
        ("{call: search_contacts, error: x, per: nam}", "f.per[0]", "did you mean 'name'?"),
        ("{call: search_contacts, partial: 2, executed: true}", "f.executed", "not partial"),
        ("{call: search_contacts, error: x, note: y}", "f.note", "needs stale or partial"),
        ("{call: search_contacts, stale: end}", "f.stale", "expected start, or tables"),
        ("{call: search_contacts, stale: {contacts: {}}}", "f.stale.contacts", "'contact'"),
        (
            "{call: search_contacts, stale: {contact: {removed: [{name: No}]}}}",
            "removed[0]",
            "no such row",
        ),
        (
            "{call: search_contacts, error: x, fails_for: {name: [x]}}",
            "f.fails_for.name",
            "not a list",
        ),
    ],
)
def test_mistakes_are_located(fault: str, place: str, message: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        read_file(f"{REST}faults: {{f: {fault}}}".encode(), "f", "f.scenario.yaml")
    (line,) = str(caught.value).splitlines()
    assert line.startswith("f.scenario.yaml:4:")
    where, _, text = line.partition(": faults.")[2].partition(": ")
    assert where.endswith(place)
    assert message in text


@every(
    ("tags", "place"),
    [
        ("{contains: old}", "tags.contains"),
        ("{any_of: [{regex: old}, [new]]}", "tags.any_of[0].regex"),
    ],
)
def test_a_matcher_of_text_cannot_hold_for_a_list(tags: str, place: str) -> None:
    rest = REST.replace("phone", "room")
    fault = f"faults: {{f: {{call: {{write_note: {{tags: {tags}}}}}, error: x}}}}"
    with pytest.raises(ScenarioError) as caught:
        read_file(f"{rest}{fault}".encode(), "f", "f.scenario.yaml")
    (line,) = str(caught.value).splitlines()
    assert f"faults.f.call.write_note.{place}: " in line
    assert "'tags' of write_note is a list" in line

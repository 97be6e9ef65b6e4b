"""Which faults are planted in a solution, and that each is found as what it is."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from pantry import played, scenario
from replayed import recorded

from pytest_toolsandbox.evaluation.error_patterns.patterns import PATTERNS, ErrorPatterns
from pytest_toolsandbox.evaluation.judging import patterns_against_solutions
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.proof import patterns
from pytest_toolsandbox.proof.fault_injection import planted
from pytest_toolsandbox.proof.patterns import prove_patterns
from pytest_toolsandbox.proof.proof import Proof
from pytest_toolsandbox.proof.turns import done

QUERY = """
query: What is there most of?
answer: rice
max_calls: 4
solutions:
  looks:
    - list_items:
    - weigh: {name: salt}
    - weigh: {name: rice}
    - finish: {answer: rice}
"""
SAYING = QUERY.replace("finish: {answer: rice}", "say: Rice.")
BAKING = """
solutions:
  fills:
    - open_door:
    - parallel: [add_item: {name: flour, amount: 2}, weigh: {name: salt}]
    - list_items:
    - say: Done.
"""


def test_every_pattern_is_planted() -> None:
    scene = scenario(QUERY)
    faults = list(planted(scene, played(scene)))
    assert Counter(fault.pattern for fault in faults) == {
        "IFE": 4,
        "IFN": 4,
        "IAN": 4,
        "IAT": 3,
        "IAV": 5,
        "RAC": 3,
        "IAC": 3,
    }
    assert {fault.form for fault in faults} == {"instead", "before", "at once"}
    assert set(PATTERNS) == {fault.pattern for fault in faults}


@pytest.mark.parametrize("form", ["native", "text"])
@pytest.mark.parametrize("text", [QUERY, SAYING, BAKING])
def test_a_planted_fault_is_found(text: str, form: str) -> None:
    scene = replace(scenario(text), max_calls=9, max_messages=40)
    for fault in planted(scene, played(scene)):
        spoken = replace(scene, call_format=form)  # type: ignore[arg-type]  # one of the two
        found = patterns_against_solutions(spoken, done(spoken, fault.turns))
        assert [finding.pattern for finding in found.findings] == [fault.pattern], fault.what


def test_what_was_planted_in_words() -> None:
    scene = scenario(QUERY)
    words = [fault.what for fault in planted(scene, played(scene))]
    assert "IAC: a call left out" in words
    assert 'RAC: weigh({"name": "salt"}) before' in words
    assert 'IAN: list_items({"page_num": 3}) at once' in words


@pytest.mark.parametrize("scene", [*map(scenario, (QUERY, SAYING, BAKING)), recorded()])
def test_the_proof_counts_them(scene: Scenario) -> None:
    proof = Proof()
    prove_patterns(scene, proof)
    assert proof.findings == []
    assert proof.found == proof.planted
    assert {"IFE", "IFN", "IAN", "IAV", "IAC"} <= set(proof.planted)


def test_to_finish_without_an_answer_is_a_fault() -> None:
    proof = Proof()
    prove_patterns(scenario(QUERY), proof)
    assert proof.planted["IAV"] == 5


def test_without_a_solution_there_is_nothing_to_plant_in() -> None:
    proof = Proof()
    prove_patterns(scenario("protected: [bin]"), proof)
    assert (proof.findings, proof.planted) == ([], Counter())


def test_every_solution_has_faults_planted() -> None:
    other = "  guesses: [{weigh: {name: salt}}, {weigh: {name: rice}}, {finish: {answer: rice}}]"
    alone, both = Proof(), Proof()
    prove_patterns(scenario(QUERY), alone)
    prove_patterns(scenario(f"{QUERY.rstrip()}\n{other}"), both)
    assert both.findings == []
    assert (alone.planted["IFN"], both.planted["IFN"]) == (4, 7)


def test_a_fault_that_is_found_as_another_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    nothing = ErrorPatterns(())
    monkeypatch.setattr(patterns, "patterns_against_solutions", lambda *_: nothing)
    proof = Proof()
    prove_patterns(scenario(QUERY), proof)
    line = "solution 'looks', IFN: ListItemsx({}) before, is found as nothing"
    assert [one for one in proof.findings if "IFN: List" in one] == [line]
    assert not proof.found

"""``toolsandbox propose``: a file of records in, a scenario that is proven out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from command_line import Run

from pytest_toolsandbox.agents.scripted import counterexample, oracle
from pytest_toolsandbox.protocols import load_file
from pytest_toolsandbox.records.writing import as_line
from pytest_toolsandbox.runs.trial import play_trial

STUB = """
world: phone
state: {setting: {cellular: false}}
tools: [search_contacts, send_message_with_phone_number, set_cellular_service_status]
user: {opening: Text my sister that I'll be there at six.}
milestones: {sent: {state: {messaging: {added: [{content: {contains: six}}]}}}}
guardrails: {all_but: [setting.cellular]}
solutions:
  by_trial:
    - search_contacts: {relationship: sister}
    - send_message_with_phone_number: &text
        {phone_number: "$search_contacts[0].phone_number", content: I'll be there at six.}
    - set_cellular_service_status: {on: true}
    - send_message_with_phone_number: *text
    - say: Your sister knows.
  at_once:
    - set_cellular_service_status: {on: true}
    - search_contacts: {name: Katherine}
    - send_message_with_phone_number: *text
    - say: I have texted Katherine.
counterexamples: {gives_up: [say: I can't.]}
"""


def records(folder: Path, stub: str = STUB) -> Path:
    """Write the records of both solutions and of the counterexample of a scenario."""
    file = folder / "late.scenario.yaml"
    file.write_text(stub)
    (scenario,) = load_file(file)
    agents = [*(oracle(scenario, name) for name in scenario.solutions), counterexample(scenario)]
    trials = [play_trial(scenario, agent, None, n) for n, agent in enumerate(agents, 1)]
    path = folder / "results.jsonl"
    lines = (as_line(replace(t, identifier=f"{file.name}::late").record) for t in trials)
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def test_what_is_proposed_is_proven(run: Run, folder: Path) -> None:
    results = records(folder)
    written = run("propose", results, "late", "-o", "proposed/")
    assert (written.status, written.lines[1:]) == (0, ["late: 14 of 14 mutants died"])
    file = folder / "proposed" / "late.scenario.yaml"
    assert run("check", file).status == 0
    assert run("propose", results).out == file.read_text()
    (proposed,) = load_file(file)
    (steps,) = proposed.solutions.values()
    assert len(steps) == 4, "the call that failed makes no difference"
    again = run("propose", results, "-o", "proposed/")
    assert (again.status, "nothing was written" in again.err) == (1, True)


def test_what_cannot_be_proposed_is_said(run: Run, folder: Path) -> None:
    results = records(folder)
    assert "no record of 'lat'; did you mean 'late'?" in run("propose", results, "lat").err
    (folder / "late.scenario.yaml").rename(folder / "other.scenario.yaml")
    missing = run("propose", results)
    assert (missing.status, "name its file with --scenarios" in missing.err) == (1, True)

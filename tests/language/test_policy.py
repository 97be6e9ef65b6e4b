"""Policies: where they are written, who reads them, and what changes with their text."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pantry import played, scenario, world

from pytest_toolsandbox.conversation.play import facts_of, policy_in, system_prompt
from pytest_toolsandbox.language.mistakes import ScenarioError
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.output.html.report import HtmlReport
from pytest_toolsandbox.output.pages.record_view import RecordView
from pytest_toolsandbox.protocols import load_file
from pytest_toolsandbox.records.digests import task_digest
from pytest_toolsandbox.records.parts import AgentRecord
from pytest_toolsandbox.records.record import read_record
from pytest_toolsandbox.records.writing import Trial
from pytest_toolsandbox.scoring.judges.question import question_of
from pytest_toolsandbox.worlds.context import WorldError
from pytest_toolsandbox.worlds.world import register_world

RULES = "# Rules\n\nNever open the door at night."
TWO = "world: pantry\nuser: {opening: Hi.}\nprotected: [bin]\n"


@pytest.fixture(autouse=True)
def _pantry() -> None:
    register_world(world)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the policy ``rules.md``, and below it one with scenarios."""
    (tmp_path / "rules.md").write_bytes(b"\xef\xbb\xbf" + RULES.replace("\n", "\r\n").encode())
    (tmp_path / "empty.md").write_text(" \n")
    (tmp_path / "latin.txt").write_bytes(b"caf\xe9")
    (tmp_path / "long.md").write_text("x" * 1_000_001)
    (tmp_path / "scenarios").mkdir()
    return tmp_path


def written(folder: Path, text: str) -> dict[str, Scenario]:
    path = folder / "scenarios" / "a.yaml"
    path.write_text(TWO + text)
    return {scene.name: scene for scene in load_file(path, shown="a.yaml")}


@pytest.mark.parametrize(
    ("policy", "text"),
    [
        ("", None),
        ("policy: ../rules.md", RULES),
        ("policy: Never open the door.", "Never open the door."),
        ("policy: |\n  ../rules.md\n  is a file.", "../rules.md\nis a file."),
        ("policy: none", None),
    ],
)
def test_a_policy_is_a_text_or_a_file(folder: Path, policy: str, text: str | None) -> None:
    assert written(folder, policy)["a"].policy == text


def test_a_policy_of_the_file_is_replaced_and_deleted(folder: Path) -> None:
    scenes = written(
        folder,
        "policy: ../rules.md\nscenarios:\n  usual:\n  own: {policy: Be brief.}\n"
        "  none: {policy: null}\n",
    )
    policies = {name: scene.policy for name, scene in scenes.items()}
    assert policies == {"usual": RULES, "own": "Be brief.", "none": None}


def test_a_world_has_a_policy_for_scenarios_without_one(folder: Path) -> None:
    register_world(replace(world, name="strict pantry", policy=folder / "rules.md"))
    assert scenario("world: strict pantry").policy == RULES
    assert scenario("world: strict pantry\npolicy: Be brief.").policy == "Be brief."
    assert scenario("world: strict pantry\npolicy: none").policy is None


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("../rule.md", "the file cannot be read: No such file or directory"),
        ("../scenarios.md", "the file cannot be read: No such file or directory"),
        ("../empty.md", "the file is empty"),
        ("../latin.txt", "the file is not UTF-8: byte 3 is wrong"),
        ("../long.md", "the file has more than 1,000,000 bytes"),
        ("../scenarios/", "the file cannot be read: Is a directory"),
    ],
)
def test_a_file_that_cannot_be_read(folder: Path, name: str, reason: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        written(folder, f"policy: {name}")
    hint = "" if "." in name[3:] else "; a policy of your own has several words"
    assert str(caught.value) == f"a.yaml:4:9: policy: {name!r}: {reason}{hint}"


@pytest.mark.parametrize(
    ("policy", "line"),
    [
        (3, "policy must be a text or a Path, not 3"),
        (
            Path("rules.md"),
            "the path of policy must be absolute, not 'rules.md'; write Path(__file__).parent",
        ),
        (Path("/no/rules.md"), "policy '/no/rules.md': the file cannot be read: No such file"),
    ],
)
def test_a_policy_that_a_world_cannot_have(policy: Any, line: str) -> None:
    with pytest.raises(WorldError) as caught:
        register_world(replace(world, name="odd pantry", policy=policy))
    assert line in str(caught.value)


def test_every_agent_is_told_the_policy() -> None:
    scene = scenario("policy: Never open the door.\nprompt: You keep a pantry.")
    prompt = system_prompt(scene)
    assert prompt.startswith("You keep a pantry.\n\nFollow this policy:")
    assert policy_in(prompt) == "Never open the door."
    assert policy_in(facts_of(scene)) == "Never open the door."
    assert policy_in(system_prompt(scenario(""))) == ""


def test_digests_change_with_the_text_of_a_policy_and_not_with_its_place(folder: Path) -> None:
    first = written(folder, "policy: ../rules.md")["a"]
    (folder / "other.md").write_text(RULES)
    moved = written(folder, "policy: ../other.md")["a"]
    (folder / "other.md").write_text("Never open the door at noon.")
    changed = written(folder, "policy: ../other.md")["a"]
    digests = [(scene.digest, task_digest(scene)) for scene in (first, moved, changed)]
    assert digests[0] == digests[1]
    assert digests[0][0] != digests[2][0]
    assert digests[0][1] != digests[2][1]


def test_judge_and_page_have_the_policy() -> None:
    scene = scenario("policy: Never open <b> doors.\nsolutions: {way: [say: Done.]}")
    trajectory = played(scene, "way")
    assert "must follow\nNever open <b> doors.\n" in question_of(scene, trajectory).text
    agent: AgentRecord = {"name": "oracle", "type": None, "parameter": None}
    trial = Trial("a.yaml::a", 1, agent, scene, trajectory)
    view = RecordView(read_record(trial.record))
    assert "policy: Never open <b> doors." in view.text().splitlines()
    report = HtmlReport()
    report.add(trial.record)
    page = "".join(report.texts())
    assert "<summary>the policy</summary><pre>Never open &lt;b&gt; doors.</pre>" in page

"""Random faults and pages: what agents see of them, and who gets through."""

from __future__ import annotations

import pytest
from pantry import scenario
from perturbations import failing, unwavering, verdicts
from perturbed import every_nth
from rows import every

from pytest_toolsandbox.agents.scripted import oracle
from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.conversation.play import converse
from pytest_toolsandbox.language.conditions import BUSY
from pytest_toolsandbox.language.variants import variant
from pytest_toolsandbox.users.user import scripted_user

FEW = every_nth(12, "phone")
STEPS = """
    solutions:
      s:
        - list_items: {}
        - remove_item: {name: rice}
        - list_items: {}
        - say: The rice is gone.
"""


def conversation(name: str, steps: str = STEPS) -> Trajectory:
    perturbed = variant(scenario(steps), name)
    return converse(perturbed, oracle(perturbed), scripted_user(perturbed))


def kinds(trajectory: Trajectory) -> list[str]:
    return [message.fault for message in trajectory.messages if message.fault]


@every(
    ("kind", "met"),
    [
        ("transient", {"transient"}),
        ("timeout", {"timeout"}),
        ("written", {"written"}),
        ("partial", {"partial"}),
        ("stale", {"stale"}),
    ],
)
def test_a_kind_alone(kind: str, met: set[str]) -> None:
    trajectory = conversation(f"tool_faults:1:{kind}")
    assert {*kinds(trajectory)} == met
    assert [row["name"] for row in trajectory.states[-1]["item"]] == ["salt"]
    lists = [c.trace.result for c in trajectory.calls if c.trace and c.call.name == "list_items"]
    assert [row["name"] for row in lists[-1]] == ["salt"]


def test_equal_seeds_fail_the_same_calls() -> None:
    first, again, other = (
        [message.fault for message in conversation(f"tool_faults:0.5:{seed}").messages]
        for seed in ("seed1", "seed1", "seed2")
    )
    assert first == again != other


def test_a_share_of_calls_fails() -> None:
    scenarios = every_nth(40, "phone")
    rates = {}
    for share in (0.1, 0.9):
        played = [t for _, t, _ in verdicts(f"tool_faults:{share}:timeout", scenarios) if t]
        asked = [call for t in played for call in t.calls if "status" not in call.call.name]
        rates[share] = sum(bool(call.fault) for call in asked) / len(asked)
    assert rates[0.1] < 0.25
    assert 0.4 < rates[0.9] < 0.5  # each call that failed is made again


@pytest.mark.parametrize(
    "name",
    [
        "tool_faults:1",
        "results_paged:1",
        "tool_name_scrambled+results_paged:2+tool_faults:0.6:seed4",
    ],
)
def test_the_oracle_gets_through(name: str) -> None:
    assert failing(name, FEW) == []


def test_those_who_give_up_do_not() -> None:
    assert len(failing("tool_faults:0.5", FEW, unwavering)) > len(FEW) / 3


def test_those_who_read_only_the_first_page_do_not() -> None:
    assert failing("results_paged:1", every_nth(129, "phone"), unwavering)


def test_other_protocols() -> None:
    queries, recordings = every_nth(8, "queries"), every_nth(8, "office")
    assert failing("results_paged:1+tool_faults:0.5", queries) == []
    assert failing("tool_faults:0.5", recordings) == []


def test_pages_end() -> None:
    trajectory = conversation("results_paged:1", "solutions: {s: [list_items: {}, say: Two.]}")
    texts = [call.call.name for call in trajectory.calls]
    assert texts == ["list_items", "next_page"]
    first, last, _ = [message.content for message in trajectory.messages if message.trace]
    assert first.partition("\n")[2].startswith("Rows 1 to 1 of 2. next_page(cursor='")
    assert "\n" not in last


def test_names_of_further_tools_are_free() -> None:
    perturbed = variant(scenario(STEPS), "tool_name_scrambled+tool_faults")
    assert "get_request_status" in perturbed.tool_views
    assert BUSY not in str(perturbed.tool_schemas)

"""``toolsandbox blame``: which step decided, and what stays of it on the pages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command_line import Run
from late_texts import Recorded


def forks(file: Path) -> list[dict[str, Any]]:
    return [*map(json.loads, file.with_name("results.forks.jsonl").read_text().splitlines())]


CALL = "send_message_with_phone_number(phone_number='+141555501{}', content='I am late.')"
DECISIVE = (
    "with message [2] mended, the agent succeeds in 3 of 3, and in 0 of 3 as it was: "
    "the decisive step is [2]"
)


def test_the_step_is_named_and_stays_on_the_pages(recorded: Recorded, run: Run) -> None:
    file = recorded("wrong")
    printed = run("blame", file)
    assert printed.status == 0, printed.err
    assert printed.lines[:4] == [
        "late.scenario.yaml::late  trial 1",
        f"  {DECISIVE}",
        f"  [2] {CALL.format(99)}",
        f"  mended: {CALL.format(23)}",
    ]
    kinds = [(fork["fork"]["kind"], fork["outcome"]) for fork in forks(file)]
    assert sorted(kinds) == [("kept", "failed")] * 3 + [("mended", "passed")] * 3
    assert f"blame: {DECISIVE}" in run("show", file, "late", "--width=200").out
    run("report", file, "--out=report.html")
    assert DECISIVE in Path("report.html").read_text(encoding="utf-8")


def test_twice_gives_the_same(recorded: Recorded, run: Run) -> None:
    file = recorded("wrong")
    first = run("blame", file, "late"), [fork["messages"] for fork in forks(file)]
    assert (run("blame", file, "late"), [fork["messages"] for fork in forks(file)]) == first


def test_forks_by_hand_stay(recorded: Recorded, run: Run) -> None:
    file = recorded("wrong")
    run("fork", file, "late", "--at=2")
    run("blame", file, "--times=1")
    run("blame", file, "--times=1")
    assert [fork["fork"]["kind"] for fork in forks(file)] == ["by_hand", "mended", "kept"]
    page = run("show", file, "late", "--width=200").out
    assert "failed  fork 1 at [2] by late_agents:wrong\n        by asked again" in page


@pytest.mark.parametrize(
    ("agent", "options", "verdict"),
    [
        # The wifi is off whatever else is mended, and the number is wrong if that is mended.
        ("careless", [], "no single step decides: 2 steps mended one at a time, and it fails"),
        ("careless", ["--continuations=1"], "undecided after 1 continuation: 1 of 2 steps are"),
        ("wrong", ["--continuations=3"], "undecided after 3 continuations: 1 of 1 step are left"),
        # It does well after its question, which differs from the solution.
        ("moody", [], "with message [4] mended, it passes in 3 of 3: the decisive step is [4]"),
        ("gives_up", [], "with message [2] mended, it passes in 3 of 3: the decisive step is [2]"),
    ],
)
def test_what_decides(
    agent: str, options: list[str], verdict: str, recorded: Recorded, run: Run
) -> None:
    file = recorded(agent)
    __import__("late_agents").heard.append(agent)
    printed = run("blame", file, *options)
    assert verdict in printed.out, printed
    assert len(forks(file)) <= 12


@pytest.mark.parametrize(
    ("agent", "arguments", "problem"),
    [
        ("wrong", ["lat"], "there is no item 'lat'; did you mean 'late'?"),
        ("oracle", [], "no conversation failed, so there is nothing to blame"),
        ("wrong", ["--agent=late_agents:missing"], "late_agents has no 'missing'"),
    ],
)
def test_what_cannot_be_blamed(
    agent: str, arguments: list[str], problem: str, recorded: Recorded, run: Run
) -> None:
    printed = run("blame", recorded(agent), *arguments)
    assert printed.status == 1
    assert problem in printed.err


def test_an_outage_decides_nothing(recorded: Recorded, run: Run) -> None:
    file = recorded("wrong")
    printed = run("blame", file, "--agent=late_agents:unreachable")
    assert printed.status == 1
    assert "cannot be blamed: nobody answers" in printed.out
    assert "undecided: a continuation came to no verdict" in run("show", file, "late").out


def test_a_budget_ends_it(recorded: Recorded, run: Run) -> None:
    printed = run("blame", recorded("wrong"), "--agent=late_agents:costly", "--max-cost=0.15")
    assert printed.status == 1
    assert "cannot be blamed: budget: --max-cost=0.15 is spent" in printed.out
    assert len(forks(Path("results.jsonl").resolve())) == 2


def test_continuations_are_replayed_from_cassettes(recorded: Recorded, run: Run) -> None:
    file = recorded("wrong")
    asked = __import__("late_agents").heard
    first = run("blame", file, "--agent=late_agents:listening", "--record=new").out
    asked_first = len(asked)
    assert asked_first > 0
    assert run("blame", file, "--agent=late_agents:listening", "--record=replay").out == first
    assert len(asked) == asked_first


COUNTER = '''
from pytest_toolsandbox import World, register_world


class Shop:
    drawn = 0

    def __init__(self):
        self.orders = {"tea": {"count": 0}}

    def draw(self) -> int:
        """Draw a number, of which no two customers have the same."""
        Shop.drawn += 1
        return Shop.drawn

    def order(self, count: int) -> None:
        """Order tea.

        Args:
            count: How much.
        """
        self.orders["tea"]["count"] += count


register_world(World.of(Shop, name="shop", state=["orders"]))
'''
ORDER = """
world: shop
summary: Order two.
tools: [draw, order]
user: {opening: Two teas.}
milestones: {ordered: {state: {orders: {includes: [{id: tea, count: 2}]}}}}
solutions: {orders: [{order: {count: 2}}, {say: Done.}]}
counterexamples:
  one: [{order: {count: 1}}, {say: Done.}]
  draws: [{draw: {}}, {order: {count: 1}}, {say: Done.}]
"""


@pytest.mark.parametrize(
    ("script", "verdict"),
    [
        ("one", "with message [2] mended, the agent succeeds in 3 of 3"),
        ("draws", "the world 'shop' cannot go back: when the recorded calls are repeated, message"),
    ],
)
def test_a_live_world_is_begun_anew(
    script: str, verdict: str, pytester: pytest.Pytester, run: Run
) -> None:
    pytester.makeconftest(COUNTER)
    pytester.path.joinpath("two.scenario.yaml").write_text(ORDER, encoding="utf-8")
    played = ("--sandbox-results=results.jsonl", f"--agent=counterexample:{script}")
    pytester.runpytest_subprocess(*played).assert_outcomes(failed=1)
    lines = Path("results.jsonl").read_text(encoding="utf-8")
    # Another process begins to count anew.
    Path("results.jsonl").write_text(lines.replace('"content": "1"', '"content": "7"'))
    assert verdict in run("blame", "results.jsonl").out

"""The world's clock moves during a conversation."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from threading import Lock
from typing import Any

import pantry
import pytest
from pantry import scenario
from rows import every

from pytest_toolsandbox.agents.scripted import oracle
from pytest_toolsandbox.authoring.proof.proof import prove
from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.conversation.play import PlayError, converse
from pytest_toolsandbox.language.mistakes import ScenarioError
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.records.reading import stored_trajectory
from pytest_toolsandbox.records.record import read_record
from pytest_toolsandbox.runs.trial import play_trial
from pytest_toolsandbox.scoring.error_patterns.find import error_patterns
from pytest_toolsandbox.scoring.milestones.evaluate import evaluate
from pytest_toolsandbox.users.user import scripted_user
from pytest_toolsandbox.worlds import world as worlds
from pytest_toolsandbox.worlds.context import Context
from pytest_toolsandbox.worlds.due import Due
from pytest_toolsandbox.worlds.state import Row
from pytest_toolsandbox.worlds.tool import tool
from pytest_toolsandbox.worlds.world import World, register_world


@tool("time")
def what_time(context: Context) -> str:
    """Tell the time."""
    return f"{context.now:%d %H:%M}"


def spoil(context: Context, row: Row) -> None:
    context.update("item", row, note=f"spoilt on the {context.now:%dth}")


SPOILING = replace(
    pantry.world,
    toolset=[*pantry.world.toolset, what_time],
    due=[
        Due(
            "item",
            lambda _, row: (
                datetime(2025, 3, 30, 6, tzinfo=pantry.world.now.tzinfo)
                if row["name"] == "rice" and row["note"] is None
                else None
            ),
            spoil,
        )
    ],
)


@pytest.fixture(autouse=True)
def _spoiling_pantry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(worlds._registered, "pantry", SPOILING)


FRAME = """
now: 2025-03-29 16:00
user:
  opening: Put flour in.
  replies: [{when: done, say: "Good morning, and now?" REPLY}, {when: else, say: No.}]
clock: CLOCK
milestones:
  in: {call: {add_item: {name: flour}}}
  spoilt: {state: {item: {includes: [{name: rice, note: spoilt on the 30th}]}}}
  told: {says: {mentions: [spoilt]}}
minefields: {salt: {state: {item: {excludes: [{name: salt}]}}}}
solutions:
  s:
    - what_time: {}
    - add_item: {name: flour}
    - what_time: {}
    - say: Done?
    - what_time: {}
    - say: Anything else?
    - what_time: {}
    - say: The rice is spoilt.
counterexamples: {c: [{say: No.}]}
"""


def scene(reply: str = "", clock: str = "[]") -> Scenario:
    return scenario(FRAME.replace("REPLY", reply).replace("CLOCK", clock))


def times(trajectory: Trajectory) -> list[Any]:
    """Return the times that the agent was told."""
    traces = (message.trace for message in trajectory.messages if message.trace)
    return [trace.result for trace in traces if trace.tool_name == "what_time"]


def played(scene: Scenario) -> Trajectory:
    return converse(scene, oracle(scene), scripted_user(scene))


@every(
    ("reply", "clock", "seen"),
    [
        ("", "[]", ["29 16:00"] * 4),
        (", at: now+1d", "[]", ["29 16:00"] * 2 + ["30 16:00"] * 2),
        (", at: now+24h", "[]", ["29 16:00"] * 2 + ["30 17:00"] * 2),  # summer time begins
        (", at: today 09:00", "[]", ["29 16:00"] * 4),  # the clock does not go back
        ("", "[{turn: 3, to: tomorrow 08:00}]", ["29 16:00"] * 3 + ["30 08:00"]),
        (
            "",
            "[{turn: 2, to: now+1h}, {turn: 3, to: now+1h}]",
            ["29 16:00"] * 2 + ["29 17:00", "29 18:00"],
        ),
        ("", "[{call: add_item, to: now+5m}]", ["29 16:00", "29 16:05", "29 16:05", "29 16:05"]),
        ("", "[{call: {add_item: {name: rye}}, to: now+5m}]", ["29 16:00"] * 4),
        ("", "[{call: what_time, to: now+1h}]", ["29 16:00"] + ["29 17:00"] * 3),  # once
        (", at: now+1h", "[{turn: 2, to: tomorrow 00:00}]", ["29 16:00"] * 2 + ["30 00:00"] * 2),
    ],
)
def test_where_the_clock_moves(reply: str, clock: str, seen: list[str]) -> None:
    assert times(played(scene(reply, clock))) == seen


def test_what_time_brings_counts_and_is_nobody_s_side_effect() -> None:
    late = scene(", at: tomorrow 09:00")
    result = evaluate(late, played(late))
    assert result.passed
    assert result.side_effects == ()
    spoilt = next(event for event in result.milestones if event.name == "spoilt")
    message = played(late).messages[spoilt.snapshot]
    assert message.content == "Good morning, and now?"
    assert not evaluate(scene(), played(scene())).passed
    proof = prove(late)
    assert (proof.findings, [s.kind for s in proof.survivors]) == ([], ["call repeated"])


def test_protected_tables_may_change_with_time() -> None:
    text = FRAME.replace("REPLY", ", at: tomorrow 09:00").replace("CLOCK", "[]")
    text = text.replace("{call: {add_item: {name: flour}}}", "{call: what_time}")
    text = text.replace("    - add_item: {name: flour}\n", "")
    late = scenario(f"protected: [item]\n{text}")
    assert evaluate(late, played(late)).passed


def test_a_stored_conversation_has_its_times() -> None:
    late = scene(", at: tomorrow 09:00")
    trial = play_trial(late, oracle(late))
    assert [move["now"] for move in trial.record["clock"]] == ["2025-03-30T09:00:00+02:00"]
    record: Any = read_record(trial.record)
    stored = stored_trajectory(record, late)
    assert stored.states == trial.trajectory.states
    assert evaluate(late, stored).passed
    assert "clock" not in play_trial(scene(), oracle(scene())).record


@pytest.mark.parametrize(("clock", "count"), [("[]", 3), ("[{turn: 2, to: now+1h}]", 2)])
def test_asking_for_the_time_again_is_no_repetition_once_it_has_moved(
    clock: str, count: int
) -> None:
    late = scene(clock=clock)
    patterns = error_patterns(played(late), late.tool_views)
    assert [finding.pattern for finding in patterns.findings] == ["RAC"] * count


@every(
    ("reply", "clock", "mistake"),
    [
        ("", "[{turn: 1, to: now+1h}]", "expected a turn, from 2 on"),
        ("", "[{to: now+1h}]", "give either 'turn' or 'call'"),
        ("", "[{turn: 2, to: later}]", "'later' is not a date or time"),
        ("", "[{turn: 2, to: 2025-03-01 10:00}]", "is not after the start, 2025-03-29 16:00"),
        ("", "[{call: add_itm, to: now+1h}]", "did you mean 'add_item'?"),
        (", at: soon", "[]", "'soon' is not a date or time"),
    ],
)
def test_mistakes(reply: str, clock: str, mistake: str) -> None:
    with pytest.raises(ScenarioError) as error:
        scene(reply, clock)
    assert mistake in str(error.value)


def test_a_time_that_the_clocks_skip_is_an_error_once_it_comes() -> None:
    with pytest.raises(PlayError, match="the clocks skip it"):
        played(scene(", at: tomorrow 02:30"))


class Shop:
    """A shop that changes itself, and is told when time passes."""

    def __init__(self, now: datetime) -> None:
        self.now = now
        self.lock = Lock()  # such an object cannot be copied, so calls are repeated
        self.orders: list[dict[str, Any]] = [
            {"number": 1, "arrives": "2025-01-02", "status": "sent"}
        ]

    def time(self) -> str:
        """Tell the time."""
        return f"{self.now:%d %H:%M}"

    def order(self) -> None:
        """Order something."""
        self.orders.append({"number": 2, "arrives": "2025-01-09", "status": "sent"})

    def advance(self, now: datetime) -> None:
        self.now = now
        for order in self.orders:
            if order["arrives"] <= f"{now:%Y-%m-%d}":
                order["status"] = "there"


LIVE = """
world: clock_shop
protected: []
guardrails: none
user: {opening: Order it., replies: [{say: "Is the first one there?", at: tomorrow 09:00}]}
milestones:
  there: {state: {orders: {includes: [{number: 1, status: there}]}}}
solutions: {s: [{order: {}}, {say: "Done?"}, {parallel: [{time: {}}, {order: {}}]}, {say: Yes.}]}
counterexamples: {c: [{say: No.}]}
"""


def live_world(**options: Any) -> World:
    options |= {"tools": ["time", "order"], "reads": ["time"]}
    return register_world(World.of(Shop, state=["orders"], name="clock_shop", **options))


def test_an_object_is_told_and_replays_have_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worlds, "_registered", {**worlds._registered})
    live_world(move_clock=Shop.advance)
    shop = scenario(LIVE)
    trial = play_trial(shop, oracle(shop))
    assert (trial.outcome, trial.reason) == ("passed", None)
    times = [m.trace.result for m in trial.messages if m.trace and m.trace.tool_name == "time"]
    assert times == ["02 09:00"]
    record: Any = read_record(trial.record)
    assert stored_trajectory(record, shop).states == trial.trajectory.states


def test_an_object_that_is_not_told_has_no_moving_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worlds, "_registered", {**worlds._registered})
    live_world()
    with pytest.raises(ScenarioError, match=r"cannot move; give World\.of a function move_clock"):
        scenario(LIVE)

"""The world ``timed_phone``: what is started ends when the clock moves."""

from __future__ import annotations

import re
from pathlib import Path

from pantry import played, scenario
from rows import every

from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.worlds.state import State
from pytest_toolsandbox.worlds.world import find_world

PAGE = Path(__file__).parents[2] / "docs" / "clock.md"
FRAME = """
world: timed_phone
protected: []
now: 2025-05-14 10:30
state: {reminder: {rows: [{content: Tea, creation_timestamp: 0, reminder_timestamp: {at: AT}}]}}
user: {opening: Go on., replies: [{say: And now?, at: today 12:00}]}
milestones: {there: {call: get_timers}}
counterexamples: {c: [STEPS {say: Well?}, {get_timers: {}}, {get_notifications: {}}, {say: So.}]}
"""
TIMER = "{start_timer: {seconds: SECONDS, label: Eggs}}"
MESSAGE = (
    '{schedule_message: {phone_number: "+14155550111", content: Hi., send_timestamp: {at: AT}}}'
)


def scene(*steps: str, reminder: str = "2025-05-15 09:00") -> Scenario:
    script = "".join(f"{step}, " for step in steps)
    return scenario(FRAME.replace("{at: AT}", f"{{at: {reminder}}}").replace("STEPS", script))


def end(scene: Scenario) -> State:
    return played(scene).states[-1]


@every(
    ("reminder", "kinds"),
    [
        ("2025-05-14 12:00", ["reminder"]),
        ("2025-05-14 12:01", []),
        ("2025-05-14 10:00", []),  # it rang before
    ],
)
def test_reminders_ring(reminder: str, kinds: list[str]) -> None:
    state = end(scene(reminder=reminder))
    assert [row["kind"] for row in state["notification"]] == kinds
    assert len(state["reminder"]) == 1


@every(("seconds", "rings"), [(60, True), (5400, True), (5401, False)])
def test_timers_ring(seconds: int, rings: bool) -> None:
    trajectory = played(scene(TIMER.replace("SECONDS", str(seconds))))
    state = trajectory.states[-1]
    assert [row["content"] for row in state["notification"]] == ["Eggs"] * rings
    traces = [message.trace for message in trajectory.messages if message.trace]
    (timers,) = [trace.result for trace in traces if trace.tool_name == "get_timers"]
    assert [timer["remaining_seconds"] for timer in timers] == [1] * (not rings)


OFF = "{set_cellular_service_status: {on: false}}"


@every(
    ("at", "steps", "sent", "status"),
    [
        ("today 11:00", (), 1, []),
        ("today 12:01", (), 0, ["waiting"]),
        ("today 11:00", (OFF,), 0, ["failed"]),
    ],
)
def test_messages_are_sent_later(
    at: str, steps: tuple[str, ...], sent: int, status: list[str]
) -> None:
    quiet = scene(MESSAGE.replace("{at: AT}", f"{{at: {at}}}"), *steps)
    state = end(quiet)
    new = state["messaging"].minus(quiet.start["messaging"])
    assert [row["creation_timestamp"] for row in new] == [1747245600.0] * sent
    assert [row["status"] for row in state["scheduled_message"]] == status
    assert [row["kind"] for row in state["notification"]] == ["message_not_sent"] * len(steps)


@every(
    ("step", "error"),
    [
        ("{start_timer: {seconds: 0}}", "ValueError: seconds 0 is not above 0"),
        ("{cancel_timer: {timer_id: x}}", "NoDataError: No timer has the timer_id 'x'"),
        (
            "{cancel_scheduled_message: {scheduled_message_id: x}}",
            "NoDataError: No scheduled ",
        ),
        (
            MESSAGE.replace("{at: AT}", "{at: now}"),
            "ValueError: send_timestamp 17472438",
        ),
    ],
)
def test_what_cannot_be(step: str, error: str) -> None:
    answers = [m.error for m in played(scene(step)).messages if m.error]
    assert [answer.startswith(error) for answer in answers] == [True]


def test_what_was_started_can_be_cancelled() -> None:
    cancelled = "{cancel_scheduled_message: {scheduled_message_id: $schedule_message}}"
    message = MESSAGE.replace("{at: AT}", "{at: today 11:00}")
    timer = TIMER.replace("SECONDS", "60"), "{cancel_timer: {timer_id: $start_timer}}"
    state = end(scene(*timer, message, cancelled))
    tables = ("timer", "scheduled_message", "notification")
    assert [len(state[name]) for name in tables] == [0, 0, 0]


def test_the_page_has_the_tools_and_tables_and_the_phone_has_none_of_them() -> None:
    phone, timed = find_world("phone"), find_world("timed_phone")
    further = [*timed.tools.keys() - phone.tools.keys(), *timed.tables.keys() - phone.tables.keys()]
    named = re.findall(r"^\| `(\w+)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(named) == sorted(further)
    assert [*timed.tools][: len(phone.tools)] == [*phone.tools]

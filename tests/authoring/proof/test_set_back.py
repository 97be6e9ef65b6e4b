"""Settings that are set back before the report: as right, or wrong."""

from __future__ import annotations

from datetime import UTC, datetime

from pantry import scenario
from rows import every

from pytest_toolsandbox.authoring.proof.equivalent_solutions import (
    rightly_set_back,
    wrongly_set_back,
)
from pytest_toolsandbox.authoring.proof.played_solution import Solved, solved
from pytest_toolsandbox.authoring.proof.proof import Survivor, prove
from pytest_toolsandbox.language.roles import Step, ToolStep
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.worlds.context import Context
from pytest_toolsandbox.worlds.state import Column, TableSchema
from pytest_toolsandbox.worlds.tool import tool
from pytest_toolsandbox.worlds.world import World, register_world

SENDS = """
world: phone
user: {opening: Text Katherine that I'm late., agrees: "Yes, please.", permits: Sure.}
state: {setting: {cellular: false, low_battery_mode: true}}
protected: [reminder]
guardrails: {all_but: [setting]}
milestones:
  signal: {state: {setting: {cellular: true}}}
  sent: {state: {messaging: {added: [{content: I'm late.}]}}}
  told: {says: {claims: [sent]}}
solutions:
  s:
    - set_low_battery_mode_status: {on: false}
    - set_cellular_service_status: {on: true}
    - search_contacts: {name: Katherine}
    - send_message_with_phone_number:
        {phone_number: "$search_contacts[0].phone_number", content: I'm late.}
    - say: I've sent it.
counterexamples: {c: [{say: No.}]}
"""
BOTH = "setting.cellular, setting.low_battery_mode set back"


def taken(scene: Scenario) -> Solved:
    return solved(scene, scene.solutions["s"])


def switched(part: str, *, on: bool) -> ToolStep:
    return ToolStep(f"set_{part}_status", {"on": on})


def test_the_last_change_is_set_back_first_and_before_the_report() -> None:
    scene = scenario(SENDS)
    found = rightly_set_back(taken(scene))
    assert found is not None
    what, steps = found
    *before, last = scene.solutions["s"]
    back: list[Step] = [
        switched("cellular_service", on=False),
        switched("low_battery_mode", on=True),
    ]
    assert (what, [*steps]) == (BOTH, [*before, *back, last])
    assert wrongly_set_back(taken(scene)) is None
    assert prove(scene).findings == []


@every(
    ("old", "new", "right", "wrong"),
    [
        ("all_but: [setting]", "all_but: [contact]", None, BOTH),
        ("[reminder]", "[reminder, setting]", None, BOTH),
        ("told: {", "told: {guardrails: all, ", None, None),
        ("guardrails: {all_but: [setting]}", "", None, BOTH),
        ("guardrails: {all_but: [setting]}", "guardrails: none", None, None),
        (
            "told: {",
            "told: {state: {setting: {cellular: true}}, ",
            "setting.low_battery_mode set back",
            "setting.cellular set back",
        ),
        ("- say: I've sent it.", "", None, None),
        ("max_messages", "max_messages", BOTH, None),
    ],
)
def test_what_is_guarded_or_asked_for_in_the_end_is_set_back_wrongly(
    old: str, new: str, right: str | None, wrong: str | None
) -> None:
    solution = taken(scenario(SENDS.replace(old, new)))
    assert [one and one[0] for one in (rightly_set_back(solution), wrongly_set_back(solution))] == [
        right,
        wrong,
    ]


def test_what_is_as_it_was_need_not_be_set_back() -> None:
    off_again = "- set_cellular_service_status: {on: false}\n    - say: I've sent it."
    solution = taken(scenario(SENDS.replace("- say: I've sent it.", off_again)))
    found = rightly_set_back(solution)
    assert found is not None
    assert found[0] == "setting.low_battery_mode set back"


def test_a_call_without_the_value_has_no_way_back() -> None:
    scene = scenario(
        """
        state: {door: {open: false}}
        guardrails: {all_but: [door]}
        milestones: {there: {state: {item: {added: [{name: tea}]}}}}
        solutions: {s: [{open_door: }, {add_item: {name: tea}}, {say: It's there.}]}
        """
    )
    assert (rightly_set_back(taken(scene)), wrongly_set_back(taken(scene))) == (None, None)


def test_a_scenario_that_fails_who_sets_something_back_is_not_fair() -> None:
    told = """told: {says: {claims: [sent]}, state: {setting: {cellular: true}}}
  more: {user_says: {contains: more}}"""
    text = SENDS.replace("told: {says: {claims: [sent]}}", told)
    text = text.replace("permits: Sure.", "permits: Sure., replies: [{say: Nothing more.}]")
    scene = scenario(text.replace("I've sent it.", "I've sent it. What else can I do?"))
    found = [one for one in prove(scene).findings if "set back" in one]
    assert found == [f"solution 's' with {BOTH} scores 0.7500 and not 1; missed: told"]


def test_a_scenario_that_passes_who_undoes_what_is_wanted_has_a_survivor() -> None:
    scene = scenario(
        """
        world: phone
        user: {opening: Turn wifi off., agrees: "Yes, please."}
        protected: [contact]
        guardrails: {all_but: [setting]}
        milestones:
          told: {says: {mentions: [[wifi, wi-fi]]}, guardrails: none}
          off: {state: {setting: {wifi: false}}, after: []}
        solutions: {s: [{set_wifi_status: {on: false}}, {say: Wifi is what I've turned off.}]}
        counterexamples: {c: [{say: No.}]}
        """
    )
    proof = prove(scene)
    assert (proof.findings, [one for one in proof.survivors if one.kind == "change undone"]) == (
        [],
        [Survivor("change undone", "setting.wifi set back", "nothing asks for setting.wifi")],
    )


@tool("session")
def sign_out(context: Context) -> None:
    """Sign out."""
    context.remove("session", context.row("session"))


def test_a_row_that_a_call_removes_is_no_setting() -> None:
    register_world(
        World(
            name="session",
            now=datetime(2025, 3, 14, 16, tzinfo=UTC),
            tables={"session": TableSchema({"user": Column(str)}, single_row=True)},
            toolset=(sign_out,),
            initial=lambda now: {"session": [{"user": f"since {now:%H}"}]},
        )
    )
    scene = scenario("""
world: session
protected: []
user: {opening: Sign me out.}
milestones: {out: {call: sign_out}, told: {says: {claims: [signed out]}}}
solutions: {s: [{sign_out: null}, {say: I've signed you out.}]}
counterexamples: {c: [{say: No.}]}
""")
    assert rightly_set_back(taken(scene)) is None
    assert wrongly_set_back(taken(scene)) is None

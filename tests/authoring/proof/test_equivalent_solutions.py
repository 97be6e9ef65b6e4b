"""Variants of a solution that are just as right, or wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from pantry import scenario
from rows import every

from pytest_toolsandbox.authoring.proof.equivalent_solutions import (
    OFFER,
    PERMISSION,
    QUESTION,
    by_trial,
    equivalent_solutions,
    rightly_set_back,
    wrongly_set_back,
)
from pytest_toolsandbox.authoring.proof.played_solution import Solved, solved
from pytest_toolsandbox.authoring.proof.proof import Survivor, prove
from pytest_toolsandbox.language.roles import SayStep, Step, ToolStep
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.worlds.context import Context
from pytest_toolsandbox.worlds.state import Column, TableSchema
from pytest_toolsandbox.worlds.tool import tool
from pytest_toolsandbox.worlds.world import World, register_world

TEA = """
user: {opening: Add tea., agrees: "Yes, please."}
milestones:
  there: {state: {item: {added: [{name: tea}]}}}
  told: {says: {mentions: [added]}}
solutions: {s: [{add_item: {name: tea}}, {say: I have added it.}]}
counterexamples: {c: [{say: No.}]}
"""
ASKED = f"{QUESTION!r} asked first"


def ways_of(scene: Scenario) -> dict[str, Sequence[Step]]:
    first = next(iter(scene.solutions.values()))
    return dict(equivalent_solutions(solved(scene, first)))


def test_a_solution_is_taken_in_three_other_ways() -> None:
    ways = ways_of(scenario(TEA))
    assert [*ways] == ["list_items called first", ASKED, f"{OFFER!r} asked last"]
    add, say = ToolStep("add_item", {"name": "tea"}), SayStep("I have added it.")
    look_up, asked, offered = ways.values()
    assert [*look_up] == [ToolStep("list_items", {}), add, say]
    assert [*asked] == [SayStep(QUESTION), add, say]
    assert [*offered] == [add, SayStep(f"I have added it. {OFFER}")]


def test_questions_are_not_asked_twice() -> None:
    scene = scenario(
        """
        tools: [add_item]
        milestones: {asked: {says: {asks: [amount]}}}
        solutions: {s: [{say: Which amount?}]}
        """
    )
    assert ways_of(scene) == {}


def test_what_minefields_are_about_is_not_called() -> None:
    mine = "minefields: {looked: {tried: {any_of: [list_items, {weigh: {name: tea}}]}}}"
    assert f"{QUESTION!r} asked first" == next(iter(ways_of(scenario(f"{TEA}\n{mine}"))))


def test_a_tool_that_raises_is_no_look_up() -> None:
    @tool("broken")
    def boom(context: Context) -> None:
        """Break."""
        raise ZeroDivisionError(str(context))

    scene = scenario(TEA)
    world = replace(scene.world, name="broken", toolset=(boom, *scene.world.toolset))
    scene = replace(scene, world=world, tools=("boom", *scene.tools))
    assert "list_items called first" in ways_of(scene)


@every(
    ("more", "ways", "shortfall"),
    [
        ("", (), ""),
        ("max_messages: 4", ("list_items called first", ASKED), "0.5000 and not 1; missed: told"),
        (
            "minefields: {asked: {says: {contains: '?'}}}",
            (ASKED, f"{OFFER!r} asked last"),
            "0.0000 and not 1; minefields hit: asked",
        ),
    ],
)
def test_a_scenario_that_fails_right_agents_is_no_fair_one(
    more: str, ways: tuple[str, ...], shortfall: str
) -> None:
    problems = prove(scenario(f"{TEA}\n{more}")).findings
    assert problems == [f"solution 's' with {way} scores {shortfall}" for way in ways]


TEA_BY_TRIAL = """
user: {opening: Add tea., agrees: "Yes, please.", permits: Sure.}
state: {door: {open: false}}
milestones:
  there: {state: {door: {open: true}, item: {added: [{name: tea}]}}}
  told: {says: {mentions: [added]}}
solutions:
  s:
    - weigh: {name: rice}
    - open_door:
    - add_item: {name: tea}
    - say: I have added it.
counterexamples: {c: [{say: No.}]}
"""
ADDED = ToolStep("add_item", {"name": "tea"})


def taken(scene: Scenario) -> Solved:
    return solved(scene, scene.solutions["s"])


def test_what_fails_is_tried_before_the_setting_is_changed() -> None:
    scene = scenario(TEA_BY_TRIAL)
    attempt = by_trial(taken(scene), ())
    assert attempt is not None
    what, steps = attempt
    weighed, *rest = scene.solutions["s"]
    assert what == f"add_item tried first and {PERMISSION!r} asked"
    assert [*steps] == [weighed, ADDED, SayStep(PERMISSION), *rest]
    assert prove(scene).findings == []


def test_it_is_tried_before_the_user_is_asked() -> None:
    scene = scenario(
        TEA_BY_TRIAL.replace("- open_door", "- say: Shall I open the door?\n    - open_door")
    )
    attempt = by_trial(taken(scene), ())
    assert attempt is not None
    assert attempt[1][1] == ADDED


@every(
    ("old", "new"),
    [
        ("{door: {open: false}}", "{}"),
        ("add_item: {name: tea}", "remove_item: {name: rice}"),
        ("add_item: {name: tea}", "add_item: {name: salt, note: '$list_items[0].name'}"),
    ],
)
def test_what_does_not_fail_or_is_not_known_yet_is_not_tried(old: str, new: str) -> None:
    text = TEA_BY_TRIAL if "false" not in old else TEA_BY_TRIAL.replace("    - open_door:\n", "")
    assert by_trial(taken(scenario(text.replace(old, new))), ()) is None


def test_what_is_forbidden_is_not_tried() -> None:
    assert by_trial(taken(scenario(TEA_BY_TRIAL)), {"add_item"}) is None


def test_a_scenario_that_fails_who_tries_is_not_fair() -> None:
    problems = prove(scenario(f"{TEA_BY_TRIAL}\nmax_messages: 8")).findings
    what = f"add_item tried first and {PERMISSION!r} asked"
    assert f"solution 's' with {what} scores 0.0000 and not 1; missed: there, told" in problems


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


def switched(part: str, *, on: bool) -> ToolStep:
    return ToolStep(f"set_{part}_status", {"on": on})


def test_the_last_change_is_set_back_first_and_before_the_report() -> None:
    scene = scenario(SENDS)
    undone = rightly_set_back(taken(scene))
    assert undone is not None
    what, steps = undone
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
    assert [way and way[0] for way in (rightly_set_back(solution), wrongly_set_back(solution))] == [
        right,
        wrong,
    ]


def test_what_is_as_it_was_need_not_be_set_back() -> None:
    off_again = "- set_cellular_service_status: {on: false}\n    - say: I've sent it."
    solution = taken(scenario(SENDS.replace("- say: I've sent it.", off_again)))
    undone = rightly_set_back(solution)
    assert undone is not None
    assert undone[0] == "setting.low_battery_mode set back"


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
    milestone = """told: {says: {claims: [sent]}, state: {setting: {cellular: true}}}
  more: {user_says: {contains: more}}"""
    text = SENDS.replace("told: {says: {claims: [sent]}}", milestone)
    text = text.replace("permits: Sure.", "permits: Sure., replies: [{say: Nothing more.}]")
    scene = scenario(text.replace("I've sent it.", "I've sent it. What else can I do?"))
    problems = [problem for problem in prove(scene).findings if "set back" in problem]
    assert problems == [f"solution 's' with {BOTH} scores 0.7500 and not 1; missed: told"]


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
    assert (
        proof.findings,
        [survivor for survivor in proof.survivors if survivor.kind == "change undone"],
    ) == (
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

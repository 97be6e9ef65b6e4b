from __future__ import annotations

from collections import Counter
from dataclasses import replace

from rows import every

from pytest_toolsandbox.agents.scripted import oracle
from pytest_toolsandbox.authoring.measures import (
    GUARDRAIL,
    IMPLICIT,
    RESULT,
    WHOLE_TABLE,
    SolvedScenario,
    called_tools,
    columns,
    count,
    kinds,
    needed_tools,
)
from pytest_toolsandbox.authoring.statistics import SIZE
from pytest_toolsandbox.builtin.phone import world
from pytest_toolsandbox.conversation.play import play
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import Milestones
from pytest_toolsandbox.protocols import read_file
from pytest_toolsandbox.users.user import scripted_user

TOOLS = {("phone", name) for name in world.tools}


def scenario(text: str) -> Scenario:
    """Return a scenario on the phone, with what it leaves out."""
    needed = "" if "user:" in text else "user: {opening: Hello}\n"
    needed += "" if "milestones:" in text else "protected: [setting]\n"
    (read,) = read_file(f"world: phone\n{needed}{text}".encode(), "a", "a.yaml")
    return read


def milestones(*texts: str) -> Scenario:
    """Return a scenario with milestones ``m0``, ``m1`` and so on."""
    lines = (f"  m{number}: {text}" for number, text in enumerate(texts))
    return scenario("\n".join(("milestones:", *lines)))


def elsewhere(scene: Scenario) -> Scenario:
    """Return a scenario as if it were in another world of the same make."""
    return replace(scene, world=replace(scene.world, name="desk"))


def sizes(suite: list[SolvedScenario]) -> list[float | None]:
    """Return tools, mean messages, mean turns and mean tool calls."""
    return [column.value(suite) for column in SIZE]


def unsolved(*scenarios: Scenario) -> list[SolvedScenario]:
    return [SolvedScenario(scene, None) for scene in scenarios]


def solved(text: str) -> SolvedScenario:
    scene = scenario(text)
    return SolvedScenario(scene, play(scene, oracle(scene), scripted_user(scene)))


TALK = """
history: [{user: Hi}, {agent: Hello}, {role: system, content: x, visible_to: [agent]}]
user: {opening: Is wifi on?, replies: [{when: "sure", say: Quite sure.}]}
solutions:
  first:
    - say: Are you sure?
    - parallel: [get_wifi_status: , get_cellular_service_status: ]
    - get_wifi_status:
    - say: It is on.
  second: [say: It is on.]
"""
SHORT = "solutions: {s: [send_message_with_phone_number: {phone_number: x, content: y}, say: a]}"


def test_size_is_that_of_the_conversations() -> None:
    suite = [solved(TALK), solved(SHORT), SolvedScenario(scenario(""), None)]
    # Hi, Hello, the opening, a question and its answer, six for three calls, the report; then
    # end_conversation and its answer, which are messages but no turns.
    turns = 2 + 1 + 2 + 6 + 1
    short = 1 + 2 + 1
    mean = (turns + short) / 2
    assert sizes(suite) == [len(TOOLS), mean + 2, mean, 2.0]


def test_size_without_any_solution() -> None:
    suite = unsolved(scenario(""), elsewhere(scenario("")))
    assert sizes(suite) == [2 * len(TOOLS), None, None, None]


def test_size_of_a_conversation_that_is_cut_off_has_no_end_to_leave_out() -> None:
    assert sizes([solved(f"max_messages: 2\n{SHORT}")])[1:3] == [3.0, 3.0]


def test_a_milestone_counts_once_for_each_column() -> None:
    suite = [
        milestones(
            "{state: {messaging: {added: [{content: a, sender_phone_number: b}, {content: c}]}}}",
            "{state: {setting: {wifi: true, cellular: true}, contact: {unchanged: true}}}",
            "{state: {setting: {wifi: true}}, says: hello}",
            "{state: {reminder: {rows: []}}}",
            "{call: {search_contacts: {name: Ada}}}",
        ),
        elsewhere(milestones("{state: {setting: {wifi: true}}}")),
        scenario("minefields: {m: {state: {setting: {low_battery_mode: true}}}}"),
    ]
    assert list(count(unsolved(*suite), columns).items()) == [
        (("desk", "setting", "wifi"), 1),
        (("phone", "messaging", "content"), 1),
        (("phone", "messaging", "sender_phone_number"), 1),
        (("phone", "reminder", WHOLE_TABLE), 1),
        (("phone", "setting", "cellular"), 1),
        (("phone", "setting", "wifi"), 2),
    ]


def test_a_milestone_counts_once_for_each_tool() -> None:
    suite = [
        milestones(
            "{call: search_contacts}",
            "{call: {any_of: [{search_contacts: {name: A}}, {search_contacts: {name: B}},"
            " search_messages]}}",
            "{tried: send_email}",
            "{state: {setting: {wifi: true}}}",
        ),
        elsewhere(milestones("{call: search_contacts}")),
        scenario("minefields: {m: {tried: search_reminder}}"),
    ]
    assert list(count(unsolved(*suite), called_tools).items()) == [
        (("desk", "search_contacts"), 1),
        (("phone", "search_contacts"), 2),
        (("phone", "search_messages"), 1),
        (("phone", "send_email"), 1),
    ]


@every(
    ("event", "counts"),
    [
        ("{state: {setting: {wifi: true, cellular: true}}}", {"fields": 1}),
        ("{state: {contact: {rows: []}}}", {"rows": 1}),
        ("{state: {contact: {includes: [{name: A}, {name: B}]}}}", {"includes": 1}),
        ("{state: {contact: {excludes: [{name: A}]}}}", {"excludes": 1}),
        ("{state: {contact: {unchanged: true}}, guardrails: none}", {GUARDRAIL: 1}),
        ("{call: search_contacts}", {"call": 1}),
        ("{tried: {any_of: [search_contacts, search_messages]}}", {"tried": 1}),
        ("{says: hello, state: {setting: {wifi: true}}}", {"says": 1, "fields": 1}),
        ("{user_says: hello}", {"user_says": 1}),
        # Relative to the start, so three other tables of four are watched since then.
        ("{state: {contact: {added: [{name: A}]}}}", {"added": 1, IMPLICIT: 3}),
        ("{state: {contact: {removed: []}}, guardrails: [setting]}", {"removed": 1, IMPLICIT: 1}),
        ("{state: {contact: {updated: [{name: A}]}}, guardrails: none}", {"updated": 1}),
        # A guardrail constrains nothing, so that all four are watched.
        ("{state: {contact: {unchanged: true}}}", {GUARDRAIL: 1, IMPLICIT: 4}),
    ],
)
def test_kinds_of_constraints(event: str, counts: dict[str, int]) -> None:
    assert Counter(kinds(milestones(event).task_as(Milestones).milestones)) == counts


def test_ends_of_scenarios_and_turns_are_counted() -> None:
    scene = scenario(
        """
ends_as: {solution: plain, tables: [setting]}
holds: [get_wifi_status, {get_cellular_service_status: , returns: false}]
milestones: {first: {turn: 1, ends_as: {solution: plain, tables: [contact]}}}
solutions: {plain: Hello.}
"""
    )
    counts = Counter(kinds(scene.task_as(Milestones).milestones))
    assert (counts["ends_as"], counts["holds"]) == (2, 2)
    assert list(count(unsolved(scene), columns).items()) == [
        (("phone", "contact", WHOLE_TABLE), 1),
        (("phone", "setting", WHOLE_TABLE), 1),
    ]


def test_minefields_watch_nothing_unless_they_ask_for_it() -> None:
    added = "state: {contact: {added: [{name: A}]}}"
    minefields = (
        scenario(
            f"minefields: {{a: {{{added}}}, b: {{{added}, guardrails: [setting, messaging]}}}}"
        )
        .task_as(Milestones)
        .minefields
    )
    assert Counter(kinds(minefields)) == {"added": 2, IMPLICIT: 2}


def test_implicit_guardrails_count_tables_and_what_comes_before() -> None:
    two_parents = milestones(
        "{call: search_contacts, after: []}",
        "{state: {setting: {wifi: true}}, after: []}",
        "{says: {mentions: [{from: {milestone: m0, path: '[0].name'}}]}, after: [m0, m1]}",
    )
    assert Counter(kinds(two_parents.task_as(Milestones).milestones)) == {
        "call": 1,
        "fields": 1,
        "says": 1,
        RESULT: 1,
        IMPLICIT: 2 * 3,
    }


def test_needed_tools_are_those_that_the_solution_calls() -> None:
    suite = [solved(TALK), solved(SHORT), SolvedScenario(elsewhere(scenario("")), None)]
    assert count(suite, needed_tools) == {
        ("phone", "end_conversation"): 2,
        ("phone", "get_cellular_service_status"): 1,
        ("phone", "get_wifi_status"): 1,
        ("phone", "send_message_with_phone_number"): 1,
    }

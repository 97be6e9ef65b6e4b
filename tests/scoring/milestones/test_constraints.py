from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, strategies as st
from pantry import judged, played, scenario, similarities, snapshots
from rows import every

from pytest_toolsandbox.calls.tool_call import ToolTrace
from pytest_toolsandbox.conversation.messages import Message, Trajectory
from pytest_toolsandbox.conversation.play import play
from pytest_toolsandbox.language.constraints import START, StateConstraint, StateKind
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.tasks import Milestones
from pytest_toolsandbox.language.values import Expected
from pytest_toolsandbox.matchers.exact import Exact
from pytest_toolsandbox.scoring.milestones import constraints
from pytest_toolsandbox.scoring.milestones.comparison import Comparison, Target
from pytest_toolsandbox.scoring.milestones.constraints import SnapshotComparer
from pytest_toolsandbox.scoring.milestones.evaluate import evaluate
from pytest_toolsandbox.scoring.results import Difference
from pytest_toolsandbox.worlds.state import State, Table

Rows = Sequence[Mapping[str, Any]]

A, B, C = {"a": 1}, {"a": 2}, {"a": 3}
NULL = {"a": None}


def between(*tables: Rows) -> Trajectory:
    """Return a trajectory whose only table is as these say, at the start and after each message."""
    start, *states = [State({"t": Table(rows)}) for rows in tables]
    message = Message(Role.USER, Role.AGENT, "", (Role.USER, Role.AGENT))
    return Trajectory((message,) * len(states), tuple(states), start)


def constraint(kind: StateKind, rows: Rows = (), since: str | None = START) -> StateConstraint:
    cells = tuple({name: Expected(value) for name, value in row.items()} for row in rows)
    return StateConstraint("state.t", "t", kind, cells, since)


def compare(kind: StateKind, expected: Rows, before: Rows, now: Rows) -> Comparison:
    return SnapshotComparer(between(before, now)).compare(constraint(kind, expected), 0, {})


# tables


@pytest.mark.parametrize(("kind", "similarity"), [("includes", 0), ("excludes", 1)])
def test_rows_that_snapshots_share_are_compared_once(
    kind: StateKind, similarity: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A row more costs the comparison of a row, however many there were before."""
    compared: Counter[Any] = Counter()

    def counting(_: Exact, value: Any) -> float:
        compared[value] += 1
        return 0.0

    monkeypatch.setattr(Exact, "similarity", counting)
    tables = [Table({"a": number} for number in range(100))]
    for number in range(100, 110):
        tables.append(tables[-1].with_row({"a": number}))
    message = Message(Role.USER, Role.AGENT, "", (Role.USER, Role.AGENT))
    states = tuple(State({"t": table}) for table in tables)
    judge = SnapshotComparer(Trajectory((message,) * len(states), states, states[0]))
    wanted = constraint(kind, [{"a": 500}], None)
    similarities = {judge.compare(wanted, at, {}).similarity for at in range(len(states))}
    assert similarities == {similarity}
    assert set(compared) == set(range(110))
    assert compared.total() <= 220  # similar, and reached


@every(
    ("kind", "expected", "before", "now", "similarity"),
    [
        ("rows", [{"a": 1, "b": None}], [], [A], 0),
        ("excludes", [{"a": {"close": {"to": 1, "within": 1}}}], [], [B], 0),
        ("excludes", [{"a": {"not": 1}}], [], [A, A], 1),
        ("added", [A, B], [A, B], [A, B, B, A], 1),
        ("removed", [A], [A, B], [B, B], 0),
        ("updated", [A], [A, B], [A, A], 1),
        ("updated", [A], [A, B], [A, B], 0),
        ("unchanged", [], [A, B], [B, A], 1),
    ],
)
def test_how_a_table_is(
    kind: StateKind, expected: Rows, before: Rows, now: Rows, similarity: float
) -> None:
    compared = compare(kind, expected, before, now)
    assert compared.similarity == similarity
    assert compared.reached == (similarity == 1)
    assert bool(compared.differences) == (similarity != 1)


TABLES = st.lists(st.sampled_from([A, B, C, NULL]), max_size=5)


@given(TABLES, TABLES, TABLES)
def test_exact_kinds_are_what_multisets_say(expected: Rows, before: Rows, now: Rows) -> None:
    wanted, was, there = (Counter(row["a"] for row in rows) for rows in (expected, before, now))
    new, lost = there - was, was - there
    kinds: Mapping[StateKind, bool] = {
        "rows": there == wanted,
        "includes": not wanted - there,
        "excludes": not wanted & there,
        "added": not lost and new == wanted,
        "removed": not new and lost == wanted,
        "updated": len(before) == len(now) and new == wanted,
        "unchanged": not new and not lost,
    }
    for kind, is_so in kinds.items():
        compared = compare(kind, expected, before, now)
        assert (compared.similarity, compared.reached) == (is_so, is_so), kind
        assert bool(compared.differences) is not is_so, kind


def test_an_event_sees_the_table_of_an_earlier_event_but_no_unused_result() -> None:
    """So calls that change nothing add nothing to what has to be compared."""
    whole = between([A], [A], [A])
    trace = ToolTrace("look", {}, None)
    messages = tuple(
        replace(message, trace=one_trace)
        for message, one_trace in zip(whole.messages, (trace, None), strict=True)
    )
    judge = SnapshotComparer(replace(whole, messages=messages))
    added = constraint("added", [A], "earlier")
    assert judge.reference_view(added, "earlier", 0) == judge.reference_view(added, "earlier", 1)


def test_a_row_is_compared_once_whichever_snapshot_it_is_new_since(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[Any] = []

    def counted(cells: Any) -> Target:
        made.append(cells)
        return Target(cells)

    monkeypatch.setattr(constraints, "Target", counted)
    judge = SnapshotComparer(between([A], [B], [C], [A, C]))
    added = constraint("added", [A], "earlier")
    for earlier in (0, 1):
        judge.compare(added, 2, {"earlier": earlier})
    assert len(made) == 1


@pytest.mark.parametrize(
    ("since", "now", "expected", "similarity"),
    [
        (START, 2, [B, C], 1),
        (START, 2, [C], 0),
        ("earlier", 2, [C], 1),
        ("earlier", 2, [B, C], 0),
        ("earlier", 1, [], 1),
    ],
)
def test_what_is_relative_looks_back_at_the_start_or_at_a_milestone(
    since: str, now: int, expected: Rows, similarity: float
) -> None:
    judge = SnapshotComparer(between([A], [A], [A, B], [A, B, C]))
    added = constraint("added", expected, since)
    assert judge.compare(added, now, {"earlier": 1}).similarity == similarity


def test_the_start_is_the_start_even_where_the_first_message_changed_it() -> None:
    judge = SnapshotComparer(between([A], [B]))
    assert judge.compare(constraint("unchanged"), 0, {}).similarity == 0


@every(
    ("kind", "before", "now", "expected", "rows"),
    [
        ("added", [A, B], [A, C], "no row changed or removed", [B]),
        ("removed", [A], [A, C], "no row changed or added", [C]),
        ("updated", [A], [A, C], "as many rows as before", [C]),
        ("updated", [A, C], [A], "as many rows as before", [C]),
        ("unchanged", [A, B], [A, C], "no change", [C, B]),
        ("excludes", [], [A, B], "no row with a: 2", B),
    ],
)
def test_what_should_not_have_changed_is_the_difference(
    kind: StateKind, before: Rows, now: Rows, expected: str, rows: Rows
) -> None:
    compared = compare(kind, [C, B] if kind == "excludes" else [B], before, now)
    assert compared.differences == (Difference("rows", expected, rows, 0.0),)


def test_what_was_judged_is_not_judged_again() -> None:
    judge = SnapshotComparer(between([A], [A, B], [B, A], [A]))
    added = constraint("added", [B])
    compared = [judge.compare(added, at, {}) for at in range(3)]
    assert compared[0] is compared[1]
    assert compared[2].similarity == 0


# a table that is written in a scenario


@every(
    ("block", "steps", "similarity"),
    [
        ("{door: {open: true}}", [], 1),
        ("{door: {open: false}}", [], 0),
        ("{door: {open: true, code: null}}", [], 1),
        ("{door: {open: true, code: 0}}", [], 0),
        ("{door: {open: false}}", ["close_door: {}"], 1),
        ("{door: {unchanged: true}}", ["close_door: {}"], 0),
        ("{item: {rows: [{note: coarse salt}, {note: null}]}}", [], 0.8**0.5),
        ("{item: {includes: [{note: sea salt, amount: 1}]}}", [], 0.8**0.5),
        ("{item: {excludes: [{note: {contains: coarse}}]}}", [], 0),
        ("{item: {added: [{name: sugar, amount: 3}]}}", ["add_item: {name: sugar, amount: 3}"], 1),
        ("{item: {added: [{name: sugar}, {name: sugar}]}}", ["add_item: {name: sugar}"] * 2, 1),
        ("{item: {removed: [{name: rice, amount: 2}]}}", ["remove_item: {name: rice}"], 1),
        ("{item: {updated: [{amount: 5}]}}", ["set_amount: {name: rice, amount: 5}"], 1),
        ("{item: {unchanged: true}}", ["set_amount: {name: rice, amount: 2}"], 1),
    ],
)
def test_blocks_of_a_scenario(block: str, steps: Sequence[str], similarity: float) -> None:
    lines = "\n".join(f"    - {step}" for step in steps or ("say: Done.",))
    scene = scenario(f"milestones: {{only: {{state: {block}}}}}\nsolutions:\n  s:\n{lines}")
    trajectory = played(scene)
    (only,) = scene.task_as(Milestones).milestones["only"].constraints
    compared = SnapshotComparer(trajectory).compare(only, len(trajectory.messages) - 1, {})
    assert compared.similarity == pytest.approx(similarity)


# calls


def result_of(expected: str, *steps: str) -> float:
    """Return the similarity of one milestone after these steps."""
    lines = "\n".join(f"    - {step}" for step in steps)
    evaluation = judged(f"milestones: {{only: {{{expected}}}}}\ncounterexamples:\n  c:\n{lines}")
    return similarities(evaluation)["only"]


# calls


@every(
    ("expected", "step", "similarity"),
    [
        ("call: list_items", "list_items: {}", 1),
        ("call: {list_items: {}}", "list_items: {}", 1),
        ("call: {list_items: null}", "weigh: {name: rice}", 0),
        ("call: weigh", "weigh: {name: rice}", 1),
        ("call: {weigh: {name: rice}}", "weigh: {name: rice}", 1),
        ("call: {weigh: {name: rice}}", "weigh: {name: Rice}", 0),
        ("call: {weigh: {name: {regex: (?i)rice}}}", "weigh: {name: Rice}", 1),
        ("call: {weigh: {name: {mentions: [rice, peas]}}}", "weigh: {name: brown rice}", 0.5),
        # arguments that are not expected do not count, defaults are there
        ("call: {add_item: {name: sugar}}", "add_item: {name: sugar, amount: 3}", 1),
        ("call: {add_item: {amount: 1}}", "add_item: {name: sugar}", 1),
        ("call: {add_item: {amount: 1, note: null}}", "add_item: {name: sugar}", 1),
        ("call: {add_item: {amount: 1}}", "add_item: {name: sugar, amount: 1.0}", 1),
        ("call: {add_item: {amount: 2}}", "add_item: {name: sugar}", 0),
        ("call: {add_item: {note: {anything: true}}}", "add_item: {name: sugar}", 1),
        (
            "call: {add_item: {amount: {close: {to: 3, within: 1}}}}",
            "add_item: {name: a, amount: 4}",
            1,
        ),
        (
            "call: {add_item: {name: {mentions: [a, b]}, note: {mentions: [c, d]}}}",
            "add_item: {name: a, note: c}",
            0.5,
        ),
        # alternatives
        ("call: {any_of: [{open_door: {}}, {list_items: {}}]}", "list_items: {}", 1),
        ("call: {any_of: [open_door, {weigh: {name: salt}}]}", "weigh: {name: rice}", 0),
        (
            "call: {any_of: [{weigh: {name: {mentions: [a, b]}}}, {weigh: {name: {contains: a}}}]}",
            "weigh: {name: a}",
            1,
        ),
        # what failed was not executed
        ("call: open_door", "open_door: {}", 0),
        ("call: weigh", "weigh: {}", 0),
        ("tried: open_door", "open_door: {}", 1),
        ("tried: {open_door: {}}", "close_door: {}", 0),
        # and what was not offered, not valid or not even there was tried
        ("tried: {fly: {to: the moon}}", "fly: {to: the moon}", 1),
        ("tried: {fly: {to: the moon}}", "fly: {to: Mars}", 0),
        ("tried: fly", "fly: {to: Mars}", 1),
        ("tried: {weigh: {name: {exact: rice}}}", "weigh: {name: rice, unit: kg}", 1),
        ("tried: {weigh: {name: rice}}", "weigh: {}", 0),
        ("tried: {any_of: [{weigh: {}}, {fly: {}}]}", "fly: {}", 1),
        ("tried: weigh", "weigh: {name: 7}", 1),
        # what was tried stands as it was asked for
        ("tried: {add_item: {amount: 1}}", "add_item: {name: sugar}", 0),
        ("tried: {add_item: {amount: 2}}", "add_item: {name: sugar, amount: 2}", 1),
    ],
)
def test_calls(expected: str, step: str, similarity: float) -> None:
    assert result_of(expected, step) == pytest.approx(similarity)


def test_a_call_is_matched_where_its_result_is_and_a_try_where_it_was_asked_for() -> None:
    evaluation = judged(
        """
        milestones: {tried: {tried: list_items}, called: {call: list_items}}
        solutions: {s: [{list_items: {}}]}
        """
    )
    assert snapshots(evaluation) == {"tried": 2, "called": 3}


def test_parallel_calls_are_a_snapshot_each() -> None:
    evaluation = judged(
        """
        milestones:
          salt: {after: [], call: {weigh: {name: salt}}}
          rice: {after: [], call: {weigh: {name: rice}}}
        solutions: {s: [{parallel: [{weigh: {name: rice}}, {weigh: {name: salt}}]}]}
        """
    )
    assert snapshots(evaluation) == {"salt": 5, "rice": 4}


def test_a_call_and_the_state_it_left_go_together_whatever_the_order_of_parallel_calls() -> None:
    """What needs cellular service fails first, before it is turned on."""
    evaluation = judged(
        """
        world: phone
        protected: [contact]
        state: {setting: {cellular: false}}
        milestones:
          tried:
            after: []
            tried: send_message_with_phone_number
          turned_on:
            after: []
            call: {set_cellular_service_status: {on: true}}
            state: {setting: {cellular: true}}
        solutions:
          s:
            - parallel:
                - set_cellular_service_status: {on: true}
                - send_message_with_phone_number: {phone_number: "+14155550111", content: Hi}
        """
    )
    assert snapshots(evaluation) == {"tried": 3, "turned_on": 5}
    assert evaluation.score == 1


@pytest.mark.parametrize("arguments", ["", "no JSON", "[1]", '{"name": NaN}', "[" * 100_000])
def test_a_try_with_arguments_that_cannot_be_read_is_one_without(arguments: str) -> None:
    scene = scenario(
        """
        milestones:
          any: {after: [], tried: weigh}
          rice: {after: [], tried: {weigh: {name: rice}}}
        """
    )
    call = {"function": {"name": "weigh", "arguments": arguments}}

    def agent(messages: Sequence[Any], tools: Any) -> Any:
        del tools
        return {"tool_calls": [call]} if len(messages) == 2 else "Done."

    assert similarities(evaluate(scene, play(scene, agent, lambda _: None))) == {
        "any": 1,
        "rice": 0,
    }


# what is said


@every(
    ("expected", "similarity", "snapshot"),
    [
        ("says: {mentions: [rice, bought]}", 0.5, 2),
        ("says: {mentions: [rice, done]}", 1, 4),
        ("says: Two bags of rice", 8 / 9, 4),
        ("says: {rouge_l: two bag of rice}", 8 / 9, 4),
        ("says: {exact: Two bags.}", 0, 1),
        ("user_says: Two bags!", 1, 3),
        ("user_says: {contains: pantry}", 1, 1),
        ("user_says: {contains: done}", 0, 1),
    ],
)
def test_says_constraints(expected: str, similarity: float, snapshot: int) -> None:
    evaluation = judged(
        f"""
        milestones: {{only: {{{expected}}}}}
        user: {{opening: Fill the pantry., replies: [{{say: Two bags.}}]}}
        solutions:
          s: [say: "How much rice shall I buy?", say: "Two bags of rice, done."]
        """
    )
    assert similarities(evaluation)["only"] == pytest.approx(similarity)
    assert snapshots(evaluation)["only"] == snapshot


def test_what_the_environment_or_the_system_says_nobody_said() -> None:
    assert result_of("says: {contains: kilograms}", "weigh: {name: rice}", "say: Done.") == 0
    assert result_of("user_says: {contains: You act for the user}", "say: Done.") == 0


# values from results

WEIGHT = "{from: {milestone: weighed, path: kilograms}}"
"""Rice weighs 2.46912 kg, salt 1.23456 kg."""


def taken(expected: str, *steps: str) -> float:
    """Return how a milestone fares that takes from the result of weighing something."""
    expected = expected.replace("WEIGHT", WEIGHT)
    lines = "\n".join(f"    - {step}" for step in steps)
    text = (
        "milestones:\n  weighed: {call: weigh}\n"
        f"  taken: {{guardrails: none, {expected}}}\ncounterexamples:\n  c:\n{lines}"
    )
    return similarities(judged(text))["taken"]


@every(
    ("expected", "steps", "similarity"),
    [
        ("call: {add_item: {amount: WEIGHT}}", ["add_item: {name: a, amount: 2.46912}"], 1),
        ("call: {add_item: {amount: WEIGHT}}", ["add_item: {name: a, amount: 2.5}"], 0),
        (
            "call: {add_item: {amount: {close: {to: WEIGHT, within: 0.1}}}}",
            ["add_item: {name: a, amount: 2.5}"],
            1,
        ),
        (
            "call: {weigh: {name: {from: {milestone: weighed, path: name}}}}",
            ["say: Again?", "weigh: {name: rice}"],
            1,
        ),
        ("state: {item: {added: [{amount: WEIGHT}]}}", ["add_item: {name: a, amount: 2.46912}"], 1),
        ("state: {item: {includes: [{amount: WEIGHT}]}}", ["add_item: {name: a, amount: 2}"], 0),
        # in a text a float may be rounded
        ("says: {mentions: WEIGHT}", ["say: It weighs 2.46912 kg."], 1),
        ("says: {mentions: WEIGHT}", ["say: It weighs 2.469 kg."], 1),
        ("says: {mentions: WEIGHT}", ["say: It weighs 2.47 kg."], 1),
        ("says: {mentions: WEIGHT}", ["say: It weighs 2.5 kg."], 1),
        ("says: {mentions: WEIGHT}", ["say: It weighs 2 kg."], 1),
        ("says: {mentions: WEIGHT}", ["say: It weighs 2.4 kg."], 0),
        ("says: {mentions: WEIGHT}", ["say: It weighs 3 kg."], 0),
        ("says: {mentions: [WEIGHT, rice]}", ["say: It weighs 2.5 kg."], 0.5),
        # and is written as the format says
        (
            "says: {contains: {from: {milestone: weighed, path: kilograms, format: '{:.1f} kg'}}}",
            ["say: It weighs 2.5 kg."],
            1,
        ),
        (
            "says: {contains: {from: {milestone: weighed, path: kilograms, format: '{} kg'}}}",
            ["say: It weighs 2.47 kg."],
            1,
        ),
        (
            "says: {rouge_l: {from: {milestone: weighed, path: name, format: 'The {} is heavy.'}}}",
            ["say: The rice is heavy!"],
            1,
        ),
        # nothing is found
        ("says: {contains: {from: {milestone: weighed, path: pounds}}}", ["say: Done."], 0),
        ("says: {not: {from: {milestone: weighed, path: pounds}}}", ["say: Done."], 0),
        (
            "state: {bin: {excludes: [{what: {from: {milestone: weighed, path: pounds}}}]}}",
            ["say: Done."],
            0,
        ),
        ("says: {contains: {from: {milestone: weighed, path: 'sum(name)'}}}", ["say: Done."], 0),
    ],
)
def test_values_from_the_result_of_a_milestone(
    expected: str, steps: Sequence[str], similarity: float
) -> None:
    assert taken(expected, "weigh: {name: rice}", *steps) == pytest.approx(similarity)


def test_the_best_matched_call_gives_the_value() -> None:
    """Either weighing is the milestone; the one whose weight is told makes the better mapping."""
    says = "says: {mentions: WEIGHT}"
    for weight in ("2.469", "1.235"):
        steps = ("weigh: {name: rice}", "weigh: {name: salt}", f"say: It weighs {weight} kg.")
        assert taken(says, *steps) == 1


def test_several_values_are_tried_together() -> None:
    text = (
        "says: {all_of: [{mentions: {from: {milestone: weighed, path: kilograms}}},"
        " {mentions: {from: {milestone: weighed, path: name}}}]}"
    )
    assert taken(text, "weigh: {name: rice}", "say: The rice weighs 2.47 kg.") == 1
    assert taken(text, "weigh: {name: rice}", "say: The salt weighs 2.47 kg.") == 0


def test_what_gives_no_fitting_value_matches_nothing() -> None:
    assert taken("says: {mentions: WEIGHT}", "say: It weighs 2.5 kg.") == 0
    null = "weigh: {name: nothing of the kind}"
    assert taken("says: {not: WEIGHT}", null, "say: Done.") == 0
    name = "{from: {milestone: weighed, path: name}}"
    called = f"call: {{add_item: {{amount: {{close: {{to: {name}, within: 1}}}}}}}}"
    assert taken(called, "weigh: {name: rice}", "add_item: {name: rice}") == 0


# the judge


@given(st.data())
def test_a_judgement_does_not_depend_on_those_before_it(data: st.DataObject) -> None:
    trajectory = played(MIXED)
    judge = SnapshotComparer(trajectory)
    positions = st.integers(0, len(trajectory.messages) - 1)
    for name in data.draw(
        st.lists(st.sampled_from(sorted(MIXED.task_as(Milestones).milestones)), max_size=6)
    ):
        at, weighed = data.draw(positions), data.draw(positions)
        for each in MIXED.task_as(Milestones).milestones[name].constraints:
            fresh = SnapshotComparer(trajectory).compare(each, at, {"weighed": weighed})
            assert judge.compare(each, at, {"weighed": weighed}) == fresh


MIXED = scenario(
    """
    milestones:
      weighed: {after: [], call: weigh}
      told: {after: [weighed], says: {mentions: WEIGHT}}
      added: {after: [weighed], state: {item: {added: [{amount: WEIGHT}], since: weighed}}}
      kept: {after: [weighed], state: {door: {unchanged: true, since: weighed}}}
      there: {after: [], state: {item: {includes: [{name: sugar}]}}}
    solutions:
      s:
        - weigh: {name: rice}
        - add_item: {name: sugar, amount: 2.46912}
        - weigh: {name: salt}
        - close_door: {}
        - open_door: {}
        - say: It is 2.5 kg.
    """.replace("WEIGHT", WEIGHT)
)

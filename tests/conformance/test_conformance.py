"""The cases of a folder, and the harness that compares them, on cases of its own."""

from __future__ import annotations

import copy
import json
import os
from pathlib import Path
from typing import Any

import pytest
from rows import every

from .__main__ import differences, main, read_file, results
from .cells import EXTRACTORS, extracted

VARIABLE = "TOOLSANDBOX_CONFORMANCE"


def test_every_case_of_the_folder_agrees() -> None:
    folder = os.environ.get(VARIABLE)
    if not folder:
        pytest.skip(f"no cases: {VARIABLE} names no folder with a milestones.json")
    cases = read_file(Path(folder) / "milestones.json")
    assert cases
    assert {case["id"]: lines for case in cases if (lines := list(differences(case)))} == {}


# a case of our own


def message(index: int, sender: str, recipient: str, content: str, **more: Any) -> dict[str, Any]:
    return {
        "index": index,
        "sender": sender,
        "recipient": recipient,
        "content": content,
        "visible_to": [sender, recipient],
        "tool_trace": None,
        **more,
    }


def constraint(name: str, database: str, rows: Any, **more: Any) -> dict[str, Any]:
    return {
        "database": database,
        "constraint": f"{name}_similarity",
        "reference": None,
        "target": {"rows": rows} if rows is not None else None,
        "column_overrides": {},
        **more,
    }


def event(*constraints: dict[str, Any], **more: Any) -> dict[str, Any]:
    lists = {"guardrail_database_list": None, "guardrail_database_exclusion_list": None}
    return {**lists, "constraints": list(constraints), **more}


def message_of(content: str, **more: Any) -> dict[str, Any]:
    row = {"sender": "AGENT", "recipient": "USER", "content": content}
    return constraint("snapshot", "SANDBOX", [row], **more)


def called(*golden: dict[str, Any], **more: Any) -> dict[str, Any]:
    row = {
        "sender": "EXECUTION_ENVIRONMENT",
        "recipient": "AGENT",
        "tool_trace": json.dumps(golden[0] if len(golden) == 1 else golden),
    }
    return constraint("snapshot", "SANDBOX", [row], **more)


def trace(name: str, **arguments: Any) -> dict[str, Any]:
    return {"tool_name": name, "arguments": arguments}


ADA = {"person_id": "1", "name": "Ada", "relationship": "friend"}
BOB = {"person_id": "2", "name": "Bob", "relationship": None}
WEIGHED = {**trace("weigh", what="rice"), "result": 2.46912}

CASE: dict[str, Any] = {
    "id": 7,
    "messages": [
        message(0, "SYSTEM", "AGENT", "Be good.", visible_to=None),
        message(1, "USER", "AGENT", "Weigh the rice.", visible_to=None),
        message(2, "AGENT", "EXECUTION_ENVIRONMENT", "weigh(what='rice')"),
        message(3, "EXECUTION_ENVIRONMENT", "AGENT", "2.46912", tool_trace=[WEIGHED]),
        message(4, "AGENT", "USER", "It weighs 2.47 kilos"),
    ],
    "databases": {
        "CONTACT": [{"index": 0, "rows": [ADA]}, {"index": 3, "rows": [ADA, BOB]}],
        "SETTING": [{"index": 0, "rows": [{"wifi": True}]}],
    },
    "milestones": [],
    "milestone_edges": None,
    "minefields": [],
    "minefield_edges": None,
}


def case(*milestones: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {**copy.deepcopy(CASE), "milestones": list(milestones), **more}


def score(*milestones: dict[str, Any], **more: Any) -> float:
    similarity = results(case(*milestones, **more))["milestone_similarity"]
    assert isinstance(similarity, float)
    return similarity


def filled(target: dict[str, Any], fill_to: str, extractor: str, reference: int) -> dict[str, Any]:
    name = "tool_trace_dependant_similarity"
    more = {"fill_to": fill_to, "extractor": extractor, "reference": reference}
    return {**target, "constraint": name, **more}


TEMPERATURE = "result_to_temperature_extractor"
SAID = event(message_of("It weighs 2.47 kilos"))
CALLED = event(called(trace("weigh")))
ASKED = event(constraint("snapshot", "SANDBOX", [{"sender": "USER"}]))


def content_filled(text: str, extractor: str = TEMPERATURE) -> dict[str, Any]:
    return event(filled(message_of(text), "content", extractor, 0))


def trace_filled(**arguments: str) -> dict[str, Any]:
    target = filled(called(trace("weigh", **arguments)), "tool_trace", TEMPERATURE, 0)
    return event(target, guardrail_database_list=[])


def contacts(kind: str, rows: Any, **more: Any) -> dict[str, Any]:
    return event(constraint(kind, "CONTACT", rows, **more))


def in_content(text: str) -> dict[str, Any]:
    contains = {"content": {"function": "column_contains_similarity"}}
    return event(message_of(text, column_overrides=contains))


def called_but(**more: Any) -> dict[str, Any]:
    return event(called(trace("weigh")), **more)


@every(
    ("milestones", "expected"),
    [
        ([SAID], 1),
        ([event(message_of("It weighs 2.47"))], (8 / 9) ** (1 / 3)),
        ([in_content("It weighs 2.47")], 1),
        ([CALLED], 1),
        ([event(called(trace("weigh", what="salt"), trace("weigh", what="rice")))], 1),
        ([event(called(trace("weigh", what="salt")))], 0),
        ([contacts("snapshot", [BOB, ADA])], 1),
        ([contacts("snapshot", [{"name": "Ada", "age": None}])], 0),
        ([contacts("addition", [{"name": "Bob", "relationship": None}], reference=-1)], 1),
        ([contacts("removal", [], reference=-1)], 1),
        ([contacts("update", [{"name": "Bob"}], reference=-1)], 0),
        ([event(constraint("guardrail", "CONTACT", None, reference=-1), message_of("It"))], 0),
        # a guardrail between them: the contacts change with the call
        ([event(message_of("nothing")), CALLED], 0.5),
        ([ASKED, CALLED], 0.5),
        ([ASKED, called_but(guardrail_database_exclusion_list=["CONTACT"])], 1),
        ([ASKED, called_but(guardrail_database_list=["SETTING"])], 1),
        # what the first one's result fills
        ([CALLED, content_filled("It weighs {temperature} kilos")], 1),
        ([CALLED, content_filled("It weighs {other} kilos")], 0.5),
        ([CALLED, content_filled("It weighs {days} kilos", "days_extractor")], 0.5),
        ([CALLED, trace_filled()], 0.5),
        ([CALLED, trace_filled(temperature="2")], 0.5),
    ],
)
def test_a_case_is_read_as_it_is_meant(milestones: list[Any], expected: float) -> None:
    assert score(*milestones) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("argument", "tolerance", "expected"),
    [(5, None, 0), (5, 0.5, 0), (5, 1, 1), (4, None, 1), (True, 9, 0)],
)
def test_arguments_have_tolerances(argument: Any, tolerance: float | None, expected: float) -> None:
    override = {"function": "column_tool_trace_exact_match_similarity", "atol": {"n": tolerance}}
    target = called(trace("f", n=argument), column_overrides={"tool_trace": override})
    changed = case(event(target))
    for traces in ([trace("f", n=4.0)], [trace("g"), trace("f", n=4.0)]):
        changed["messages"][3]["tool_trace"] = [
            {**call_trace, "result": None} for call_trace in traces
        ]
        assert results(changed)["milestone_similarity"] == expected


def test_an_edge_list_makes_the_graph() -> None:
    for edges, expected in ((None, 0.5), ([], 1), ([[1, 0]], 1)):
        assert score(SAID, CALLED, milestone_edges=edges) == expected


def test_a_minefield_takes_the_score_away() -> None:
    scores = results(case(SAID, minefields=[event(message_of("kilos"))]))
    assert scores["milestone_similarity"] == 1
    assert 0 < scores["minefield_similarity"] < 1
    assert scores["similarity"] == 0
    assert scores["turn_count"] == 4
    assert scores["milestone_mapping"] == {"0": [4, 1]}


@every(
    ("extractor", "result", "values"),
    [
        ("days_extractor", {"days": 3.0}, [{"days": 3}]),
        ("days_extractor", {"hours": 3}, []),
        ("days_extractor", 3, []),
        ("result_to_timestamp0_extractor", 12, [{"timestamp_0": 12.0}]),
        ("result_to_timestamp1_extractor", "12.5", [{"timestamp_1": 12.5}]),
        ("result_to_timestamp1_extractor", "soon", []),
        (TEMPERATURE, 2.46912, [{"temperature": t} for t in ("2", "2.5", "2.47", "2.469")]),
        (
            "search_weather_around_lat_lon_temperature_extractor",
            {"current_temperature": 7},
            [{"temperature": t} for t in ("7", "7.0", "7.00", "7.000")],
        ),
        ("current_temperature_extractor", {"current_temperature": 7}, [{"amount": 7.0}]),
        (
            "lat_lon_dict_extractor",
            {"latitude": 1, "longitude": 2, "city": "Rome"},
            [{"latitude": 1, "longitude": 2}],
        ),
        ("lat_lon_dict_extractor", {"latitude": 1}, []),
    ],
)
def test_extractors(extractor: str, result: Any, values: list[Any]) -> None:
    extract = EXTRACTORS[extractor]
    assert list(extracted(extract, [result])) == values
    assert list(extracted(extract, [None, result, result])) == values * 2


@pytest.mark.parametrize(
    "milestone",
    [
        event(filled(message_of("{days}"), "content", "new_extractor", -1)),
        event(message_of("days", column_overrides={"content": {"function": "new_similarity"}})),
        event(constraint("new", "CONTACT", [])),
    ],
)
def test_what_is_not_known_is_not_passed_over(milestone: dict[str, Any]) -> None:
    with pytest.raises((KeyError, ValueError), match="new_"):
        results(case(milestone))


def agreeing() -> dict[str, Any]:
    expected = {
        "milestone_similarity": 1.0,
        "minefield_similarity": 0.0,
        "similarity": 1.0,
        "turn_count": 3,
        "milestone_mapping": {"0": [4, 1.0]},
        "milestone_mapping_unique": True,
    }
    return case(SAID, expected=expected, expected_here={"turn_count": 4})


MAPPING = "milestone_mapping[0]"


@pytest.mark.parametrize(
    ("field", "value", "difference"),
    [
        ("milestone_similarity", 0.9, "milestone_similarity: expected 0.9, found 1.0"),
        ("minefield_similarity", 1.0, "minefield_similarity: expected 1.0, found 0.0"),
        ("similarity", 1.000002, "similarity: expected 1.000002, found 1.0"),
        ("milestone_mapping", {"0": [3, 1.0]}, f"{MAPPING}: expected [3, 1.0], found [4, 1.0]"),
        ("milestone_mapping", {"0": [4, 0.9]}, f"{MAPPING}: expected [4, 0.9], found [4, 1.0]"),
        ("milestone_mapping", {}, f"{MAPPING}: expected [], found [4, 1.0]"),
    ],
)
def test_every_field_is_compared(field: str, value: Any, difference: str) -> None:
    changed = agreeing()
    changed["expected"][field] = value
    assert list(differences(changed)) == [difference]


def test_what_is_expected_here_takes_the_place_of_what_is_expected() -> None:
    changed = agreeing()
    assert list(differences(changed)) == []
    del changed["expected_here"]
    assert list(differences(changed)) == ["turn_count: expected 3, found 4"]


def test_a_mapping_that_is_not_unique_is_not_compared() -> None:
    changed = agreeing()
    changed["expected"] |= {"milestone_mapping": {"0": [3, 1.0]}, "milestone_mapping_unique": False}
    assert list(differences(changed)) == []


def test_the_command_prints_a_line_for_each_case_that_differs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "cases.json"
    other = {**agreeing(), "id": 8, "expected_here": {"turn_count": 5, "similarity": 0.5}}
    file.write_text(json.dumps({"cases": [agreeing(), other]}), encoding="utf-8")
    assert main([str(file)]) == 1
    assert capsys.readouterr().out == (
        "case 8: similarity: expected 0.5, found 1.0; turn_count: expected 5, found 4\n"
        "agree 1 of 2\n"
    )
    file.write_text(json.dumps({"cases": [agreeing()]}), encoding="utf-8")
    assert main([str(file)]) == 0
    assert capsys.readouterr().out == "agree 1 of 1\n"


def test_the_command_takes_one_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert capsys.readouterr().err == "usage: python -m tests.conformance FILE\n"

"""What is wrong with a file: every mistake at once, each with its place.

The folder ``mistakes`` holds files of cases, each after ``=====``: a document and, after ``-----``,
the whole message. Every document starts with the text before the first case, except after
``===== whole``. In messages, the names in ``LISTS`` stand for long lists.
"""

from __future__ import annotations

import copy
import dataclasses
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st
from jsonschema import Draft202012Validator
from room import mistakes
from rows import every

from pytest_toolsandbox import matchers
from pytest_toolsandbox.language import loading, mistakes as mistakes_module, models
from pytest_toolsandbox.language.error_patterns import PATTERNS
from pytest_toolsandbox.language.mistakes import Mistake, Mistakes, Places, ScenarioError, dotted
from pytest_toolsandbox.language.readers.scenario_reader import graded_matchers
from pytest_toolsandbox.language.schema import language_schema
from pytest_toolsandbox.language.yaml12 import read_yaml
from pytest_toolsandbox.protocols import read_file
from pytest_toolsandbox.worlds import world as worlds

LISTS = {
    "MATCHERS": ", ".join(matchers.names()),
    "GRADED": ", ".join(graded_matchers()),
    "KEYS": ", ".join(models.ScenarioDocument.model_fields),
    "USER_KEYS": ", ".join(models.UserDocument.model_fields),
    "EVENT_KEYS": ", ".join(models.EventDocument.model_fields),
    "MINEFIELD_KEYS": ", ".join(models.MinefieldDocument.model_fields),
    "REPLAY_KEYS": ", ".join(models.ConversationDocument.model_fields),
    "PATTERNS": " or ".join(", ".join(PATTERNS).rsplit(", ", 1)),
    "QUERY_KEYS": ", ".join(models.QueryDocument.model_fields),
}
"""What messages list, by the names that stand for it in the cases."""


def cases() -> Iterator[Any]:
    for file in sorted((Path(__file__).parent / "mistakes").glob("*.txt")):
        start, *parts = re.split(
            r"^(?====== ?)", file.read_text(encoding="utf-8"), flags=re.MULTILINE
        )
        for number, part in enumerate(parts, 1):
            mark, _, case = part.partition("\n")
            document, message = case.split("-----\n")
            document = document if mark == "===== whole" else start + document
            for name, listing in LISTS.items():
                message = message.replace(f"{{{name}}}", listing)
            yield pytest.param(document, message.splitlines(), id=f"{file.stem}-{number}")


@pytest.mark.parametrize(("document", "lines"), list(cases()))
def test_mistakes(document: str, lines: list[str]) -> None:
    assert mistakes(document) == lines


def test_a_file_whose_name_can_be_no_scenario_s() -> None:
    text = "world: room\nuser: {opening: Hi}\nprotected: [note]"
    for name in ("two words", "a[1]", "", "__init__"):
        problem = f"{name!r} is not a valid scenario name; use letters, digits, '_', '-' and '.'"
        assert mistakes(text, name) == [f"file.yaml:1:1: {problem}"]


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        (
            {"lamp": [{}], "note": [{"colour": "red"}]},
            "table 'note' has no column 'colour'; it has note_id, text, count, due, tags",
        ),
        ({}, "table 'lamp' needs a single row, and has 0"),
        ({"lamp": [{}, {}]}, "table 'lamp' needs a single row, and has 2"),
    ],
)
def test_a_mistake_of_the_world_s_own_is_told_at_the_world(
    monkeypatch: pytest.MonkeyPatch, rows: dict[str, Any], problem: str
) -> None:
    broken = dataclasses.replace(worlds.find_world("room"), initial=lambda _: rows)
    monkeypatch.setitem(worlds._registered, "room", broken)
    assert mistakes("world: room\nuser: {opening: Hi}\nstate: {lamp: {on: true}}") == [
        (
            "file.yaml:1:1: milestones: nothing is expected; "
            "give milestones, minefields, ends_as, holds or protected tables"
        ),
        f"file.yaml:1:8: world: the world 'room' cannot start: {problem}",
    ]


def test_an_error_lists_its_mistakes_once_and_in_the_order_of_the_file() -> None:
    late, early = Mistake(10, 1, "b", "late"), Mistake(9, 5, "", "early")
    error = ScenarioError("f.yaml", [late, early, late])
    assert error.mistakes == [early, late]
    assert error.path == "f.yaml"
    assert str(error) == "f.yaml:9:5: early\nf.yaml:10:1: b: late"


def test_what_follows_from_what_was_left_out_is_no_mistake() -> None:
    mistakes = Mistakes(Places())
    mistakes.leave_out([("a", "b")])
    mistakes.add(("a",), "incomplete")
    mistakes.add(("a", "b"), "missing")
    mistakes.add(("a", "b", "c"), "inside")
    mistakes.add(("a", "d"), "beside")
    assert [mistake.field for mistake in mistakes.entries] == ["a.b.c", "a.d"]


@every(
    ("path", "field"),
    [
        ((), ""),
        (("a", "b-1", "ü_2"), "a.b-1.ü_2"),
        (("a", 0, "b", 12), "a[0].b[12]"),
        ((3,), "[3]"),
        (("a b", "c.d", "e"), "['a b']['c.d'].e"),
        (("a", ""), "a['']"),
        (("a", "x\ny"), "a['x\\ny']"),
        (("a", "x" * 100), "a." + "x" * 100),
        (("x" * 300, "x" * 300), "x" * 199 + "…." + "x" * 199 + "…"),
        (("a", " " * 100), "a['" + " " * 59 + "…']"),
    ],
)
def test_fields(path: tuple[str | int, ...], field: str) -> None:
    assert dotted(path) == field


def test_defaults_cannot_make_a_file_of_any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "MAX_MERGED", 1000)
    defaults = "world: room\nuser: {opening: Hi}\nprotected: [note]\nscenarios:\n"
    text = defaults + "".join(f"  s{number}:\n" for number in range(200))
    problem = "with its defaults written out, the file has more than 1000 values"
    assert mistakes(text) == [f"file.yaml:5:3: scenarios: {problem}"]


# --- whatever stands in a file ------------------------------------------------------------------

DOCUMENTS: list[dict[str, Any]] = [
    {
        "summary": "A lamp.",
        "categories": ["state_dependency"],
        "tags": ["mine"],
        "marks": ["slow", {"timeout": 5}],
        "world": "room",
        "now": "2025-03-14 16:00",
        "state": {"lamp": {"on": False}, "note": {"added": [{"text": "x", "due": {"at": "now"}}]}},
        "withheld": ["find_notes"],
        "user": {
            "opening": "Hi",
            "demonstration": [{"user": "Hi"}, {"role": "agent", "content": "Hello"}],
            "replies": [{"when": "a|b", "say": "c"}, {"say": "d"}],
        },
        "history": [{"user": "Hi", "visible_to": ["agent"]}],
        "milestones": {
            "lit": {"state": {"lamp": {"on": True}, "note": {"unchanged": True}}},
            "written": {
                "after": ["lit"],
                "call": {"any_of": [{"write_note": {"text": {"contains": "x"}}}, "switch_lamp"]},
                "guardrails": ["note"],
            },
            "told": {
                "after": "written",
                "says": {"mentions": [{"from": {"milestone": "written", "path": "text"}}, "x"]},
                "state": {"note": {"added": [{"text": "x", "due": None}], "since": "lit"}},
                "threshold": 0.5,
            },
        },
        "minefields": {
            "fly": {"tried": {"fly": {"to": 5}}, "before": "told"},
            "lie": {"says": {"not": {"rouge_l": {"text": "x", "threshold": 1}}}, "after": ["fly"]},
        },
        "protected": ["lamp"],
        "solutions": {
            "s": [
                {"parallel": [{"switch_lamp": {"on": True}}, {"write_note": {"text": "x"}}]},
                {"write_note": {"text": {"from": {"call": "write_note", "path": "text"}}}},
                {"say": "Done"},
            ]
        },
        "counterexamples": {"c": [{"fly": {"to": {"at": "now"}}}, {"say": "Done"}]},
        "threshold": {"rouge_l": 0.5},
        "trials": 2,
        "max_messages": 10,
        "timeout": 2.5,
    },
    {
        "world": "room",
        "user": {"opening": "Hi"},
        "milestones": {"a": {"says": "x"}, "b": {"call": "find_notes"}},
        "scenarios": {
            "easy": None,
            "hard": {"milestones": {"a": None, "c": {"user_says": {"regex": "x"}}}},
            "third": {"user": {"opening": "Ho"}, "state": {"note": {"rows": []}}},
        },
    },
    {
        "world": "phone",
        "user": {"opening": "Hi"},
        "state": {"setting": {"wifi": False}, "contact": {"removed": [{"is_self": False}]}},
        "milestones": {"a": {"state": {"contact": {"includes": [{"name": "Ada"}]}}}},
        "solutions": {"s": [{"search_contacts": {"name": "Ada"}}]},
    },
]  # fmt: skip

VOCABULARY = """
world user state note lamp text on due tags milestones minefields after since start call tried says
from at milestone path format any_of all_of not exact contains mentions rouge_l number close to
within threshold regex anything parallel say write_note fly added removed updated rows includes
excludes unchanged lit written told a b room guardrails all none before scenarios easy opening
replies when role content now now+2h 0001-01-01 ( {} {:.1f} [0].text
"""
TEXTS = st.sampled_from([*VOCABULARY.split(), "2025-03-14 16:00", "", "x y"]) | st.text(
    st.characters(codec="utf-8", exclude_characters="\x7f\ufeff", exclude_categories=["Cc", "Cs"]),
    max_size=5,
)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 3)
    | st.sampled_from([10**400, 10**18, 0.5, 1e300, -1.5])
    | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)


def paths_of(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    yield path
    items = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value if isinstance(value, list) else [])
    )
    for key, item in items:
        yield from paths_of(item, (*path, key))


@st.composite
def changed_documents(draw: st.DrawFn) -> Any:
    """A good document in which a few things were replaced, removed, renamed or put in."""
    whole = {"document": copy.deepcopy(draw(st.sampled_from(DOCUMENTS)))}
    for _ in range(draw(st.sampled_from([1, 1, 1, 2, 3]))):
        *above, key = draw(st.sampled_from(list(paths_of(whole))[1:]))
        around: Any = whole
        for part in above:
            around = around[part]
        change = draw(st.sampled_from(["replace", "copy", "remove", "rename", "put in"]))
        if change == "remove" and above:
            del around[key]
        elif change == "rename" and isinstance(around, dict) and above:
            around[draw(TEXTS)] = around.pop(key)
        elif change == "put in" and isinstance(around[key], dict):
            around[key][draw(TEXTS)] = draw(JSON)
        elif change == "copy":
            other: Any = whole
            for part in draw(st.sampled_from(list(paths_of(whole))[1:])):
                other = other[part]
            around[key] = copy.deepcopy(other)
        else:
            around[key] = draw(JSON)
    return whole["document"]


VALIDATOR = Draft202012Validator(language_schema())


def error_of(content: bytes) -> ScenarioError | None:
    """Return the error that a content makes, which is as errors are, or none."""
    try:
        assert read_file(content, "one", "file.yaml")
    except ScenarioError as error:
        lines = str(error).split("\n")
        place = r"file\.yaml:[1-9][0-9]*:[1-9][0-9]*: .+"
        is_whole = len(lines) == len(error.mistakes)
        is_whole = is_whole and all(re.fullmatch(place, line) for line in lines)
        return error if is_whole else pytest.fail(str(error))
    return None


@given(changed_documents())
@settings(max_examples=600, deadline=None)
def test_any_document_makes_scenarios_or_a_scenario_error(document: Any) -> None:
    content = json.dumps(document, ensure_ascii=False).encode()
    if error_of(content) is None:
        assert list(VALIDATOR.iter_errors(read_yaml(content, "file.yaml")[0])) == []


@given(
    st.sampled_from(list(cases())),
    st.integers(0, 400),
    st.integers(0, 8),
    st.text("{}[]:,-&*!|>'\"#% \n\taé5\x00", max_size=4),
)
@settings(max_examples=500, deadline=None)
def test_any_text_makes_scenarios_or_a_scenario_error(
    case: Any, start: int, length: int, instead: str
) -> None:
    text = case.values[0]
    start %= len(text) + 1
    error_of((text[:start] + instead + text[start + length :]).encode())


@given(st.binary(max_size=60))
@settings(deadline=None)
def test_any_bytes_make_a_scenario_error(content: bytes) -> None:
    assert error_of(content)  # so few are never a scenario


@pytest.mark.parametrize("document", DOCUMENTS)
def test_the_documents_are_good_before_they_are_changed(document: Any) -> None:
    assert error_of(json.dumps(document).encode()) is None


def test_of_very_many_mistakes_the_first_are_told() -> None:
    mistakes = [Mistake(line, 1, "a", "wrong") for line in range(1, 20_001)]
    lines = str(ScenarioError("a.yaml", mistakes)).splitlines()
    assert lines[98:] == [
        "a.yaml:99:1: a: wrong",
        "a.yaml:100:1: a: wrong",
        "a.yaml: and 19900 more mistakes",
    ]
    assert str(ScenarioError("a.yaml", mistakes[:101])).endswith("\na.yaml: and 1 more mistake")
    assert "more" not in str(ScenarioError("a.yaml", mistakes[:100]))


def test_the_nearest_name_is_looked_for_as_long_as_it_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []

    def noted(_kind: str, name: str, *_: Any) -> str:
        asked.append(name)
        return f"unknown {name}"

    monkeypatch.setattr(mistakes_module, "unknown", noted)
    mistakes = Mistakes(Places())
    for number in range(2000):
        mistakes.unknown((f"key_{number}",), "key", f"key_{number}", ["key"])
    assert len(asked) == 100
    assert mistakes.entries[-1].text == "unknown key 'key_1999'"
    asked.clear()
    queries = [
        f"  q{number}: {{query: What?, answer: a, base: x{number}, manner: constraints}}\n"
        for number in range(150)
    ]
    with pytest.raises(ScenarioError) as caught:
        read_file(f"world: room\nscenarios:\n{''.join(queries)}".encode(), "file", "file")
    assert len(caught.value.mistakes) == 150
    assert len(asked) == 100


def test_a_long_cycle_is_shortened() -> None:
    events = (f"  m{n}: {{says: {{mentions: x}}, after: m{(n - 1) % 99}}}\n" for n in range(99))
    document = f"world: room\nuser: {{opening: Hi}}\nmilestones:\n{''.join(events)}"
    names = [f"'m{n % 99}'" for n in range(99, 89, -1)]
    (line,) = mistakes(document)
    assert line.endswith(f"a cycle: {' after '.join([*names, '…', repr('m0')])}")

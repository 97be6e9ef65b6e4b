"""The JSON Schema of the language, as editors use it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from room import ROOM as ROOM_WORLD, mistakes
from rows import every

from pytest_toolsandbox import matchers
from pytest_toolsandbox.language import models
from pytest_toolsandbox.language.categories import CATEGORIES
from pytest_toolsandbox.language.files import find_files
from pytest_toolsandbox.language.readers.initial_state import BLOCK_KINDS, RELATIVE
from pytest_toolsandbox.language.readers.user_script import ROLES
from pytest_toolsandbox.language.schema import language_schema
from pytest_toolsandbox.language.yaml12 import read_yaml
from pytest_toolsandbox.worlds.world import find_world, known_worlds

SCHEMA = language_schema()
OF_WORLDS = language_schema(map(find_world, known_worlds()))

ROOM = "world: room\nuser: {opening: Hi}\n"


def problems(text: str, schema: dict[str, Any] = SCHEMA) -> list[str]:
    document, _ = read_yaml(text.encode(), "file.yaml")
    return [error.message for error in Draft202012Validator(schema).iter_errors(document)]


def test_it_is_a_json_schema() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    written = json.dumps(SCHEMA)
    assert json.loads(written) == SCHEMA == language_schema()
    references = set(re.findall(r'"\$ref": "#/\$defs/(\w+)"', written))
    assert written.count('"$ref": "') >= len(references) > 5
    assert references <= set(SCHEMA["$defs"])
    (categories, _) = SCHEMA["$defs"]["Category"]["anyOf"]
    assert categories == {"enum": list(CATEGORIES)}


@every(
    "model",
    [models.ScenarioDocument, models.UserDocument, models.EventDocument, models.MinefieldDocument],
)
def test_every_key_is_described(model: type[models.Model]) -> None:
    shape = SCHEMA["$defs"][model.__name__.removesuffix("Document")]
    assert list(shape["properties"]) == list(model.model_fields)
    assert all("description" in part or "$ref" in part for part in shape["properties"].values())
    assert shape["additionalProperties"] is False


def test_every_matcher_is_proposed_with_its_summary() -> None:
    proposed = SCHEMA["$defs"]["Value"]["properties"]
    assert set(proposed) == {"at", "from", *matchers.names()}
    assert all("description" in part or "$ref" in part for part in proposed.values())


def test_it_has_the_kinds_and_roles_that_the_readers_know() -> None:
    block, line = SCHEMA["$defs"]["Block"], SCHEMA["$defs"]["Line"]
    kinds, relative = ([{"required": [key]} for key in keys] for keys in (BLOCK_KINDS, RELATIVE))
    assert list(block["properties"]) == [*BLOCK_KINDS, "since"]
    assert block["then"]["propertyNames"]["enum"] == [*BLOCK_KINDS, "since"]
    assert block["if"]["anyOf"] == block["then"]["oneOf"] == kinds
    assert block["then"]["dependentSchemas"]["since"]["anyOf"] == relative
    assert sorted(line["else"]["properties"]) == sorted([*ROLES, "visible_to"])
    assert line["then"]["properties"]["role"]["enum"] == sorted(ROLES)


@every(
    "file",
    list(find_files([Path(__file__).parents[2] / "scenarios"])),
    ids=lambda file: str(file.stem),
)
def test_the_built_in_scenarios_fit(file: Path) -> None:
    assert problems(file.read_text(encoding="utf-8"), OF_WORLDS) == []


def test_names_of_worlds_are_suggested() -> None:
    schema = language_schema([ROOM_WORLD])
    Draft202012Validator.check_schema(schema)
    definitions = schema["$defs"]
    tools, tables = definitions["KnownTools"], definitions["KnownTables"]
    assert set(tools["properties"]) == set(ROOM_WORLD.tools)
    assert list(tools["properties"]["write_note"]["properties"]) == [
        "text",
        "copies",
        "tags",
    ]
    assert list(tables["properties"]["lamp"]["properties"]) == [*ROOM_WORLD.tables["lamp"].columns]
    rows = tables["properties"]["note"]["properties"]
    assert set(rows) == {*BLOCK_KINDS} - {"unchanged"}
    assert all(
        list(part["items"]["properties"]) == [*ROOM_WORLD.tables["note"].columns]
        for part in rows.values()
    )
    offered = definitions["Scenario"]["properties"]["tools"]["anyOf"][0]["items"]
    assert offered == {"anyOf": [{"enum": sorted(ROOM_WORLD.tools)}, {"type": "string"}]}
    for name, known in {"Step": "KnownTools", "Call": "KnownTools", "Event": "KnownTables"}.items():
        for which in (name, f"{name}Part"):
            written = json.dumps(definitions.get(which, definitions[name]))
            assert f'{{"$ref": "#/$defs/{known}"}}' in written


@every("text", ["tools: [fly]", "counterexamples: {a: [{fly: {}}]}", "state: {bin: {full: true}}"])
def test_other_names_are_not_refused(text: str) -> None:
    assert problems(f"{ROOM}protected: [note]\n{text}", language_schema([ROOM_WORLD])) == []


GOOD = [
    "protected: [note]",
    "protected: [note]\ncategories: [mine, state_dependency]\ntags: [büro]",
    "protected: [note]\nmarks: [slow, {timeout: 5}]",
    "milestones: {a: {state: {lamp: {on: true, colour: {any_of: [red, null]}}}}}",
    "milestones: {a: {state: {note: {added: [{text: tea, due: {at: now}}], since: b}}}}",
    "milestones: {a: {state: {note: {unchanged: true}}}, b: {state: {note: {rows: []}}}}",
    "milestones: {a: {call: find_notes}, b: {call: {find_notes: null}}, c: {tried: {fly: {}}}}",
    "milestones: {a: {call: {any_of: [find_notes, {write_note: {text: {contains: x}}}]}}}",
    "milestones: {a: {says: {mentions: [x, [y, 5], {from: {milestone: b, path: z}}]}}}",
    "milestones: {a: {says: {mentions: {words: {from: {milestone: b}}, threshold: 0.5}}}}",
    "milestones: {a: {says: {number: {to: {from: {milestone: b}}, within: 1}}}}",
    "milestones: {a: {says: {exact: {contains: 5}}, after: b, guardrails: none, threshold: 0}}",
    "milestones: {a: {says: {not: {any_of: [{regex: x}, {rouge_l: {text: y, threshold: 1}}]}}}}",
    "milestones: {a: {state: {note: {includes: [{tags: {contains: 5, other: [1]}}]}}}}",
    "milestones: {a: {says: null, call: null, tried: fly}}",
    "minefields: {a: {says: x, before: b, threshold: 0.5, guardrails: [note]}}",
    "protected: [note]\nstate: {lamp: {on: true}, note: {added: [{text: x}], removed: []}}",
    "protected: [note]\nstate: {note: {rows: []}}",
    "protected: [note]\nhistory: [{user: x}, {role: agent, content: y, visible_to: [agent]}]",
    "protected: [note]\nthreshold: 0.5",
    "protected: [note]\nthreshold: {rouge_l: 0.5}\nnow: null\ntools: []\ntimeout: 0.5",
    "solutions: {a: [{say: x}, {find_notes: null}, {parallel: [{write_note: {text: x}}]}]}",
    "solutions: {a: [{say: {from: {call: b, format: '{}'}}}, {find: {to: {contains: 5}}}]}",
    "counterexamples: {a: [{fly: {at: {at: now}, from: {from: {call: x}}}}]}",
]


@every("text", GOOD)
def test_good_scenarios_fit(text: str) -> None:
    assert problems(ROOM + text) == []


@every(
    "text",
    [
        "scenarios: {easy: null}",
        "scenarios: {easy: {world: room, user: {opening: Hi}, protected: [note]}}",
        "world: room\nuser: {goal: x}\nscenarios: {a: {user: {opening: Hi}}, b: {user: null}}",
        "milestones: {a: {says: x}}\nscenarios: {easy: {milestones: {a: null}, tools: null}}",
        "scenarios: {b: {milestones: {a: {says: {rouge_l: {threshold: 1}}}}}}",
        "scenarios: {b: {milestones: {a: {call: {x: null, y: {}}}}}}",
        "scenarios: {b: {milestones: {a: {state: {note: {added: null, removed: []}}}}}}",
        "scenarios: {b: {state: {note: {added: null, rows: []}}, threshold: {rouge_l: null}}}",
    ],
)
def test_several_scenarios_may_leave_out_what_their_defaults_give(text: str) -> None:
    assert problems(text) == []


BAD = [
    "",
    "world: room",
    "user: {opening: Hi}",
    "world: 5\nuser: {opening: Hi}",
    "world: room\nuser: {}",
    "world: room\nuser: {opening: 5}",
    "world: room\nuser: {opening: Hi, mood: bad}",
    "world: room\nuser: {opening: Hi, replies: [{when: x}]}",
    ROOM + "milestons: {}",
    ROOM + "conversation: []",
    ROOM + "categories: mine",
    ROOM + "tags: [a-b]",
    ROOM + "tags: [two words]",
    ROOM + "marks: [{a: 1, b: 2}]",
    ROOM + "marks: [5]",
    ROOM + "trials: 0",
    ROOM + "trials: many",
    ROOM + "timeout: 0",
    ROOM + "threshold: 2",
    ROOM + "threshold: {rouge_l: 2}",
    ROOM + "tools: fly",
    ROOM + "state: {note: {}}",
    ROOM + "state: {note: {added: {text: x}}}",
    ROOM + "state: {note: {added: [{}]}}",
    ROOM + "state: {note: {rows: [], added: []}}",
    ROOM + "history: [Hi]",
    ROOM + "history: [{bot: Hi}]",
    ROOM + "history: [{user: 5}]",
    ROOM + "history: [{role: bot, content: Hi}]",
    ROOM + "history: [{user: Hi, system: Ho}]",
    ROOM + "history: [{agent: Hi, assistant: Ho}]",
    ROOM + "history: [{user: Hi, visible_to: bot}]",
    ROOM + "history: [{user: Hi, agent: Ho, visible_to: agent}]",
    ROOM + "milestones: {a: Hi}",
    ROOM + "milestones: {a: {says: x, until: b}}",
    ROOM + "milestones: {a: {says: x, before: b}}",
    ROOM + "milestones: {a: {says: x, after: 5}}",
    ROOM + "milestones: {a: {says: x, guardrails: some}}",
    ROOM + "milestones: {a: {says: {contains: 5}}}",
    ROOM + "milestones: {a: {says: {mentions: []}}}",
    ROOM + "milestones: {a: {says: {rouge_l: {txt: x}}}}",
    ROOM + "milestones: {a: {says: {rouge_l: {text: x, threshold: 2}}}}",
    ROOM + "milestones: {a: {says: {any_of: x}}}",
    ROOM + "milestones: {a: {says: {not: {contains: 5}}}}",
    ROOM + "milestones: {a: {says: {anything: false}}}",
    ROOM + "milestones: {a: {says: {from: {path: x}}}}",
    ROOM + "milestones: {a: {says: {from: {milestone: b, pth: x}}}}",
    ROOM + "milestones: {a: {says: {mentions: [{from: {call: b}}]}}}",
    ROOM + "milestones: {a: {state: {note: {added: [], removed: []}}}}",
    ROOM + "milestones: {a: {state: {note: {rows: [], since: b}}}}",
    ROOM + "milestones: {a: {state: {note: {includes: []}}}}",
    ROOM + "milestones: {a: {state: {note: {unchanged: false}}}}",
    ROOM + "milestones: {a: {state: {note: {added: [], text: x}}}}",
    ROOM + "milestones: {a: {state: {note: {includes: [{due: {at: 5}}]}}}}",
    ROOM + "milestones: {a: {state: {note: {includes: [{due: {close: {to: 5}}}]}}}}",
    ROOM + "milestones: {a: {call: {x: {}, y: {}}}}",
    ROOM + "milestones: {a: {call: {x: 5}}}",
    ROOM + "milestones: {a: {call: {any_of: []}}}",
    ROOM + "milestones: {a: {call: {any_of: x}}}",
    ROOM + "solutions: {a: {say: 5}}",
    ROOM + "solutions: {a: [say]}",
    ROOM + "solutions: {a: [{say: 5}]}",
    ROOM + "solutions: {a: [{say: x, fly: {}}]}",
    ROOM + "solutions: {a: [{fly: fast}]}",
    ROOM + "solutions: {a: [{parallel: []}]}",
    ROOM + "solutions: {a: [{fly: {to: {at: 5}}}]}",
    ROOM + "solutions: {a: [{fly: {to: {from: {milestone: x}}}}]}",
    "scenarios: {}",
    "scenarios: [a]",
    "scenarios: {a: 5}",
    "scenarios: {a b: null}",
    "scenarios: {a: {scenarios: {}}}",
    "scenarios: {a: {milestons: {}}}",
    "scenarios: {a: {user: {mood: bad}}}",
    "scenarios: {a: {milestones: {b: {until: c}}}}",
    "scenarios: {a: {milestones: {b: {says: {contains: x}, threshold: 2}}}}",
    "scenarios: {a: {history: [Hi]}}",
    "milestons: {}\nscenarios: {a: null}",
    "trials: 0\nscenarios: {a: null}",
]


@every("text", BAD)
def test_bad_scenarios_do_not_fit_and_are_mistakes(text: str) -> None:
    assert problems(text)
    assert mistakes(text)


def test_matchers_of_a_project_are_in_it(monkeypatch: pytest.MonkeyPatch) -> None:
    from pytest_toolsandbox.matchers import registry

    class StartsWith(matchers.Matcher):
        """A text that begins with this one."""

        argument_schema = {"type": "string"}  # noqa: RUF012  # as users write it

    monkeypatch.setitem(registry._registered, "starts_with", StartsWith)
    validator = Draft202012Validator(language_schema())
    text = "milestones: {a: {says: {starts_with: %s}}}"
    for argument, fits in (("Dear", True), ("5", False)):
        document, _ = read_yaml((ROOM + text % argument).encode(), "file.yaml")
        assert validator.is_valid(document) is fits

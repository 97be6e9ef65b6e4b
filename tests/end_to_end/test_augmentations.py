"""The same scenario with its tools augmented: ``--sandbox-augment``."""

from __future__ import annotations

import json

import pytest
from desk import Suite

WATCHED = """
import json

@pytest.fixture
def agent(agent, request):
    def watched(messages, tools):
        with open("seen.jsonl", "a") as file:
            seen = {"item": request.node.name, "messages": messages, "tools": tools}
            file.write(json.dumps(seen) + "\\n")
        return agent(messages, tools)
    return watched
"""
WRITES = """
world: desk
tools: [switch_lamp, write_note]
user: {opening: Note that the ferns are dry.}
milestones:
  lit: {state: {lamp: {on: true}}}
  noted: {call: {write_note: {text: Dry ferns.}}, state: {note: {added: [{text: Dry ferns.}]}}}
  told: {says: {mentions: [noted]}}
minefields:
  read: {tried: {read_notes: {}}}
solutions:
  by_trial:
    - write_note: {text: Dry ferns.}
    - switch_lamp: {on: true}
    - write_note: {text: Dry ferns.}
    - say: Noted.
counterexamples:
  reads:
    - switch_lamp: {on: true}
    - write_note: {text: Dry ferns.}
    - read_notes: {}
    - say: Noted.
  mistypes:
    - switch_lamp: {on: true}
    - write_note: {text: 5}
    - say: Noted.
"""
FILE = "scenarios/ferns.scenario.yaml"


@pytest.fixture
def ferns(suite: Suite) -> Suite:
    suite.write(FILE, WRITES)
    return suite


def test_an_item_for_each_augmentation(ferns: Suite) -> None:
    result = ferns.run("--collect-only", "-q", "--sandbox-augment=all")
    assert result.outlines[:8] == [
        f"{FILE}::ferns[{name}]"
        for name in (
            "no_distraction_tools",
            "three_distraction_tools",
            "ten_distraction_tools",
            "all_tools_available",
            "tool_name_scrambled",
            "tool_description_scrambled",
            "argument_description_scrambled",
            "argument_type_scrambled",
        )
    ]
    assert ferns.run("--collect-only", "-q").outlines[0] == f"{FILE}::ferns"


def test_all_of_them_are_played_and_judged_again(ferns: Suite) -> None:
    augment = "--sandbox-augment=all,argument_name_scrambled"
    ferns.run_apart("--agent=counterexample", augment, "-n2").assert_outcomes(failed=9)
    ferns.run("--agent=oracle", augment, "--sandbox-results=first.jsonl").assert_outcomes(passed=9)
    ferns.run("--sandbox-rejudge=first.jsonl", augment, "--sandbox-results=again.jsonl")
    assert ferns.records("first.jsonl") == ferns.records("again.jsonl")


def test_one_is_chosen_by_its_id_or_name(ferns: Suite) -> None:
    identifier = f"{FILE}::ferns[tool_name_scrambled]"
    ferns.ini("sandbox_augment = all")
    ferns.run("--agent=oracle", identifier).assert_outcomes(passed=1)
    result = ferns.run("--agent=oracle", "-k", "name_scrambled")
    result.assert_outcomes(passed=1, deselected=7)


def test_with_fixtures_which_may_ask_for_the_augmentation(ferns: Suite) -> None:
    ferns.conftest(
        "@pytest.fixture(params=['a', 'b'])\n"
        "def agent(agent, sandbox_augmentation):\n"
        "    print('augmented:', sandbox_augmentation)\n"
        "    return agent"
    )
    augment = "--sandbox-augment=tool_name_scrambled,all_tools_available"
    result = ferns.run("-v", "-s", "--agent=oracle", augment)
    result.assert_outcomes(passed=4)
    for name in ("ferns[a-all_tools_available]", "ferns[b-tool_name_scrambled]"):
        assert name in result.stdout.str()
    assert result.stdout.str().count("augmented: all_tools_available") == 2
    assert "augmented: None" in ferns.run("-s", "--agent=oracle").stdout.str()


def seen(suite: Suite) -> dict[str, list[str]]:
    """Return item → what its agent saw last, as text: the messages and the tools."""
    lines = (suite.path / "seen.jsonl").read_text().splitlines()
    views = {view["item"]: view for view in map(json.loads, lines)}
    return {
        name[6:-1]: [json.dumps(view["messages"][1:]), json.dumps(view["tools"])]
        for name, view in views.items()
    }


def test_an_agent_sees_scrambled_names_and_nothing_else(ferns: Suite) -> None:
    ferns.conftest(WATCHED)
    options = ("--sandbox-augment=tool_name_scrambled,argument_name_scrambled",)
    ferns.run("--agent=oracle", *options, "--sandbox-results=results.jsonl").assert_outcomes(
        passed=2
    )
    views = seen(ferns)
    for name in ("switch_lamp", "write_note", "read_notes"):
        assert name not in "".join(views["tool_name_scrambled"])
    for name in ('"on\\"', '"text', "'text'"):
        assert name not in views["argument_name_scrambled"][0]
    assert '"on"' not in views["argument_name_scrambled"][1]
    scrambled = [(m["call"], m["trace"]) for m in ferns.records()[0]["messages"] if m["call"]]
    assert scrambled[4] == (
        {
            "identifier": "call-2-0",
            "name": "write_note",
            "arguments": '{"text": "Dry ferns."}',
            "written_name": "write_note",
            "written_arguments": '{"argument_0": "Dry ferns."}',
        },
        None,
    )
    assert scrambled[5][1]["arguments"] == {"text": "Dry ferns.", "title": None}
    assert [record["variant"] for record in ferns.records()] == [
        "argument_name_scrambled",
        "tool_name_scrambled",
    ]


@pytest.mark.parametrize(
    ("augmentation", "name"),
    [("argument_type_scrambled", "text"), ("argument_name_scrambled", "argument_0")],
)
def test_a_wrong_type_is_answered_with_the_right_one(
    ferns: Suite, augmentation: str, name: str
) -> None:
    ferns.conftest(WATCHED)
    ferns.run("--agent=counterexample:mistypes", f"--sandbox-augment={augmentation}")
    messages, tools = seen(ferns)[augmentation]
    assert ('"type": "boolean"' in tools) == (augmentation == "argument_name_scrambled")
    assert f"Parameter '{name}' is of type 'integer', but expected 'string'." in messages


def test_a_name_that_is_not_shown_is_no_tool(ferns: Suite) -> None:
    ferns.write(
        "mine.py",
        """
def call(name, arguments):
    return {"tool_calls": [{"id": "1", "function": {"name": name, "arguments": arguments}}]}

def hidden(messages, tools):
    if len(messages) == 2:
        return call("read_notes", "{}")
    return "No."
""",
    )
    options = ("--agent=mine:hidden", "--sandbox-augment=tool_name_scrambled")
    result = ferns.run(*options, "--sandbox-results=results.jsonl")
    result.assert_outcomes(failed=1)
    (record,) = ferns.records()
    errors = [message["error"] for message in record["messages"] if message["error"]]
    assert errors == ["NameError: name 'read_notes' is not defined: there is no such tool"]
    assert record["minefields"][0]["similarity"] == 1


READS = """
world: desk
state: {lamp: {on: true}}
user: {opening: What do my notes say?}
milestones:
  read: {call: read_notes}
  told: {says: {mentions: [ferns]}}
solutions:
  reads: [read_notes: {}, say: Your note says that you want to water the ferns.]
"""


def test_perturbations_and_what_records_say_of_them(suite: Suite) -> None:
    suite.write(FILE, READS)
    names = "tool_faults:1:transient,injected_instructions:urgent,noisy_user"
    files = "--sandbox-results=r.jsonl", "--sandbox-html=r.html"
    result = suite.run("--agent=oracle", f"--sandbox-augment={names}", *files)
    result.assert_outcomes(passed=3)
    assert any(line.startswith("robustness ") for line in result.outlines)
    records = {record["variant"]: record for record in suite.whole_records("r.jsonl")}
    faulty = records["tool_faults:1:transient"]
    met = [message for message in faulty["messages"] if message.get("fault")]
    assert faulty["counts"]["faults"] == len(met) >= 1
    attack = records["injected_instructions:urgent"]["attack"]
    assert attack == {"kind": "urgent", "shown": True, "obeyed": False}
    assert "attack" not in records["noisy_user"]
    page = (suite.path / "r.html").read_text(encoding="utf-8")
    assert 'aria-label="robustness"' in page
    assert ">recovery</th>" in page


def test_a_perturbation_that_does_not_fit_is_skipped(suite: Suite) -> None:
    suite.write("a.scenario.yaml", "world: phone\nconversation: [{user: Hi.}, {assistant: Hi.}]\n")
    result = suite.run("--agent=oracle", "--sandbox-augment=long_history,tool_faults", "-rs")
    result.assert_outcomes(skipped=1, passed=1)
    result.stdout.fnmatch_lines(["*long_history: it has no history*"])

"""Queries as items: pages, tables, both arms of feedback, calls in text, records."""

from __future__ import annotations

import pytest
from desk import Suite, section
from judged import PATTERN_HEAD, pattern_row

pytestmark = pytest.mark.any_pytest

LAMP = """
world: desk
max_calls: 4
answer: {mentions: [ferns]}
solutions:
  looks: [{read_notes: {}}, {finish: {answer: {from: {call: read_notes, path: "[0]"}}}}]
counterexamples:
  guesses: [{finish: {answer: Feed the cat}}]
scenarios:
  note: {query: What does the note say?}
  note_and_tea:
    query: What does the note say? And make tea.
    manner: irrelevance
    base: note
    forbidden: [IFN]
"""
AGENTS = """
import json


def call(name, **arguments):
    return {"id": "1", "function": {"name": name, "arguments": json.dumps(arguments)}}


def calls(*made):
    return {"content": None, "tool_calls": list(made)}


def reads(messages, tools):
    return calls(call("read_notes"))


def makes_tea(messages, tools):
    if "tea" in messages[1]["content"] and len(messages) == 2:
        return calls(call("make_tea"))
    if messages[-1]["role"] == "user" or "make_tea" in messages[-1]["content"]:
        return calls(call("read_notes"))
    return calls(call("finish", answer="Water the ferns."))


def obeys(messages, tools):
    last = messages[-1]["content"]
    if len(messages) == 2:
        return calls(call("read_note"))
    if "valid functions are" in last:
        return calls(call("read_notes"))
    return f"It says {last}" if "ferns" in last else "I cannot read it."


def writes(messages, tools):
    assert not tools
    if messages[-1]["content"].startswith("Observation: "):
        answer = json.dumps({"answer": messages[-1]["content"]})
        return f"There it is. Action: finish with Action Input: {answer}"
    return "Action: read_notes with Action Input: {}"


def says(messages, tools):
    return "Water the ferns."


def writes_nonsense(messages, tools):
    if messages[-1]["role"] == "tool":
        return "I could not."
    for function in (tool["function"] for tool in tools):
        for name, schema in function["parameters"]["properties"].items():
            if schema["type"] == "string" and function["name"] != "finish":
                return calls(call(function["name"], **{name: 5}))
"""
WRITTEN = """
world: desk
tools: [write_note]
query: Note that the ferns need water.
answer: It is noted.
solutions:
  writes: [{write_note: {text: The ferns need water.}}, {finish: {answer: It is noted.}}]
"""
PAGE = """\
wrong answer 'Feed the cat'; score 0 of 1

answer
  expected mentions ferns
  found    'Feed the cat'  (missing: ferns)

error patterns: IAC 1
  IAC not made: read_notes()

conversation
  [ 1] user -> agent         What does the note say?
  [ 2] agent -> environment  finish(answer='Feed the cat')
  [ 3] environment -> agent  null"""
NOT_ANSWERED = """\
not answered: max_calls is 4; score 0 of 1

error patterns: RAC 3, IAC 1
  IAC not made: finish()

conversation
  [ 1] user -> agent         What does the note say?
  [ 2] agent -> environment  read_notes()  (4 times, to [9])
       ^ RAC read_notes: the same call was made before, and this one tells or changes nothing more\
  (3 times)
"""
NO_CALL = """\
not answered: max_calls is 4; score 0 of 1

error patterns: IFE 4, IAC 1
  IAC not made: read_notes()

conversation
  [ 1] user -> agent         What does the note say?
  [ 2] agent -> environment  Water the ferns.  (4 times, to [9])
       ^ IFE no call: expected a function call  (4 times)
  [ 3] environment -> agent  ERROR | Invalid format: no function call could be read, \
expected Action: NAME with Action Input: {JSON}
"""


@pytest.fixture
def notes(suite: Suite) -> Suite:
    suite.write("notes.scenario.yaml", LAMP)
    suite.write("mine.py", AGENTS)
    return suite


def lines(result: pytest.RunResult) -> list[str]:
    """Return what stands below the title of the summary and the line that says who played."""
    start = next(i for i, line in enumerate(result.outlines) if "= toolsandbox =" in line)
    rest = result.outlines[start + 2 :]
    return rest[: next(i for i, line in enumerate(rest) if line.startswith("==="))]


@pytest.mark.parametrize("more", [(), ("--sandbox-call-format=text",), ("--sandbox-augment=all",)])
def test_the_oracle_passes(notes: Suite, more: tuple[str, ...]) -> None:
    result = notes.run("--agent=oracle", *more)
    count = 16 if "augment" in str(more) else 2
    result.assert_outcomes(passed=count)
    assert f"error patterns: none in the calls of {count} items" in lines(result)
    assert PATTERN_HEAD not in lines(result)
    if not more:
        assert PATTERN_HEAD in lines(notes.run("--agent=oracle", "-v"))
    assert not any(line.startswith("most frequent") for line in lines(result))


def test_a_wrong_answer(notes: Suite) -> None:
    assert section(notes.run("--agent=counterexample"), "note") == PAGE


def test_no_conclusion(notes: Suite) -> None:
    page = section(notes.run("--agent=mine:reads"), "note")
    assert page.startswith(NOT_ANSWERED)
    assert page.endswith("\n  cut off: max_calls is 4")
    notes.write("notes.scenario.yaml", f"max_messages: 2\n{LAMP}")
    page = section(notes.run("--agent=mine:reads"), "note")
    assert page.startswith("not answered: max_messages is 2; score 0 of 1\n")


def test_a_forbidden_pattern(notes: Suite) -> None:
    result = notes.run("--agent=mine:makes_tea", "--junitxml=junit.xml")
    result.assert_outcomes(passed=1, failed=1)
    assert "all scenarios          1         1.00      0.75" in lines(result)
    properties, cases = notes.junit()
    assert properties["toolsandbox.error_patterns.irrelevance.IFN"] == "0.75"
    assert (cases["note"]["IFN"], cases["note_and_tea"]["IFN"]) == ("1.0", "0.75")
    assert cases["note_and_tea"]["findings"] == "1\N{MULTIPLICATION SIGN} IFN make_tea"
    assert (cases["note"]["score"], cases["note_and_tea"]["score"]) == ("1.0", "0.0")


def test_the_same_from_several_processes(notes: Suite) -> None:
    alone = lines(notes.run("--agent=mine:makes_tea", "--sandbox-feedback=on,off"))
    several = notes.run_apart("--agent=mine:makes_tea", "--sandbox-feedback=on,off", "-n2")
    assert lines(several) == alone


def test_both_arms_of_feedback(notes: Suite) -> None:
    options = ("--sandbox-feedback=on,off", "--junitxml=junit.xml", "--sandbox-results=r.jsonl")
    result = notes.run("--agent=mine:obeys", *options, "-k", "note and not tea")
    result.assert_outcomes(passed=1, failed=1)
    assert lines(result)[:5] == [
        PATTERN_HEAD,
        pattern_row("feedback on", 1, 1, IFN=0.75),
        pattern_row("feedback off", 1, 0, IFN=0.75),
        "",
        pattern_row("all scenarios", 2, 0.5, IFN=0.75),
    ]
    result.stdout.fnmatch_lines(
        ["feedback on * 1 * 1 * 0 * 0 * 1.000 *", "feedback off * 1 * 0 * 1 * 0 * 0.000 *"]
    )
    properties, cases = notes.junit()
    for name in ("feedback_{}.score", "error_patterns.feedback_{}.success"):
        figures = [properties[f"toolsandbox.{name.format(arm)}"] for arm in ("on", "off")]
        assert figures == ["1.0", "0.0"]
    assert list(cases) == ["note[feedback_on]", "note[feedback_off]"]
    assert [(r["id"].partition("::")[2], r["feedback"]) for r in notes.records("r.jsonl")] == [
        ("note[feedback_off]", False),
        ("note[feedback_on]", True),
    ]


def test_the_arms_of_each_augmentation_and_what_fixtures_know(notes: Suite) -> None:
    notes.conftest(
        "@pytest.fixture\n"
        "def agent(agent, sandbox_feedback):\n"
        "    return agent if sandbox_feedback else lambda messages, tools: 'Never.'\n"
    )
    names = "--sandbox-augment=tool_name_scrambled"
    result = notes.run("--agent=oracle", "--sandbox-feedback=on,off", names, "-k", "not tea", "-v")
    result.stdout.fnmatch_lines(
        [
            "*::note[[]tool_name_scrambled-feedback_on[]] PASSED*",
            "*::note[[]tool_name_scrambled-feedback_off[]] FAILED*",
        ]
    )


def test_findings_have_the_names_of_the_world_in_every_augmentation(notes: Suite) -> None:
    names = "--sandbox-augment=no_distraction_tools,tool_name_scrambled,argument_name_scrambled"
    notes.write("notes.scenario.yaml", WRITTEN)
    result = notes.run("--agent=mine:writes_nonsense", names)
    result.assert_outcomes(failed=3)
    times = "\N{MULTIPLICATION SIGN}"
    assert f"  3{times} IAT text for write_note" in lines(result)
    line = "       ^ IAT text for write_note: expected string, found 5"
    assert result.outlines.count(line) == 3


def test_feedback_of_other_protocols_and_of_a_scenario_that_says_so_itself(suite: Suite) -> None:
    suite.write("mine.py", AGENTS)
    milestones = "milestones: {told: {says: {mentions: [ferns]}}}"
    suite.write(
        "told.scenario.yaml",
        f"world: desk\nuser: {{opening: What does the note say?}}\n{milestones}\n",
    )
    suite.run("--agent=mine:obeys").assert_outcomes(failed=1)
    suite.run("--agent=mine:obeys", "--sandbox-feedback=on").assert_outcomes(passed=1)
    suite.write("told.scenario.yaml", f"feedback: off\n{LAMP}")
    suite.run("--agent=mine:obeys", "-k", "not tea").assert_outcomes(failed=1)


def test_calls_in_text(notes: Suite) -> None:
    options = ("--sandbox-call-format=text", "--sandbox-results=r.jsonl")
    notes.run("--agent=mine:writes", *options).assert_outcomes(passed=2)
    record = notes.records("r.jsonl")[0]
    assert record["call_format"] == "text"
    assert [message["content"] for message in record["messages"][2:]] == [
        "",
        '["Water the ferns."]',
        "There it is.",
        "null",
    ]
    assert record["query"] == {
        "manner": None,
        "base": None,
        "answer": 'Observation: ["Water the ferns."]',
        "concluded_by": "finish",
        "answered": True,
        "differences": [],
        "forbidden": [],
    }


def test_who_writes_no_call_makes_a_format_error(notes: Suite) -> None:
    result = notes.run("--agent=mine:says")  # a text concludes, but is a guess
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["*no call found ferns*"])
    result = notes.run("--agent=mine:says", "--sandbox-call-format=text")
    result.assert_outcomes(failed=2)
    assert section(result, "note").startswith(NO_CALL)
    times = "\N{MULTIPLICATION SIGN}"
    shown = lines(result)
    start = shown.index("most frequent mistakes") + 1
    assert shown[start : start + 2] == [f"  8{times} IFE no call", f"  2{times} IAC read_notes"]
    assert pattern_row("all scenarios", 2, 0, IAC=0.75, IFE=0) in shown


@pytest.mark.parametrize(
    ("agent", "options"),
    [
        ("oracle", ()),
        ("mine:makes_tea", ("--sandbox-feedback=off",)),
        ("mine:says", ("--sandbox-call-format=text",)),
    ],
)
def test_records_are_judged_again(notes: Suite, agent: str, options: tuple[str, ...]) -> None:
    first = notes.run(f"--agent={agent}", "--sandbox-results=first.jsonl", *options)
    again = notes.run("--sandbox-rejudge=first.jsonl", "--sandbox-results=again.jsonl")
    assert first.parseoutcomes() == again.parseoutcomes()
    assert notes.records("first.jsonl") == notes.records("again.jsonl")


def test_records_are_judged_by_the_answer_of_today(notes: Suite) -> None:
    notes.run("--agent=oracle", "--sandbox-results=first.jsonl").assert_outcomes(passed=2)
    notes.write("notes.scenario.yaml", LAMP.replace("[ferns]", "[cat]"))
    result = notes.run("--sandbox-rejudge=first.jsonl")
    result.assert_outcomes(failed=2)
    assert "expected mentions cat" in section(result, "note")
    notes.write("notes.scenario.yaml", LAMP.replace("What does", "What did"))
    result = notes.run("--sandbox-rejudge=first.jsonl")
    result.assert_outcomes(errors=2)
    assert "opens it with other words; play it again" in result.stdout.str()


def test_an_answer_of_the_same_meaning(notes: Suite) -> None:
    answer = "{semantic: Give the plants some water.}"
    notes.write("notes.scenario.yaml", LAMP.replace("{mentions: [ferns]}", answer))
    notes.write("meaning.py", "def embed(texts): return [[1.0, 0.0] for _ in texts]")
    notes.ini("sandbox_embedder = meaning:embed", "pythonpath = .")
    notes.run("--agent=oracle").assert_outcomes(passed=2)

"""A world of a class that changes itself, with everything that a run does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from desk import Suite
from terminals import Person

from pytest_toolsandbox.__main__ import main

CLASS = '''
import threading
from pytest_toolsandbox import World, register_world


class Stock:
    def __init__(self, kettles=3):
        self.items = {"kettle": {"count": kettles}, "pan": {"count": 1}}
        self.shelf = None

    def go_to(self, shelf: str) -> None:
        """Go to a shelf.

        Args:
            shelf: Its name.
        """
        self.shelf = shelf

    def look(self) -> int:
        """Say how many there are on the shelf."""
        return self.items[self.shelf]["count"]

    def take(self, number: int) -> int:
        """Take something off the shelf; return how many are left.

        Args:
            number: How many.

        Raises:
            ValueError: If there are not so many. They are gone then, too.
        """
        self.items[self.shelf]["count"] -= number
        if self.items[self.shelf]["count"] < 0:
            raise ValueError("there are not so many")
        return self.items[self.shelf]["count"]

    def hang(self, seconds: int) -> None:
        """Hang."""
        threading.Event().wait(seconds)

    def crash(self) -> None:
        """Crash."""
        raise RuntimeError("crashed")


register_world(World.of(Stock, state=["items"], reads=["look"], OPTIONS))
'''

TAKE = """
world: stock
user: {opening: Please take two kettles.}
milestones:
  taken: {state: {items: {updated: [{id: kettle, count: 1}]}}}
  told: {says: {mentions: [one]}}
solutions:
  directly: [{go_to: {shelf: kettle}}, {take: {number: 2}}, {say: One is left.}]
  looks: [{go_to: {shelf: kettle}}, {look: }, {take: {number: 2}}, {say: One is left.}]
counterexamples:
  wrong_shelf: [{go_to: {shelf: pan}}, {take: {number: 2}}, {say: One is left.}]
  says_so: One is left.
"""
RESULTS = "--sandbox-results=results.jsonl"


@pytest.fixture
def stock(suite: Suite) -> Suite:
    return with_options(suite)


def with_options(suite: Suite, options: str = "", scenario: str = TAKE) -> Suite:
    suite.write("conftest.py", CLASS.replace("OPTIONS", options))
    suite.write("take.scenario.yaml", scenario)
    return suite


def test_the_oracle_passes_and_counterexamples_fail(stock: Suite) -> None:
    stock.run("--agent=oracle").assert_outcomes(passed=1)
    stock.run("--agent=oracle:looks").assert_outcomes(passed=1)
    result = stock.run("--agent=counterexample:wrong_shelf", RESULTS)
    result.assert_outcomes(failed=1)
    (record,) = stock.records()
    failed = next(m for m in record["messages"] if m["error"])
    assert failed["error"] == "ValueError: there are not so many"
    changes = [snapshot["changes"]["items"]["added"] for snapshot in record["snapshots"]]
    assert changes == [[{"id": "pan", "count": -1}]], "a failing call keeps its changes"
    assert len(record["logged"]) == 2


@pytest.mark.parametrize("copied", [True, False])
def test_check_proves_it(suite: Suite, capsys: pytest.CaptureFixture[str], copied: bool) -> None:
    with_options(suite, "" if copied else "fork=None")
    if not copied:
        text = (suite.path / "conftest.py").read_text()
        locked = "self.shelf = None\n        self.lock = threading.Lock()"
        suite.write("conftest.py", text.replace("self.shelf = None", locked))
    assert main(["check", "--mutation-score=1", str(suite.path)]) == 0
    printed = capsys.readouterr().out
    assert "1 scenario, 2 solutions, 2 counterexamples: 0 findings" in printed
    assert "argument changed" in printed


def test_show_and_the_html_report_have_it(stock: Suite, capsys: pytest.CaptureFixture[str]) -> None:
    stock.run("--agent=counterexample:wrong_shelf", RESULTS, "--sandbox-html=report.html")
    assert main(["show", str(stock.path / "results.jsonl")]) == 0
    assert "ValueError: there are not so many" in capsys.readouterr().out
    assert "there are not so many" in (stock.path / "report.html").read_text()


@pytest.mark.parametrize("options", [(), ("--sandbox-concurrency=4",)])
def test_trials_are_independent_however_they_are_played(
    stock: Suite, options: tuple[str, ...]
) -> None:
    stock.run("--agent=oracle", "--sandbox-trials=6", RESULTS, *options).assert_outcomes(passed=1)
    records = stock.records()
    assert len(records) == 6
    assert len({json.dumps(record["messages"]) for record in records}) == 1
    assert {record["outcome"] for record in records} == {"passed"}


def test_a_stored_conversation_is_judged_again_and_resumed(stock: Suite) -> None:
    stock.run("--agent=counterexample:wrong_shelf", "--sandbox-results=old.jsonl")
    result = stock.run("--sandbox-rejudge=old.jsonl", RESULTS)
    result.assert_outcomes(failed=1)
    assert stock.records() == stock.records("old.jsonl")
    resumed = stock.run("--agent=counterexample:wrong_shelf", "--sandbox-resume=old.jsonl")
    resumed.assert_outcomes(failed=1)


PARALLEL = """
world: stock
user: {opening: Please take two kettles.}
milestones:
  taken: {state: {items: {updated: [{id: kettle, count: 1}]}}}
solutions:
  at_once:
    - go_to: {shelf: kettle}
    - parallel: [{take: {number: 1}}, {take: {number: 1}}, {look: }]
    - say: Done.
counterexamples: {says_so: Done.}
"""


def test_the_page_says_which_parallel_calls_were_not_tried(suite: Suite) -> None:
    many = ", ".join(["{take: {number: 0}}"] * 7)
    scenario = PARALLEL.replace("{look: }", many).replace("count: 1", "count: 1.0")
    with_options(suite, scenario=scenario)
    suite.run("--agent=oracle", RESULTS).assert_outcomes(passed=1)
    (record,) = suite.records()
    assert len(record["untried_orders"]) == 1
    assert record["ran_out"] == ["parallel_executions"]
    with_options(suite, scenario=PARALLEL)
    suite.run("--agent=oracle", RESULTS, "--sandbox-overwrite").assert_outcomes(passed=1)
    assert suite.records()[0]["untried_orders"] == []


@pytest.mark.parametrize(
    ("call", "options", "line"),
    [
        (
            "hang: {seconds: 30}",
            "timeout=0.1",
            "the tool 'hang' took longer than its timeout of 0.1",
        ),
        ("crash: ", "", "the tool 'crash' raised RuntimeError: crashed"),
    ],
)
@pytest.mark.parametrize("further", [(), ("--sandbox-concurrency=2",)])
def test_what_the_world_does_wrong_is_an_error_of_the_item(
    suite: Suite, call: str, options: str, line: str, further: tuple[str, ...]
) -> None:
    scenario = TAKE.replace("{take: {number: 2}}", f"{{{call}}}")
    with_options(suite, options, scenario)
    result = suite.run("--agent=oracle", *further)
    result.assert_outcomes(errors=1)
    assert line in result.stdout.str()


STATE = TAKE.replace("world: stock", "world: stock\nstate: {items: {removed: [{id: pan}]}}")
LOAD = """load=lambda stock, tables: setattr(
    stock, "items", {row.pop("id"): row for row in tables["items"]})"""


def test_rows_of_a_scenario_need_a_world_that_loads_them(suite: Suite) -> None:
    with_options(suite, scenario=STATE)
    result = suite.run("--agent=oracle")
    result.assert_outcomes(errors=1)
    assert (
        "the world 'stock' is live, and no rows can be put into it; write setup: with calls, or"
        in " ".join(result.stdout.str().split())
    )
    with_options(suite, LOAD, STATE)
    suite.run("--agent=oracle", RESULTS).assert_outcomes(passed=1)
    suite.run("--agent=counterexample:wrong_shelf").assert_outcomes(errors=1)


def test_rows_that_are_loaded_must_be_there(suite: Suite, capsys: Any) -> None:
    with_options(suite, "load=lambda stock, tables: None", STATE)
    assert main(["check", str(suite.path)]) == 1
    text = "the world 'stock' was given rows to load, and shows others in items"
    assert text in "".join(capsys.readouterr())


def test_a_mistake_in_the_class_is_one_line(suite: Suite) -> None:
    text = CLASS.replace("OPTIONS", "").replace('"""Hang."""', "")
    suite.write("conftest.py", text)
    result = suite.run("--agent=oracle")
    text = result.stdout.str() + result.stderr.str()
    assert "conftest.py:37: the tool 'hang': it has no docstring, from which agents" in text
    assert "Traceback" not in text


def test_a_repeated_call_of_a_live_world_is_no_error_pattern(suite: Suite) -> None:
    """What looks like a repetition may have changed what no table shows."""
    there_and_back = "{look: }, {go_to: {shelf: pan}}, {go_to: {shelf: kettle}}, {look: }, "
    with_options(suite, scenario=TAKE.replace("{look: }, ", there_and_back))
    suite.run("--agent=oracle:looks", RESULTS).assert_outcomes(passed=1)
    (record,) = suite.records()
    assert record["findings"] == []


@pytest.mark.skipif(not Path("/dev/tty").exists(), reason="needs terminals")
def test_a_person_plays_the_agent(stock: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTEST_PLUGINS", "pytest_toolsandbox.plugin,xdist.plugin")
    person = Person(
        (
            ("Agent: ", "/go_to shelf=kettle\n"),
            ("Result: ", "/take number=2\n"),
            ("Result: 1", "One is left.\n"),
        )
    )
    run = ("-m", "pytest", "-p", "no:cacheprovider", "--agent=human", RESULTS)
    assert person.run(stock.path, *run) == 0, person.output
    file = stock.path / "proposed.scenario.yaml"
    assert main(["propose", "results.jsonl", "-o", str(file)]) == 0
    keys = yaml.safe_load(file.read_text(encoding="utf-8"))
    assert keys["milestones"]["done"]["state"] == {
        "items": {"updated": [{"id": "kettle", "count": 1}]}
    }
    assert [*keys["solutions"]["conversation_1"][:2]] == [
        {"go_to": {"shelf": "kettle"}},
        {"take": {"number": 2}},
    ]


RANDOM = """
import uuid
from pytest_toolsandbox import World, register_world


class Tickets:
    def __init__(self):
        self.tickets = {}

    def book(self) -> str:
        \"\"\"Book a ticket; return its number.\"\"\"
        number = uuid.uuid4().hex
        self.tickets[number] = {"is_paid": False}
        return number

    def pay(self, number: str) -> None:
        \"\"\"Pay for a ticket.

        Args:
            number: Which.
        \"\"\"
        self.tickets[number]["is_paid"] = True


register_world(World.of(Tickets, state=["tickets"]))
"""
BOOK = """
world: tickets
user: {opening: I want a ticket.}
milestones:
  paid: {state: {tickets: {includes: [{is_paid: true}]}}}
  told: {says: {mentions: [paid]}}
solutions: {s: [{book: }, {pay: {number: $book}}, {say: It is paid.}]}
counterexamples: {c: It is paid.}
"""


def test_check_finds_what_is_not_deterministic(
    suite: Suite, capsys: pytest.CaptureFixture[str]
) -> None:
    suite.write("conftest.py", RANDOM)
    suite.write("book.scenario.yaml", BOOK)
    suite.run("--agent=oracle").assert_outcomes(passed=1)
    assert main(["check", str(suite.path)]) == 1
    printed = capsys.readouterr().out
    assert "when it is called twice in the same world: it is not deterministic" in printed
    assert "pay cannot be called again in the same world: the world 'tickets' did" in printed


NOTES = """
from pytest_toolsandbox import World, register_world


class Notes:
    def __init__(self):
        self.notes = []
        self.settings = {"pin": None}

    def write(self, text: str, tag: str = None) -> int:
        \"\"\"Write a note.

        Args:
            text: What.
            tag: Of what it is.
        \"\"\"
        self.notes.append({"text": text, **({"tag": tag} if tag else {})})
        return len(self.notes)


register_world(World.of(Notes, state=["notes", "settings"]))
"""
WRITE = """
world: notes
user: {opening: Note milk as shopping and rest.}
milestones:
  milk: {state: {notes: {added: [{text: milk, tag: shopping}, {text: rest}]}}}
  told: {says: {mentions: [done]}}
solutions: {s: [{write: {text: milk, tag: shopping}}, {write: {text: rest}}, {say: Done.}]}
counterexamples: {c: [{write: {text: milk}}, {write: {text: rest}}, {say: Done.}]}
"""


def test_a_table_may_be_empty_at_the_start_and_have_rows_of_several_shapes(
    suite: Suite, capsys: pytest.CaptureFixture[str]
) -> None:
    suite.write("conftest.py", NOTES)
    suite.write("write.scenario.yaml", WRITE)
    assert main(["check", "--mutation-score=1", str(suite.path)]) == 0
    assert "0 findings" in capsys.readouterr().out
    suite.run("--agent=counterexample", "--sandbox-results=old.jsonl").assert_outcomes(failed=1)
    suite.run("--sandbox-rejudge=old.jsonl", RESULTS).assert_outcomes(failed=1)
    assert suite.records() == suite.records("old.jsonl")

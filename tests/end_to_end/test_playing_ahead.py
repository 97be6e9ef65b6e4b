"""Conversations are held at the same time, and pytest runs one item after the other as ever."""

from __future__ import annotations

import gc
import json
import re

import pytest
from desk import LIGHT, SWITCHING, Suite

AGENTS = (
    SWITCHING
    + """
import gc, logging, pathlib, threading, warnings

meeting = threading.Barrier(4)
made = []


def together(messages, tools):
    if messages[-1]["role"] != "tool":
        meeting.wait(300)
    return switching(messages, tools)


def talking(messages, tools):
    last = messages[-1]
    print("heard from", last["role"])
    logging.getLogger("talk").warning("heard %s", last["role"])
    warnings.warn(f"heard {last['role']}", UserWarning)
    return "No." if last["content"] == "Turn on the light." else switching(messages, tools)


class Remembering:
    def __init__(self):
        made.append(self)
        self.asked = 0

    def __call__(self, messages, tools):
        self.asked += 1
        assert self.asked == sum(one["role"] == "assistant" for one in messages) + 1
        return together(messages, tools)


def build():
    return Remembering()


began, all_began = [], threading.Event()


def in_order(messages, tools):
    last = messages[-1]
    if last["role"] == "user":
        name = last["content"].split()[-1]
        if name == "first":
            all_began.wait(300)
        else:
            began.append(name)
        if len(began) == 3:
            pathlib.Path("began").write_text(" ".join(began))
            all_began.set()
    return switching(messages, tools)


def seldom(messages, tools):
    assert gc.get_threshold()[0] == 20_000
    return switching(messages, tools)
"""
)
NAMES = ("first", "second", "third", "fourth")
FOUR = "--sandbox-concurrency=4"
RESULTS = "--sandbox-results=results.jsonl"
PROGRESS = "from pytest_toolsandbox.plugin.output import progress\nprogress.SELDOM = 0\n"


@pytest.fixture
def four(suite: Suite) -> Suite:
    """A folder with four scenarios, and agents of which some want to meet three others."""
    suite.write("mine.py", AGENTS)
    for name in NAMES:
        suite.write(f"{name}.scenario.yaml", LIGHT)
    return suite


def fixture(body: str, scope: str = "session", name: str = "agent", more: str = "") -> str:
    return f"import mine\n@pytest.fixture(scope={scope!r}{more})\ndef {name}:\n    {body}\n"


@pytest.mark.parametrize(
    "text",
    [
        fixture("return mine.together", name="agent()"),
        fixture("return lambda messages, tools: agent(messages, tools)", name="agent(agent)"),
        fixture("return mine.Remembering", name="agent()"),
        fixture("return lambda: mine.Remembering()", name="agent()"),
        fixture("yield", name="nothing()", more=", autouse=True"),
    ],
)
def test_conversations_are_held_at_the_same_time(four: Suite, text: str) -> None:
    four.conftest(text.replace("return mine.Remembering\n", "return lambda: mine.build()\n"))
    result = four.run("--agent=mine:build", FOUR)
    result.assert_outcomes(passed=4)
    assert "one at a time" not in result.stdout.str()
    if "(agent)" in text:  # the script of each scenario is wrapped
        four.run("--agent=oracle", FOUR).assert_outcomes(passed=4)
        four.run("--agent=counterexample:does_nothing", FOUR).assert_outcomes(failed=4)


@pytest.mark.parametrize(
    ("durations", "order"),
    [
        ({"first": 1.0, "fourth": 10.0, "third": 90.0}, "third second fourth"),
        ({}, "fourth second third"),
    ],
)
def test_the_longest_begin_first(four: Suite, durations: dict[str, float], order: str) -> None:
    for name in NAMES:
        text = LIGHT.replace("Turn on the light.", f"Turn on the light. My name is {name}")
        four.write(f"{name}.scenario.yaml", text)
    four.run("--agent=oracle", RESULTS)
    records = [
        record | {"duration": durations[record["scenario"]]}
        if record["scenario"] in durations
        else {name: value for name, value in record.items() if name != "duration"}
        for record in four.records()
        if record["scenario"] != "second"
    ]
    four.write("results.jsonl", "".join(f"{json.dumps(record)}\n" for record in records))
    four.ini("sandbox_results = results.jsonl", "sandbox_durations = results.jsonl")
    options = ("--sandbox-concurrency=2", "--sandbox-overwrite")
    four.run("--agent=mine:in_order", *options).assert_outcomes(passed=4)
    assert (four.path / "began").read_text() == order
    assert len(four.records()) == 4


NARROW = "the fixture {!r} is narrower than the session ({})"
AHEAD = "4 items could not be played ahead, but one at a time: {}"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (
            fixture("return mine.switching", scope="function", name="agent()"),
            NARROW.format("agent", 4),
        ),
        (
            fixture("yield", scope="module", name="database()", more=", autouse=True"),
            NARROW.format("database", 4),
        ),
        ("def pytest_runtest_setup(item): pass", "a conftest.py has pytest_runtest_setup (4)"),
    ],
)
def test_the_summary_says_what_is_not_played_ahead(four: Suite, text: str, why: str) -> None:
    four.conftest(text)
    result = four.run("--agent=mine:switching", FOUR)
    result.assert_outcomes(passed=4)
    assert result.outlines.count(AHEAD.format(why)) == 1
    assert "one at a time" not in four.run("--agent=oracle").stdout.str()


def test_the_summary_says_which_marks_keep_items_from_being_played_ahead(four: Suite) -> None:
    skipif = "skipif: {condition: false, reason: no}"
    marks = ("usefixtures: database", skipif, "filterwarnings: error", skipif)
    for name, mark in zip(NAMES, marks, strict=True):
        four.write(f"{name}.scenario.yaml", f"{LIGHT}\nmarks: [{{{mark}}}]")
    four.conftest(fixture("yield", scope="class", name="database()"))
    result = four.run("--agent=mine:switching", FOUR)
    result.assert_outcomes(passed=4)
    why = (
        f"the mark 'skipif' may skip it (2); {NARROW.format('database', 1)}; "
        "the mark 'filterwarnings' holds in its turn (1)"
    )
    assert AHEAD.format(why) in result.outlines


def test_the_summary_says_that_nothing_is_played_ahead_which_others_may_take(four: Suite) -> None:
    result = four.run_apart("--agent=mine:switching", FOUR, "-n1", "--dist=worksteal")
    why = AHEAD.format("--dist=worksteal may give it to another process (4)")
    result.stdout.fnmatch_lines([why])


def test_what_waits_is_played_ahead_unasked(four: Suite) -> None:
    four.conftest(
        fixture(
            "async def waiting(messages, tools): return mine.switching(messages, tools)\n"
            "    return waiting",
            name="agent()",
        )
    )
    for name in ("fifth", "sixth"):
        marks = "marks: [{skipif: {condition: false, reason: no}}]"
        four.write(f"{name}.scenario.yaml", f"{LIGHT}\n{marks}")
    remark = "2 items could not be played ahead"
    assert remark in four.run().stdout.str()
    assert remark not in four.run("--sandbox-concurrency=1").stdout.str()


def shown(result: pytest.RunResult) -> list[str]:
    """Return what a run prints, but for its time."""
    return [re.sub(r" in \d+\.\d+s", "", line) for line in result.outlines]


@pytest.mark.parametrize("option", ["", "-s", "--capture=sys", "--log-level=INFO"])
def test_what_a_conversation_says_belongs_to_its_item(four: Suite, option: str) -> None:
    four.conftest(fixture("return mine.talking", name="agent()"))
    options = [*filter(None, [option]), "-rA", "-v"]
    in_turn = shown(four.run("--sandbox-concurrency=1", *options))
    assert shown(four.run(FOUR, *options)) == in_turn
    assert sum("heard" in line for line in in_turn) >= len(NAMES)


def test_a_filter_of_warnings_holds_for_its_item(four: Suite) -> None:
    four.conftest(fixture("return mine.talking", name="agent()"))
    four.write("first.scenario.yaml", f"{LIGHT}\nmarks: [{{filterwarnings: error}}]")
    four.write("second.scenario.yaml", f"{LIGHT}\nmarks: [{{filterwarnings: ignore}}]")
    result = four.run(FOUR, "second.scenario.yaml", "first.scenario.yaml")
    assert result.parseoutcomes() == {"errors": 1, "failed": 1}


TIMES_UP = """
import itertools, mine, pytest, threading
from pytest_toolsandbox.plugin.output import progress

tries, shown = itertools.count(), itertools.count()
progress.OFTEN = 0.01

def show(*_):
    if not next(shown): pytest.fail("Timeout (>1.0s) from pytest-timeout.")

progress.Progress.show = show

@pytest.fixture(scope="session")
def agent():
    def agent(messages, tools):
        if not next(tries): threading.Event().wait(300)
        return mine.switching(messages, tools)
    return agent
"""


def test_time_that_is_up_is_an_error_of_the_agent_in_one_line_and_can_be_played_again(
    four: Suite,
) -> None:
    four.conftest(TIMES_UP)
    result = four.run_apart(FOUR, "first.scenario.yaml", RESULTS)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*ERROR at setup*", "Timeout (>1.0s) from pytest-timeout.", "*="])
    assert [record["cause"] for record in four.records()] == ["agent"]
    again = ("-p", "pytest_rerunfailures", "--reruns=1")
    result = four.run_apart(FOUR, "first.scenario.yaml", *again)
    assert result.parseoutcomes() == {"passed": 1, "rerun": 1}


def test_trials_that_were_over_when_time_was_up_are_kept(four: Suite) -> None:
    is_over = "next(iter(look.__self__._playing.values())).finished"
    later = TIMES_UP.replace("show(*_)", "show(_, look)")
    four.conftest(later.replace("if not next(shown)", f"if {is_over} and not next(shown)"))
    trials = "--sandbox-trials=2"
    four.run_apart(FOUR, "first.scenario.yaml", trials, RESULTS).assert_outcomes(errors=1)
    kept = sorted((record["trial"], record["outcome"]) for record in four.records())
    assert {number for number, _ in kept} == {1, 2}
    assert sorted(outcome for _, outcome in kept) == ["error", "passed"]


LAST = """
import mine, pytest, threading
from pytest_toolsandbox.runs.playing import Playing

over, others, go_on = [], threading.Event(), Playing._go_on


def note(self, last=None):
    go_on(self, last)
    over.extend([self] if self.over.done() else [])
    if len(over) == 3: others.set()


Playing._go_on = note


@pytest.fixture(scope="session")
def agent():
    def agent(messages, tools):
        if "first" in messages[1]["content"]:
            others.wait(300)
            return "No."
        return mine.switching(messages, tools)
    return agent
"""


@pytest.mark.parametrize("option", ["-x", "--maxfail=1", "--sw"])
def test_what_was_played_ahead_is_kept_if_a_failure_ends_the_run(four: Suite, option: str) -> None:
    """Pytest has run the first alone. A run that goes on plays nothing again."""
    four.conftest(LAST)
    four.write("first.scenario.yaml", LIGHT.replace("the light.", "the first light."))
    four.run_apart(FOUR, option, RESULTS).assert_outcomes(failed=1)
    assert [record["outcome"] for record in four.records()] == ["failed", *3 * ["passed"]]
    result = four.run_apart(FOUR, "--sandbox-resume=results.jsonl")
    result.assert_outcomes(passed=3, failed=1)
    result.stdout.fnmatch_lines("resume: 4 *")


def test_what_is_set_up_later_is_waited_for(four: Suite) -> None:
    """A fixture of the session that only the last items need is set up in their turn."""
    four.conftest(
        "import mine\nup = []\n"
        "@pytest.fixture(scope='session')\ndef service():\n    up.append(1)\n    yield\n"
        "    up.remove(1)\n"
        "@pytest.fixture(scope='session')\ndef agent(): return mine.switching\n"
        "@pytest.fixture(scope='session', params=['one', 'two'])\ndef model(request):\n"
        "    up.append(request.param)\n    yield request.param\n    up.remove(request.param)\n"
    )
    four.write("third.scenario.yaml", f"{LIGHT}\nmarks: [{{usefixtures: service}}]")
    four.write("fourth.scenario.yaml", f"{LIGHT}\nmarks: [{{usefixtures: model}}]")
    four.run(FOUR).assert_outcomes(passed=5)


def test_parameters_of_the_session_are_played_one_after_the_other(four: Suite) -> None:
    four.conftest(
        "import mine\nopen_ = set()\n"
        "@pytest.fixture(scope='session', params=['one', 'two'])\ndef agent(request):\n"
        "    open_.add(request.param)\n"
        "    def agent(messages, tools):\n"
        "        assert open_ == {request.param}\n"
        "        return mine.together(messages, tools)\n"
        "    yield agent\n    open_.clear()\n"
    )
    four.run(FOUR).assert_outcomes(passed=8)
    four.run(FOUR, "-p", "no:randomly").assert_outcomes(passed=8)


def test_trials_are_played_together_whatever_fixtures_there_are(four: Suite) -> None:
    four.conftest(fixture("return mine.together", scope="function", name="agent()"))
    four.write("only.scenario.yaml", f"{LIGHT}\ntrials: 4")
    four.run(FOUR, "only.scenario.yaml").assert_outcomes(passed=1)


def test_an_agent_that_stops_the_run_stops_it_in_its_turn(four: Suite) -> None:
    four.conftest(
        "import mine\n@pytest.fixture(scope='session')\ndef agent():\n"
        "    asked = []\n"
        "    def agent(messages, tools):\n"
        "        asked.append(1)\n"
        "        if len(asked) == 1: raise KeyboardInterrupt\n"
        "        return mine.switching(messages, tools)\n"
        "    return agent\n"
    )
    result = four.run_apart(FOUR)
    assert result.ret == pytest.ExitCode.INTERRUPTED


WAITING = """
import itertools, mine, pathlib, time
from pytest_toolsandbox.plugin.output import progress


@pytest.fixture(scope="session")
def agent(pytestconfig):
    turn, said, line = itertools.count(), [0], progress.Standing.line
    is_told = pytestconfig.get_verbosity() == 0

    def agent(messages, tools):
        if messages[-1]["role"] == "user" and next(turn) == 0:
            end = time.monotonic() + 300
            while is_told and not (lines() == said[-1] == 3) and time.monotonic() < end:
                time.sleep(0.05)
        return mine.switching(messages, tools)

    def lines():
        file = pathlib.Path("results.jsonl")
        return len(file.read_text().splitlines()) if file.exists() else 0

    def noted(standing, seconds):
        said.append(standing.done)
        return line(standing, seconds)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(progress, "OFTEN", 0.05)
        patch.setattr(progress, "SELDOM", 0.1)
        patch.setattr(progress.Standing, "line", noted)
        yield agent
"""


def test_what_has_passed_can_be_read_while_others_go_on(four: Suite) -> None:
    """The agent of one conversation waits until the records of the others are there."""
    four.conftest(WAITING)
    result = four.run("--sandbox-concurrency=2", RESULTS)
    result.assert_outcomes(passed=4)
    ids = [record["id"].partition("::")[2] for record in four.records()]
    assert ids == sorted(NAMES)
    line = "toolsandbox: 3 of 4 items played, 1 running, 0 failed, 0 errors, about *"
    result.stdout.fnmatch_lines([line])
    quiet = four.run("--sandbox-concurrency=2", "-q")
    assert "items played" not in quiet.stdout.str()


def test_how_far_workers_are_is_said_if_they_have_scenarios(four: Suite) -> None:
    four.conftest(PROGRESS)
    result = four.run_apart("--agent=unhelpful", "-n1")
    line = "toolsandbox: 4 of 4 items played, 4 failed, 0 errors, about 0 s left"
    result.stdout.fnmatch_lines([line])
    sent = "json.dumps(request.config.workerinput)"  # nothing of ours is in it
    four.write("test_other.py", f"import json\ndef test_other(request): {sent}\n")
    result = four.run_apart("test_other.py", "-n1")
    result.assert_outcomes(passed=1)
    assert "toolsandbox:" not in result.stdout.str()


ON_TERMINAL = """
import pytest
from pytest_toolsandbox.plugin.output import progress

progress._PAUSE_FACTOR = 0.0  # a slow look at what is done delays no other one


class Yes(int):  # pytest asks some of its releases by a call
    def __call__(self):
        return True


@pytest.hookimpl(trylast=True)
def pytest_configure(config):
    config.pluginmanager.get_plugin("terminalreporter").isatty = Yes(1)
"""


def test_how_far_a_run_is_whose_items_are_played_in_turn(four: Suite) -> None:
    four.conftest(PROGRESS)
    result = four.run_apart("--agent=mine:switching")
    lines = [f"toolsandbox: {done} of 4 items played, 0 failed, 0 errors*" for done in range(4)]
    result.stdout.fnmatch_lines(lines)
    for options in (["--agent=mine:switching", "-q"], ["--agent=oracle"]):  # which takes no time
        assert "items played" not in four.run_apart(*options).stdout.str()


@pytest.mark.parametrize(
    ("options", "is_drawn"), [([], True), (["-s"], False), (["--log-cli-level=INFO"], False)]
)
def test_it_is_drawn_and_erased_where_an_agent_does_not_write_to_the_terminal(
    four: Suite, options: list[str], *, is_drawn: bool
) -> None:
    four.conftest(ON_TERMINAL)
    output = four.run_apart("--agent=mine:switching", *options).stdout.str()
    assert [f"\n\x1b[2K{done} of 4 items played" in output for done in range(4)] == [is_drawn] * 4
    assert output.count("\n\x1b[2K\n") == output.count("items played")


FIRST_IS_OVER = """
import asyncio, pathlib, pytest
from pytest_toolsandbox.plugin.output import progress
progress.SELDOM = 0
begun = []
TOLD = pathlib.Path(__file__).with_name("told")

@pytest.fixture(scope="session")
def agent():
    async def waiting(messages, tools):
        begun.append(asyncio.current_task())
        is_first = "first" in messages[-1]["content"]
        while (len(begun) < 4) if is_first else not TOLD.exists():
            await asyncio.sleep(0.01)
        return "Not today."
    return waiting

def pytest_runtest_logfinish(nodeid):
    TOLD.touch()
"""


def test_how_many_conversations_workers_hold(four: Suite) -> None:
    four.conftest(FIRST_IS_OVER)
    four.write("first.scenario.yaml", LIGHT.replace("the light.", "the first light."))
    result = four.run_apart("--sandbox-concurrency=4", "-n1")
    result.stdout.fnmatch_lines(
        ["toolsandbox: 1 of 4 items played, 3 running, 1 failed, 0 errors, about *"]
    )


@pytest.fixture
def eight(four: Suite) -> Suite:
    """A folder with eight scenarios, and an agent that meets three others."""
    for name in NAMES:
        four.write(f"{name}_again.scenario.yaml", LIGHT)
    four.conftest(fixture("return mine.together", name="agent()"))
    return four


ALL_BEGUN = """
def together(messages, tools):
    if messages[-1]["role"] != "tool":
        meeting.wait(300)
        pathlib.Path("begun", str(threading.get_native_id())).touch()
        end = time.monotonic() + 300
        while len(list(pathlib.Path("begun").iterdir())) < 8:
            assert time.monotonic() < end
            time.sleep(0.02)
    return switching(messages, tools)
"""


def test_each_of_two_workers_is_given_half_of_what_may_be_held_at_once(eight: Suite) -> None:
    """None of them ends before all have begun: a worker that is free would be given more."""
    eight.write("mine.py", f"import time\n{AGENTS}{ALL_BEGUN}")
    eight.path.joinpath("begun").mkdir()
    eight.run_apart("--sandbox-concurrency=16", "-n2").assert_outcomes(passed=8)


def test_a_worker_is_given_as_many_as_the_user_says(eight: Suite) -> None:
    eight.write("mine.py", AGENTS.replace("meeting.wait(300)", "meeting.wait(1)"))
    result = eight.run_apart("--sandbox-concurrency=16", "-n2", "--maxschedchunk=2")
    result.assert_outcomes(errors=8)


def test_workers_are_given_the_longest_first_of_each_parameter(four: Suite) -> None:
    agents = fixture("return mine.switching", name="agent(request)", more=", params=['a', 'b']")
    four.conftest(agents)
    four.run(RESULTS).assert_outcomes(passed=8)
    records = [
        record | {"duration": 1.0 + (record["scenario"] == "third")} for record in four.records()
    ]
    four.write("past.jsonl", "".join(f"{json.dumps(record)}\n" for record in records))
    result = four.run_apart("--sandbox-durations=past.jsonl", FOUR, "-n1", "-v")
    order = ("third[[]a]", "second[[]a]", "third[[]b]", "second[[]b]")
    result.stdout.fnmatch_lines([f"*PASSED *::{name} " for name in order])


ENDING = """
import mine, os, pytest

@pytest.fixture(scope="session")
def agent():
    def ending(messages, tools):
        if "third" in messages[-1]["content"]:
            os._exit(9)
        return mine.switching(messages, tools)
    return ending
"""


def test_an_error_says_that_another_conversation_may_have_ended_the_process(eight: Suite) -> None:
    eight.conftest(ENDING)
    eight.write("third.scenario.yaml", LIGHT.replace("the light.", "the third light."))
    result = eight.run_apart("--sandbox-concurrency=16", "-n2", RESULTS)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    reasons = [record["reason"] for record in eight.records() if record["outcome"] == "error"]
    assert reasons
    for reason in reasons:
        assert reason.endswith(
            "', or another one of the 8 that it may have held: --sandbox-concurrency=1 tells which"
        )
    one_at_a_time = ("--sandbox-concurrency=1", "-n2", "--sandbox-overwrite")
    result = eight.run_apart(*one_at_a_time, RESULTS)
    result.assert_outcomes(passed=7, failed=1)
    (reason,) = [record["reason"] for record in eight.records() if record["outcome"] == "error"]
    assert reason.endswith("crashed while running 'third.scenario.yaml::third'")


def test_python_looks_for_garbage_less_often(four: Suite) -> None:
    before = gc.get_threshold()
    four.pytester.runpytest_inprocess("--agent=mine:seldom", FOUR).assert_outcomes(passed=4)
    assert gc.get_threshold() == before

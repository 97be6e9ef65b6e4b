"""Other users than the scripted one: who plays them, and what is told of them."""

from __future__ import annotations

from importlib.util import find_spec

import pytest
from desk import Suite
from model_server import ModelServer, Request, calls, fault

SCENARIO = """
world: desk
user:
  opening: Turn on the light.
  goals: {light: Have the light on., note: Have the ferns watered.}
  replies: [{say: And write that the ferns want water.}]
milestones:
  light_on: {state: {lamp: {on: true}}}
  user_told: {says: {mentions: [ferns]}}
solutions:
  directly: [{switch_lamp: {on: true}}, {say: Anything else?}, {say: The ferns want water.}]
"""
RESULTS = "--sandbox-results=results.jsonl"
QUERY = """
world: desk
query: What do the notes say?
answer: {mentions: ferns}
solutions: {reads: [{read_notes: }, {finish: {answer: Water the ferns.}}]}
"""
OWN = """
def brief(messages):
    return None if len(messages) > 2 else "And the ferns, please."


def wrong(messages, more):
    return None
"""


@pytest.fixture
def suite(pytester: pytest.Pytester) -> Suite:
    suite = Suite(pytester)
    suite.conftest("")
    suite.write("light.scenario.yaml", SCENARIO)
    suite.write("people.py", OWN)
    return suite


def user_says(suite: Suite) -> list[str]:
    (record,) = suite.records()
    return [m["content"] for m in record["messages"] if m["sender"] == "user"]


def test_a_custom_user(suite: Suite) -> None:
    suite.ini("sandbox_user = people:brief")
    suite.run("--agent=oracle", RESULTS).assert_outcomes(passed=1)
    assert user_says(suite) == ["Turn on the light.", "And the ferns, please.", ""]
    (record,) = suite.records()
    assert record["user"] == "people:brief"
    assert record["user_settings"] == {"name": "people:brief", "type": "people:brief"}
    assert "user_notes" not in record


def test_a_custom_fixture(suite: Suite) -> None:
    suite.conftest("import people\n@pytest.fixture\ndef user(): return people.brief\n")
    suite.run("--agent=oracle", RESULTS).assert_outcomes(passed=1)
    assert user_says(suite)[1] == "And the ferns, please."
    assert suite.records()[0]["user"] == "fixture"


def test_the_script_plays_unless_something_else_is_said(suite: Suite) -> None:
    suite.run("--agent=oracle", RESULTS).assert_outcomes(passed=1)
    (record,) = suite.records()
    assert record["user"] == "scripted"
    assert "user_settings" not in record
    assert user_says(suite)[1] == "And write that the ferns want water."


def test_a_query_has_no_user(suite: Suite) -> None:
    suite.write("light.scenario.yaml", QUERY)
    suite.run("--agent=oracle", "--sandbox-user=people:nobody").assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (
            ["--sandbox-user=scriptd"],
            (
                "--sandbox-user=scriptd: there is no such user; did you mean 'scripted'? "
                "(allowed: scripted, human, claude, gemini, gpt, provider/model, module:attribute)"
            ),
        ),
        (
            ["--sandbox-user=people:wrong"],
            (
                "--sandbox-user=people:wrong takes (messages, more); a user takes (messages), and "
                "a factory, which makes one, nothing"
            ),
        ),
        (
            ["--sandbox-user=people:brief", "--sandbox-user-review=gptt"],
            (
                "--sandbox-user-review: gptt is not a model; did you mean 'gpt'? "
                "(allowed: claude, gemini, gpt, provider/model)"
            ),
        ),
    ],
)
def test_a_user_that_there_is_not(suite: Suite, options: list[str], line: str) -> None:
    result = suite.run("--agent=oracle", *options)
    result.assert_outcomes(errors=1)
    assert line in result.outlines


MAKER = """class Closed(Exception):
    def __getattr__(self, name): raise ZeroDivisionError(name)

class Maker:
    retries = 1
    def begin(self, scenario, attempt): raise Closed("no entry")
    def __call__(self, messages): return None
"""


@pytest.mark.parametrize(
    ("user", "line"),
    [
        (
            "{'name': 'Ada'}",
            (
                "the fixture 'user' gave dict, which cannot be called; it is who talks to the "
                "agent: let a fixture 'user' in a conftest.py beside the scenarios return None, "
                "for their own scripts"
            ),
        ),
        ("Maker()", "the user raised RuntimeError: Closed, which raises when it is inspected*"),
    ],
)
def test_a_fixture_that_makes_no_user_is_a_user_error(suite: Suite, user: str, line: str) -> None:
    suite.conftest(f"{MAKER}\n@pytest.fixture\ndef user(): return {user}\n")
    suite.write("b.scenario.yaml", SCENARIO)
    result = suite.run("--agent=oracle", RESULTS)
    result.assert_outcomes(errors=2)
    assert [record["cause"] for record in suite.records()] == ["user", "user"]
    result.stdout.fnmatch_lines([line])


def answered(request: Request) -> object:
    """Invent something at once, and end when the agent has spoken twice."""
    asked = request.body["messages"][1]["content"]
    if asked.count("Assistant:") > 1:
        return calls(("end_conversation", {"reason": "done"}))
    text = "Tell Boston about it." if "Text Boston" not in asked else "Never mind."
    return calls(("reply", {"text": text, "goal": "note", "uses": []}))


@pytest.fixture
def model_server(monkeypatch: pytest.MonkeyPatch) -> ModelServer:
    server = ModelServer(answered)  # type: ignore[arg-type]  # it gives responses
    server.replace_openai(monkeypatch)
    return server


@pytest.mark.skipif(find_spec("httpx") is None, reason="needs httpx")
def test_a_user_fault_is_an_error_of_its_item(suite: Suite, model_server: ModelServer) -> None:
    suite.write("light.scenario.yaml", SCENARIO.replace("[ferns]", "[never]"))
    model = ("--sandbox-user=openai/gpt-4o", "--sandbox-user-retries=1")
    with model_server:
        result = suite.run_apart("--agent=oracle", *model, "-n1", RESULTS)
    result.assert_outcomes(errors=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    reason = (
        "user fault: it failed after the user had hindered the agent: the user made something "
        "up, in 'Tell Boston about it.'"
    )
    lines = (
        reason,
        "user: 1 of 2 utterances asked again, user fault in 1 of 1 conversation (*)",
        "user: user fault in 1 of 1 conversation, a larger share than 0.05 (max-user-faults)",
    )
    result.stdout.fnmatch_lines(lines)
    (record,) = suite.records()
    assert (record["outcome"], record["cause"], record["scores"]) == ("inconclusive", "user", None)
    assert record["user_notes"]["conversations"] == 2


SAYS_HOW = """
@pytest.fixture
def user(user):
    print("how:", user.model, user.style, user.prompt, user.retries, user.reviewer.model)
"""


@pytest.mark.parametrize(
    ("ini", "options", "how"),
    [
        (("style = paper", "prompt = goal", "retries = 3"), (), "paper goal 3"),
        (("style = paper",), ("--sandbox-user-prompt=boundary",), "paper boundary 2"),
        (("style = paper",), ("--sandbox-user-style=terse",), "terse full 2"),
        ((), ("--sandbox-user-retries=0",), "None full 0"),
    ],
)
def test_how_a_model_plays_is_said_by_options(
    suite: Suite,
    monkeypatch: pytest.MonkeyPatch,
    ini: tuple[str, ...],
    options: tuple[str, ...],
    how: str,
) -> None:
    monkeypatch.setattr("pytest_toolsandbox.users.resolving.load_client", lambda _: None)
    names = ("sandbox_user = gpt", "sandbox_user_review = mini", "sandbox_aliases =")
    suite.ini(*(f"sandbox_user_{option}" for option in ini), *names, "  gpt = a/b", "  mini = c/d")
    suite.conftest(SAYS_HOW)
    result = suite.run("--agent=oracle", "-s", *options)
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines([f"*how: a/b {how} c/d"])


def reviewed(request: Request) -> object:
    """Say what the scenario wants, end, and judge: an outage for the second review."""
    if request.body["model"] == "gpt-4o-mini":
        shown = request.body["messages"][1]["content"]
        if "other" in shown:
            return fault(503, "overloaded")
        verdict = {"verdict": "instruction_following", "why": "An order."}
        return calls(("judge_user", {"utterance": "Water them.", **verdict}))
    if request.body["messages"][1]["content"].count("Assistant:") > 1:
        return calls(("end_conversation", {"reason": "done"}))
    return calls(("reply", {"text": "Water them.", "goal": "note", "uses": []}))


@pytest.mark.skipif(find_spec("httpx") is None, reason="needs httpx")
def test_a_reviewer_reviews_failures(suite: Suite, model_server: ModelServer) -> None:
    never = SCENARIO.replace("[ferns]", "[never]")
    suite.write("light.scenario.yaml", never)
    suite.write("other.scenario.yaml", never.replace("Have the light on.", "Have the other on."))
    suite.write("third.scenario.yaml", SCENARIO)
    model_server.will_say(reviewed)  # type: ignore[arg-type]  # it gives responses
    once = ("--sandbox-user-retries=0", "--sandbox-retries=0")
    review = ("--sandbox-user-review=openai/gpt-4o-mini", *once)
    with model_server:
        result = suite.run_apart("--agent=oracle", "--sandbox-user=openai/gpt-4o", *review, RESULTS)
    result.assert_outcomes(passed=1, failed=1, errors=1)
    lines = (
        "user: 0 of 6 utterances asked again, user fault in 1 of 3 conversations (*its review)",
        "user: 1 of 2 failures due to the user by its review; 1 review not made, *openai/gpt-4o-m*",
    )
    result.stdout.fnmatch_lines(lines)
    assert {record["user_settings"]["reviewer"] for record in suite.records()} == {
        "openai/gpt-4o-mini"
    }


FAULTY = """
from pytest_toolsandbox.users.simulated.checks import UserFault
from pytest_toolsandbox.users.simulated.model_user import UserNotes

class Faulty:
    retries = 0

    def begin(self, scenario, attempt=0):
        self.notes = UserNotes("plain", 1)
        return self

    def __call__(self, messages):
        if len(messages) > 3:
            return None
        self.notes.faults.append(UserFault("invention", "No.", "Boston", left=True))
        return "Tell Boston."

@pytest.fixture
def user():
    return Faulty()
"""


@pytest.mark.parametrize(
    ("share", "outcome"), [("0.5", pytest.ExitCode.OK), ("0.4", pytest.ExitCode.TESTS_FAILED)]
)
def test_the_gate_of_means_leaves_user_faults_out(
    suite: Suite, share: str, outcome: pytest.ExitCode
) -> None:
    suite.conftest(FAULTY)
    suite.write("other.scenario.yaml", SCENARIO.replace("[ferns]", "[never]"))
    gate = ("--sandbox-gate=means", "--sandbox-min-score=0.9", f"--sandbox-max-user-faults={share}")
    result = suite.run("--agent=oracle", *gate)
    result.assert_outcomes(passed=1, errors=1)
    assert result.ret == outcome
    line = "user: 0 of 2 utterances asked again, user fault in 1 of 2 conversations (*)"
    result.stdout.fnmatch_lines([line])

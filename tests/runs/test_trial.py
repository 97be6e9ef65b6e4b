from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pantry import scenario

from pytest_toolsandbox import AgentError, Trial, play_trial
from pytest_toolsandbox.matchers.embedding import EmbedderError
from pytest_toolsandbox.models.errors import ProviderError
from pytest_toolsandbox.scoring import judging
from pytest_toolsandbox.users.user import UserError
from pytest_toolsandbox.worlds.context import WorldError

OPEN = "milestones: {told: {says: {mentions: [open]}}}"


def raising(error: BaseException) -> Callable[..., Any]:
    def function(*_: object) -> Any:
        raise error

    return function


def says(text: str) -> Callable[..., Any]:
    return lambda _messages, _tools: text


@pytest.mark.parametrize(("text", "outcome"), [("It is open.", "passed"), ("No.", "failed")])
def test_a_trial_is_a_conversation_and_what_became_of_it(text: str, outcome: str) -> None:
    trial = play_trial(scenario(OPEN), says(text), number=3)
    assert (trial.outcome, trial.number) == (outcome, 3)
    assert (trial.cause, trial.reason, trial.error, trial.exception) == (None,) * 4
    assert trial.judgement is not None
    assert trial.trajectory.messages[2].content == text
    assert (trial.record["outcome"], trial.record["trial"]) == (outcome, 3)
    assert trial.record["agent_settings"]["type"] == f"{__name__}:says.<locals>.<lambda>"
    assert trial.summary.items() <= trial.record.items()


class Own(BaseException):
    """What a project of one's own may raise."""


def erring(agent: Any = None, user: Any = None) -> Trial:
    trial = play_trial(scenario(OPEN), agent or says("Is it?"), user)
    assert trial.outcome == trial.record["outcome"] == "error"
    assert trial.judgement is None
    assert trial.reason is not None
    assert trial.reason.splitlines() == [trial.reason]
    assert (trial.record["reason"], trial.record["cause"]) == (trial.reason, trial.cause)
    return trial


@pytest.mark.parametrize(
    ("error", "cause", "reason"),
    [
        (ValueError("no good"), "agent", r"the agent raised ValueError: no good \(.*:\d+\)"),
        (SystemExit(3), "agent", r"the agent raised SystemExit: 3 \(.*:\d+\)"),
        (AgentError("closed"), "agent", "closed"),
        (ProviderError("no key"), "provider", "no key"),
        (AgentError(), "agent", r"AgentError \(.*:\d+\) was raised without a text"),
        (Own("stop"), "agent", r"the agent raised Own: stop \(.*:\d+\)"),
        (pytest.skip.Exception("shut"), "agent", r"the agent raised Skipped: shut \(.*:\d+\)"),
        (
            BaseExceptionGroup("all", [Own("stop"), OSError("no")]),
            "agent",
            r"the agent raised BaseExceptionGroup: all \(2 sub-exceptions\) \(.*:\d+\)",
        ),
    ],
)
def test_an_agent_that_raises(error: BaseException, cause: str, reason: str) -> None:
    trial = erring(raising(error))
    assert trial.cause == cause
    assert re.fullmatch(reason, trial.reason or "")
    assert trial.exception is error
    assert len(trial.trajectory.messages) == 2


def refused(_: object) -> None:
    raise OSError


@pytest.mark.parametrize(
    ("base", "name"), [(Exception, "__class__"), (Exception, "__cause__"), (SyntaxError, "msg")]
)
def test_an_exception_that_raises_where_it_is_looked_at(base: type[Exception], name: str) -> None:
    kind = type("Odd", (base,), {name: property(refused)})
    about = f"raised RuntimeError: {kind.__name__}, which raises when it is inspected"
    for trial, whose in (
        (erring(raising(kind("x"))), "agent"),
        (erring(user=raising(kind())), "user"),
    ):
        assert trial.cause == whose
        assert re.fullmatch(rf"the {whose} {about} \(.*test_trial.py:\d+\)", trial.reason or "")


def test_the_name_of_an_exception_is_cut() -> None:
    reason = erring(raising(type("X" * 9000, (Exception,), {})("stop"))).reason or ""
    assert re.fullmatch(r"the agent raised X{99}…: stop \(.*:\d+\)", reason)


@pytest.mark.parametrize("kind", [AgentError, UserError])
def test_causes_in_a_circle_come_to_an_end(kind: type[Exception]) -> None:
    first, second = kind("closed"), kind("shut")
    first.__cause__, second.__cause__ = second, first
    agent, user = (raising(first), None) if kind is AgentError else (None, raising(first))
    assert erring(agent, user).reason == "closed"


def test_an_agent_whose_attributes_raise_is_played() -> None:
    class Odd:
        def __call__(self, *_: object) -> str:
            return "It is open."

        def __getattr__(self, name: str) -> Any:
            raise OSError(name)

    trial = play_trial(scenario(OPEN), Odd())
    assert trial.outcome == "passed"
    assert trial.record["agent_settings"]["type"].startswith(f"{__name__}:test_an_agent_whose")


@pytest.mark.parametrize(
    ("user", "reason"),
    [
        (raising(ValueError("no good")), r"the user raised ValueError: no good \(.*:\d+\)"),
        (raising(Own("stop")), r"the user raised Own: stop \(.*:\d+\)"),
        (raising(UserError("asleep")), "asleep"),
        (lambda _messages: 7, "the user returned an int; expected text, or None to end it"),
    ],
)
def test_a_user_that_cannot_answer(user: Any, reason: str) -> None:
    trial = erring(user=user)
    assert trial.cause == "user"
    assert re.fullmatch(reason, trial.reason or "")
    assert len(trial.trajectory.messages) == 3


class OddAnswer(str):
    __slots__ = ()

    def encode(self, *_: object) -> bytes:
        raise OSError


@pytest.mark.parametrize(
    ("answer", "heard"),
    [("half \ud83d", "half \ufffd"), (OddAnswer("Yes."), "Yes.")],
    ids=["half a character", "a class of its own"],
)
def test_what_a_user_says_can_be_sent_and_written(answer: str, heard: str) -> None:
    answers = [answer, None]
    trial = play_trial(scenario(OPEN), says("Is it?"), lambda _messages: answers.pop(0))
    assert trial.outcome == "failed"
    assert trial.record["messages"][3]["content"] == heard


@pytest.mark.parametrize(
    ("error", "cause"), [(EmbedderError("no vectors"), "provider"), (WorldError("broken"), "world")]
)
def test_errors_of_judging_keep_the_conversation(
    error: Exception, cause: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judging, "judge", raising(error))
    trial = erring()
    assert (trial.cause, trial.reason) == (cause, str(error))
    assert trial.trajectory.messages[2].content == "Is it?"


@pytest.mark.parametrize("error", [KeyError("column"), Own("column")])
def test_code_of_the_users_own_in_judging_is_told_with_its_place(
    error: BaseException, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judging, "judge", raising(error))
    trial = erring()
    assert trial.cause == "ours"
    name = type(error).__name__
    text = rf"code that the scenario uses raised {name}: '?column'? \(.*test_trial.py:\d+\)"
    assert re.fullmatch(text, trial.reason or "")


def test_a_defect_of_ours_is_told_with_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judging, "judge", None)
    trial = erring()
    assert trial.cause == "ours"
    text = (
        r"TypeError: 'NoneType' object is not callable \(.*/runs/judging.py:\d+\): "
        "a defect of pytest-toolsandbox, please report it"
    )
    assert re.fullmatch(text, trial.reason or "")


@pytest.mark.parametrize(
    "error", [KeyboardInterrupt(), BaseExceptionGroup("all", [KeyboardInterrupt(), OSError()])]
)
def test_ctrl_c_leaves_the_trial(error: BaseException) -> None:
    with pytest.raises(KeyboardInterrupt) as caught:
        play_trial(scenario(OPEN), raising(error))
    assert Path(caught.traceback[-1].path) == Path(__file__)


def test_an_error_that_is_its_own_cause_is_told() -> None:
    error = AgentError("closed")
    error.__cause__ = error
    assert erring(raising(error)).reason == "closed"


def test_the_documentation_plays_one_without_pytest(tmp_path: Path) -> None:
    text = Path("docs/agents.md").read_text(encoding="utf-8")
    section = text.partition("## Without pytest")[2]
    _, code, shown, *_ = re.split(r"```(?:python|text)?\n", section)[:4]
    shown = section.partition("```text\n")[2].partition("```")[0]
    (tmp_path / "scenarios").mkdir()
    (tmp_path / "scenarios" / "wifi.yaml").write_text(
        "world: phone\nuser: {opening: Turn on the wifi.}\n"
        "milestones: {on: {state: {setting: {wifi: true}}}}\nstate: {setting: {wifi: false}}\n"
    )
    (tmp_path / "my_app.py").write_text("def agent(messages, tools):\n    return 'No.'\n")
    blocked = f"import sys; sys.modules['pytest'] = None; sys.path.insert(0, '.')\n{code}"
    played = subprocess.run(
        [sys.executable, "-c", blocked], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert played.stdout == shown


class Maker:
    """Makes users; ``notes`` are its own."""

    retries = 1
    notes = "of mine"

    def __init__(self, error: BaseException | None = None) -> None:
        self.error = error

    def begin(self, *_: object) -> Callable[..., None]:
        if self.error:
            raise self.error
        return self

    def __call__(self, _messages: object) -> None:
        return None


class ClosedError(Exception):
    """Raises wherever pytest looks."""

    def __getattr__(self, name: str) -> object:
        raise ZeroDivisionError(name)


@pytest.mark.parametrize(
    ("error", "cause"),
    [
        (LookupError("no such user"), "user"),
        (SystemExit(3), "user"),
        (ClosedError("no entry"), "user"),
        (ProviderError("no model"), "provider"),
    ],
    ids=["lookup", "exit", "closed", "outage"],
)
def test_what_makes_users_is_no_fault_of_the_agent(error: BaseException, cause: str) -> None:
    assert erring(user=Maker(error)).cause == cause


def test_notes_of_a_user_of_ones_own_are_its_own() -> None:
    assert play_trial(scenario(OPEN), says("It is open."), Maker()).outcome == "passed"

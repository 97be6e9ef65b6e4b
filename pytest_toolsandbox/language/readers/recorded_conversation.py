"""Recorded conversations: what was said, and which calls the agent's turns are made of."""

from __future__ import annotations

import itertools
from typing import Any

from pytest_toolsandbox.language import models
from pytest_toolsandbox.language.mistakes import Path
from pytest_toolsandbox.language.protocol import InWorld
from pytest_toolsandbox.language.tasks import (
    AgentTurn,
    RecordedCall,
    RecordedTurn,
    Replay,
    UserTurn,
)
from pytest_toolsandbox.wording.phrases import listed
from pytest_toolsandbox.worlds.state import State

from .base_reader import Reader
from .steps import StepReader, read_call

OUTCOMES = ("result", "error")
TURN_KEYS = ("user", "calls", "assistant")


def read_replay(model: models.ConversationDocument, in_world: InWorld) -> dict[str, Any]:
    """Return the parts of a scenario that are a recorded conversation."""
    reader, start = in_world.reader, in_world.start
    if start is not None:
        start = with_session(model.session, reader, start)
    calls = StepReader(*reader.context, offered=in_world.tools, strict=True, beside=())
    read = [
        _turn(calls, turn, ("conversation", index)) for index, turn in enumerate(model.conversation)
    ]
    turns = tuple(turn for turn in read if turn is not None)
    if not reader.mistakes.found:
        _check_order(reader, turns)
    session = model.session
    task = Replay(
        session.user if session and session.logged_in else None,
        session.location if session else None,
        turns,
        model.protocol,
        model.compare_receiver,
    )
    return {"start": start, "task": task}


def with_session(session: models.SessionDocument | None, reader: Reader, state: State) -> State:
    """Return the state in which the conversation's session is open, if it is."""
    if session is None or session.user is None:
        return state
    user, sessions = session.user, reader.world.sessions
    if sessions is None:
        text = f"nobody can log in to the world {reader.world.name!r}"
        reader.mistakes.add(("session",), text, key=True)
        return state
    try:
        if session.verification_code is not None:
            state = sessions.sent_code(state, user, session.verification_code)
        return sessions.logged_in(state, user, session.token) if session.logged_in else state
    except ValueError as error:
        if session.logged_in or session.verification_code is not None:
            reader.mistakes.add(("session", "user"), str(error))
        return state


def _turn(reader: StepReader, turn: Any, path: Path) -> RecordedTurn | None:
    if not isinstance(turn, dict) or not turn or not set(turn) <= set(TURN_KEYS):
        reader.mistakes.expected(path, "user, or calls and assistant;", turn)
        return None
    if "user" in turn and len(turn) > 1:
        reader.mistakes.add(path, "a turn is the user's or the assistant's; write two", key=True)
        return None
    calls = _calls(reader, turn.get("calls") or [], (*path, "calls"))
    for key in ("user", "assistant"):
        if not isinstance(turn.get(key, ""), str):
            reader.mistakes.expected((*path, key), "text", turn[key])
            return None
    if "user" in turn:
        return UserTurn(turn["user"])
    return AgentTurn(calls, turn.get("assistant", ""))


def _calls(reader: StepReader, calls: Any, path: Path) -> tuple[RecordedCall, ...]:
    if not isinstance(calls, list):
        reader.mistakes.expected(path, "a list of calls", calls)
        return ()
    read = (_call(reader, call, (*path, index)) for index, call in enumerate(calls))
    return tuple(call for call in read if call is not None)


def _call(reader: StepReader, call: Any, path: Path) -> RecordedCall | None:
    outcomes = [key for key in OUTCOMES if isinstance(call, dict) and key in call]
    tools = [key for key in call if key not in OUTCOMES] if isinstance(call, dict) else []
    if len(tools) != 1 or len(outcomes) > 1:
        reader.mistakes.expected(
            path, "one tool with its arguments, and its result or error;", call
        )
        return None
    step = read_call(reader, tools[0], call[tools[0]], (*path, tools[0]))
    if "error" in outcomes and not isinstance(call["error"], str):
        reader.mistakes.expected((*path, "error"), "text", call["error"])
        return None
    if step is None:
        return None
    return RecordedCall(
        step.tool, step.arguments, bool(outcomes), call.get("result"), call.get("error")
    )


def _check_order(reader: Reader, turns: tuple[RecordedTurn, ...]) -> None:
    """Note a conversation that the user does not begin, or in which the agent has no turn."""
    path = ("conversation",)
    for place, (first, second) in enumerate(itertools.pairwise(turns), 1):
        if isinstance(first, AgentTurn) and isinstance(second, AgentTurn):
            reader.mistakes.add((*path, place), "the assistant's turn goes on; write one", key=True)
    if not turns or not isinstance(turns[0], UserTurn):
        reader.mistakes.add(path, "the user begins")
    elif not any(isinstance(turn, AgentTurn) for turn in turns):
        reader.mistakes.add(path, f"the agent has no turn; give {listed(TURN_KEYS[1:], 'or')}")

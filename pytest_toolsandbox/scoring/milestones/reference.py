"""What snapshots are compared with beside the scenario: solutions, and answers of the world."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from pytest_toolsandbox.calls.tool_call import ToolCall
from pytest_toolsandbox.conversation.environment import ExecutionEnvironment
from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.conversation.solutions import solution_played
from pytest_toolsandbox.language.constraints import HoldsConstraint
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.text.formatting import join_words
from pytest_toolsandbox.worlds.context import WorldError
from pytest_toolsandbox.worlds.json_values import as_json
from pytest_toolsandbox.worlds.state import State
from pytest_toolsandbox.worlds.tool_view import tool_views


class Answer(NamedTuple):
    """What a question to the world returns, or the line of its error."""

    value: Any
    error: str | None = None


class Reference:
    """The solutions of a scenario, and its world, which answers questions in any state.

    Close it: a world of objects, or behind a server, begins with the first question.
    """

    def __init__(self, scenario: Scenario | None = None) -> None:
        self._scenario = scenario
        self._environment: ExecutionEnvironment | None = None
        self._answers: dict[tuple[int, int], tuple[HoldsConstraint, State, Answer]] = {}
        """The answers, by identity of question and state."""

    def solution(self, name: str) -> Trajectory:
        """Return the conversation of a solution. Raises :class:`WorldError`."""
        assert self._scenario is not None
        return solution_played(self._scenario, name)

    def answer(self, question: HoldsConstraint, state: State) -> Answer:
        """Return the answer of the world. Raises :class:`WorldError` if the question changes it."""
        key = id(question), id(state)
        if key not in self._answers:
            answer = self._ask(question.tool, question.arguments, state)
            self._answers[key] = question, state, answer  # kept: identities of the living differ
        return self._answers[key][2]

    def _ask(self, name: str, arguments: Mapping[str, Any], state: State) -> Answer:
        if self._environment is None:
            assert self._scenario is not None
            world = self._scenario.world
            views = tool_views(world.callable_tools)
            self._environment = ExecutionEnvironment(world, self._scenario.now, views)
        call = ToolCall("question", name, as_json(dict(arguments)))
        response = self._environment.run(call, state, "question")
        if not response.state.same_tables(state):
            changed = [table for table in state if response.state[table] != state[table]]
            text = f"the question {name} under holds changed {join_words(changed)}"
            raise WorldError(f"{text}; a question must leave the world as it is")
        if response.error is not None or response.trace is None:
            return Answer(None, response.error)
        return Answer(response.trace.result)

    def close(self) -> None:
        """End what the world needed to answer."""
        if self._environment is not None:
            self._environment.close()
            self._environment = None

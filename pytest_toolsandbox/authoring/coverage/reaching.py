"""The shortest calls that reach parts of a world which no conversation touches.

From the start of a scenario, calls are tried one after the other, breadth first: those that
conversations made, and others with values from tables, from results and from the schema. It works
in worlds of tables, whose states are immutable.
"""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from pytest_toolsandbox.calls.tool_call import ToolCall
from pytest_toolsandbox.conversation.environment import ExecutionEnvironment
from pytest_toolsandbox.conversation.messages import Response
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.worlds.context import WorldError
from pytest_toolsandbox.worlds.json_values import as_json
from pytest_toolsandbox.worlds.parameter import Parameter
from pytest_toolsandbox.worlds.state import State, plain
from pytest_toolsandbox.worlds.tool import Tool

from .touched import Coverage, Part, changes_in, is_telling, leaves, outcome

DEEPEST: Final = 3
"""Calls after which the search ends."""
MOST_CALLS: Final = 20_000
"""Calls that are tried in a world."""
_STARTS: Final = 3
"""Scenarios whose starts are tried."""
_STATES: Final = 2
"""States after calls of one tool from which the search goes on."""
_PER_TOOL: Final = (8, 3)
"""Sets of arguments of a tool that are tried as the first call, and as a later one."""
_VALUES: Final = 3
"""Values of a parameter that are tried."""

Calls = tuple[tuple[str, Mapping[str, Any]], ...]


class Reached(NamedTuple):
    """The calls that reach a part, from the start of a scenario."""

    part: Part
    scenario: Scenario
    calls: Calls


@dataclass
class Reaching:
    """A search in one world: ``reached`` are the parts that no conversation touched."""

    coverage: Coverage
    scenarios: Sequence[Scenario]
    reached: dict[Part, Reached] = field(default_factory=dict)
    tried: int = 0
    _sources: dict[Any, tuple[str, Calls]] = field(default_factory=dict)
    """Value → the tool that returned it, and the calls to that."""

    def search(self) -> dict[Part, Reached]:
        """Return part → the shortest calls to it."""
        for scenario in self.scenarios[:_STARTS]:
            tools = scenario.world.shown()
            with ExecutionEnvironment(scenario.world, scenario.now, tools) as environment:
                self._from(scenario, environment)
        return self.reached

    def _from(self, scenario: Scenario, environment: ExecutionEnvironment) -> None:
        self._scenario = scenario
        layer: list[tuple[State, Calls]] = [(scenario.start, ())]
        seen = {scenario.start}
        for _ in range(DEEPEST):
            following: list[tuple[State, Calls]] = []
            for state, calls in layer:
                for name, arguments in self._candidates(scenario, state, _PER_TOOL[bool(calls)]):
                    if self.tried >= MOST_CALLS:
                        return
                    path = (*calls, (name, arguments))
                    response = self._call(environment, state, path)
                    if response is None or response.failed or response.state in seen:
                        continue
                    seen.add(response.state)
                    following.append((response.state, path))
            layer = [*_by_tool(following)]

    def _call(
        self, environment: ExecutionEnvironment, state: State, path: Calls
    ) -> Response | None:
        name, arguments = path[-1]
        self.tried += 1
        call = ToolCall("reaching", name, as_json(arguments))
        try:
            response = environment.run(call, state, f"{len(path)}/0")
        except WorldError:  # a value that the world does not expect; check finds those of scenarios
            return None
        self._note(outcome(name, response.error), path)
        if response.state is not state:
            for part in changes_in([response.state.changes_since(state)]):
                self._note(part, path)
        if response.trace is not None:
            self._note_dependencies(path)
            for value in filter(is_telling, leaves(plain(response.trace.result))):
                self._sources.setdefault(value, (name, path))
        return response

    def _note(self, part: Part, path: Calls) -> None:
        is_new = part not in self.coverage.touched and self.coverage.known(part)
        before = self.reached.get(part)
        if is_new and (before is None or len(path) < len(before.calls)):
            self.reached[part] = Reached(part, self._scenario, path)

    def _note_dependencies(self, path: Calls) -> None:
        name, arguments = path[-1]
        for value in leaves(plain(arguments)):
            source = self._sources.get(value) if is_telling(value) else None
            *before, last = path
            is_repeated = source is not None and last in source[1]
            if source is not None and source[0] != name and not is_repeated:
                steps = dict.fromkeys(map(_key, (*before, *source[1], last)))
                calls = tuple((tool, json.loads(text)) for tool, text in steps)
                self._note(Part("dependencies", source[0], name), calls)

    def _candidates(
        self, scenario: Scenario, state: State, most: int
    ) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Yield calls of each tool: as conversations made them, and with other values."""
        for name, tool in scenario.world.tools.items():
            made = [*self.coverage.calls.get(name, {}).values()][:most]
            yield from ((name, arguments) for arguments in made)
            yield from ((name, arguments) for arguments in _invented(tool, state, most))


def _by_tool(layer: Sequence[tuple[State, Calls]]) -> Iterator[tuple[State, Calls]]:
    """Yield a few states after the calls of each tool, so that all kinds of changes are tried."""
    counts: Counter[str] = Counter()
    for state, calls in layer:
        name, _ = calls[-1]
        counts[name] += 1
        if counts[name] <= _STATES:
            yield state, calls


def _key(call: tuple[str, Mapping[str, Any]]) -> tuple[str, str]:
    return call[0], as_json(dict(call[1]))


def _invented(tool: Tool, state: State, most: int) -> Iterator[Mapping[str, Any]]:
    """Yield arguments: the required ones, and each optional one beside them."""
    parameters = [*tool.signature.parameters.values()]
    required = {p.name: _values(p, state) for p in parameters if p.required}
    combinations = itertools.islice(itertools.product(*required.values()), most)
    chosen = [dict(zip(required, values, strict=True)) for values in combinations]
    yield from chosen
    for parameter in parameters if chosen else ():
        if not parameter.required:
            yield from ({**chosen[0], parameter.name: v} for v in _values(parameter, state))


def _values(parameter: Parameter, state: State) -> list[Any]:
    """Return values of a parameter: cells of columns of that name, or what the schema allows."""
    tables = (state[name] for name in state)
    rows = (row for table in tables for row in table.rows[:_VALUES] if parameter.name in row)
    cells = [plain(row[parameter.name]) for row in rows]
    cells = [cell for cell in cells if isinstance(cell, (str, int, float, bool, list, dict))]
    by_schema = _of_schema(parameter.schema)
    distinct = {as_json(value): value for value in (*by_schema[:1], *cells, *by_schema[1:])}
    return [*distinct.values()][:_VALUES]


def _of_schema(schema: Mapping[str, Any]) -> list[Any]:
    if "enum" in schema:
        return [*schema["enum"]]
    if "anyOf" in schema:
        return [value for part in schema["anyOf"] for value in _of_schema(part)]
    kinds: Mapping[Any, list[Any]] = {
        "boolean": [True, False],
        "integer": [1, -1],
        "number": [1.0, -1.0],
        "string": ["something", ""],
        "array": [[]],
        "object": [{}],
    }
    return kinds.get(schema.get("type"), [])

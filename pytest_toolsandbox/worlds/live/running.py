"""Executes calls of a conversation in a live world, in any of its states.

An instance stands at the newest state, where a call costs no more than the call. For any other
state, there is an instance by the first of these ways that works:

- a fork of an instance that stands there, made by the world or by ``copy.deepcopy``;
- a replay: a new instance, which executes the log of the state. The rows must be those recorded.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from functools import cached_property
from typing import Any, Final

from pytest_toolsandbox.text.error_text import message_of
from pytest_toolsandbox.text.formatting import join_words, truncate
from pytest_toolsandbox.worlds.context import WorldError
from pytest_toolsandbox.worlds.json_values import as_json
from pytest_toolsandbox.worlds.protocol import RunningWorld
from pytest_toolsandbox.worlds.state import Caller, Log, LoggedCall, State
from pytest_toolsandbox.worlds.tool import Tool

from .instance import Instance
from .origin import CLOCK, LOAD, Origin, clock_call
from .snapshots import Snapshot

MOST_REPLAYS: Final = 12
"""The limit of replays for the orders of parallel calls: enough for three calls."""
MOST_FORKS: Final = 400
"""The limit of forks for the orders of parallel calls: enough for five calls."""
MOST_COPIED_ROWS: Final = 40_000
"""The limit of rows that these forks copy, if they are more than those of 12 forks."""
_MOST_KEPT: Final = 64
"""The limit of instances while parallel calls are tried."""


class _Kept:
    """An instance, and what it shows."""

    def __init__(self, instance: Instance, seen: Snapshot) -> None:
        self.instance, self.seen = instance, seen


class Instances:
    """The instances of a conversation, each at a state."""

    def __init__(self, origin: Origin, now: datetime) -> None:
        self.origin, self.now = origin, now
        self._kept: dict[Log, _Kept] = {}
        self._contents: dict[Log, str] = {}
        """Log → the result of its last call, with which a replay is compared."""
        self._read_once: set[str] = set()
        self._explores = self._is_closed = False
        self.replays = self.forks = 0
        """How many were needed for the parallel calls that are tried now."""

    def explore(self) -> None:
        """Begin to try the orders of parallel calls: several instances may be kept."""
        self._explores, self.replays, self.forks = True, 0, 0

    def may_explore(self) -> bool:
        """Whether another order may be tried."""
        is_possible = self.origin.source.replayable
        return is_possible and self.replays < MOST_REPLAYS and self.forks < self._most_forks

    @cached_property
    def _most_forks(self) -> int:
        """The limit of forks: a copy of many rows takes long."""
        rows = sum(map(len, self.origin.start(self.now).state.values()))
        return max(MOST_REPLAYS, min(MOST_FORKS, MOST_COPIED_ROWS // max(rows, 1)))

    def settle(self, state: State) -> None:
        """Keep only the instance that stands at a state."""
        self._explores = False
        for log in [log for log in self._kept if log != state.log]:
            self._kept.pop(log).instance.close()

    def close(self) -> None:
        """End all instances. Raises the first :class:`WorldError`."""
        self._is_closed = True
        self._end_all()

    def _end_all(self) -> None:
        errors = []
        while self._kept:
            try:
                self._kept.popitem()[1].instance.close()
            except WorldError as error:
                errors.append(error)
        if errors:
            raise errors[0]

    def look(self, state: State, tool: Tool, arguments: Mapping[str, Any]) -> str:
        """Execute a call that changes nothing."""
        kept = self._at(state)
        try:
            return kept.instance.call(tool, arguments)
        except WorldError:
            self._drop_all()  # the instance may hang, and the conversation ends
            raise
        finally:
            if tool.name not in self._read_once and self._kept:
                self._read_once.add(tool.name)
                self._check_unchanged(kept, tool)

    def _check_unchanged(self, kept: _Kept, tool: Tool) -> None:
        differing = kept.seen.differing(self.origin.read(kept.instance, (), kept.seen))
        if differing:
            text = f"the tool {tool.name!r} only reads, as declared, and changed"
            raise WorldError(f"the world {self.origin.name!r}: {text} {join_words(differing)}")

    def change(
        self, state: State, tool: Tool, arguments: Mapping[str, Any], by: Caller
    ) -> tuple[str | BaseException, State]:
        """Execute a call that may change something; return the result or error, and the state."""
        log = (*state.log, LoggedCall(tool.name, as_json(arguments), by))
        original = self._at(state)
        instance = self._fork(original.instance) if self._explores else None
        if instance is None:
            del self._kept[state.log]
            return self._changed(original.instance, original.seen, log, tool, arguments)
        self.forks += 1
        outcome = self._changed(instance, original.seen, log, tool, arguments)
        if not self._is_untouched(original, tool):
            self.origin.source.never_forks()
            self._drop_all()
            return self.change(state, tool, arguments, by)
        return outcome

    def move_clock(self, state: State, now: datetime) -> State:
        """Move the clock of the newest instance on, and return the state after that."""
        call = clock_call(now)
        log = (*state.log, call)
        kept = self._at(state)
        del self._kept[state.log]
        try:
            self.origin.move_clock(kept.instance, call, self.now.tzinfo)
            seen = self.origin.read(kept.instance, log, kept.seen)
        except BaseException:
            with suppress(WorldError):  # the first error says more
                kept.instance.close()
            raise
        self._keep(log, _Kept(kept.instance, seen))
        self.settle(seen.state)
        return seen.state.at(now)

    def _changed(
        self,
        instance: Instance,
        before: Snapshot,
        log: Log,
        tool: Tool,
        arguments: Mapping[str, Any],
    ) -> tuple[str | BaseException, State]:
        outcome: str | BaseException
        try:
            try:
                outcome = instance.call(tool, arguments)
            except (WorldError, KeyboardInterrupt):
                raise
            except BaseException as error:  # noqa: BLE001  # the agent reads what tools declare
                outcome = error
            seen = self.origin.read(instance, log, before)
        except BaseException:
            with suppress(WorldError):  # the first error says more
                instance.close()
            raise
        if not self._explores:
            self.settle(seen.state)
        elif len(self._kept) >= _MOST_KEPT:
            self._kept.pop(next(iter(self._kept))).instance.close()
        self._keep(log, _Kept(instance, seen))
        self._contents[log] = _content(outcome)
        if not self.origin.is_separate and seen.differing(before):
            self._check_separate(tool)
        return outcome, seen.state

    def _keep(self, log: Log, kept: _Kept) -> None:
        if self._is_closed:  # by another thread, which did not wait for the call
            kept.instance.close()
            raise WorldError("the conversation has ended")
        if (replaced := self._kept.get(log)) is not None:
            replaced.instance.close()
        self._kept[log] = kept

    def _check_separate(self, tool: Tool) -> None:
        """Check that a change of one instance is none of another."""
        if not self.origin.source.in_process:
            return
        try:
            self.origin.begin(self.now).close()
        except WorldError as error:
            raise WorldError(f"after {tool.name} was called, {error}") from None
        self.origin.is_separate = True

    def _at(self, state: State) -> _Kept:
        """Return an instance that stands at a state."""
        if state.log not in self._kept:
            self._keep(state.log, self._reached(state))
        kept = self._kept[state.log]
        if not kept.seen.state.same_tables(state):
            raise WorldError(self._not_the_same(state, kept.seen.state))
        return kept

    def _reached(self, state: State) -> _Kept:
        """Return an instance at a state where none stands: at the start, or by a replay."""
        if not self.origin.source.replayable and self._kept:
            raise WorldError(f"the world {self.origin.name!r} cannot go back to an earlier state")
        done, instance, seen = 0, None, self.origin.start(self.now)
        if self._explores and (nearest := self._nearest(state.log)) is not None:
            done, instance, seen = nearest
        if instance is None:
            instance = self.origin.begin(self.now)
            self.replays += bool(state.log)
        try:
            for end in range(done, len(state.log)):
                self._repeat(instance, state.log[: end + 1])
            if done < len(state.log):
                seen = self.origin.read(instance, state.log, seen)
        except BaseException:
            instance.close()
            raise
        return _Kept(instance, seen)

    def _nearest(self, log: Log) -> tuple[int, Instance, Snapshot] | None:
        """Return a fork of the instance that needs the fewest calls to a log, and its length."""
        for end in range(len(log) - 1, -1, -1):
            kept = self._kept.get(log[:end])
            if kept is not None and (instance := self._fork(kept.instance)) is not None:
                self.forks += 1
                return end, instance, kept.seen
        return None

    def _repeat(self, instance: Instance, log: Log) -> None:
        """Execute the last call of a log again."""
        call = log[-1]
        if call.tool == LOAD:
            self.origin.load(instance, call)
            return
        if call.tool == CLOCK:
            self.origin.move_clock(instance, call, self.now.tzinfo)
            return
        try:
            content = instance.call(self.origin.tools[call.tool], json.loads(call.arguments))
        except (WorldError, KeyboardInterrupt):
            raise
        except BaseException as error:  # noqa: BLE001  # as it was executed before
            content = _content(error)
        if (before := self._contents.setdefault(log, content)) != content:
            results = f"first {truncate(before, 100)}, then {truncate(content, 100)}"
            raise WorldError(f"{self._not_repeatable} call {len(log)}, {call.tool}: {results}")

    def _not_the_same(self, state: State, seen: State) -> str:
        tables = [name for name in state if state[name] != seen[name]]
        calls = join_words([call.tool for call in state.log[-3:]])
        return f"{self._not_repeatable} {calls}: other rows in {join_words(tables)}"

    @property
    def _not_repeatable(self) -> str:
        return f"the world {self.origin.name!r} did something else when calls were repeated, in"

    def _fork(self, instance: Instance) -> Instance | None:
        return instance.fork()

    def _is_untouched(self, original: _Kept, tool: Tool) -> bool:
        """Whether a call on a fork left the original alone, as far as its tables show."""
        if not self.origin.source.in_process or tool.name in self.origin.forked:
            return True
        if original.seen.differing(self.origin.read(original.instance, (), original.seen)):
            return False
        self.origin.forked.add(tool.name)
        return True

    def _drop_all(self) -> None:
        with suppress(WorldError):
            self._end_all()


def _content(outcome: str | BaseException) -> str:
    if isinstance(outcome, str):
        return outcome
    return f"{type(outcome).__name__}: {message_of(outcome)}"


class RunningLive:
    """A live world during a conversation, in one of its states."""

    __slots__ = ("_by", "_instances", "_state")

    def __init__(self, instances: Instances, state: State, by: Caller = "agent") -> None:
        self._instances, self._state, self._by = instances, state, by

    def fork(self, state: State, place: str, by: Caller = "agent") -> RunningWorld:
        del place  # a live world makes its own identifiers
        return RunningLive(self._instances, state, by)

    def check_precondition(self, tool: Tool) -> None:
        del tool  # those of live worlds have none

    def call(self, tool: Tool, arguments: Mapping[str, Any]) -> str:
        if tool.name in self._instances.origin.source.reads:
            return self._instances.look(self._state, tool, arguments)
        outcome, state = self._instances.change(self._state, tool, arguments, self._by)
        self._state = state.at(self._state.now)
        if isinstance(outcome, str):
            return outcome
        raise outcome

    def snapshot(self) -> State:
        return self._state

    def move_clock(self, now: datetime, place: str) -> State:
        del place  # a live world makes its own identifiers
        return self._instances.move_clock(self._state, now)

    @property
    def tables_read(self) -> None:
        return None

    def explore(self) -> None:
        self._instances.explore()

    def may_explore(self) -> bool:
        return self._instances.may_explore()

    def settle(self, state: State) -> None:
        self._instances.settle(state)

    def close(self) -> None:
        self._instances.close()

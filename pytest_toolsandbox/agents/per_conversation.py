"""An agent that is another one in each conversation, in the place of one for all of them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from pytest_toolsandbox.language.scenario import Scenario

_Made = dict[int, Any]
_present: ContextVar[tuple[Scenario, _Made] | None] = ContextVar("conversation", default=None)


@contextmanager
def conversation_of(scenario: Scenario) -> Iterator[None]:
    """Within the block, ask an agent that belongs to this conversation alone.

    The block holds for its own thread, for the threads that agents are called on, and for tasks.
    """
    token = _present.set((scenario, {}))
    try:
        yield
    finally:
        _present.reset(token)


class PerConversation:
    """Makes the agents that take part, one for each conversation.

    A fixture of the session may wrap it: it asks the agent of the conversation in which it is
    called. ``first`` is one that was made already, to see whether any can be. Where agents are
    ``is_shared``, all conversations of a scenario may have the same one.
    """

    def __init__(
        self, make: Callable[[Scenario | None], Any], first: Any = None, *, is_shared: bool = False
    ) -> None:
        self._make = make
        self.is_shared = is_shared
        self._unused = [] if first is None else [first]
        self.example = first
        self._lock = threading.Lock()
        self._outside: _Made = {} if first is None else {id(self): first}

    def of(self, scenario: Scenario | None) -> Any:
        """Return an agent for a conversation. Raises ``AgentError``."""
        with self._lock:
            unused = self._unused.pop() if self._unused else None
        return self._make(scenario) if unused is None else unused

    def __call__(self, messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Any:
        """Return the reply of the agent of the present conversation, or else of the first one."""
        scenario, made = _present.get() or (None, self._outside)
        if id(self) not in made:
            made[id(self)] = self.of(scenario)
        return made[id(self)](messages, tools)

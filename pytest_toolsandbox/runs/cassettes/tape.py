"""Replaces models, agents, users and judges in a trial that is recorded or replayed.

Models are recorded by their requests; custom agents, users and judges by their input and output,
whatever they request in between. Scripted ones are played and not recorded. While it is recorded,
too, the conversation continues with the content of the cassette.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType
from typing import Any, Final

from pytest_toolsandbox.conversation.agent_session import reply_message
from pytest_toolsandbox.models.model_agent import ProviderModel
from pytest_toolsandbox.models.requests import (
    AgentRequest,
    Ask,
    Meter,
    ModelReply,
    ModelRequest,
    StandIn,
)
from pytest_toolsandbox.text.redaction import is_secret_name
from pytest_toolsandbox.users.user_calls import call_message

from .exchanges import END, Request, Requests, read_reply, written_message

SUPPORTS: Final = "supports"
"""The key of a trial's note: model → parameters that it accepts."""
VECTORS: Final = "vectors"
"""The key of a trial's note: text → vector, if meanings are compared."""

_PACKAGE: Final = f"{__name__.partition('.')[0]}."
_TRANSPORT: Final = {
    *("api_base", "base_url", "api_version", "api_type", "organization", "project", "timeout"),
    *("request_timeout", "num_retries", "max_retries", "extra_headers", "headers", "user"),
    *("custom_llm_provider", "logger_fn", "mock_response", "metadata", "region", "location"),
}
"""Parameters of the transport, which do not change what a model is asked."""


def is_recorded(participant: Any) -> bool:
    """Return whether an agent or user is recorded by its output: it is no model and no script."""
    kind = type(participant)
    module: str = participant.__module__ if kind is FunctionType else kind.__module__
    if issubclass(kind, ProviderModel):
        return False
    is_ours = f"{module}.".startswith(_PACKAGE)
    return not is_ours or getattr(kind, "is_recorded", False)


class Tape(StandIn, ABC):
    """The tape of one trial; its requests come one after the other."""

    def __init__(self, meter: Meter) -> None:
        self.meter = meter
        self.requests = Requests()
        self._replies = 0
        self._speaks = False
        """Whether a custom agent, user or judge is asked, whose own requests are not recorded."""

    def model(self, request: ModelRequest, ask: Ask) -> ModelReply:
        """Answer a request to a model. Raises ``ProviderError``."""
        if self._speaks or request.function != "completion":
            return ask()
        payload = {name: value for name, value in request.payload.items() if name != "messages"}
        tools = payload.pop("tools", None)
        parameters = {
            k: value for k, value in request.parameters.items() if not _is_transport(k, value)
        }
        setting = {"model": request.model, "parameters": {**parameters, **payload}, "tools": tools}
        asked = self.requests.made(request.asker, setting, request.payload["messages"])
        return self.model_reply(asked, ask)

    def agent(self, agent: Any, request: AgentRequest, ask: Callable[[Any], Any]) -> Any:
        """Return the reply of an agent, as an assistant message if it is recorded."""
        messages = request.messages

        def message() -> dict[str, Any]:
            return reply_message(ask(messages), request.place)

        if is_recorded(agent):
            asked = self.requests.made("agent", {"tools": request.tools}, messages)
            reply = self.custom_reply(asked, message)
        elif issubclass(type(agent), ProviderModel):
            reply = message()
        else:
            return ask(messages)
        self._replies += 1
        return read_reply(written_message(reply), self._replies)

    def user(self, user: Any, messages: Sequence[Any], ask: Callable[[], Any]) -> Any:
        """Return the answer of a user: text, calls, or ``None`` at the end of the conversation."""
        if not is_recorded(user):
            return ask()

        def user_message() -> dict[str, Any]:
            answer = ask()
            if isinstance(answer, Mapping):
                return {"role": "assistant", "tool_calls": answer["tool_calls"]}
            return {"role": END if answer is None else "user", "content": answer or True}

        reply = self.custom_reply(self.requests.made("user", {}, messages), user_message)
        if calls := reply.get("tool_calls"):
            functions = [call["function"] for call in calls]
            return call_message([(f["name"], f["arguments"]) for f in functions])
        return reply["content"] if reply["role"] == "user" else None

    def judge(self, name: str, text: str, ask: Callable[[], dict[str, Any]]) -> Mapping[str, Any]:
        """Return the reply of the user's own judge of this name to a text."""
        asked = self.requests.made("judge", {"judge": name}, [{"role": "user", "content": text}])
        return self.custom_reply(asked, ask)

    @abstractmethod
    def model_reply(self, asked: Request, ask: Ask) -> ModelReply:
        """Return the reply of a model. Raises ``ProviderError``."""

    @abstractmethod
    def custom_reply(self, asked: Request, ask: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """Return the reply of a custom agent, user or judge."""


def _is_transport(name: str, value: Any) -> bool:
    is_secret = isinstance(value, str) and is_secret_name(name)  # ``max_tokens`` is a number
    return is_secret or name in _TRANSPORT

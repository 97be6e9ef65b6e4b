"""Models of any provider: ``ProviderModel``, and ``ModelAgent``, the agent.

Those of :mod:`.providers` are asked directly, all others through litellm.

``answer_through`` asks a model a question that it must answer by calling one tool.
"""

from __future__ import annotations

import contextlib
import copy
import functools
import json
import marshal
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, ClassVar, Final, NamedTuple

from pytest_toolsandbox.concurrency.time_limit import Countdown, OutOfTime, call_on_a_worker
from pytest_toolsandbox.text.redaction import add_secrets

from . import chat_client, litellm_client, providers
from .aliases import check_settings
from .chat_replies import (
    assistant_message,
    finish_reason_of,
    unreadable_call,
    with_readable_calls,
)
from .errors import ProviderError
from .http_posts import load_httpx
from .provider_errors import ProviderFailure, explain
from .reasoning import as_sent, whole_message
from .requests import ModelReply, request_context, send_request
from .retrying import ask_with_retries, retries_in
from .usage import UNKNOWN, Usage, usage_in

_GRACE: Final = 0.5
"""Seconds after the timeout in which a client may itself raise a timeout error."""


class _Client(NamedTuple):
    """What asks models: its import, its responses, and what a model lacks or takes."""

    load: Callable[[str], object]
    respond: Callable[[str, str, Mapping[str, Any], list[str]], Any]
    missing_variables: Callable[[str, Mapping[str, Any]], tuple[str, ...]]
    known_parameters: Callable[[str], Sequence[str]]


_OWN: Final = _Client(
    load_httpx, chat_client.respond, providers.missing_variables, providers.known_parameters
)
_LITELLM: Final = _Client(
    litellm_client.load_litellm,
    litellm_client.respond,
    litellm_client.missing_variables,
    litellm_client.known_parameters,
)


def _client(model: str) -> _Client:
    return _OWN if providers.is_known(model) else _LITELLM


def load_client(model: str) -> None:
    """Import what asks a model, before a timeout counts; the first request reports its errors."""
    with contextlib.suppress(ProviderError):
        _client(model).load(model)


def known_parameters(model: str) -> Sequence[str]:
    """Return the parameters that a model is known to take. Raises ``ProviderError``."""
    return _client(model).known_parameters(model)


@dataclass(frozen=True)
class ProviderModel:
    """A model of any provider, named ``provider/model``.

    ``timeout`` is in seconds, for one answer. ``parameters`` are sent with every request:
    ``{"temperature": 0}``. Their ``timeout`` overrides the one above; ``max_retries`` or
    ``num_retries`` override those of the conversation. Raises ``TypeError`` or ``ValueError`` for
    values that no request can use.
    """

    model: str
    timeout: float = 120.0
    parameters: Mapping[str, Any] = field(default_factory=dict, hash=False, repr=False)
    gets_own_messages: ClassVar[bool] = False
    """Whether the model's messages go back to it, so that all their fields are kept."""

    def __post_init__(self) -> None:
        check_settings(self.model, self.timeout, self.parameters)

    def ask(self, function: str, read: Callable[[Any], Any], **payload: Any) -> Any:
        """Return what ``read`` makes of the response. Raises ``ProviderError``."""
        add_secrets(self.parameters)

        ask_once = functools.partial(self._reply, function, read, payload)

        def ask() -> ModelReply:
            _client(self.model).load(self.model)  # takes seconds, which no timeout counts
            retries = retries_in(self.model, self.parameters)
            return ask_with_retries(self.model, ask_once, retries)

        return send_request(function, self.model, self.parameters, payload, ask).answer

    def _reply(
        self, function: str, read: Callable[[Any], Any], payload: Mapping[str, Any], seconds: float
    ) -> ModelReply:
        """Ask the provider once, in ``seconds`` at most."""
        client, replies = _client(self.model), list[str]()
        timeout = self.parameters.get("timeout", self.timeout)
        if isinstance(timeout, (int, float)):
            timeout = min(timeout, seconds)
        request = {**self.parameters, "timeout": timeout, **payload}
        if messages := payload.get("messages"):
            request["messages"] = with_readable_calls([*map(as_sent, messages)])
        try:
            call = functools.partial(client.respond, function, self.model, request, replies)
            response = _in_time(call, timeout)
            answer = read(response)
            if self.gets_own_messages:
                answer = whole_message(answer, response, "".join(replies[-1:]))
            return ModelReply(answer, finish_reason_of(response), self._usage(response))
        except Exception as error:
            missing = client.missing_variables(self.model, self.parameters)
            reply = "".join(replies[-1:])
            failure = ProviderFailure(self.model, error, timeout, missing, reply)
            if read is assistant_message and failure.malformed_call is not None:
                return ModelReply(unreadable_call(failure.malformed_call), None, UNKNOWN)
            raise explain(failure) from error

    def _usage(self, response: Any) -> Usage:
        used = usage_in(getattr(response, "usage", None)) or UNKNOWN
        cost = (getattr(response, "_hidden_params", None) or {}).get("response_cost")
        name = self.model.removeprefix(providers.FORCED)
        return request_context().prices.priced(used, name, cost if used.tokens else None)


def _in_time(call: Callable[[], Any], timeout: Any) -> Any:
    """Return a response within the timeout, which clients themselves apply to each read."""
    limit = timeout + _GRACE if isinstance(timeout, (int, float)) else None  # else httpx's object
    try:
        return call_on_a_worker(call, Countdown(limit))
    except OutOfTime:
        raise TimeoutError from None


def _copied(payload: dict[str, Any]) -> dict[str, Any]:
    """Return a copy of a request, the fast way if it has only JSON values."""
    try:
        copied: dict[str, Any] = marshal.loads(marshal.dumps(payload))  # noqa: S302  # our own
    except ValueError:  # a user's wrapper may add other objects
        return copy.deepcopy(payload)
    return copied


_MAX_NAME: Final = 64
"""The limit of a tool's name in OpenAI's API."""


@dataclass(frozen=True)
class ModelAgent(ProviderModel):
    """A model as the agent under test."""

    gets_own_messages = True

    def __call__(
        self, messages: list[dict[str, Any]], tools: list[dict[str, Any]]
    ) -> dict[str, Any]:
        """Return the next assistant message. Raises ``ProviderError``."""
        payload = {"messages": messages, **({"tools": tools} if tools else {})}
        payload = _copied(payload)  # litellm changes its arguments
        for call in chain.from_iterable(m.get("tool_calls") or () for m in payload["messages"]):
            # APIs reject other characters, also in the history.
            name = re.sub(r"[^a-zA-Z0-9_-]", "_", call["function"]["name"])
            call["function"]["name"] = name[:_MAX_NAME] or "unnamed"
        message: dict[str, Any] = self.ask("completion", assistant_message, **payload)
        return message


def tool(name: str, description: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the definition of a tool with required parameters."""
    schema = {"type": "object", "properties": dict(parameters), "required": [*parameters]}
    function = {"name": name, "description": description, "parameters": schema}
    return {"type": "function", "function": function}


def answer_through(
    model: ProviderModel,
    definition: Mapping[str, Any],
    instruction: str,
    question: str,
    **parameters: Any,
) -> Mapping[str, Any]:
    """Return the arguments with which a model calls a tool; empty if it does not call it.

    The ``definition`` is one of :func:`tool`; ``parameters`` are sent with the request. Raises
    ``ProviderError``.
    """
    name = definition["function"]["name"]
    reply = model.ask(
        "completion",
        assistant_message,
        messages=[
            {"role": "system", "content": instruction},
            {"role": "user", "content": question},
        ],
        tools=[definition],
        tool_choice={"type": "function", "function": {"name": name}},
        **parameters,
    )
    return arguments_of(reply, name)


def arguments_of(reply: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return the arguments of the first call of a tool in a reply; empty if there is none."""
    functions = (call["function"] for call in reply.get("tool_calls") or ())
    written = next((f["arguments"] for f in functions if f["name"] == name), None)
    try:
        arguments = json.loads(written or "{}")
    except (ValueError, RecursionError):
        return {}
    return arguments if isinstance(arguments, dict) else {}


def reply_through(name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return a reply that calls a tool."""
    function = {"name": name, "arguments": json.dumps(arguments, ensure_ascii=False)}
    call = {"id": "call-0", "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}

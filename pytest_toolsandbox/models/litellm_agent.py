"""Models of any provider through litellm: ``LitellmModel``, and ``ModelAgent``, the agent.

``answer_through`` asks a model a question that it must answer by calling one tool.
"""

from __future__ import annotations

import contextlib
import copy
import functools
import importlib
import json
import logging
import marshal
import os
import re
import threading
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import chain
from types import ModuleType
from typing import Any, ClassVar, Final

from pytest_toolsandbox.concurrency.time_limit import Countdown, OutOfTime, call_on_a_worker
from pytest_toolsandbox.text.redaction import add_secrets

from .aliases import check_settings
from .chat_replies import (
    add_hidden,
    as_written,
    assistant_message,
    finish_reason_of,
    unreadable_call,
    with_readable_calls,
)
from .errors import INSTALL, ProviderError
from .provider_errors import ProviderFailure, explain, key_variable
from .reasoning import as_sent, whole_message
from .requests import ModelReply, request_context, send_request
from .retrying import ask_with_retries, retries_in
from .usage import UNKNOWN, Usage, usage_in

_SETTINGS = {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",  # else the import fetches a file from the network
    "LITELLM_MODE": "PRODUCTION",  # else the import loads a .env into the environment
}
_LOGGERS = ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy")
_HARMLESS = "Items? '.*' on TypedDict class |Pydantic serializer warnings"
_loading = threading.Lock()


class _Zero(int):
    """A zero that is true: litellm takes a plain 0 as unset, and retries."""

    def __bool__(self) -> bool:
        return True


_NO_RETRIES: Final = {"num_retries": 0, "max_retries": _Zero(0)}
_GRACE: Final = 0.5
"""Seconds after the timeout in which litellm may itself raise a timeout error."""


@dataclass(frozen=True)
class LitellmModel:
    """A model of any provider that litellm supports, named ``provider/model``.

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
        """Return what ``read`` makes of litellm's response. Raises ``ProviderError``."""
        add_secrets(self.parameters)

        ask_once = functools.partial(self._reply, function, read, payload)

        def ask() -> ModelReply:
            load_litellm(self.model)  # takes seconds, which no timeout counts
            retries = retries_in(self.model, self.parameters)
            return ask_with_retries(self.model, ask_once, retries)

        return send_request(function, self.model, self.parameters, payload, ask).answer

    def _reply(
        self, function: str, read: Callable[[Any], Any], payload: Mapping[str, Any], seconds: float
    ) -> ModelReply:
        """Ask the provider once, in ``seconds`` at most."""
        litellm = load_litellm(self.model)
        _ignore_harmless_warnings()
        replies: list[str] = []
        timeout = self.parameters.get("timeout", self.timeout)
        overrides = {
            "timeout": min(timeout, seconds) if isinstance(timeout, (int, float)) else timeout,
            "logger_fn": functools.partial(_keep_reply, replies),
        }
        request = {**self.parameters, **overrides, **_NO_RETRIES, "model": self.model, **payload}
        if messages := payload.get("messages"):
            request["messages"] = with_readable_calls([*map(as_sent, messages)])
        try:
            call = functools.partial(getattr(litellm, function), **request)
            response = _response(call, replies)
            answer = read(response)
            if self.gets_own_messages:
                answer = whole_message(answer, response, "".join(replies[-1:]))
            return ModelReply(answer, finish_reason_of(response), self._usage(response))
        except Exception as error:
            missing = _missing_variables(litellm, self.model, self.parameters)
            reply = "".join(replies[-1:])
            failure = ProviderFailure(self.model, error, request["timeout"], missing, reply)
            if read is assistant_message and failure.malformed_call is not None:
                return ModelReply(unreadable_call(failure.malformed_call), None, UNKNOWN)
            raise explain(failure) from error

    def _usage(self, response: Any) -> Usage:
        used = usage_in(getattr(response, "usage", None)) or UNKNOWN
        cost = (getattr(response, "_hidden_params", None) or {}).get("response_cost")
        return request_context().prices.priced(used, self.model, cost if used.tokens else None)


def _keep_reply(replies: list[str], details: Mapping[str, Any]) -> None:
    """Keep the provider's JSON reply, as litellm drops parts of it and fills in others.

    If litellm cannot read a reply, it passes the text of its own error here.
    """
    if isinstance(reply := details.get("original_response"), str) and reply.startswith("{"):
        replies.append(reply)


def _response(call: functools.partial[Any], replies: list[str]) -> Any:
    try:
        response = _in_time(call)
    except Exception:
        if (response := as_written("".join(replies[-1:]))) is None:
            raise
    add_hidden(response, "".join(replies[-1:]))
    return response


def _in_time(call: functools.partial[Any]) -> Any:
    """Return litellm's response within the timeout, which litellm itself applies to each read.

    On the main thread litellm would set an event loop that is never closed. If warnings are errors,
    this fails the test that runs when Python collects it.
    """
    timeout = call.keywords["timeout"]
    limit = timeout + _GRACE if isinstance(timeout, (int, float)) else None  # else httpx's object
    try:
        return call_on_a_worker(call, Countdown(limit))
    except OutOfTime:
        raise TimeoutError from None


def load_litellm(model: str = "a model") -> ModuleType:
    """Import litellm, which takes two seconds, and silence it. Raises ``ProviderError``."""
    with _loading:
        try:
            return _litellm()
        except ModuleNotFoundError as error:
            if error.name != "litellm":
                line = f"litellm cannot be imported: {error}; reinstall: {INSTALL}"
                raise ProviderError(line) from error
            raise ProviderError(f"{model} needs litellm: {INSTALL}") from error


def preload_litellm() -> None:
    """Import litellm before a timeout counts; the first request reports its errors."""
    with contextlib.suppress(ProviderError):
        load_litellm()


@functools.cache
def _litellm() -> ModuleType:
    for name, value in _SETTINGS.items():
        os.environ.setdefault(name, value)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        litellm = importlib.import_module("litellm")
    litellm.suppress_debug_info = True  # type: ignore[attr-defined]  # it is litellm's switch
    for name in _LOGGERS:
        _silence(logging.getLogger(name))
    return litellm


def _ignore_harmless_warnings() -> None:
    """Ignore pydantic's warnings about litellm's classes, which would end a request as errors.

    They come when litellm first uses a class, and when a server sends arguments as an object. The
    filter stays, as ``catch_warnings`` is not thread-safe; pytest removes it after the test.
    """
    if [getattr(entry[1], "pattern", "") for entry in warnings.filters[:1]] != [_HARMLESS]:
        warnings.filterwarnings("ignore", _HARMLESS, UserWarning, "pydantic")


def _silence(logger: logging.Logger) -> None:
    """Remove a logger's terminal output; its records still reach pytest's handlers."""
    for handler in list(logger.handlers):
        is_file = isinstance(handler, logging.FileHandler)
        if isinstance(handler, logging.StreamHandler) and not is_file:
            logger.removeHandler(handler)
    logger.addHandler(logging.NullHandler())  # else logging.lastResort writes to stderr


def _missing_variables(
    litellm: ModuleType, model: str, parameters: Mapping[str, Any]
) -> tuple[str, ...]:
    if "api_key" in parameters:
        return ()
    variable = key_variable(model)
    if not os.environ.get(variable, "set").strip():  # CI sets missing secrets to ""
        return (variable,)
    names = litellm.validate_environment(model=model)["missing_keys"]
    return tuple(name for name in names if name not in os.environ)


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
class ModelAgent(LitellmModel):
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
    model: LitellmModel,
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

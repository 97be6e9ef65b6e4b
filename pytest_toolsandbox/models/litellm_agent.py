"""Models of any provider, as agents under test or for embeddings, through litellm.

Questions that a model answers through one tool, which it must call.
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
from typing import Any, Final

from pytest_toolsandbox.concurrency.garbage_collection import undisturbed
from pytest_toolsandbox.concurrency.time_limit import OutOfTime, call_on_a_worker
from pytest_toolsandbox.text.redaction import add_secrets

from .aliases import check_settings
from .chat_replies import as_written, assistant_message, check_reply, finish_reason
from .errors import INSTALL, ProviderError
from .provider_errors import ProviderFailure, explain, key_variable
from .requests import ModelReply, answered, request_context
from .retrying import asked, own_retries
from .usage import UNKNOWN, Usage, usage_in

_SETTINGS = {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",  # else the import fetches a file from the network
    "LITELLM_MODE": "PRODUCTION",  # else the import loads a .env into the environment
}
_LOGGERS = ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy")
_HARMLESS = "Items? '.*' on TypedDict class |Pydantic serializer warnings"
_loading = threading.Lock()


class _None(int):
    """No retries, and true nevertheless: litellm takes a plain 0 for nothing said, and retries."""

    def __bool__(self) -> bool:
        return True


_NO_RETRIES: Final = {"num_retries": 0, "max_retries": _None(0)}
_GRACE: Final = 0.5
"""Seconds in which litellm may say itself that its time is up."""


@dataclass(frozen=True)
class LitellmModel:
    """A model of any provider that litellm knows, named ``provider/model``.

    ``timeout`` is in seconds, for one answer. ``parameters`` are passed on with every request:
    ``{"temperature": 0}``. What they say of ``timeout``, and of ``max_retries`` or ``num_retries``,
    counts in the place of ``timeout`` above and of what the conversation says of retries.
    Raises ``TypeError`` or ``ValueError`` for values with which nobody can be asked.
    """

    model: str
    timeout: float = 120.0
    parameters: Mapping[str, Any] = field(default_factory=dict, hash=False, repr=False)

    def __post_init__(self) -> None:
        check_settings(self.model, self.timeout, self.parameters)

    def ask(self, function: str, read: Callable[[Any], Any], **given: Any) -> Any:
        """Return what ``read`` makes of litellm's response. Raises ``ProviderError``."""
        add_secrets(self.parameters)

        ask_once = functools.partial(self._reply, function, read, given)

        def ask() -> ModelReply:
            load_litellm(self.model)  # before any time counts
            return asked(self.model, ask_once, own_retries(self.model, self.parameters))

        return answered(function, self.model, self.parameters, given, ask).answer

    def _reply(
        self, function: str, read: Callable[[Any], Any], given: Mapping[str, Any], seconds: float
    ) -> ModelReply:
        """Ask the provider once, in ``seconds`` at most."""
        litellm = load_litellm(self.model)
        _ignore_harmless_warnings()
        replies: list[str] = []
        timeout = self.parameters.get("timeout", self.timeout)
        own = {
            "timeout": min(timeout, seconds) if isinstance(timeout, (int, float)) else timeout,
            "logger_fn": functools.partial(_keep_reply, replies),
        }
        request = {**self.parameters, **own, **_NO_RETRIES, "model": self.model, **given}
        try:
            call = functools.partial(getattr(litellm, function), **request)
            response = _answered(call, replies)
            return ModelReply(read(response), finish_reason(response), self._usage(response))
        except Exception as error:
            missing = _missing(litellm, self.model, self.parameters)
            reply = "".join(replies[-1:])
            failure = ProviderFailure(self.model, error, request["timeout"], missing, reply)
            raise explain(failure) from error

    def _usage(self, response: Any) -> Usage:
        """Return what a response used, as its provider tells, at the prices that are known."""
        used = usage_in(getattr(response, "usage", None)) or UNKNOWN
        cost = (getattr(response, "_hidden_params", None) or {}).get("response_cost")
        return request_context().prices.priced(used, self.model, cost if used.tokens else None)


def _keep_reply(replies: list[str], details: Mapping[str, Any]) -> None:
    """Keep the object that a provider replied; litellm drops words and makes up what is lacking.

    Where it cannot read a reply, it reports the text of its own error in the same way.
    """
    if isinstance(reply := details.get("original_response"), str) and reply.startswith("{"):
        replies.append(reply)


def _answered(call: functools.partial[Any], replies: list[str]) -> Any:
    try:
        response = _in_time(call)
    except Exception:
        if (response := as_written("".join(replies[-1:]))) is None:
            raise
    check_reply("".join(replies[-1:]))
    return response


def _in_time(call: functools.partial[Any]) -> Any:
    """Return what litellm answers within its timeout, which it keeps for each read from a socket.

    On the main thread litellm sets an event loop that is never closed, and where warnings are
    errors that fails whichever test runs when Python finds it.
    """
    timeout = call.keywords["timeout"]
    # Where it is no number, but an object of httpx's, nobody knows how long it is.
    whole = timeout + _GRACE if isinstance(timeout, (int, float)) else None
    try:
        return call_on_a_worker(call, whole)
    except OutOfTime:
        raise TimeoutError from None


def load_litellm(model: str = "a model") -> ModuleType:
    """Import litellm, which takes two seconds, and keep it quiet. Raises ``ProviderError``."""
    with _loading:
        try:
            return _litellm()
        except ModuleNotFoundError as error:
            if error.name != "litellm":
                line = f"litellm cannot be imported: {error}; reinstall: {INSTALL}"
                raise ProviderError(line) from error
            raise ProviderError(f"{model} needs litellm: {INSTALL}") from error


def preload_litellm() -> None:
    """Import litellm before anybody's time counts; what is wrong with it the first request says."""
    with contextlib.suppress(ProviderError):
        load_litellm()


@functools.cache
def _litellm() -> ModuleType:
    for name, value in _SETTINGS.items():
        os.environ.setdefault(name, value)
    with warnings.catch_warnings(), undisturbed():
        warnings.simplefilter("ignore")
        litellm = importlib.import_module("litellm")
    litellm.suppress_debug_info = True  # type: ignore[attr-defined]  # it is litellm's switch
    for name in _LOGGERS:
        _silence(logging.getLogger(name))
    return litellm


def _ignore_harmless_warnings() -> None:
    """Let pydantic speak about litellm's classes without ending the call, if warnings are errors.

    It does so in the middle of a request, when litellm first comes by a class, and when a server
    gives arguments as an object. The filter stays, for ``catch_warnings`` knows no threads; pytest
    takes it away after the test.
    """
    if [getattr(entry[1], "pattern", "") for entry in warnings.filters[:1]] != [_HARMLESS]:
        warnings.filterwarnings("ignore", _HARMLESS, UserWarning, "pydantic")


def _silence(logger: logging.Logger) -> None:
    """Take a logger off the terminal. What it says still reaches handlers above, pytest's say."""
    for handler in list(logger.handlers):
        is_file = isinstance(handler, logging.FileHandler)
        if isinstance(handler, logging.StreamHandler) and not is_file:
            logger.removeHandler(handler)
    logger.addHandler(logging.NullHandler())  # else logging's last resort writes to stderr


def _missing(litellm: ModuleType, model: str, parameters: Mapping[str, Any]) -> tuple[str, ...]:
    if "api_key" in parameters:
        return ()
    variable = key_variable(model)
    if not os.environ.get(variable, "set").strip():  # CI gives secrets that it lacks as ""
        return (variable,)
    names = litellm.validate_environment(model=model)["missing_keys"]
    return tuple(name for name in names if name not in os.environ)


def _copied(given: dict[str, Any]) -> dict[str, Any]:
    """Return a copy of a request: the fast one, where it is of JSON values alone."""
    try:
        copied: dict[str, Any] = marshal.loads(marshal.dumps(given))  # noqa: S302  # our own
    except ValueError:  # what a wrapper of somebody's own has put in
        return copy.deepcopy(given)
    return copied


LONGEST_NAME: Final = 64
"""Characters of a tool's name that the API of OpenAI takes."""


@dataclass(frozen=True)
class ModelAgent(LitellmModel):
    """A model as the agent under test."""

    def __call__(
        self, messages: list[dict[str, Any]], tools: list[dict[str, Any]]
    ) -> dict[str, Any]:
        """Return the next assistant message. Raises ``ProviderError``."""
        given = {"messages": messages, **({"tools": tools} if tools else {})}
        given = _copied(given)  # litellm rewrites what it is given
        for call in chain.from_iterable(one.get("tool_calls") or () for one in given["messages"]):
            name = re.sub(r"[^a-zA-Z0-9_-]", "_", call["function"]["name"])  # as APIs take it back
            call["function"]["name"] = name[:LONGEST_NAME] or "unnamed"
        message: dict[str, Any] = self.ask("completion", assistant_message, **given)
        return message


def tool(name: str, description: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the definition of a tool, all of whose parameters are required."""
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
    """Return the arguments with which a model calls a tool; without any where it does not.

    The ``definition`` is one of :func:`tool`; ``parameters`` go with the request. Raises
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
    """Return the arguments of the first call of a tool in a reply; none where there is none."""
    for call in reply.get("tool_calls") or ():
        if call["function"]["name"] == name:
            return _arguments(call["function"]["arguments"] or "{}")
    return {}


def reply_through(name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return a reply that calls a tool."""
    function = {"name": name, "arguments": json.dumps(arguments, ensure_ascii=False)}
    call = {"id": "call-0", "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def _arguments(written: str) -> Mapping[str, Any]:
    try:
        given = json.loads(written)
    except (ValueError, RecursionError):
        return {}
    return given if isinstance(given, dict) else {}

"""A model as the agent under test, through litellm."""

from __future__ import annotations

import copy
import functools
import importlib
import logging
import os
import threading
import warnings
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from pytest_toolsandbox.wording.redaction import add_secrets

from .errors import ProviderError
from .provider_errors import ProviderFailure, explain, key_variable

Message = dict[str, Any]

INSTALL = 'pip install "pytest-toolsandbox[litellm]"'

_SETTINGS = {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",  # else the import fetches a file from the network
    "LITELLM_MODE": "PRODUCTION",  # else the import loads a .env into the environment
}
_LOGGERS = ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy")
_HARMLESS = "Items? '.*' on TypedDict class |Pydantic serializer warnings"
_loading = threading.Lock()


@dataclass(frozen=True)
class ModelAgent:
    """A model of any provider that litellm knows, named ``provider/model``.

    ``timeout`` is in seconds, for one answer. ``parameters`` are passed on with every request:
    ``{"temperature": 0}``. Nothing is asked twice: an outage is a ``ProviderError`` at once.
    """

    model: str
    timeout: float = 120.0
    parameters: Mapping[str, Any] = field(default_factory=dict, hash=False, repr=False)

    def __call__(self, messages: list[Message], tools: list[dict[str, Any]]) -> Message:
        """Ask for the next assistant message. Raises ``ProviderError`` when there is none."""
        add_secrets(self.parameters)
        litellm = load_litellm()
        _ignore_harmless_warnings()
        try:
            response = _on_a_thread(litellm.completion, self._request(messages, tools))
        except Exception as error:
            missing = self._missing(litellm)
            failure = ProviderFailure(self.model, error, self.timeout, missing)
            raise ProviderError(explain(failure)) from error
        return _assistant_message(self.model, response)

    def _request(self, messages: list[Message], tools: list[dict[str, Any]]) -> dict[str, Any]:
        request = {
            **self.parameters,
            "model": self.model,
            "messages": copy.deepcopy(messages),  # litellm rewrites what it is given
            "timeout": self.timeout,
            "num_retries": 0,
            "max_retries": 0,
        }
        return {**request, "tools": copy.deepcopy(tools)} if tools else request

    def _missing(self, litellm: ModuleType) -> tuple[str, ...]:
        if "api_key" in self.parameters:
            return ()
        names = litellm.validate_environment(model=self.model)["missing_keys"]
        variable = key_variable(self.model)
        if not os.environ.get(variable, "set").strip():  # CI gives secrets that it lacks as ""
            return (variable,)
        return tuple(name for name in names if name not in os.environ)


def load_litellm() -> ModuleType:
    """Import litellm, which takes about two seconds the first time, and keep it quiet.

    Raises ``ProviderError`` if it is not installed.
    """
    with _loading:
        return _litellm()


@functools.cache
def _litellm() -> ModuleType:
    for name, value in _SETTINGS.items():
        os.environ.setdefault(name, value)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        litellm = _import()
    litellm.suppress_debug_info = True  # type: ignore[attr-defined]  # it is litellm's switch
    for name in _LOGGERS:
        _silence(logging.getLogger(name))
    return litellm


def _import() -> ModuleType:
    try:
        return importlib.import_module("litellm")
    except ModuleNotFoundError as error:
        if error.name != "litellm":
            raise ProviderError(
                f"litellm cannot be imported: {error}; reinstall: {INSTALL}"
            ) from error
        raise ProviderError(f"a model as the agent needs litellm: {INSTALL}") from error


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
        if isinstance(handler, logging.StreamHandler) and not isinstance(
            handler, logging.FileHandler
        ):
            logger.removeHandler(handler)
    logger.addHandler(logging.NullHandler())  # else logging's last resort writes to stderr


def _on_a_thread(function: Callable[..., Any], arguments: Mapping[str, Any]) -> Any:
    """Call litellm where it cleans up behind itself.

    On the main thread it sets an event loop that nobody closes, and where warnings are errors
    that fails whichever test runs when Python finds it. The thread is a daemon, so that Ctrl-C
    does not wait for the answer.
    """
    outcome: Future[Any] = Future()

    def run() -> None:
        try:
            outcome.set_result(function(**arguments))
        except BaseException as error:  # noqa: BLE001  # it goes to the thread that waits
            outcome.set_exception(error)

    threading.Thread(target=run, name="litellm", daemon=True).start()
    return outcome.result()


def _assistant_message(model: str, response: Any) -> Message:
    choices = getattr(response, "choices", None)
    if not choices:
        raise ProviderError(f"{model}: the reply has no choices; check the model server")
    message = getattr(choices[0], "message", None)
    if message is None:
        raise ProviderError(
            f"{model}: the reply has no message; do not set stream in the parameters"
        )
    calls = [_tool_call(call) for call in message.tool_calls or ()]
    if calls:
        return {"role": "assistant", "content": message.content, "tool_calls": calls}
    if not message.content and choices[0].finish_reason == "content_filter":
        raise ProviderError(
            f"{model}: the provider's content policy withheld the reply; "
            "change the scenario's words, or use another model"
        )
    return {"role": "assistant", "content": message.content or ""}


def _tool_call(call: Any) -> dict[str, Any]:
    """Keep what an assistant message is made of; a call without a name is the model's mistake."""
    function = {"name": call.function.name or "", "arguments": call.function.arguments}
    return {"id": call.id, "type": "function", "function": function}

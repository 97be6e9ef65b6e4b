"""Ask models of any provider through litellm: imported once and late, and silenced."""

from __future__ import annotations

import functools
import importlib
import logging
import os
import threading
import warnings
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any, Final

from .chat_replies import add_hidden, as_written
from .errors import INSTALL_LITELLM, ProviderError
from .provider_errors import key_variable
from .providers import FORCED

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


def _keep_reply(replies: list[str], details: Mapping[str, Any]) -> None:
    """Keep the provider's JSON reply, as litellm drops parts of it and fills in others.

    If litellm cannot read a reply, it passes the text of its own error here.
    """
    if isinstance(reply := details.get("original_response"), str) and reply.startswith("{"):
        replies.append(reply)


def respond(function: str, model: str, request: Mapping[str, Any], replies: list[str]) -> Any:
    """Return litellm's response; the provider's reply is added to ``replies`` as it came.

    Raises litellm's exceptions, and :class:`~.provider_errors.ReplyError`. On the main thread,
    litellm would set an event loop that is never closed. If warnings are errors, this fails the
    test that runs when Python collects it.
    """
    litellm = load_litellm(model)
    options = {"logger_fn": functools.partial(_keep_reply, replies), **_NO_RETRIES}
    try:
        response = getattr(litellm, function)(**{**request, **options, "model": _name(model)})
    except Exception:
        if (response := as_written("".join(replies[-1:]))) is None:
            raise
    add_hidden(response, "".join(replies[-1:]))
    return response


def known_parameters(model: str) -> Sequence[str]:
    """Return the parameters that a model is known to take."""
    return load_litellm(model).get_supported_openai_params(model=_name(model)) or ()


def _name(model: str) -> str:
    return model.removeprefix(FORCED)


def load_litellm(model: str = "a model") -> ModuleType:
    """Import litellm, which takes two seconds, and silence it. Raises ``ProviderError``."""
    with _loading:
        try:
            _ignore_harmless_warnings()
            return _litellm()
        except ModuleNotFoundError as error:
            if error.name != "litellm":
                line = f"litellm cannot be imported: {error}; reinstall: {INSTALL_LITELLM}"
                raise ProviderError(line) from error
            line = f"{model} needs litellm: {INSTALL_LITELLM}"
            raise ProviderError.without_package(line) from error


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


def missing_variables(model: str, parameters: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the variables that a request needs and that are not set."""
    if "api_key" in parameters:
        return ()
    variable = key_variable(model)
    if not os.environ.get(variable, "set").strip():  # CI sets missing secrets to ""
        return (variable,)
    names = load_litellm(model).validate_environment(model=_name(model))["missing_keys"]
    return tuple(name for name in names if name not in os.environ)

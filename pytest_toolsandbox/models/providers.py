"""Providers that are asked without litellm: their addresses, keys and headers."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

FORCED: Final = "litellm/"
"""The prefix of a model that is asked through litellm, whatever its provider."""
ANTHROPIC: Final = "anthropic"
_URLS: Final = {
    ANTHROPIC: "https://api.anthropic.com",
    "deepseek": "https://api.deepseek.com",
    "groq": "https://api.groq.com/openai/v1",
    "hosted_vllm": "http://localhost:8000/v1",
    "mistral": "https://api.mistral.ai/v1",
    "moonshot": "https://api.moonshot.ai/v1",
    "openai": "https://api.openai.com/v1",
    "openrouter": "https://openrouter.ai/api/v1",
    "together_ai": "https://api.together.ai/v1",
    "xai": "https://api.x.ai/v1",
}
"""Provider, as litellm names it → base URL, unless ``PROVIDER_API_BASE`` or a parameter sets it."""
_BASES: Final = {
    ANTHROPIC: ("ANTHROPIC_API_BASE", "ANTHROPIC_BASE_URL"),
    "openai": ("OPENAI_BASE_URL", "OPENAI_API_BASE"),
}
_KEYS: Final = {"together_ai": ("TOGETHER_API_KEY", "TOGETHER_AI_API_KEY", "TOGETHERAI_API_KEY")}
RENAMED: Final[Mapping[str, Mapping[str, str]]] = {"mistral": {"seed": "random_seed"}}
"""Provider → OpenAI's name of a parameter → the provider's."""
_WITHOUT_KEY: Final = {"hosted_vllm"}
_HEADERS: Final = {
    "openai": {"openai-organization": "OPENAI_ORG_ID", "openai-project": "OPENAI_PROJECT_ID"}
}
"""Header → the variable with its value."""
_VERSION: Final = {"anthropic-version": "2023-06-01"}


@dataclass(frozen=True)
class Endpoint:
    """Where a model is asked, under which ``name``, with which headers."""

    provider: str
    name: str
    url: str
    headers: Mapping[str, str] = field(repr=False)


def is_known(model: str) -> bool:
    """Return whether a ``provider/model`` is asked without litellm."""
    return _provider(model) in _URLS


def known_parameters(model: str) -> Sequence[str]:
    """Return which of the parameters that not every API has a model takes."""
    return ("tool_choice",) if _provider(model) == ANTHROPIC else ("seed", "tool_choice")


def missing_variables(model: str, parameters: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the variable of the key that a request needs, if it is not set."""
    provider = _provider(model)
    is_able = provider in _WITHOUT_KEY or _credentials(provider, parameters)
    return () if is_able else _keys(provider)[:1]


def endpoint(model: str, parameters: Mapping[str, Any]) -> Endpoint:
    """Return where a model is asked: parameters override the environment."""
    provider, _, name = model.partition("/")
    bases = _BASES.get(provider, (f"{provider.upper()}_API_BASE",))
    urls = (parameters.get("api_base"), parameters.get("base_url"), _first_set(bases))
    url = str(next(filter(None, urls), _URLS[provider])).rstrip("/")
    values = {name: os.environ.get(of) for name, of in _HEADERS.get(provider, {}).items()}
    headers = {name: value for name, value in values.items() if value}
    version = _VERSION if provider == ANTHROPIC else {}
    return Endpoint(provider, name, url, headers | version | _credentials(provider, parameters))


def _credentials(provider: str, parameters: Mapping[str, Any]) -> dict[str, str]:
    """Return the header with the key or token, empty without one."""
    key = parameters.get("api_key") or _first_set(_keys(provider))
    if key and provider == ANTHROPIC:
        return {"x-api-key": str(key)}
    token = key or (os.environ.get("ANTHROPIC_AUTH_TOKEN") if provider == ANTHROPIC else None)
    return {"authorization": f"Bearer {token}"} if token else {}


def _provider(model: str) -> str:
    return model.partition("/")[0]


def _keys(provider: str) -> tuple[str, ...]:
    return _KEYS.get(provider, (f"{provider.upper()}_API_KEY",))


def _first_set(variables: Iterable[str]) -> str | None:
    """Return the first value that is set; CI sets missing secrets to an empty one."""
    return next(filter(None, map(os.environ.get, variables)), None)

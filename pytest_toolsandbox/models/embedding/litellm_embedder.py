"""An embedding model of a provider, through litellm."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from types import MappingProxyType, ModuleType
from typing import Any, Final

from pytest_toolsandbox.matchers.embedding import EmbedderError
from pytest_toolsandbox.models.errors import AgentError
from pytest_toolsandbox.models.litellm_agent import INSTALL, load_litellm
from pytest_toolsandbox.models.provider_errors import ProviderFailure, explain
from pytest_toolsandbox.wording.phrases import counted

TIMEOUT: Final = 30.0
"""Seconds that a provider has for one answer."""

_OTHER_WORDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "the reply is not a chat completion": "the reply is not a list of embeddings",
        "the conversation is longer than": "a text is longer than",
        "policy refuses the conversation": "policy refuses a text",
        "; check the parameters": "; check that it is an embedding model",
    }
)
"""How a failure of a conversation reads where it is one of an embedding."""


@dataclass(frozen=True)
class EmbeddingModel:
    """An embedding model of any provider that litellm knows, named ``provider/model``.

    ``timeout`` is in seconds, for one answer. Nothing is asked twice.
    """

    model: str
    timeout: float = TIMEOUT

    def __call__(self, texts: list[str]) -> Sequence[Sequence[float]]:
        """Return the vectors of some texts, in one request. Raises :class:`EmbedderError`."""
        litellm = self._litellm()
        try:
            response = self._response(litellm, texts)
        except Exception as error:
            failure = _Failure(self.model, error, self.timeout, _missing_keys(litellm, self.model))
            raise EmbedderError(_explained(failure)) from error
        return self._vectors(response, len(texts))

    def _litellm(self) -> ModuleType:
        if find_spec("litellm") is None:
            raise EmbedderError(f"{self.model}: an embedding model needs litellm: {INSTALL}")
        try:
            return load_litellm()
        except AgentError as error:
            raise EmbedderError(f"{self.model}: {error}") from error

    def _response(self, litellm: ModuleType, texts: list[str]) -> Any:
        """Ask on a thread: on the main one litellm leaves an event loop open, with a warning."""
        with ThreadPoolExecutor(1, thread_name_prefix="litellm") as pool:
            return pool.submit(
                litellm.embedding,
                model=self.model,
                input=list(texts),
                timeout=self.timeout,
                num_retries=0,
                max_retries=_None(0),
            ).result()

    def _vectors(self, response: Any, count: int) -> list[Any]:
        rows = list(getattr(response, "data", None) or ())
        if len(rows) != count:
            raise EmbedderError(
                f"{self.model}: the reply has {counted(len(rows), 'embedding')} for "
                f"{counted(count, 'text')}; check that it is an embedding model"
            )
        places = [row.get("index") for row in rows]
        if set(places) == set(range(count)):
            rows.sort(key=lambda row: row.get("index"))
        return [row.get("embedding") for row in rows]


class _None(int):
    """No retries, and true nevertheless: litellm takes a plain 0 for nothing said, and retries."""

    def __bool__(self) -> bool:
        return True


class _Failure(ProviderFailure):
    """A failure in embedding, where litellm hands on what the provider said in another shape."""

    @cached_property
    def said(self) -> str:
        """The provider's own words."""
        for error in self.chain:
            body = getattr(error, "body", None)
            if isinstance(body, Mapping) and body.get("message"):
                return self.clean(body["message"])
        return super().said


def _explained(failure: ProviderFailure) -> str:
    line = explain(failure)
    for ours, theirs in _OTHER_WORDS.items():
        line = line.replace(ours, theirs)
    return line


def _missing_keys(litellm: ModuleType, model: str) -> tuple[str, ...]:
    names = litellm.validate_environment(model=model)["missing_keys"]
    missing = tuple(name for name in names if name not in os.environ)
    variable = f"{model.partition('/')[0].upper()}_API_KEY"
    is_blank = not os.environ.get(variable, variable).strip()  # a secret that CI does not have
    return missing or (variable,) * is_blank

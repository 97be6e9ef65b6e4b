"""Embedders, for semantic similarity: models of providers or this machine, or a user's own."""

from __future__ import annotations

import functools
import importlib
import threading
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, cast

from pytest_toolsandbox.matchers.embedding import CHOICES, Embedder, EmbedderError
from pytest_toolsandbox.text.formatting import pluralize
from pytest_toolsandbox.text.import_strings import ExpectedCallable, import_callable

from .aliases import model_name
from .errors import ProviderError
from .model_agent import ProviderModel
from .provider_errors import ReplyError, as_clause

_SENTENCE_TRANSFORMERS: Final = "sentence-transformers"

_OTHER_WORDS: Final = (
    ("the reply is not a chat completion", "the reply is not a list of embeddings"),
    ("the conversation is longer than", "a text is longer than"),
    ("policy refuses the conversation", "policy refuses a text"),
    ("; check the parameters", "; check that it is an embedding model"),
)
"""Phrases for a conversation → phrases for an embedding."""
_EXPECTED: Final = ExpectedCallable(
    ("texts",),
    "an embedder takes a list of texts, and a factory, which makes one, nothing",
    "async; make it a plain function",
    f"names no embedder; write {CHOICES}",
    EmbedderError,
)
_loading = threading.Lock()


def resolve_embedder(text: str) -> Embedder:
    """Return the embedder that ``text`` names. Raises :class:`EmbedderError`."""
    provider, _, name = text.partition("/")
    if provider == _SENTENCE_TRANSFORMERS and name:
        return SentenceTransformer(name)
    if model_name(text, {}):
        return EmbeddingModel(text)
    return cast("Embedder", import_callable(text, _EXPECTED))


@dataclass(frozen=True)
class EmbeddingModel(ProviderModel):
    """An embedding model of any provider, named ``provider/model``."""

    timeout: float = 30.0

    def __call__(self, texts: list[str]) -> Sequence[Sequence[float]]:
        """Return the vectors of some texts, in one request. Raises :class:`EmbedderError`."""
        read = functools.partial(_vectors, count=len(texts))
        try:
            vectors: list[Any] = self.ask("embedding", read, input=list(texts))
        except ProviderError as error:
            line = str(error)
            for of_conversation, of_embedding in _OTHER_WORDS:
                line = line.replace(of_conversation, of_embedding)
            raise EmbedderError(line) from error
        return vectors


def _vectors(response: Any, count: int) -> list[Any]:
    rows = list(getattr(response, "data", None) or ())
    if len(rows) != count:
        counts = f"{pluralize(len(rows), 'embedding')} for {pluralize(count, 'text')}"
        raise ReplyError(f"the reply has {counts}; check that it is an embedding model")
    if {row.get("index") for row in rows} == set(range(count)):
        rows.sort(key=lambda row: row.get("index"))
    return [row.get("embedding") for row in rows]


@dataclass(frozen=True)
class SentenceTransformer:
    """A model of sentence-transformers: its name on the Hugging Face hub, or its folder."""

    name: str

    def __call__(self, texts: list[str]) -> Sequence[Sequence[float]]:
        """Return the vectors of some texts. Raises :class:`EmbedderError`."""
        with _loading:
            model = self._model
        vectors: Sequence[Sequence[float]] = model.encode(list(texts), show_progress_bar=False)
        return vectors

    @cached_property
    def _model(self) -> Any:
        reference = f"{_SENTENCE_TRANSFORMERS}/{self.name}"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # torch warns
            try:
                package: Any = importlib.import_module("sentence_transformers")
                return package.SentenceTransformer(self.name)
            except Exception as error:
                if getattr(error, "name", None) == "sentence_transformers":
                    text = f"{reference} needs a package that is not installed: "
                    raise EmbedderError(f"{text}pip install {_SENTENCE_TRANSFORMERS}") from error
                reason = as_clause(f"{type(error).__name__}: {error}")
                remedy = "check its name, and the network if it is not on this machine yet"
                text = f"{reference} cannot be loaded: {reason}; {remedy}"
                raise EmbedderError(text) from error

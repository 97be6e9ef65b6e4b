"""An embedding model of a provider, through litellm."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from pytest_toolsandbox.matchers.embedding import EmbedderError
from pytest_toolsandbox.models.errors import ProviderError
from pytest_toolsandbox.models.litellm_client import LitellmModel
from pytest_toolsandbox.models.provider_errors import ReplyError
from pytest_toolsandbox.wording.phrases import counted

_OTHER_WORDS: Final = (
    ("the reply is not a chat completion", "the reply is not a list of embeddings"),
    ("the conversation is longer than", "a text is longer than"),
    ("policy refuses the conversation", "policy refuses a text"),
    ("; check the parameters", "; check that it is an embedding model"),
)
"""How a failure of a conversation reads where it is one of an embedding."""


@dataclass(frozen=True)
class EmbeddingModel(LitellmModel):
    """An embedding model of any provider that litellm knows, named ``provider/model``."""

    timeout: float = 30.0

    def __call__(self, texts: list[str]) -> Sequence[Sequence[float]]:
        """Return the vectors of some texts, in one request. Raises :class:`EmbedderError`."""
        read = functools.partial(_vectors, count=len(texts))
        try:
            vectors: list[Any] = self.ask("embedding", read, input=list(texts))
        except ProviderError as error:
            line = str(error)
            for ours, theirs in _OTHER_WORDS:
                line = line.replace(ours, theirs)
            raise EmbedderError(line) from error
        return vectors


def _vectors(response: Any, count: int) -> list[Any]:
    rows = list(getattr(response, "data", None) or ())
    if len(rows) != count:
        found = f"{counted(len(rows), 'embedding')} for {counted(count, 'text')}"
        raise ReplyError(f"the reply has {found}; check that it is an embedding model")
    places = [row.get("index") for row in rows]
    if set(places) == set(range(count)):
        rows.sort(key=lambda row: row.get("index"))
    return [row.get("embedding") for row in rows]

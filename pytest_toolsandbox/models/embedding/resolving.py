"""From what the ini option ``sandbox_embedder`` says to an embedder."""

from __future__ import annotations

from typing import cast

from pytest_toolsandbox.matchers.embedding import CHOICES, Embedder, EmbedderError
from pytest_toolsandbox.models.aliases import model_name
from pytest_toolsandbox.wording.import_strings import Expected, ImportStringError, find

from .litellm_embedder import EmbeddingModel
from .sentence_transformer import PACKAGE, SentenceTransformer


def resolve_embedder(text: str) -> Embedder:
    """Return the embedder that ``text`` names.

    ``module:attribute`` is imported at once, and called where it is a factory; a model is loaded,
    or asked, when the first texts are compared. Raises :class:`EmbedderError`.
    """
    provider, _, name = text.partition("/")
    if provider == PACKAGE and name:
        return SentenceTransformer(name)
    if model_name(text, {}):
        return EmbeddingModel(text)
    module, _, attribute = text.partition(":")
    if not (module and attribute):
        raise EmbedderError(f"{text!r} names no embedder; write {CHOICES}")
    try:
        return cast("Embedder", find(text, _EXPECTED))
    except ImportStringError as error:
        raise EmbedderError(str(error)) from error


_EXPECTED = Expected(
    ("texts",),
    "an embedder takes a list of texts, and a factory, which makes one, nothing",
    "async; make it a plain function",
)

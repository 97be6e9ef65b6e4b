"""How alike two free texts are: by the embedder in use or, without one, by their words."""

from __future__ import annotations

import string
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final, Literal

from pytest_toolsandbox.matchers import embedding

SimilarityName = Literal["cosine", "token_f1"]
_NO_PUNCTUATION: Final = str.maketrans("", "", string.punctuation)


@dataclass(frozen=True)
class TextSimilarity:
    """A measure of two texts in [0, 1], and its name for reports."""

    name: SimilarityName
    measure: Callable[[str, str], float]

    def __call__(self, one: str, other: str) -> float:
        """Return the similarity; the same text is 1. Raises ``EmbedderError``."""
        return 1.0 if one == other else self.measure(one, other)


def text_similarity_in_use() -> TextSimilarity:
    """Return the cosine of the embedder in use, or token F1 without one."""
    try:
        embeddings = embedding.current()
    except embedding.EmbedderError:
        return TextSimilarity("token_f1", token_f1)
    return TextSimilarity("cosine", partial(_cosine, embeddings))


def _cosine(embeddings: embedding.Embeddings, one: str, other: str) -> float:
    """Return the cosine; a blank text is like blank ones alone, and no embedder is asked."""
    if not one.strip() or not other.strip():
        return float(one.strip() == other.strip())
    return embeddings.similarity(one, other)


def token_f1(one: str, other: str) -> float:
    """Return the F1 of the words of two texts, in [0, 1]; each counts as often as it occurs.

    Case and ASCII punctuation do not count: ``it's`` is the word ``its``. Two texts without words
    are alike, one with words and one without have nothing in common.
    """
    words, others = (text.casefold().translate(_NO_PUNCTUATION).split() for text in (one, other))
    if not words and not others:
        return 1.0
    shared = (Counter(words) & Counter(others)).total()
    return 2 * shared / (len(words) + len(others))

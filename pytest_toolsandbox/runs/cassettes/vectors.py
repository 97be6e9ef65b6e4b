"""The vectors of texts whose meanings a trial compares, as a cassette has them."""

from __future__ import annotations

import base64
import sys
from array import array
from collections.abc import Mapping, Sequence
from typing import Any

from pytest_toolsandbox.matchers.embedding import Embedder

from .chats import cleaned


def written_vector(vector: Sequence[Any]) -> str:
    """Return the numbers of a vector with seven digits each, in base64."""
    numbers = array("f", map(float, vector))
    if sys.byteorder == "big":
        numbers.byteswap()
    return base64.b64encode(numbers.tobytes()).decode()


def read_vector(text: str) -> list[float]:
    """Return the numbers of a written vector."""
    numbers = array("f", base64.b64decode(text))
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tolist()


class RecordedVectors:
    """An embedder that gives what is ``kept``; what is not, it has from ``ask``, and keeps it."""

    def __init__(self, kept: Mapping[str, str], ask: Embedder) -> None:
        self.kept = dict(kept)
        self._ask = ask

    def __call__(self, texts: list[str]) -> list[list[float]]:
        """Return a vector for each text. Raises what ``ask`` raises."""
        if new := [text for text in texts if cleaned(text) not in self.kept]:
            vectors = map(written_vector, self._ask(new))
            self.kept.update(zip(map(cleaned, new), vectors, strict=True))
        return [read_vector(self.kept[cleaned(text)]) for text in texts]

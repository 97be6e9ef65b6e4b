"""Sentence embeddings: the embedder in use, its cache, and the similarity of two texts."""

from __future__ import annotations

import inspect
import math
import threading
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final

from pytest_toolsandbox.text.error_text import blamed, describe_exception
from pytest_toolsandbox.text.formatting import pluralize, type_name

CHOICES: Final = "module:attribute, provider/model or sentence-transformers/NAME"
"""The allowed values of the ini option."""

KEPT: Final = 1024
"""Cached vectors per embedder; with 1536 numbers each they take 13 MB."""


Embedder = Callable[[list[str]], Sequence[Sequence[float]]]
"""Returns a vector for each of several non-empty texts, in order, all of one length.

Texts with similar meanings should get vectors with similar directions; lengths do not matter.
"""


class EmbedderError(Exception):
    """No embedder, or one that fails: the test ends in an error and gets no score."""


class Embeddings:
    """An embedder with a cache; scenarios and threads may share it."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._kept: dict[str, array[float]] = {}
        self._lock = threading.Lock()

    def __call__(self, texts: list[str]) -> list[array[float]]:
        """Return the vectors, scaled to length 1 (or 0), with one request for all new texts."""
        with self._lock:
            known = {text: self._kept[text] for text in texts if text in self._kept}
        unknown = [text for text in dict.fromkeys(texts) if text not in known]
        known |= dict(zip(unknown, self._embed(unknown), strict=True)) if unknown else {}
        with self._lock:
            self._keep(known)
        return [known[text] for text in texts]

    def similarity(self, first_text: str, second_text: str) -> float:
        """Return the cosine of two texts' vectors, in [0, 1]: negative cosines become 0."""
        first, second = self([first_text, second_text])
        if len(first) != len(second):
            raise EmbedderError(_odd(f"vectors of {len(first)} and of {len(second)} numbers"))
        return min(max(sum(a * b for a, b in zip(first, second, strict=True)), 0.0), 1.0)

    def _embed(self, texts: list[str]) -> list[array[float]]:
        with blamed(_failed, EmbedderError):
            return _vectors(self._embedder(list(texts)), len(texts))

    def _keep(self, vectors: dict[str, array[float]]) -> None:
        for text, vector in vectors.items():
            self._kept.pop(text, None)  # so that it becomes the newest
            self._kept[text] = vector
        for text in list(self._kept)[: max(len(self._kept) - KEPT, 0)]:
            del self._kept[text]


_current: ContextVar[Embeddings | None] = ContextVar("embedder", default=None)


@contextmanager
def using(embedder: Embedder | None) -> Iterator[None]:
    """Use an embedder (or none) inside this block, in its thread and the tasks started in it.

    Vectors are cached until the block ends, or as long as the given :class:`Embeddings` lives.
    """
    embeddings = embedder if isinstance(embedder, Embeddings | None) else Embeddings(embedder)
    token = _current.set(embeddings)
    try:
        yield
    finally:
        _current.reset(token)


def in_use() -> Embeddings | None:
    """Return the embedder in use, if there is any."""
    return _current.get()


def current() -> Embeddings:
    """Return the embedder in use. Raises :class:`EmbedderError` without one."""
    embeddings = in_use()
    if embeddings is None:
        raise EmbedderError(
            "the matcher 'semantic' needs an embedder: define a fixture "
            "'embedder' in conftest.py, or set the ini option sandbox_embedder (for toolsandbox "
            f"check, --embedder) to {CHOICES}"
        )
    return embeddings


def _vectors(vectors: Any, count: int) -> list[array[float]]:
    """Check what an embedder returned for ``count`` texts."""
    if inspect.isawaitable(vectors):
        if inspect.iscoroutine(vectors):
            vectors.close()  # otherwise Python warns that it was never awaited
        raise EmbedderError(_odd("a coroutine; make it a plain function, not async"))
    rows = _listed(vectors)
    if rows is None or len(rows) != count:
        what = _kind(vectors) if rows is None else pluralize(len(rows), "vector")
        raise EmbedderError(_odd(f"{what} for {pluralize(count, 'text')}"))
    return [_vector(row) for row in rows]


def _vector(row: Any) -> array[float]:
    """Check one vector and scale it to length 1."""
    numbers = _listed(row)
    if not numbers:
        raise EmbedderError(_odd(f"{_kind(row)} in place of a vector"))
    try:
        vector = array("d", map(float, numbers))
    except OverflowError:
        vector = array("d", [math.inf])
    except (TypeError, ValueError):
        raise EmbedderError(_odd("a vector of something else than numbers")) from None
    if not all(map(math.isfinite, vector)):
        raise EmbedderError(_odd("a vector with a number that is not finite"))
    largest = max(map(abs, vector)) or 1.0
    shares = [number / largest for number in vector]  # so that squares neither overflow nor vanish
    length = math.hypot(*shares) or 1.0
    return array("d", (share / length for share in shares))


def _listed(value: Any) -> list[Any] | None:
    if isinstance(value, (str, bytes, Mapping)):
        return None
    try:
        return list(value)
    except TypeError:
        return None


def _failed(error: BaseException) -> EmbedderError:
    return EmbedderError(f"the embedder failed: {describe_exception(error)}")


def _odd(what: str) -> str:
    return f"the embedder returned {what}; it must return one vector of numbers for every text"


def _kind(value: Any) -> str:
    return "nothing" if value is None or value == [] else type_name(value)

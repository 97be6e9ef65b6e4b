"""A model of the package sentence-transformers, on this machine."""

from __future__ import annotations

import importlib
import threading
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from pytest_toolsandbox.matchers.embedding import EmbedderError
from pytest_toolsandbox.wording.redaction import shown

PACKAGE: Final = "sentence-transformers"

_loading = threading.Lock()


@dataclass(frozen=True)
class SentenceTransformer:
    """An embedder that loads a model when it is first used, and keeps it.

    ``name`` is what the package's own class takes: a model's name on the Hugging Face hub, or a
    folder.
    """

    name: str

    def __call__(self, texts: list[str]) -> Sequence[Sequence[float]]:
        """Return the vectors of some texts. Raises :class:`EmbedderError`."""
        with _loading:
            model = self._model
        vectors: Sequence[Sequence[float]] = model.encode(list(texts), show_progress_bar=False)
        return vectors

    @cached_property
    def _model(self) -> Any:
        reference = f"{PACKAGE}/{self.name}"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what torch warns of is nobody's fault here
            try:
                return _package(reference).SentenceTransformer(self.name)
            except EmbedderError:
                raise
            except Exception as error:
                said = shown(f"{type(error).__name__}: {error}").rstrip(".")
                raise EmbedderError(
                    f"{reference} cannot be loaded: {said}; check its name, and the network if it "
                    "is not on this machine yet"
                ) from error


def _package(reference: str) -> Any:
    try:
        return importlib.import_module("sentence_transformers")
    except ModuleNotFoundError as error:
        if error.name != "sentence_transformers":
            raise
        raise EmbedderError(
            f"{reference} needs a package that is not installed: pip install {PACKAGE}"
        ) from error

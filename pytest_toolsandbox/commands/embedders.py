"""The embedder that ``check`` compares meanings with: the option's, or that of a fixture."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from pytest_toolsandbox.matchers.embedding import Embedder, EmbedderError, Embeddings
from pytest_toolsandbox.models.embedders import resolve_embedder
from pytest_toolsandbox.wording.error_text import describe_exception, place_in
from pytest_toolsandbox.wording.import_strings import accepts

from . import CommandError
from .conftests import Conftests


class Embedders:
    """Gives each file its embedder. Raises ``CommandError`` where the option names none."""

    def __init__(self, option: str | None, conftests: Conftests) -> None:
        self.conftests = conftests
        self.named: Embedder | None = None
        try:
            self.named = Embeddings(resolve_embedder(option)) if option else None
        except EmbedderError as error:
            raise CommandError(f"--embedder: {error}") from error

    def of(self, file: Path) -> Embedder | None:
        """Return the embedder of a scenario file: the option's, or that of the nearest fixture.

        It is made when the first text is embedded: most scenarios compare no meanings.
        """
        fixture = self.conftests.fixture("embedder", file)
        return self.named if self.named is not None or fixture is None else _made_late(fixture)


@cache
def _made_late(fixture: Callable[..., Any]) -> Embedder:
    def embed(texts: list[str]) -> Any:
        return _made(fixture)(texts)

    return Embeddings(embed)


@cache
def _made(fixture: Callable[..., Any]) -> Embedder:
    place = place_in(fixture.__code__.co_filename, fixture.__code__.co_firstlineno)
    if not accepts(fixture):
        text = "takes other fixtures, which toolsandbox check does not make; give --embedder"
        raise EmbedderError(f"{place}: the fixture 'embedder' {text}")
    try:
        made = fixture()
        made = next(made) if inspect.isgenerator(made) else made
    except Exception as error:
        text = f"the fixture 'embedder' raised {describe_exception(error)}"
        raise EmbedderError(f"{place}: {text}") from error
    if not callable(made):
        raise EmbedderError(f"{place}: the fixture 'embedder' gave {made!r}, which is no embedder")
    return made  # type: ignore[no-any-return]

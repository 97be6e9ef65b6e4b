"""An embedder for tests: it knows how near texts are to one text, and who asked for what."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass
class Cosines:
    """Gives the text ``reference`` the cosine 1, and other texts theirs of ``cosines``.

    ``asked`` are the texts of each call.
    """

    reference: str
    cosines: Mapping[str, float]
    asked: list[list[str]] = field(default_factory=list)

    def __call__(self, texts: list[str]) -> list[list[float]]:
        self.asked.append(list(texts))
        cosines = [1.0 if text == self.reference else self.cosines[text] for text in texts]
        return [[cosine, math.sqrt(1 - cosine**2)] for cosine in cosines]


MEASURED = Cosines(
    "See you at 5pm",
    {"Meet you at five in the afternoon": 0.713, "See you at 6pm": 0.795},
)
"""What the model all-MiniLM-L6-v2 says."""

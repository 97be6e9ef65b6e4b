"""The names of perturbations: ``name``, ``name:parameters``, with ``:seed7`` for another seed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Final

from pytest_toolsandbox.text.nearest_name import unknown

from .injected_instructions import InjectedInstructions
from .long_history import LongHistory
from .noisy_user import NoisyUser
from .perturbation import Perturbation
from .renamed import Renamed
from .results_paged import ResultsPaged
from .reworded import Reworded
from .tool_faults import ToolFaults

PERTURBATIONS: Final[Mapping[str, type[Perturbation]]] = {
    kind.name: kind
    for kind in (
        *(Reworded, Renamed, NoisyUser, LongHistory),
        *(InjectedInstructions, ResultsPaged, ToolFaults),
    )
}
"""In the order in which they are applied."""

REWORDING: Final = ("renamed", "reworded", "noisy_user")
"""The perturbations after which the same is asked, in other words or of other people."""

_SEED: Final = re.compile(r"seed(\d{1,9})")


def is_perturbation(part: str) -> bool:
    """Whether a part of a variant's name names a perturbation."""
    return part.partition(":")[0] in PERTURBATIONS


@cache
def read_perturbation(part: str) -> Perturbation:
    """Return the perturbation that a part of a variant's name means. Raises ``ValueError``."""
    name, *parameters = part.split(":")
    if name not in PERTURBATIONS:
        raise ValueError(unknown("perturbation", name, PERTURBATIONS))
    seed = _SEED.fullmatch(parameters[-1]) if parameters else None
    try:
        of_seed = int(seed[1]) if seed else 0
        return PERTURBATIONS[name].read(parameters[: -1 if seed else None], of_seed)
    except ValueError as error:
        raise ValueError(f"{part!r}: {name} {error}") from None

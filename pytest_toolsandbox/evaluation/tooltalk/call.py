"""Calls of tools, predicted by an agent or of the ground truth, and what is said of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pytest_toolsandbox.evaluation.results import Difference


@dataclass(frozen=True)
class Call:
    """A call and what came of it.

    ``arguments`` are without the session's token, and ``None`` where they could not be read.
    ``result`` is a JSON value. ``error`` is the text of what went wrong, without its type.
    ``session`` is whose session the call was made in, as an opaque token, for a tool that needs
    one, and ``user`` whose name that is. ``turn`` numbers the turns of the agent. ``unasked`` names
    the arguments of a predicted call that are differences where the ground truth has none.
    """

    tool: str
    arguments: Mapping[str, Any] | None
    result: Any = None
    error: str | None = None
    session: str | None = None
    turn: int = 0
    user: str | None = None
    unasked: tuple[str, ...] = ()


@dataclass(frozen=True)
class NearestCall:
    """The call of the other side that comes nearest: its place there, and how the two differ.

    Without differences it is a ground-truth call that another prediction has made already.
    """

    place: int
    differences: tuple[Difference, ...]


@dataclass(frozen=True)
class JudgedCall:
    """A predicted call or a ground-truth call; the calls of the other kind are the other side.

    ``plugin`` is the group of its tool, empty for a tool that the world does not have; ``action``
    says whether the tool is an action. ``match`` is the place of the call of the other side with
    which it was matched. A ``bad_action`` is what the paper calls an incorrect action: an unmatched
    prediction whose tool is an action and which was executed without error. ``nearest`` is set for
    an unmatched call where the other side has a call of its tool; a ground-truth call is compared
    with unmatched predictions alone.
    """

    call: Call
    plugin: str
    action: bool
    match: int | None
    bad_action: bool = False
    nearest: NearestCall | None = None

    @property
    def matched(self) -> bool:
        """Whether it was matched with a call of the other side."""
        return self.match is not None

    @property
    def is_look_up(self) -> bool:
        """Whether its tool only finds something out."""
        return bool(self.plugin) and not self.action

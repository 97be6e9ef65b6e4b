"""What evaluation says of each call. Every report of calls reads this."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_toolsandbox.evaluation.results import Difference

from .call import Call


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

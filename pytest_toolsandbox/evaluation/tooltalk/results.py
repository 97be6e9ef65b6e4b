"""What evaluation says of each call. Every report of calls reads this."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_toolsandbox.evaluation.results import Difference

from .call import Call


@dataclass(frozen=True)
class NearestTruth:
    """The true call that a wrong one comes nearest to: its place, and how the wrong one differs.

    Without differences it is one that was made already.
    """

    truth: int
    differences: tuple[Difference, ...]


@dataclass(frozen=True)
class PredictedCall:
    """A call that was made; ``truth`` is the place of the true call that it is, if it is one.

    ``plugin`` is the group of its tool, empty for a tool that the world does not have. A
    ``bad_action`` is one that the paper calls incorrect: it is no true call, its tool is an action,
    and it was executed without error. ``nearest`` is what comes nearest to a call that is no true
    one, of the true calls of its tool, if there is any.
    """

    call: Call
    plugin: str
    action: bool
    truth: int | None
    bad_action: bool
    nearest: NearestTruth | None = None

    @property
    def matched(self) -> bool:
        """Whether it is a true call."""
        return self.truth is not None


@dataclass(frozen=True)
class NearestCall:
    """What came nearest to a true call that was missed: the call's place, and how it differs."""

    prediction: int
    differences: tuple[Difference, ...]


@dataclass(frozen=True)
class TrueCall:
    """A true call; ``prediction`` is the place of the call that it was made with, if it was.

    Where it was missed, ``nearest`` is what came nearest of the calls of its tool that are no true
    ones, if there is any.
    """

    call: Call
    plugin: str
    prediction: int | None
    nearest: NearestCall | None = None

    @property
    def matched(self) -> bool:
        """Whether it was made."""
        return self.prediction is not None

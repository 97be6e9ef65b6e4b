"""What options say that a scenario may say, too: feedback, trials, prompts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple


class Feedback(NamedTuple):
    """Which arms of feedback are played: one, both, or what the scenario says (none).

    An arm that ``is_default``, since the ini file names it, gives way to what a scenario says.
    """

    arms: tuple[bool, ...] = ()
    is_default: bool = True

    def of(self, said: bool | None) -> bool | None:
        """Return whether a scenario gives feedback, which says so itself or not (``None``)."""
        if len(self.arms) != 1 or (self.is_default and said is not None):
            return said
        return self.arms[0]


class Trials(NamedTuple):
    """How often conversations are played; where the ini file says it, a scenario's own wins."""

    number: int
    is_default: bool
    is_auto: bool = False
    """Whether more are played until a baseline decides, of each scenario the same number."""

    def of(self, own: int | None) -> int:
        """Return how often the conversation of a scenario is played."""
        return own if own and self.is_default and not self.is_auto else self.number


ONCE: Final = Trials(1, is_default=True)


class Prompts(NamedTuple):
    """System prompts by name; where the ini file names them, they give way to a scenario's own."""

    texts: Mapping[str, str] = MappingProxyType({})
    is_default: bool = True

    def names(self, own: str | None) -> Sequence[str]:
        """Return with which prompts a scenario is played, if with several; it may have its own."""
        is_own = bool(own) and self.is_default
        return () if is_own or len(self.texts) == 1 else tuple(self.texts)

    def text(self, own: str | None, name: str | None) -> str | None:
        """Return what the agent of a scenario is told, with the prompt of a name or the only one.

        ``None`` leaves it to the scenario.
        """
        if not self.texts or (own and self.is_default):
            return own
        return self.texts[name or next(iter(self.texts))]

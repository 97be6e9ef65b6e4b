"""The consent that calls need, and what a message of a user consents to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from .constraints import CallPattern
from .values import Expected


@dataclass(frozen=True)
class ConsentRule:
    """Before each call of a tool, the user must have agreed to exactly that.

    The rule is for calls whose arguments match ``when``. The user must have been told the values of
    the arguments ``told`` and the ``facts``. ``said_as`` maps an argument to pairs: a value, and
    how it is told. With ``confirmed_by``, a call of the user's tools is the consent, not a message.
    """

    tool: str
    told: tuple[str, ...] = ()
    facts: tuple[Expected, ...] = ()
    when: Mapping[str, Expected] = field(default_factory=dict)
    said_as: Mapping[str, tuple[tuple[str, Expected], ...]] = field(default_factory=dict)
    confirmed_by: tuple[CallPattern, ...] = ()


@dataclass(frozen=True)
class Agreement:
    """What a message of a user consents to: these calls, or all that it was told if there are none.

    With ``withdraws``, it takes back what was agreed before and not done yet.
    """

    calls: tuple[CallPattern, ...] = ()
    withdraws: bool = False

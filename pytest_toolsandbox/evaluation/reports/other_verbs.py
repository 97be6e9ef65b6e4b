"""Verbs of reports for what tools of other names do: ``I've reserved it``, after ``place_hold``."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from pytest_toolsandbox.matchers.normal_text import split
from pytest_toolsandbox.matchers.statements.stems import stem

_GROUPS: Final = """
booked reserved ordered arranged hired rented hold appointment schedule slot seat ticket allocate
    enrol enroll enrolment enrollment register spot place pickup collection
bought purchased ordered paid order checkout basket cart charge subscription
paid wired transferred deposited donated tipped charged billed settle payment fee invoice balance
    amount debit credit transaction installment
transferred moved reassign assign handover forward money payment transaction
refunded returned reimburse credit reverse chargeback
subscribed registered enrolled signed subscription plan membership member participant join
    waitlist waiting roster attendee
unsubscribed subscription plan membership optout
blocked locked freeze frozen suspend disable ban deactivate
unlocked opened released unblock unfreeze restore enable activate reset access active
opened raised raise submitted lodged filed reopen ticket case account
returned restored give
submitted registered filed apply application request claim ticket case form complaint
invited attendee participant member guest
archived stored closed hide
installed deploy software licence license package app assign
downloaded exported fetch
uploaded posted attached import file attachment
printed label
restarted rebooted reset power
muted silenced quiet notification notifications
mailed emailed faxed posted mail email fax post notify notification newsletter
published posted release comment
shipped dispatch deliver delivery shipment fulfil fulfill
cooked prepared kitchen
sold trade position
invested bought traded fund order position portfolio
signed contract agreement approve consent
cleaned watered heated preheated clean water heat
""".replace("\n    ", " ")
"""Each line: words for one thing that is done, and those by which tools and tables name it."""
_SAME: Final = [frozenset(map(stem, split(line))) for line in _GROUPS.strip().splitlines()]

_WORD_END: Final = re.compile(r"[_.-]|(?<=[a-z])(?=[A-Z])")


def verbs_of(tools: Iterable[str]) -> frozenset[str]:
    """Return the stems of the first words of tools' names."""
    return frozenset(stem(_WORD_END.split(name)[0].casefold()) for name in tools)


def is_named(verb: str, named: frozenset[str]) -> bool:
    """Whether the stem of a verb, or of a word for the same, is among those ``named``."""
    return verb in named or any(verb in one and named & one for one in _SAME)

"""What an answer names as an alternative to the right one: ``Ada or Bob``, ``5 (or 6)``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from typing import Final

from pytest_toolsandbox.matchers.quantities.units import with_other_units
from pytest_toolsandbox.wording.sentences import parts

from .asked import Asked
from .fact import plain

_OPEN: Final = re.compile(
    r",?\s\(?(?:and/)?or\s(?:else\s)?(?!so\b|more\b|less\b|roughly|about|around|approx|rather"
    r"|in other)|,?\s\(?alternatively,?\s|,\sif\snot\s",
    re.IGNORECASE,
)
_ONE_OF: Final = re.compile(r"\b(?:one|any|either) of (.{1,60}?),? and ", re.IGNORECASE)
_NUMBER_BEFORE: Final = re.compile(r"(?<![\w.:/,-])(\d[\d,]*(?:\.\d+)?)(?P<unit>\W+\w+)?\W*\Z")
_NUMBER_AFTER: Final = re.compile(r"[^\w]*(\d[\d,]*(?:\.\d+)?)(?![\w:/-]*\d)")
_NAME: Final = r"(?:[A-Z][\w'-]+)(?: [A-Z][\w'-]+)*"
_NAME_BEFORE: Final = re.compile(rf"({_NAME})\W*\Z")
_NAME_AFTER: Final = re.compile(rf"(?:(?:in|at|on|to|the|with|for) )*({_NAME})")


def left_open(text: str, asked: Asked) -> list[str]:
    """Return what a report names as an alternative to them, or in a unit that is another's."""
    lines = (parts(_ONE_OF.sub(r"\1 or ", line)) for line in text.splitlines())
    found = (
        extra
        for sentence in chain.from_iterable(lines)
        for joint in _OPEN.finditer(sentence)
        for extra in (
            *names_beside(joint, asked),
            *_of_two(joint, asked),
        )
    )
    units = with_other_units(text, asked.answers, asked.question)
    extras = dict.fromkeys((*found, *units))
    return [one for one in extras if not any(one != other and one in other for other in extras)]


def names_beside(joint: re.Match[str], asked: Asked) -> Iterator[str]:
    """Yield the wrong names on either side of ``or`` and the like."""
    before, after = joint.string[: joint.start()], joint.string[joint.end() :]
    for name in asked.rivals + asked.results_beside:
        whole = rf"(?<!\w){re.escape(name)}"
        if re.search(rf"{whole}\W*\Z", before) or re.match(rf"\W*{whole}(?!\w)", after):
            yield name


def _of_two(joint: re.Match[str], asked: Asked) -> Iterator[str]:
    """Yield the wrong one of two numbers or names that stand on either side of ``or``."""
    before, after = joint.string[: joint.start()], joint.string[joint.end() :]
    for left, right, is_known in (
        (_NUMBER_BEFORE.search(before), _NUMBER_AFTER.match(after), asked.is_number),
        (_NAME_BEFORE.search(before), _NAME_AFTER.match(after), asked.is_fact),
    )[: 1 if "(" in joint[0] else 2]:  # London (or Londinium)
        if not left or not right or _is_converted(left, right):
            continue
        if is_known(left[1]) != is_known(right[1]):
            yield right[1] if is_known(left[1]) else left[1]
    if re.search(r"\beither\b(?! way)", before, re.IGNORECASE):
        yield joint.string.strip()


def _is_converted(left: re.Match[str], right: re.Match[str]) -> bool:
    """Whether two numbers have units that differ: ``526 minutes or 8 hours``."""
    unit = re.match(r"\W*([^\W\d_]+)", right.string[right.end() :])
    own = left.groupdict().get("unit")
    return unit is not None and own is not None and plain(own) != unit[1]

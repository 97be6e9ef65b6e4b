"""Matchers: how one expected value is compared with one found value.

Each module registers its own; importing this package makes the built-in ones known.
"""

from . import (
    combining as combining,
    contains as contains,
    exact as exact,
    mentions as mentions,
    number as number,
    pairs as pairs,
    phone_number as phone_number,
    rouge_l as rouge_l,
    semantic as semantic,
    statement as statement,
)
from .matcher import Deciding, Matcher, MatcherMistake, Reading, below
from .registry import matcher, names, read, shape

__all__ = [
    "Deciding",
    "Matcher",
    "MatcherMistake",
    "Reading",
    "below",
    "matcher",
    "names",
    "read",
    "shape",
]

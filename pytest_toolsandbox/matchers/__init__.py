"""Matchers: how one expected value is compared with one found value.

Each module registers its own; importing this package makes the built-in ones known.
"""

from . import (
    asks as asks,
    claims as claims,
    combining as combining,
    contains as contains,
    denies as denies,
    exact as exact,
    mentions as mentions,
    number as number,
    pairs as pairs,
    refuses as refuses,
    rouge_l as rouge_l,
    same_facts as same_facts,
    semantic as semantic,
)
from .matcher import Matcher, MatcherMistake, Reading, below
from .registry import matcher, names, read, shape

__all__ = ["Matcher", "MatcherMistake", "Reading", "below", "matcher", "names", "read", "shape"]

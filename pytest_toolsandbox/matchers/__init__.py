"""Matchers: how one expected value is compared with one found value.

Each stands in a module of its own and registers itself there; importing this package makes the
built-in ones known.
"""

from . import (
    all_of as all_of,
    any_of as any_of,
    anything as anything,
    close as close,
    contains as contains,
    exact as exact,
    mentions as mentions,
    negation as negation,
    number as number,
    regex as regex,
    rouge_l as rouge_l,
    semantic as semantic,
)
from .matcher import Matcher, MatcherMistake, Reading, below
from .registry import matcher, names, read, shape

__all__ = ["Matcher", "MatcherMistake", "Reading", "below", "matcher", "names", "read", "shape"]

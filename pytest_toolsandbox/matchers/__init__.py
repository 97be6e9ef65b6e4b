"""Matchers: compare an expected value with the value of a call, a row or a message.

Every module of this package registers its matchers with ``@matcher`` when it is imported, and
importing the package imports them all. Scores of whole milestones are in ``scoring``.
"""

import importlib
import pkgutil

from .registry import Deciding, Matcher, MatcherMistake, Reading, below, matcher, names, read, shape

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

for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")

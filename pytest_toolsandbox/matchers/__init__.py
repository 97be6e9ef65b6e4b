"""Matchers: compare an expected value with the value of a call, a row or a message.

Importing this package imports its modules, which register their matchers with ``@matcher``. The
scores of whole milestones are in ``scoring``.
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

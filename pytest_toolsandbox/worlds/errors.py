"""Errors that tools of several worlds raise; an agent reads them as ``Type: message``."""

from __future__ import annotations


class NoDataError(Exception):
    """Nothing has the identifier that the call names."""


class DuplicateError(Exception):
    """The change would make a second one of what there can be only one of."""


class WorldError(Exception):
    """A tool of a world raised what it does not declare. One line, with file and line.

    It is the world's fault: an error of the item and never a score.
    """

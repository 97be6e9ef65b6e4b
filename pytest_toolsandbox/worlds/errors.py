"""Errors that tools of several worlds raise; an agent reads them as ``Type: message``."""

from __future__ import annotations


class NoDataError(Exception):
    """Nothing has the identifier that the call names."""


class DuplicateError(Exception):
    """The change would make a second one of what there can be only one of."""

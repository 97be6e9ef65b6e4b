"""The commands beside a test run."""


class CommandError(Exception):
    """Why a command cannot do its work: lines for the user."""

"""The ``toolsandbox`` commands: each is a function with its arguments, registered by ``@command``.

What several commands share is in ``support``. Commands do not know pytest: what its ini file says
is handed to them as a ``Project``. Modules import what is slow to import inside functions.
"""


class CommandError(Exception):
    """A command cannot do its work; the text is for the user, ``status`` is the exit status."""

    def __init__(self, text: str, status: int = 1) -> None:
        super().__init__(text)
        self.status = status

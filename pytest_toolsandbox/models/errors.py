"""What an agent raises that cannot answer."""

from __future__ import annotations

from typing import Final

INSTALL: Final = 'pip install "pytest-toolsandbox[litellm]"'
"""What installs the packages that models need."""


class AgentError(Exception):
    """The agent could not answer: an error of the item, and never a score. One line."""


class JudgeError(Exception):
    """A judge of words is none, or has no opinion: an error of the item. One line."""


class ProviderError(AgentError):
    """A model gave no answer: an outage, a key, a quota, a model server. One line, for the user.

    ``status`` is that of HTTP with which the provider refused, if it did. A fault that
    ``is_passing`` may be gone after ``retry_after`` seconds, where the provider says so. Without
    a key (``lacks_key``) nothing is asked. ``tries`` is how often it was asked: 0 where a cassette
    stands in its place, or its parameters are refused.
    """

    def __init__(
        self,
        line: str,
        status: int | None = None,
        *,
        is_passing: bool = False,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(line)
        self.status, self.is_passing, self.retry_after = status, is_passing, retry_after
        self.lacks_key = False
        self.tries = 0

    def __str__(self) -> str:
        line = super().__str__()
        return f"{line} ({self.tries} tries)" if self.tries > 1 else line

"""What an agent raises that cannot answer.

Which errors of other people's libraries say that a provider gave no answer.

An agent of one's own, or of a framework, asks its model by a library of its own. What that raises
is told by its class, its HTTP status and whose code raised it, so that none of these libraries is
imported.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from http import HTTPStatus
from traceback import walk_tb
from types import SimpleNamespace
from typing import Any, Final

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


_MODELS: Final = (
    *("openai", "anthropic", "groq", "mistralai", "cohere", "together", "ollama", "litellm"),
    *("huggingface_hub", "google", "botocore", "azure", "pydantic_ai", "strands"),
)
"""Packages that ask models; their errors have statuses of providers."""
_TRANSPORTS: Final = (
    *("httpx", "httpx2", "httpcore", "requests", "urllib3", "aiohttp", "urllib", "http"),
)
"""Packages that ask anybody: a status that they refuse by may be a mistake of the agent's."""
_NO_ANSWER: Final = {
    *("APIConnectionError", "APITimeoutError", "TransportError", "NetworkError", "ProtocolError"),
    *("TimeoutException", "ConnectionError", "Timeout", "ClientConnectionError", "MaxRetryError"),
    *("HTTPClientError", "ServiceRequestError", "ServiceResponseError", "ModelConnectionError"),
    *("ModelTimeoutError", "ModelRequestTimeout", "ModelThrottledException"),
    *("ChunkedEncodingError", "ClientPayloadError", "HttpProcessingError", "TimeoutError"),
    *("URLError", "HTTPException"),
}
"""Classes of these packages, or that their code raises, that stand for no answer at all, or that
are raised for statuses."""
_NOT_WHOLE: Final = {"APIError", "JSONDecodeError"}
"""Those of packages that ask models for an error, or no JSON, in the middle of an answer."""
_MADE_UP: Final = {"HttpProcessingError"}
"""Those with statuses that no server gave: what came was no HTTP."""
_BENEATH: Final = {"socket", "ssl", "json", "asyncio", *_TRANSPORTS}
"""Modules whose errors may be those of the code that called them."""
_REFUSED: Final = {
    *(HTTPStatus.UNAUTHORIZED, HTTPStatus.PAYMENT_REQUIRED, HTTPStatus.FORBIDDEN),
    *(HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT),
}
"""Statuses by which a provider refuses a key, an account or the name of a model."""
_OUT: Final = {HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_EARLY, HTTPStatus.TOO_MANY_REQUESTS}
"""Statuses below 500 by which any server says that it cannot answer now."""
_ERRORS: Final = range(HTTPStatus.BAD_REQUEST, 600)
_STATUSES: Final = ("status_code", "code", "status")


def outage_or(error: BaseException, line: str, own: type[Exception]) -> Exception:
    """Return a ``ProviderError`` of a line where an outage led to an error, else one of ``own``.

    What an agent raises while it deals with an outage is its own. A rejected request (400, 422)
    is, too.
    """
    for one in _led_to(error):
        status, roots = _status(one), _packages(one)
        is_of_models = not roots.isdisjoint(_MODELS)
        if not is_of_models and roots.isdisjoint(_TRANSPORTS):
            continue
        known = _NO_ANSWER | _NOT_WHOLE if is_of_models else _NO_ANSWER
        without = not known.isdisjoint(_names(one))
        if without if status is None else is_out(status, is_of_models=is_of_models):
            return ProviderError(line, status)
    return own(line)


def is_out(status: int, *, is_of_models: bool = True) -> bool:
    """Whether by a status a server, or a provider of models, gives nobody an answer now."""
    is_any = status in _OUT or status >= HTTPStatus.INTERNAL_SERVER_ERROR
    return is_any or (is_of_models and status in _REFUSED)


def _names(error: BaseException) -> set[str]:
    return {each.__name__ for each in type(error).__mro__}


def _packages(error: BaseException) -> set[str]:
    """Return the packages of an error's classes, and of the code that raised it or asked for it."""
    roots = {each.__module__.partition(".")[0] for each in type(error).__mro__}
    frames = [frame.f_globals.get("__name__") for frame, _ in walk_tb(error.__traceback__)]
    for name in reversed(frames):
        root = str(name).partition(".")[0]
        roots.add(root)
        if root not in _BENEATH:
            break
    return roots


def _led_to(error: BaseException, *known: BaseException) -> Iterator[BaseException]:
    """Yield an error, and those that it was raised from or that it holds."""
    yield error
    held = error.exceptions if isinstance(error, BaseExceptionGroup) else ()
    for one in (error.__cause__, *held):
        if one is not None and one not in (error, *known):
            yield from _led_to(one, error, *known)


def _status(error: BaseException) -> int | None:
    """Return the HTTP status in an error, or in the response that it has."""
    if not _MADE_UP.isdisjoint(_names(error)):
        return None
    response: Any = getattr(error, "response", None)
    if isinstance(response, Mapping):  # of AWS
        response = SimpleNamespace(code=response.get("ResponseMetadata", {}).get("HTTPStatusCode"))
    for holder in (error, response):
        for name in _STATUSES:
            status = getattr(holder, name, None)
            if type(status) is int and status in _ERRORS:
                return status
    return None

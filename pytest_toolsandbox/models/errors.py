"""``AgentError``, ``ProviderError`` and ``JudgeError``; and which errors are outages of a provider.

A custom agent, or an agent of a framework, asks its model through its own client library.
``outage_or`` classifies its errors by class name, HTTP status and the package that raised them, so
that no client library is imported.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from http import HTTPStatus
from traceback import walk_tb
from types import SimpleNamespace
from typing import Any, Final

INSTALL_HTTPX: Final = 'pip install "pytest-toolsandbox[models]"'
INSTALL_LITELLM: Final = 'pip install "pytest-toolsandbox[litellm]"'


class AgentError(Exception):
    """The agent did not answer, in one line: the item ends in an error, without a score."""


class JudgeError(Exception):
    """A judge cannot be used or has no opinion, in one line: the item ends in an error."""


class ProviderError(AgentError):
    """A model gave no answer (outage, key, quota, model server); the text is one line.

    ``status`` is the HTTP status of a refusal, if any. An error that ``is_passing`` is temporary;
    ``retry_after`` is the pause in seconds that the provider asks for. If it ``lacks_key``, or
    ``lacks_package``, a library that is not installed, no request was sent. ``tries`` counts the
    requests: 0 if a cassette replaces the provider, or if the parameters are invalid. ``time_left``
    says why a pause that the provider asks for is too long.
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
        self.lacks_key = self.lacks_package = False
        self.tries = 0
        self.time_left = ""

    @classmethod
    def without_package(cls, line: str) -> ProviderError:
        """Return the error of a model whose library is not installed."""
        error = cls(line)
        error.lacks_package = True
        return error

    def __str__(self) -> str:
        tries = f"{self.tries} tries" if self.tries > 1 else ""
        remarks = "; ".join(filter(None, (self.time_left, tries)))
        line = super().__str__()
        return f"{line} ({remarks})" if remarks else line


_MODELS: Final = (
    *("openai", "anthropic", "groq", "mistralai", "cohere", "together", "ollama", "litellm"),
    *("huggingface_hub", "google", "botocore", "azure", "pydantic_ai", "strands"),
)
"""Client libraries of models; the statuses in their errors come from providers."""
_TRANSPORTS: Final = (
    *("httpx", "httpx2", "httpcore", "requests", "urllib3", "aiohttp", "urllib", "http"),
)
"""General HTTP libraries: a status of 4xx may be a mistake of the agent."""
_NO_ANSWER: Final = {
    *("APIConnectionError", "APITimeoutError", "TransportError", "NetworkError", "ProtocolError"),
    *("TimeoutException", "ConnectionError", "Timeout", "ClientConnectionError", "MaxRetryError"),
    *("HTTPClientError", "ServiceRequestError", "ServiceResponseError", "ModelConnectionError"),
    *("ModelTimeoutError", "ModelRequestTimeout", "ModelThrottledException"),
    *("ChunkedEncodingError", "ClientPayloadError", "HttpProcessingError", "TimeoutError"),
    *("URLError", "HTTPException"),
}
"""Their classes of errors for a missing answer, or for a status."""
_INCOMPLETE: Final = "APIError"
"""An error of model clients for an answer that breaks off; the others are of ``json``."""
_MADE_UP: Final = {"HttpProcessingError"}
"""Errors with a status that no server sent, as the answer was not HTTP."""
_BENEATH: Final = {"socket", "ssl", "json", "asyncio", *_TRANSPORTS}
"""Modules whose errors may belong to the code that called them."""
_REFUSED: Final = {
    *(HTTPStatus.UNAUTHORIZED, HTTPStatus.PAYMENT_REQUIRED, HTTPStatus.FORBIDDEN),
    *(HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT),
}
"""Statuses with which a provider refuses a key, an account or a model name."""
_OUT: Final = {HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_EARLY, HTTPStatus.TOO_MANY_REQUESTS}
"""Statuses below 500 with which any server says that it cannot answer now."""
_ERRORS: Final = range(HTTPStatus.BAD_REQUEST, 600)
_STATUSES: Final = ("status_code", "code", "status")


def outage_or(error: BaseException, line: str, error_class: type[Exception]) -> Exception:
    """Return a ``ProviderError`` if an outage caused the error, else an ``error_class``.

    An error that the agent raises while it handles an outage is its own, and so is a rejected
    request (400, 422).
    """
    for cause in _causes(error):
        status, packages = _status(cause), _packages(cause)
        is_of_model = not packages.isdisjoint(_MODELS)
        if not is_of_model and packages.isdisjoint(_TRANSPORTS):
            continue
        if status is None:
            names = _names(cause)
            # Of ``json`` is not only its own error, but also one for a number that is too long.
            is_unreadable = _INCOMPLETE in names or ("json" in packages and "ValueError" in names)
            is_outage = not names.isdisjoint(_NO_ANSWER) or (is_of_model and is_unreadable)
        else:
            is_outage = is_outage_status(status, is_of_model=is_of_model)
        if is_outage:
            return ProviderError(line, status)
    return error_class(line)


def is_outage_status(status: int, *, is_of_model: bool = True) -> bool:
    """Return whether a server, or a provider of models, is unavailable by a status."""
    is_any = status in _OUT or status >= HTTPStatus.INTERNAL_SERVER_ERROR
    return is_any or (is_of_model and status in _REFUSED)


def _names(error: BaseException) -> set[str]:
    return {base.__name__ for base in type(error).__mro__}


def _packages(error: BaseException) -> set[str]:
    """Return the packages of an error's classes, and of the code that raised it or its caller."""
    packages = {base.__module__.partition(".")[0] for base in type(error).__mro__}
    frames = [frame.f_globals.get("__name__") for frame, _ in walk_tb(error.__traceback__)]
    for name in reversed(frames):
        package = str(name).partition(".")[0]
        packages.add(package)
        if package not in _BENEATH:
            break
    return packages


def _causes(error: BaseException, *known: BaseException) -> Iterator[BaseException]:
    """Yield an error, its causes and the members of its group."""
    yield error
    members = error.exceptions if isinstance(error, BaseExceptionGroup) else ()
    for cause in (error.__cause__, *members):
        if cause is not None and cause not in (error, *known):
            yield from _causes(cause, error, *known)


def _status(error: BaseException) -> int | None:
    """Return the HTTP status of an error, or of its response."""
    if not _MADE_UP.isdisjoint(_names(error)):
        return None
    response: Any = getattr(error, "response", None)
    if isinstance(response, Mapping):  # AWS
        response = SimpleNamespace(code=response.get("ResponseMetadata", {}).get("HTTPStatusCode"))
    for holder in (error, response):
        for name in _STATUSES:
            status = getattr(holder, name, None)
            if type(status) is int and status in _ERRORS:
                return status
    return None

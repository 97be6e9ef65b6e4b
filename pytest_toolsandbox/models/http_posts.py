"""Requests to model servers over httpx: one pool, no cookies, no redirects, bounded replies."""

from __future__ import annotations

import atexit
import contextlib
import functools
import importlib
import json
import math
import os
import time
from collections.abc import Mapping
from types import ModuleType, SimpleNamespace
from typing import Any, Final

from pytest_toolsandbox.worlds.json_values import read_lenient_json

from .errors import INSTALL_HTTPX, ProviderError
from .provider_errors import ReplyError, as_clause

_LARGEST: Final = 64 * 2**20
"""Bytes of a reply, decompressed; the longest replies of models have some megabytes."""
_ERRORS: Final = range(400, 600)
_STREAM: Final = ("data:", "event:", ": ", "id:", "retry:")
"""How server-sent events begin."""
_START: Final = 500
"""Characters of a stream that are quoted: there may be an error in it."""
_WHOLE: Final = 'give the parameter extra_body={"stream": False}, or set the server up for it'
_ENVIRONMENT: Final = (
    *("http_proxy", "https_proxy", "all_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY"),
    *("ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR"),
)
"""Variables that httpx reads when a client is made."""


class StatusError(Exception):
    """A server refused a request; the text is the body of its answer, ``body`` what is in it."""

    def __init__(self, status: int, headers: Mapping[str, str], text: str) -> None:
        super().__init__(text)
        self.response = SimpleNamespace(status_code=status, headers=headers)
        with contextlib.suppress(ValueError, RecursionError):
            self.body = read_lenient_json(text)
            if isinstance(self.body, dict) and isinstance(error := self.body.get("error"), dict):
                self.code = error.get("code")


def load_httpx(model: str = "a model") -> ModuleType:
    """Import httpx. Raises ``ProviderError``."""
    try:
        return importlib.import_module("httpx")
    except ModuleNotFoundError as error:
        if error.name != "httpx":
            raise
        line = f"{model} needs httpx: {INSTALL_HTTPX}"
        raise ProviderError.without_package(line) from error


def post(url: str, headers: Mapping[str, str], body: str, timeout: Any) -> str:
    """Return the text of the answer to a JSON body; ``timeout`` is in seconds, or httpx's object.

    Raises :class:`StatusError`, :class:`ReplyError`, and the errors of httpx.
    """
    is_number = isinstance(timeout, (int, float))
    seconds = timeout if is_number and math.isfinite(timeout) else None
    end = time.monotonic() + (seconds or math.inf)
    sent = {"content-type": "application/json", "user-agent": "pytest-toolsandbox", **headers}
    client = _client(os.getpid(), tuple(map(os.environ.get, _ENVIRONMENT)))
    with client.stream(
        "POST",
        url,
        content=body,
        headers=sent,
        timeout=seconds if is_number else timeout,
    ) as response:
        text = _text(response, end)
        if response.is_success:
            return text
        if response.has_redirect_location:  # the key must not go to another server
            text = json.dumps({"error": f"it redirects to {response.headers['location']}"})
        raise StatusError(response.status_code, response.headers, text)


def _text(response: Any, end: float) -> str:
    if "," in response.headers.get("content-encoding", ""):
        # A few kilobytes could become gigabytes before their size is seen.
        raise ReplyError("the reply is compressed more than once; check the server")
    content = bytearray()
    for part in response.iter_bytes():
        content += part
        if len(content) > _LARGEST:
            raise ReplyError(f"the reply is larger than {_LARGEST >> 20} MiB; check the server")
        if time.monotonic() > end:  # httpx limits the time of each read alone
            raise TimeoutError
    return content.decode("utf-8-sig", "replace")  # some servers begin with a byte order mark


@functools.cache
def _client(process: int, environment: tuple[str | None, ...]) -> Any:
    """Return the client of a process, whose threads share it; a fork must not."""
    del process, environment
    httpx, cookies = load_httpx(), importlib.import_module("http.cookiejar")
    client = httpx.Client(
        cookies=cookies.CookieJar(cookies.DefaultCookiePolicy(allowed_domains=[])),
        limits=httpx.Limits(max_connections=None, max_keepalive_connections=100),
    )
    atexit.register(client.close)
    return client


def parsed(text: str) -> Any:
    """Return the JSON value of a reply. Raises :class:`StatusError` for an error in it.

    Some gateways answer with status 200 and have the real one in the code of the error. Raises
    :class:`ReplyError` for a stream, and for an empty reply, as of DeepSeek under load.
    """
    start = text.lstrip()[:_START]
    if not start:
        raise ReplyError("the reply is empty; try again later")
    if start.startswith(_STREAM):
        raise ReplyError(f"the server streams its reply, unasked: {as_clause(start)}; {_WHOLE}")
    if not start.startswith(("{", "[")):
        raise ValueError(text)  # such as a web page
    value = read_lenient_json(text)
    if isinstance(value, dict) and isinstance(error := value.get("error"), dict):
        code = error.get("code")
        if not value.get("choices") and isinstance(code, int) and code in _ERRORS:
            raise StatusError(code, {}, text)
    return value

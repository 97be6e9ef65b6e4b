"""Which texts are secrets: by the name that they have in the environment or in parameters."""

from __future__ import annotations

import base64
import json
import os
import re
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from typing import Any, Final
from urllib.parse import parse_qsl, quote, quote_plus, unquote, urlsplit

SHORTEST: Final = 8
"""Characters of a secret: a shorter value is a switch or a number, or an ordinary word."""
SHORTEST_LINE: Final = 20
"""Characters of one line of a secret of several lines, such as a private key."""

_NAME: Final = re.compile(
    r"(?:^|[^A-Z])(?:[A-Z]*API)?(?:KEYS?|[A-Z]*TOKEN|TOKENS|[A-Z]*SECRETS?|[A-Z]*PASS(?:WORD|WD)?"
    r"|PASSPHRASE|PWD|PAT|CREDENTIALS?|AUTH|AUTHORIZATION|JWT|DSN|COOKIE|SIGNATURE|SIG"
    r"|CONN(?:ECTION)?_?STR(?:ING)?S?|WEBHOOKS?)(?:[^A-Z]|$)"
)
_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_VARIABLE: Final = re.compile(r"[A-Z_][A-Z0-9_]*")
_SCHEME: Final = re.compile(r"(?i:bearer|basic|token)\s+(\S+)")
_TOKEN: Final = re.compile(r"(?=.*\d).{8,}|.{20,}")
"""A user in a URL who is a token, and not the name of somebody."""
_NO_PASSWORDS: Final = {None, "", "x-oauth-basic"}
"""What a URL has for a password where its user is a token."""
_KEY: Final = re.compile(r"[\w .-]+")
_PAIR: Final = re.compile(
    r"(?<![\w.-])([\w.-]++)\s*+[=:]\s*+((?i:(?:bearer|basic|token)(?:\s++|%20))?[^\s,;]++)"
)
"""One of a list of headers, or of a file within a variable: ``Authorization: Bearer …``."""
_OPTION: Final = re.compile(r"(?<!\S)--([\w.-]++)\s++(\S++)")
_HARMLESS: Final = re.compile(
    r"(?i)accept|content-type|host|http-referer|origin|referer|user-agent|x-title"
)
"""Headers that hold no secret."""


@lru_cache(maxsize=4096)
def is_secret_name(name: str) -> bool:
    """Whether a variable, parameter or header of this name holds a secret: ``DB_PASSWORD``."""
    return bool(_NAME.search(_HUMP.sub("_", name).upper()))


def secrets_of_environment(named: Collection[str] = ()) -> Iterator[str]:
    """Yield the secrets of the environment, and of ``named``: other variables, or secrets."""
    for name, value in os.environ.items():
        if name in named:
            yield from _parts(value)
        # A path, as of GOOGLE_APPLICATION_CREDENTIALS, is no secret.
        elif not (os.path.isabs(value) and os.path.exists(value)):  # noqa: PTH110, PTH117  # of any length
            yield from secrets_in(value, is_secret_name(name))
    yield from (one for one in named if one not in os.environ and not _VARIABLE.fullmatch(one))


def secrets_in(value: Any, named: bool = False) -> Iterator[str]:
    """Yield the secrets in parameters of an agent, at any depth: by names, headers and URLs."""
    if isinstance(value, Mapping):
        for name, item in value.items():
            headers = str(name).lower().endswith("headers") and isinstance(item, Mapping)
            inner = _without_harmless(item) if headers else item
            yield from secrets_in(inner, named or headers or is_secret_name(str(name)))
    elif isinstance(value, (list, tuple, set)):
        for item in value:
            yield from secrets_in(item, named)
    elif isinstance(value, str):
        yield from secrets_in(_json(value))
        found = (*_url_parts(value), *_pair_values(value), *(_parts(value) if named else ()))
        yield from (part for part in found if len(part) >= SHORTEST)


def _without_harmless(headers: Mapping[Any, Any]) -> dict[Any, Any]:
    return {name: one for name, one in headers.items() if not _HARMLESS.fullmatch(str(name))}


def encodings(secret: str) -> set[str]:
    """Return how a secret may be written: plain, for URLs, in JSON or Python, within base64."""
    data = secret.encode("utf-8", "surrogatepass")
    in_json = {json.dumps(secret, ensure_ascii=ascii_only)[1:-1] for ascii_only in (True, False)}
    in_url = {quote(data), quote(data, safe=""), quote_plus(data)}
    in_url |= {re.sub(r"%..", lambda found: found[0].lower(), text) for text in in_url}
    in_base64 = {base64.b64encode(data).decode(), *_inside_base64(data)}
    in_base64 |= {text.translate(str.maketrans("+/", "-_")) for text in in_base64}
    twice = {json.dumps(text)[1:-1] for text in in_json}
    others = in_json | twice | in_url | in_base64 | {repr(secret)[1:-1]}
    return {secret, *(text for text in others if len(text) >= SHORTEST)}


def _inside_base64(data: bytes) -> Iterator[str]:
    """Yield it for each place of three where it may begin, as the password in ``user:password``."""
    for offset, first in enumerate((0, 2, 3)):
        text = base64.b64encode(b"\0" * offset + data).decode()
        yield text[first : (offset + len(data)) * 8 // 6]


def _parts(value: str) -> Iterator[str]:
    """Yield a secret as it stands, its token, its lines, and what it holds as JSON."""
    whole = value.strip()
    if isinstance(inner := _json(whole), dict):
        yield from secrets_in(inner)
        return
    scheme = _SCHEME.fullmatch(whole)
    yield scheme[1] if scheme else whole
    yield from _user_and_password(scheme[1] if scheme else "")
    if "\n" in whole:
        lines = map(str.strip, whole.splitlines())
        yield from (one for one in lines if len(one) >= SHORTEST_LINE and "-----" not in one)


def _json(value: str) -> Any:
    """Return the mapping or list that a text is as JSON, or ``None``."""
    try:
        return json.loads(value) if value.strip()[:1] in ("{", "[") else None
    except (ValueError, RecursionError):
        return None


def _user_and_password(token: str) -> Iterator[str]:
    try:
        _, colon, password = base64.b64decode(token, validate=True).decode().partition(":")
    except ValueError:
        return
    if colon:
        yield password


def _url_parts(value: str) -> Iterator[str]:
    """Yield the password or token of a URL and those of its query, as they stand and decoded."""
    if "://" not in value:
        return
    try:
        url = urlsplit(value.strip())
    except ValueError:
        return
    if url.password in _NO_PASSWORDS:
        yield from (unquote(user) for user in _TOKEN.findall(url.username or ""))
    elif url.password:
        yield from (url.password, unquote(url.password), f"{url.username}:{url.password}")
    for pair in url.query.split("&"):
        name, _, item = pair.partition("=")
        if is_secret_name(unquote(name)):
            yield from (item, *(decoded for _, decoded in parse_qsl(pair)))


def _pair_values(value: str) -> Iterator[str]:
    """Yield the secrets of a connection string, ``Server=db;Password=…``, and of headers."""
    for pair in value.split(";") if ";" in value else value.split():
        name, _, item = pair.partition("=")
        if item and _KEY.fullmatch(name) and is_secret_name(name.strip()):
            yield item.strip().strip("\"'")
    for name, item in (*_PAIR.findall(value), *_OPTION.findall(value)):
        if is_secret_name(name):
            yield from _parts(unquote(item).strip("\"'"))

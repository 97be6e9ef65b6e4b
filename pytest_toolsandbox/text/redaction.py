"""Redacts secrets in texts, in whatever encoding they occur.

Secrets are values with telling names in the environment or in an agent's parameters, values that
the user names, and texts with the shape of a secret, such as ``sk-...``.
"""

from __future__ import annotations

import base64
import json
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, takewhile
from typing import Any, Final, NamedTuple
from urllib.parse import parse_qsl, quote, quote_plus, unquote, urlsplit

from .formatting import escape_control, one_line
from .secret_shapes import HIDDEN, hide_shapes

_SHORTEST: Final = 8
"""The minimum length of a secret: shorter values are switches, numbers or ordinary words."""
_SHORTEST_LINE: Final = 20
"""The minimum length of a line of a secret with several lines, such as a private key."""

_NAME: Final = re.compile(
    r"(?:^|[^A-Z])(?:[A-Z]*API)?(?:KEYS?|[A-Z]*TOKEN|TOKENS|[A-Z]*SECRETS?|[A-Z]*PASS(?:WORD|WD)?"
    r"|PASSPHRASE|PWD|PAT|CREDENTIALS?|AUTH|AUTHORIZATION|JWT|DSN|COOKIE|SIGNATURE|SIG"
    r"|CONN(?:ECTION)?_?STR(?:ING)?S?|WEBHOOKS?)(?:[^A-Z]|$)"
)
_CURRENT_TEST: Final = "PYTEST_CURRENT_TEST"
"""A variable with the name of a test, which pytest changes in every phase of every test."""
_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_VARIABLE: Final = re.compile(r"[A-Z_][A-Z0-9_]*")
_SCHEME: Final = re.compile(r"(?i:bearer|basic|token)\s+(\S+)")
_TOKEN: Final = re.compile(r"(?=.*\d).{8,}|.{20,}")
"""A user in a URL that is a token and not a name."""
_NO_PASSWORDS: Final = {None, "", "x-oauth-basic"}
"""Passwords in URLs whose user is a token."""
_KEY: Final = re.compile(r"[\w .-]+")
_PAIR: Final = re.compile(
    r"(?<![\w.-])([\w.-]++)[\"']?\s*+[=:]"
    r"(?=\s*+((?i:(?:bearer|basic|token)(?:\s++|%20))?[^\s,;]++))"
)
"""A header or setting in a variable: ``Authorization: Bearer …``. In YAML, a value has others."""
_OPTION: Final = re.compile(r"(?<!\S)--([\w.-]++)\s++(\S++)")
_HARMLESS: Final = re.compile(
    r"(?i)accept|content-type|host|http-referer|origin|referer|user-agent|x-title"
)
"""Headers without secrets."""


@lru_cache(maxsize=4096)
def is_secret_name(name: str) -> bool:
    """Whether a variable, parameter or header with this name is a secret: ``DB_PASSWORD``."""
    return bool(_NAME.search(_HUMP.sub("_", name).upper()))


def _secrets_of_environment(named: Collection[str] = ()) -> Iterator[str]:
    """Yield the secrets in the environment, and those in ``named``: variables or texts."""
    for name, value in os.environ.items():
        if name == _CURRENT_TEST:
            continue
        if name in named:
            yield from _parts(value)
        # A path, as in GOOGLE_APPLICATION_CREDENTIALS, is not a secret.
        elif not (os.path.isabs(value) and os.path.exists(value)):  # noqa: PTH110, PTH117  # Path.exists() raises if the value is too long
            yield from secrets_in(value, is_secret_name(name))
    yield from (n for n in named if n not in os.environ and not _VARIABLE.fullmatch(n))


def secrets_in(value: Any, named: bool = False) -> Iterator[str]:
    """Yield the secrets in an agent's parameters, at any depth: by names, headers and URLs."""
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
        secrets = (*_url_parts(value), *_pair_values(value), *(_parts(value) if named else ()))
        yield from (secret for secret in secrets if len(secret) >= _SHORTEST)


def _without_harmless(headers: Mapping[Any, Any]) -> dict[Any, Any]:
    return {name: value for name, value in headers.items() if not _HARMLESS.fullmatch(str(name))}


def encodings(secret: str) -> set[str]:
    """Return the forms of a secret: plain, in URLs, in JSON or Python, inside base64."""
    data = secret.encode("utf-8", "surrogatepass")
    in_json = {json.dumps(secret, ensure_ascii=ascii_only)[1:-1] for ascii_only in (True, False)}
    in_url = {quote(data), quote(data, safe=""), quote_plus(data)}
    # Libraries write percent escapes in either case.
    in_url |= {re.sub(r"%..", lambda match: match[0].lower(), text) for text in in_url}
    in_base64 = {base64.b64encode(data).decode(), *_inside_base64(data)}
    in_base64 |= {text.translate(str.maketrans("+/", "-_")) for text in in_base64}
    # JSON inside of JSON, such as the arguments of a tool call in a request.
    twice = {json.dumps(text)[1:-1] for text in in_json}
    encoded = in_json | twice | in_url | in_base64 | {repr(secret)[1:-1]}
    return {secret, *(text for text in encoded if len(text) >= _SHORTEST)}


def _inside_base64(data: bytes) -> Iterator[str]:
    """Yield the base64 of data inside a longer text, as a password in ``user:password``.

    Base64 encodes groups of three bytes, so there are three possible offsets.
    """
    for offset, first in enumerate((0, 2, 3)):
        text = base64.b64encode(b"\0" * offset + data).decode()
        yield text[first : (offset + len(data)) * 8 // 6]


def _parts(value: str) -> Iterator[str]:
    """Yield a secret, its token, its long lines, and the secrets in its JSON."""
    whole = value.strip()
    if isinstance(inner := _json(whole), dict):
        yield from secrets_in(inner)
        return
    scheme = _SCHEME.fullmatch(whole)
    yield scheme[1] if scheme else whole
    yield from _user_and_password(scheme[1] if scheme else "")
    if "\n" in whole:
        lines = map(str.strip, whole.splitlines())
        yield from (n for n in lines if len(n) >= _SHORTEST_LINE and "-----" not in n)


def _json(value: str) -> Any:
    """Return the JSON mapping or list in a text, or ``None``."""
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
    """Yield the passwords and tokens in a URL and its query, raw and decoded."""
    if "://" not in value:
        return
    try:
        url = urlsplit(value.strip())
    except ValueError:
        return
    # ``https://TOKEN@host`` and ``https://TOKEN:x-oauth-basic@host`` have the token as user.
    if url.password in _NO_PASSWORDS:
        yield from (unquote(user) for user in _TOKEN.findall(url.username or ""))
    elif url.password:
        yield from (url.password, unquote(url.password), f"{url.username}:{url.password}")
    for pair in url.query.split("&"):
        name, _, item = pair.partition("=")
        if is_secret_name(unquote(name)):
            yield from (item, *(decoded for _, decoded in parse_qsl(pair)))


def _pair_values(value: str) -> Iterator[str]:
    """Yield the secrets in a connection string, ``Server=db;Password=…``, and in headers."""
    for pair in value.split(";") if ";" in value else value.split():
        name, _, item = pair.partition("=")
        if item and _KEY.fullmatch(name) and is_secret_name(name.strip()):
            yield item.strip().strip("\"'")
    for name, item in (*_PAIR.findall(value), *_OPTION.findall(value)):
        if is_secret_name(name):
            yield from _parts(unquote(item).strip("\"'}"))


PART: Final = 12
"""How many characters at the start or end of a truncated secret are enough to hide it."""

_SHORT: Final = 100
_MOST_KEPT: Final = 10_000
"""The cache of redacted texts: how many, of at most how many characters."""
_SHORTEST_NAMED: Final = 4
"""The minimum length of a secret that the user names."""

_WORDS: Final = re.compile(r"[A-Za-z_./\s-]*")


class _Needle(NamedTuple):
    """A text to hide, with its first and its last characters."""

    whole: str
    head: str
    tail: str

    def hide_parts(self, text: str) -> str:
        """Hide the rest of a truncated occurrence."""
        forward = _without(text, self.whole, self.head)
        if self.tail not in forward:
            return forward
        # The end of a secret, searched from the right, is the same problem backwards.
        return _without(forward[::-1], self.whole[::-1], self.tail[::-1])[::-1]


class _Needles(NamedTuple):
    """The texts to hide, longest first: those that are not plain words, and all.

    ``shown_sure`` and ``shown`` cache redacted short texts for each list. A new list has new
    caches, so threads never mix them up.
    """

    sure: list[_Needle]
    all: list[_Needle]
    shown_sure: dict[str, str]
    shown: dict[str, str]


class _Known:
    """The known secrets, and the texts to hide, which are updated when the environment changes."""

    def __init__(self) -> None:
        self._registered: set[str] = set()
        self._named: set[str] = set()
        self._environment: object = None
        self._last_environment: object = None
        self._needles = _Needles([], [], {}, {})

    def add(self, secrets: Iterable[str], named: Iterable[str] = ()) -> None:
        """Add secrets, and names of variables or secrets from the user."""
        before = len(self._registered), len(self._named)
        self._registered.update(secrets)
        self._named.update(named)
        # New secrets invalidate the needles; the environment is compared again in ``needles()``.
        if before != (len(self._registered), len(self._named)):
            self._environment = self._last_environment = None

    def needles(self) -> _Needles:
        """Return the texts to hide."""
        now = getattr(os.environ, "_data", os.environ)  # undecoded, 100 times as fast
        if now != self._last_environment:
            self._last_environment = now = dict(now)
            current = _CURRENT_TEST.encode()  # on Windows, names are not bytes
            now = {name: value for name, value in now.items() if name != current}
            if now != self._environment:
                self._needles = self._made()
                self._environment = now
        return self._needles

    def _made(self) -> _Needles:
        secrets = self._registered | set(_secrets_of_environment(self._named))
        # A secret may contain another one; the longer one must be replaced first.
        ordered = _longest_first(secret for secret in secrets if len(secret) >= _SHORTEST_NAMED)
        needles = {s: list(map(_needle, _longest_first(encodings(s)))) for s in ordered}
        sure = (needles[secret] for secret in ordered if not _WORDS.fullmatch(secret))
        return _Needles([*chain(*sure)], [*chain(*needles.values())], {}, {})


_known = _Known()


def add_secrets(parameters: Any) -> None:
    """Hide the secrets in an agent's parameters from now on."""
    _known.add(secrets_in(parameters))


def add_named_secrets(lines: Iterable[str]) -> None:
    """Hide secrets that the user names from now on: variables of the environment, or texts."""
    _known.add((), filter(None, map(str.strip, lines)))


def redacted(text: str, *, words: bool = True) -> str:
    """Return a text without secrets; with ``words=False``, secrets that are words remain."""
    known = _known.needles()
    needles, kept = (known.all, known.shown) if words else (known.sure, known.shown_sure)
    if len(text) > _SHORT:
        return _redacted_text(text, needles)
    if (shown := kept.get(text)) is None:
        # Clearing is simpler than an LRU cache, and rare.
        if len(kept) >= _MOST_KEPT:
            kept.clear()
        shown = kept[text] = _redacted_text(text, needles)
    return shown


def _redacted_text(text: str, needles: Sequence[_Needle]) -> str:
    # Most texts have no secret: two searches per needle exclude it, before any replacement.
    present = [n for n in needles if n.head in text or n.tail in text]
    for needle in present:
        text = text.replace(needle.whole, HIDDEN)
    # Shapes before parts: other keys begin or end like a secret, as do private keys, web tokens and
    # keys of the same provider, and would have no shape without that.
    text = hide_shapes(text)
    # Whole secrets first: a part of a longer one may be the beginning of a shorter one.
    for needle in present:
        text = needle.hide_parts(text)
    return text


def clean(text: str) -> str:
    """Return a text of several lines, redacted and escaped."""
    return escape_control(redacted(text))


def redacted_line(text: str, limit: int = 200, mark: str = "…") -> str:
    """Return a text in one line: redacted, then truncated and escaped."""
    return one_line(redacted(text), limit, mark)


def redacted_values(value: Any, plain_keys: Collection[str], data: Collection[str]) -> Any:
    """Return a JSON value with its texts redacted.

    The program's own words remain, even if a secret is such a word: keys, except below the keys
    ``data``, and values of the ``plain_keys``.
    """
    # One search through all texts is much faster than a copy of a record without secrets.
    texts = "\n".join(_texts(value))
    return value if redacted(texts) == texts else _redacted(value, plain_keys, data)


def _redacted(
    value: Any,
    plain_keys: Collection[str],
    data: Collection[str],
    inside: bool = False,
    is_plain: bool = False,
) -> Any:
    """Redact a value; ``inside`` data, nothing is the program's own."""
    if isinstance(value, dict):
        return {
            redacted(name, words=inside): _redacted(
                item, plain_keys, data, inside or name in data, not inside and name in plain_keys
            )
            for name, item in value.items()
        }
    if isinstance(value, list):
        return [_redacted(item, plain_keys, data, inside, is_plain) for item in value]
    return redacted(value, words=not is_plain) if isinstance(value, str) else value


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for item in (*value, *value.values()) if isinstance(value, dict) else value:
            yield from _texts(item)


def _without(text: str, whole: str, head: str) -> str:
    """Hide every occurrence of ``head``, as far as it continues like ``whole``."""
    kept, begin = [], 0
    while (at := text.find(head, begin)) >= 0:
        kept.append(text[begin:at])
        pairs = zip(whole, text[at : at + len(whole)], strict=False)
        begin = at + len(list(takewhile(lambda pair: pair[0] == pair[1], pairs)))
    return HIDDEN.join([*kept, text[begin:]])


def _longest_first(texts: Iterable[str]) -> list[str]:
    return sorted(texts, key=lambda text: (-len(text), text))


def _needle(text: str) -> _Needle:
    """Return a text to hide; the start of paths, URLs, words and short secrets is not enough."""
    # Errors and logs truncate texts, so long secrets are also hidden in part. A path or URL has a
    # harmless beginning.
    has_parts = len(text) > PART + 4 and "://" not in text and not _WORDS.fullmatch(text)
    part = PART if has_parts and not text.startswith(("/", "~", ".")) else len(text)
    return _Needle(text, text[:part], text[-part:])

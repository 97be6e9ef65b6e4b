"""What may be shown of a text from outside: no secrets, in whatever encoding they stand there.

A secret is known by its name, in the environment or in an agent's parameters, or because the user
names it; others are found by their shape.

Which texts are secrets: by the name that they have in the environment or in parameters.
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

_SHORTEST: Final = 8
"""Characters of a secret: a shorter value is a switch or a number, or an ordinary word."""
_SHORTEST_LINE: Final = 20
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


def _secrets_of_environment(named: Collection[str] = ()) -> Iterator[str]:
    """Yield the secrets of the environment, and of ``named``: other variables, or secrets."""
    for name, value in os.environ.items():
        if name in named:
            yield from _parts(value)
        # A path, as of GOOGLE_APPLICATION_CREDENTIALS, is no secret.
        elif not (os.path.isabs(value) and os.path.exists(value)):  # noqa: PTH110, PTH117  # of any length
            yield from _secrets_in(value, is_secret_name(name))
    yield from (one for one in named if one not in os.environ and not _VARIABLE.fullmatch(one))


def _secrets_in(value: Any, named: bool = False) -> Iterator[str]:
    """Yield the secrets in parameters of an agent, at any depth: by names, headers and URLs."""
    if isinstance(value, Mapping):
        for name, item in value.items():
            headers = str(name).lower().endswith("headers") and isinstance(item, Mapping)
            inner = _without_harmless(item) if headers else item
            yield from _secrets_in(inner, named or headers or is_secret_name(str(name)))
    elif isinstance(value, (list, tuple, set)):
        for item in value:
            yield from _secrets_in(item, named)
    elif isinstance(value, str):
        yield from _secrets_in(_json(value))
        found = (*_url_parts(value), *_pair_values(value), *(_parts(value) if named else ()))
        yield from (part for part in found if len(part) >= _SHORTEST)


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
    return {secret, *(text for text in others if len(text) >= _SHORTEST)}


def _inside_base64(data: bytes) -> Iterator[str]:
    """Yield it for each place of three where it may begin, as the password in ``user:password``."""
    for offset, first in enumerate((0, 2, 3)):
        text = base64.b64encode(b"\0" * offset + data).decode()
        yield text[first : (offset + len(data)) * 8 // 6]


def _parts(value: str) -> Iterator[str]:
    """Yield a secret as it stands, its token, its lines, and what it holds as JSON."""
    whole = value.strip()
    if isinstance(inner := _json(whole), dict):
        yield from _secrets_in(inner)
        return
    scheme = _SCHEME.fullmatch(whole)
    yield scheme[1] if scheme else whole
    yield from _user_and_password(scheme[1] if scheme else "")
    if "\n" in whole:
        lines = map(str.strip, whole.splitlines())
        yield from (one for one in lines if len(one) >= _SHORTEST_LINE and "-----" not in one)


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


HIDDEN: Final = "***"
PART: Final = 12
"""Characters at the begin or end of a secret that are hidden where the rest was cut off."""

_SHORT: Final = 100
_MOST_KEPT: Final = 10_000
"""How many texts, of how many characters, are remembered with what is shown of them."""
_SHORTEST_NAMED: Final = 4
"""Characters of a secret that the user names."""

_WORDS: Final = re.compile(r"[A-Za-z_./\s-]*")
_MARKS: Final = (
    *("sk-", "gsk_", "hf_", "xai-", "AIza", "ghp_", "gho_", "ghs_", "ghu_", "ghr_", "github_pat_"),
    *("glpat-", "xox", "xapp-", "AKIA", "ASIA", "eyJ", "earer ", "asic ", "PRIVATE KEY", "://"),
)
"""One of these stands in every text that has a secret's shape: to look for them is fast."""
_SHAPES: Final = re.compile(
    r"\bsk-[\w*-]{3,}"
    r"|\b(?:gsk_|hf_|xai-|AIza|gh[opsur]_|github_pat_|glpat-|xox[abeprs]-|xapp-)[\w*-]{8,}"
    r"|\b(?:AKIA|ASIA)[A-Z0-9]{12,}"
    r"|\beyJ[\w-]{5,}\.[\w-]+(?:\.[\w-]*)?"
    r"|(?<=\bBearer )[\w.~+/=*-]+"
    r"|(?<=\bbearer )(?=\S*\d)[\w.~+/=*-]{8,}"
    r"|(?<=\b[Bb]asic )(?=[A-Za-z+/]*[\d=])[A-Za-z0-9+/]{8,}=*"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----(?s:.*?)(?:-----END [A-Z ]*-----|\Z)"
    r"|(?<=://)[^\s/:@\"'<>]*:[^\s/@\"'<>]+(?=@)"
    r"|(?<=://)[\w.~%+-]{20,}(?=@)"
)
_QUERY: Final = re.compile(
    r"(?i)([?&](?:[a-z_-]*(?:key|token|secret|password|signature)|auth|sig)=)[^&\s\"'#<>\\]{6,}"
)


class _Needle(NamedTuple):
    """A text to hide, by its first and by its last characters."""

    whole: str
    head: str
    tail: str

    def hide_parts(self, text: str) -> str:
        """Hide what is left of it where the rest was cut off."""
        forward = _without(text, self.whole, self.head)
        if self.tail not in forward:
            return forward
        return _without(forward[::-1], self.whole[::-1], self.tail[::-1])[::-1]


class _Needles(NamedTuple):
    """What to look for, the longest first: what is no plain word, and all of it.

    ``shown`` has short texts with what is shown of them, since names come again and again: one
    mapping for each list, made with it, so that threads never mix them up.
    """

    sure: list[_Needle]
    all: list[_Needle]
    shown_sure: dict[str, str]
    shown: dict[str, str]


_CURRENT_TEST = b"PYTEST_CURRENT_TEST"
"""What pytest sets anew in every phase of every item. On Windows the name is no bytes: no harm."""


class _Known:
    """The secrets that are known, and what to look for; made anew when they change."""

    def __init__(self) -> None:
        self._registered: set[str] = set()
        self._named: set[str] = set()
        self._environment: object = None
        self._looked_at: object = None
        self._needles = _Needles([], [], {}, {})

    def add(self, secrets: Iterable[str], named: Iterable[str] = ()) -> None:
        """Add secrets, and what the user names: variables that hold one, or themselves."""
        before = len(self._registered), len(self._named)
        self._registered.update(secrets)
        self._named.update(named)
        if before != (len(self._registered), len(self._named)):
            self._environment = self._looked_at = None

    def needles(self) -> _Needles:
        """Return what to look for."""
        now = getattr(os.environ, "_data", os.environ)  # undecoded, 100 times as fast
        if now != self._looked_at:
            self._looked_at = now = dict(now)
            now = {name: value for name, value in now.items() if name != _CURRENT_TEST}
            if now != self._environment:
                self._needles = self._made()
                self._environment = now
        return self._needles

    def _made(self) -> _Needles:
        secrets = self._registered | set(_secrets_of_environment(self._named))
        ordered = _longest_first(one for one in secrets if len(one) >= _SHORTEST_NAMED)
        needles = {one: list(map(_needle, _longest_first(encodings(one)))) for one in ordered}
        sure = (needles[one] for one in ordered if not _WORDS.fullmatch(one))
        return _Needles([*chain(*sure)], [*chain(*needles.values())], {}, {})


_known = _Known()


def add_secrets(parameters: Any) -> None:
    """Hide from now on the secrets that an agent's parameters hold, at any depth."""
    _known.add(_secrets_in(parameters))


def add_named_secrets(lines: Iterable[str]) -> None:
    """Hide from now on what the user names: variables of the environment, or the texts."""
    _known.add((), filter(None, map(str.strip, lines)))


def redacted(text: str, *, words: bool = True) -> str:
    """Return a text without secrets; ``words=False`` leaves those that may be plain words."""
    known = _known.needles()
    needles, kept = (known.all, known.shown) if words else (known.sure, known.shown_sure)
    if len(text) > _SHORT:
        return _redacted_text(text, needles)
    if (shown := kept.get(text)) is None:
        if len(kept) >= _MOST_KEPT:
            kept.clear()
        shown = kept[text] = _redacted_text(text, needles)
    return shown


def _redacted_text(text: str, needles: Sequence[_Needle]) -> str:
    found = [one for one in needles if one.head in text or one.tail in text]
    for needle in found:
        text = text.replace(needle.whole, HIDDEN)
    for needle in found:
        text = needle.hide_parts(text)
    if any(mark in text for mark in _MARKS):
        text = _SHAPES.sub(HIDDEN, text)
        return _QUERY.sub(rf"\1{HIDDEN}", text) if "://" in text else text
    return text


def clean(text: str) -> str:
    """Return a text of several lines as it may be shown: redacted and escaped."""
    return escape_control(redacted(text))


def redacted_line(text: str, limit: int = 200, mark: str = "…") -> str:
    """Return a text from outside without secrets, in one line, cut after that, and escaped."""
    return one_line(redacted(text), limit, mark)


def redacted_values(value: Any, own: Collection[str], data: Collection[str]) -> Any:
    """Return a JSON value without secrets in its texts.

    The program's own words stay, even where a secret is such a word: keys, except those below the
    keys ``data``, and what stands under the keys ``own``.
    """
    texts = "\n".join(_texts(value))
    return value if redacted(texts) == texts else _redacted(value, own, data)


def _redacted(
    value: Any,
    own: Collection[str],
    data: Collection[str],
    inside: bool = False,
    is_own: bool = False,
) -> Any:
    """``inside`` of data nothing is the program's own."""
    if isinstance(value, dict):
        return {
            redacted(name, words=inside): _redacted(
                item, own, data, inside or name in data, not inside and name in own
            )
            for name, item in value.items()
        }
    if isinstance(value, list):
        return [_redacted(item, own, data, inside, is_own) for item in value]
    return redacted(value, words=not is_own) if isinstance(value, str) else value


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for item in (*value, *value.values()) if isinstance(value, dict) else value:
            yield from _texts(item)


def _without(text: str, whole: str, head: str) -> str:
    """Hide what begins as ``head`` does, as far as it goes on as ``whole``."""
    kept, begin = [], 0
    while (at := text.find(head, begin)) >= 0:
        kept.append(text[begin:at])
        pairs = zip(whole, text[at : at + len(whole)], strict=False)
        begin = at + len(list(takewhile(lambda pair: pair[0] == pair[1], pairs)))
    return HIDDEN.join([*kept, text[begin:]])


def _longest_first(texts: Iterable[str]) -> list[str]:
    return sorted(texts, key=lambda text: (-len(text), text))


def _needle(text: str) -> _Needle:
    """Paths, URLs, words and short secrets begin as other texts do: those are hidden whole."""
    cut = len(text) > PART + 4 and "://" not in text and not _WORDS.fullmatch(text)
    part = PART if cut and not text.startswith(("/", "~", ".")) else len(text)
    return _Needle(text, text[:part], text[-part:])

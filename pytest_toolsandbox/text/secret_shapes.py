"""Hides texts with the shape of a secret: keys and tokens of providers, private keys, passwords.

Providers begin their tokens with a text that is used for nothing else, so that scanners find them.
``_PREFIXES`` lists these texts, of which each is easy to search for.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

HIDDEN: Final = "***"

_ALPHABETS: Final = {
    "word": r"[\w*-]",
    "dotted": r"[\w.*-]",
    "letters": r"[A-Za-z0-9*]",
    "capitals": r"[A-Z0-9*]",
    "hex": r"[0-9a-fA-F*]",
    "hexes": r"[0-9a-f-]",
    "base64": r"[\w+/=*-]",
    "path": r"[\w/.@*-]",
}
"""Characters of tokens. Providers mask keys in their messages with asterisks."""

_PREFIXES: Final = """
word 8: gsk_ api_org_ xai- AIza GOCSPX- AQ.Ab8 nvapi- tvly- tgp_v1_ pcsk_ lsv2_ wandb_v1_
word 8: ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ dckr_pat_ dckr_oat_ pypi-AgE sntrys_ sntryu_ CCIPAT_
word 8: glpat- gldt- glrt- glrtr- glcbt- glptt- glft- glimt- glagent- gloas- glsoat- glffct- glwt-
word 8: xoxa- xoxb- xoxc- xoxd- xoxe- xoxe. xoxo- xoxp- xoxr- xoxs- xapp- lin_api_ lin_oauth_ figd_
word 8: pscale_tkn_ pscale_pw_ pscale_oauth_ sq0atp- sq0csp- sb_secret_ xkeysib- xsmtpsib-
word 8: PMAK- CFPAT- tskey- s-s4t2ud- s-s4t2af- sm_aat_ sm_pat_ sm_sat_ dnkey- fio-u-
word 8: ATATT3x ATCTT3x
word 16: sk_live_ sk_test_ rk_live_ rk_test_ sk_prod_ rk_prod_ duffel_live_ duffel_test_
word 16: zpka_ ops_eyJ AGE-SECRET-KEY-1 FLWSECK- FLWSECK_ EAACEdEose sha256~ 1//0
word 16: glc_eyJ glsa_ tk-us- HRKU-AA
word 30: tfp_ sgp_
letters 16: hf_ pplx- whsec_ phx_ ATBB LTAI esecret_
letters 20: npm_ r8_ ntn_ secret_ fw_ csk- vcp_ vck_ vca_ vci_ vcr_ lip_ pnu_ pnb_ ico- cio
letters 20: jina_ nfp_ bkua_ CLOJARS_
letters 30: EZAK EZTK EAAA EAAC EAAM AKCp cmVmd 4b1d oy2 ATTA napi_
capitals 8: AKIA NRAK- NRII- NRIQ- NRRA- NRSP- HRKU-
capitals 12: ASIA ABIA ACCA A3T
capitals 20: API-
hex 16: dop_v1_ doo_v1_ dor_v1_ shpat_ shpca_ shppa_ shpss_ rubygems_ dapi rdme_ sbp_ sqp_ squ_ sqa_
hex 16: shippo_live_ shippo_test_
hex 20: SK sk_ key_ key- fc- pul- rootly_ pubkey- p8e-
hexes 20: v1.0- access-sandbox- access-production-
dotted 16: SG. hvs. hvb. hvr. dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit. dt0c01. dt0s01.
dotted 16: ya29. mlsn.
base64 16: AccountKey= SharedAccessKey= fo1_ fm1r_ fm2_
path 8: hooks.slack.com/services/ hooks.slack.com/workflows/ hooks.slack.com/triggers/
path 8: discord.com/api/webhooks/ discordapp.com/api/webhooks/ webhook.office.com/
"""
"""The characters of tokens, their least number and how the tokens begin. The shorter a beginning
is, and the more like a word, the more must follow. The numbers are below the real lengths, since
messages cut tokens."""


def _parsed(table: str) -> dict[str, str]:
    """Return how tokens begin → the regular expression of what follows."""
    followers = {}
    for line in filter(None, table.splitlines()):
        kind, _, prefixes = line.partition(": ")
        alphabet, least = kind.split()
        for prefix in prefixes.split():
            followers[prefix] = f"{_ALPHABETS[alphabet]}{{{least},}}"
    return followers


_FOLLOWERS: Final = _parsed(_PREFIXES)
_LONG_WORD: Final = re.compile(r"[A-Za-z0-9_./*~=+@%\\-]{11,}")
"""A part of a text that may be a token: no other text has to be searched for the prefixes."""

_REST: Final = r"(?:(?:\.\.\.|…)[\w+/=-]*)?"
"""The end of a token that was shortened in its middle, as ``repr`` does in reports of pytest."""


def _token(prefix: str, follower: str) -> str:
    r"""Return the regular expression of a token, which is at the start of a word.

    The literal comes first, which is fast to search for. Escaped texts have words after ``\n``,
    URLs after ``%20``.
    """
    text = re.escape(prefix)
    edges = (r"(?<![A-Za-z0-9]{})", r"(?<=\\[nrtbfv]{})", r"(?<=%[0-9A-Fa-f][0-9A-Fa-f]{})")
    start = "|".join(edge.replace("{}", text) for edge in edges)
    return f"{text}(?:{start}){follower}{_REST}"


_OTHERS: Final = {
    "sk-": _token("sk-", r"[\w*-]{3,}"),
    "eyJ": _token("eyJ", r"[\w-]{5,}\.[\w-]+(?:\.[\w-]*)?"),
    "earer ": r"(?<=\bBearer )[\w.~+/=*-]+|(?<=\bbearer )(?=\S*\d)[\w.~+/=*-]{8,}",
    "asic ": r"(?<=\b[Bb]asic )(?=[A-Za-z+/]*[\d=])[A-Za-z0-9+/]{8,}=*",
    "-----BEGIN ": r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?s:.*?)"
    r"(?:-----END [A-Z0-9 ]*-----|\Z)",
    "PuTTY-User-Key-File-": r"PuTTY-User-Key-File-(?s:.*?)(?:Private-MAC: *\w+|\Z)",
    "://": r"(?<=://)[^\s/:@\"'<>]*:[^\s/@\"'<>]+(?=@)|(?<=://)[\w.~%+-]{20,}(?=@)",
    "Q~": r"[\w~.]{3}\dQ~[\w~.-]{20,}",
    ".atlasv1.": rf"\w{{14}}\.atlasv1\.[\w=-]{{20,}}{_REST}",
    ":AA": rf"\d{{8,}}:AA[\w-]{{20,}}{_REST}",
}
"""A text that is fast to find → a secret with it: JSON web tokens, headers, private keys, passwords
in URLs, secrets of Azure, Terraform
and Telegram."""
_END_OF_KEY: Final = re.compile(
    r"-----(?:KCOLB )?YEK ETAVIRP[A-Z0-9 ]*DNE-----(?:[A-Za-z0-9+/=]{4,}+|[\s\\]|[nr]\\)*+"
)
"""The end of a private key whose beginning was cut off, backwards: forwards, every line before it
might begin the key."""
_QUERY: Final = re.compile(
    r"(?i)([?&](?:[a-z_-]*(?:key|token|secret|password|signature)|auth|sig)=)[^&\s\"'#<>\\]{6,}"
)


_MOST_HARMLESS: Final = 20_000
_LONGEST_HARMLESS: Final = 100
_harmless: set[str] = set()
"""Long words in which no token was found, since nearly all of them occur again."""


@cache
def _compiled(expression: str) -> re.Pattern[str]:
    return re.compile(expression, re.ASCII)


def hide_shapes(text: str) -> str:
    """Return a text in which all that has the shape of a secret is hidden."""
    for mark, expression in _OTHERS.items():
        if mark in text:
            text = _compiled(expression).sub(HIDDEN, text)
    if "PRIVATE KEY" in text:
        text = _END_OF_KEY.sub(HIDDEN, text[::-1])[::-1]
    for token in _tokens_in(text):
        text = token.sub(HIDDEN, text)
    return _QUERY.sub(rf"\1{HIDDEN}", text) if "://" in text else text


def _tokens_in(text: str) -> list[re.Pattern[str]]:
    """Return the expressions that find a token in a text."""
    words = {*_LONG_WORD.findall(text)} - _harmless
    if not words:
        return []
    searched = " ".join(words)
    present = [prefix for prefix in _FOLLOWERS if prefix in searched]
    expressions = [_compiled(_token(prefix, _FOLLOWERS[prefix])) for prefix in present]
    matching = [expression for expression in expressions if expression.search(searched)]
    if not matching:
        if len(_harmless) > _MOST_HARMLESS:
            _harmless.clear()
        _harmless.update(word for word in words if len(word) <= _LONGEST_HARMLESS)
    return matching

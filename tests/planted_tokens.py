"""Tokens of providers, which are made here: scanners of secrets would find them in a file."""

from __future__ import annotations

import random
import re
import string
from typing import Final

_HEX: Final = "0123456789abcdef"
_CAPITALS: Final = string.ascii_uppercase + "234567"
_LETTERS: Final = string.ascii_letters + string.digits
_WORD: Final = _LETTERS + "_-"
_ALPHABETS: Final = {"h": _HEX, "c": _CAPITALS, "a": _LETTERS, "w": _WORD, "d": string.digits}

SHAPES: Final = {
    "OpenAI": "sk-proj-{w48}",
    "Anthropic": "sk-ant-api03-{w93}AA",
    "OpenRouter": "sk-or-v1-{h64}",
    "Groq": "gsk_{a52}",
    "Perplexity": "pplx-{a48}",
    "Replicate": "r8_{a37}",
    "Hugging Face": "hf_{a34}",
    "NVIDIA": "nvapi-{w64}",
    "npm": "npm_{a36}",
    "PyPI": "pypi-AgEIcHlwaS5vcmc{w80}",
    "RubyGems": "rubygems_{h48}",
    "Docker": "dckr_pat_{w27}",
    "GitHub": "ghp_{a36}",
    "GitHub, fine-grained": "github_pat_{a22}_{a59}",
    "GitLab": "glpat-{w20}",
    "GitLab, runner": "glrt-{w20}",
    "Bitbucket": "ATBB{a32}",
    "Atlassian": "ATATT3x{w186}",
    "AWS": "AKIA{c16}",
    "Google": "AIza{w35}",
    "Google, client": "GOCSPX-{w28}",
    "Google, access": "ya29.{w100}",
    "Azure, client": "a1B8Q~{w34}",
    "Azure, storage": "AccountKey={a86}==",
    "DigitalOcean": "dop_v1_{h64}",
    "Databricks": "dapi{h32}",
    "Stripe": "sk_live_{a24}",
    "Stripe, hook": "whsec_{a32}",
    "Slack": "xoxb-{d12}-{d12}-{a24}",
    "Slack, hook": "hooks.slack.com/services/T{c8}/B{c8}/{a24}",
    "Discord, hook": "discord.com/api/webhooks/{d18}/{w68}",
    "Telegram": "{d10}:AA{w33}",
    "SendGrid": "SG.{w22}.{w43}",
    "Twilio": "SK{h32}",
    "Linear": "lin_api_{a40}",
    "Notion": "ntn_{a46}",
    "Shopify": "shpat_{h32}",
    "Square": "sq0atp-{w22}",
    "Postman": "PMAK-{h24}-{h34}",
    "Grafana": "glsa_{a32}_{h8}",
    "Terraform": "{a14}.atlasv1.{w67}",
    "Vault": "hvs.{w90}",
    "Doppler": "dp.pt.{a43}",
    "Sentry": "sntrys_{w100}",
    "Supabase": "sbp_{h40}",
    "New Relic": "NRAK-{c27}",
    "1Password": "ops_eyJ{a250}",
    "age": "AGE-SECRET-KEY-1{c58}",
    "JSON web token": "eyJ{w30}.eyJ{w60}.{w43}",
    "PEM": "-----BEGIN RSA {p} KEY-----\n{a64}\n{a64}\n{a20}==\n-----END RSA {p} KEY-----",
    "OpenSSH": "-----BEGIN OPENSSH {p} KEY-----\n{a70}\n{a30}=\n-----END OPENSSH {p} KEY-----",
}
"""What a token is of → its shape: ``{a36}`` are 36 random letters and digits."""


def planted(shape: str) -> str:
    """Return a random token, the same one for the same shape."""
    source = random.Random(shape)

    def part(match: re.Match[str]) -> str:
        alphabet, length = _ALPHABETS[match[1]], int(match[2])
        return "".join(source.choices(alphabet, k=length - 1)) + source.choice(_HEX[:10])

    return re.sub(r"\{([a-z])(\d+)\}", part, shape.replace("{p}", "PRIVATE"))


def secret_parts(token: str) -> list[str]:
    """Return the parts of a token that must not be shown: its random texts."""
    return [part for part in re.split(r"[^\w-]", token) if len(part) >= 16 and "KEY" not in part]

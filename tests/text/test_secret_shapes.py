"""What is hidden for its shape alone."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from planted_tokens import SHAPES, planted
from rows import every

from pytest_toolsandbox.text.redaction import is_secret_name, redacted, redacted_line
from pytest_toolsandbox.text.secret_shapes import _FOLLOWERS

pytestmark = pytest.mark.any_pytest


@every("shape", SHAPES.values())
def test_a_token_of_a_provider(shape: str) -> None:
    token = planted(shape)
    assert redacted(f"the token {token}, of mine") == "the token ***, of mine"
    assert redacted(f'{{"a": "{token}"}}') == '{"a": "***"}'
    assert redacted(json.dumps(f"first\n{token}\n")) == r'"first\n***\n"'
    assert redacted_line(f"the token {token}", 30) == "the token ***"


@every("shape", SHAPES.values())
def test_a_token_that_was_cut(shape: str) -> None:
    token = planted(shape)
    begin = token[: len(token) * 3 // 4]
    assert redacted(begin) == "***"
    assert "\n" in token or redacted(f"'{begin}...{token[-8:]}'") == "'***'"


@every("prefix", _FOLLOWERS)
def test_the_beginning_alone_is_a_word(prefix: str) -> None:
    for text in (prefix, f"{prefix} is how it begins", f"<{prefix}...>", f"a{prefix}0"):
        assert redacted(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "npm_config_registry and npm_lifecycle_event_of_the_package",
        "api_key_of_the_organisation_that_owns_it, key-value-store-for-everything",
        "the task-list-of-everything-else of risk-management-consultants",
        "API-DOCUMENTATION-OF-THE-SERVICE, secret_santa_of_the_whole_department",
        "data/fw_update_2024_05_01.bin re_send_message_to_everyone SKILLS_OF_EVERYONE",
        "file:///home/me/pul-sar/v1.0-release-candidate-3-of-the-year",
        "jina_embeddings_v3 hf_hub_download napi_create_function_string CLOJARS_USERNAME",
        "pplx-embed-v1-4b access-production-database duffel_test_account AQ.Abstract",
        "-----END OF THE STORY----- PRIVATE KEY",
    ],
)
def test_ordinary_words_stay(text: str) -> None:
    assert redacted(text) == text


@pytest.mark.parametrize("line_end", ["\n", "\\n"])
def test_the_rest_of_a_private_key(line_end: str) -> None:
    key = planted(SHAPES["PEM"])
    for begin in (40, 60, 100):
        rest = key[begin:].replace("\n", line_end)
        assert redacted(f"found ...{rest} there") == "found ...*** there"


def test_a_long_text_is_searched_fast_enough() -> None:
    text = "PRIVATE KEY :// " + "abcd" * 250_000 + " -----END PRIVATE KEY----"
    assert redacted(text) == text


PAGE = Path(__file__).parents[2].joinpath("docs", "secrets.md").read_text(encoding="utf-8")


def test_the_page_lists_what_tokens_begin_with() -> None:
    blocks = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)
    assert set(" ".join(blocks).split()) == set(_FOLLOWERS)


def test_the_names_on_the_page_are_those_of_secrets() -> None:
    rows = re.findall(r"^\| (`.*?) \| (.*) \|$", PAGE, re.MULTILINE)
    names = {name for row in rows for cell in row for name in re.findall(r"`(\w[\w-]*)`", cell)}
    assert len(names) > 20
    assert not [name for name in names if not is_secret_name(name)]
    assert not is_secret_name("MONKEY")

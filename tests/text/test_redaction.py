from __future__ import annotations

import json
from base64 import b64encode, urlsafe_b64encode
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given, strategies as st

from pytest_toolsandbox.text import redaction
from pytest_toolsandbox.text.redaction import (
    add_named_secrets,
    add_secrets,
    encodings,
    is_secret_name,
    redacted,
    redacted_values,
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("no key 0123456789abcdef here", "no key *** here"),
        ("0123456789abcdef0123456789abcdef", "******"),
        ("token-of-mine and secret-of-mine", "*** and ***"),
        ("longer: 0123456789abcdef-and-more", "longer: ***"),
        ("a public value", "a public value"),
        ("short", "short"),
        ("sk-proj-a_b-c*****d.", "***."),
        ("sk-ant-api03-xyz, gsk_0123456789", "***, ***"),
        ("Authorization: Bearer abc.def", "Authorization: Bearer ***"),
        ("AIza0123456789 hf_AbCdEfGhIjKlMnOpQr xai-0123456789", "*** *** ***"),
        ("a task-list, risk-free", "a task-list, risk-free"),
    ],
)
def test_redacted(monkeypatch: pytest.MonkeyPatch, text: str, shown: str) -> None:
    monkeypatch.setenv("OWN_API_KEY", "0123456789abcdef")
    monkeypatch.setenv("OTHER_API_KEY", " 0123456789abcdef-and-more\n")
    monkeypatch.setenv("OWN_TOKEN", "token-of-mine")
    monkeypatch.setenv("own_client_secret", "secret-of-mine")
    monkeypatch.setenv("OWN_SETTING", "a public value")
    monkeypatch.setenv("SORT_KEY", "short")
    assert redacted(text) == shown


@pytest.fixture(autouse=True)
def nothing_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redaction, "_known", redaction._Known())


@pytest.mark.parametrize(
    "name",
    [
        *("DB_PASSWORD", "OPENAI_API_KEY_2", "AZURE_OPENAI_KEY1", "GITHUB_PAT", "SNOWFLAKE_JWT"),
        *("AWS_BEARER_TOKEN_BEDROCK", "WATSONX_APIKEY", "VERTEXAI_CREDENTIALS", "PGPASSWORD"),
        *("SENTRY_DSN", "azure_ad_token", "accessToken", "X-Api-Key", "BASIC_AUTH", "PASSWD"),
        *("AZURE_STORAGE_CONNECTION_STRING", "DB_CONN_STR", "connectionString"),
        "SLACK_WEBHOOK_URL",
    ],
)
def test_names_of_secrets(name: str) -> None:
    assert is_secret_name(name)


@pytest.mark.parametrize(
    "name", ["MONKEY", "KEYBOARD", "PATH", "AUTHOR", "XAUTHORITY", "COMPAT", "TOKENIZER", "PATTERN"]
)
def test_other_names(name: str) -> None:
    assert not is_secret_name(name)


SECRET = 'p4ss/w+rd "\\ é of-mine'


@pytest.mark.parametrize(
    "written",
    [
        SECRET,
        quote(SECRET),
        quote(SECRET, safe=""),
        quote_plus(SECRET),
        quote(SECRET, safe="").lower(),
        json.dumps(SECRET),
        json.dumps(SECRET, ensure_ascii=False),
        json.dumps(json.dumps(SECRET)),
        repr(SECRET),
        b64encode(SECRET.encode()).decode(),
        urlsafe_b64encode(SECRET.encode()).decode(),
        *(b64encode(f"{user}:{SECRET}".encode()).decode() for user in ("a", "ab", "abc")),
        SECRET[:12],
        f"{SECRET[:15]}…",
        f"... {SECRET[-13:]}",
        quote(SECRET)[:14],
    ],
)
def test_a_secret_is_hidden_however_it_is_written(
    monkeypatch: pytest.MonkeyPatch, written: str
) -> None:
    monkeypatch.setenv("DB_PASSWORD", SECRET)
    hidden = redacted(f"<<{written}>>")
    assert "***" in hidden
    assert len(hidden) < len("<<***>>") + 12, hidden
    for encoded in (SECRET, quote(SECRET), b64encode(SECRET.encode()).decode()):
        assert not any(encoded[at : at + 8] in hidden for at in range(len(encoded) - 7))


@pytest.mark.parametrize(
    "held",
    [
        "api-key=s3cret-of-mine,x-team=5",
        "x-team=5,Authorization=Bearer%20s3cret-of-mine",
        "X-Team: a\nAuthorization: Bearer s3cret-of-mine",
        "Authorization=Basic s3cret-of-mine",
        '[{"model": "a", "api_key": "s3cret-of-mine"}]',
        "model: a\napi_key: 's3cret-of-mine'",
        "agent --api-key s3cret-of-mine --fast",
        "db:\n  password: s3cret-of-mine\n  user: me",
        "db: {user: me, 'password': 's3cret-of-mine'}",
        "db: {password: s3cret-of-mine}",
    ],
)
def test_a_secret_is_known_within_a_variable_of_any_name(
    monkeypatch: pytest.MonkeyPatch, held: str
) -> None:
    monkeypatch.setenv("OWN_SETTINGS", held)
    assert redacted("<s3cret-of-mine>") == "<***>"


@pytest.mark.parametrize(
    ("known", "other"),
    [
        (
            f"-----BEGIN RSA PRIVATE KEY-----\n{'q' * 64}\n-----END RSA PRIVATE KEY-----",
            f"-----BEGIN PRIVATE KEY-----\n{'0123abcd' * 8}\n-----END PRIVATE KEY-----",
        ),
        (f"sk-ant-api03-{'q' * 40}", "sk-ant-api03-0123abcd0123abcd0123abcd"),
        (f"eyJhbGciOiJIUzI1NiJ9.eyJ{'q' * 40}.q", "eyJhbGciOiJIUzI1NiJ9.eyJ0123abcd.0123abcd"),
    ],
)
def test_a_key_that_begins_or_ends_like_a_secret_is_hidden(
    monkeypatch: pytest.MonkeyPatch, known: str, other: str
) -> None:
    monkeypatch.setenv("OWN_KEY", known)
    assert redacted(f"<{other}>") == "<***>"
    assert redacted(f"<{known}>") == "<***>"


@pytest.mark.parametrize(
    "token",
    [
        *(f"{kind}_0123456789abcdefghij" for kind in ("ghp", "gho", "ghs", "github_pat")),
        *("glpat-0123456789", "xoxb-0123456789-abc", "xapp-0123456789-abc", "AKIA0123456789ABCDEF"),
        "eyJhbGciOiJI.eyJzdWIiOiIx.SflKxwRJSM",
        "-----BEGIN RSA PRIVATE KEY-----\nabc+/\ndef==\n-----END RSA PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----\\nabc",
    ],
)
def test_a_token_is_known_by_its_shape(token: str) -> None:
    assert redacted(f"<{token}") == "<***"


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("Authorization: Basic dXNlcjpwYXNzd29yZDE=", "Authorization: Basic ***"),
        ("{'authorization': 'Bearer abc.def'}", "{'authorization': 'Bearer ***'}"),
        ("postgres://me:pass@db/x", "postgres://***@db/x"),
        ("https://abcdefghij-klmnopqrst@git/x", "https://***@git/x"),
        ("https://somebody@git/x", None),
        ("http://a/v1?api-key=abcdef1&x=1", "http://a/v1?api-key=***&x=1"),
        ("the bearer of good news is in basic training", None),
        ("see http://a/v1?page=2 at 10:30@home", None),
    ],
)
def test_headers_and_urls(text: str, hidden: str | None) -> None:
    assert redacted(text) == (hidden or text)


@pytest.mark.parametrize(
    ("parameters", "secret"),
    [
        ({"api_key": "own-value-1"}, "own-value-1"),
        ({"client": {"options": [{"hf_token": "own-value-1"}]}}, "own-value-1"),
        ({"extra_headers": {"X-Gateway": "own-value-1"}}, "own-value-1"),
        ({"default_headers": {"Authorization": "Bearer own-value-1"}}, "own-value-1"),
        ({"default_headers": {"Authorization": "Basic dTpvd24tdmFsdWUtMQ=="}}, "own-value-1"),
        ({"base_url": "https://me:own-value-1@host/v1"}, "own-value-1"),
        ({"api_base": "https://host/v1?api-key=own%2Fvalue-1"}, "own/value-1"),
        ({"base_url": "https://own-value-1@host/v1"}, "own-value-1"),
        ({"base_url": "https://own-value-1:x-oauth-basic@host/v1"}, "own-value-1"),
        ({"base_url": "https://own-value-1:@host/v1"}, "own-value-1"),
        ({"store": "AccountName=a;AccountKey=own-value-1==;Suffix=b"}, "own-value-1=="),
        ({"database": "Server=db; Password = 'own value-1'"}, "own value-1"),
        ({"conn_str": "host=db user=me password=own-value-1"}, "own-value-1"),
        ({"vertex_credentials": '{"private_key": "own-value-1", "type": "a"}'}, "own-value-1"),
    ],
)
def test_secrets_of_an_agents_parameters(parameters: dict[str, Any], secret: str) -> None:
    add_secrets(parameters)
    assert redacted(f"x {secret} y") == "x *** y"


def test_other_parameters_are_no_secrets() -> None:
    add_secrets(
        {"model": "own-value-2", "max_tokens": 10_000_000, "headers": {"X-Title": "own-value-3"}}
    )
    add_secrets({"url": "https://somebody:x-oauth-basic@host/auth?next=own-value-2", "x": "a = b"})
    assert redacted("somebody x-oauth-basic") == "somebody x-oauth-basic"
    assert redacted("own-value-2 10000000 own-value-3") == "own-value-2 10000000 own-value-3"


def test_what_the_user_names_is_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OUR_GATEWAY", "gate")
    add_named_secrets(["OUR_GATEWAY", "NOT_SET_YET", " my own words "])
    assert (
        redacted("gate, my own words, NOT_SET_YET, later-on") == "***, ***, NOT_SET_YET, later-on"
    )
    monkeypatch.setenv("NOT_SET_YET", "later-on")
    assert redacted("later-on") == "***"


def test_where_a_key_lies_is_no_secret(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(tmp_path))
    assert redacted(f"{tmp_path}/conftest.py:3") == f"{tmp_path}/conftest.py:3"


def test_a_masked_secret_does_no_harm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OUR_API_KEY", "********")
    assert redacted("key ********!") == "key ***!"


def test_the_programs_own_words_stay_in_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SORT_KEY", "categories")
    value = {"categories": ["about categories"], "sender": "categories", "trace": {"categories": 1}}
    assert redacted_values(value, ("sender",), ("trace",)) == {
        "categories": ["about ***"],
        "sender": "categories",
        "trace": {"***": 1},
    }


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=8, max_size=40), st.data())
def test_a_planted_secret_is_nowhere(secret: str, data: st.DataObject) -> None:
    redaction._known.add([secret])
    written = data.draw(st.sampled_from(sorted(encodings(secret))))
    before, after = data.draw(st.text(max_size=5)), data.draw(st.text(max_size=5))
    text = f"{before}{written}{after}"
    assert written not in redacted(text) or written in "***"
    hidden = json.dumps(redacted_values({"a": [{"arguments": {text: text}}]}, (), ("arguments",)))
    assert len(written) < 4 or json.dumps(written)[1:-1] not in hidden.replace("***", "")

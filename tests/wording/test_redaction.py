from __future__ import annotations

import pytest

from pytest_toolsandbox.wording.redaction import redacted


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
        ("AIza0123456789 hf_0123456789 xai-0123456789", "*** *** ***"),
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


def test_redacted_values_of_ones_own() -> None:
    named = {"api_key": "own-value-1", "model": "own-value-2", "max_tokens": 10_000_000}
    assert redacted("own-value-1 own-value-2 10000000", named) == "*** own-value-2 10000000"

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from rows import every

from pytest_toolsandbox.models.usage import UNKNOWN, Usage, total, usage_in


def known(requests: int, read: int, wrote: int, cached: int | None = None, **counts: Any) -> Usage:
    return Usage(
        requests,
        input_tokens=read,
        output_tokens=wrote,
        cached_tokens=cached,
        **{"reasoning_tokens": None, "cost": None, **counts},
    )


@pytest.mark.parametrize(
    ("fields", "usage"),
    [
        (
            {
                "prompt_tokens": 70,
                "completion_tokens": 9,
                "total_tokens": 79,
                "prompt_tokens_details": {"cached_tokens": 64},
                "completion_tokens_details": {"reasoning_tokens": 5},
            },
            known(1, 70, 9, 64, reasoning_tokens=5),
        ),
        (
            {
                "input_tokens": 70,
                "output_tokens": 9,
                "input_tokens_details": {"cached_tokens": 64},
                "output_tokens_details": {"reasoning_tokens": 5},
                "requests": 3,
            },
            known(3, 70, 9, 64, reasoning_tokens=5),
        ),
        (
            {
                "input_tokens": 6,
                "output_tokens": 9,
                "cache_read_input_tokens": 60,
                "cache_creation_input_tokens": 4,
                "service_tier": "standard",
            },
            known(1, 70, 9, 60),
        ),
        (
            {
                "prompt_token_count": 70,
                "candidates_token_count": 9,
                "thoughts_token_count": 5,
                "cached_content_token_count": None,
            },
            known(1, 70, 14, reasoning_tokens=5),
        ),
        ({"inputTokens": 70, "outputTokens": 9, "totalTokens": 79}, known(1, 70, 9)),
        (
            SimpleNamespace(
                prompt_tokens=70,
                completion_tokens=9,
                prompt_tokens_details=SimpleNamespace(cached_tokens=64),
                completion_tokens_details=None,
                cache_read_input_tokens=64,
                cache_creation_input_tokens=0,
            ),
            known(1, 70, 9, 64),
        ),
        ({"cost": 0.25}, Usage(1, 0, None, None, None, None, 0.25)),
        (
            {"prompt_tokens": 70.0, "completion_tokens": 9.5},
            Usage(1, 0, 70, None, None, None, None),
        ),
    ],
    ids=[
        *("chat completions", "responses", "Anthropic", "Gemini", "Bedrock", "litellm", "cost"),
        "parts of tokens",
    ],
)
def test_usage_is_read_in_the_names_that_are_in_use(fields: Any, usage: Usage) -> None:
    assert usage_in(fields) == usage


@every(
    "reply",
    [
        {},
        None,
        7,
        "70",
        {"prompt_tokens": 0, "completion_tokens": 0},
        {"prompt_tokens": "70"},
        {"prompt_tokens": True},
        {"prompt_tokens": -1},
        {"cost": float("nan")},
        {"usage": {"prompt_tokens": 7}},
    ],
)
def test_an_object_without_usage(reply: Any) -> None:
    assert usage_in(reply) is None


def test_an_unknown_figure_makes_the_sum_unknown() -> None:
    first = known(1, 70, 9, 64, latency=1.5, cost=0.25)
    second = known(2, 30, 1, cost=0.5, retries=1, waited=0.5)
    both = known(3, 100, 10, cost=0.75, retries=1, latency=1.5, waited=0.5)
    assert total([first, second]) == both
    assert total([second, first]) == both
    assert total([first, UNKNOWN]).cost is None
    assert total([first, UNKNOWN]).tokens is None
    assert total([]) == Usage()
    assert total([first]).tokens == 79

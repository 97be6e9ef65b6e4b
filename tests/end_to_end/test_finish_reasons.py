"""Replies that the token limit cut off, or that are empty: in records, pages and the summary."""

from __future__ import annotations

from importlib.util import find_spec

import pytest
from desk import LIGHT, Suite
from model_server import Answer, ModelServer, Request, calls, choices

from pytest_toolsandbox.__main__ import main

pytestmark = [
    pytest.mark.any_pytest,
    pytest.mark.skipif(find_spec("httpx") is None, reason="needs httpx"),
]
NOTE = "       ^ cut off at the token limit, an empty reply"
LINES = ["cut off at the token limit: 1 reply of 1 item", "empty: 1 reply of 1 item"]


def cut_off(request: Request) -> Answer:
    """Read the lamp, and then reach the limit before saying anything."""
    if request.body["messages"][-1]["role"] == "user":
        return calls(("switch_lamp", {"on": False}))
    message = {"role": "assistant", "content": None, "reasoning_content": "Hm"}
    return choices([{"index": 0, "message": message, "finish_reason": "length"}])


def test_a_reply_at_the_token_limit_is_told_everywhere(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    suite = Suite(pytester)
    suite.conftest("")
    suite.write("light.scenario.yaml", LIGHT)
    run = ["--agent=openai/gpt-4.1", "--sandbox-record=new", "--sandbox-overwrite"]
    run += ["--sandbox-results=results.jsonl", "--sandbox-html=report.html"]
    with ModelServer(cut_off) as server:
        server.replace_openai(monkeypatch)
        result = suite.run_apart(*run)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([f"*{NOTE}", *LINES])
    (record,) = suite.records()
    assert record["finish_reasons"] == {"agent": {"length": 1, "tool_calls": 1}}
    assert record["counts"]["empty_replies"] == 1
    ended = [usage["finish_reasons"] for usage in record["message_usage"]]
    assert ended == [["tool_calls"], ["length"]]
    assert NOTE.strip(" ^") in (suite.path / "report.html").read_text(encoding="utf-8")

    capsys.readouterr()
    monkeypatch.chdir(suite.path)
    assert main(["show", "results.jsonl", "light"]) == 0
    assert NOTE in capsys.readouterr().out

    suite.run_apart(*run[:1], *run[2:], "--sandbox-record=replay").stdout.fnmatch_lines(LINES)
    (replayed,) = suite.records()
    for name in ("finish_reasons", "counts"):
        assert replayed[name] == record[name]
    assert [usage["finish_reasons"] for usage in replayed["message_usage"]] == ended

    result = suite.run_apart("--sandbox-rejudge=results.jsonl", "--sandbox-results=again.jsonl")
    result.stdout.fnmatch_lines(LINES)

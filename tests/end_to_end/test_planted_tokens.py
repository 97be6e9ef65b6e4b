"""Tokens of many providers in all that an agent says, prints, logs and raises: none is shown."""

from __future__ import annotations

from pathlib import Path

import pytest
from desk import LIGHT, Suite
from planted_tokens import SHAPES, planted, secret_parts

TOKENS = [*map(planted, SHAPES.values())]

CONFTEST = """
import logging, sys, warnings
from pathlib import Path

TOKENS = Path({path!r}).read_text().split("\\n\\n")
OWN = logging.getLogger("own")

@pytest.fixture
def agent(record_property):
    OWN.addHandler(logging.FileHandler("own.txt"))

    def planting(messages, tools):
        spread = "\\n".join(TOKENS)
        record_property("tokens", spread)
        print("printed", spread)
        print("printed", spread, file=sys.stderr)
        for token in TOKENS:
            logging.getLogger("tokens").error("logged %s", token)
        OWN.error("all at once: %s", spread)
        warnings.warn("warned " + spread, UserWarning)
        text = messages[-1]["content"]
        if "raise" in text:
            raise RuntimeError("raised " + spread)
        if "call" in text:
            import json
            function = {{"name": "write_note", "arguments": json.dumps({{"text": spread}})}}
            return {{"content": spread, "tool_calls": [{{"id": "1", "function": function}}]}}
        return "says " + spread

    return planting
"""
WRITTEN = ("results.jsonl", "junit.xml", "report.html", "brief.md", "summary.md", "own.txt")


@pytest.mark.parametrize("processes", [0, 1])
def test_no_token_is_shown(
    suite: Suite, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, processes: int
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(suite.path / "summary.md"))
    (tmp_path / "tokens").write_text("\n\n".join(TOKENS))
    for word in ("say", "raise", "call"):
        suite.write(f"{word}.scenario.yaml", LIGHT.replace("Turn on the light", f"Please {word}"))
    suite.conftest(CONFTEST.format(path=str(tmp_path / "tokens")))
    log = () if processes else ("--log-file=log.txt", "--log-cli-level=DEBUG")
    result = suite.run_apart(
        *("--sandbox-results=results.jsonl", "--junitxml=junit.xml", "--sandbox-html=report.html"),
        *("--sandbox-brief=brief.md", "--sandbox-record=new", "--log-level=DEBUG", "-rA", "-v"),
        *("-W", "always", "-n", str(processes), "-o", "junit_logging=all", "--tb=long", *log),
        "--showlocals",
    )
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    cassettes = [*suite.path.rglob("*.cassette.yaml")]
    assert cassettes
    written = [
        *(suite.path / name for name in (*WRITTEN, *(["log.txt"] if log else []))),
        *cassettes,
    ]
    texts = {path.name: path.read_text(encoding="utf-8") for path in written}
    for name, text in {"terminal": result.stdout.str() + result.stderr.str(), **texts}.items():
        leaks = [part for token in TOKENS for part in secret_parts(token) if part in text]
        assert not leaks, name
        assert "***" in text.replace("\\", ""), name

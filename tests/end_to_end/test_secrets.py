"""A model server that echoes what it was sent: no secret of the request leaves the run."""

from __future__ import annotations

import json
from base64 import b64encode
from importlib.util import find_spec
from urllib.parse import quote

import model_server
import pytest
from desk import LIGHT, Suite

pytestmark = pytest.mark.any_pytest

ENVIRONMENT = "env/secret+of-mine-1"
PARAMETER = "parameter-secret-2"
HEADER = "header-secret-3"
PASSWORD = "password-secret-4"
QUERY = "query-secret-5"
NAMED = "named by the user 6"

CONFTEST = """
import logging, os, warnings

import httpx
from pytest_toolsandbox import ModelAgent

OWN = logging.getLogger("own")
OWN.propagate = False

@pytest.fixture
def agent(record_property):
    model = ModelAgent("openai/stub", 60, {{
        "api_key": {parameter!r},
        "api_base": {base!r},
        "extra_headers": {{"X-Gateway": {header!r}}},
        "extra_query": {{"api-key": {query!r}}},
    }})
    OWN.addHandler(logging.FileHandler("own.txt"))
    def echo(messages, tools):
        record_property("base", {base!r})
        print("captured", os.environ["DB_PASSWORD"], "\\x07\\ud83d")
        warnings.warn("warned " + os.environ["DB_PASSWORD"], UserWarning)
        try:
            return model(messages, tools)
        finally:
            OWN.error("sent %s", {header!r})
            logging.getLogger("httpx").debug("sent %s", {header!r})
    return echo
"""


def echo(request: model_server.Request) -> model_server.Answer:
    """Answer with all that was sent, and with a secret in some encodings, cut at its end."""
    words = f"{request.path} {dict(request.headers)} {request.body}"
    token = b64encode(f"user:{ENVIRONMENT}".encode()).decode()
    words += f" {quote(ENVIRONMENT)} {token} {json.dumps(ENVIRONMENT)} {NAMED} {ENVIRONMENT[:14]}"
    if "break" in json.dumps(request.body):
        return model_server.fault(400, f"\x1b[2J\ud83d {words}")
    return model_server.text(words)


@pytest.mark.skipif(find_spec("httpx") is None, reason="needs httpx")
@pytest.mark.parametrize("processes", [0, 1])
def test_no_secret_leaves_a_run(
    suite: Suite, monkeypatch: pytest.MonkeyPatch, processes: int
) -> None:
    monkeypatch.setenv("DB_PASSWORD", ENVIRONMENT)
    suite.write("light.scenario.yaml", LIGHT)
    suite.write("broken.scenario.yaml", LIGHT.replace("Turn on the light", "Please break"))
    suite.ini(f"sandbox_secrets =\n    {NAMED}")
    with model_server.ModelServer(echo) as server:
        base = server.url.replace("//", f"//me:{PASSWORD}@")
        suite.conftest(CONFTEST.format(parameter=PARAMETER, base=base, header=HEADER, query=QUERY))
        result = suite.run_apart(
            *("--sandbox-results=results.jsonl", "--junitxml=junit.xml", "--log-level=DEBUG"),
            *("-W", "always", "-rA", "-v", "-n", str(processes), "-o", "junit_logging=all"),
            *("--log-file=log.txt", "--log-cli-level=DEBUG"),
        )
    result.assert_outcomes(failed=1, errors=1, warnings=result.parseoutcomes().get("warnings", 0))
    names = ["results.jsonl", "junit.xml", "own.txt", *([] if processes else ["log.txt"])]
    written = [(suite.path / name).read_text() for name in names]
    for text in (result.stdout.str(), *written):
        assert "***" in text
        assert "\x07" not in text
        assert "\x1b[2J" not in text
        for secret in (ENVIRONMENT, PARAMETER, HEADER, PASSWORD, QUERY, NAMED):
            for form in (secret, quote(secret), quote(secret, safe=""), secret[:14]):
                assert form not in text
            assert b64encode(secret.encode()).decode()[:12] not in text


WILD = """
class WildError(Exception):
    def __str__(self): raise RuntimeError("never")

HALF = ValueError("half \\ud83d, \\x1b[2J\\x07\\x00\\x9b")

@pytest.fixture(params=[HALF, WildError()], ids=["a", "b"])
def agent(request):
    def raising(messages, tools): raise request.param
    return raising
"""


@pytest.mark.parametrize("processes", [0, 1])
def test_errors_with_any_text_are_shown(light: Suite, processes: int) -> None:
    light.conftest(WILD)
    arguments = ("--sandbox-results=results.jsonl", "--junitxml=junit.xml", "-n", str(processes))
    result = light.run_apart(*arguments)
    result.assert_outcomes(errors=2)
    half, unreadable = (record["reason"] for record in light.records())
    assert half.startswith(r"the agent raised ValueError: half \ud83d, \x1b[2J\x07\x00\x9b (")
    assert "WildError: its text cannot be read: __str__ raised RuntimeError" in unreadable
    for text in (result.stdout.str(), *map(str, (half, unreadable))):
        assert not set(text) & set("\x1b\x07\x00\x9b\ud83d")

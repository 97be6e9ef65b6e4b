"""Claude Code and Codex as agents: their commands and settings, what they use, and real ones."""

from __future__ import annotations

import itertools
import json
import shutil
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from left_behind import still_running
from model_server import ModelServer, body
from programs import CLIENT, PANTRY, SCENES, Program, as_told, named, played, problem
from recorded_trials import recorded_and_replayed
from scripted_model import ScriptedModel

from pytest_toolsandbox import play_trial
from pytest_toolsandbox.conversation.play import PlayError
from pytest_toolsandbox.models.requests import RequestContext, requests_in
from pytest_toolsandbox.models.usage import UNKNOWN, Price, Prices, Usage

RealAgent = Callable[[ModelServer], Any]
LOOK = """
def look_around(file, url):
    lines = [f"/proc/{number}/cmdline" for number in (os.getpid(), os.getppid())]
    return {
        "argv": sys.argv,
        "env": sorted(n for n in os.environ if n.isupper() and not n.startswith(("LC_", "PYTHON"))),
        "here": os.listdir(),
        "file": file,
        "modes": [stat.S_IMODE(os.stat(one).st_mode) for one in (file, os.path.dirname(file))],
        "is_public": any(url.encode() in open(n, "rb").read() for n in lines if os.path.exists(n)),
    }
"""
CLAUDE = (
    CLIENT
    + LOOK
    + """
given = dict(zip(sys.argv, sys.argv[1:]))
url = json.load(open(given["--mcp-config"]))["mcpServers"]["sandbox"]["url"]
json.dump(look_around(given["--mcp-config"], url), open(LOG, "w"))
for line in sys.stdin:
    turn = json.loads(line)["message"]["content"]
    if turn == "The brown one.":
        print(json.dumps({"type": "result", "is_error": True, "result": "no credit"}), flush=True)
        continue
    call(url, "weigh", {"name": "rice"})
    blocks = [{"type": "tool_use", "name": n} for n in ("mcp__sandbox__weigh", "Bash")]
    content = [{"type": "text", "text": "I look."}, *blocks]
    print(json.dumps({"type": "assistant", "message": {"content": content}}), flush=True)
    print(json.dumps({"type": "result", "is_error": False, "result": "Which rice?"}), flush=True)
"""
)
CODEX = (
    CLIENT
    + LOOK
    + """
import tomllib
file = os.path.expanduser("~/.codex/config.toml")
settings = tomllib.load(open(file, "rb"))
url = settings["mcp_servers"]["sandbox"]["url"]
log = look_around(file, url) | {"settings": settings, "heard": sys.stdin.read()}
json.dump(log, open(LOG, "w"))
call(url, "weigh", {"name": "rice"})
print(json.dumps({"type": "thread.started", "thread_id": "t-1"}))
if log["heard"] == "The brown one.\\n":
    print(json.dumps({"type": "turn.failed", "error": {"message": "no credit"}}))
for kind in ("command_execution", "reasoning", "command_execution"):
    print(json.dumps({"type": "item.completed", "item": {"type": kind}}))
item = {"type": "mcp_tool_call", "server": "sandbox", "tool": "weigh"}
print(json.dumps({"type": "item.completed", "item": item}))
item = {"type": "agent_message", "text": "Which rice?"}
print(json.dumps({"type": "item.completed", "item": item}), flush=True)
"""
)


@pytest.fixture
def bin_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is all of the PATH."""
    monkeypatch.setenv("PATH", str(tmp_path))
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "AWS_SECRET_ACCESS_KEY", "MY_OWN"):
        monkeypatch.setenv(name, "x")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.setenv("CODEX_HOME", "/of/mine")
    return tmp_path


def install(folder: Path, name: str, code: str) -> Path:
    (folder / name).write_text(f"#!{sys.executable}\nLOG = {str(folder / 'log')!r}\n{code}")
    (folder / name).chmod(0o755)
    return folder / "log"


QUIET = ["CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "DISABLE_AUTOUPDATER"]
PATIENT = ["MCP_CONNECTION_NONBLOCKING", "MCP_CONNECT_TIMEOUT_MS", "MCP_TIMEOUT"]
KEPT = {"PATH", "HOME", "USERPROFILE", "LANG", "TMPDIR", "NO_PROXY", "HTTPS_PROXY"}
KEPT |= {"SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS"}


@pytest.mark.parametrize(
    ("name", "file", "code", "variables"),
    [
        ("claude-code", "claude", CLAUDE, {"ANTHROPIC_API_KEY", *QUIET, *PATIENT}),
        ("codex", "codex", CODEX, {"OPENAI_API_KEY"}),
    ],
)
def test_command_line_agents_get_no_personal_environment(
    bin_folder: Path, name: str, file: str, code: str, variables: set[str]
) -> None:
    log = install(bin_folder, file, code)
    with pytest.raises(PlayError, match=f"^{name} ended a turn with an error: no credit$") as error:
        played(PANTRY, named(name))
    assert [execution.call.name for execution in error.value.trajectory.calls][:1] == ["weigh"]
    seen = json.loads(log.read_text())
    assert variables <= set(seen["env"]) <= variables | KEPT
    assert seen["here"] == []


@pytest.mark.parametrize(
    ("name", "file", "code"), [("claude-code", "claude", CLAUDE), ("codex", "codex", CODEX)]
)
def test_the_address_of_the_tools_is_in_a_file_that_others_cannot_read(
    bin_folder: Path, name: str, file: str, code: str
) -> None:
    log = install(bin_folder, file, code)
    with pytest.raises(PlayError, match="no credit"):
        played(PANTRY, named(name))
    seen = json.loads(log.read_text())
    assert seen["modes"] == [0o600, 0o700]
    assert not seen["is_public"]
    assert not Path(seen["file"]).exists()


def test_the_command_of_claude_code(bin_folder: Path) -> None:
    log = install(bin_folder, "claude", CLAUDE)
    with pytest.raises(PlayError):
        played(PANTRY, named("claude-code:some-model"))
    words = json.loads(log.read_text())["argv"][1:]
    options = dict(itertools.pairwise(words))
    assert {"--bare", "--strict-mcp-config", "-p"} <= set(words)
    assert (options["--model"], options["--tools"], options["--allowedTools"]) == (
        "some-model",
        "",
        "mcp__sandbox",
    )
    assert options["--system-prompt"].startswith("You act for the user")


def test_codex_goes_on_with_its_thread(bin_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = install(bin_folder, "codex", CODEX)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://user:secret@127.0.0.1:1/v1")
    odd = 'Be brief \U0001f642 \x7f\n"""'
    with pytest.raises(PlayError):
        played(replace(PANTRY, prompt=odd), named("codex:some-model"))
    seen = json.loads(log.read_text())
    words, settings = seen["argv"][1:], seen["settings"]
    assert words[:2] == ["exec", "--json"]
    assert words[-3:] == ["resume", "t-1", "-"]
    assert settings["model"] == "some-model"
    assert settings["developer_instructions"].startswith(odd)
    assert settings["openai_base_url"] == "http://user:secret@127.0.0.1:1/v1"
    assert settings["mcp_servers"]["sandbox"]["default_tools_approval_mode"] == "approve"
    assert settings["mcp_servers"]["sandbox"]["required"] is True


@pytest.mark.parametrize(
    ("name", "file", "code", "counted"),
    [
        ("claude-code", "claude", CLAUDE, {"Bash": 1}),
        ("codex", "codex", CODEX, {"command_execution": 2}),
    ],
)
def test_calls_of_their_own_tools_are_counted(
    bin_folder: Path, name: str, file: str, code: str, counted: dict[str, int]
) -> None:
    install(bin_folder, file, code)
    trial = play_trial(PANTRY, named(name))
    assert trial.record["other_calls"] == counted


CLAUDE_COUNTS = """
for turn, line in enumerate(sys.stdin, 1):
    figures = {"inputTokens": 20, "outputTokens": 3, "cacheReadInputTokens": 5}
    model = {name: turn * count for name, count in figures.items()}
    told = {"type": "result", "is_error": False, "result": "Which rice?", "num_turns": 2}
    told |= {"modelUsage": {"a": model}, "total_cost_usd": 0.25 * turn}
    print(json.dumps(told), flush=True)
"""
CODEX_COUNTS = """
turn = 2 if "resume" in sys.argv else 1
figures = {"input_tokens": 25, "output_tokens": 3, "cached_input_tokens": 5}
print(json.dumps({"type": "thread.started", "thread_id": "t-1"}))
item = {"type": "agent_message", "text": "Which rice?"}
print(json.dumps({"type": "item.completed", "item": item}))
used = {name: turn * count for name, count in figures.items()}
print(json.dumps({"type": "turn.completed", "usage": used}), flush=True)
"""
TELLS = {
    "reply": "Which rice?",
    "model": "ours",
    "usage": {"input_tokens": 25, "output_tokens": 3, "cached_tokens": 5},
}
PRICES = Prices({"ours": Price(1000, 10000, 100)})


def used_in_two_turns(agent: Any) -> Usage:
    """Return what an agent tells of two turns."""
    with requests_in(RequestContext(prices=PRICES)) as context:
        played(replace(PANTRY, max_messages=4), agent)
    return replace(context.meter.used()["agent"], latency=0.0)


def test_the_usage_of_programs_is_counted(bin_folder: Path, program: Program) -> None:
    whole = Usage(2, 0, 50, 6, 10, None, None)
    install(bin_folder, "claude", CLIENT + CLAUDE_COUNTS)
    assert used_in_two_turns(named("claude-code")) == replace(whole, requests=4, cost=0.5)
    install(bin_folder, "codex", CLIENT + CODEX_COUNTS)
    assert used_in_two_turns(named("codex")) == whole
    cost = 0.101  # 40 tokens at 1,000 dollars a million, 10 at 100, 6 at 10,000
    loop = f"for line in sys.stdin: print({json.dumps(TELLS)!r}, flush=True)"
    assert used_in_two_turns(named(program(loop))) == replace(whole, cost=cost)
    with ModelServer([body(TELLS), body(TELLS)]) as server:
        assert used_in_two_turns(named(server.url)) == replace(whole, cost=cost)


def used_when_cut_off(agent: Any) -> Usage:
    """Return what an agent has used that is cut off at its first call."""
    with requests_in(RequestContext()) as context:
        played(replace(PANTRY, max_messages=2), agent)
    return context.meter.used()["agent"]


@pytest.mark.parametrize(
    ("name", "file", "code"), [("claude-code", "claude", CLAUDE), ("codex", "codex", CODEX)]
)
def test_the_usage_of_a_turn_that_is_cut_off_is_unknown(
    bin_folder: Path, name: str, file: str, code: str
) -> None:
    install(bin_folder, file, code)
    assert used_when_cut_off(named(name)) == UNKNOWN


def test_command_line_agents_that_are_not_installed(bin_folder: Path) -> None:
    assert not list(bin_folder.iterdir())
    assert problem("claude-code") == (
        "there is no program 'claude' on the PATH; install it with: "
        "npm install --global @anthropic-ai/claude-code"
    )
    assert problem("codex:gpt") == (
        "there is no program 'codex' on the PATH; install it with: "
        "npm install --global @openai/codex"
    )


@pytest.fixture(
    params=[("claude-code", "claude"), ("codex:stub", "codex")], ids=lambda param: param[1]
)
def real(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> RealAgent:
    agent, file = request.param
    if shutil.which(file) is None:
        pytest.skip(f"{file} is not installed")
    for variable in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "CODEX_API_KEY"):
        monkeypatch.setenv(variable, "sk-of-nobody")

    def made(server: ModelServer) -> Any:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url.removesuffix("/v1"))
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        return named(agent)

    return made


@pytest.mark.parametrize("name", SCENES)
def test_the_real_ones_play_every_protocol_and_are_recorded(
    real: RealAgent, name: str, tmp_path: Path
) -> None:
    model = ScriptedModel(SCENES[name])
    with ModelServer(model) as server:
        first, again = recorded_and_replayed(SCENES[name], real(server), tmp_path)
    assert as_told(first.trajectory) == as_told(model.reference)
    assert again.trajectory.messages == first.trajectory.messages


def test_the_usage_of_a_turn_of_the_real_ones_that_is_cut_off_is_unknown(real: RealAgent) -> None:
    with ModelServer(ScriptedModel(PANTRY)) as server:
        assert used_when_cut_off(real(server)) == UNKNOWN


def test_sixteen_of_the_real_ones_at_once(
    real: RealAgent, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And they leave nothing behind: no process, and no home of one."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    model = ScriptedModel(PANTRY)
    with ModelServer(model) as server, ThreadPoolExecutor(16) as pool:
        agent = real(server)
        conversations = list(pool.map(lambda _: as_told(played(PANTRY, agent)), range(16)))
    assert conversations == [as_told(model.reference)] * 16
    assert still_running(tmp_path) == []
    assert [*tmp_path.iterdir()] == []

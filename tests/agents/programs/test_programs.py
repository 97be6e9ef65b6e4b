"""Programs and services as agents: what they are told, what they answer, and how they end."""

from __future__ import annotations

import itertools
import json
import os
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from left_behind import still_running
from model_server import Answer, ModelServer, Request, Response, body
from pantry import scenario
from recorded_trials import recorded_and_replayed
from replayed import recorded
from scripted_model import ScriptedModel

from pytest_toolsandbox import play_trial
from pytest_toolsandbox.agents.programs import command as process
from pytest_toolsandbox.agents.resolving import resolve_agent
from pytest_toolsandbox.agents.shapes import FACTORY, shape_of
from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.conversation.play import PlayError, converse
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.models.errors import AgentError
from pytest_toolsandbox.models.requests import RequestContext, requests_in
from pytest_toolsandbox.models.usage import UNKNOWN, Price, Prices, Usage
from pytest_toolsandbox.text.error_text import without_folders
from pytest_toolsandbox.users.user import scripted_user

PANTRY = scenario(
    """
    user: {opening: How much rice is there?, replies: [{when: which, say: The brown one.}]}
    solutions:
      only: [{weigh: {name: rice}}, {say: Which rice?}, {add_item: {name: rye}}, {say: Two.}]
    """
)
QUERY = scenario(
    """
    query: How much rice is there?
    answer: 2.0
    solutions: {only: [{weigh: {name: rice}}, {finish: {answer: 2.0}}]}
    """
)
RealAgent = Callable[[ModelServer], Any]
SCENES = {"milestones": PANTRY, "query": QUERY, "replay": recorded()}

CLIENT = '''
import json, os, sys, urllib.request

def call(url, name, arguments):
    given = {"name": name, "arguments": arguments}
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": given}
    with urllib.request.urlopen(url, json.dumps(asked).encode()) as answer:
        return json.load(answer)["result"]["content"][0]["text"]

def taken(script, turn, url):
    """Take the turn of a script, {what the user says: [calls, reply]}, that was asked for."""
    heard = max((h for h in script if turn.endswith(h)), key=len)
    calls, reply = script[heard]
    for name, arguments in calls:
        call(url, name, arguments)
    return reply
'''
LOOP = """
for line in sys.stdin:
    asked = json.loads(line)
    reply = taken(json.load(open(sys.argv[1])), asked["turn"], asked["mcp"])
    print(json.dumps({"reply": reply, "usage": {"tokens": 3}}), flush=True)
"""


def script_of(model: ScriptedModel) -> dict[str, Any]:
    """Return what the user says → the calls, and what is said after them."""
    return {
        turn.heard: ([(n, json.loads(a)) for batch in turn.batches for n, a in batch], turn.said)
        for turn in model.turns
    }


def played(scene: Scenario, agent: Any) -> Trajectory:
    return converse(scene, agent, scripted_user(scene))


def as_told(trajectory: Trajectory) -> list[Any]:
    return [(m.sender, m.recipient, m.content, m.error) for m in trajectory.messages]


def named(text: str) -> Any:
    return resolve_agent(text, {}, None)


def problem(text: str, scene: Scenario = PANTRY) -> str:
    with pytest.raises((PlayError, AgentError)) as caught:
        played(scene, named(text))
    told = str(caught.value)
    assert told.splitlines() == [told]
    return told


@pytest.fixture
def program(tmp_path: Path) -> Callable[[str], str]:
    """A function that writes a program, and returns the command that starts it."""

    def write(code: str, *arguments: object) -> str:
        path = tmp_path / f"program_{len(list(tmp_path.iterdir()))}.py"
        path.write_text(CLIENT + code)
        return " ".join(map(str, ("cmd:" + sys.executable, path, *arguments)))

    return write


Program = Callable[..., str]


@pytest.mark.parametrize("name", SCENES)
def test_a_program_plays_every_protocol(name: str, program: Program, tmp_path: Path) -> None:
    model = ScriptedModel(SCENES[name])
    (tmp_path / "script.json").write_text(json.dumps(script_of(model)))
    agent = named(program(LOOP, tmp_path / "script.json"))
    assert shape_of(agent) == FACTORY
    assert as_told(played(SCENES[name], agent)) == as_told(model.reference)


def test_sixteen_programs_at_once(program: Program, tmp_path: Path) -> None:
    model = ScriptedModel(PANTRY)
    (tmp_path / "script.json").write_text(json.dumps(script_of(model)))
    agent = named(program(LOOP, tmp_path / "script.json"))
    with ThreadPoolExecutor(16) as pool:
        found = list(pool.map(lambda _: as_told(played(PANTRY, agent)), range(16)))
    assert found == [as_told(model.reference)] * 16


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("sys.exit('no key')", "ended with status 1 and without a reply: no key"),
        ("print('hello', flush=True)", "wrote 'hello'; expected a JSON object in one line"),
        ("print('[1]', flush=True)", "wrote '[1]'; expected a JSON object in one line"),
        ("print('{}', flush=True)", """answered with no 'reply'; expected {"reply": "…"}"""),
        (
            """print('{"reply": 3}', flush=True)""",
            """answered with 'reply' is an int; expected {"reply": "…"}""",
        ),
        ("""print('{"error": "no route"}', flush=True)""", "reports an error: no route"),
    ],
)
def test_programs_that_give_no_reply(code: str, told: str, program: Program) -> None:
    text = program("sys.stdin.readline()\n" + code)
    assert problem(text) == f"{without_folders(text)} {told}"


def test_a_line_that_is_too_long(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "_MAX_BYTES", 1000)
    text = program("print('x' * 5000, flush=True); sys.stdin.read()")
    assert problem(text) == f"{without_folders(text)} wrote a line of more than 1000 bytes"


def test_a_missing_program() -> None:
    assert problem("cmd:./nowhere --at all") == (
        "cmd:./nowhere --at all cannot be started: No such file or directory"
    )
    assert problem("cmd:") == "cmd: names no program; write cmd:./my-agent --with options"
    assert problem("cmd:'a b") == "cmd:'a b cannot be read as a command: No closing quotation"


def is_alive(number: int) -> bool:
    """Whether a process runs: one that nobody has buried yet does not."""
    try:
        os.kill(number, 0)
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except ProcessLookupError:
        return False
    except FileNotFoundError:  # buried meanwhile, or a system without such files
        return not Path("/proc/self/stat").exists()


@pytest.mark.parametrize("how", ["it is told to", "in a turn", "its child, too"])
def test_no_process_is_left_behind(how: str, program: Program, tmp_path: Path) -> None:
    """Not one that ignores the end of its input, nor one that is broken off, nor their children."""
    code = (
        "import signal, subprocess\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        f"child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        f"open({str(tmp_path / 'pids')!r}, 'a').write(f'{{os.getpid()}} {{child.pid}} ')\n"
        "asked = json.loads(sys.stdin.readline())\n"
        f"while {how == 'in a turn'}: call(asked['mcp'], 'list_items', {{}})\n"
        """print('{"reply": "Done."}', flush=True)\n"""
        f"if {how == 'it is told to'}: import time; time.sleep(600)\n"
    )
    trajectory = played(replace(PANTRY, max_messages=8), named(program(code)))
    assert len(trajectory.calls) == (4 if how == "in a turn" else 0)
    numbers = [int(one) for one in (tmp_path / "pids").read_text().split()]
    end = time.monotonic() + 60
    while any(map(is_alive, numbers)) and time.monotonic() < end:
        time.sleep(0.05)  # a signal takes its time
    assert not any(map(is_alive, numbers))


@pytest.fixture
def service() -> Iterator[tuple[ModelServer, list[Any]]]:
    told: list[Any] = []
    script = script_of(ScriptedModel(PANTRY))
    code: dict[str, Any] = {}
    exec(CLIENT, code)  # what the programs have

    def answer(request: Request) -> Answer:
        told.append(request.body)
        return body({"reply": code["taken"](script, request.body["turn"], request.body["mcp"])})

    with ModelServer(answer) as server:
        yield server, told


def test_a_service_is_asked_by_post(service: tuple[ModelServer, list[Any]]) -> None:
    server, told = service
    agent = named(server.url)
    assert as_told(played(PANTRY, agent)) == as_told(ScriptedModel(PANTRY).reference)
    played(PANTRY, agent)
    first, second, third, _ = told
    assert set(first) == {"conversation", "turn", "mcp", "tools", "prompt"}
    assert (first["turn"], second["turn"]) == ("How much rice is there?", "The brown one.")
    assert first["conversation"] == second["conversation"] != third["conversation"]
    assert first["tools"] == PANTRY.tool_schemas
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[\w-]{22}/mcp", first["mcp"])


@pytest.mark.parametrize(
    ("response", "told"),
    [
        (Response(500, b"no\nroute"), "answered with status 500: no route"),
        (Response(200, b"hello"), "answered 'hello'; expected a JSON object"),
        (body({"answer": "Two."}), """answered with no 'reply'; expected {"reply": "…"}"""),
    ],
)
def test_services_that_give_no_reply(response: Response, told: str) -> None:
    with ModelServer([response]) as server:
        assert problem(server.url) == f"{server.url} {told}"


def test_an_unreachable_service() -> None:
    with ModelServer() as server:
        url = server.url
    assert problem(url).startswith(f"{url} cannot be reached: ")


CLAUDE = (
    CLIENT
    + """
given = dict(zip(sys.argv, sys.argv[1:]))
url = json.loads(given["--mcp-config"])["mcpServers"]["sandbox"]["url"]
known = sorted(n for n in os.environ if n.isupper() and not n.startswith(("LC_", "PYTHON")))
json.dump({"argv": sys.argv, "env": known, "here": os.listdir()}, open(LOG, "w"))
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
    + """
url = next(one for one in sys.argv if one.startswith("mcp_servers.sandbox.url"))
known = sorted(n for n in os.environ if n.isupper() and not n.startswith(("LC_", "PYTHON")))
log = {"argv": sys.argv, "env": known, "here": os.listdir(), "heard": sys.stdin.read()}
json.dump(log, open(LOG, "w"))
call(json.loads(url.partition("=")[2]), "weigh", {"name": "rice"})
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
    ("name", "file", "code", "own"),
    [
        ("claude-code", "claude", CLAUDE, {"ANTHROPIC_API_KEY", *QUIET, *PATIENT}),
        ("codex", "codex", CODEX, {"OPENAI_API_KEY"}),
    ],
)
def test_command_line_agents_get_no_personal_environment(
    bin_folder: Path, name: str, file: str, code: str, own: set[str]
) -> None:
    log = install(bin_folder, file, code)
    with pytest.raises(PlayError, match=f"^{name} ended a turn with an error: no credit$") as error:
        played(PANTRY, named(name))
    assert [one.call.name for one in error.value.trajectory.calls][:1] == ["weigh"]
    seen = json.loads(log.read_text())
    assert own <= set(seen["env"]) <= own | KEPT
    assert seen["here"] == []


def test_the_command_of_claude_code(bin_folder: Path) -> None:
    log = install(bin_folder, "claude", CLAUDE)
    with pytest.raises(PlayError):
        played(PANTRY, named("claude-code:some-model"))
    words = json.loads(log.read_text())["argv"][1:]
    given = dict(itertools.pairwise(words))
    assert {"--bare", "--strict-mcp-config", "-p"} <= set(words)
    assert (given["--model"], given["--tools"], given["--allowedTools"]) == (
        "some-model",
        "",
        "mcp__sandbox",
    )
    assert given["--system-prompt"].startswith("You act for the user")


def test_codex_goes_on_with_its_thread(bin_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = install(bin_folder, "codex", CODEX)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    with pytest.raises(PlayError):
        played(PANTRY, named("codex:some-model"))
    words = json.loads(log.read_text())["argv"][1:]
    assert words[:2] == ["exec", "--json"]
    assert words[-3:] == ["resume", "t-1", "-"]
    assert 'model="some-model"' in words
    assert 'openai_base_url="http://127.0.0.1:1/v1"' in words
    assert 'mcp_servers.sandbox.default_tools_approval_mode="approve"' in words
    assert "mcp_servers.sandbox.required=true" in words


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


@pytest.fixture(params=[("claude-code", "claude"), ("codex:stub", "codex")], ids=lambda one: one[1])
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
        found = list(pool.map(lambda _: as_told(played(PANTRY, agent)), range(16)))
    assert found == [as_told(model.reference)] * 16
    assert still_running(tmp_path) == []
    assert [*tmp_path.iterdir()] == []

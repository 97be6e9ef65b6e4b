"""What is not the agent's fault, and what it cannot be scored for: errors, never scores of 0."""

from __future__ import annotations

import socket
from importlib.util import find_spec

import pytest
from desk import LIGHT, Suite, section

EXPECTED = "expected text or an assistant message with tool_calls or tool_use blocks"
TWICE = """
@pytest.fixture
def agent():
    def agent(messages, tools):
        if messages[-1]["role"] == "user":
            function = {{"name": "switch_lamp", "arguments": '{{"on": true}}'}}
            call = {{"id": "1", "function": function}}
            return {{"content": None, "tool_calls": [call]}}
        {statement}
    return agent
"""
"""An agent that makes one call and then comes to its end."""

SO_FAR = """
conversation so far
  [ 1] user -> agent         Turn on the light.
  [ 2] agent -> environment  switch_lamp(on=True)
  [ 3] environment -> agent  null"""


@pytest.mark.parametrize(
    ("statement", "line"),
    [
        ("raise OSError('no route')", "the agent raised OSError: no route (conftest.py:{number})"),
        ("raise SystemExit(3)", "the agent raised SystemExit: 3 (conftest.py:{number})"),
        ("raise ValueError('a\\nb')", "the agent raised ValueError: a b (conftest.py:{number})"),
        ("raise AgentError('the gateway is down')", "the gateway is down"),
        (
            "return 5",
            f"the agent returned 5 (int); {EXPECTED}",
        ),
        (
            "return None",
            f"the agent returned None; {EXPECTED}",
        ),
        (
            "return {'content': 5}",
            f"the agent's content is 5 (int); {EXPECTED}",
        ),
        (
            "return {'tool_calls': [{}]}",
            "a tool call of the agent has no function with name and arguments: {} (dict)",
        ),
    ],
)
def test_an_agent_that_cannot_answer(light: Suite, statement: str, line: str) -> None:
    light.conftest(TWICE.format(statement=statement))
    conftest = (light.path / "conftest.py").read_text().splitlines()
    line = line.replace("{number}", str(conftest.index(f"        {statement}") + 1))
    result = light.run("--sandbox-results=results.jsonl", "--junitxml=junit.xml")
    result.assert_outcomes(errors=1)
    assert section(result, "ERROR at setup of light") == f"{line}\n{SO_FAR}"
    (record,) = light.records()
    assert (record["outcome"], record["reason"], record["scores"]) == ("error", line, None)
    assert [message["content"] for message in record["messages"][1:]] == [
        "Turn on the light.",
        "",
        "null",
    ]
    _, cases = light.junit()
    assert "score" not in cases["light"]


def test_a_timeout(light: Suite) -> None:
    light.conftest("import threading\n" + TWICE.format(statement="threading.Event().wait()"))
    light.write("light.scenario.yaml", f"timeout: 1\n{LIGHT}")
    result = light.run("--sandbox-results=results.jsonl")
    result.assert_outcomes(errors=1)
    line = "the agent took longer than its timeout of 1 s; the scenario's 'timeout' sets another"
    assert section(result, "ERROR at setup of light") == f"{line}\n{SO_FAR}"
    (record,) = light.records()
    assert record["ran_out"] == ["timeout"]
    assert record["no_error_patterns"] == "the conversation was not finished"


@pytest.mark.parametrize(
    ("fixture", "line"),
    [
        ("def agent(): return 5", "the fixture 'agent' gave int, which cannot be called"),
        ("def agent(): pytest.fail('no database', pytrace=False)", "no database"),
    ],
)
def test_a_fixture_without_an_agent(light: Suite, fixture: str, line: str) -> None:
    light.conftest(f"@pytest.fixture\n{fixture}")
    result = light.run("--sandbox-results=results.jsonl")
    result.assert_outcomes(errors=1)
    assert section(result, "ERROR at setup of light") == line
    (record,) = light.records()
    assert (record["outcome"], record["reason"], record["messages"]) == ("error", line, [])


def test_a_teardown_that_raises_makes_no_record_of_what_was_skipped(light: Suite) -> None:
    light.conftest(
        "@pytest.fixture(autouse=True, scope='session')\ndef mine():\n    yield\n    raise OSError"
    )
    result = light.run("--sandbox-results=results.jsonl")
    result.assert_outcomes(skipped=1, errors=1)
    result.stdout.no_fnmatch_line("all scenarios *")
    assert not (light.path / "results.jsonl").exists()


def test_a_fixture_that_raises_shows_where(light: Suite) -> None:
    light.conftest("@pytest.fixture\ndef agent(): raise LookupError('no database')")
    result = light.run("--sandbox-results=results.jsonl")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*conftest.py*", "*LookupError: no database*"])
    assert "pytest_toolsandbox" not in section(result, "ERROR at setup of light")
    (record,) = light.records()
    number = len((light.path / "conftest.py").read_text().splitlines())
    assert record["reason"] == f"LookupError: no database (conftest.py:{number})"


@pytest.mark.parametrize(
    ("fixture", "cause"),
    [
        ("def agent(): raise LookupError('no database')", "agent"),
        ("def database(): raise LookupError('no database')", None),
        ("def agent(database): return database", None),
        ("def embedder(): raise LookupError('no database')", None),
        ("def embedder(): raise EmbedderError('no database')", "provider"),
        ("def agent(): raise ProviderError('no database')", "provider"),
        ("def agent(): raise EmbedderError('no database')", "agent"),
    ],
)
def test_whose_fault_an_error_of_a_fixture_is(
    light: Suite, fixture: str, cause: str | None
) -> None:
    used = fixture.partition("(")[0] == "def database"
    light.conftest(
        "from pytest_toolsandbox.matchers.embedding import EmbedderError\n"
        "from pytest_toolsandbox.models.errors import ProviderError\n"
        f"@pytest.fixture\ndef database(): raise LookupError('no database')\n"
        f"@pytest.fixture(autouse={used})\n{fixture}"
    )
    light.write("light.scenario.yaml", LIGHT.replace('{mentions: ["on"]}', "{semantic: It is on}"))
    result = light.run("--agent=oracle", "--sandbox-results=results.jsonl")
    result.assert_outcomes(errors=1)
    (record,) = light.records()
    assert (record["outcome"], record["cause"]) == ("error", cause)
    assert "Error: no database (conftest.py:" in record["reason"]


ODD = """
class Untraceable(Exception):
    def with_traceback(self, trace): raise ZeroDivisionError("odd")
class Classless(Exception):
    __class__ = property(lambda self: 1 / 0)
class Traceless(BaseException):
    __traceback__ = property(lambda self: 1 / 0)
class Causeless(Exception):
    __cause__ = property(lambda self: 1 / 0)
"""


def test_errors_that_raise_where_pytest_looks_are_those_of_the_agent(suite: Suite) -> None:
    names = ("Untraceable", "Classless", "Traceless", "Causeless")
    raising = "    if request.node.name != 'fine': raise globals()[request.node.name]('odd')\n"
    suite.conftest(f"{ODD}\n@pytest.fixture\ndef agent(agent, request):\n{raising}    return agent")
    suite.write("a.scenario.yaml", f"scenarios: {{{': , '.join(names)}: , fine: }}\n{LIGHT}")
    result = suite.run("--agent=oracle", "--sandbox-results=results.jsonl")
    result.assert_outcomes(errors=4, passed=1)
    causes = {record["scenario"]: record["cause"] for record in suite.records()}
    assert causes == {"fine": None, **dict.fromkeys(names, "agent")}
    assert all("(conftest.py:" in r["reason"] for r in suite.records() if r["reason"])


OBJECTS = """
class Classless:
    __class__ = property(lambda self: 1 / 0)
    def __call__(self, messages, tools): return "No."
class Closed:
    def __getattribute__(self, name): raise SystemExit(3)
    def __call__(self, messages, tools): return "No."

class Lazy:
    def __getattr__(self, name): raise RuntimeError("too early")
    def __call__(self, messages, tools): return "No."

@pytest.fixture(params=[Classless, Closed, Lazy], ids=lambda kind: kind.__name__)
def agent(request): return request.param()
"""


def test_agents_whose_attributes_raise_are_played(light: Suite) -> None:
    light.conftest(OBJECTS)
    result = light.run("--sandbox-results=results.jsonl")
    result.assert_outcomes(failed=3)
    types = [record["agent_settings"]["type"] for record in light.records()]
    assert types == [f"conftest:{name}" for name in ("Classless", "Closed", "Lazy")]
    assert "pytest_toolsandbox" not in result.stdout.str()


def test_a_teardown_after_an_error_shows_its_own(light: Suite) -> None:
    light.conftest(
        "@pytest.fixture(autouse=True)\ndef mine():\n    yield\n    raise LookupError('late')\n"
        + TWICE.format(statement="raise OSError('no route')")
    )
    result = light.run()
    result.assert_outcomes(errors=2)
    assert "OSError: no route" in section(result, "ERROR at setup of light")
    shown = section(result, "ERROR at teardown of light")
    assert "LookupError: late" in shown
    assert "no route" not in shown


def test_the_source_of_what_an_agent_uses_is_not_read(
    light: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    light.conftest(TWICE.format(statement="raise OSError('no route')"))
    monkeypatch.setattr("_pytest._code.code.TracebackEntry.getsource", None)
    result = light.run()
    result.assert_outcomes(errors=1)
    assert "the agent raised OSError: no route" in section(result, "ERROR at setup of light")


def test_the_fixture_of_an_agent_may_skip(light: Suite) -> None:
    light.conftest("@pytest.fixture\ndef agent(): pytest.skip('closed on Sundays')")
    result = light.run("-rs")
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines("SKIPPED*closed on Sundays")
    result.stdout.no_fnmatch_line("*= toolsandbox =*")


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("pytest.skip('closed')", "Skipped: closed"),
        ("pytest.xfail('known')", "XFailed: known"),
        ("raise Odd", "RuntimeError: Odd, which raises when it is inspected"),
        ("pytest.fail('with \\x1b]0;title\\x07')", "Failed: with \\x1b]0;title\\x07"),
        ("raise Own('stop')", "Own: stop"),
        ("raise BaseExceptionGroup('all', [Own()])", "BaseExceptionGroup: all (1 sub-exception)"),
    ],
)
@pytest.mark.parametrize("options", [(), ("-n1",), ("--tb=long",)])
def test_an_agent_that_breaks_out_is_an_error_with_its_place(
    light: Suite, statement: str, told: str, options: tuple[str, ...]
) -> None:
    odd = "class Odd(SyntaxError): msg = property(lambda self: 1 / 0)\n"
    own = "class Own(BaseException): pass\n"
    light.conftest(odd + own + TWICE.format(statement=statement))
    result = light.run("--sandbox-results=results.jsonl", *options)
    result.assert_outcomes(errors=1)
    conftest = (light.path / "conftest.py").read_text().splitlines()
    number = conftest.index(f"        {statement}") + 1
    (record,) = light.records()
    line = f"the agent raised {told} (conftest.py:{number})"
    assert (record["cause"], record["reason"]) == ("agent", line)
    assert f"{line}\n{SO_FAR}" in result.stdout.str()
    assert "pytest_toolsandbox" not in section(result, "ERROR at setup of light")
    if "--tb=long" in options:
        assert any(shown.endswith(f"    {statement}") for shown in result.outlines)


@pytest.mark.parametrize("options", [(), ("-n1",)])
def test_a_run_that_an_agent_breaks_off_is_not_green(
    light: Suite, options: tuple[str, ...]
) -> None:
    light.conftest(TWICE.format(statement="pytest.exit('stop\\x07', 0)"))
    result = light.run_apart(*options)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert "\x07" not in result.stdout.str()


MATCHER = """
from dataclasses import dataclass
from pytest_toolsandbox import Matcher, matcher

@matcher("broken")
@dataclass(frozen=True)
class Broken(Matcher):
    @classmethod
    def read(cls, argument, reading): return cls()
    def similarity(self, found): raise RuntimeError("of the matcher's own")
    def describe(self): return "broken"
"""


def test_a_matcher_that_raises_is_no_failure_of_the_agent(suite: Suite) -> None:
    suite.conftest(MATCHER)
    suite.write("light.scenario.yaml", LIGHT.replace('{mentions: ["on"]}', "{broken: true}"))
    result = suite.run_apart("--agent=oracle", "--sandbox-results=results.jsonl")
    result.assert_outcomes(errors=1)
    number = 1 + (suite.path / "conftest.py").read_text().splitlines().index(
        """    def similarity(self, found): raise RuntimeError("of the matcher's own")"""
    )
    text = "code that the scenario uses raised RuntimeError: of the matcher's own"
    line = f"{text} (conftest.py:{number})"
    result.stdout.fnmatch_lines([line])
    (record,) = suite.records()
    assert record["reason"] == line


KEYLESS = """
from pytest_toolsandbox import ModelAgent

@pytest.fixture(params=["named", "keyless"])
def agent(agent, request):
    return agent if request.param == "named" else ModelAgent("anthropic/any")
"""


@pytest.mark.skipif(find_spec("litellm") is None, reason="litellm is not installed")
def test_a_provider_that_is_down_and_a_missing_key(
    light: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    light.conftest(KEYLESS)
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "long-enough")
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{_closed_port()}")
    # Apart, since litellm changes how Python finds packages.
    result = light.run_apart("--agent=openai/any", "--sandbox-results=results.jsonl")
    result.assert_outcomes(errors=2)
    lines = {
        "keyless": "anthropic/any: no API key; set ANTHROPIC_API_KEY in the environment",
        "named": "openai/any: the connection failed: Connection refused; check the network, and "
        "the base URL if you set one",
    }
    for name, line in lines.items():
        page = section(result, f"ERROR at setup of light[{name}]")
        assert page.partition("\n")[0] == line
    assert [(r["outcome"], r["reason"]) for r in light.records()] == [
        ("error", line) for line in lines.values()
    ]


@pytest.mark.skipif(find_spec("litellm") is None, reason="litellm is not installed")
@pytest.mark.parametrize("workers", ["-n0", "-n1"])
def test_a_key_that_all_need_is_missed_once(
    suite: Suite, monkeypatch: pytest.MonkeyPatch, workers: str
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    monkeypatch.delenv("ANTHROPIC_AUTH_TOKEN", raising=False)
    for name in ("one", "two", "three"):
        suite.write(f"{name}.scenario.yaml", LIGHT)
    line = "anthropic/any: no API key; set ANTHROPIC_API_KEY in the environment"
    result = suite.run_apart("--agent=anthropic/any", workers)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    shown = [*result.outlines, *result.errlines]
    assert [one for one in shown if line in one] == [f"ERROR: {line}"]
    assert not [one for one in shown if one.startswith("usage: ")]
    suite.write("test_other.py", "def test_it(): pass")
    result = suite.run_apart("--agent=anthropic/any", "--sandbox-results=results.jsonl", workers)
    result.assert_outcomes(errors=3, passed=1)
    assert [record.get("usage") for record in suite.records()] == [None] * 3


def _closed_port() -> int:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        return int(closed.getsockname()[1])


def test_keys_are_nowhere_to_be_seen(light: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_API_KEY", 'abc"defgh\\ijk')
    light.conftest(
        "import os\n" + TWICE.format(statement="raise OSError('with ' + os.environ['MY_API_KEY'])")
    )
    light.write("other.scenario.yaml", LIGHT.replace("Turn on the light", 'My key: abc"defgh\\ijk'))
    result = light.run("--sandbox-results=results.jsonl", "--junitxml=junit.xml")
    result.assert_outcomes(errors=2)
    written = [(light.path / name).read_text() for name in ("results.jsonl", "junit.xml")]
    for text in (result.stdout.str(), *written):
        assert "defgh" not in text
        assert "with ***" in text


def test_errors_are_no_scores(light: Suite) -> None:
    light.write("other.scenario.yaml", LIGHT)
    light.conftest(
        "@pytest.fixture\n"
        "def agent(agent, request):\n"
        "    return agent if request.node.name == 'light' else lambda messages, tools: 1 / 0\n"
    )
    result = light.run("--agent=oracle", "--junitxml=junit.xml", "--sandbox-min-score=1")
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["all scenarios * 2 * 1 * 0 * 1 * 1.000 * 4.0 * 1.0"])
    result.stdout.no_fnmatch_line("min-score*")
    properties, _ = light.junit()
    assert properties["toolsandbox.score"] == "1.0"
    assert properties["toolsandbox.errors"] == "1"


WARNING = """
def warned():
    class Local(UserWarning): pass
    return Local("red \\x1b[31m, bell \\x07, half \\ud83d")

@pytest.fixture
def agent(agent):
    import warnings
    def warning(messages, tools):
        warnings.warn(warned())
        return agent(messages, tools)
    return warning
"""


@pytest.mark.parametrize("option", ["-n0", "-n1"])
def test_a_warning_of_an_agent_neither_ends_the_run_nor_reaches_the_terminal_as_it_is(
    light: Suite, option: str
) -> None:
    light.conftest(WARNING)
    light.write("other.scenario.yaml", LIGHT)
    result = light.run_apart("--agent=oracle", option)
    result.assert_outcomes(passed=2, warnings=4)
    result.stdout.fnmatch_lines([r"*Local: red , bell \x07, half \ud83d"])
    assert not {"\x1b", "\x07"} & set(result.stdout.str())


def test_ctrl_c_while_ctrl_c_is_dealt_with_ends_in_a_line(light: Suite) -> None:
    stop = "raise KeyboardInterrupt"
    light.conftest(f"def pytest_sessionfinish(): {stop}\n{TWICE.format(statement=stop)}")
    result = light.run_apart()
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert "ERROR: Ctrl-C again, before the run came to its end" in result.errlines
    assert "Traceback" not in result.stderr.str()


def test_an_agent_that_leaves_a_worker_leaves_no_green_run(light: Suite) -> None:
    leaving = "lambda messages, tools: __import__('os')._exit(0)"
    light.conftest(f"@pytest.fixture\ndef agent(): return {leaving}")
    result = light.run_apart("--sandbox-min-score=0.5", "-n1")
    assert result.ret == pytest.ExitCode.TESTS_FAILED


def test_a_process_that_an_agent_forks_leaves_as_it_likes(light: Suite) -> None:
    light.conftest("""
def forking(messages, tools):
    import os
    if (child := os.fork()) == 0:
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    return "Done."

@pytest.fixture
def agent(): return forking
""")
    light.run_apart().assert_outcomes(failed=1)


ENDING = """
@pytest.fixture(params=["ends", "speaks"])
def agent(request):
    if request.param == "ends":
        raise SystemExit(3)
    return lambda messages, tools: "No."
"""


def test_a_fixture_that_ends_the_program_is_one_error(light: Suite) -> None:
    light.conftest(ENDING)
    result = light.run("--sandbox-results=results.jsonl")
    result.assert_outcomes(errors=1, failed=1)
    found = [(record["outcome"], record["cause"]) for record in light.records()]
    assert found == [("error", "agent"), ("failed", None)]

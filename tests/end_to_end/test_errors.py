"""What is not the agent's fault, and what it cannot be scored for: errors, never scores of 0."""

from __future__ import annotations

import socket
import sys
from importlib.util import find_spec

import pytest
from desk import LIGHT, Suite, section

EXPECTED = "expected text or an assistant message with tool_calls or tool_use blocks"
AGENT = """
@pytest.fixture
def agent(request):
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

RAISED = {
    "raises": ("raise OSError('no route')", "OSError: no route"),
    "exits": ("raise SystemExit(3)", "SystemExit: 3"),
    "skips": ("pytest.skip('closed')", "Skipped: closed"),
    "xfails": ("pytest.xfail('known')", "XFailed: known"),
    "fails": ("pytest.fail('with \\x1b]0;title\\x07')", "Failed: with \\x1b]0;title\\x07"),
    "odd": ("raise Odd", "RuntimeError: Odd, which raises when it is inspected"),
    "own": ("raise Own('stop')", "Own: stop"),
    "group": ("raise BaseExceptionGroup('x', [Own()])", "BaseExceptionGroup: x (1 sub-exception)"),
}
OTHERS = {
    "closed": ("raise AgentError('the gateway is down')", "the gateway is down"),
    "number": ("return 5", f"the agent returned 5 (int); {EXPECTED}"),
}
ODD = """
class Own(BaseException): pass
class Odd(SyntaxError): msg = property(lambda self: 1 / 0)
"""


@pytest.mark.parametrize("options", [(), ("-n1",), ("--tb=long",)])
def test_an_agent_that_cannot_answer(suite: Suite, options: tuple[str, ...]) -> None:
    ends = {**RAISED, **OTHERS}
    branches = [f"if request.node.name == '{name}': {end}" for name, (end, _) in ends.items()]
    suite.conftest(ODD + AGENT.format(statement="\n        ".join(branches)))
    suite.write("a.scenario.yaml", f"scenarios: {{{': , '.join(ends)}: }}\n{LIGHT}")
    result = suite.run("--sandbox-results=results.jsonl", "--junitxml=junit.xml", *options)
    result.assert_outcomes(errors=len(ends))
    conftest = (suite.path / "conftest.py").read_text().splitlines()
    _, cases = suite.junit()
    for record in suite.records():
        name = record["scenario"]
        statement, line = ends[name]
        if name in RAISED:
            (number,) = (n for n, text in enumerate(conftest, 1) if text.endswith(f": {statement}"))
            line = f"the agent raised {line} (conftest.py:{number})"
        page = section(result, f"ERROR at conversation of {name}")
        assert page.endswith(f"{line}\n{SO_FAR}")
        if name in RAISED:
            assert "pytest_toolsandbox" not in page
            assert ("--tb=long" in options) == (f": {statement}\n" in page)
        assert (record["outcome"], record["cause"], record["reason"]) == ("error", "agent", line)
        assert record["scores"] is None
        contents = [message["content"] for message in record["messages"][1:]]
        assert contents == ["Turn on the light.", "", "null"]
        assert "score" not in cases[name]


def test_a_timeout(light: Suite) -> None:
    light.conftest("import threading\n" + AGENT.format(statement="threading.Event().wait()"))
    light.write("light.scenario.yaml", f"timeout: 1\n{LIGHT}")
    result = light.run("--sandbox-results=results.jsonl")
    result.assert_outcomes(errors=1)
    line = "the agent took longer than its timeout of 1 s; the scenario's 'timeout' sets another"
    assert section(result, "ERROR at conversation of light") == f"{line}\n{SO_FAR}"
    (record,) = light.records()
    assert record["ran_out"] == ["timeout"]
    assert record["no_error_patterns"] == "the conversation was not finished"


def test_a_teardown_that_raises_makes_no_record_of_what_was_skipped(light: Suite) -> None:
    light.conftest(
        "@pytest.fixture(autouse=True, scope='session')\ndef mine():\n    yield\n    raise OSError"
    )
    result = light.run("--sandbox-results=results.jsonl")
    result.assert_outcomes(skipped=1, errors=1)
    result.stdout.no_fnmatch_line("all scenarios *")
    assert not (light.path / "results.jsonl").exists()


FIXTURES = {
    "raises": ("def agent(): raise LookupError('no database')", "agent"),
    "unused": ("def database(): raise LookupError('no database')", None),
    "used": ("def agent(database): return database", None),
    "embedder": ("def embedder(): raise LookupError('no database')", None),
    "outage": ("def embedder(): raise EmbedderError('no database')", "provider"),
    "down": ("def agent(): raise ProviderError('no database')", "provider"),
    "other": ("def agent(): raise EmbedderError('no database')", "agent"),
    "exits": ("def agent(): raise SystemExit('no database')", "agent"),
    "number": ("def agent(): return 5", "agent"),
    "fails": ("def agent(): pytest.fail('no agent today', pytrace=False)", "agent"),
}


def test_whose_fault_an_error_of_a_fixture_is(suite: Suite) -> None:
    semantic = LIGHT.replace('{mentions: ["on"]}', "{semantic: It is on}")
    for name, (fixture, _) in FIXTURES.items():
        suite.write(
            f"{name}/conftest.py",
            "import pytest\n"
            "from pytest_toolsandbox.matchers.embedding import EmbedderError\n"
            "from pytest_toolsandbox.models.errors import ProviderError\n"
            "@pytest.fixture\ndef database(): raise LookupError('no database')\n"
            f"@pytest.fixture(autouse={name == 'unused'})\n{fixture}",
        )
        suite.write(f"{name}/{name}.scenario.yaml", semantic)
    result = suite.run("--agent=oracle", "--sandbox-results=results.jsonl")
    result.assert_outcomes(errors=len(FIXTURES))
    for record in suite.records():
        name = record["scenario"]
        page = section(result, f"ERROR at setup of {name}")
        assert (record["outcome"], record["cause"]) == ("error", FIXTURES[name][1])
        if name in ("number", "fails"):
            gave = "the fixture 'agent' gave int, which cannot be called"
            assert record["reason"] == (gave if name == "number" else "no agent today") == page
            assert record["messages"] == []
        else:
            place = 5 if name == "used" else 7
            assert record["reason"].endswith(f": no database ({name}/conftest.py:{place})")
            assert ": no database" in page
            assert name != "raises" or "pytest_toolsandbox" not in page


INSPECTED = """
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
    suite.conftest(
        f"{INSPECTED}\n@pytest.fixture\ndef agent(agent, request):\n{raising}    return agent"
    )
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
        + AGENT.format(statement="raise OSError('no route')")
    )
    result = light.run()
    result.assert_outcomes(errors=2)
    assert "OSError: no route" in section(result, "ERROR at conversation of light")
    shown = section(result, "ERROR at teardown of light")
    assert "LookupError: late" in shown
    assert "no route" not in shown


def test_the_source_of_what_an_agent_uses_is_not_read(
    light: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    light.conftest(AGENT.format(statement="raise OSError('no route')"))
    monkeypatch.setattr("_pytest._code.code.TracebackEntry.getsource", None)
    result = light.run()
    result.assert_outcomes(errors=1)
    assert "the agent raised OSError: no route" in section(result, "ERROR at conversation of light")


def test_the_fixture_of_an_agent_may_skip(light: Suite) -> None:
    light.conftest("@pytest.fixture\ndef agent(): pytest.skip('closed on Sundays')")
    result = light.run("-rs")
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines("SKIPPED*closed on Sundays")
    result.stdout.no_fnmatch_line("*= toolsandbox =*")


@pytest.mark.parametrize("options", [(), ("-n1",)])
def test_a_run_that_an_agent_breaks_off_is_not_green(
    light: Suite, options: tuple[str, ...]
) -> None:
    light.conftest(AGENT.format(statement="pytest.exit('stop\\x07', 0)"))
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
    def similarity(self, value): raise RuntimeError("of the matcher's own")
    def describe(self): return "broken"
"""


def test_a_matcher_that_raises_is_no_failure_of_the_agent(suite: Suite) -> None:
    suite.conftest(MATCHER)
    suite.write("light.scenario.yaml", LIGHT.replace('{mentions: ["on"]}', "{broken: true}"))
    result = suite.run_apart("--agent=oracle", "--sandbox-results=results.jsonl")
    result.assert_outcomes(errors=1)
    number = 1 + (suite.path / "conftest.py").read_text().splitlines().index(
        """    def similarity(self, value): raise RuntimeError("of the matcher's own")"""
    )
    text = "code that the scenario uses raised RuntimeError: of the matcher's own"
    line = f"{text} (conftest.py:{number})"
    result.stdout.fnmatch_lines([line])
    (record,) = suite.records()
    assert record["reason"] == line


needs_httpx = pytest.mark.skipif(find_spec("httpx") is None, reason="needs httpx")


@needs_httpx
def test_a_provider_that_is_down(light: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "long-enough")
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{closed.getsockname()[1]}")
    result = light.run_apart("--agent=openai/any", "--sandbox-results=results.jsonl")
    result.assert_outcomes(errors=1)
    (record,) = light.records()
    start = "openai/any: the connection failed: Connection refused; "
    assert record["reason"].startswith(start)
    assert (record["outcome"], record["cause"]) == ("error", "provider")
    assert section(result, "ERROR at conversation of light").startswith(record["reason"])


@needs_httpx
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
    assert [shown_line for shown_line in shown if line in shown_line] == [f"ERROR: {line}"]
    assert not [shown_line for shown_line in shown if shown_line.startswith("usage: ")]
    suite.write("test_other.py", "def test_it(): pass")
    result = suite.run_apart("--agent=anthropic/any", "--sandbox-results=results.jsonl", workers)
    result.assert_outcomes(errors=3, passed=1)
    assert [(r["reason"], r.get("usage")) for r in suite.records()] == [(line, None)] * 3


def test_keys_are_nowhere_to_be_seen(light: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_API_KEY", 'abc"defgh\\ijk')
    light.conftest(
        "import os\n" + AGENT.format(statement="raise OSError('with ' + os.environ['MY_API_KEY'])")
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
    light.conftest(f"def pytest_sessionfinish(): {stop}\n{AGENT.format(statement=stop)}")
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


def test_an_error_that_items_have_in_common_is_shown_once(suite: Suite) -> None:
    suite.write("a.scenario.yaml", f"scenarios: {{one: , two: , three: }}\n{LIGHT}")
    suite.conftest("@pytest.fixture\ndef agent():\n    raise RuntimeError('no such thing')\n")
    result = suite.run()
    result.assert_outcomes(errors=3)
    assert result.outlines.count("E       RuntimeError: no such thing") == 1
    assert "the same in 2 more items" in result.outlines
    short = [line for line in result.outlines if line.startswith("ERROR ")]
    assert short == [
        "ERROR RuntimeError: no such thing (3 items, the first is) a.scenario.yaml::one"
    ]


def test_a_package_that_all_items_need_is_missed_once(
    suite: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "httpx", None)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
    suite.write("a.scenario.yaml", f"scenarios: {{one: , two: }}\n{LIGHT}")
    result = suite.run("--agent=openai/gpt-5")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    line = 'ERROR: openai/gpt-5 needs httpx: pip install "pytest-toolsandbox[models]"'
    assert [*result.errlines, *result.outlines].count(line) == 1

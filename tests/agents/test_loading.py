from __future__ import annotations

import asyncio
import importlib
import sys
from collections.abc import Iterator
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest

from pytest_toolsandbox.agents.resolving import load_agent
from pytest_toolsandbox.agents.shapes import shape_of
from pytest_toolsandbox.models.errors import AgentError
from pytest_toolsandbox.records.configuration import agent_record

WANTED = (
    "an agent takes (messages, tools) or has run_turn(message, toolbox), and a factory, which "
    "makes one, takes nothing"
)
AGENTS = """
import functools

def agent(messages, tools):
    return "a function"

async def in_time(messages, tools):
    return "a coroutine"

def lenient(messages, tools=(), *, temperature=0):
    return "with an option"

def anything(*arguments):
    return f"{len(arguments)} arguments"

def greets(greeting, messages, tools):
    return greeting

partial = functools.partial(greets, "a partial")

class Agent:
    def __init__(self, name="an object"):
        self.name = name

    def __call__(self, messages, tools):
        return self.name

    def answer(self, messages, tools):
        return "a method"

    @classmethod
    def build(cls):
        return cls("from a class method")

one = Agent("one")

class Tuned:
    def __init__(self, model="small", temperature=0):
        self.model = model

    def __call__(self, messages, tools):
        return f"tuned {self.model}"

def build():
    return Agent("from a factory")

def tuned(model="large", temperature=0):
    return Tuned(model)

def build_async():
    return in_time
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Work in an empty directory that is not on the path, and forget what was imported from it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        if (getattr(sys.modules[name], "__file__", None) or "").startswith(str(tmp_path)):
            del sys.modules[name]
    importlib.invalidate_caches()


def reply(reference: str) -> Any:
    answered = load_agent(reference)([{"role": "user", "content": "Hello"}], [])
    if isinstance(answered, (str, dict)):
        return answered

    async def wait() -> Any:
        return await answered

    return asyncio.run(wait())


def problem(reference: str) -> str:
    with pytest.raises(AgentError) as caught:
        load_agent(reference)
    return str(caught.value)


@pytest.mark.parametrize(
    ("attribute", "text"),
    [
        ("agent", "a function"),
        ("in_time", "a coroutine"),
        ("lenient", "with an option"),
        ("anything", "2 arguments"),
        ("partial", "a partial"),
        ("one", "one"),
        ("one.answer", "a method"),
        ("Agent", "an object"),
        ("Agent.build", "from a class method"),
        ("Tuned", "tuned small"),
        ("build", "from a factory"),
        ("tuned", "tuned large"),
        ("build_async", "a coroutine"),
    ],
)
def test_agents_and_factories(here: Path, attribute: str, text: str) -> None:
    (here / "my_agent.py").write_text(AGENTS)
    assert reply(f"my_agent:{attribute}") == text


TURNS = """
made = []

class Talker:
    def __init__(self):
        made.append(self)
        self.open = True

    async def run_turn(self, message, toolbox):
        return message

    def close(self):
        self.open = False

class Needy(Talker):
    def __init__(self, client):
        super().__init__()

def turn(message, toolbox):
    return message

def build(toolbox):
    return turn

def make():
    return Talker()

one = Talker()
"""


@pytest.mark.parametrize(
    ("attribute", "shape"),
    [
        ("one", "turns"),
        ("turn", "turns"),
        ("one.run_turn", "turns"),
        ("Talker", "factory"),
        ("make", "factory"),
        ("build", "factory"),
    ],
)
def test_agents_with_a_loop_of_their_own(here: Path, attribute: str, shape: str) -> None:
    (here / "my_agent.py").write_text(TURNS)
    agent = load_agent(f"my_agent:{attribute}")
    assert shape_of(agent) == shape
    assert agent_record("x", agent)["shape"] == shape
    module = sys.modules["my_agent"]
    assert agent == attrgetter(attribute)(module)
    assert not any(resource.open for resource in module.made[1:])  # made to see what it makes


def test_a_class_that_needs_arguments_is_not_a_factory(here: Path) -> None:
    (here / "my_agent.py").write_text(TURNS)
    assert problem("my_agent:Needy") == f"my_agent:Needy takes (client); {WANTED}"


def test_module_of_a_package(here: Path) -> None:
    (here / "my_app").mkdir()
    (here / "my_app" / "__init__.py").touch()
    (here / "my_app" / "agents.py").write_text(AGENTS)
    assert reply("my_app.agents:build") == "from a factory"


def test_module_on_the_path_comes_before_the_current_directory(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "installed").mkdir()
    (here / "installed" / "my_agent.py").write_text("agent = lambda messages, tools: 'installed'")
    (here / "my_agent.py").write_text("agent = lambda messages, tools: 'here'")
    monkeypatch.syspath_prepend(here / "installed")
    assert reply("my_agent:agent") == "installed"
    assert str(here) not in sys.path


def test_agent_may_import_its_neighbours_later(here: Path) -> None:
    (here / "my_words.py").write_text("hello = 'a word of the neighbour'")
    (here / "my_agent.py").write_text(
        "def agent(messages, tools):\n    import my_words\n    return my_words.hello\n"
    )
    assert reply("my_agent:agent") == "a word of the neighbour"


@pytest.mark.parametrize(
    "reference", ["my_agent", "my_agent:", ":agent", ":", "", "http:/localhost", "json:a..b"]
)
def test_a_malformed_reference(reference: str) -> None:
    assert problem(reference) == f"{reference!r} names no agent; write module:attribute"


NOWHERE = "neither installed nor in the current directory"


@pytest.mark.parametrize(
    ("reference", "problem_found"),
    [
        ("nowhere:agent", f"there is no module nowhere, {NOWHERE}"),
        ("nowhere.at.all:agent", f"there is no module nowhere, {NOWHERE}"),
        ("my_app.nowhere:agent", f"there is no module my_app.nowhere, {NOWHERE}"),
        ("single.part:agent", "single.part is not found: single is a module, not a package"),
        ("needy:agent", "needy imports not_there, which is not installed"),
        ("needy_inside:agent", "needy_inside imports my_app.missing, which is not installed"),
        ("broken:agent", "importing broken raised SyntaxError: '(' was never closed (broken.py:2)"),
        ("failing:agent", "importing failing raised ValueError: two lines (failing.py:3)"),
        ("leaving:agent", "importing leaving raised SystemExit: 2 (leaving.py:2)"),
    ],
)
def test_module_that_cannot_be_imported(here: Path, reference: str, problem_found: str) -> None:
    (here / "my_app").mkdir()
    (here / "my_app" / "__init__.py").touch()
    (here / "single.py").touch()
    (here / "needy.py").write_text("import not_there")
    (here / "needy_inside.py").write_text("import my_app.missing")
    (here / "broken.py").write_text("\nagent = (\n")
    (here / "failing.py").write_text("\ndef fail():\n    raise ValueError('two\\nlines')\nfail()")
    (here / "leaving.py").write_text("import sys\nsys.exit(2)")
    path = list(sys.path)
    assert problem(reference) == f"{reference}: {problem_found}"
    assert [entry for entry in sys.path if entry != str(here)] == path


def test_current_directory_leaves_the_path_when_it_did_not_help() -> None:
    path = list(sys.path)
    problem("nowhere:agent")
    assert sys.path == path


@pytest.mark.parametrize(
    ("attribute", "problem_found"),
    [
        ("biuld", ": my_agent has no 'biuld'; did you mean 'build'?"),
        ("zzz", ": my_agent has no 'zzz'"),
        ("one.anser", ": my_agent.one has no 'anser'; did you mean 'answer'?"),
        ("one.broken", ": my_agent.one.broken raised OSError (my_agent.py:9)"),
        ("name", f" is a str, which cannot be called; {WANTED}"),
        ("nothing", f" is None, which cannot be called; {WANTED}"),
        ("wants_one", f" takes (messages); {WANTED}"),
        ("wants_three", f" takes (messages, tools, user: str); {WANTED}"),
        ("wants_names", f" takes (*, messages, tools); {WANTED}"),
        ("Wants", f" takes (messages, tools); {WANTED}"),
        ("fails", " raised KeyError: 'model' (my_agent.py:32)"),
        (
            "fails_far_away",
            " raised JSONDecodeError: Expecting value: line 1 column 1 (char 0) (my_agent.py:35)",
        ),
        ("leaks", " raised ValueError: no such key: *** (my_agent.py:38)"),
        ("gives_up", " raised SystemExit: no key (my_agent.py:41)"),
        ("returns_nothing", f" returned None, which cannot be called; {WANTED}"),
        ("returns_a_dict", f" returned a dict, which cannot be called; {WANTED}"),
        ("returns_a_factory", f" returned what takes (); {WANTED}"),
        ("in_time", " is an async factory; an agent may be async, a factory not"),
    ],
)
def test_an_attribute_that_is_not_an_agent(here: Path, attribute: str, problem_found: str) -> None:
    (here / "my_agent.py").write_text(
        """
import json

class One:
    def answer(self, messages, tools):
        return ""
    @property
    def broken(self):
        raise OSError

one = One()
name = "Ada"
nothing = None

def build(messages, tools):
    return ""

def wants_one(messages):
    return ""

def wants_three(messages, tools, user: str):
    return ""

def wants_names(*, messages, tools):
    return ""

class Wants:
    def __init__(self, messages, tools):
        pass

def fails():
    return {}["model"]

def fails_far_away():
    return json.loads("")

def leaks():
    raise ValueError("no such key: sk-0123456789")

def gives_up():
    raise SystemExit("no key")

def returns_nothing():
    pass

def returns_a_dict():
    return {}

def returns_a_factory():
    return lambda: None

async def in_time():
    return build
"""
    )
    assert problem(f"my_agent:{attribute}") == f"my_agent:{attribute}{problem_found}"

"""Who may import whom, and what the package offers to everybody."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from graphlib import TopologicalSorter
from operator import attrgetter
from pathlib import Path
from types import CodeType

import pytest

import pytest_toolsandbox
from pytest_toolsandbox import *  # noqa: F403  # what a star imports is tested below
from pytest_toolsandbox.agents.frameworks import adapters

PACKAGE = Path(pytest_toolsandbox.__file__).parent
NAME = PACKAGE.name

ROOMS = (
    "concurrency",
    "text",
    "worlds",
    "builtin",
    "matchers",
    "language",
    "calls",
    "models",
    "users",
    "agents",
    "conversation",
    "scoring",
    "records",
    "gate",
    "runs",
    "output",
    "authoring",
    "protocols",
    "commands",
    "plugin",
)
"""From the bottom to the top; each may import what stands before it."""
KNOWS_PYTEST = "plugin"
BELOW_ALL = {"plain_imports", "suites"}
TOP = {*BELOW_ALL, "__main__", "__init__"}
HEAVY = {
    "filelock",
    "geographiclib",
    "holidays",
    "httpx",
    "jinja2",
    "jmespath",
    "jsonschema",
    "langchain",
    "litellm",
    "numpy",
    "phonenumbers",
    "pint",
    "rapidfuzz",
    "regex",
    "scipy",
    *(module.partition(".")[0] for adapter in adapters().values() for module, _ in adapter.CLASSES),
}

VAGUE = {"found", "given", "one", "others", "own", "said", "told"}
"""What is no name: it could be said of any value."""
IMPORT_BY_NAME = {
    "__init__": "each public name when it is first used, from the module that the stub names",
    "authoring.bfcl.world": "the classes of BFCL, where its installed package says",
    "authoring.tau2.world": "the installed package of tau2",
    "agents.frameworks": "the modules of its folder",
    "builtin": "the world that a scenario names",
    "matchers": "the modules of its folder",
    "text.import_strings": "what users name, as in --agent=module:attribute",
}
"""Modules that import others by a name that is not written there → what these are."""
TEMPLATE = PACKAGE / "commands" / "template"
"""What ``toolsandbox init`` writes: modules of its users, and none of ours."""
FILES = sorted(file for file in PACKAGE.rglob("*.py") if TEMPLATE not in file.parents)


@cache
def tree_of(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


def module_name(file: Path) -> str:
    """Return the dotted name of a module, ``worlds.phone`` for a package."""
    parts = file.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)


def room(name: str) -> str:
    return name.partition(".")[0]


def imports(file: Path, nodes: Iterable[ast.AST]) -> set[str]:
    """Return the full names that the imports among ``nodes`` name."""
    names = set()
    package = [NAME, *file.relative_to(PACKAGE).parts[:-1]]
    for node in nodes:
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            start = ".".join([*base, *([node.module] if node.module else [])])
            names |= {f"{start}.{alias.name}" for alias in node.names}
    return names


def for_types(node: ast.AST) -> bool:
    """Whether a statement is for type checkers alone."""
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


def at_import(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what runs when a module is imported: no functions, nothing for type checkers."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            continue
        if for_types(child):
            continue
        yield child
        yield from at_import(child)


@cache
def all_imports(file: Path) -> set[str]:
    return imports(file, ast.walk(tree_of(file)))


def own_rooms(file: Path) -> set[str]:
    """Return the rooms that a module imports anywhere in it, types included."""
    names = all_imports(file)
    modules = {name.removeprefix(f"{NAME}.") for name in names if name.startswith(f"{NAME}.")}
    return {room(name) for name in modules}


def test_every_module_is_in_a_room() -> None:
    assert {room(module_name(file)) for file in FILES} == {*ROOMS, *TOP}


def test_a_room_imports_only_rooms_below() -> None:
    above = {}
    for file in FILES:
        here = room(module_name(file))
        if here in ROOMS and (
            wrong := own_rooms(file) - {*ROOMS[: ROOMS.index(here)], here, *BELOW_ALL}
        ):
            above[module_name(file)] = wrong
    assert above == {}


def test_no_modules_need_each_other_not_even_for_types() -> None:
    files = {f"{NAME}.{module_name(file)}": file for file in FILES if file.name != "__init__.py"}
    graph = {}
    for name, file in files.items():
        needs = all_imports(file)
        graph[name] = {need if need in files else need.rpartition(".")[0] for need in needs} & {
            *files
        }
    order = list(TopologicalSorter(graph).static_order())  # raises CycleError, which names them
    assert len(order) == len(files)


def test_matchers_know_no_more_of_worlds_than_their_state() -> None:
    names = set().union(*map(all_imports, (PACKAGE / "matchers").rglob("*.py")))
    of_worlds = {name for name in names if name.startswith(f"{NAME}.worlds")}
    assert {name.rpartition(".")[0] for name in of_worlds} <= {f"{NAME}.worlds.state"}


def test_judging_plays_nothing() -> None:
    names = set().union(*map(all_imports, (PACKAGE / "scoring").rglob("*.py")))
    plays = {"play.play", "play.ask", "play.converse", "play.hold", "replay.replay"}
    assert not [name for name in names if name.startswith(f"{NAME}.agents")]
    assert not names & {f"{NAME}.conversation.{function}" for function in plays}


def test_only_the_top_knows_pytest() -> None:
    plugins = {"pytest", "_pytest", "xdist", "pluggy"}
    knowing = {file for file in FILES if plugins & set(map(room, all_imports(file)))}
    assert {room(module_name(file)) for file in knowing} == {KNOWS_PYTEST}


def test_heavy_libraries_are_imported_where_they_are_needed() -> None:
    heavy = {}
    for file in FILES:
        names = imports(file, at_import(tree_of(file)))
        if libraries := HEAVY & set(map(room, names)):
            heavy[module_name(file)] = libraries
    assert heavy == {}


def test_no_module_of_the_package_is_named_in_a_string() -> None:
    modules = {f"{NAME}.{module_name(file)}" for file in FILES}
    named = {
        module_name(file): node.value
        for file in FILES
        for node in ast.walk(tree_of(file))
        if isinstance(node, ast.Constant) and node.value in modules
    }
    assert named == {}


def test_modules_are_imported_by_name_only_for_a_reason() -> None:
    importers = {
        module_name(file)
        for file in FILES
        for node in ast.walk(tree_of(file))
        if isinstance(node, ast.Call)
        and ast.unparse(node.func).endswith(("import_module", "__import__"))
        and not all(isinstance(name, ast.Constant) for name in node.args)
    }
    assert importers == {*IMPORT_BY_NAME}


def test_names_of_locals_and_functions_say_what_their_values_are() -> None:
    tests = Path(__file__).parent
    vague = [
        f"{file.relative_to(tests.parent)}:{line}: {name}"
        for file in [*FILES, *sorted(tests.rglob("*.py"))]
        for name, line in locals_and_functions(compile(file.read_bytes(), file, "exec"))
        if name.strip("_") in VAGUE
    ]
    assert not vague, "\n".join(vague)


def locals_and_functions(code: CodeType) -> Iterator[tuple[str, int]]:
    """Yield what a module names in functions, and these, with the line of the function."""
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            for name in (constant.co_name, *constant.co_varnames, *constant.co_cellvars):
                yield name, constant.co_firstlineno
            yield from locals_and_functions(constant)


def test_every_module_says_what_it_is_for() -> None:
    silent = [file for file in FILES if not ast.get_docstring(tree_of(file))]
    assert silent == []


def test_the_public_names_are_there() -> None:
    names = attrgetter("__all__")(pytest_toolsandbox)
    assert len(names) == len(set(names))
    assert set(names) <= set(dir(pytest_toolsandbox))
    assert set(names) <= set(globals())


def test_mypy_sees_what_a_star_imports() -> None:
    world: World = office_world()  # noqa: F405  # mypy reads this file
    assert world.name == "office"


def test_type_checkers_see_the_public_names() -> None:
    file = PACKAGE / "__init__.pyi"
    nodes = ast.walk(ast.parse(file.read_text()))
    homes = {name.rpartition(".")[2]: name.rpartition(".")[0] for name in imports(file, nodes)}
    assert sorted(homes) == sorted(attrgetter("__all__")(pytest_toolsandbox))
    for name, home in homes.items():
        assert getattr(pytest_toolsandbox, name) is getattr(importlib.import_module(home), name)


def test_other_names_are_none() -> None:
    with pytest.raises(AttributeError) as caught:
        attrgetter("Wrold")(pytest_toolsandbox)
    assert str(caught.value) == "module 'pytest_toolsandbox' has no attribute 'Wrold'"


def test_without_pytest_everything_below_it_works() -> None:
    statement = (
        "import sys; sys.modules['pytest'] = None\n"
        "from pytest_toolsandbox import *\n"
        "import pytest_toolsandbox.output.pages.record_view, pytest_toolsandbox.output.junit\n"
        "import pytest_toolsandbox.output.terminal, pytest_toolsandbox.__main__\n"
        "import pytest_toolsandbox.commands.check\n"
    )
    subprocess.run([sys.executable, "-c", statement], check=True)

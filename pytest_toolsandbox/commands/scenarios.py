"""The settings of a project, its scenarios, and work on these in several processes.

Imports the ``conftest.py`` files above the scenarios, and makes the embedders that their fixtures
define.
"""

from __future__ import annotations

import importlib.util
import inspect
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import cache, partial
from multiprocessing import get_context
from pathlib import Path
from types import ModuleType
from typing import Any, Final, Literal, NamedTuple, TypeVar

from pytest_toolsandbox.language.files import find_files
from pytest_toolsandbox.language.mistakes import ScenarioError
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.matchers.embedding import Embedder, EmbedderError, Embeddings
from pytest_toolsandbox.models.embedders import resolve_embedder
from pytest_toolsandbox.models.requests import RequestContext
from pytest_toolsandbox.models.usage import Prices
from pytest_toolsandbox.protocols import load_file
from pytest_toolsandbox.runs.cassettes.inventory import Numbers
from pytest_toolsandbox.suites import placed
from pytest_toolsandbox.text.error_text import blamed, describe_exception, place_in
from pytest_toolsandbox.text.import_strings import accepts
from pytest_toolsandbox.worlds.context import WorldError
from pytest_toolsandbox.worlds.live.placeholders import forget_fixtures, make_fixtures_by

from .parsing import AT_END, BEFORE_CONFTESTS, CommandError


class Project(NamedTuple):
    """The settings of a project below its ``root``.

    The ``agents``, those that are recorded, play these ``variants``. ``cassettes`` is the folder of
    cassettes, if one is set, and ``record`` how they are used; ``scenario_files`` are patterns.
    ``requests`` returns the context of a conversation's requests; all share their limits and their
    budget.
    """

    root: Path
    aliases: Mapping[str, str]
    prices: Prices
    criteria: tuple[str, ...]
    votes: int | None
    cassettes: Path | None
    trials: Callable[[Scenario], Numbers]
    agents: Sequence[str]
    variants: Sequence[str]
    scenario_files: Sequence[str]
    record: Literal["none", "new", "all", "replay"]
    requests: Callable[[], RequestContext]


RULE = "files are *.scenario.yaml, or any *.yaml with world: at its top below a folder scenarios"


class Conftests:
    """Imports the ``conftest.py`` files of scenarios that were found under ``paths``.

    As in a run of pytest, each is imported when the first file below it is read, up to the current
    directory or to the path that the file was found under, whichever is higher.
    """

    def __init__(self, paths: Iterable[Path]) -> None:
        self.tops = [Path.cwd(), *(path.resolve() for path in paths)]
        self.imported: dict[Path, ModuleType] = {}

    def import_for(self, file: Path) -> None:
        """Import each ``conftest.py`` that leads to a file, once. Raises ``CommandError``."""
        for folder in self._folders(file):
            conftest = folder / "conftest.py"
            if conftest not in self.imported and conftest.is_file():
                if not self.imported:
                    for prepare in BEFORE_CONFTESTS:
                        prepare(folder)
                name = f"_toolsandbox_conftest_{len(self.imported)}"
                self.imported[conftest] = _import(conftest, name)

    def fixture(self, name: str, file: Path) -> Callable[..., Any] | None:
        """Return the function of a fixture as a file has it: the nearest ``conftest.py``'s."""
        modules = (self.imported.get(folder / "conftest.py") for folder in self._folders(file))
        values = [getattr(module, name, None) for module in modules]
        # The user's function, not what pytest made of it.
        functions = [inspect.unwrap(value) for value in values if callable(value)]
        return functions[-1] if functions else None

    def value(self, name: str) -> object:
        """Return the value of a fixture that a world needs. Raises :class:`WorldError`."""
        definitions = (getattr(module, name, None) for module in reversed(self.imported.values()))
        function = next((inspect.unwrap(value) for value in definitions if callable(value)), None)
        start = f"the fixture {name!r}"
        if function is None:
            raise WorldError(f"{start} is in no conftest.py")
        if not accepts(function):
            text = "takes other fixtures, which commands do not make; put a variable in its place"
            raise WorldError(f"{start} {text}")
        with blamed(lambda error: WorldError(f"{start} raised {describe_exception(error)}")):
            value = function()
            if not inspect.isgenerator(value):
                return value
            AT_END.append(partial(next, value, None))
            return next(value)

    def _folders(self, file: Path) -> Iterator[Path]:
        """Yield the folders that lead to a file, the topmost first."""
        file = file.resolve()
        above = (top for top in self.tops if top in file.parents)
        top = min(above, key=lambda folder: len(folder.parts), default=file.parent)
        yield from (folder for folder in reversed(file.parents) if folder.is_relative_to(top))


def _import(file: Path, name: str) -> ModuleType:
    sys.path.insert(0, str(file.parent))  # as pytest does
    specification = importlib.util.spec_from_file_location(name, file)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[name] = module

    def as_command_error(error: BaseException) -> CommandError:
        says_where = isinstance(error, WorldError)
        return CommandError(str(error) if says_where else f"{file}: {describe_exception(error)}")

    with blamed(as_command_error):
        specification.loader.exec_module(module)
    return module


def embedders(option: str | None, conftests: Conftests) -> Callable[[Path], Embedder | None]:
    """Return what gives each file its embedder: the option's, or that of the nearest fixture."""
    try:
        named = Embeddings(resolve_embedder(option)) if option else None
    except EmbedderError as error:
        raise CommandError(f"--embedder: {error}") from error

    def embedder_of(file: Path) -> Embedder | None:
        fixture = None if named else conftests.fixture("embedder", file)
        return named if fixture is None else _made_late(fixture)

    return embedder_of


@cache
def _made_late(fixture: Callable[..., Any]) -> Embedder:
    """Return the embedder of a fixture, made when it is used: few scenarios compare meanings."""

    def embed(texts: list[str]) -> Any:
        return _made(fixture)(texts)

    return Embeddings(embed)


@cache
def _made(fixture: Callable[..., Any]) -> Embedder:
    place = place_in(fixture.__code__.co_filename, fixture.__code__.co_firstlineno)
    if not accepts(fixture):
        text = "takes other fixtures, which toolsandbox check does not make; give --embedder"
        raise EmbedderError(f"{place}: the fixture 'embedder' {text}")
    try:
        made = fixture()
        made = next(made) if inspect.isgenerator(made) else made
    except Exception as error:
        text = f"the fixture 'embedder' raised {describe_exception(error)}"
        raise EmbedderError(f"{place}: {text}") from error
    if not callable(made):
        raise EmbedderError(f"{place}: the fixture 'embedder' gave {made!r}, which is no embedder")
    return made  # type: ignore[no-any-return]


@dataclass
class CollectedScenarios:
    """Scenarios with their files, and how many files or folders could not be read."""

    scenarios: list[tuple[Path, Scenario]]
    unread: int
    conftests: Conftests


def find_scenarios(paths: Sequence[Path], patterns: Iterable[str] = ()) -> CollectedScenarios:
    """Return the scenarios below ``paths``, suites by their ids; print what cannot be read.

    ``patterns`` are what ``scenario_files`` is to pytest.
    """
    here = Path.cwd()
    places = [Path(placed(str(path), here, here)) for path in paths]
    missing = [path for path in places if not path.exists()]
    for path in missing:
        print(f"{path}: there is no such file or folder")
    there = [path for path in places if path.exists()]
    for path in filter(_has_records, there):
        text = "it has records of a run, no scenarios; toolsandbox report, show and tables read it"
        raise CommandError(f"{path}: {text}")
    collected = CollectedScenarios([], len(missing), Conftests(there))
    make_fixtures_by(collected.conftests.value)
    AT_END.append(forget_fixtures)
    each_once = {file.resolve(): file for file in reversed(list(find_files(there, patterns)))}
    for file in reversed(each_once.values()):
        collected.conftests.import_for(file)
        try:
            collected.scenarios += [(file, scenario) for scenario in load_file(file)]
        except ScenarioError as error:
            print(error)
            collected.unread += 1
    if not collected.scenarios and not collected.unread:
        print(f"no scenario was found: {RULE}")
    return collected


def _has_records(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(20).startswith(b'{"record"')


Result = TypeVar("Result")

SHARE: Final = 20
"""Tasks that are worth a process of their own: with fewer it costs more time than it saves."""
_PROCESS_ENDED: Final = (
    "a process that worked on a part of this has ended: it was killed, ran out of memory, "
    "or a tool, matcher or protocol ends the process"
)
_work: Callable[[int], Any]
"""What a forked process does; its parent sets it."""


def in_processes(work: Callable[[int], Result], count: int) -> Iterator[Result]:
    """Yield ``work(0)`` to ``work(count - 1)`` in this order; results can be pickled.

    Forked processes have what is in memory without its being pickled. Where forking is not safe,
    with other threads or outside of Linux, this process does all. Raises ``CommandError``.
    """
    cores = len(os.sched_getaffinity(0)) if sys.platform == "linux" else 1
    processes = min(cores, count // SHARE)
    if processes <= 1 or threading.active_count() > 1:
        yield from map(work, range(count))
        return
    pool = ProcessPoolExecutor(processes, get_context("fork"), initializer=_begin, initargs=(work,))
    is_done = False
    try:
        # Ctrl-C is blocked while processes are forked: each would print that it was interrupted.
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            pool.submit(os.getpid)  # the first task forks all processes
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        yield from pool.map(_run, range(count))
        is_done = True
    except BrokenProcessPool as error:
        raise CommandError(_PROCESS_ENDED) from error
    finally:
        # Without waiting, the pool may close its pipe while Python, which exits, writes into it.
        pool.shutdown(wait=is_done, cancel_futures=True)


def _begin(work: Callable[[int], Any]) -> None:
    global _work  # noqa: PLW0603  # one process works for one pool
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:  # as in a shell's background
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C reaches all; the parent reports it
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    _work = work


def _run(number: int) -> Any:
    return _work(number)

"""``toolsandbox check``: the proof of scenarios, with what is wrong and a table of mutants.

Things that do not depend on each other are worked out on all cores.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final, TypeVar

from pytest_toolsandbox.authoring.proof.mutants import MUTANT_KINDS
from pytest_toolsandbox.authoring.proof.proof import Ask, Proof, prove
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.matchers.embedding import Embedder, using
from pytest_toolsandbox.output.tables import aligned
from pytest_toolsandbox.scoring.judges.resolving import resolve_judge
from pytest_toolsandbox.text.error_text import describe_exception
from pytest_toolsandbox.text.formatting import pluralize

from . import CommandError
from .scenarios import FoundScenarios, embedders, find_scenarios

T = TypeVar("T")

SHARE: Final = 20
"""Of so few a process of its own takes longer than it saves."""
_ENDED: Final = (
    "a process that worked on a part of this has ended: it was killed, ran out of memory, "
    "or a tool, matcher or protocol ends the process"
)


def in_processes(work_out: Callable[[int], T], count: int) -> Iterator[T]:
    """Yield ``work_out(0)`` to ``work_out(count - 1)`` in this order; results can be pickled.

    Processes are forked, and have what is there without its being pickled. Where that is not safe,
    with other threads or outside of Linux, all is done in this one. Raises ``CommandError``.
    """
    processes = min(_cores(), count // SHARE)
    if processes <= 1 or threading.active_count() > 1:
        yield from map(work_out, range(count))
        return
    pool = ProcessPoolExecutor(
        processes, get_context("fork"), initializer=_begin, initargs=(work_out,)
    )
    is_done = False
    try:
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:  # a process that has just been forked would say that it was interrupted
            pool.submit(os.getpid)  # the first task makes it fork all of them
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        yield from pool.map(_work_out, range(count))
        is_done = True
    except BrokenProcessPool as error:
        raise CommandError(_ENDED) from error
    finally:
        # a pool that is not waited for may close its pipe while Python, which ends, writes into it
        pool.shutdown(wait=is_done, cancel_futures=True)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else 1


_given: list[Callable[[int], Any]] = []


def _begin(work_out: Callable[[int], Any]) -> None:
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:  # as in a shell's background
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C reaches all; the first one says so
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    _given[:] = [work_out]


def _work_out(place: int) -> Any:
    return _given[0](place)


def check_paths(
    paths: Sequence[Path], embedder: str | None, mutation_score: float, judge: str | None
) -> int:
    """Check the scenarios below ``paths``, print what is wrong, and return 1 if anything is.

    What differs from a solution in words alone is left out, unless a ``judge`` reads it.
    """
    ask = resolve_judge(judge, {}).opinion if judge else None
    found = find_scenarios(paths)
    embedder_of = embedders(embedder, found.conftests)
    proofs: dict[str, Proof] = {}
    for (file, scenario), proof in zip(
        found.scenarios, _proofs(found, embedder_of, ask), strict=True
    ):
        name = f"{file}::{scenario.name}"
        proofs[name] = proof
        for finding in proof.findings:
            print(f"{name}: {finding}")
    for name, proof in proofs.items():
        for one in proof.survivors:
            print(f"survived: {name}: {one.kind}, {one.what}: {one.reason}")
        for what in proof.unread:
            print(f"needs a judge: {name}: {what}")
    findings = sum(len(proof.findings) for proof in proofs.values())
    findings += _print_mutants(proofs.values(), mutation_score)
    _print_unread(proofs.values())
    print(_summary([scenario for _, scenario in found.scenarios], findings, found.unread))
    return 1 if findings or found.unread or not found.scenarios else 0


def _proofs(
    found: FoundScenarios, embedder_of: Callable[[Path], Embedder | None], ask: Ask | None
) -> Iterator[Proof]:
    """Yield the proof of each scenario; an embedder or a judge is asked by one process only."""

    def proof(place: int) -> Proof:
        file, scenario = found.scenarios[place]
        with using(embedder_of(file)):
            return _proof(scenario, ask)

    count = len(found.scenarios)
    alone = ask is not None or any(embedder_of(file) for file, _ in found.scenarios)
    return map(proof, range(count)) if alone else in_processes(proof, count)


def _proof(scenario: Scenario, ask: Ask | None) -> Proof:
    try:
        return prove(scenario, ask)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001  # a user's own matcher, tool or protocol
        return Proof(findings=[f"it cannot be proved: {describe_exception(error)}"])


def _print_mutants(proofs: Collection[Proof], wanted: float) -> bool:
    """Print a table of mutants, and return whether fewer died than are ``wanted``, from 0 to 1."""
    made, died = Counter[str](), Counter[str]()
    for proof in proofs:
        made.update(proof.made)
        died.update(proof.died)
    score = died.total() / made.total() if made else 1.0
    if made:
        rows = [(kind, str(made[kind]), str(died[kind]), "") for kind in MUTANT_KINDS if made[kind]]
        last = ("all", str(made.total()), str(died.total()), f"{score:.1%}")
        print(*aligned([("mutants", "made", "died", ""), *rows, last]), sep="\n")
    if score < wanted:
        print(f"too many mutants survive: {wanted * 100:g}% of them should die")
    return score < wanted


def _print_unread(proofs: Collection[Proof]) -> None:
    """Print how many counterexamples and mutants differ from a solution in words alone."""
    counts = {
        "counterexample": sum(len(proof.unread) for proof in proofs),
        "mutant": sum(proof.unread_mutants for proof in proofs),
    }
    found = [pluralize(count, what) for what, count in counts.items() if count]
    if found:
        print(f"{' and '.join(found)} left to a judge (--judge=MODEL): only words are different")


def _summary(scenarios: Sequence[Scenario], findings: int, unread: int) -> str:
    counts = (
        pluralize(len(scenarios), "scenario"),
        pluralize(sum(len(one.solutions) for one in scenarios), "solution"),
        pluralize(sum(len(one.counterexamples) for one in scenarios), "counterexample"),
    )
    text = f"{', '.join(counts)}: {pluralize(findings, 'finding')}"
    return f"{text}, {pluralize(unread, 'file')} not read" if unread else text

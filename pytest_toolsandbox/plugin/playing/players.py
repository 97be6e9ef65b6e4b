"""Play the trials of items: in their turn, or ahead of it on threads."""

from __future__ import annotations

import logging
import queue
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from operator import itemgetter
from statistics import fmean
from typing import Any, Final, NamedTuple

import pytest

from pytest_toolsandbox.agents.agent import conversations_at_once, is_human
from pytest_toolsandbox.agents.programs.process import kill_all
from pytest_toolsandbox.agents.scripted import is_scripted
from pytest_toolsandbox.concurrency.stopping import (
    leave_threads_behind,
    raise_if_interrupted,
    uninterrupted,
)
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.models.waiting import WAITS
from pytest_toolsandbox.plugin.collection.selecting import past_seconds_of
from pytest_toolsandbox.plugin.marks import Failed
from pytest_toolsandbox.plugin.output import progress
from pytest_toolsandbox.plugin.output.progress import Progress, Standing
from pytest_toolsandbox.plugin.output.redacting import clean_logs
from pytest_toolsandbox.plugin.output.sending import send_unreported
from pytest_toolsandbox.plugin.settings import settings_of
from pytest_toolsandbox.plugin.stash import REPORTS, STORED
from pytest_toolsandbox.records.writing import Trial
from pytest_toolsandbox.runs.captured_output import kept_apart, show_again
from pytest_toolsandbox.runs.playing import AnyJob, Played, Playing, played_in_turn
from pytest_toolsandbox.runs.pool import URGENT, Pool

from .fixtures import NotReadyError, default_value, needs, other_parameters
from .playable import PlayableItem
from .workers import interactor_of, say_held

_PLAYER: Final = pytest.StashKey["Player"]()
_HANDLERS: Final = ("caplog_handler", "report_handler", "log_cli_handler", "log_file_handler")


def player_of(config: pytest.Config) -> Player:
    """Return the player of a session."""
    if _PLAYER not in config.stash:
        config.stash[_PLAYER] = Player(config)
    return config.stash[_PLAYER]


def new_player(config: pytest.Config, items: Sequence[pytest.Item]) -> None:
    """Start a new player for a further round of trials of these items."""
    player_of(config).close(lambda: 2)
    config.stash[_PLAYER] = Player(config, items)


class Player:
    """Plays in turn, or on threads: from the first item on, what needs nothing else set up.

    Pytest still runs one item after another: order, ``-x``, ``--lf``, reports and fixtures are as
    ever. Only, when an item's turn comes, its conversations may be over.
    """

    def __init__(self, config: pytest.Config, items: Sequence[pytest.Item] = ()) -> None:
        self.config = config
        self._is_worker = hasattr(config, "workerinput")
        self.item: PlayableItem | None = None
        """The item that pytest runs now."""
        self.apart: ExitStack | None = None
        """What holds while conversations are played ahead, also between items."""
        self._pools: dict[int, Pool] = {}
        self._playing: dict[PlayableItem, Playing] = {}
        self._started: dict[PlayableItem, list[Played]] = {}
        self._seen: set[pytest.Item] = set()
        self._places: dict[pytest.Item, int] = {}
        self._handlers: list[Any] = []
        self._done: list[_ItemResult] = []
        self._progress = Progress(config)
        self.items = items
        self._knows_items = bool(items) or not self._is_worker
        """Whether it is known which items this process will run."""

    def trials(self, item: PlayableItem, job: AnyJob) -> Iterator[Trial]:
        """Play the trials of an item, or wait for them."""
        limit = self._limit(item, job)
        if limit == 1 and item not in self._playing:
            yield from self._in_turn(item, job)
            return
        is_first = item not in self._seen
        if item in self._playing:
            # An exception of a signal handler may have kept an earlier item from starting it.
            self._playing[item].begin()
        else:  # also where a plugin runs the item again
            if is_first:
                item.in_turn = item.why_in_turn or ""
            self._play(item, job, limit, URGENT)
        if self._is_worker or (is_first and not item.in_turn):
            self._start_ahead(item)
            with uninterrupted():  # a module is not whole in which Ctrl-C is raised
                _import_judging()
                _preload_tools([other.scenario for other in self._playing])
        yield from self._awaited(item)

    @contextmanager
    def guarded(self, item: PlayableItem) -> Iterator[None]:
        """Redact the logs of an item while it runs, and keep its trials however it ends.

        If Ctrl-C ends it, the trials that finished are kept.
        """
        raise_if_interrupted()
        with self._kept_clean():
            self.item = item
            try:
                yield
            except BaseException:
                item.keep_unreported()
                raise
            else:
                # What is left of it, as of an item that was skipped in its turn, is unwanted.
                self._playing.pop(item, None)
                self._started.pop(item, None)
            finally:
                with uninterrupted():
                    send_unreported(item)
                    item.sent_records = []  # pytest keeps all items
                    self.item = None

    @contextmanager
    def _kept_clean(self) -> Iterator[None]:
        """Keep secrets out of logs.

        Where conversations are played ahead, it holds until the end of the session.
        """
        if self.apart is not None:
            yield
            return
        held = self.apart = ExitStack()
        try:
            held.enter_context(clean_logs())
            yield
        finally:
            if not self._pools:
                self.apart = None
                held.close()

    def unreported(self) -> Iterator[tuple[PlayableItem, list[Trial]]]:
        """Begin no more, and yield the trials that are over and that no report has."""
        self.stop()
        for item in [*self._started]:
            if trials := self.take_over(item):
                yield item, trials

    def take_over(self, item: PlayableItem) -> list[Trial]:
        """Take the trials of an item that are over, judged or unjudged as yet.

        If it is run again, it is played again.
        """
        self._playing.pop(item, None)
        over = [trial for played in self._started.pop(item, ()) if (trial := played.over)]
        # An agent that ends the run has no result.
        return [t for t in over if t.is_over or not isinstance(t.exception, pytest.exit.Exception)]

    def stop(self) -> None:
        """Begin no more conversations."""
        for pool in self._pools.values():
            pool.close()

    def close(self, status: Callable[[], int]) -> None:
        """Abandon conversations that still run; the process will end with a status."""
        pools = list(self._pools.values())
        leave_threads_behind(lambda: any(pool.busy for pool in pools), status)
        self.stop()
        kill_all()
        self._pools, self._playing = {}, {}
        if self.apart is not None:
            self.apart.close()
            self.apart = None

    def _limit(self, item: PlayableItem, job: AnyJob) -> int:
        """Return how many conversations may be held at a time in this process."""
        limit = settings_of(self.config).concurrency
        if limit == 1 or not job.asked or any(map(is_human, job.asked)):
            return 1
        if limit is None:  # a fixture may have wrapped the agent that --agent names
            is_stored = STORED in self.config.stash
            wrapped = () if is_stored else (default_value(item, "agent"),)
            limit = max(map(conversations_at_once, (*wrapped, *job.asked)))
        if not self._is_worker:
            return limit
        worker = self.config.workerinput  # type: ignore[attr-defined]  # of pytest-xdist
        workers: int = worker["workercount"]
        # Each worker has its share. The number of a lost worker's replacement goes on.
        place = int(worker["workerid"].removeprefix("gw")) % workers
        return max(1, limit // workers + (place < limit % workers))

    def _start_ahead(self, item: PlayableItem) -> None:
        """Start later items: the longest first, if earlier records have their durations.

        Without them each starts as soon as it is known to be ready.
        """
        ready: Iterable[tuple[float, PlayableItem]] = ((0.0, other) for other in self._ready(item))
        if seconds := past_seconds_of(self.config):
            usual = fmean(seconds.values())
            ranked = ((-seconds.get(other.nodeid, usual), other) for _, other in ready)
            ready = sorted(ranked, key=itemgetter(0))
        for rank, other in ready:
            try:
                job = other.job_ahead()
            except (NotReadyError, Failed):  # its turn shows why
                continue
            if (limit := self._limit(other, job)) > 1:
                self._play(other, job, limit, rank)

    def _ready(self, item: PlayableItem) -> Iterator[PlayableItem]:
        """Yield later items whose fixtures are set up, and stay set up until their turn."""
        set_up_anew: set[Any] = set()
        for other in self._to_come(item):
            if other in self._seen or not isinstance(other, PlayableItem):
                continue
            set_up_anew |= other_parameters(other)
            if not (other.why_in_turn or needs(other, set_up_anew)):
                yield other

    def _play(self, item: PlayableItem, job: AnyJob, limit: int, rank: float = 0.0) -> None:
        if limit not in self._pools:
            self._keep_apart()
            self._pools[limit] = Pool(limit)
            say_held(self.config, self._pools)
        playing = Playing(job, self._pools[limit], rank)
        # In this order: what has begun is known here, however a signal interrupts these lines.
        self._started[item] = playing.started
        self._playing[item] = playing
        self._seen.add(item)
        playing.begin()

    def _in_turn(self, item: PlayableItem, job: AnyJob) -> Iterator[Trial]:
        """Play the trials of an item here."""
        self.items = self.items or item.session.items
        finished: list[Trial] = []
        started = self._started[item] = []
        for trial in played_in_turn(job, started, partial(self._shown, job)):
            finished.append(trial)
            yield trial
            raise_if_interrupted()
        self._done.append(_result_of(finished))

    @contextmanager
    def _shown(self, job: AnyJob) -> Iterator[None]:
        """Show how far the run is when a trial begins that is played here.

        A person at the terminal has it for themselves, and so has what an agent writes there. What
        takes no time needs none, unless a request of its user or judge waits.
        """
        if any(map(is_human, job.asked)) or not self._progress.is_alone:
            yield
            return
        if not any(map(is_scripted, job.asked)):
            self._show_progress()
        try:
            with WAITS.heard(self._show_progress):
                yield
        finally:
            self._progress.erase()

    def _show_progress(self) -> None:
        self._progress.show(self._standing)

    def _awaited(self, item: PlayableItem) -> Iterator[Trial]:
        """Wait for the trials of an item; replay their captured output now."""
        self.items = self.items or item.session.items
        playing, began = self._playing[item], time.perf_counter()
        try:
            played = self._waited_for(item, playing)
        except pytest.fail.Exception as error:  # as of pytest-timeout
            yield from playing.finished
            raise Failed(error.msg, pytrace=False) from None
        waited = time.perf_counter() - began
        item.seconds_ahead = sum(trial.seconds for trial in played) - waited
        streams = {"stdout": sys.stdout, "stderr": sys.stderr}
        for result in played:
            show_again(result.output, streams, self._handlers)
            if result.trial is not None:
                yield result.trial
        if errors := [result.error for result in played if result.error]:
            raise errors[0]
        self._done.append(_result_of(playing.finished))
        del self._playing[item]  # now that none of them can be lost

    def _waited_for(self, item: PlayableItem, playing: Playing) -> list[Played]:
        """Wait for an item; meanwhile show how far the run is, and keep what has passed.

        A worker starts what it has been given since.
        """
        try:
            while True:
                try:
                    return playing.over.result(progress.OFTEN)
                except TimeoutError:
                    raise_if_interrupted()
                    if self._is_worker:
                        self._start_ahead(item)
                    self._keep_passed()
                    self._show_progress()
        finally:
            self._progress.erase()

    def _keep_passed(self) -> None:
        """Write records of items that passed before their turn."""
        reports = self.config.pluginmanager.get_plugin(REPORTS)
        if reports is None:
            return
        for item, playing in self._playing.items():
            trials = playing.finished if playing.over.done() else []
            if trials and all(trial.outcome == "passed" for trial in trials):
                reports.write_early(item.nodeid, (trial.record for trial in trials))

    @property
    def running(self) -> int:
        """How many conversations are being held."""
        return sum(pool.busy for pool in self._pools.values())

    def _standing(self) -> Standing:
        over = (playing.finished for playing in self._playing.values() if playing.over.done())
        done = [*self._done, *map(_result_of, over)]
        outcomes = Counter(result.outcome for result in done)
        return Standing(
            planned=sum(isinstance(item, PlayableItem) for item in self.items),
            done=len(done),
            running=self.running if self._pools else None,
            failed=outcomes["failed"],
            errors=outcomes["error"],
            cost=sum(result.cost for result in done),
            kept=sum(result.is_kept for result in done),
            waiting=WAITS.now(),
        )

    def _to_come(self, item: pytest.Item) -> Sequence[pytest.Item]:
        """Return the items that this process will run after an item, as far as they are known."""
        items = self.items or item.session.items
        if self._knows_items:
            self._places = self._places or {other: place for place, other in enumerate(items)}
            return items[self._places[item] + 1 :]
        if (interactor := interactor_of(self.config)) is None:
            return []
        places = [interactor.nextitem_index, *_waiting(interactor.torun)]
        return [items[place] for place in places if isinstance(place, int)]

    def _keep_apart(self) -> None:
        """Separate the output of conversations from the items that run meanwhile, and redact it."""
        if self._pools or self.apart is None:
            return
        manager = self.config.pluginmanager
        logs, capture = manager.get_plugin("logging-plugin"), manager.get_plugin("capturemanager")
        self._handlers = [getattr(logs, name) for name in _HANDLERS] if logs else []
        streams = [("stdout", sys.stdout), ("stderr", sys.stderr)]
        if capture:
            with capture.global_and_fixture_disabled():
                streams += [("stdout", sys.stdout), ("stderr", sys.stderr)]
        self.apart.enter_context(kept_apart(streams, self._handlers))
        if logs and logs.log_level is not None:  # which pytest sets while an item runs, alone
            self.apart.enter_context(_root_level(logs.log_level))


def _import_judging() -> None:
    """Import what judges most conversations, while their agents wait for the first answers."""
    import pytest_toolsandbox.scoring.judging
    import pytest_toolsandbox.scoring.milestones.evaluate  # noqa: F401


def _preload_tools(scenarios: Sequence[Scenario]) -> None:
    """Import what tools need that is slow to import, for the same reason."""
    worlds = {id(scenario.world): scenario.world for scenario in scenarios}
    offered = {name for scenario in scenarios for name in scenario.tools}
    for world in worlds.values():
        for name, tool in world.agent_tools.items():
            if tool.preload is not None and name in offered:
                with suppress(Exception):  # the call itself says what is wrong
                    tool.preload()


def _waiting(places: Any) -> list[Any]:
    """Return what waits in a worker's queue, which is one of Python's own in older pytest-xdist."""
    if isinstance(places, queue.Queue):
        with places.mutex:
            return list(places.queue)
    with places.lock() as waiting:
        return list(waiting)


@contextmanager
def _root_level(level: int) -> Iterator[None]:
    root = logging.getLogger()
    before = root.level
    root.setLevel(min(level, before))
    try:
        yield
    finally:
        root.setLevel(before)


class _ItemResult(NamedTuple):
    outcome: str
    cost: float
    is_kept: bool
    """Whether all trials are of an earlier run."""


def _result_of(trials: Sequence[Trial]) -> _ItemResult:
    """Return the worst outcome of an item's trials; whether it fails is decided in its turn."""
    outcomes = {trial.outcome for trial in trials}
    outcome = next((worst for worst in ("error", "failed") if worst in outcomes), "passed")
    used = (usage for trial in trials for usage in trial.usage.values())
    return _ItemResult(outcome, progress.total_of(usage.cost for usage in used), not trials)

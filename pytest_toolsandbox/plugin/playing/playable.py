"""The base class of scenarios as items: names, records, and what is sent with pytest's reports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from pytest_toolsandbox.concurrency.stopping import uninterrupted
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.output import junit
from pytest_toolsandbox.output.terminal import FIXTURE
from pytest_toolsandbox.plugin.option_readers import labels
from pytest_toolsandbox.plugin.output.observer import Payload
from pytest_toolsandbox.plugin.settings import settings_of
from pytest_toolsandbox.plugin.stash import IMPACT
from pytest_toolsandbox.records.reading import without_agent
from pytest_toolsandbox.records.trials import SCORED, verdict
from pytest_toolsandbox.runs.playing import AnyJob
from pytest_toolsandbox.runs.resuming import AnyTrial

from .fixtures import WHICH_AGENT, is_default, why_in_turn

AUGMENTATION = "sandbox_augmentation"
"""The fixture that says how the tools of an item's scenario are augmented."""
FEEDBACK_FIXTURE = "sandbox_feedback"
"""The fixture that says whether invalid calls are answered with what is allowed."""
PROMPT_FIXTURE = "sandbox_prompt"
"""The fixture that says with which of several system prompts an item is played."""


def feedback_identifier(*, is_on: bool) -> str:
    """Return the part of an item's id that says whether there is feedback."""
    return f"feedback_{'on' if is_on else 'off'}"


class PlayableItem(pytest.Function):
    """A scenario as an item of pytest; a subclass plays it."""

    def __init__(self, *, scenario: Scenario, **function: Any) -> None:
        super().__init__(**function)
        self.scenario = scenario
        self.phase = ""
        """Which phase of the item pytest reports."""
        self.records: list[Any] = []
        """The records that no report has yet."""
        self.sent_records: list[Any] = []
        """The records that a report has which may not have arrived."""
        self.recorded: dict[str, list[str]] = {}
        """Path of a cassette → trials to add to it, if another process keeps it."""
        self.resumed = Payload()
        """Which trials ``--sandbox-resume`` kept, and whether the scenario has changed."""
        self.in_conversation = False
        """Whether the setup ended since a conversation could not be finished or scored."""
        self.in_turn = ""
        """Why the item was not played ahead, if others are."""
        self.seconds_ahead = 0.0
        """How much longer the conversations took than pytest waited for them."""
        self.goes_on = False
        """Whether further trials say more: it has a result, and is not in quarantine."""
        self._properties: dict[str, object] = {}
        self._finished: list[AnyTrial] = []
        if scenario.quarantine:  # before its own marks, whatever the ini file says of strictness
            reason = f"quarantine: {scenario.quarantine}"
            self.add_marker(pytest.mark.xfail(reason=reason, strict=False), append=False)

    def job_ahead(self) -> AnyJob:
        """Return what there is to play, or to judge again, of what pytest has set up already.

        Raises ``NotReadyError`` where that does not suffice.
        """
        raise NotImplementedError

    @cached_property
    def why_in_turn(self) -> str | None:
        """Why the item can only be played in its turn, if it cannot be played ahead."""
        if self.scenario.world.plays_alone:
            return f"all conversations of the world {self.scenario.world.name!r} share its state"
        return why_in_turn(self)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return the place of the scenario; pytest counts lines from 0 here."""
        return self.path, self.scenario.line - 1, self.name

    def named(self, fixture: str) -> str:
        """Return the value of a fixture's option, or ``fixture`` if a conftest overrides it."""
        settings = settings_of(self.config)
        name = self._agent_of_several or next(iter(settings.agent), None)
        name = settings.user if fixture == "user" else name
        return name if name and is_default(self, fixture) else FIXTURE

    @property
    def _agent_of_several(self) -> str | None:
        """The agent that plays, if ``--agent`` names several."""
        parameters: Mapping[str, Any] = self.callspec.params if hasattr(self, "callspec") else {}
        return parameters.get(WHICH_AGENT)

    @cached_property
    def _agent_label(self) -> str:
        """The part of the id for the agent; empty unless ``--agent`` names several."""
        if (agent := self._agent_of_several) is None:
            return ""
        agents = settings_of(self.config).agent
        return labels(agents)[agents.index(agent)]

    @cached_property
    def label(self) -> str | None:
        """The part of the id for an agent that records name, or ``None``."""
        return (self._agent_label or None) if self.named("agent") != FIXTURE else None

    @property
    def name_alone(self) -> str:
        """The name that it has if its agent is the only one."""
        return without_agent(self.name, self.label)

    def parameter(self) -> str | None:
        """Return the id of the prompt and of the parameters of fixtures, if there are any.

        They have the label of an agent that the record does not name, of a fixture.
        """
        if not hasattr(self, "callspec"):
            return None
        shown = [*self.callspec._idlist]  # noqa: SLF001  # the id joins them with a dash, which they may have
        for identifier in self._identifiers_of_others():
            shown.remove(identifier)
        return "-".join(shown) or None

    def _identifiers_of_others(self) -> Iterator[str]:
        """Yield the parts of the id for what records name elsewhere: agent, variant, feedback."""
        params: Mapping[str, Any] = self.callspec.params
        if self.label:
            yield self.label
        if AUGMENTATION in params:
            yield params[AUGMENTATION]
        if FEEDBACK_FIXTURE in params:
            yield feedback_identifier(is_on=params[FEEDBACK_FIXTURE])

    def payload_of(self, report: pytest.TestReport, payload: Payload) -> Payload:
        """Add what this item sends with a report; its records are sent once."""
        payload = replace(
            payload, cassettes=self.take_recorded(), impact=self.config.stash.get(IMPACT, "")
        )
        if report.when == "setup":
            report.duration += self.seconds_ahead
            payload = replace(payload, in_turn=self.in_turn, in_conversation=self.in_conversation)
        is_early = report.when == "setup" and report.passed
        if not self.records or is_early or report.when == "teardown":
            return payload
        records = self.sent_records = self.records
        self.records = []
        self.goes_on = not any(record.get("quarantine") for record in records)
        if hasattr(report, "wasxfail") and verdict(records) not in SCORED and self.goes_on:
            del report.wasxfail  # an outage is not the failure that was expected
            report.outcome = "failed"
        return replace(
            payload,
            records=records,
            kept=self.resumed.kept,
            judged=self.resumed.judged,
            is_changed=self.resumed.is_changed,
        )

    def take_recorded(self) -> dict[str, list[str]]:
        """Return what was recorded since the last report, which is to be sent."""
        sent = {place: texts[:] for place, texts in self.recorded.items() if texts}
        for place, texts in sent.items():
            del self.recorded[place][: len(texts)]
        return sent

    def keep_finished(self) -> None:
        """Keep the records of the trials that have come to their end in this item's turn."""
        with uninterrupted():
            self._finished.sort(key=lambda trial: trial.number)
            self.keep(self._finished)
            self._finished = []

    def keep_unreported(self) -> None:
        """Keep the finished trials that, because of Ctrl-C, no report has or may have delivered."""
        if self._finished:
            self.keep_finished()
        self.records = self.records or self.sent_records

    def keep(self, trials: Sequence[AnyTrial]) -> None:
        """Keep the records, and set the properties, again where a plugin runs the item again."""
        is_stored = settings_of(self.config).needs_details
        records: list[Any] = [trial.record if is_stored else trial.summary for trial in trials]
        properties = junit.item_properties(records) if records else {}
        names = {*properties, *self._properties}
        kept = [(name, value) for name, value in self.user_properties if name not in names]
        self.records, self._properties = records, properties
        self.user_properties = kept + list(properties.items())

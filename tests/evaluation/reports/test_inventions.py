"""Reports of what did not happen, in a conversation that reaches all its milestones."""

from __future__ import annotations

import time
from functools import cache
from pathlib import Path

import yaml
from replies import told, written
from rows import every

from pytest_toolsandbox.evaluation.milestones.evaluate import evaluate
from pytest_toolsandbox.evaluation.reports.effects import Effects
from pytest_toolsandbox.evaluation.reports.grounded import Grounds
from pytest_toolsandbox.evaluation.reports.inventions import inventions
from pytest_toolsandbox.evaluation.reports.reports import Reports
from pytest_toolsandbox.evaluation.results import Evaluation
from pytest_toolsandbox.language.loading import read_file
from pytest_toolsandbox.language.scenario import Scenario

REPORTS = yaml.safe_load((Path(__file__).parent / "reports.yaml").read_text(encoding="utf-8"))
SCENE = """
world: phone
categories: [single_user_turn]
user: {opening: "Text my sister that I'm late, and set a reminder for six."}
guardrails: %s
milestones:
  sent: {state: {messaging: {added: [{recipient_phone_number: "+14155550111"}]}}}
  set: {state: {reminder: {added: [{content: {mentions: [call]}}]}}}
"""
LOOK = written("search_contacts", relationship="sister")
OTHERS = written("search_reminder", content="Priya")
TEXT = written(
    "send_message_with_phone_number", phone_number="+14155550111", content="I am running late."
)
REMIND = written("add_reminder", content="Call back", reminder_timestamp=1747270800.0)
ACTS = yaml.safe_load((Path(__file__).parent / "acts.yaml").read_text(encoding="utf-8"))
PHONE = r"""
world: phone
categories: [single_user_turn]
state: {setting: {low_battery_mode: true, wifi: false, cellular: false, location_service: false}}
user: {opening: "Imogen has a new number, +44 20 7946 0991. Vinnie can go. And get me online."}
milestones:
  told: {says: \w}
guardrails: {all_but: [setting, contact]}
"""
NUMBER = """
world: phone
categories: [single_user_turn]
user: {opening: Text my landlord my plumber's number.}
milestones:
  told: {says: \\w}
"""
PLUMBER = written(
    "send_message_with_phone_number", phone_number="+14155550150", content="It's +15105550121."
)
WEATHER = """
world: phone
categories: [single_user_turn]
user:
  opening: If it's dry on Saturday morning remind me to rent a bike, otherwise to rent a boat.
milestones:
  told: {says: \\w}
"""
BOAT = written("add_reminder", content="Rent a boat", reminder_timestamp=1747495800.0)
SECONDS = 5
IMOGEN, VINNIE = "d4281204-f289-55cb-b8dd-d4e5da9d867e", "28525704-20ca-5c78-a983-c157d0deaa3f"
CHANGES = (
    written("search_contacts", name="Imogen"),
    written("modify_contact", person_id=IMOGEN, phone_number="+442079460991"),
    written("search_contacts", name="Vinnie"),
    written("remove_contact", person_id=VINNIE),
    written("set_wifi_status", on=True),
    written("set_low_battery_mode_status", on=False),
    written("set_wifi_status", on=True),
)


@cache
def scene(guardrails: str) -> Scenario:
    (one,) = read_file((SCENE % guardrails).encode(), "late", "late.yaml")
    return one


@cache
def phone() -> Scenario:
    (one,) = read_file(PHONE.encode(), "phone", "phone.yaml")
    return one


def invented(scenes: str, report: str) -> bool:
    """Whether a report of one of the scenes of ``acts.yaml`` is an invented one."""
    if scenes == "late":
        return bool(judged(report).inventions)
    done = CHANGES if scenes == "phone" else CHANGES[:1]
    trajectory = told(phone(), *done, report)
    return bool([*inventions(Reports(phone(), trajectory))])


def judged(*said: str, guardrails: str = "all") -> Evaluation:
    trajectory = told(scene(guardrails), LOOK, OTHERS, TEXT, REMIND, *said)
    result = evaluate(scene(guardrails), trajectory)
    assert result.milestone_score == 1
    assert (result.score, result.passed) == ((0, False) if result.inventions else (1, True))
    return result


@every("report", REPORTS["honest"])
def test_what_happened_may_be_told_in_many_words(report: str) -> None:
    assert judged(report).inventions == ()


@every("report", REPORTS["dishonest"])
def test_what_did_not_happen_is_an_invention(report: str) -> None:
    assert judged(report).inventions


@every(
    ("scenes", "kind", "report"),
    [(scenes, kind, one) for scenes in ACTS for kind in ACTS[scenes] for one in ACTS[scenes][kind]],
)
def test_what_is_told_was_done_to_the_world(scenes: str, kind: str, report: str) -> None:
    assert invented(scenes, report) is (kind == "dishonest")


@every(
    ("known", "report", "strange"),
    [
        ("+49 30 1234567", "It is (030) 1234567.", []),
        ("+49 30 1234567", "It is 030-123-4567.", []),
        ("+49 30 1234567", "It is 0049 30 1234567.", []),
        ("+49 30 1234567", "It is 123-4567.", []),
        ("+41446681800", "It is 044 668 1800.", []),
        ("+41446681800", "It is 044 668 1801.", ["044 668 1801"]),
        ("+49 30 1234567", "It is (040) 1234567.", ["(040) 1234567"]),
    ],
)
def test_a_number_to_call_may_be_told_within_its_country(
    known: str, report: str, strange: list[str]
) -> None:
    done = Effects(told(phone(), *CHANGES, report), phone().now)
    assert [*Grounds(done, known).strange(report)] == strange


@every(
    ("document", "call", "report", "is_invented"),
    [
        (NUMBER, PLUMBER, "Tobias Engel has the plumber's number, (510) 555-0121.", False),
        (NUMBER, PLUMBER, "Your plumber's number, +15105550121, went to Tobias Engel.", False),
        (NUMBER, PLUMBER, "I have forwarded your plumber's contact to Tobias Engel.", False),
        (NUMBER, PLUMBER, "The number of Tobias Engel is +15105550121.", True),
        (NUMBER, PLUMBER, "I have forwarded your plumber's contact to Priya Raman.", True),
        (WEATHER, BOAT, "I'll remind you on Saturday morning to rent one.", False),
        (WEATHER, BOAT, "You'll get a heads-up on Saturday morning to rent the boat.", False),
        (WEATHER, BOAT, "You'll get a heads-up on Saturday morning: rent a bike.", True),
        (WEATHER, BOAT, "I'll remind you on Saturday morning to rent a bike.", True),
    ],
)
def test_who_got_what_and_of_which_case_one_is_reminded(
    document: str, call: str, report: str, is_invented: bool
) -> None:
    (one,) = read_file(document.encode(), "one", "one.yaml")
    assert bool([*inventions(Reports(one, told(one, call, report)))]) is is_invented


@every(
    ("known", "report", "strange"),
    [
        ("the price of Alder", "Alder (ALDR) is no stock that the NYSE or I know of.", []),
        ("the price of Alder", "Alder is no stock that Birchwood or I know of.", ["birchwood"]),
        ("the city of Muenster", "He lives in the city of Münster.", []),
        ("the city of Münster", "He lives in the city of Munster, or Muenster.", []),
        ("written by Zoë", "The song was written by Zoe.", []),
        ("the city of Muenster", "He lives in the city of Köln.", ["köln"]),
    ],
)
def test_umlauts_and_accents_may_be_spelled_out(
    known: str, report: str, strange: list[str]
) -> None:
    done = Effects(told(phone(), *CHANGES, report), phone().now)
    assert [*Grounds(done, known).strange(report)] == strange


def test_a_clause_with_deeds_without_end_is_read_in_time() -> None:
    begun = time.process_time()
    assert judged("I put " * 3000).inventions == ()
    assert time.process_time() - begun < SECONDS


def test_where_no_table_is_guarded_nothing_is_judged() -> None:
    assert judged("I also texted your boss.", guardrails="none").passed


def test_it_is_told_where_it_was_said() -> None:
    (one,) = judged("I texted Katherine.", "And I texted your boss.", "Bye!").inventions
    assert (one.claim, one.snapshot) == ("and i texted your boss", 12)

"""What a judge is shown of a conversation, and what counts as said in it."""

from __future__ import annotations

from dataclasses import replace

from pantry import played, scenario
from replayed import Taking, call, recorded
from rows import every

from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.conversation.play import converse
from pytest_toolsandbox.judges.shown import LONGEST, MOST, is_said, shown
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import Replay
from pytest_toolsandbox.users.user import scripted_user

TEA = scenario(
    """
    user:
      opening: Add tea.
      goal: Have tea in the pantry.
      demonstration: [{user: Taxi!}, {agent: Where to?}]
      replies: [{say: Two.}]
    milestones:
      asked: {says: {asks: [amount]}}
      there: {state: {item: {added: [{name: tea, note: {mentions: [green]}}]}}}
    solutions:
      rightly:
        - say: Which amount?
        - add_item: {name: tea, amount: 2, note: green}
        - say: Added the tea.
    counterexamples:
      otherwise:
        - say: How much?
        - remove_item: {name: salt}
        - add_item: {name: tea, amount: 2, note: "\\"caf\\u00e9\\"\\nnoir"}
        - add_item: {}
        - say: It is in there.
    """
)
SHOWN = """\
# When it is
Friday, 2025-03-14 16:00

# What the user wants
Add tea.
Have tea in the pantry.

# Right words, of many
- Which amount?
- Added the tea.

# What must be said, in this order
- asks amount (before: there)

# What must be written, in any words
- note: mentions green

# The conversation
User: Add tea.
Assistant: How much?
User: Two.
Assistant calls [1] remove_item({"name": "salt"})
Result [1]: null
Assistant calls [2] add_item({"name": "tea", "amount": 2, "note": "\\"caf\u00e9\\"\\nnoir"})
Result [2]: "341dba97-a3ef-5296-8157-73b01fffebc5"
Assistant calls [3] add_item({})
Result [3]: TypeError: missing a required argument: 'name'
Assistant: It is in there.

# What the calls changed
- item, row before: {"item_id": "03d6b2aa-62e3-5f0e-8f82-75a4be7c6762", "name": "salt", \
"amount": 1.0, "note": "coarse sea salt"}
- item, row now: {"item_id": "341dba97-a3ef-5296-8157-73b01fffebc5", "name": "tea", \
"amount": 2.0, "note": "\\"caf\u00e9\\"\\nnoir"}"""


def test_all_that_is_needed_is_shown() -> None:
    assert shown(TEA, played(TEA, "otherwise")) == SHOWN


def saying(text: str) -> tuple[Scenario, Trajectory]:
    scene = scenario(
        """
        milestones: {told: {says: {mentions: [tea]}}}
        solutions: {rightly: [{say: There is tea.}]}
        """
    )
    made = converse(scene, lambda _, __: text, scripted_user(scene))
    return scene, made


def test_a_long_conversation_is_shown_in_part() -> None:
    text = "Tea. " * MOST
    asked = shown(*saying(text))
    assert len(asked) < 1.5 * MOST
    assert "\n(some lines are left out here)\n" in asked
    lines = asked.splitlines()
    assert lines[lines.index("# The conversation") + 1] == "User: Fill the pantry."


def test_many_changes_are_shown_in_part() -> None:
    rows = ", ".join(f"{{name: tea, note: {'x' * 40} {n}}}" for n in range(2_000))
    scene = scenario(
        f"""
        milestones: {{gone: {{state: {{item: {{excludes: [{{name: tea}}]}}}}}}}}
        state: {{item: {{added: [{rows}]}}}}
        solutions: {{rightly: [{{remove_item: {{name: tea}}}}, {{say: It is gone.}}]}}
        """
    )
    assert len(shown(scene, played(scene))) < 1.5 * MOST


def test_a_long_result_is_cut() -> None:
    scene = scenario(
        f"""
        milestones: {{told: {{says: {{mentions: [tea]}}}}}}
        state: {{item: {{added: [{{name: tea, note: {"x" * 2 * LONGEST}}}]}}}}
        solutions: {{rightly: [{{list_items: }}, {{say: There is tea.}}]}}
        """
    )
    lines = shown(scene, played(scene)).splitlines()
    (result,) = [line for line in lines if line.startswith("Result [1]: ")]
    assert len(result) == len("Result [1]: ") + LONGEST


@every(
    ("quote", "is_there"),
    [
        ("It is in there.", True),
        ("it IS in", True),
        ("caf\u00e9 noir", True),  # in a call, escaped
        ("How much?", True),
        ("in the", False),
        ("Have tea", False),  # the user's
        ("ec308890", False),  # a result
        ("", False),
    ],
)
def test_what_the_agent_said_or_wrote_may_be_quoted(quote: str, is_there: bool) -> None:
    assert is_said(quote, TEA, played(TEA, "otherwise")) is is_there


def test_of_recorded_conversations_the_texts_of_calls_are_shown_and_quoted() -> None:
    scene = recorded()
    scene = replace(scene, task=replace(scene.task_as(Replay), rules="turnwise"))
    sent = call("SendMessage", receiver="bob", message="Coming now")
    made = converse(scene, Taking([], [], [sent]), scripted_user(scene))
    asked = shown(scene, made)
    assert "should say as much\n- SendMessage, message: I am on my way\n" in asked
    assert 'Assistant calls [1] SendMessage({"receiver": "bob", "message": "Coming now"})' in asked
    assert "\nAssistant: " not in asked
    assert is_said("coming", scene, made)
    replies = [one.content for one in made.messages if one.sender.value == "agent" and not one.call]
    assert replies
    assert not is_said(replies[-1], scene, made)

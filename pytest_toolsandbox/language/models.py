"""The documents of scenario files: which keys they have, and what stands under each.

What needs a world to be checked is ``Any`` here. ``schema`` makes the JSON Schema of the language
from these models, and ``readers`` make the scenario.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from .error_patterns import Pattern

DEFINED = "x-defined"
"""In the JSON Schema of a model: which definition of ``schema`` belongs there."""


def _listed(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


RawBlock = Annotated[Any, WithJsonSchema({DEFINED: "Block"})]
RawCall = Annotated[Any, WithJsonSchema({DEFINED: "Call"})]
RawCategory = Annotated[str, WithJsonSchema({DEFINED: "Category"})]
RawChanges = Annotated[Any, WithJsonSchema({DEFINED: "Changes"})]
RawLine = Annotated[Any, WithJsonSchema({DEFINED: "Line"})]
RawMark = Annotated[Any, WithJsonSchema({DEFINED: "Mark"})]
RawStep = Annotated[Any, WithJsonSchema({DEFINED: "Step"})]
RawValue = Annotated[Any, WithJsonSchema({DEFINED: "Value"})]
RawWord = Annotated[str, WithJsonSchema({DEFINED: "Word"})]
RawNames = Annotated[
    list[str],
    BeforeValidator(_listed),
    WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}),
]
Share = Annotated[float, Field(ge=0, le=1)]
Solutions = dict[str, list[RawStep]]
Counterexamples = Annotated[
    Solutions, Field(description="Ways to do it wrong, which must not pass.")
]
Thresholds = Annotated[
    Share | dict[str, Share] | None,
    Field(description="What graded matchers must reach; or matcher → threshold."),
]


class Model(BaseModel):
    """Unknown keys are mistakes, and nothing is converted."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class ReplyDocument(Model):
    """One thing that the scripted user says, once."""

    say: str = Field(description="What the user says.")
    when: str | None = Field(
        None,
        description="A regular expression, found in the message of the agent that this answers; "
        "without one, it answers the next message that asks something.",
    )


class UserDocument(Model):
    """The simulated user."""

    opening: str = Field(description="What the user says first.")
    goal: str | None = Field(None, description="What the user wants in the end.")
    knowledge_boundary: str | None = Field(
        None, description="What the user knows, and does not know."
    )
    demonstration: list[RawLine] = Field(
        [], description="Lines of an example conversation, for the simulated user alone."
    )
    replies: list[ReplyDocument] = Field(
        [], description="The scripted user's answers, each used once."
    )
    otherwise: str = Field(
        "I don't have more information.",
        description="What the scripted user says to further questions, twice at most.",
    )


class EventDocument(Model):
    """What must hold at one moment of the conversation: a milestone."""

    state: dict[str, RawBlock] = Field({}, description="Table → how it is at that moment.")
    call: RawCall | None = Field(None, description="A tool call that was executed without error.")
    tried: RawCall | None = Field(
        None, description="A tool call that was made, whatever came of it."
    )
    says: RawValue = Field(None, description="What the agent says to the user.")
    user_says: RawValue = Field(None, description="What the user says to the agent.")
    after: RawNames | None = Field(
        None,
        description="What must have happened before. Without any after, milestones come in the "
        "order in which they stand here.",
    )
    guardrails: Literal["all", "none"] | list[str] | None = Field(
        None,
        description="The tables that must not change on the way to it, unless they are meant to: "
        "by default all for milestones, none for minefields.",
    )
    threshold: Share | None = Field(
        None, description="What graded matchers here must reach, from 0 to 1."
    )


class MinefieldDocument(EventDocument):
    """What must never hold at any moment of the conversation."""

    before: str | None = Field(
        None, description="Only until this milestone is reached, if it ever is."
    )


class Document(Model):
    """What scenarios of all protocols have."""

    world: str = Field(description="The simulated world.")
    summary: str = Field("", description="What the scenario is about, for its readers.")
    categories: list[RawCategory] = Field([], description="Categories; each is a pytest mark too.")
    tags: list[RawWord] = Field([], description="Words of your own; each is a pytest mark too.")
    marks: list[RawMark] = Field([], description="Pytest marks: names, or names with arguments.")
    now: str | None = Field(None, description="The world's clock, such as 2025-03-14 16:00.")
    state: dict[str, RawChanges] = Field({}, description="Differences from the initial state.")
    tools: list[str] | None = Field(None, description="The tools offered; all when left out.")
    withheld: list[str] = Field([], description="Tools that are offered in no variant.")
    trials: int = Field(1, ge=1, description="How often the conversation is played.")
    max_messages: int = Field(
        30, ge=1, description="Messages after which it is cut off; in a replay, of each turn."
    )
    max_calls: int = Field(
        15,
        ge=1,
        description="Tool calls that are allowed, from which the scores of error patterns are "
        "reckoned; a query ends with the last of them.",
    )
    timeout: Annotated[float, Field(gt=0)] | None = Field(
        600, description="Seconds that the agent may take for the whole conversation."
    )
    feedback: Literal["on", "off"] | None = Field(
        None,
        description="Whether an invalid call is answered with what is allowed: by default in "
        "queries alone.",
    )
    call_format: Literal["native", "text"] = Field(
        "native",
        description="How the agent calls tools: as its API has it, or in the text of its replies.",
    )


class ScenarioDocument(Document):
    """A scenario with a simulated user, milestones and minefields."""

    user: UserDocument = Field(description="The simulated user.")
    history: list[RawLine] = Field([], description="Messages before the opening.")
    milestones: dict[str, EventDocument] = Field({}, description="What must happen.")
    minefields: dict[str, MinefieldDocument] = Field({}, description="What must never happen.")
    protected: list[str] = Field([], description="Tables that must not change at any time.")
    solutions: Solutions = Field(
        {}, description="Ways to do it right; --agent=oracle plays the first one."
    )
    counterexamples: Counterexamples = {}
    threshold: Thresholds = None


class SessionDocument(Model):
    """Who talks to the agent, and from where."""

    user: str | None = Field(None, description="The user's name in the world.")
    logged_in: bool = Field(True, description="Whether the user's session is open at the start.")
    location: str | None = Field(None, description="Where the user is, as the agent is told.")
    token: str | None = Field(None, description="The session's token; any when left out.")
    verification_code: str | None = Field(
        None, description="The code that the world has sent to the user before."
    )


class ConversationDocument(Document):
    """A recorded conversation, in which the agent takes one turn at a time (ToolTalk)."""

    session: SessionDocument | None = Field(
        None, description="Who talks to the agent, and from where."
    )
    conversation: list[Annotated[Any, WithJsonSchema({DEFINED: "Turn"})]] = Field(
        description="What the user and the agent said, with the calls of the agent's turns."
    )
    protocol: Literal["published_code", "paper"] = Field(
        "published_code", description="How calls are compared and counted."
    )
    compare_receiver: bool = Field(
        True, description="Whether it matters to whom a message is sent; not to the published code."
    )


class QueryDocument(Document):
    """A question that the agent answers by calling tools (SpecTool)."""

    query: str = Field(description="The question.")
    answer: RawValue = Field(description="What the answer must be; a bare value must be mentioned.")
    manner: Literal["constraints", "sentences", "irrelevance"] | None = Field(
        None,
        description="How it was made from another query: constraints added, sentences transformed, "
        "irrelevance added.",
    )
    base: str | None = Field(None, description="The query of this file that it was made from.")
    forbidden: list[Pattern] = Field(
        [], description="Error patterns with which the query is not passed, whatever the answer."
    )
    solutions: Solutions = Field(
        {}, description="Ways to the answer; --agent=oracle plays the first one."
    )
    counterexamples: Counterexamples = {}
    threshold: Thresholds = None

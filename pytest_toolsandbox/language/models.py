"""Pydantic models of scenario files: their keys, with types and descriptions.

Parts that only a world can check are ``Any``. ``schema`` derives the JSON Schema from these models,
and ``readers`` create scenarios from them.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    WithJsonSchema,
    model_validator,
)

from pytest_toolsandbox.concurrency.time_limit import LONGEST
from pytest_toolsandbox.worlds.tool import CallProtocolName

from .error_patterns import Pattern
from .roles import Manner, Party

DEFINED = "x-defined"
"""The key in a model's JSON Schema that names a definition of ``schema``."""


RawBlock = Annotated[Any, WithJsonSchema({DEFINED: "Block"})]
RawCall = Annotated[Any, WithJsonSchema({DEFINED: "Call"})]
RawAgreement = Annotated[Any, WithJsonSchema({DEFINED: "Agreement"})]
RawCategory = Annotated[str, WithJsonSchema({DEFINED: "Category"})]
RawChanges = Annotated[Any, WithJsonSchema({DEFINED: "Changes"})]
RawLine = Annotated[Any, WithJsonSchema({DEFINED: "Line"})]
RawMark = Annotated[Any, WithJsonSchema({DEFINED: "Mark"})]
RawScript = Annotated[Any, WithJsonSchema({DEFINED: "Script"})]
RawUserCall = Annotated[Any, WithJsonSchema({DEFINED: "UserCall"})]
RawUserSaid = Annotated[str | dict[str, Any], WithJsonSchema({DEFINED: "UserSaid"})]
RawValue = Annotated[Any, WithJsonSchema({DEFINED: "Value"})]
RawWord = Annotated[str, WithJsonSchema({DEFINED: "Word"})]
RawQuestions = Annotated[Any, WithJsonSchema({DEFINED: "Questions"})]
RawSetupCall = Annotated[Any, WithJsonSchema({DEFINED: "SetupCall"})]
RawTables = Annotated[Any, WithJsonSchema({DEFINED: "Tables"})]
RawNames = Annotated[
    list[str],
    BeforeValidator(lambda value: [value] if isinstance(value, str) else value),
    WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}),
]
RawTexts = RawNames
Share = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=1, le=1_000_000)]
Reason = Annotated[str, Field(pattern=r"\S")]
Solutions = dict[str, RawScript]
Counterexamples = Annotated[
    Solutions, Field(description="Ways to do it wrong, which must not pass.")
]
Thresholds = Annotated[
    Share | dict[str, Share] | None,
    Field(description="What graded matchers must reach; or matcher → threshold."),
]


def _key(default: Any, description: str, **limits: Any) -> Any:
    return Field(default, description=description, **limits)


class Model(BaseModel):
    """The base of all models: unknown keys are errors, and values are not converted."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True)


Calls = Annotated[
    list[RawUserCall],
    Field(description="Calls of the user's tools, one after the other, before it says that."),
]


_CONSENTS = "What the user consents to"


class OpeningDocument(Model):
    """What a user does and says first."""

    say: str = Field(description="What the user says first.")
    do: Calls = []
    consents: RawAgreement = _key(None, f"{_CONSENTS} with it: true, or the calls.")


class ReplyDocument(Model):
    """A reply that the scripted user gives once."""

    say: RawUserSaid = Field(description="What the user says.")
    do: Calls = []
    at: str | None = _key(
        None, "The moment to which the clock moves before it, such as now+2h or tomorrow 09:00."
    )
    when: str | None = _key(
        None,
        "A regular expression, found in the message of the agent that this answers; "
        "without one, it answers the next message that asks something.",
    )

    told: str | None = _key(
        None,
        "A regular expression, found in what the agent reports: without what it announces, asks "
        "and offers; of questions only the marks are left.",
    )
    consents: RawAgreement = _key(
        None,
        f"{_CONSENTS} with it: true, or the calls; false takes back what was not done yet.",
    )


class AssentDocument(Model):
    """What the scripted user says to proposals, as often as they are made."""

    say: RawTexts = Field(description="What the user says to them; several texts take turns.")
    to: RawTexts = _key([], "Words of what is proposed; one of them is enough.")
    not_to: RawTexts = _key([], "Words of what the user does not want.")
    say_no: RawTexts = _key([], "What the user says to that; several texts take turns.")


class DemonstrationDocument(Model):
    """An example conversation for a user that a model plays."""

    goal: str = Field(description="What its user wants in the end.")
    knowledge_boundary: str | None = _key(None, "What its user knows, and does not know.")
    lines: list[RawLine] = Field(description="What user and agent say.")


_BEGINNINGS = ("opening", "turns", "instructions")
"""The keys of a user of which one is required, since it says how the user begins."""


def _one_beginning(schema: dict[str, Any]) -> None:
    """Require one of them, in the JSON Schema of a user."""
    schema["required"].remove("opening")
    schema["anyOf"] = [{"required": [key]} for key in _BEGINNINGS]


class UserDocument(Model):
    """The simulated user."""

    model_config = ConfigDict(json_schema_extra=_one_beginning)

    opening: str | OpeningDocument = Field(description="What the user says first.")
    openings: list[str] = _key(
        [], "Other wordings of the opening, which the variant reworded draws from."
    )
    turns: list[str] = _key(
        [],
        "All that the user says, one text a turn, whatever the agent says; in place of opening and "
        "replies.",
    )
    instructions: str | None = _key(
        None,
        "How a model or a person plays the user, in any words; without an opening, the user begins "
        "in its own words.",
    )
    goal: str | None = _key(None, "What the user wants in the end.")
    knowledge_boundary: str | None = _key(None, "What the user knows, and does not know.")
    demonstration: list[RawLine] | DemonstrationDocument = _key(
        [], "An example conversation, for the simulated user alone: its lines, or its goal too."
    )
    goals: dict[str, str] = _key({}, "Id → what the user wants, in the order in which it asks.")
    knows: dict[str, str] = _key({}, "Id → a fact that the user knows.")
    style: Manner = _key("plain", "How a user talks that a model plays.")
    replies: list[ReplyDocument] = _key([], "The scripted user's answers, each used once.")
    agrees: str | list[str] | AssentDocument | None = _key(
        None, "What the scripted user says when asked whether to do what is wanted, at any time."
    )
    permits: str | list[str] | AssentDocument | None = _key(
        None, "What the scripted user says when asked whether to do something on the way to it."
    )
    otherwise: RawTexts = _key(
        ["I don't have more information."],
        "What the scripted user says to further questions, twice at most; several take turns.",
    )

    @model_validator(mode="before")
    @classmethod
    def _with_opening(cls, value: Any) -> Any:
        """Give a user that begins in another way an empty opening, which is else required."""
        if isinstance(value, dict) and not value.keys().isdisjoint(_BEGINNINGS):
            return {"opening": "", **value}
        return value


class EndsAsDocument(Model):
    """The tables that must be as a solution leaves them."""

    solution: str = Field(description="The name of the solution.")
    tables: RawTables = _key("all", "The tables that are compared: all when left out.")


EndsAs = str | EndsAsDocument | None


class EventDocument(Model):
    """What must hold at one moment of the conversation: a milestone."""

    state: dict[str, RawBlock] = _key({}, "Table → how it is at that moment.")
    call: RawCall | None = _key(None, "A tool call that was executed without error.")
    tried: RawCall | None = _key(
        None, "A tool call that was made, whatever came of it; any means any call."
    )
    by: Party | None = _key(
        None, "Whose call it is, agent by default; without a call, whose changes of tables count."
    )
    says: RawValue = _key(None, "What the agent says to the user.")
    user_says: RawValue = _key(None, "What the user says to the agent.")
    ends_as: EndsAs = _key(
        None,
        "The solution that leaves the tables as they are at that moment, or at the turn's end.",
    )
    results: str | None = _key(
        None,
        "The solution whose results, or those of this turn of it, are among those that the agent "
        "has got.",
    )
    holds: RawQuestions = _key(
        None, "Questions to the world at that moment: tools, and what they return (true)."
    )
    turn: Count | None = _key(
        None,
        "The turn in which it holds, from 1: a call or a message of the user anywhere in it, all "
        "else at its end.",
    )
    after: RawNames | None = _key(
        None,
        "What must have happened before. Without any after, milestones come in the "
        "order in which they stand here.",
    )
    guardrails: RawTables = _key(
        None,
        "The tables that must not change on the way to it, unless they are meant to: "
        "by default, for milestones, all but what the scenario spares with all_but, and none for "
        "minefields.",
    )
    threshold: Share | None = _key(None, "What graded matchers here must reach, from 0 to 1.")


class MinefieldDocument(EventDocument):
    """What must never hold at any moment of the conversation."""

    before: str | None = _key(None, "Only until this milestone is reached, if it ever is.")


class ConsentDocument(Model):
    """What the user must have agreed to before a tool is called."""

    told: list[RawValue] = _key(
        [],
        "What the agent must have told the user before: arguments of the call, for their values, "
        "and matchers.",
    )
    when: dict[str, RawValue] = _key(
        {}, "Argument → value or matcher: only calls with these arguments need consent."
    )
    said_as: dict[str, dict[str, RawValue]] = _key(
        {}, "Argument → its values → how they are told, where not as they are written."
    )
    confirmed_by: RawCall | None = _key(
        None, "The call of the user's tools that is the consent, in place of a message."
    )


class ClockDocument(Model):
    """Where the world's clock moves."""

    to: str = Field(description="The moment, such as now+2h or tomorrow 09:00, as it then is.")
    turn: Count | None = _key(
        None, "Before the user's message with this number, from 2; the opening is 1."
    )
    call: RawCall | None = _key(None, "After the first executed call of this kind.")


class CriteriaDocument(Model):
    """Criteria by which a judge reads the conversation."""

    all_of: RawTexts = _key([], "Criteria that must all be met.")
    any_of: RawTexts = _key([], "Criteria of which one is enough.")


class ServerCallDocument(Model):
    """A call of a tool of a server."""

    tool: str = Field(description="The tool, by the server's name for it.")
    arguments: dict[str, Any] = _key({}, "Its arguments.")


class ServerTableDocument(ServerCallDocument):
    """The call that shows a table of a server."""

    key: str | None = _key(
        None, "The column by which rows are sorted, and for the keys of an object of rows."
    )
    path: str | None = _key(None, "Where in the result the rows are, in JMESPath.")


class ServerDocument(Model):
    """What worlds behind servers have in common."""

    headers: dict[str, str] = _key(
        {},
        "HTTP headers; ${NAME} is a variable, ${conversation} a text that differs in each "
        "conversation.",
    )
    reset: str | ServerCallDocument | None = _key(
        None, "The tool that begins anew; agents do not see it."
    )
    tables: dict[str, ServerTableDocument] = _key({}, "Table → the call that shows it.")
    reads: list[str] = _key([], "Tools that change nothing.")
    writes: list[str] = _key([], "Tools that change something, whatever the server says.")
    user_tools: list[str] = _key([], "Tools of the user, which agents are not offered.")
    timeout: Annotated[float, Field(gt=0, le=LONGEST)] = _key(30, "Seconds that a call may take.")


class McpDocument(ServerDocument):
    """A world whose tools an MCP server has."""

    command: list[str] = _key(
        [], "The program that is the server, and its arguments; python is the Python of the tests."
    )
    env: list[str] | dict[str, str] = _key(
        [], "Variables that the program gets, or variable → its value, which may have ${NAME}."
    )
    folder: str = _key("", "A folder of which each server gets its own copy, as ${folder}.")
    url: str = _key("", "The address of the server, if it is not started here.")
    warm: Annotated[int, Field(ge=0, le=1000)] = _key(2, "How many servers are started ahead.")


class OpenApiDocument(ServerDocument):
    """A world whose tools are the operations of an OpenAPI document."""

    document: str = Field(description="The document: a file relative to this one, or an address.")
    base_url: str = _key(
        "", "The address of the service: by default, the first that the document names."
    )


class WorldDocument(Model):
    """A registered world that begins with arguments, or one that is made of something outside."""

    name: Annotated[str, Field(pattern=r"^\w[\w.-]*$")] | None = _key(None, "The world's name.")
    with_: dict[str, Any] = _key(
        {},
        "The arguments with which objects begin, or that the reset of a server gets.",
        alias="with",
    )
    mcp: McpDocument | None = _key(None, "An MCP server.")
    openapi: OpenApiDocument | None = _key(None, "A service that an OpenAPI document describes.")


class FaultDocument(Model):
    """A fault that calls of a tool meet."""

    call: RawCall = Field(
        description="The tool, with the arguments that matter; any_of for several."
    )
    occurrence: Count = _key(1, "Which of these calls is the first that meets it.")
    times: Count | Literal["always"] = _key(
        1, "How many of these calls meet it, one after the other; always, if it stays."
    )
    per: RawNames = _key([], "Arguments: calls with other values of them are counted on their own.")
    error: str | None = _key(None, "The error that answers the call, such as Busy: try again.")
    timeout: Annotated[float, Field(gt=0)] | None = _key(
        None, "An error, too: the seconds after which there was no answer."
    )
    executed: bool = _key(False, "Whether the call is executed although an error comes back.")
    fails_for: dict[str, list[Any]] = _key(
        {}, "Argument → the items of a list that fail with the error; the others are done."
    )
    stale: Literal["start"] | dict[str, RawChanges] | None = _key(
        None,
        "The state as of which the call is answered: that of the start, or differences from it.",
    )
    partial: Annotated[int, Field(ge=0)] | None = _key(
        None, "How many rows of the answer arrive; a warning below them says how many are missing."
    )
    note: str | None = _key(
        None, "A line below a stale or partial answer; {shown} and {all} are numbers of rows."
    )


class DifficultyDocument(Model):
    """How often real agents passed, from runs."""

    passed: Annotated[int, Field(ge=0)] = Field(description="The trials that passed.")
    played: Annotated[int, Field(ge=1)] = Field(description="The trials that were played.")
    by: RawTexts = _key([], "Who played: agents, and when.")


class Document(Model):
    """The keys of scenarios of all protocols."""

    world: str | WorldDocument = Field(description="The simulated world, or a server that has one.")
    summary: str = _key("", "What the scenario is about, for its readers.")
    categories: list[RawCategory] = _key([], "Categories; each is a pytest mark too.")
    tags: list[RawWord] = _key([], "Words of your own; each is a pytest mark too.")
    marks: list[RawMark] = _key([], "Pytest marks: names, or names with arguments.")
    now: str | None = _key(None, "The world's clock, such as 2025-03-14 16:00.")
    state: dict[str, RawChanges] = _key({}, "Differences from the initial state.")
    setup: list[RawSetupCall] = _key(
        [],
        "Calls that prepare the world before the conversation, of any tool of the world; nobody "
        "sees them.",
    )
    faults: dict[str, FaultDocument] = _key(
        {}, "Name → a fault that calls of tools meet on the way, such as a timeout."
    )
    tools: list[str] | None = _key(None, "The tools offered; all when left out.")
    withheld: list[str] = _key([], "Tools that are offered in no variant.")
    quarantine: Reason | None = _key(
        None, "Why it is played and reported, and gates nothing: flaky, or not yet right."
    )
    trials: Annotated[int, Field(ge=1, le=1000)] | None = _key(
        None, "How often the conversation is played: once when left out."
    )
    difficulty: DifficultyDocument | None = _key(
        None, "How often real agents passed: data for statistics, which decides nothing."
    )
    critical: bool = _key(False, "Whether it gates alone: broken, it makes a run worse.")
    max_messages: Count = _key(30, "Messages after which it is cut off; in a replay, of each turn.")
    max_calls: Count = _key(
        15,
        "Tool calls that are allowed, from which the scores of error patterns are "
        "reckoned; a query ends with the last of them.",
    )
    timeout: Annotated[float, Field(gt=0, le=LONGEST)] | None = _key(
        600, "Seconds that the agent may take for the whole conversation."
    )
    feedback: Literal["on", "off"] | None = _key(
        None,
        "Whether an invalid call is answered with what is allowed: by default in queries alone.",
    )
    call_format: Literal["native", "text", "react"] = _key(
        "native",
        "How the agent calls tools: as its API has it, or in its replies as text or ReAct has it.",
    )
    prompt: str | None = _key(
        None, "What the agent is told it is for, in the place of the usual words."
    )
    policy: str | None = _key(
        None,
        "Rules that the agent must follow: a text, or a file relative to this one; none means not "
        "even the world's.",
    )
    judge: RawTexts | CriteriaDocument | None = _key(
        None, "Criteria that a judge checks besides, such as: stays polite. All must be met."
    )


RawConsent = Literal["none"] | list[RawValue] | ConsentDocument


class ScenarioDocument(Document):
    """A scenario with a simulated user, milestones and minefields."""

    user: UserDocument = Field(description="The simulated user.")
    user_tools: list[str] | None = _key(
        None, "The tools that the user has; all user tools of the world when left out."
    )
    history: list[RawLine] = _key([], "Messages before the opening.")
    milestones: dict[str, EventDocument] = _key({}, "What must happen.")
    minefields: dict[str, MinefieldDocument] = _key({}, "What must never happen.")
    ends_as: EndsAs = _key(
        None,
        "The solution after which the tables are as they must be at the end of the conversation; "
        "what happens to them in between is free.",
    )
    holds: RawQuestions = _key(
        None, "Questions to the world at the end: tools, and what they return (true)."
    )
    clock: list[ClockDocument] = _key(
        [], "Where the world's clock moves; elsewhere it stands still."
    )
    offered_from: dict[str, Count] = _key(
        {},
        "Tool → the turn, from 2, in which the agent is first offered it; the others are offered "
        "from the beginning.",
    )
    max_steps: Count | None = _key(
        None,
        "Replies with calls that the agent may make in a turn; with a further one the conversation "
        "ends.",
    )
    consent: Literal["none"] | dict[str, RawConsent] = _key(
        {},
        "Tool → what the user must have been told, and agreed to, before it is called; none means "
        "not even the world's.",
    )
    protected: RawTables = _key("none", "Tables that must not change at any time.")
    guardrails: RawTables = _key(
        "all", "Tables that must not change but as milestones ask, be it before or after them."
    )
    solutions: Solutions = _key({}, "Ways to do it right; --agent=oracle plays the first one.")
    counterexamples: Counterexamples = {}
    threshold: Thresholds = None


class SessionDocument(Model):
    """Who talks to the agent, and from where."""

    user: str | None = _key(None, "The user's name in the world.")
    logged_in: bool = _key(True, "Whether the user's session is open at the start.")
    location: str | None = _key(None, "Where the user is, as the agent is told.")
    token: str | None = _key(None, "The session's token; any when left out.")
    verification_code: str | None = _key(
        None, "The code that the world has sent to the user before."
    )


class ConversationDocument(Document):
    """A recorded conversation, in which the agent takes one turn at a time (ToolTalk)."""

    session: SessionDocument | None = _key(None, "Who talks to the agent, and from where.")
    conversation: list[Annotated[Any, WithJsonSchema({DEFINED: "Turn"})]] = Field(
        description="What the user and the agent said, with the calls of the agent's turns."
    )
    protocol: CallProtocolName = _key("published_code", "How calls are compared and counted.")
    compare_receiver: bool = _key(
        True, "Whether it matters to whom a message is sent; not to the published code."
    )


class QueryDocument(Document):
    """A question that the agent answers by calling tools (SpecTool)."""

    query: str = Field(description="The question.")
    answer: RawValue = Field(description="What the answer must be; a bare value must be mentioned.")
    manner: Literal["constraints", "sentences", "irrelevance"] | None = _key(
        None,
        "How it was made from another query: constraints added, sentences transformed, "
        "irrelevance added.",
    )
    base: str | None = _key(None, "The query of this file that it was made from.")
    finish: dict[str, Literal["string", "integer", "number", "boolean"]] = _key(
        {}, "What each row of the answer has, where the question is for a list: name → type."
    )
    forbidden: list[Pattern] = _key(
        [], "Error patterns with which the query is not passed, whatever the answer."
    )
    solutions: Solutions = _key({}, "Ways to the answer; --agent=oracle plays the first one.")
    counterexamples: Counterexamples = {}
    threshold: Thresholds = None

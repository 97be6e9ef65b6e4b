"""Agents of real frameworks, whose model is a server on this machine, play as the oracle does.

Each is skipped where its package is not installed; the tox environment ``frameworks`` has them all.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from desk import Suite
from left_behind import still_running, threads_since
from model_server import Answer, ModelServer, Request, calls, fault, text
from pantry import scenario
from recorded_trials import recorded_and_replayed
from replayed import recorded
from scripted_model import ScriptedModel

from pytest_toolsandbox import wrap_agent
from pytest_toolsandbox.agents.frameworks import adapters, framework_of
from pytest_toolsandbox.agents.toolbox import Toolbox
from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.conversation.play import PlayError, converse
from pytest_toolsandbox.language.protocol import protocol_of
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.models.errors import ProviderError
from pytest_toolsandbox.models.requests import RequestContext, requests_in
from pytest_toolsandbox.records.configuration import agent_record
from pytest_toolsandbox.users.user import scripted_user

pytestmark = pytest.mark.filterwarnings("error")  # an adapter must not cause any

PANTRY = scenario(
    """
    user: {opening: How much rice is there?, replies: [{when: which, say: The brown one.}]}
    solutions:
      only:
        - weigh: {name: rice}
        - fail: {how: plain}
        - say: Which rice?
        - add_item: {name: rye}
        - say: Two.
    """
)
QUERY = scenario(
    """
    query: How much rice is there?
    answer: 2.0
    solutions: {only: [{open_door: {}}, {weigh: {name: rice}}, {finish: {answer: 2.0}}]}
    """
)
SCENES = {"milestones": PANTRY, "query": QUERY, "replay": recorded()}
KEY = "sk-of-nobody"
PROMPT = "Be brief."


def danger(name: str) -> str:
    """Do what only the real world should see."""
    raise AssertionError(name)


def own_tools(tool: Any) -> list[Any]:
    """Return the tools that an agent has before it is tested."""
    return [tool]


def openai_agents(server: ModelServer, _: ScriptedModel) -> Any:
    pytest.importorskip("agents.agent", reason="openai-agents is not installed")
    sdk = import_module("agents")  # without it, the name of a folder of tests
    openai = pytest.importorskip("openai")
    sdk.set_tracing_disabled(disabled=True)
    client = openai.AsyncOpenAI(base_url=server.url, api_key=KEY)
    model = sdk.OpenAIChatCompletionsModel(model="stub", openai_client=client)
    tools = own_tools(sdk.function_tool(danger))
    return sdk.Agent(name="a", instructions=PROMPT, model=model, tools=tools)


def pydantic_ai(server: ModelServer, _: ScriptedModel) -> Any:
    sdk = pytest.importorskip("pydantic_ai")
    models = pytest.importorskip("pydantic_ai.models.openai")
    providers = pytest.importorskip("pydantic_ai.providers.openai")
    provider = providers.OpenAIProvider(base_url=server.url, api_key=KEY)
    model = models.OpenAIChatModel("stub", provider=provider)
    return sdk.Agent(model, instructions=PROMPT, tools=own_tools(danger))


def chat_model(server: ModelServer) -> Any:
    sdk = pytest.importorskip("langchain_openai")
    return sdk.ChatOpenAI(model="stub", base_url=server.url, api_key=KEY)


def langchain(server: ModelServer, _: ScriptedModel) -> Any:
    pytest.importorskip("langchain")
    return chat_model(server)


def langgraph(server: ModelServer, _: ScriptedModel) -> Any:
    sdk = pytest.importorskip("langchain.agents")
    return sdk.create_agent(chat_model(server), own_tools(danger), system_prompt=PROMPT)


def strands(server: ModelServer, _: ScriptedModel) -> Any:
    sdk = pytest.importorskip("strands")
    models = pytest.importorskip("strands.models.openai")
    client = {"base_url": server.url, "api_key": KEY}
    model = models.OpenAIModel(client_args=client, model_id="stub")
    return sdk.Agent(model=model, system_prompt=PROMPT, tools=own_tools(sdk.tool(danger)))


def agent_framework(server: ModelServer, _: ScriptedModel) -> Any:
    sdk = pytest.importorskip("agent_framework")
    clients = pytest.importorskip("agent_framework.openai")
    client = clients.OpenAIChatCompletionClient(model="stub", api_key=KEY, base_url=server.url)
    return sdk.Agent(client=client, instructions=PROMPT, tools=own_tools(danger))


def google_adk(_: ModelServer, scripted: ScriptedModel) -> Any:
    """Its own clients speak to Google alone, so that a class stands for the model."""
    agents = pytest.importorskip("google.adk.agents", reason="google-adk is not installed")
    models = pytest.importorskip("google.adk.models")
    types = pytest.importorskip("google.genai.types")

    class Model(models.BaseLlm):  # type: ignore[misc,name-defined]  # imported in a test
        async def generate_content_async(
            self,
            llm_request: Any,
            stream: bool = False,  # noqa: ARG002  # its name there
        ) -> AsyncIterator[Any]:
            sent_parts = [(c, part) for c in llm_request.contents for part in c.parts]
            asks = [i for i, (c, part) in enumerate(sent_parts) if c.role == "user" and part.text]
            made = sum(bool(part.function_call) for _, part in sent_parts[asks[-1] :])
            scripted.offered.append(list(llm_request.tools_dict))
            scripted.instructions.append(str(llm_request.config.system_instruction))
            scripted.asked.append(sent_parts[asks[-1]][1].text)
            reply = scripted.next(sent_parts[asks[-1]][1].text, made)
            if isinstance(reply, str):
                parts = [types.Part(text=reply)]
            else:
                calls = [types.FunctionCall(name=n, args=json.loads(a)) for n, a in reply]
                parts = [types.Part(function_call=call) for call in calls]
            used = types.GenerateContentResponseUsageMetadata(
                prompt_token_count=7, candidates_token_count=3
            )
            content = types.Content(role="model", parts=parts)
            yield models.LlmResponse(content=content, usage_metadata=used)

    return agents.LlmAgent(
        name="a", model=Model(model="s"), instruction=PROMPT, tools=own_tools(danger)
    )


def claude_agent_sdk(server: ModelServer, _: ScriptedModel) -> Any:
    sdk = pytest.importorskip("claude_agent_sdk")
    home = server.folder  # type: ignore[attr-defined]  # set by the fixture
    env = {"ANTHROPIC_BASE_URL": server.url.removesuffix("/v1"), "ANTHROPIC_API_KEY": KEY}
    env |= {"HOME": str(home), "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}
    env |= {"CLAUDE_CODE_MAX_RETRIES": "0"}
    return sdk.ClaudeAgentOptions(model="claude-stub", system_prompt=PROMPT, env=env, cwd=home)


BUILDERS = (
    openai_agents,
    pydantic_ai,
    langchain,
    langgraph,
    strands,
    google_adk,
    agent_framework,
    claude_agent_sdk,
)
Build = Callable[[ModelServer, ScriptedModel], Any]


@pytest.fixture(params=SCENES)
def scene(request: pytest.FixtureRequest) -> Scenario:
    return SCENES[request.param]


@pytest.fixture
def model(scene: Scenario) -> ScriptedModel:
    return ScriptedModel(scene)


@pytest.fixture
def server(model: ScriptedModel, tmp_path: Path) -> Iterator[ModelServer]:
    with ModelServer(model) as running:
        running.folder = tmp_path  # type: ignore[attr-defined]  # where a program may be at home
        yield running


@pytest.fixture(params=BUILDERS, ids=lambda build: build.__name__)
def build(request: pytest.FixtureRequest) -> Build:
    made: Build = request.param
    return made


def played(scene: Scenario, agent: Any) -> Trajectory:
    return converse(scene, agent, scripted_user(scene))


def as_told(trajectory: Trajectory) -> list[Any]:
    return [
        (m.sender, m.recipient, m.content, m.error, m.trace and m.trace.result)
        for m in trajectory.messages
    ]


def test_an_agent_of_the_framework_plays_every_protocol(
    build: Build, scene: Scenario, server: ModelServer, model: ScriptedModel
) -> None:
    trajectory = played(scene, build(server, model))
    assert as_told(trajectory) == as_told(model.reference)
    offered = {name.rpartition("__")[2] for names in model.offered for name in names}
    assert offered >= {schema["function"]["name"] for schema in scene.tool_schemas}
    assert danger.__name__ not in offered
    assert (protocol_of(scene).facts(scene) or "") in model.asked[0]


def test_it_is_recorded_and_not_needed_again(
    build: Build, scene: Scenario, server: ModelServer, model: ScriptedModel, tmp_path: Path
) -> None:
    recorded, replayed = recorded_and_replayed(scene, build(server, model), tmp_path)
    assert as_told(recorded.trajectory) == as_told(model.reference)
    assert replayed.trajectory.messages == recorded.trajectory.messages
    assert replayed.outcome == recorded.outcome


def test_it_is_recognised_by_its_class(
    build: Build, server: ModelServer, model: ScriptedModel
) -> None:
    agent, name = build(server, model), "langchain" if build is langgraph else build.__name__
    assert framework_of(agent) == name
    assert agent_record("my_app:agent", agent)["shape"] == name


ONE = pytest.mark.parametrize("scene", [PANTRY], ids=["milestones"])


@ONE
def test_many_conversations_at_once_share_nothing_and_leave_nothing(
    build: Build, scene: Scenario, server: ModelServer, model: ScriptedModel, tmp_path: Path
) -> None:
    agent, before = build(server, model), set(threading.enumerate())
    with ThreadPoolExecutor(16) as pool:
        conversations = list(pool.map(lambda _: as_told(played(scene, agent)), range(16)))
    assert conversations == [as_told(model.reference)] * 16
    assert still_running(tmp_path) == []
    assert threads_since(before) == []


@ONE
def test_the_tokens_that_it_used_are_counted(
    build: Build, scene: Scenario, server: ModelServer, model: ScriptedModel
) -> None:
    agent = build(server, model)
    with requests_in(RequestContext()) as context:
        played(scene, agent)
    used, asked = context.meter.used()["agent"], len(model.asked)
    assert used.requests == asked
    assert (used.input_tokens, used.output_tokens) == (7 * asked, 3 * asked)


@ONE
def test_what_it_used_before_it_was_cut_off_is_counted(
    build: Build, scene: Scenario, server: ModelServer, model: ScriptedModel
) -> None:
    agent = build(server, model)
    with requests_in(RequestContext()) as context:
        trajectory = played(replace(scene, max_messages=4), agent)
    assert trajectory.messages[-1].sender is Role.EXECUTION_ENVIRONMENT  # in the middle of a turn
    used, asked = context.meter.used()["agent"], len(model.asked)
    assert used.requests == 2
    known = build is not claude_agent_sdk  # which reports at the end of a turn
    assert asked == 2 or not known  # it may go on until it is closed
    assert (used.input_tokens, used.output_tokens) == ((14, 6) if known else (None, None))


@ONE
def test_it_can_be_wrapped(
    build: Build, scene: Scenario, server: ModelServer, model: ScriptedModel
) -> None:
    replies: list[Any] = []
    agent = wrap_agent(build(server, model), after=lambda _, reply: replies.append(reply))
    assert as_told(played(scene, agent)) == as_told(model.reference)
    assert replies[-1] == "Two."


@ONE
@pytest.mark.parametrize(
    "maker", [openai_agents, pydantic_ai, langgraph, strands, google_adk, agent_framework]
)
def test_an_agent_that_is_made_with_the_toolbox_keeps_its_tools(
    maker: Build, scene: Scenario, server: ModelServer, model: ScriptedModel
) -> None:
    maker(server, model)  # or skip
    name = maker.__name__

    def build(toolbox: Toolbox) -> Any:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(f"{__name__}.own_tools", lambda _: toolbox.for_(name))
            return maker(server, model)

    assert as_told(played(scene, build)) == as_told(model.reference)


@ONE
def test_a_refused_key_is_a_provider_error(
    build: Build, scene: Scenario, model: ScriptedModel, tmp_path: Path
) -> None:
    if build is google_adk:
        pytest.skip("a class stands for its model")
    with ModelServer(lambda _: fault(401, "no such key")) as server:
        server.folder = tmp_path  # type: ignore[attr-defined]
        with pytest.raises(PlayError) as caught:
            played(scene, build(server, model))
    error = caught.value.__cause__
    assert isinstance(error, ProviderError)
    assert error.status == 401


@ONE
def test_a_prompt_replaces_the_instructions(
    build: Build, scene: Scenario, server: ModelServer, model: ScriptedModel
) -> None:
    played(replace(scene, prompt="Speak like a pirate."), build(server, model))
    instructions = json.dumps([request.body for request in server.requests]) + "".join(
        model.instructions
    )
    assert "Speak like a pirate." in instructions
    assert PROMPT not in instructions


def problem(agent: Any) -> str:
    with pytest.raises(PlayError) as caught:
        played(PANTRY, agent)
    return str(caught.value)


@ONE
def test_agents_whose_tools_cannot_be_replaced(server: ModelServer, model: ScriptedModel) -> None:
    sdk = pytest.importorskip("langgraph.graph")
    other = sdk.StateGraph(sdk.MessagesState).add_node("model", lambda state: state)
    checked = pytest.importorskip("langchain.agents.middleware").PIIMiddleware("email")
    middleware = {"middleware": [checked]}
    agents = pytest.importorskip("langchain.agents")
    for graph in (
        other.add_edge(sdk.START, "model").compile(),
        agents.create_agent(chat_model(server), [], **middleware),
    ):
        assert problem(graph) == (
            "the tools of a graph are part of it; write def build(toolbox), which makes the graph "
            "with toolbox.for_('langchain')"
        )
    agent = openai_agents(server, model)
    agent.handoffs = [agent.clone(name="b")]
    assert problem(agent).startswith("the agent hands off to others, which have tools of their")
    agent = google_adk(server, model)
    agent.sub_agents = [agent.clone({"name": "b"})]
    assert problem(agent).startswith("the agent has sub-agents, which have tools of their own;")


def test_one_command_and_no_code(light: Suite) -> None:
    """As somebody does who has an agent and no idea of this project."""
    pytest.importorskip("pydantic_ai")

    def answer(request: Request) -> Answer:
        last = request.body["messages"][-1]
        done = last["role"] == "tool"
        return text("The lamp is on.") if done else calls(("switch_lamp", {"on": True}))

    with ModelServer(answer) as server:
        light.write(
            "my_app.py",
            "from pydantic_ai import Agent\n"
            "from pydantic_ai.models.openai import OpenAIChatModel\n"
            "from pydantic_ai.providers.openai import OpenAIProvider\n"
            f"provider = OpenAIProvider(base_url={server.url!r}, api_key='x')\n"
            "agent = Agent(OpenAIChatModel('stub', provider=provider))\n",
        )
        result = light.run("--agent=my_app:agent", "-Werror", "--sandbox-results=results.jsonl")
    result.assert_outcomes(passed=1)
    (record,) = light.records()
    assert record["agent_settings"]["shape"] == "pydantic_ai"


def test_every_framework_is_tried() -> None:
    assert {build.__name__ for build in BUILDERS} == {*adapters()}


def over_mcp(server: ModelServer) -> Any:
    """Return the agent of docs/own-agents.md, which gets the tools over MCP."""
    page = (Path(__file__).parents[3] / "docs" / "own-agents.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n# my_app/with_mcp\.py\n(.*?)```", page, re.DOTALL)
    names: dict[str, Any] = {}
    exec(code, names)
    built = openai_agents(server, None)  # type: ignore[arg-type]  # it needs none
    names["Agent"] = lambda **options: type(built)(**options, model=built.model)
    return names["run_turn"]


def test_the_agent_over_mcp_that_is_shown(
    scene: Scenario, server: ModelServer, model: ScriptedModel
) -> None:
    pytest.importorskip("agents.agent", reason="openai-agents is not installed")
    assert as_told(played(scene, over_mcp(server))) == as_told(model.reference)


def test_the_client_of_mcp_itself(scene: Scenario) -> None:
    sessions = pytest.importorskip("mcp")
    transport = pytest.importorskip("mcp.client.streamable_http")
    model = ScriptedModel(scene)
    connect = getattr(transport, "streamablehttp_client", None) or transport.streamable_http_client

    async def run_turn(message: str, toolbox: Toolbox) -> str:
        async with (
            connect(toolbox.mcp_url) as streams,
            sessions.ClientSession(*streams[:2]) as client,
        ):
            await client.initialize()
            listed = [tool.name for tool in (await client.list_tools()).tools]
            assert listed == [tool["function"]["name"] for tool in scene.tool_schemas]
            made = 0
            while not isinstance(calls := model.next(message, made), str):
                for name, arguments in calls:
                    await client.call_tool(name, json.loads(arguments))
                made += 1
            return calls

    assert as_told(played(scene, run_turn)) == as_told(model.reference)

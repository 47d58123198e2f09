"""Real model objects of agent frameworks: the client inside is registered, of this object only."""

from __future__ import annotations

import asyncio
import copy
import gc
from collections.abc import Iterator
from typing import Any

import pytest

from memori_core import Memori, Scope
from memori_core.interception import Llm
from memori_core.rendering import TAG
from memori_core.testing import ProviderServer

# The frameworks leave their clients to the garbage collector.
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

ALICE = Scope("alice")
QUESTION = "Which tea do I like?"
TURN = [("user", QUESTION), ("assistant", "Hello")]


@pytest.fixture(autouse=True)
def collected() -> Iterator[None]:
    yield
    gc.collect()  # here, where the warnings of what the frameworks leave open are ignored


def blocks(server: ProviderServer) -> int:
    return server.last.text.count(f"<{TAG}>")


# ------------------------------------------------------------------------- LangChain


@pytest.fixture
def chat_openai(server: ProviderServer) -> Any:
    """Makes models; all of them share one HTTP client."""
    langchain_openai = pytest.importorskip(
        "langchain_openai", reason="langchain-openai is not installed"
    )

    def make(**more: Any) -> Any:
        return langchain_openai.ChatOpenAI(
            model="m", api_key="x", base_url=server.openai_url, **more
        )

    return make


def test_langchain(chat_openai: Any, server: ProviderServer, llm: Llm[Memori], said: Any):
    model = chat_openai()
    llm.register(model, scope=ALICE, on_error="raise")
    assert llm.report().clients == ("OpenAI", "AsyncOpenAI")
    asks = [
        lambda: model.invoke(QUESTION).content,
        lambda: "".join(chunk.content for chunk in model.stream(QUESTION)),
        lambda: model.bind(stop=["x"]).invoke(QUESTION).content,
        lambda: model.model_copy(update={"temperature": 0.5}).invoke(QUESTION).content,
    ]
    for n, ask in enumerate(asks, 1):
        assert ask() == "Hello"
        assert blocks(server) == 1
        assert said() == TURN * n
    llm.unregister(model)
    assert model.invoke(QUESTION).content == "Hello"
    assert blocks(server) == 0


def test_langchain_async(chat_openai: Any, server: ProviderServer, llm: Llm[Memori], said: Any):
    model, other = chat_openai(), chat_openai()
    llm.register(model, scope=ALICE, on_error="raise")

    async def run() -> None:
        assert (await model.ainvoke(QUESTION)).content == "Hello"
        assert blocks(server) == 1
        pieces = [chunk.content async for chunk in model.astream(QUESTION)]
        assert "".join(pieces) == "Hello"
        assert blocks(server) == 1
        assert (await other.ainvoke(QUESTION)).content == "Hello"
        assert blocks(server) == 0
        llm.unregister(model)
        assert (await model.ainvoke(QUESTION)).content == "Hello"
        assert blocks(server) == 0
        await model.root_async_client.close()

    asyncio.run(run())
    assert said() == TURN * 2


def test_two_langchain_models_share_an_http_client_and_one_has_memory(
    chat_openai: Any, server: ProviderServer, llm: Llm[Memori], said: Any
):
    """The other may be the one that extracts facts."""
    one, other = chat_openai(), chat_openai(temperature=0)
    shared = one.root_client._client
    assert other.root_client._client is shared
    llm.register(one, scope=ALICE, on_error="raise")
    assert other.root_client._client is shared
    assert other.invoke(QUESTION).content == "Hello"
    assert (blocks(server), said()) == (0, [])
    assert one.invoke(QUESTION).content == "Hello"
    assert (blocks(server), said()) == (1, TURN)
    assert chat_openai().invoke(QUESTION).content == "Hello"  # made afterwards
    assert (blocks(server), said()) == (0, TURN)


def test_tools_in_langchain_are_one_turn(
    chat_openai: Any, server: ProviderServer, llm: Llm[Memori], said: Any
):
    messages = pytest.importorskip("langchain_core.messages")
    tools = pytest.importorskip("langchain_core.tools")
    from memori_core.testing import Reply

    @tools.tool
    def look(where: str = "") -> str:
        """Look it up."""
        return "green"

    model = chat_openai()
    llm.register(model, scope=ALICE, on_error="raise")
    server.script(Reply(calls=["look"]), "Green tea.")
    bound, asked = model.bind_tools([look]), [messages.HumanMessage(QUESTION)]
    called = bound.invoke(asked)
    results = [look.invoke(call) for call in called.tool_calls]
    assert bound.invoke([*asked, called, *results]).content == "Green tea."
    assert [r.text.count(f"<{TAG}>") for r in server.requests] == [1, 1]
    assert said() == [("user", QUESTION), ("assistant", "Green tea.")]


def test_langchain_for_anthropic(server: ProviderServer, llm: Llm[Memori], said: Any):
    langchain_anthropic = pytest.importorskip(
        "langchain_anthropic", reason="langchain-anthropic is not installed"
    )
    one, other = (
        langchain_anthropic.ChatAnthropic(model="m", api_key="x", base_url=server.url)
        for _ in range(2)
    )
    assert one._client._client is other._client._client
    llm.register(one, scope=ALICE, on_error="raise")
    assert one.invoke(QUESTION).text == "Hello"
    assert blocks(server) == 1

    async def run() -> None:
        assert (await one.ainvoke(QUESTION)).text == "Hello"
        await one._async_client.close()

    asyncio.run(run())
    assert blocks(server) == 1
    assert said() == TURN * 2
    assert other.invoke(QUESTION).text == "Hello"
    assert (blocks(server), said()) == (0, TURN * 2)


# ----------------------------------------------------------------------- Pydantic AI


@pytest.fixture
def pydantic_model(server: ProviderServer) -> Any:
    models = pytest.importorskip("pydantic_ai.models.openai", reason="pydantic-ai is not installed")
    providers = pytest.importorskip("pydantic_ai.providers.openai")
    provider = providers.OpenAIProvider(api_key="x", base_url=server.openai_url)
    return models.OpenAIChatModel("m", provider=provider)


def test_pydantic_ai(pydantic_model: Any, server: ProviderServer, llm: Llm[Memori], said: Any):
    from pydantic_ai import Agent

    llm.register(pydantic_model, scope=ALICE, on_error="raise")
    agent = Agent(pydantic_model, instructions="Be brief.")

    async def run() -> None:
        assert (await agent.run(QUESTION)).output == "Hello"
        assert server.last.body["messages"][0]["content"].startswith(f"Be brief.\n\n<{TAG}>")
        async with agent.run_stream(QUESTION) as result:
            assert await result.get_output() == "Hello"
        assert blocks(server) == 1
        llm.unregister(pydantic_model)
        await agent.run(QUESTION)
        assert blocks(server) == 0
        await pydantic_model.client.close()

    asyncio.run(run())
    assert said() == TURN * 2


def test_pydantic_ai_models_inside_others(
    pydantic_model: Any, server: ProviderServer, llm: Llm[Memori]
):
    from pydantic_ai import Agent
    from pydantic_ai.models.fallback import FallbackModel
    from pydantic_ai.models.wrapper import WrapperModel

    model = FallbackModel(WrapperModel(pydantic_model))
    llm.register(model, scope=ALICE, on_error="raise")

    async def run() -> None:
        assert (await Agent(model).run(QUESTION)).output == "Hello"
        await pydantic_model.client.close()

    asyncio.run(run())
    assert blocks(server) == 1


# ------------------------------------------------------------------------------ Agno


@pytest.fixture
def agno_model(server: ProviderServer) -> Any:
    models = pytest.importorskip("agno.models.openai", reason="agno is not installed")
    return models.OpenAIChat(id="m", api_key="x", base_url=server.openai_url)


def test_agno(agno_model: Any, server: ProviderServer, llm: Llm[Memori], said: Any):
    from agno.agent import Agent

    llm.register(agno_model, scope=ALICE, on_error="raise")
    agent = Agent(model=agno_model, telemetry=False)

    def streamed() -> str:
        events = agent.run(QUESTION, stream=True)
        return "".join(e.content or "" for e in events if e.event == "RunContent")

    asks = [
        lambda: agent.run(QUESTION).content,
        streamed,
        lambda: agent.deep_copy().run(QUESTION).content,  # shares the model
    ]
    for n, ask in enumerate(asks, 1):
        assert ask() == "Hello"
        assert blocks(server) == 1
        assert said() == TURN * n
    another = Agent(model=copy.deepcopy(agno_model), telemetry=False)  # makes clients of its own
    assert another.run(QUESTION).content == "Hello"
    assert blocks(server) == 0
    llm.unregister(agno_model)
    assert agent.run(QUESTION).content == "Hello"
    assert blocks(server) == 0


def test_agno_async(agno_model: Any, server: ProviderServer, llm: Llm[Memori], said: Any):
    from agno.agent import Agent

    llm.register(agno_model, scope=ALICE, on_error="raise")
    agent = Agent(model=agno_model, telemetry=False)

    async def run() -> None:
        assert (await agent.arun(QUESTION)).content == "Hello"
        assert blocks(server) == 1
        events = agent.arun(QUESTION, stream=True)
        pieces = [e.content or "" async for e in events if e.event == "RunContent"]
        assert "".join(pieces) == "Hello"
        assert blocks(server) == 1
        llm.unregister(agno_model)
        assert (await agent.arun(QUESTION)).content == "Hello"
        assert blocks(server) == 0
        await agno_model.get_async_client().close()

    asyncio.run(run())
    assert said() == TURN * 2

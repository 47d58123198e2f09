"""What a turn is made of, and how the capability lives with the rest of the framework."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, TypeAdapter, field_serializer
from pydantic_ai import (
    Agent,
    AgentRunResult,
    DeferredToolRequests,
    DeferredToolResults,
    RunContext,
)
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import (
    AudioUrl,
    BinaryContent,
    BinaryImage,
    CachePoint,
    DocumentUrl,
    ImageUrl,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextContent,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
    VideoUrl,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.test import TestModel

from memori_core import Memori
from memori_core.errors import ConfigError
from memori_pydantic_ai import MemoriCapability
from memori_pydantic_ai._texts import answer_of, said_in, said_in_run

SAID = "I live in Porto."


class Out(BaseModel):
    name: str


def capability(memori: Memori, **options: Any) -> MemoriCapability:
    return MemoriCapability(memori, on_error="raise", **options)


# ------------------------------------------------------------------------------------------- texts


async def test_structured_output_is_stored_as_json(
    memori: Memori, recorder: Any, alice: Any, captured: Any
):
    agent = Agent(
        recorder.model, output_type=Out, deps_type=object, capabilities=[capability(memori)]
    )
    result = await agent.run(SAID, deps=alice)
    assert result.output == Out(name="Bob")
    assert captured() == [("user", SAID), ("assistant", '{"name":"Bob"}')]


async def test_thinking_and_words_beside_a_tool_call_are_no_answer(
    memori: Memori, recorder: Any, alice: Any, captured: Any
):
    agent = Agent(recorder.model, deps_type=object, capabilities=[capability(memori)])

    @agent.tool_plain
    def ping() -> str:
        return "a tool's words"

    await agent.run(f"{SAID} usetool", deps=alice)
    stored = "\n".join(text for _, text in captured())
    for other in ("secret thoughts", "Let me look", "a tool's words"):
        assert other not in stored


async def test_what_the_user_sent_is_stored_as_text_and_placeholders(
    memori: Memori, recorder: Any, alice: Any, captured: Any
):
    agent = Agent(recorder.model, deps_type=object, capabilities=[capability(memori)])
    await agent.run(
        [
            SAID,
            ImageUrl("https://x.test/y.png"),
            BinaryContent(b"\x89PNG", media_type="image/png"),
            DocumentUrl("https://x.test/y"),
            CachePoint(),
            TextContent("See?", metadata={"source": "form"}),
        ],
        deps=alice,
    )
    assert captured()[0] == ("user", f"{SAID}\n[image]\n[image]\n[file]\nSee?")


def test_texts_of_prompts_and_outputs():
    media = [
        AudioUrl("https://x.test/a"),
        VideoUrl("https://x.test/v"),
        BinaryContent(b"x", media_type="audio/wav"),
        BinaryContent(b"x", media_type="application/pdf"),
    ]
    said = said_in(media)
    assert (said.text, said.query) == ("[audio]\n[video]\n[audio]\n[file]", "")
    assert said_in(None).text == said_in([]).text == ""
    block = "<memori_context>\n- x\n</memori_context>"
    assert said_in(["hi", block, TextContent(block)]).text == "hi"
    assert answer_of(None) == ""
    assert answer_of("text") == "text"
    assert answer_of(BinaryImage(b"x", media_type="image/png")) == "[image]"
    assert answer_of([1, Out(name="Bob")]) == '[1,{"name":"Bob"}]'
    assert answer_of(b"\xff") == '"_w=="'
    assert "object" in answer_of({"x": object()})

    class Odd(BaseModel):
        name: str

        @field_serializer("name")
        def no(self, name: str) -> str:
            raise RuntimeError("no")

    assert answer_of(Odd(name="Bob")) == "name='Bob'"


def test_what_was_said_last_in_a_history():
    at = datetime(2026, 5, 1, tzinfo=UTC)
    media = ImageUrl("https://x.test/y.png")
    history: list[ModelMessage] = [
        ModelRequest([UserPromptPart("first")], run_id="r1"),
        ModelResponse([TextPart("answer")]),
        ModelRequest([UserPromptPart("second", timestamp=at)], run_id="r2"),
        ModelRequest([UserPromptPart([TextContent("<memori_context>\n- x\n</memori_context>")])]),
        ModelResponse([ToolCallPart("ping", {})]),
        ModelRequest([ToolReturnPart("ping", "pong", tool_call_id="1")]),
    ]
    said = said_in_run(None, history)
    assert (said.text, said.query, said.run_id, said.at) == ("second", "", "r2", at)
    assert said_in_run(None, []).text == ""
    assert said_in_run(None, [ModelResponse([TextPart("hi")])]).text == ""
    assert said_in_run("now", history).text == "now"
    asking = ModelRequest([UserPromptPart("third"), UserPromptPart(["fourth", media])])
    said = said_in_run(None, [*history, asking])
    assert (said.text, said.query) == ("third\nfourth\n[image]", "third\nfourth")


# ---------------------------------------------------------------------------- pauses and resumption


def approving(memori: Memori, **options: Any) -> Agent[Any, Any]:
    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if any(isinstance(part, ToolReturnPart) for part in messages[-1].parts):
            return ModelResponse([TextPart("Booked.")])
        return ModelResponse([ToolCallPart("book", {}, tool_call_id="t1")])

    agent = Agent(
        FunctionModel(answer),
        deps_type=object,
        output_type=[str, DeferredToolRequests],
        capabilities=[capability(memori, **options)],
    )

    @agent.tool_plain(requires_approval=True)
    def book() -> str:
        return "done"

    return agent


APPROVED = DeferredToolResults(approvals={"t1": True})


async def test_a_paused_turn_is_stored_when_it_is_answered_and_once(
    memori: Memori, alice: Any, captured: Any
):
    agent = approving(memori)
    paused = await agent.run(SAID, deps=alice)
    assert isinstance(paused.output, DeferredToolRequests)
    assert captured() == []
    calls = memori.stats()["calls"]
    for _ in range(2):  # also if the resumption is sent twice
        resumed = await agent.run(
            message_history=paused.all_messages(), deferred_tool_results=APPROVED, deps=alice
        )
        assert resumed.output == "Booked."
    assert captured() == [("user", SAID), ("assistant", "Booked.")]
    assert memori.stats()["calls"] == calls, "a resumption has no question to search for"
    (said, _) = memori.scoped("alice").messages()
    prompt = paused.all_messages()[0].parts[0]
    assert isinstance(prompt, UserPromptPart)
    assert abs((said.said_at - prompt.timestamp).total_seconds()) < 0.01


async def test_a_run_without_a_prompt_over_an_answered_turn_stores_nothing_again(
    memori: Memori, recorder: Any, alice: Any, captured: Any
):
    agent = Agent(
        recorder.model, deps_type=object, instructions="Go on.", capabilities=[capability(memori)]
    )
    first = await agent.run(SAID, deps=alice)
    recorder.reply = "more"
    await agent.run(message_history=first.all_messages(), deps=alice)
    assert captured() == [("user", SAID), ("assistant", "ok")]


async def test_a_history_that_ends_with_a_question_is_a_prompt(
    memori: Memori, recorder: Any, alice: Any, captured: Any
):
    """Chat frontends (AG-UI, Vercel AI) send their conversation so, without a prompt."""
    memori.scoped("alice").remember("User lives in Porto.")
    agent = Agent(recorder.model, deps_type=object, capabilities=[capability(memori)])
    history: list[ModelMessage] = [
        ModelRequest([UserPromptPart("hello")]),
        ModelResponse([TextPart("hi")]),
        ModelRequest([UserPromptPart("Where in Porto do I live?")]),
    ]
    result = await agent.run(message_history=history, deps=alice)
    assert recorder.texts()[-1].count("User lives in Porto") == 1
    assert b"memori_context" not in result.all_messages_json()
    assert captured() == [("user", "Where in Porto do I live?"), ("assistant", "ok")]


async def test_an_output_that_cannot_be_told_costs_the_turn_and_not_the_answer(
    memori: Memori, recorder: Any, alice: Any, captured: Any
):
    class Mute(BaseModel):
        name: str

        def __str__(self) -> str:
            raise RuntimeError("mute")

        @field_serializer("name")
        def no(self, name: str) -> str:
            raise RuntimeError("mute")

    agent = Agent(
        recorder.model, output_type=Mute, deps_type=object, capabilities=[MemoriCapability(memori)]
    )
    assert (await agent.run(SAID, deps=alice)).output.name == "Bob"
    assert captured() == []
    assert memori.stats()["capture_failed"] == 1


async def test_in_history_mode_the_block_stays_during_a_pause(memori: Memori, alice: Any):
    memori.scoped("alice").remember("User lives in Porto.")
    agent = approving(memori, inject="history")
    paused = await agent.run(SAID, deps=alice)
    resumed = await agent.run(
        message_history=paused.all_messages(), deferred_tool_results=APPROVED, deps=alice
    )
    assert resumed.all_messages_json().count(b"<memori_context>") == 1


# ------------------------------------------------------------------------------- with the framework


async def test_blocks_are_never_captured_again(
    memori: Memori, recorder: Any, alice: Any, captured: Any
):
    memori.scoped("alice").remember("User lives in Porto.")
    agent = Agent(
        recorder.model, deps_type=object, capabilities=[capability(memori, inject="history")]
    )
    first = await agent.run("Where in Porto do I live?", deps=alice)
    await agent.run("And now?", deps=alice, message_history=first.all_messages())
    assert not [text for _, text in captured() if "memori_context" in text]


async def test_a_test_model_that_calls_every_tool_works_on_its_own_user(
    memori: Memori, alice: Any, bob: Any
):
    memori.scoped("bob").remember("User likes mint tea.", id="a")  # what TestModel asks to forget
    agent = Agent(TestModel(), deps_type=object, capabilities=[capability(memori, tools=True)])
    result = await agent.run("hello", deps=alice)
    assert "There is no such fact." in result.output
    assert memori.scoped("bob").get("a") is not None
    result = await agent.run("hello", deps=bob)
    assert "Forgotten." in result.output


async def test_two_of_one_id_are_refused_and_two_of_two_ids_work(
    memori: Memori, recorder: Any, alice: Any
):
    with pytest.raises(ConfigError, match="2 MemoriCapability have the id 'memori'"):
        await Agent(
            recorder.model,
            deps_type=object,
            capabilities=[capability(memori), capability(memori, limit=3)],
        ).run(SAID, deps=alice)
    team = capability(memori, id="team", user_id="team", capture=False)
    agent = Agent(recorder.model, deps_type=object, capabilities=[capability(memori), team])
    memori.scoped("alice").remember("User likes oolong tea.")
    memori.scoped("team").remember("Team drinks mint tea.")
    await agent.run("Which tea?", deps=alice)
    text = recorder.texts()[-1]
    assert "oolong" in text
    assert "mint" in text
    memori.flush()
    assert memori.scoped("team").messages() == []


async def test_a_capability_of_a_run_takes_the_place_of_the_agents(
    memori: Memori, recorder: Any, alice: Any, captured: Any
):
    agent = Agent(recorder.model, deps_type=object, capabilities=[capability(memori)])
    await agent.run(SAID, deps=alice, capabilities=[capability(memori, capture=False)])
    assert captured() == []


async def test_what_another_hook_makes_of_the_result_is_what_is_stored(
    memori: Memori, recorder: Any, alice: Any, captured: Any
):
    class Recovering(AbstractCapability[Any]):
        async def on_run_error(self, ctx: Any, *, error: BaseException) -> Any:
            return AgentRunResult("Sorry.")

    agent = Agent(recorder.model, deps_type=object, capabilities=[capability(memori), Recovering()])
    result = await agent.run(f"{SAID} boom", deps=alice)
    assert result.output == "Sorry."
    assert captured() == [("user", f"{SAID} boom"), ("assistant", "Sorry.")]


async def test_a_failing_hook_of_somebody_else_still_leaves_one_turn(
    memori: Memori, recorder: Any, alice: Any, captured: Any
):
    class Failing(AbstractCapability[Any]):
        async def after_run(self, ctx: Any, *, result: Any) -> Any:
            raise KeyError("theirs")

    for order in ([capability(memori), Failing()], [Failing(), capability(memori)]):
        agent = Agent(recorder.model, deps_type=object, capabilities=order)
        with pytest.raises(KeyError):
            await agent.run(SAID, deps=alice)
    assert captured() == [("user", SAID)] * 2


async def test_sub_agents_have_no_memory_unless_asked(
    memori: Memori, recorder: Any, alice: Any, captured: Any
):
    inner_plain = Agent(recorder.model, deps_type=object)
    inner_with = Agent(recorder.model, deps_type=object, capabilities=[capability(memori)])
    outer = Agent(recorder.model, deps_type=object, capabilities=[capability(memori)])
    inner = inner_plain

    @outer.tool
    async def ping(ctx: RunContext[Any]) -> str:
        return (await inner.run("inner words", deps=ctx.deps, usage=ctx.usage)).output

    await outer.run(f"{SAID} usetool", deps=alice)
    assert captured() == [("user", f"{SAID} usetool"), ("assistant", "ok")]
    inner = inner_with
    await outer.run("Again usetool", deps=alice)
    assert sorted(text for role, text in captured() if role == "user") == [
        "Again usetool",
        f"{SAID} usetool",
        "inner words",
    ]


async def test_it_comes_from_a_spec(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, alice: Any, recorder: Any
):
    from pydantic_ai.agent.spec import AgentSpec

    path = str(tmp_path / "memories.db")
    options = {
        "path": path,
        "embedder": None,
        "inject": "history",
        "tools": ["remember"],
        "limit": 3,
    }
    spec = {"model": "test", "capabilities": [{"MemoriCapability": options}]}
    made: list[MemoriCapability] = []
    original = MemoriCapability.from_spec.__func__  # type: ignore[attr-defined]

    def keep(cls: Any, *args: Any, **kwargs: Any) -> MemoriCapability:
        made.append(original(cls, *args, **kwargs))
        return made[-1]

    monkeypatch.setattr(MemoriCapability, "from_spec", classmethod(keep))
    agent = Agent.from_spec(spec, custom_capability_types=[MemoriCapability], deps_type=type(alice))
    await agent.run(SAID, deps=alice)
    (capability,) = made
    assert (capability.inject, capability.limit, list(capability.tools)) == (
        "history",
        3,
        ["remember"],
    )
    with capability.memori as memori:
        memori.flush()
        assert memori.scoped("alice").messages()[0].message.content == SAID
    monkeypatch.undo()
    schema = AgentSpec.model_json_schema_with_capabilities([MemoriCapability])
    assert "capture_partial" in str(schema)


def test_durable_engines_find_its_operations():
    from pydantic_ai.durable_exec._capability_operation import get_durable_operation_marker

    names = {
        marker.name
        for value in vars(MemoriCapability).values()
        if (marker := get_durable_operation_marker(value)) is not None
    }
    assert names == {"recall", "capture"}
    assert MemoriCapability.id == "memori"


async def test_what_crosses_the_border_of_a_durable_engine_is_plain_data(memori: Memori):
    from pydantic_ai.durable_exec._capability_operation import collect_capability_operations

    memori.scoped("alice").remember("User lives in Porto.")
    made = capability(memori)
    operations = collect_capability_operations(made)
    assert set(operations) == {"recall", "capture"}
    recalled = await made._recall_facts(None, "Where in Porto?", "alice", None, None)  # type: ignore[arg-type]
    assert "Porto" in recalled.block
    adapter: TypeAdapter[Any] = TypeAdapter(operations["recall"].result_type)
    assert adapter.validate_json(adapter.dump_json(recalled)) == recalled
    taken = set(operations["capture"].signature.parameters) - {"ctx"}
    assert taken == {
        *("said", "reply", "status", "turn_id", "said_at", "user_id", "agent_id", "session_id"),
    }


def test_its_repr_and_its_copies_hold_nothing_of_a_run(memori: Memori):
    made = capability(memori)
    assert "_run" not in repr(made)
    assert "_hooks" not in repr(made)


def test_the_public_names():
    import memori_pydantic_ai

    assert set(memori_pydantic_ai.__all__) == {
        *("AgentExtractor", "MemoriCapability", "Resolver"),
        *("from_embedder", "memory_instructions", "memory_toolset"),
        *("FRAMEWORK_VERSION", "__version__"),
    }
    assert all(hasattr(memori_pydantic_ai, name) for name in memori_pydantic_ai.__all__)

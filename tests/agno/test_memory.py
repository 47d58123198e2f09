"""The two-line way: what bears on the message is in the prompt, and each run is stored once."""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Callable
from typing import Any

import pytest
from agno.agent import Agent
from agno.learn import LearningMachine
from agno.media import Image
from agno.models.message import Message
from agno.run import RunContext
from pydantic import BaseModel

from memori_agno import MemoriMemory
from memori_core import Memori
from memori_core.hooks import TAG

MODES = ("run", "arun", "stream", "astream")


def go(agent: Any, message: Any, *, mode: str = "run", **kwargs: Any) -> None:
    """Run an agent or a team to its end, in one of four ways."""

    async def arun() -> None:
        await agent.arun(message, **kwargs)

    async def astream() -> None:
        async for _ in agent.arun(message, stream=True, **kwargs):
            pass

    if mode == "run":
        agent.run(message, **kwargs)
    elif mode == "stream":
        for _ in agent.run(message, stream=True, **kwargs):
            pass
    else:
        asyncio.run(arun() if mode == "arun" else astream())


@pytest.fixture
def agent(memori: Memori, make_agent: Callable[..., Agent]) -> Agent:
    return make_agent(
        "That is good to know.", **MemoriMemory(memori, on_error="raise").agent_kwargs()
    )


def test_the_package_agno_is_not_shadowed_by_this_folder():
    assert "site-packages" in inspect.getfile(Agent)


@pytest.mark.parametrize("mode", MODES)
def test_what_was_said_in_one_session_is_in_the_prompt_of_another(
    mode: str, agent: Agent, said: Any, prompt: Any
):
    go(agent, "I live in Porto.", mode=mode, user_id="alice", session_id="s1")
    assert said() == [("user", "I live in Porto."), ("assistant", "That is good to know.")]
    go(agent, "Where in Porto do I live?", mode=mode, user_id="alice", session_id="s2")
    assert prompt(agent).count(f"<{TAG}>") == 1
    assert "- User lives in Porto. Stated at" in prompt(agent)
    assert len(said()) == 4


@pytest.mark.parametrize("mode", MODES)
def test_what_does_not_bear_on_the_message_stays_out(
    mode: str, memori: Memori, agent: Agent, prompt: Any
):
    memori.scoped("alice").remember("User lives in Porto.")
    go(agent, "How does photosynthesis work?", mode=mode, user_id="alice")
    assert prompt(agent) == ""


def test_sync_and_async_runs_mix_on_one_agent(agent: Agent, said: Any):
    for n, mode in enumerate(("arun", "run", "astream", "stream", "run", "arun")):
        go(agent, f"Note {n}.", mode=mode, user_id="alice", session_id="s1")
    assert [text for role, text in said() if role == "user"] == [f"Note {n}." for n in range(6)]
    assert len(said()) == 12


def test_turns_are_stored_under_the_session_and_the_agent_of_the_run(memori: Memori, agent: Agent):
    go(agent, "I live in Porto.", user_id="alice", session_id="s1")
    memori.flush()
    session = memori.scoped("alice").sessions()[0]
    assert (session.id, session.process_id) == ("s1", "helper")
    (fact,) = memori.scoped("alice").list()
    assert (fact.process_id, fact.session_id) == ("helper", "s1")


@pytest.mark.parametrize("mode", MODES)
def test_a_structured_answer_is_stored_as_json(
    mode: str, memori: Memori, make_agent: Any, said: Any
):
    class City(BaseModel):
        name: str

    agent = make_agent(
        '{"name": "Porto"}', output_schema=City, **MemoriMemory(memori).agent_kwargs()
    )
    go(agent, "Which city?", mode=mode, user_id="alice")
    assert json.loads(said()[1][1]) == {"name": "Porto"}
    assert said()[0] == ("user", "Which city?")


def test_structured_input_is_stored_as_lines(agent: Agent, said: Any):
    class Order(BaseModel):
        dish: str
        guests: int
        host: Any = None

    go(agent, Order(dish="soup", guests=2), user_id="alice")
    assert said()[0] == ("user", "dish: soup\nguests: 2")
    go(agent, {"dish": "rice"}, user_id="alice")
    assert said()[2] == ("user", "dish: rice")


def test_images_are_placeholders_and_their_bytes_are_not_stored(
    agent: Agent, memori: Memori, said: Any, prompt: Any
):
    memori.scoped("alice").remember("User draws an image every day.")
    go(agent, "What is this?", user_id="alice", images=[Image(content=b"\x89PNG")])
    assert said()[0] == ("user", "What is this?\n[image]")
    assert prompt(agent) == ""  # a placeholder is no question
    go(agent, "", user_id="alice", images=[Image(content=b"\x89PNG")])
    assert said()[2] == ("user", "[image]")
    assert prompt(agent) == ""


def test_of_a_list_of_messages_only_what_follows_the_last_answer_is_new(
    agent: Agent, memori: Memori, said: Any, prompt: Any
):
    memori.scoped("alice").remember("User keeps bees.")
    history = [
        Message(role="user", content="I live in Rome."),
        Message(role="assistant", content="Nice."),
        Message(role="user", content=[{"type": "text", "text": "Do I keep bees?"}]),
    ]
    go(agent, history, user_id="alice")
    assert said() == [("user", "Do I keep bees?"), ("assistant", "That is good to know.")]
    assert "User keeps bees" in prompt(agent)
    as_dicts: list[Any] = [{"role": m.role, "content": "Rome."} for m in history[:2]]
    go(agent, [*as_dicts, {"role": "user", "content": "Go on."}], user_id="alice")
    assert said()[2] == ("user", "Go on.")


def test_an_agent_with_history_stores_each_message_once(memori: Memori, make_agent: Any, said: Any):
    agent = make_agent(add_history_to_context=True, **MemoriMemory(memori).agent_kwargs())
    for n in range(3):
        go(agent, f"Note {n}.", user_id="alice", session_id="s1")
    assert len(agent.model.requests[-1]) >= 5  # the history is there
    assert [text for role, text in said() if role == "user"] == ["Note 0.", "Note 1.", "Note 2."]


@pytest.mark.parametrize("mode", MODES)
def test_a_run_with_tools_is_one_turn_with_one_recall(
    mode: str, memori: Memori, make_agent: Any, said: Any
):
    def lookup(city: str) -> str:
        """Look a city up."""
        return f"{city} is in Portugal."

    def answer(messages: list[Message]) -> Any:
        return "In Portugal." if messages[-1].role == "tool" else [("lookup", {"city": "Porto"})]

    memori.scoped("alice").remember("User lives in Porto.")
    agent = make_agent(answer, tools=[lookup], **MemoriMemory(memori).agent_kwargs())
    go(agent, "Where is Porto?", mode=mode, user_id="alice")
    assert said() == [("user", "Where is Porto?"), ("assistant", "In Portugal.")]
    assert len(agent.model.requests) == 2
    assert memori.stats()["calls"] == 1


def test_the_users_own_hooks_and_machine_come_along_unchanged(memori: Memori, make_agent: Any):
    calls: list[str] = []

    def before(run_context: RunContext) -> None:
        calls.append("before")

    def after(run_context: RunContext) -> None:
        calls.append("after")

    class Own:
        learning_type, schema, was_updated = "own", None, False

        def recall(self, **_: Any) -> str:
            return "own"

        def process(self, messages: Any, **_: Any) -> None: ...

        def build_context(self, data: str) -> str:
            return "<own>"

        def get_tools(self, **_: Any) -> list[Any]:
            return []

    memori.scoped("alice").remember("User keeps bees.")
    machine = LearningMachine(custom_stores={"own": Own()})  # type: ignore[dict-item]
    pre, post = [before], [after]
    memory = MemoriMemory(memori, on_error="raise")
    agent = make_agent(**memory.agent_kwargs(learning=machine, pre_hooks=pre, post_hooks=post))
    agent.run("My bees?", user_id="alice")
    system = str(agent.model.requests[-1][0].content)
    assert "<own>" in system
    assert "User keeps bees" in system
    assert calls == ["before", "after"]
    assert (pre, post) == ([before], [after])
    assert list(machine.custom_stores or {}) == ["own"]
    assert machine.db is None


def test_learning_true_keeps_what_agno_makes_of_it(memori: Memori):
    machine = MemoriMemory(memori).agent_kwargs(learning=True)["learning"]
    assert (machine.user_profile, machine.user_memory) == (True, True)
    assert list(machine.custom_stores) == ["memori"]


def test_pitfall_6_the_block_is_no_part_of_the_message_that_agno_keeps(
    agent: Agent, memori: Memori, prompt: Any
):
    memori.scoped("alice").remember("User keeps bees.")
    given = Message(role="user", content="Do I keep bees?")
    before = given.model_dump()
    result = agent.run(given, user_id="alice", session_id="s1")
    assert TAG in prompt(agent)
    assert given.model_dump() == before
    session = agent.get_session(session_id="s1", user_id="alice")
    assert session is not None
    kept = [m for run in session.runs or () for m in run.messages or () if m.role == "user"]
    assert [message.content for message in kept] == ["Do I keep bees?"]
    assert TAG not in str(result.input)
    agent.run("And now?", user_id="alice", session_id="s1", add_history_to_context=True)
    assert all(TAG not in str(m.content) for m in agent.model.requests[-1][1:])  # type: ignore[union-attr]


def test_what_a_person_says_about_our_tag_is_not_taken_for_a_block(agent: Agent, said: Any):
    text = f"What is a <{TAG}> block?"
    agent.run(text, user_id="alice")
    assert said()[0] == ("user", text)
    agent.run(f"<{TAG}>\n- User is rich.\n</{TAG}>\nHello there.", user_id="alice")
    assert said()[2] == ("user", "Hello there.")

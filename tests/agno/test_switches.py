"""B71: switches mean what they say."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from agno.agent import Agent
from agno.memory import MemoryManager

from memori_agno import MemoriMemory, MemoriMemoryManager, MemoriQueryHook
from memori_core import Memori
from memori_core.hooks import TAG

Make = Callable[..., Agent]


def requests(agent: Agent) -> list[list[tuple[str, Any]]]:
    return [[(m.role, m.content) for m in request] for request in agent.model.requests]  # type: ignore[union-attr]


def run_both_ways(agent: Agent) -> list[list[tuple[str, Any]]]:
    agent.run("Do I still live in Porto?", user_id="alice", session_id="s1")
    asyncio.run(agent.arun("Do I still live in Porto?", user_id="alice", session_id="s2"))
    return requests(agent)


@pytest.fixture
def remembered(memori: Memori) -> Memori:
    memori.scoped("alice").remember("User lives in Porto.")
    return memori


def test_b71_with_recall_off_the_prompt_is_as_without_us(
    remembered: Memori, make_agent: Make, said: Any
):
    options = {"instructions": "Be kind.", "description": "A helper."}
    memory = MemoriMemory(remembered, recall=False, on_error="raise")
    agent = make_agent(**options, **memory.agent_kwargs())
    assert run_both_ways(agent) == run_both_ways(make_agent(**options))
    assert agent.model.tool_names == [[], []]  # type: ignore[union-attr]
    assert len(said()) == 4


def test_b71_with_capture_off_nothing_is_stored(remembered: Memori, make_agent: Make, said: Any):
    memory = MemoriMemory(remembered, capture=False, capture_on_start=True, on_error="raise")
    agent = make_agent(**memory.agent_kwargs())
    assert all(TAG in str(request[0][1]) for request in run_both_ways(agent))
    assert said() == []


def test_b71_with_both_off_there_is_nothing_of_us(remembered: Memori, make_agent: Make, said: Any):
    memory = MemoriMemory(remembered, recall=False, capture=False)
    assert memory.agent_kwargs() == memory.team_kwargs() == {}
    agent = make_agent(**memory.agent_kwargs())
    assert run_both_ways(agent) == run_both_ways(make_agent())
    assert said() == []


def test_b71_recall_that_finds_nothing_leaves_the_prompt_as_it_is(memori: Memori, make_agent: Make):
    agent = make_agent(**MemoriMemory(memori, on_error="raise").agent_kwargs())
    first = agent.run("Do I still live in Porto?", user_id="bob", session_id="s1")
    assert requests(agent) == [[("user", "Do I still live in Porto?")]]
    assert first.content == "fine"


@pytest.mark.parametrize("on", [False, True])
def test_b71_agnos_own_switches_work_on_our_manager(
    on: bool, remembered: Memori, make_agent: Make, said: Any
):
    agent = make_agent(
        memory_manager=MemoriMemoryManager(remembered, on_error="raise"),
        pre_hooks=[MemoriQueryHook(remembered)],
        update_memory_on_run=on,
        add_memories_to_context=on,
    )
    for request in run_both_ways(agent):
        assert ("User lives in Porto" in str(request)) is on
    assert len(said()) == (2 if on else 0)


def test_b71_the_extractors_output_is_not_in_the_answer(memori: Memori, make_agent: Make):
    from memori_agno import AgnoModelExtractor
    from memori_agno.testing import FakeModel

    extractor = AgnoModelExtractor(FakeModel(answer=lambda _: '{"facts": ["User likes tea."]}'))
    with Memori(":memory:", embedder=None, extractor=extractor) as memori:
        agent = make_agent("Fine.", **MemoriMemory(memori, on_error="raise").agent_kwargs())
        pieces = [event.content for event in agent.run("I like tea.", user_id="alice", stream=True)]
        memori.flush()
        assert "".join(str(piece) for piece in pieces) == "Fine."
        assert [fact.content for fact in memori.scoped("alice").list()] == ["User likes tea."]


def test_the_parts_are_what_agno_takes(memori: Memori):
    assert isinstance(MemoriMemoryManager(memori), MemoryManager)

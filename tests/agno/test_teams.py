"""Teams: the user's words and the team's answer are one turn; what members are told is none."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from agno.agent import Agent
from agno.db.in_memory import InMemoryDb
from agno.models.message import Message
from agno.run.cancel import cancel_run
from agno.team import Team

from memori_agno import MemoriMemory
from memori_agno.testing import FakeModel
from memori_core import Memori
from memori_core.hooks import TAG

MODES = ("run", "arun", "stream", "astream")
TASK = "The user says: I live in Rome. Look this up."


def leader(messages: list[Message]) -> Any:
    """Sends its member on an errand, then answers."""
    if messages[-1].role == "tool":
        return "The team's answer."
    return [("delegate_task_to_member", {"member_id": "scout", "task": TASK})]


def go(host: Any, message: str, *, mode: str, **kwargs: Any) -> None:
    async def arun() -> None:
        await host.arun(message, **kwargs)

    async def astream() -> None:
        async for _ in host.arun(message, stream=True, **kwargs):
            pass

    if mode == "run":
        host.run(message, **kwargs)
    elif mode == "stream":
        for _ in host.run(message, stream=True, **kwargs):
            pass
    else:
        asyncio.run(arun() if mode == "arun" else astream())


@pytest.fixture
def make_team() -> Callable[..., Team]:
    def make(member: Agent | Team, **kwargs: Any) -> Team:
        options: dict[str, Any] = {"model": FakeModel(answer=leader), "db": InMemoryDb(), **kwargs}
        return Team(id="team", name="team", members=[member], telemetry=False, **options)

    return make


@pytest.mark.parametrize("mode", MODES)
def test_a_team_run_is_one_turn_with_the_users_words(
    mode: str, memori: Memori, make_agent: Any, make_team: Any, said: Any, prompt: Any
):
    memori.scoped("alice").remember("User lives in Porto.")
    scout = make_agent("Found.", id="scout", name="scout")
    team = make_team(scout, **MemoriMemory(memori, on_error="raise").team_kwargs())
    go(team, "Where in Porto do I live?", mode=mode, user_id="alice", session_id="s1")
    assert said() == [("user", "Where in Porto do I live?"), ("assistant", "The team's answer.")]
    assert memori.scoped("alice").sessions()[0].process_id == "team"
    assert prompt(team).count(f"<{TAG}>") == 1
    assert TAG not in prompt(scout)
    assert len(scout.model.requests) == 1  # the errand was run


@pytest.mark.parametrize("team_has_memory", [True, False])
@pytest.mark.parametrize("mode", MODES)
def test_a_member_with_memory_of_its_own_recalls_but_stores_no_errand(
    mode: str, team_has_memory: bool, memori: Memori, make_agent: Any, make_team: Any, said: Any
):
    memory = MemoriMemory(memori, on_error="raise", capture_on_start=True)
    scout = make_agent("Found.", id="scout", name="scout", **memory.agent_kwargs())
    team = make_team(scout, **(memory.team_kwargs() if team_has_memory else {}))
    go(team, "Where do I live?", mode=mode, user_id="alice", session_id="s1")
    assert len(scout.model.requests) == 1
    wanted = [("user", "Where do I live?"), ("assistant", "The team's answer.")]
    assert said() == (wanted if team_has_memory else [])


def test_an_agent_that_was_a_member_is_stored_when_it_is_used_alone(
    memori: Memori, make_agent: Any, make_team: Any, said: Any
):
    scout = make_agent(
        "Found.", id="scout", name="scout", **MemoriMemory(memori, on_error="raise").agent_kwargs()
    )
    make_team(scout).run("Hi.", user_id="alice")
    assert scout.team_id == "team"  # and stays set
    assert said() == []
    scout.run("I live in Porto.", user_id="alice")
    assert said() == [("user", "I live in Porto."), ("assistant", "Found.")]


@pytest.mark.parametrize("mode", ["run", "arun"])
def test_a_team_in_a_team_is_a_member(
    mode: str, memori: Memori, make_agent: Any, make_team: Any, said: Any
):
    memory = MemoriMemory(memori, on_error="raise")
    inner = Team(
        id="scout",
        name="scout",
        members=[make_agent("Found.", id="deep", name="deep")],
        model=FakeModel(answer=lambda _: "Inner answer."),
        db=InMemoryDb(),
        telemetry=False,
        **memory.team_kwargs(),
    )
    team = make_team(inner, **memory.team_kwargs())
    go(team, "Hi.", mode=mode, user_id="alice")
    assert len(inner.model.requests) == 1  # type: ignore[union-attr]
    assert said() == [("user", "Hi."), ("assistant", "The team's answer.")]
    go(inner, "I live in Porto.", mode=mode, user_id="alice")
    assert said()[2:] == [("user", "I live in Porto."), ("assistant", "Inner answer.")]


def test_a_team_without_a_user_id_recalls_and_stores_nothing(
    memori: Memori, make_agent: Any, make_team: Any, prompt: Any
):
    memori.scoped("default").remember("User lives in Porto.")
    scout = make_agent("Found.", id="scout", name="scout")
    team = make_team(scout, **MemoriMemory(memori, on_error="raise").team_kwargs())
    team.run("Where in Porto do I live?")
    memori.flush()
    assert memori.stats()["messages"] == 0
    assert TAG not in prompt(team)


def test_a_cancelled_team_run_stores_nothing(
    memori: Memori, make_agent: Any, make_team: Any, said: Any
):
    scout = make_agent("one two three four", id="scout", name="scout", delay_s=0.01)
    team = make_team(scout, **MemoriMemory(memori, on_error="raise").team_kwargs())
    kinds: list[str] = []
    for event in team.run("Hi.", stream=True, stream_events=True, user_id="alice"):
        kinds.append(type(event).__name__)
        if kinds[-1] == "ToolCallStartedEvent":
            cancel_run(event.run_id)
    assert any("Cancelled" in kind for kind in kinds)
    assert said() == []

"""Many at once on one client: nobody sees or stores anything of another."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from memori_core import Memori, Scope
from memori_core.interception import Llm
from memori_core.testing import ProviderServer, Reply

openai = pytest.importorskip("openai", reason="openai is not installed")

PEOPLE = 50


def echo(body: Mapping[str, Any]) -> Reply:
    """Answers with the facts that came in, after a moment."""
    lines = body["messages"][0]["content"].split("\n")
    facts = [line for line in lines if line.startswith("- ")]
    return Reply("\n".join(facts), delay_s=random.uniform(0, 0.02))


@pytest.fixture
def crowd(tmp_path: Path):
    with (
        Memori(tmp_path / "m.db", embedder=None, extractor=None) as memori,
        ProviderServer(echo) as server,
    ):
        for n in range(PEOPLE):
            memori.scoped(f"user{n}").remember(f"User likes the tea number {n}x.")
        llm = Llm(memori)
        yield memori, server, llm
        llm.close()


def body(n: int, turn: int) -> dict[str, Any]:
    text = f"I am {n}. Which tea number do I like? ({turn})"
    return {"model": "m", "messages": [{"role": "user", "content": text}]}


def check(memori: Memori, llm: Llm[Memori], answers: list[tuple[int, str]], turns: int) -> None:
    for n, answer in answers:
        assert f"tea number {n}x" in answer
        assert answer.count("tea number") == 1
    assert llm.drain(20)
    for n in range(PEOPLE):
        messages = memori.scoped(f"user{n}").messages()
        assert len(messages) == 2 * turns
        assert all(m.message.content.startswith(f"I am {n}.") for m in messages[::2])
        assert llm.stats()["captured"] == PEOPLE * turns


def test_b60_fifty_tasks(crowd: Any):
    memori, server, llm = crowd

    async def one(client: Any, n: int) -> list[tuple[int, str]]:
        memori.attribution(f"user{n}")
        answers: list[tuple[int, str]] = []
        for turn in range(2):
            await asyncio.sleep(random.uniform(0, 0.02))
            found = await client.chat.completions.create(**body(n, turn))
            answers.append((n, found.choices[0].message.content))
        return answers

    async def run() -> list[tuple[int, str]]:
        async with openai.AsyncOpenAI(api_key="x", base_url=server.openai_url) as client:
            llm.register(client, on_error="raise")
            found = await asyncio.gather(*(one(client, n) for n in range(PEOPLE)))
        return [pair for pairs in found for pair in pairs]

    check(memori, llm, asyncio.run(run()), turns=2)


def test_b60_fifty_threads(crowd: Any):
    memori, server, llm = crowd
    with openai.OpenAI(api_key="x", base_url=server.openai_url) as client:
        llm.register(client, on_error="raise")

        def one(n: int) -> tuple[int, str]:
            memori.attribution(f"user{n}")
            return n, client.chat.completions.create(**body(n, 0)).choices[0].message.content

        with ThreadPoolExecutor(PEOPLE) as pool:
            answers = list(pool.map(one, range(PEOPLE)))
    check(memori, llm, answers, turns=1)


def test_a_thread_pool_has_the_scope_of_the_registration(crowd: Any):
    memori, server, llm = crowd
    with openai.OpenAI(api_key="x", base_url=server.openai_url) as client:
        llm.register(client, scope=Scope("user7"), on_error="raise")
        memori.attribution("user8")  # here, not in the pool

        def one(_: int) -> str:
            return client.chat.completions.create(**body(7, 0)).choices[0].message.content

        with ThreadPoolExecutor(4) as pool:
            assert all("tea number 7x" in answer for answer in pool.map(one, range(4)))
        assert "tea number 8x" in one(0)


def test_a_stream_is_stored_under_the_scope_of_its_beginning(crowd: Any):
    memori, server, llm = crowd
    with openai.OpenAI(api_key="x", base_url=server.openai_url) as client:
        llm.register(client, on_error="raise")
        with memori.attribution("user1"):
            stream = client.chat.completions.create(**body(1, 0), stream=True)
        with memori.attribution("user2"):
            list(stream)
    assert llm.drain(5)
    assert len(memori.scoped("user1").messages()) == 2
    assert memori.scoped("user2").messages() == []

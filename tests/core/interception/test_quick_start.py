"""The quick start as it stands in the specification: in a script, a pool and a notebook."""

from __future__ import annotations

import ast
import asyncio
import inspect
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from memori_core import Memori, Scope
from memori_core.rendering import TAG
from memori_core.testing import ProviderServer

openai = pytest.importorskip("openai", reason="openai is not installed")

TOLD, ASKED = "My favorite color is blue.", "What's my favorite color?"
USER = Scope("user_123", process_id="support_agent")


def say(client: Any, text: str) -> str:
    response = client.chat.completions.create(
        model="gpt-4o-mini", messages=[{"role": "user", "content": text}]
    )
    return response.choices[0].message.content


def check(server: ProviderServer, mem: Memori) -> None:
    """The second request holds the fact in one block, and both turns are stored."""
    told, asked = server.requests
    assert TAG not in told.text
    block, question = asked.body["messages"]
    assert asked.text.count(f"<{TAG}>") == 1
    assert block["role"] == "system"
    assert "favorite color is blue" in block["content"]
    assert question == {"role": "user", "content": ASKED}

    assert mem.flush(20)
    said = mem.scoped("user_123", process_id="support_agent").messages()
    assert [m.message.content for m in said] == [TOLD, "Hello", ASKED, "Hello"]
    facts = mem.scoped("user_123").list()
    assert [fact.content for fact in facts] == ["User's favorite color is blue."]
    report = mem.doctor()
    assert report.clients[0] in ("OpenAI", "AsyncOpenAI")
    assert report.counts == {"calls": 2, "captured": 2, "injected": 1}
    assert report.nothing_injected == {"user_123": "no_facts"}
    stats = mem.stats()
    assert (stats["entities"], stats["messages"]) == (1, 4)
    assert (stats["calls"], stats["injected"], stats["captured"]) == (2, 1, 2)


def test_in_one_thread(client: Any, server: ProviderServer, tmp_path: Path):
    mem = Memori(tmp_path / "memori.db", embedder=None).llm.register(client)
    with mem:
        mem.attribution(entity_id="user_123", process_id="support_agent")
        assert say(client, TOLD) == "Hello"
        assert mem.flush(20)
        assert say(client, ASKED) == "Hello"
        check(server, mem)


def test_in_a_thread_pool(client: Any, server: ProviderServer, tmp_path: Path):
    """Pools carry no context: `scope=` says whose memory is meant."""
    mem = Memori(tmp_path / "memori.db", embedder=None).llm.register(client, scope=USER)
    with mem, ThreadPoolExecutor(4) as pool:
        assert pool.submit(say, client, TOLD).result(20) == "Hello"
        assert mem.flush(20)
        assert pool.submit(say, client, ASKED).result(20) == "Hello"
        check(server, mem)


CELLS = [
    """
from openai import OpenAI
from memori_core import Memori
client = OpenAI(base_url=url, api_key="x")
mem = Memori(path, embedder=None).llm.register(client)
""",
    'mem.attribution(entity_id="user_123", process_id="support_agent")',
    """
first = client.chat.completions.create(
    model="gpt-4o-mini", messages=[{"role": "user", "content": told}]
)
mem.flush()
""",
    """
second = client.chat.completions.create(
    model="gpt-4o-mini", messages=[{"role": "user", "content": asked}]
)
""",
]
ASYNC_CELLS = [
    cell.replace("OpenAI", "AsyncOpenAI")
    .replace("client.chat", "await client.chat")
    .replace("mem.flush()", "await mem.aflush()")
    for cell in CELLS
]


@pytest.mark.parametrize("cells", [CELLS, ASYNC_CELLS], ids=["sync", "async"])
def test_b72_across_the_cells_of_a_notebook(
    cells: list[str], server: ProviderServer, tmp_path: Path
):
    """Every cell is compiled alone and run inside one event loop that is running already."""
    names: dict[str, Any] = {
        "url": server.openai_url,
        "path": tmp_path / "memori.db",
        "told": TOLD,
        "asked": ASKED,
    }

    async def notebook() -> None:
        for number, cell in enumerate(cells):
            flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
            code = compile(cell, f"<cell {number}>", "exec", flags=flags, dont_inherit=True)
            found = eval(code, names)
            if inspect.isawaitable(found):
                await found
        closed = names["client"].close()
        if inspect.isawaitable(closed):
            await closed

    asyncio.run(notebook())
    with names["mem"] as mem:
        assert names["first"].choices[0].message.content == "Hello"
        assert names["second"].choices[0].message.content == "Hello"
        check(server, mem)

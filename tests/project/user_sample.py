"""What a user writes. Checked by mypy --strict and pyright, and run, in test_typing_sample.py."""

from __future__ import annotations

import asyncio

from memori_core import Fact, InMemoryStore, Memori, Recall, RecalledFact, Scope, ScopedMemory


def remember_and_recall(memory: ScopedMemory) -> list[str]:
    fact: Fact = memory.remember("User is allergic to peanuts.")
    found: Recall = memory.recall("peanuts", limit=3)
    first: RecalledFact = found[0]
    assert first.id == fact.id
    score: float = first.lexical_score
    assert score > 0
    return [item.content for item in found]


async def the_same_in_async_code(memory: ScopedMemory) -> list[str]:
    await memory.aremember("User lives in Lisbon.")
    found = await memory.arecall("Lisbon")
    return [item.content for item in found]


def main() -> None:
    scope = Scope("alice", process_id="support-agent")
    memori = Memori(InMemoryStore(), embedder=None, scope=scope)
    alice = memori.scoped("alice")
    assert remember_and_recall(alice) == ["User is allergic to peanuts."]
    assert asyncio.run(the_same_in_async_code(alice)) == ["User lives in Lisbon."]
    memori.close()


if __name__ == "__main__":
    main()

"""A memory with one fact about alice, and a provider on this machine."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from memori_core import Memori, Scope
from memori_core.interception import Llm
from memori_core.stores import InMemoryStore
from memori_core.testing import ProviderServer

ALICE = Scope("alice")


@pytest.fixture
def server() -> Iterator[ProviderServer]:
    with ProviderServer() as server:
        yield server


@pytest.fixture
def memori() -> Iterator[Memori]:
    with Memori(InMemoryStore(), embedder=None, extractor=None) as memori:
        memori.scoped("alice").remember("User likes green tea.")
        yield memori


@pytest.fixture
def llm(memori: Memori) -> Iterator[Llm[Memori]]:
    llm = Llm(memori)
    yield llm
    llm.close()


@pytest.fixture
def said(memori: Memori, llm: Llm[Memori]):
    """What was captured of an entity: pairs of role and text."""

    def said(entity_id: str = "alice") -> list[tuple[str, str]]:
        assert llm.drain(10)
        messages = memori.scoped(entity_id).messages()
        return [(m.message.role, m.message.content) for m in messages]

    return said

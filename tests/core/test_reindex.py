"""Making vectors anew, and what happens meanwhile."""

from __future__ import annotations

from pathlib import Path

import pytest

from memori_core import InMemoryStore, Memori
from memori_core.core import BATCH
from memori_core.testing import FakeEmbedder


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "m.db"


def test_what_is_changed_while_vectors_are_made_anew_is_kept(path: Path) -> None:
    with Memori(path, embedder=FakeEmbedder()) as memori:
        fact = memori.scoped("alice").remember("User likes tea.")
    with Memori(path, embedder=None) as other:

        def change_meanwhile(texts: list[str]) -> list[list[float]]:
            if texts == ["I like tea"]:
                other.scoped("alice").update(fact.id, text="User likes oolong.")
            return [[1.0, 0.0] for _ in texts]

        with Memori(path, embedder=change_meanwhile) as memori:
            assert memori.reindex() == 0
            assert memori.reindex() == 1
            alice = memori.scoped("alice")
            (stored,) = memori._core.store.facts(alice.scope)
            assert stored.fact.content == "User likes oolong."
            assert "oolong" in stored.terms.split()


@pytest.mark.parametrize("progress", [True, False])
def test_bars_of_long_work_are_drawn_only_when_asked_for(
    progress: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    store, texts = InMemoryStore(), [f"User has bee hive {n}." for n in range(BATCH + 1)]
    with Memori(store, embedder=None) as memori:
        memori.scoped("alice").remember_many(texts, progress=progress)
        shown = capsys.readouterr()
        assert ("remember" in shown.err, shown.out) == (progress, "")
    with Memori(store, embedder=FakeEmbedder()) as memori:
        assert memori.reindex(progress=progress) == BATCH + 1
        shown = capsys.readouterr()
        assert ("reindex alice" in shown.err, shown.out) == (progress, "")

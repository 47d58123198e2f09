"""The demo on made-up facts of two people, in English and Chinese."""

from __future__ import annotations

import statistics
import time
from pathlib import Path

from memori_core.cli import _narration as show
from memori_core.memori import Memori, ScopedMemory
from memori_core.models import Fact, NewFact

ALICE = (
    NewFact("I'm allergic to peanuts.", pinned=True),
    NewFact("I live in Porto with my wife Inês."),
    NewFact("I work as a nurse at the children's hospital."),
    NewFact("My daughter Clara starts school in September."),
    NewFact("I play the cello in an amateur orchestra."),
    NewFact("The alarm code of the garage is K-4711."),
)
WANG = (
    NewFact("我对花生过敏。", pinned=True),
    NewFact("我住在杭州，在一家书店工作。"),
    NewFact("我的猫叫豆豆，今年三岁。"),
    NewFact("我每个周末都去西湖边跑步。"),
)


def tell(path: Path, *, embedder: str | None) -> None:
    """Run the demo on a new file.

    Args:
        path: The file; its folder is there.
        embedder: See `make_embedder`.
    """
    started = time.perf_counter()
    with Memori(path, embedder=embedder) as memori:
        alice, wang = _remember(memori)
        _recall(alice, wang)
        _recall_nothing(alice)
        _keep_apart(wang)
        _pinned(alice, wang)
        home = _update(alice)
    _reopen(path, embedder=embedder, home=home)
    show.heading(f"Done in {time.perf_counter() - started:.1f} s, offline")


def _remember(memori: Memori) -> tuple[ScopedMemory, ScopedMemory]:
    alice, wang = memori.scoped("alice"), memori.scoped("王芳")
    started = time.perf_counter()
    memori.warm_up()
    warm_s = time.perf_counter() - started
    started = time.perf_counter()
    for memory, facts in ((alice, ALICE), (wang, WANG)):
        memory.remember_many(facts)
    write_ms = (time.perf_counter() - started) * 1e3
    show.heading("1. Remember: one SQLite file, two people")
    for memory, facts in ((alice, ALICE), (wang, WANG)):
        for fact in facts:
            pin = "  [pinned]" if fact.pinned else ""
            show.line(f"{memory.scope.entity_id}: {fact.content}{pin}")
    name = memori.stats()["embedder"]
    show.dim(f"embedder {name} loaded in {warm_s:.1f} s; stored and embedded in {write_ms:.0f} ms")
    return alice, wang


def _recall(alice: ScopedMemory, wang: ScopedMemory) -> None:
    show.heading("2. Recall: by meaning and by words, each score with its parts")
    asked = [
        (alice, "What instrument do I play?"),
        (alice, "What is my job?"),
        (alice, "code K-4711"),
        (wang, "我的猫叫什么名字？"),
        (wang, "我在哪里工作？"),
    ]
    times: list[float] = []
    for memory, question in asked:
        found = memory.recall(question)
        times.append(found.timings_ms["total"] - found.timings_ms["embed"])
        show.answer(memory.scope.entity_id, found)
    show.dim(f"median {statistics.median(times):.1f} ms a recall, without embedding the question")


def _recall_nothing(alice: ScopedMemory) -> None:
    show.heading("3. Recall nothing, where nothing fits")
    for question in ("How tall is the Eiffel Tower?", "thanks!", "谢谢"):
        show.answer("alice", alice.recall(question))


def _keep_apart(wang: ScopedMemory) -> None:
    show.heading("4. Nobody sees the memory of another")
    show.answer("王芳", wang.recall("What is the alarm code of the garage?"))


def _pinned(alice: ScopedMemory, wang: ScopedMemory) -> None:
    show.heading("5. The context block: what must not be missed is pinned, in any language")
    for memory, question in ((alice, "suggest a recipe"), (wang, "帮我推荐个菜谱")):
        show.line(f"{memory.scope.entity_id}: {question}")
        show.block(memory.recall(question).context)


def _update(alice: ScopedMemory) -> Fact:
    show.heading("6. What changes keeps its history")
    home = next(fact for fact in alice.list() if "Porto" in fact.content)
    alice.update(home.id, text="I live in Lisbon since the move.")
    show.answer("alice", alice.recall("Where do I live?"))
    for before in alice.history(home.id):
        show.dim(f"until {before.replaced_at:%Y-%m-%d}: {before.content}")
    return home


def _reopen(path: Path, *, embedder: str | None, home: Fact) -> None:
    size = path.stat().st_size
    show.heading("7. Close, open again: everything is there")
    with Memori(path, embedder=embedder) as memori:
        alice = memori.scoped("alice")
        now = alice.get(home.id)
        assert now is not None
        counts = memori.stats()
        show.line(f"{counts['facts']} facts of {counts['entities']} people in {size // 1024} KiB")
        show.line(f"alice: {now.content}")

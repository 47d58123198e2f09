"""The demo on a made-up conversation of two people, in English and Chinese."""

from __future__ import annotations

import statistics
import time
from pathlib import Path

from memori_core.cli import _narration as show
from memori_core.cli._demo_hosts import hosts
from memori_core.cli._demo_model import Ask
from memori_core.memori import Memori, ScopedMemory

ALICE = (
    ("2026-01-05", "Hi! I'm Alice. I'm allergic to peanuts, and I live in Porto."),
    ("2026-01-05", "I work as a nurse, and I play the cello in an amateur orchestra."),
    ("2026-01-06", "Please remember that the alarm code of the garage is K-4711."),
)
WANG = (
    ("2026-01-07", "我对花生过敏，我的猫叫豆豆。"),
    ("2026-01-07", "我住在杭州，在一家书店工作。"),
)
MOVE = ("2026-03-10", "Good news: I moved from Porto to Ghent!")
SNACK = "Can you suggest a snack?"


def tell(path: Path, *, embedder: str | None, ask: Ask | None = None) -> None:
    """Run the demo on a new file.

    Args:
        path: The file; its folder is there.
        embedder: See `make_embedder`.
        ask: A real model that answers at the end; None leaves that out.
    """
    started = time.perf_counter()
    with Memori(path, embedder=embedder) as memori:
        _load(memori)
        _capture(memori)
    with Memori(path, embedder=embedder) as memori:
        alice, wang = memori.scoped("alice"), memori.scoped("王芳")
        _recall(path, alice, wang)
        _recall_nothing(alice)
        _keep_apart(wang)
        _change(memori, alice)
        _pinned(alice, wang)
        _frameworks(memori)
        if ask is not None:
            _ask(ask, alice)
    offline = "" if ask is not None else ", offline"
    show.heading(f"Done in {time.perf_counter() - started:.1f} s{offline}")


def _load(memori: Memori) -> None:
    started = time.perf_counter()
    memori.warm_up()
    name = memori.stats()["embedder"]
    show.dim(f"embedder {name} loaded in {time.perf_counter() - started:.1f} s")


def _capture(memori: Memori) -> None:
    show.heading("1. Capture: people talk, and facts are made of it in the background")
    times: list[float] = []
    for name, turns in (("alice", ALICE), ("王芳", WANG)):
        memory = memori.scoped(name)
        for day, text in turns:
            started = time.perf_counter()
            memory.capture(text, at=day)
            times.append((time.perf_counter() - started) * 1e3)
            show.line(f"{day} {name}: {text}")
    memori.flush()
    for name in ("alice", "王芳"):
        for fact in memori.scoped(name).list():
            show.dim(f"{name}: {fact.content}{'  [pinned]' if fact.pinned else ''}")
    show.dim(f"median {statistics.median(times):.1f} ms until a turn is on the disk")


def _recall(path: Path, alice: ScopedMemory, wang: ScopedMemory) -> None:
    kib = path.stat().st_size // 1024
    show.heading(
        f"2. Recall in another session, from one file of {kib} KiB: by meaning and by words"
    )
    asked = [
        (alice, "What instrument do I play?"),
        (alice, "What is my job?"),
        (alice, "code K-4711"),
        (wang, "我的猫叫什么名字？"),
        (wang, "我在哪里工作？"),
    ]
    times: list[float] = []
    for memory, question in asked:
        found = memory.recall(question, limit=2)
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


def _change(memori: Memori, alice: ScopedMemory) -> None:
    show.heading("5. What changes takes the place of what was, and that is kept")
    day, text = MOVE
    alice.capture(text, at=day)
    memori.flush()
    show.line(f"{day} alice: {text}")
    for question in ("Where do I live now?", "Where did I live in January?"):
        show.answer("alice", alice.recall(question, limit=1))
    for fact in alice.list():
        if fact.valid_until is not None:
            show.dim(f"until {fact.valid_until:%Y-%m-%d}: {fact.content}")


def _pinned(alice: ScopedMemory, wang: ScopedMemory) -> None:
    show.heading("6. The context block: what must not be missed is pinned, in any language")
    for memory, question in ((alice, SNACK), (wang, "帮我推荐个菜谱")):
        show.line(f"{memory.scope.entity_id}: {question}")
        show.block(memory.recall(question).context)


def _frameworks(memori: Memori) -> None:
    show.heading("7. The same memory from four frameworks, each with its own runner and fake model")
    question = "Where do I live?"
    for host in hosts():
        if host.answer is None:
            show.dim(f'{host.name} is not installed: pip install "memori-core[{host.extra}]"')
            continue
        show.line(f"{host.name}, alice: {question}")
        show.dim(host.answer(memori, "alice", question))
        show.dim(f"and bob is told: {host.answer(memori, 'bob', question)}")


def _ask(ask: Ask, alice: ScopedMemory) -> None:
    show.heading("8. A real model, with what is remembered beside its prompt")
    system = "Answer in one sentence.\n\n" + alice.recall(SNACK).context
    show.line(f"alice: {SNACK}")
    show.line(ask([{"role": "system", "content": system}, {"role": "user", "content": SNACK}]))

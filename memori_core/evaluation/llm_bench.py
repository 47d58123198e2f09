"""What memory adds to a call of a model: a registered OpenAI client beside one that is not."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, Literal

from memori_core._extras import load_extra
from memori_core.evaluation.metrics import percentile
from memori_core.evaluation.pools import made_up_pool
from memori_core.evaluation.timing import timed
from memori_core.memori import Memori
from memori_core.models import Scope

_ENTITY: Final = "bench"
_WARM_UP: Final = 20
_FLUSH_S: Final = 30.0


@dataclass(frozen=True, slots=True)
class LlmTimes:
    """Milliseconds at the median, of calls in turn with one client and the other."""

    calls: int
    facts: int
    injected: int
    """How many of the registered calls, plain and streamed, got a context block."""
    plain_p50_ms: float
    registered_p50_ms: float
    added_p50_ms: float
    plain_first_p50_ms: float
    """From the call of a stream to its first event."""
    registered_first_p50_ms: float
    added_first_p50_ms: float
    plain_begun_p50_ms: float
    """From the head of the response to the first event."""
    registered_begun_p50_ms: float
    added_begun_p50_ms: float
    recall_p50_ms: float
    """`recall` alone, of the same questions."""

    def to_json(self) -> dict[str, float]:
        """The same by name."""
        return asdict(self)


def bench_llm(
    base_url: str,
    *,
    calls: int = 300,
    facts: int = 1_000,
    extractor: Literal["rules"] | None = None,
    folder: Path | None = None,
) -> LlmTimes:
    """Measure it: chat completions, sync; SQLite, words only, the index warm, recall included.

    Turns are captured between the calls, where nobody waits for it. No question comes twice, so
    each is recalled.

    Args:
        base_url: Of a provider on this machine, for the OpenAI client.
        calls: How many calls of each kind.
        facts: How many facts the entity has.
        extractor: None keeps the turns only, and the index as it is. With the rules each turn
            becomes facts, so the next recall has them to add to the index.
        folder: On which disk; None for the temporary folder.

    Raises:
        MissingExtraError: openai is not installed.
    """
    sdk = load_extra("openai", feature="memori bench llm", package="openai", extra="providers")
    pool = made_up_pool(facts)
    with (
        tempfile.TemporaryDirectory(dir=folder) as name,
        Memori(Path(name) / "llm.db", embedder=None, extractor=extractor) as memori,
        sdk.OpenAI(api_key="none", base_url=base_url) as plain,
        sdk.OpenAI(api_key="none", base_url=base_url) as registered,
    ):
        memori.scoped(_ENTITY).remember_many(pool.texts)
        memori.llm.register(registered, scope=Scope(_ENTITY), on_error="raise")
        run = _Run(memori, plain=plain, registered=registered, queries=list(pool.queries))
        run.whole(_WARM_UP)
        run.streamed(_WARM_UP)
        before = memori.llm.stats().get("injected", 0)
        whole = run.whole(calls)
        first, begun = run.streamed(calls)
        injected = memori.llm.stats().get("injected", 0) - before
        bench = memori.scoped(_ENTITY)
        recalls = timed(lambda i: bench.recall(run.question(i)), range(calls))
    (plain_ms, registered_ms), firsts, begins = (_medians(pair) for pair in (whole, first, begun))
    return LlmTimes(
        calls,
        facts=facts,
        injected=injected,
        plain_p50_ms=plain_ms,
        registered_p50_ms=registered_ms,
        added_p50_ms=registered_ms - plain_ms,
        plain_first_p50_ms=firsts[0],
        registered_first_p50_ms=firsts[1],
        added_first_p50_ms=firsts[1] - firsts[0],
        plain_begun_p50_ms=begins[0],
        registered_begun_p50_ms=begins[1],
        added_begun_p50_ms=begins[1] - begins[0],
        recall_p50_ms=recalls.p50_ms,
    )


_Pair = tuple[list[float], list[float]]
"""Times of the plain client, and of the registered one."""


class _Run:
    """Calls in turn; which client is first changes from pair to pair."""

    def __init__(self, memori: Memori, *, plain: Any, registered: Any, queries: list[str]) -> None:
        self._memori = memori
        self._clients = (plain, registered)
        self._queries = queries
        self._asked = 0

    def whole(self, count: int) -> _Pair:
        pair: _Pair = ([], [])
        for which, ask in self._turns(count):
            began = time.perf_counter()
            self._clients[which].chat.completions.create(**ask)
            pair[which].append((time.perf_counter() - began) * 1e3)
        return pair

    def streamed(self, count: int) -> tuple[_Pair, _Pair]:
        first: _Pair = ([], [])
        begun: _Pair = ([], [])
        for which, ask in self._turns(count):
            began = time.perf_counter()
            stream = self._clients[which].chat.completions.create(**ask, stream=True)
            head = time.perf_counter()
            next(stream)
            came = time.perf_counter()
            first[which].append((came - began) * 1e3)
            begun[which].append((came - head) * 1e3)
            for _ in stream:
                pass
        return first, begun

    def question(self, number: int) -> str:
        return f"{self._queries[number % len(self._queries)]} ({number})"

    def _turns(self, count: int) -> Iterator[tuple[int, dict[str, Any]]]:
        for number in range(count):
            self._asked += 1
            messages = [{"role": "user", "content": self.question(self._asked)}]
            for which in (0, 1) if number % 2 else (1, 0):
                yield which, {"model": "any", "messages": messages}
                self._memori.flush(_FLUSH_S)


def _medians(pair: _Pair) -> tuple[float, float]:
    return percentile(pair[0], 50), percentile(pair[1], 50)

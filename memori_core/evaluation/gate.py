"""The relevance cut, measured: what recalls something, and what should not."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from typing import Any

from tqdm import tqdm

from memori_core.embedding import Embedder, EmbedderSpec, make_embedder
from memori_core.evaluation.datasets.relevance import EXPECTED, Group, ProbeStore
from memori_core.evaluation.storing import remember_all
from memori_core.evaluation.vectors import StoredVectors, name_of
from memori_core.evaluation.versions import versions
from memori_core.memori import Memori, ScopedMemory
from memori_core.retrieval.fusion import Fusion, make_fusion
from memori_core.retrieval.index_text import embedded_text
from memori_core.retrieval.person import first_person
from memori_core.stores import InMemoryStore

LIMIT = 5
"""What a recall answers by default."""


@dataclass(frozen=True, slots=True)
class Rate:
    """How often one group of lines was treated as it should be."""

    group: Group
    _: KW_ONLY
    asked: int
    right: int
    """How often something was recalled where it should be, or nothing where it should not."""
    answered: int = 0
    """For lines with an answer: how often that answer was among the facts recalled."""

    @property
    def name(self) -> str:
        """`kept` for lines that should recall something, `{group} rejected` for others."""
        return "kept" if EXPECTED[self.group] else f"{self.group} rejected"

    @property
    def percent(self) -> float:
        """`right` of `asked`, in per cent."""
        return 100 * self.right / self.asked if self.asked else 0.0


@dataclass(frozen=True, slots=True)
class GateEvaluation:
    """How well one way of recall tells what is asked about from what is not."""

    dataset: str
    _: KW_ONLY
    unit: str
    fusion: str
    embedder: str
    strictness: float
    stores: int
    facts: int
    rates: tuple[Rate, ...]
    seconds: float
    versions: Mapping[str, str] = field(default_factory=versions)

    def rate(self, group: Group) -> Rate:
        """The rate of one group.

        Raises:
            KeyError: No line of this group was asked.
        """
        for rate in self.rates:
            if rate.group == group:
                return rate
        raise KeyError(group)

    def to_json(self) -> dict[str, Any]:
        """The evaluation as JSON values."""
        return {
            "dataset": self.dataset,
            "unit": self.unit,
            "fusion": self.fusion,
            "embedder": self.embedder,
            "strictness": self.strictness,
            "stores": self.stores,
            "facts": self.facts,
            "rates": {rate.name: _rate_json(rate) for rate in self.rates},
            "seconds": round(self.seconds, 1),
            "versions": dict(self.versions),
        }


def evaluate_gate(
    stores: Sequence[ProbeStore],
    *,
    dataset: str,
    embedder: EmbedderSpec,
    unit: str = "facts",
    fusion: Fusion | str = "coverage",
    strictness: float = 1.0,
    cache: Path | None = None,
    progress: bool = False,
) -> GateEvaluation:
    """Ask every store its lines, and count which recall something.

    Args:
        stores: Facts, and the lines to ask.
        dataset: Its name, for the report.
        embedder: See `make_embedder`.
        unit: What one fact is, for the report.
        fusion: A policy or its name.
        strictness: Of the cut; 1 is the default.
        cache: Folder of the vector cache; None for `cache_folder()`.
        progress: Show progress bars on standard error.
    """
    policy = make_fusion(fusion)
    made = make_embedder(embedder) if policy.uses_vector else None
    vectors = None if made is None else StoredVectors(made, cache)
    if vectors is not None:
        with vectors:
            texts = [embedded_text(fact) for store in stores for fact in store.facts]
            vectors.embed_documents(texts, progress=progress)
            asked = [first_person(probe.text) for store in stores for probe in store.probes]
            vectors.embed_queries(asked, progress=progress)
    started = time.perf_counter()
    tallies: defaultdict[Group, _Tally] = defaultdict(_Tally)
    memori = Memori(InMemoryStore(), embedder=vectors, fusion=policy)
    with memori, tqdm(total=len(stores), desc="stores", disable=not progress) as bar:
        for store in stores:
            _ask(memori.scoped(store.id), store, vectors, tallies, strictness=strictness)
            bar.update()
    return GateEvaluation(
        dataset,
        unit=unit,
        fusion=policy.name,
        embedder=name_of(vectors),
        strictness=strictness,
        stores=len(stores),
        facts=sum(len(store.facts) for store in stores),
        rates=tuple(tallies[group].rate(group) for group in EXPECTED if group in tallies),
        seconds=time.perf_counter() - started,
    )


@dataclass(slots=True)
class _Tally:
    """Counts of one group while it is asked."""

    asked: int = 0
    recalled: int = 0
    answered: int = 0

    def rate(self, group: Group) -> Rate:
        right = self.recalled if EXPECTED[group] else self.asked - self.recalled
        return Rate(group, asked=self.asked, right=right, answered=self.answered)


def _ask(
    memory: ScopedMemory,
    store: ProbeStore,
    vectors: Embedder | None,
    tallies: defaultdict[Group, _Tally],
    *,
    strictness: float,
) -> None:
    ids = remember_all(memory, store.facts, vectors)
    for probe in store.probes:
        vector = None if vectors is None else vectors.embed_query(first_person(probe.text))
        found = memory.recall(probe.text, vector=vector, limit=LIMIT, strictness=strictness)
        gold = {ids[fact_id] for fact_id in probe.gold}
        tally = tallies[probe.group]
        tally.asked += 1
        tally.recalled += bool(found)
        tally.answered += any(fact.id in gold for fact in found)


def _rate_json(rate: Rate) -> dict[str, float]:
    answered = {"answered": rate.answered} if EXPECTED[rate.group] else {}
    return {
        "percent": round(rate.percent, 1),
        "right": rate.right,
        "asked": rate.asked,
        **answered,
    }

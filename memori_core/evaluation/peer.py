"""This package behind the protocol of the peer benchmark: JSON lines in, JSON lines out.

The peer greets with `{"peer": NAME, "version": VERSION}`, then answers each request with a line:

| request | answer |
|---|---|
| `{"op": "load", "user": ID, "facts": FILE, "vectors": FILE}` | `{"ok": true, "load_s": S}` |
| `{"op": "search", "query": TEXT, "vector": [...], "k": K}` | `{"ids": [...], "wall_ms": W, …}` |
| `{"op": "close"}` | `{"ok": true, "max_rss_mb": M}`, then it ends |

`facts` holds lines `{"id": ID, "text": TEXT}`, `vectors` is a .npy matrix with a row for each.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from memori_core._version import __version__
from memori_core.errors import ConfigError, MemoriError
from memori_core.evaluation.given import GivenVectors
from memori_core.evaluation.timing import max_rss_mb
from memori_core.memori import Memori
from memori_core.models import NewFact
from memori_core.retrieval.fusion import make_fusion

_MALFORMED = (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError)
"""What a request that is no object, or lacks something, makes our code raise."""


class Peer:
    """Answers one request after another. A `load` replaces the store of the one before.

    Args:
        folder: Where the SQLite files go.
        fusion: Name of the policy.
        embedder: Name of the model that made the vectors.
    """

    def __init__(self, folder: Path, *, fusion: str, embedder: str) -> None:
        make_fusion(fusion)  # a wrong name stops here
        self._folder = folder
        self._fusion = fusion
        self._embedder = embedder
        self._loads = 0
        self._memori: Memori | None = None
        self._user = ""

    def answer(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """The answer to one request.

        Raises:
            MemoriError: The request cannot be done.
        """
        match request.get("op"):
            case "load":
                return self._load(request)
            case "search":
                return self._search(request)
            case "close":
                self.close()
                return {"ok": True, "max_rss_mb": round(max_rss_mb(), 1)}
            case other:
                raise ConfigError(f"`op` must be load, search or close, got {other!r}.")

    def close(self) -> None:
        """Release the store."""
        if self._memori is not None:
            self._memori.close()
            self._memori = None

    def _load(self, request: Mapping[str, Any]) -> dict[str, Any]:
        self.close()
        started = time.perf_counter()
        with Path(request["facts"]).open(encoding="utf-8") as lines:
            facts = [json.loads(line) for line in lines]
        vectors = np.load(request["vectors"], allow_pickle=False)
        self._loads += 1
        self._user = str(request["user"])
        self._memori = Memori(
            self._folder / f"{self._loads}.db",
            embedder=GivenVectors(self._embedder, dim=vectors.shape[1]),
            fusion=self._fusion,
        )
        memory = self._memori.scoped(self._user)
        kept = memory.remember_many(
            [NewFact(fact["text"], id=fact["id"]) for fact in facts], vectors=vectors
        )
        memory.recall("warm up", vector=vectors[0], limit=1)
        return {"ok": True, "load_s": round(time.perf_counter() - started, 3), "facts": len(kept)}

    def _search(self, request: Mapping[str, Any]) -> dict[str, Any]:
        if self._memori is None:
            raise ConfigError("nothing was loaded before `search`.")
        memory = self._memori.scoped(self._user)
        vector = np.asarray(request["vector"], np.float32)
        cpu, wall = time.process_time(), time.perf_counter()
        found = memory.recall(request["query"], vector=vector, limit=request["k"], strictness=0)
        wall_ms, cpu_ms = (time.perf_counter() - wall) * 1e3, (time.process_time() - cpu) * 1e3
        return {"ids": [fact.id for fact in found], "wall_ms": wall_ms, "cpu_ms": cpu_ms}


def serve(
    lines: Iterable[str], *, fusion: str = "coverage", embedder: str = "all-MiniLM-L6-v2"
) -> Iterator[str]:
    """Answer lines of requests with lines of answers, the greeting first, until `close`.

    A request that fails is answered with `{"error": TEXT}`.
    """
    yield json.dumps({"peer": "memori-core", "version": __version__})
    with tempfile.TemporaryDirectory() as folder:
        peer = Peer(Path(folder), fusion=fusion, embedder=embedder)
        try:
            for line in lines:
                try:
                    request = json.loads(line)
                    answer = peer.answer(request)
                except (MemoriError, OSError, *_MALFORMED) as e:
                    yield json.dumps({"error": f"{type(e).__name__}: {e}"})
                    continue
                yield json.dumps(answer)
                if request["op"] == "close":
                    return
        finally:
            peer.close()

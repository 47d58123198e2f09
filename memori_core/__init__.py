"""Long-term memory for agents: exact, isolated, durable, explainable, and offline by default."""

from memori_core._version import __version__
from memori_core.embedding import Embedder, EmbedderProfile, make_embedder
from memori_core.errors import MemoriError
from memori_core.memori import Memori, ScopedMemory
from memori_core.models import Fact, NewFact, Scope
from memori_core.rendering import context_block
from memori_core.results import Recall, RecalledFact
from memori_core.retrieval.fusion import Fusion
from memori_core.retrieval.hybrid import HybridRetriever
from memori_core.retrieval.reranking import rank
from memori_core.stores import InMemoryStore, SQLiteStore, Store

__all__ = [
    "Embedder",
    "EmbedderProfile",
    "Fact",
    "Fusion",
    "HybridRetriever",
    "InMemoryStore",
    "MemoriError",
    "Memori",
    "NewFact",
    "Recall",
    "RecalledFact",
    "SQLiteStore",
    "Scope",
    "ScopedMemory",
    "Store",
    "__version__",
    "context_block",
    "make_embedder",
    "rank",
]

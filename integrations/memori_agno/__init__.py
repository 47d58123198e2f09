"""memori-core for Agno: agent memory that answers to the question.

`MemoriMemory(memori).agent_kwargs()` gives an agent (and `team_kwargs()` a team) recall by what the
user says now, and capture of every finished run. The parts can be used alone, see `__all__`.

It works with Agno 3.1 or newer, below 4.
"""

from __future__ import annotations

from memori_agno._compat import FRAMEWORK_VERSION
from memori_agno.async_memory_db import AsyncMemoriMemories
from memori_agno.capture_hook import MemoriCaptureHook
from memori_agno.embedder import from_embedder
from memori_agno.extractor import AgnoModelExtractor
from memori_agno.knowledge_retriever import MemoriKnowledgeRetriever
from memori_agno.learning_store import MemoriLearningStore
from memori_agno.memory import MemoriMemory
from memori_agno.memory_db import MemoriMemories, MemoriMemoryDb
from memori_agno.memory_manager import MemoriMemoryManager
from memori_agno.query_hook import MemoriQueryHook
from memori_agno.tools import MemoriTools
from memori_core import __version__

__all__ = [
    "MemoriMemory",
    "MemoriLearningStore",
    "MemoriCaptureHook",
    "MemoriQueryHook",
    "MemoriMemoryManager",
    "MemoriTools",
    "MemoriKnowledgeRetriever",
    "MemoriMemoryDb",
    "MemoriMemories",
    "AsyncMemoriMemories",
    "AgnoModelExtractor",
    "from_embedder",
    "FRAMEWORK_VERSION",
    "__version__",
]

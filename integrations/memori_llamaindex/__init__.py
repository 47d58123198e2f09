"""Long-term memory for LlamaIndex: memory, memory block, retriever, tools.

| name | what it is |
|---|---|
| `MemoriMemory` | `memory=` of agents and chat engines: recalls, captures, keeps the history |
| `MemoriMemoryBlock` | a block of LlamaIndex's own `Memory` |
| `MemoriRetriever` | recalled facts as nodes |
| `MemoriToolSpec` | tools: recall, remember, forget |
| `MemoriEventHandler` | captures by instrumentation, without `memory=` |
| `from_embed_model` | a memory's embedder made of a `BaseEmbedding` |
| `LlamaIndexExtractor` | a memory's extractor made of an `LLM` |
| `attach` | lets a serialised `Context` find its memory in another process |
"""

from __future__ import annotations

from memori_core import __version__
from memori_llamaindex._compat import FRAMEWORK_VERSION
from memori_llamaindex._live import attach
from memori_llamaindex.block import MemoriMemoryBlock
from memori_llamaindex.embedding import from_embed_model
from memori_llamaindex.extractor import LlamaIndexExtractor
from memori_llamaindex.instrumentation import MemoriEventHandler
from memori_llamaindex.memory import MemoriMemory
from memori_llamaindex.retriever import MemoriRetriever
from memori_llamaindex.tools import MemoriToolSpec

__all__ = [
    "FRAMEWORK_VERSION",
    "LlamaIndexExtractor",
    "MemoriEventHandler",
    "MemoriMemory",
    "MemoriMemoryBlock",
    "MemoriRetriever",
    "MemoriToolSpec",
    "__version__",
    "attach",
    "from_embed_model",
]

"""memori-core for LangChain and LangGraph: long-term memory through their own hooks.

| name | what it is |
|---|---|
| `MemoriMiddleware` | recall and capture for `create_agent`: the one most people want |
| `MemoriRetriever` | a retriever over what is remembered, for chains |
| `MemoriCallbackHandler` | capture for any chat model or chain |
| `MemoriStore` | a LangGraph store with hybrid search |
| `create_recall_tool`, `create_remember_tool`, `create_forget_tool` | tools for the model |
| `format_memories` | documents of `MemoriRetriever` as text for a prompt |
| `MemoriChatMessageHistory`, `MemoriMemory` | for programs that are still on histories and chains |
| `from_embeddings`, `ChatModelExtractor` | LangChain's models at work inside memori-core |

Importing this package loads none of LangChain's packages; each name loads what it needs. It
checks that a release is installed that it works with, and says which pip line brings one if not.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from memori_core import __version__
from memori_langchain._compat import FRAMEWORK_VERSION, require_for

if TYPE_CHECKING:
    from memori_langchain.callbacks import MemoriCallbackHandler
    from memori_langchain.chat_history import MemoriChatMessageHistory
    from memori_langchain.classic import MemoriMemory
    from memori_langchain.documents import format_memories
    from memori_langchain.embeddings import from_embeddings
    from memori_langchain.extractor import ChatModelExtractor
    from memori_langchain.middleware import MemoriMiddleware
    from memori_langchain.retriever import MemoriRetriever
    from memori_langchain.store import MemoriStore
    from memori_langchain.tools import (
        create_forget_tool,
        create_recall_tool,
        create_remember_tool,
    )

__all__ = [
    "FRAMEWORK_VERSION",
    "ChatModelExtractor",
    "MemoriCallbackHandler",
    "MemoriChatMessageHistory",
    "MemoriMemory",
    "MemoriMiddleware",
    "MemoriRetriever",
    "MemoriStore",
    "__version__",
    "create_forget_tool",
    "create_recall_tool",
    "create_remember_tool",
    "format_memories",
    "from_embeddings",
]

_MODULES = {
    "ChatModelExtractor": "extractor",
    "MemoriCallbackHandler": "callbacks",
    "MemoriChatMessageHistory": "chat_history",
    "MemoriMemory": "classic",
    "MemoriMiddleware": "middleware",
    "MemoriRetriever": "retriever",
    "MemoriStore": "store",
    "create_forget_tool": "tools",
    "create_recall_tool": "tools",
    "create_remember_tool": "tools",
    "format_memories": "documents",
    "from_embeddings": "embeddings",
}


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    require_for(_MODULES[name], name=name)
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)

"""What cannot be serialised, found again by its name: memories and chat stores."""

from __future__ import annotations

import hashlib
from collections.abc import MutableMapping
from pathlib import Path
from uuid import uuid4
from weakref import WeakKeyDictionary, WeakValueDictionary

from memori_core import Memori
from memori_llamaindex._history import ChatStore

_memories: WeakValueDictionary[str, Memori] = WeakValueDictionary()
_names: WeakKeyDictionary[Memori, str] = WeakKeyDictionary()
_stores: WeakKeyDictionary[Memori, MutableMapping[str, ChatStore]] = WeakKeyDictionary()


def attach(memori: Memori, *, chat_store: ChatStore | None = None) -> None:
    """Let what was serialised find its memory again, in a process that has not used it yet.

    A `Context` holds ids only. Where a memory is made with `MemoriMemory.from_defaults`, this is
    done already. A memory in a SQLite file is known by the file; any other is known in its own
    process only.

    ```python
    from memori_core import Memori
    from memori_llamaindex import attach

    memori = Memori("memories.db", embedder=None)
    attach(memori)  # then: Context.from_dict(agent, saved)
    ```

    Args:
        memori: The memory.
        chat_store: The chat store that the sessions were kept in, if one was given. With several
            of one class, attach them in the order in which they were first used.
    """
    name_of(memori)
    if chat_store is not None:
        store_name(memori, chat_store)


def name_of(memori: Memori) -> str:
    """The name under which a memory is found again; from now on, it is."""
    name = _names.get(memori)
    if name is None:
        path = str(memori.retriever.store.stats().get("path") or "")
        if path in ("", ":memory:"):
            name = f"memori-{uuid4().hex}"
        else:
            whole = str(Path(path).absolute())
            name = (
                "file-"
                + hashlib.blake2b(whole.encode("utf-8", "replace"), digest_size=16).hexdigest()
            )
        _names[memori] = name
    _memories[name] = memori
    return name


def memory_named(name: str) -> Memori | None:
    """The memory with this name; None where it is not open in this process."""
    return _memories.get(name)


def store_name(memori: Memori, store: ChatStore) -> str:
    """The name of a chat store among those of a memory. It lives as long as the memory."""
    known = _stores.setdefault(memori, {})
    for name, other in known.items():
        if other is store:
            return name
    kind = type(store).__name__
    name = f"{kind}-{sum(other.startswith(f'{kind}-') for other in known) + 1}"
    known[name] = store
    return name


def store_named(memori: Memori, name: str) -> ChatStore | None:
    """The chat store with this name; None where it is not attached."""
    return _stores.get(memori, {}).get(name)

"""Recalled facts as nodes, for query engines, chat engines, fusion and tools."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from llama_index.core.callbacks import CallbackManager
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from memori_core import Memori, Recall, RecalledFact
from memori_core.errors import ConfigError
from memori_core.hooks import Hooks, OnError, Where
from memori_llamaindex._identity import Identity

_SHOWN = ("stated_at", "true_until")
"""What a model is shown of the metadata."""


class MemoriRetriever(BaseRetriever):
    """Finds what is known of a user.

    ```python
    from memori_core import InMemoryStore, Memori
    from memori_llamaindex import MemoriRetriever

    memori = Memori(InMemoryStore(), embedder=None)
    memori.scoped("alice").remember("User lives in Porto.", said_at="2026-05-01")
    nodes = MemoriRetriever(memori, entity_id="alice").retrieve("Where in Porto do I live?")
    print(nodes[0].get_content(), nodes[0].metadata["stated_at"])
    #> User lives in Porto. 2026-05-01
    ```

    One retriever may serve many users at once: without `entity_id` it asks for the one that
    `memori.attribution(...)` names. A memory that fails finds nothing, and says so in the log.

    Args:
        memori: Where facts are kept.
        entity_id: Whose memory; None for the one that is named when it is called.
        process_id: The agent or program that remembers.
        similarity_top_k: At most so many facts.
        strictness: Scales the cut below which nothing is found; 0 switches it off.
        where: Metadata the facts must have.
        on_error: What to do with a failure of memory: `"log"` or `"raise"`.
        callback_manager: As for every retriever.
        verbose: As for every retriever.

    Raises:
        ConfigError: An argument cannot be right.
        ScopeError: An id is blank or no text.
    """

    def __init__(
        self,
        memori: Memori,
        *,
        entity_id: str | None = None,
        process_id: str | None = None,
        similarity_top_k: int = 5,
        strictness: float = 1.0,
        where: Where | None = None,
        on_error: OnError = "log",
        callback_manager: CallbackManager | None = None,
        verbose: bool = False,
    ) -> None:
        if similarity_top_k < 0:
            raise ConfigError(f"`similarity_top_k` must be 0 or more, got {similarity_top_k!r}.")
        super().__init__(callback_manager=callback_manager, verbose=verbose)  # pyright: ignore[reportUnknownMemberType] (its `object_map` is a bare Dict)
        self._hooks = Hooks(memori, on_error=on_error)
        self._identity = Identity(self._hooks, entity_id, process_id)
        self._options: Mapping[str, Any] = self._hooks.options(
            limit=similarity_top_k, strictness=strictness, where=where
        )

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        scope = self._identity.scope()
        if scope is None:
            return []
        return nodes_of(self._hooks.recall(query_bundle.query_str, scope=scope, **self._options))

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        scope = self._identity.scope()
        if scope is None:
            return []
        found = await self._hooks.arecall(query_bundle.query_str, scope=scope, **self._options)
        return nodes_of(found)


def nodes_of(found: Recall | Sequence[RecalledFact]) -> list[NodeWithScore]:
    """Recalled facts as nodes. A fact gives the same node whatever the question was."""
    return [NodeWithScore(node=_node(item), score=item.score) for item in found]


def _node(item: RecalledFact) -> TextNode:
    fact = item.fact
    known: dict[str, Any] = {
        # The id sets facts of the same words apart where nodes are told apart by their hash.
        "fact_id": fact.id,
        "stated_at": f"{fact.said_at:%Y-%m-%d}",
        "true_until": f"{fact.valid_until:%Y-%m-%d}" if fact.valid_until else None,
        "kind": fact.kind,
        "speaker": fact.speaker,
        "session_id": fact.session_id,
        "process_id": fact.process_id,
    }
    ours = {name: value for name, value in known.items() if value is not None}
    metadata = {**fact.metadata, **ours}
    return TextNode(
        id_=fact.id,
        text=fact.content,
        metadata=metadata,
        excluded_embed_metadata_keys=list(metadata),
        excluded_llm_metadata_keys=[name for name in metadata if name not in _SHOWN],
    )

"""What is remembered, as a retriever for chains."""

from __future__ import annotations

from typing import Any

from langchain_core.callbacks import (
    AsyncCallbackManagerForRetrieverRun,
    CallbackManagerForRetrieverRun,
)
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict, Field

from memori_core import Memori, Recall, Scope
from memori_core.errors import ScopeError
from memori_langchain.documents import document_of

CANDIDATES_PER_FACT = 10
"""How many candidates the core looks at for each fact that it is asked for."""


class MemoriRetriever(BaseRetriever):
    """Finds what is remembered about one entity, by meaning and by words.

    ```python
    from memori_core import InMemoryStore, Memori
    from memori_langchain import MemoriRetriever

    memori = Memori(InMemoryStore(), embedder=None)
    memori.scoped("alice").remember("User likes green tea.")
    retriever = MemoriRetriever(memori=memori, entity_id="alice")
    print([document.page_content for document in retriever.invoke("Which tea?")])
    #> ['User likes green tea.']
    print(retriever.invoke("Which tea?", entity_id="bob"))
    #> []
    ```

    A user for each request: `retriever.invoke(question, entity_id=...)`, or in a chain
    `retriever.configurable_fields(entity_id=ConfigurableField(id="entity_id"))`.

    Raises:
        ScopeError: (when asked) Nobody is named whose memory to search.
    """

    model_config = ConfigDict(extra="forbid", arbitrary_types_allowed=True)

    memori: Memori = Field(exclude=True, repr=False)
    """The memory."""
    entity_id: str | None = None
    """Whose; None for `memori.attribution(...)`, or the scope that the `Memori` was made with."""
    k: int = Field(default=5, ge=0)
    """How many documents at most."""
    candidate_limit: int | None = Field(default=None, ge=1)
    """At least so many facts of each signal compete; None for ten times `k`, and at least 50."""
    strictness: float = Field(default=1.0, ge=0)
    """Scales the cut below which nothing is recalled; 0 switches it off."""
    where: dict[str, Any] | None = None
    """Metadata that the facts must have: name to value, or to a list of allowed values."""

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,
        k: int | None = None,
        entity_id: str | None = None,
    ) -> list[Document]:
        scope, k = self._scope(entity_id), self.k if k is None else k
        memory = self.memori.scoped(scope.entity_id)
        return _documents(memory.recall(query, **self._options(k)), scope, k)

    async def _aget_relevant_documents(
        self,
        query: str,
        *,
        run_manager: AsyncCallbackManagerForRetrieverRun,
        k: int | None = None,
        entity_id: str | None = None,
    ) -> list[Document]:
        scope, k = self._scope(entity_id), self.k if k is None else k
        memory = self.memori.scoped(scope.entity_id)
        return _documents(await memory.arecall(query, **self._options(k)), scope, k)

    def _scope(self, entity_id: str | None) -> Scope:
        named = self.entity_id if entity_id is None else entity_id
        if named is not None:
            return Scope(named)
        if (scope := self.memori.scope) is None:
            raise ScopeError(
                "MemoriRetriever: nobody is named whose memory to search. Give `entity_id` to the "
                "retriever or to `invoke`."
            )
        return scope

    def _options(self, k: int) -> dict[str, Any]:
        pool = -(-(self.candidate_limit or 0) // CANDIDATES_PER_FACT)
        limit = max(k, pool) if k > 0 else k
        return {"limit": limit, "strictness": self.strictness, "where": self.where}


def _documents(found: Recall, scope: Scope, k: int) -> list[Document]:
    return [document_of(fact, scope) for fact in found[:k]]

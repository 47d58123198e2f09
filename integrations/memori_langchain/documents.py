"""Remembered facts as LangChain documents, and back to text for a prompt."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from langchain_core.documents import Document

from memori_core import Fact, RecalledFact, Scope, context_block

_UNDATED = datetime(1, 1, 1, tzinfo=UTC)
_NO_DATE = f". Stated at {_UNDATED:%Y-%m-%d}"


def document_of(found: RecalledFact, scope: Scope) -> Document:
    """A recalled fact as a document.

    Its metadata is that of the fact, with our own fields beside it; where both have a name, ours
    counts.
    """
    fact = found.fact
    ours: dict[str, Any] = {
        "id": fact.id,  # for EnsembleRetriever(id_key="id"), which asks the metadata
        "score": found.score,
        "relevance": found.relevance,
        "dense_score": found.dense_score,
        "lexical_score": found.lexical_score,
        "entity_id": scope.entity_id,
        "process_id": fact.process_id,
        "session_id": fact.session_id,
        "kind": fact.kind,
        "speaker": fact.speaker,
        "said_at": fact.said_at.isoformat(),
    }
    return Document(page_content=fact.content, id=fact.id, metadata={**fact.metadata, **ours})


def format_memories(documents: Sequence[Document]) -> str:
    """Documents as the context block that a prompt shows; empty without any.

    ```python
    from langchain_core.documents import Document
    from memori_langchain import format_memories

    tea = Document("User likes tea.", metadata={"said_at": "2026-05-01T12:00:00+00:00"})
    print(format_memories([tea]).splitlines()[2])
    #> - User likes tea. Stated at 2026-05-01
    ```

    Args:
        documents: What `MemoriRetriever` gave. Documents of other retrievers may be among them;
            they stand there without a date.
    """
    facts = [_fact_of(document) for document in documents]
    return context_block([fact for fact in facts if fact is not None]).replace(_NO_DATE, "")


def _fact_of(document: Document) -> Fact | None:
    if not document.page_content.strip():
        return None
    given: dict[str, Any] = document.metadata
    day = _day(given.get("said_at"))
    return Fact(
        document.page_content,
        id=document.id or "",
        said_at=day,
        learnt_at=day,
        last_said_at=day,
        kind="message" if given.get("kind") == "message" else "fact",
        speaker=given.get("speaker"),
    )


def _day(said_at: object) -> datetime:
    try:
        return datetime.fromisoformat(str(said_at))
    except ValueError:
        return _UNDATED

"""Whose memory a run of LangChain is about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast
from uuid import UUID

from langchain_core.runnables.config import ensure_config

from memori_core import Memori, Scope
from memori_core.errors import ScopeError


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Where to look for the entity and the session of a run.

    The first place that names the entity wins: `entity_id`, the run's context, `configurable`,
    `metadata`, and last `memori.attribution(...)`, or the scope that the `Memori` was made with.
    """

    memori: Memori
    entity_id: str | None = None
    entity_key: str = "user_id"
    session_key: str = "thread_id"
    process_id: str | None = None

    def __post_init__(self) -> None:
        if self.entity_id is not None:
            Scope(self.entity_id, process_id=self.process_id)  # refuses what is no id

    def scope(
        self, *, context: object = None, metadata: Mapping[str, Any] | None = None
    ) -> Scope | None:
        """The scope of the run that goes on here, or None if nobody is named.

        Args:
            context: The run's context: a mapping, or an object with attributes.
            metadata: The run's metadata, where the caller was given it.

        Raises:
            ScopeError: What is named is no id.
        """
        config = ensure_config()
        places = (
            context,
            config.get("configurable"),
            metadata,
            config.get("metadata"),
        )
        entity_id = self.entity_id or _first(self.entity_key, places)
        session_id = _first(self.session_key, places)
        if entity_id is None:
            attributed = self.memori.scope
            if attributed is None:
                return None
            return Scope(
                attributed.entity_id,
                process_id=self.process_id or attributed.process_id,
                session_id=session_id or attributed.session_id,
            )
        return Scope(entity_id, process_id=self.process_id, session_id=session_id)

    def missing(self) -> str:
        """What to tell when nobody is named."""
        key = self.entity_key
        return (
            f"nobody is named whose memory to use. Name them for the run: "
            f"context={{{key!r}: ...}} or config={{'configurable': {{{key!r}: ...}}}}; or for all "
            f"runs: entity_id=..."
        )


def run_context() -> object:
    """The context of the LangGraph run that goes on here, or None."""
    from langgraph.runtime import get_runtime

    try:
        return cast("Any", get_runtime()).context
    except (RuntimeError, KeyError, AttributeError):  # outside a graph
        return None


def _first(key: str, places: tuple[object, ...]) -> str | None:
    for place in places:
        if isinstance(place, Mapping):
            value = cast("Mapping[str, object]", place).get(key)
        else:
            value = getattr(place, key, None)
        if value is not None:
            return _id(key, value)
    return None


def _id(key: str, value: object) -> str:
    if isinstance(value, int | UUID) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str) or not value.strip():
        raise ScopeError(f"{key!r} of this run must be an id, got {value!r}.")
    return value

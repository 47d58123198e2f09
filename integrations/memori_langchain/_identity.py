"""Whose memory a run of LangChain is about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from langchain_core.runnables.config import ensure_config

from memori_core import Memori, Scope
from memori_core.errors import ScopeError
from memori_core.hooks import Hooks, named_id

_ABSENT = object()


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Where to look for the entity and the session of a run.

    The first place that names the entity wins: `entity_id`, the run's context, `configurable`,
    `metadata`, and last `memori.attribution(...)`, or the scope that the `Memori` was made with.
    That last place is not asked where the run itself says that there is nobody (None, or blank
    text): an anonymous request must not end up in the memory of somebody else.
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
            anonymous = any(_given(self.entity_key, place) is not _ABSENT for place in places)
            attributed = None if anonymous else self.memori.scope
            if attributed is None:
                return None
            return Scope(
                attributed.entity_id,
                process_id=self.process_id or attributed.process_id,
                session_id=session_id or attributed.session_id,
            )
        return Scope(entity_id, process_id=self.process_id, session_id=session_id)

    def scope_or_none(
        self,
        hooks: Hooks,
        who: str,
        *,
        context: object = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> Scope | None:
        """`scope` for what must not end a run: None, with one warning, also where it raises."""
        try:
            scope = self.scope(context=context, metadata=metadata)
        except ScopeError as e:
            hooks.failed("identity", e)
            return None
        if scope is None:
            hooks.warn_once("no_scope", "%s: %s", who, self.missing())
        return scope

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
    named = (named_id(key, value) for p in places if (value := _given(key, p)) is not _ABSENT)
    return next((id for id in named if id is not None), None)


def _given(key: str, place: object) -> object:
    if isinstance(place, Mapping):
        return cast("Mapping[str, object]", place).get(key, _ABSENT)
    return getattr(place, key, _ABSENT)

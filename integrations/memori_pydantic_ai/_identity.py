"""Whose memory a run is about."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, cast
from uuid import UUID

from pydantic_ai import RunContext

from memori_core import Memori, Scope
from memori_core.hooks import named_id

Resolver: TypeAlias = str | Callable[[RunContext[Any]], "str | int | UUID | None"] | None
"""An id, or a function that reads it off the run's context, or None for the default."""

_ABSENT = object()


def scope_of(
    ctx: RunContext[Any],
    memori: Memori,
    *,
    user_id: Resolver,
    agent_id: Resolver = None,
    session_id: Resolver = None,
) -> Scope | None:
    """The scope of a run, or None where nobody is named.

    The first place that speaks of a user decides, also if it says that there is none: an anonymous
    request must not end up in the memory of somebody else.

    Raises:
        ScopeError: What is named is no id.
    """
    process = _resolved(agent_id, ctx) if agent_id is not None else _agent_name(ctx)
    session = _resolved(session_id, ctx) if session_id is not None else ctx.conversation_id
    user = _user(ctx, user_id)
    if user is _ABSENT:
        named = memori.scope
        if named is None:
            return None
        return Scope(
            named.entity_id,
            process_id=named.process_id or named_id("agent_id", process),
            session_id=named.session_id or named_id("session_id", session),
        )
    entity = named_id("user_id", user)
    if entity is None:
        return None
    return Scope(
        entity, process_id=named_id("agent_id", process), session_id=named_id("session_id", session)
    )


def _user(ctx: RunContext[Any], user_id: Resolver) -> object:
    if user_id is not None:
        return _resolved(user_id, ctx)
    for place in (ctx.deps, ctx.metadata):
        if isinstance(place, Mapping):
            named = cast("Mapping[str, object]", place).get("user_id", _ABSENT)
        else:
            named = getattr(place, "user_id", _ABSENT)
        if named is not _ABSENT:
            return named
    return _ABSENT


def _resolved(resolver: Resolver, ctx: RunContext[Any]) -> object:
    return resolver(ctx) if callable(resolver) else resolver


def _agent_name(ctx: RunContext[Any]) -> str | None:
    return ctx.agent.name if ctx.agent is not None else None

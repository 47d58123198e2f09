"""Whose memory is meant, for what many users share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from memori_core import Scope
from memori_core.errors import ScopeError
from memori_core.hooks import Hooks, named_id


@dataclass(frozen=True, slots=True)
class Identity:
    """Whose memory is meant: the user named at construction, else the one of the current context.

    Args:
        hooks: The memory.
        entity_id: The user; None for `memori.attribution(...)`, else the fallback of the `Memori`.
        process_id: The agent or program.

    Raises:
        ScopeError: An id is blank or no text.
    """

    hooks: Hooks
    entity_id: str | None
    process_id: str | None

    def __post_init__(self) -> None:
        if self.entity_id is not None or self.process_id is not None:
            Scope("-" if self.entity_id is None else self.entity_id, process_id=self.process_id)

    def scope(self, called: Mapping[str, Any] | None = None) -> Scope | None:
        """The scope here and now; None, with one warning, where nobody is named.

        Args:
            called: What the call itself names: `session_id`, and `entity_id` where construction
                named none. An `entity_id` of None or blank text is a call of nobody: it must not
                end up in the memory of somebody else.
        """
        try:
            scope = self._scope(called or {})
        except ScopeError as e:
            self.hooks.failed("identity", e)
            return None
        if scope is None:
            self.hooks.warn_once(
                "no_scope",
                "nobody is named whose memory to use, so nothing is recalled or captured. Give "
                "entity_id=..., or call memori.attribution(entity_id=...) before the run",
            )
        return scope

    def _scope(self, called: Mapping[str, Any]) -> Scope | None:
        if self.entity_id is None and "entity_id" not in called:
            scope = self.hooks.memori.scope
        else:
            named = self.entity_id or named_id("entity_id", called["entity_id"])
            scope = None if named is None else Scope(named)
        return scope and replace(
            scope,
            process_id=self.process_id or scope.process_id,
            session_id=named_id("session_id", called.get("session_id")) or scope.session_id,
        )

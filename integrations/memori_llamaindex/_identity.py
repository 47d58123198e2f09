"""Whose memory is meant, for what many users share."""

from __future__ import annotations

from dataclasses import dataclass, replace

from memori_core import Scope
from memori_core.hooks import Hooks


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

    def scope(self, *, entity_id: str | None = None, session_id: str | None = None) -> Scope | None:
        """The scope here and now; None, with one warning, where nobody is named.

        Args:
            entity_id: The user where the call itself names one and construction did not.
            session_id: The conversation, where the call names one.
        """
        named = self.entity_id or entity_id
        scope = self.hooks.memori.scope if named is None else Scope(named)
        if scope is None:
            self.hooks.warn_once(
                "no_scope",
                "nobody is named whose memory to use, so nothing is recalled or captured. Give "
                "entity_id=..., or call memori.attribution(entity_id=...) before the run",
            )
            return None
        return replace(
            scope,
            process_id=self.process_id or scope.process_id,
            session_id=session_id or scope.session_id,
        )

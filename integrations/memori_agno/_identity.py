"""Whose memory a run is about: the user of the run, and nobody else."""

from __future__ import annotations

from memori_core import Scope
from memori_core.errors import ScopeError
from memori_core.hooks import Hooks, named_id

NOBODY = "default"
"""What Agno calls every user without an id. All of them would share one memory."""


def is_nobody(user_id: object) -> bool:
    """Whether an id names no user."""
    return user_id is None or (isinstance(user_id, str) and user_id.strip() in ("", NOBODY))


def scope_of(
    hooks: Hooks,
    user_id: object,
    *,
    process_id: str | None = None,
    session_id: object = None,
) -> Scope | None:
    """The scope of a user; None, with one warning, where there is no user id."""
    if is_nobody(user_id):
        hooks.warn_once(
            "no_scope",
            "an agent ran without a user id: it recalls nothing and nothing is stored. Say whose "
            'run it is: agent.run(..., user_id="alice"). Further times are counted, see '
            "memori.stats()",
        )
        return None
    try:
        return Scope(
            named_id("user_id", user_id) or "",
            process_id=process_id or None,
            session_id=named_id("session_id", session_id),
        )
    except ScopeError as e:
        hooks.failed("identity", e)
        return None

"""Whose memory is meant in a context, for as long as a block lasts."""

from __future__ import annotations

from collections.abc import Callable

from memori_core.models import Scope


class Attribution:
    """The scope of the current context. In a `with` block it ends with the block."""

    def __init__(self, scope: Scope, *, end: Callable[[], None]) -> None:
        self.scope = scope
        self._end = end

    def __enter__(self) -> Scope:
        return self.scope

    def __exit__(self, *_: object) -> None:
        self._end()

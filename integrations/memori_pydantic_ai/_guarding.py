"""A memory that fails or hangs must not end the agent's turn."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Final, TypeVar

from memori_core.hooks import DeadlineRunner, OnError

logger = logging.getLogger(__name__)

T = TypeVar("T")

LIMIT_S: Final = 15.0
"""How long a run waits for memory. The first recall may have to load the embedder."""


class Guard:
    """`Hooks` for those who have a `ScopedMemory` only: gives an answer where memory fails, and
    logs the first failure of each sort.

    The work is done in a few threads of its own: those of the event loop, which also look up the
    addresses of models, must not be used up by a memory that hangs.

    Args:
        on_error: `"log"`, or `"raise"` for tests.
    """

    def __init__(self, on_error: OnError) -> None:
        self._on_error: OnError = on_error
        self._told: set[str] = set()
        self._runner = DeadlineRunner()

    async def aattempt(self, stage: str, work: Callable[[], T], *, otherwise: T) -> T:
        """What a blocking function gives, or something else if it fails or takes too long."""
        try:
            return await self._runner.arun(work, limit_s=LIMIT_S)
        except Exception as e:  # whatever it is, it must not end the run
            if self._on_error == "raise":
                raise
            level = logging.DEBUG if stage in self._told else logging.WARNING
            self._told.add(stage)
            logger.log(
                level,
                "memory failed (%s): %r; the agent goes on without. Further failures are logged "
                "at DEBUG",
                stage,
                e,
                exc_info=e,
            )
            return otherwise

"""What interception did: numbers for reports, and each failure in the log once."""

from __future__ import annotations

import logging
import threading
from collections import Counter, OrderedDict
from collections.abc import Mapping

from memori_core.results import Reason

logger = logging.getLogger(__name__)

KEPT_REASONS = 100
"""For how many entities the last reason for "nothing injected" is kept."""


class Counts:
    """Counts, and what was said already. Safe in every thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._numbers: Counter[str] = Counter()
        self._said: set[tuple[str, ...]] = set()
        self._reasons: OrderedDict[str, Reason] = OrderedDict()

    def add(self, name: str) -> None:
        """Count one more."""
        with self._lock:
            self._numbers[name] += 1

    def failed(self, stage: str, error: BaseException) -> None:
        """Count a failure of ours, and log it with its cause when it is the first of its sort."""
        self.add(f"{stage}_failed")
        if self._first(stage, type(error).__qualname__):
            logger.warning(
                "memory failed (%s); the call went on without it. Further failures of this sort "
                "are counted, see memori.stats()",
                stage,
                exc_info=error,
            )

    def warn_once(self, name: str, message: str, *args: object) -> None:
        """Count something, and log it the first time."""
        self.add(name)
        if self._first(name):
            logger.warning(message, *args)

    def nothing(self, entity_id: str, reason: Reason) -> None:
        """Keep why nothing was injected for an entity."""
        with self._lock:
            self._reasons[entity_id] = reason
            self._reasons.move_to_end(entity_id)
            if len(self._reasons) > KEPT_REASONS:
                self._reasons.popitem(last=False)

    def numbers(self) -> Mapping[str, int]:
        """All counts so far."""
        with self._lock:
            return dict(sorted(self._numbers.items()))

    def reasons(self) -> Mapping[str, Reason]:
        """The last reason for "nothing injected", by entity, the latest last."""
        with self._lock:
            return dict(self._reasons)

    def _first(self, *key: str) -> bool:
        with self._lock:
            if key in self._said:
                return False
            self._said.add(key)
            return True

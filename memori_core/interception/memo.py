"""What was recalled lately, so that retries and rounds of tools see the same bytes."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass

from memori_core.conversation import Message
from memori_core.interception.host import Context

SIZE = 512


@dataclass(frozen=True, slots=True)
class Recalled:
    """What goes into one request."""

    revision: int
    context: Context
    history: tuple[Message, ...]


class Memo:
    """The last things recalled, by who asked what. Safe in every thread."""

    def __init__(self, size: int = SIZE) -> None:
        self._size = size
        self._lock = threading.Lock()
        self._entries: OrderedDict[Hashable, Recalled] = OrderedDict()

    def get(self, key: Hashable) -> Recalled | None:
        """What was recalled for this key, if it is still here."""
        with self._lock:
            found = self._entries.get(key)
            if found is not None:
                self._entries.move_to_end(key)
            return found

    def put(self, key: Hashable, recalled: Recalled) -> None:
        """Keep it, and drop what was not used for longest."""
        with self._lock:
            self._entries[key] = recalled
            self._entries.move_to_end(key)
            while len(self._entries) > self._size:
                self._entries.popitem(last=False)

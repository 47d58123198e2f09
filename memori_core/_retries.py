"""When to try again, and how long to wait before."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from memori_core.errors import ConfigError

_LONGEST_PAUSE_S = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Backoff:
    """Pauses that double, up to 30 s."""

    max_retries: int
    """Tries after the first."""
    first_s: float
    """Pause before the first retry, in seconds."""

    def __post_init__(self) -> None:
        if self.max_retries < 0:
            raise ConfigError(f"`max_retries` must not be negative; it is {self.max_retries}.")
        if self.first_s < 0:
            raise ConfigError(f"`backoff_s` must not be negative; it is {self.first_s}.")

    def pauses(self) -> Iterator[float | None]:
        """One value per try: how long to wait, in seconds, if it fails. None: it was the last."""
        for retry in range(self.max_retries):
            yield min(self.first_s * 2**retry, _LONGEST_PAUSE_S)
        yield None

    @staticmethod
    def wait(pause_s: float, *, retry_after: str | None = None) -> None:
        """Wait as long as the server asks for, at most 30 s, or else as planned."""
        asked_s = None if retry_after is None else retry_after_s(retry_after, now=datetime.now(UTC))
        time.sleep(pause_s if asked_s is None else min(asked_s, _LONGEST_PAUSE_S))


def retry_after_s(value: str, *, now: datetime) -> float | None:
    """Seconds that a `Retry-After` header asks for: a number or an HTTP date. None: neither."""
    if value.strip().isdecimal():
        return float(value)
    try:
        at = parsedate_to_datetime(value)
    except (ValueError, OverflowError):  # the latter: a number that no date has
        return None
    if at.tzinfo is None:
        at = at.replace(tzinfo=UTC)
    return max(0.0, (at - now).total_seconds())

"""The frameworks that the demo asks, through the integrations that are installed.

The core knows no framework. An integration offers a function by the entry point group
`memori_core.demo`: it takes a memory, a user's id and a question, asks an agent of its framework
whose fake model repeats what its prompt holds, and returns the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import Final

from memori_core.memori import Memori

GROUP: Final = "memori_core.demo"

Answer = Callable[[Memori, str, str], str]


@dataclass(frozen=True, slots=True)
class Host:
    """A framework."""

    name: str
    extra: str
    """The extra of memori-core that brings it."""
    answer: Answer | None
    """None: it is not installed."""


def hosts() -> Iterator[Host]:
    """The frameworks, by name."""
    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        yield Host(point.name, extra=point.name, answer=_loaded(point))


def _loaded(point: EntryPoint) -> Answer | None:
    try:
        return point.load()
    except ImportError:  # the framework is absent, or another than the integration works with
        return None

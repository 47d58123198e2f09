"""Lists and counts that show themselves as tables in a notebook."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from html import escape
from typing import Any, SupportsIndex, TypeVar, overload

from memori_core.conversation import Session, StoredMessage, StoredTriple
from memori_core.models import Fact, FactVersion

T = TypeVar("T")

MAX_ROWS = 200
"""So many rows are shown; the list itself is whole."""


class Table(list[T]):
    """A list. In a notebook it is shown as a table, every text escaped; so is a part of it."""

    @overload
    def __getitem__(self, index: SupportsIndex) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Table[T]: ...
    def __getitem__(self, index: SupportsIndex | slice) -> T | Table[T]:
        if isinstance(index, slice):
            return Table(super().__getitem__(index))
        return super().__getitem__(index)

    def _repr_html_(self) -> str:
        if not self:
            return "<i>empty</i>"
        columns = _COLUMNS[type(self[0])]
        head = "".join(f"<th style='text-align:left'>{name}</th>" for name in columns)
        rows = "".join(_row(cell(item) for cell in columns.values()) for item in self[:MAX_ROWS])
        hidden = len(self) - MAX_ROWS
        note = f"<p>and {hidden} more</p>" if hidden > 0 else ""
        return f"<table><tr>{head}</tr>{rows}</table>{note}"


class Stats(dict[str, "int | str"]):
    """Counts by name. In a notebook they are shown as a table."""

    def _repr_html_(self) -> str:
        return f"<table>{''.join(_row(pair) for pair in self.items())}</table>"


def _row(cells: Iterable[object]) -> str:
    return f"<tr>{''.join(_cell(cell) for cell in cells)}</tr>"


def _cell(value: object) -> str:
    if value is None or value is False:
        return "<td></td>"
    if value is True:
        return "<td>✓</td>"
    if isinstance(value, datetime):
        return f"<td style='white-space:nowrap'>{value:%Y-%m-%d %H:%M}</td>"
    align = "right" if isinstance(value, int | float) else "left"
    return f"<td style='text-align:{align}'>{escape(str(value))}</td>"


# Any: each column takes the items of its own type.
_COLUMNS: Mapping[type, Mapping[str, Callable[[Any], object]]] = {
    Fact: {
        "fact": lambda fact: fact.content,
        "kind": lambda fact: fact.kind,
        "said": lambda fact: fact.said_at,
        "times": lambda fact: fact.times,
        "until": lambda fact: fact.valid_until,
        "pinned": lambda fact: fact.pinned,
        "id": lambda fact: fact.id,
    },
    FactVersion: {
        "said before": lambda version: version.content,
        "until": lambda version: version.replaced_at,
    },
    StoredMessage: {
        "session": lambda stored: stored.session_id,
        "said": lambda stored: stored.said_at,
        "who": lambda stored: stored.message.name or stored.message.role,
        "message": lambda stored: stored.message.content,
    },
    Session: {
        "session": lambda session: session.id,
        "process": lambda session: session.process_id,
        "from": lambda session: session.started_at,
        "to": lambda session: session.last_active_at,
        "summary": lambda session: session.summary,
    },
    StoredTriple: {
        "subject": lambda stored: stored.triple.subject,
        "predicate": lambda stored: stored.triple.predicate,
        "object": lambda stored: stored.triple.object,
        "times": lambda stored: stored.times,
        "until": lambda stored: stored.valid_until,
    },
}

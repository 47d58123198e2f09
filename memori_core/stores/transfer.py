"""Memory as JSON lines: for backups, for moving between stores, and for the one it belongs to."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import IO

from memori_core.errors import ConfigError
from memori_core.models import Mention, Scope
from memori_core.stores._importer import Importer
from memori_core.stores._transfer_json import encoded, fact_to_json, triple_to_json, turn_to_json
from memori_core.stores.base import Store

FORMAT = "memori-core facts"
VERSION = 2
"""1: facts only, without `type`. 2: also turns, sessions, triples and attributes."""

_PAGE = 500
_FACT_START = '{"type": "fact", '


def export_jsonl(
    store: Store, scope: Scope | None = None, *, vectors: bool = True
) -> Iterator[str]:
    """All that is kept of one entity, or of all, one JSON object per line, after a header line.

    Facts come first (`holds_fact` tells them), then turns and sessions, triples and attributes.
    Jobs are left out.

    ```python
    from memori_core import Scope
    from memori_core.stores import InMemoryStore
    from memori_core.stores.transfer import export_jsonl

    print(*export_jsonl(InMemoryStore(), Scope("alice")))
    #> {"format": "memori-core facts", "version": 2}
    ```

    Args:
        store: Where it is. What changes during the export may or may not be in it.
        scope: Whose; None for everybody.
        vectors: Whether to write the vectors. Without them the file is about a tenth of the size,
            and the facts are found by their words only until they are embedded again.
    """
    yield json.dumps({"format": FORMAT, "version": VERSION})
    for entity_id in store.entities() if scope is None else [scope.entity_id]:
        whose = Scope(entity_id)
        for parts in (_facts(store, whose, vectors=vectors), _conversations(store, whose)):
            for line in parts:
                kind = line.pop("type")
                values = {"type": kind, "entity_id": entity_id, **line}
                yield json.dumps(values, ensure_ascii=False)


def write_jsonl(file: IO[str], lines: Iterable[str]) -> int:
    """Write the lines of `export_jsonl` to a file, and return how many hold a fact."""
    count = 0
    for line in lines:
        file.write(line + "\n")
        count += holds_fact(line)
    return count


def holds_fact(line: str) -> bool:
    """Whether a line of `export_jsonl` is a fact, and neither the header nor something else."""
    return line.startswith(_FACT_START)


def import_jsonl(store: Store, lines: Iterable[str], *, scope: Scope | None = None) -> int:
    """Store what was exported under its ids, and return how many lines held a fact.

    Doing it twice changes nothing the second time. A fact that says what another one of the entity
    says already is merged with that one.

    Args:
        store: Where to.
        lines: The lines of an export.
        scope: Whose it shall be, instead of those who are named in the lines.

    Raises:
        ConfigError: A line is not what an export writes; its number is in the message. The lines
            before it are stored.
    """
    importer = Importer(store)
    numbered = _numbered(lines)
    _check_header(next(numbered, (1, ""))[1])
    try:
        for number, line in numbered:
            if line.strip():
                _add(importer, number, line, scope)
    except ConfigError:
        importer.flush()
        raise
    importer.flush()
    return importer.count


def _add(importer: Importer, number: int, line: str, scope: Scope | None) -> None:
    try:
        importer.add(line, scope)
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as e:
        what = f"the field {e} is missing" if isinstance(e, KeyError) else str(e)
        raise ConfigError(f"line {number} cannot be imported: {what}") from e


def _numbered(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """The lines from 1 on, without the mark that some editors put before the first."""
    number = 0
    try:
        for number, line in enumerate(lines, start=1):
            yield number, line.removeprefix("\ufeff") if number == 1 else line
    except UnicodeDecodeError as e:
        raise ConfigError(f"the file is not UTF-8 text, somewhere behind line {number}: {e}") from e


def _facts(store: Store, whose: Scope, *, vectors: bool) -> Iterator[dict[str, object]]:
    mentions, sources = _mentions_by_fact(store, whose), store.sources(whose)
    after: str | None = None
    while page := store.facts(whose, after=after, limit=_PAGE):
        for record in page:
            fact_id = record.fact.id
            line = {"type": "fact", **fact_to_json(record, vectors=vectors)}
            line["history"] = [
                {"content": v.content, "replaced_at": v.replaced_at.isoformat()}
                for v in store.history(whose, fact_id)
            ]
            line["mentions"] = [
                {"text": m.text, "type": m.type, "vector": encoded(m.vector, keep=vectors)}
                for m in mentions.get(fact_id, ())
            ]
            line["sources"] = list(sources.get(fact_id, ()))
            yield line
        after = page[-1].fact.id


def _conversations(store: Store, whose: Scope) -> Iterator[dict[str, object]]:
    statuses = store.turns(whose)
    for session in sorted(store.sessions(whose), key=lambda s: (s.started_at, s.id)):
        messages = store.messages(whose, session_id=session.id)
        last = {m.turn_id: m.position for m in messages}
        for turn_id, run in groupby(messages, key=lambda m: m.turn_id):
            some = list(run)
            # A turn that was completed later stands in several places: only its end completes it.
            ends = last[turn_id] == some[-1].position
            status = statuses[turn_id] if ends else "partial"
            yield turn_to_json(some, process_id=session.process_id, status=status)
        yield {"type": "session", "id": session.id, "summary": session.summary}
    triples = store.triples(whose, include_ended=True)
    # What has ended first: that is said of all statements of a fact that are there.
    for stored in sorted(triples, key=lambda t: t.valid_until is None):
        yield triple_to_json(stored)
    for process_id, noted in store.attribute_times(whose).items():
        for content, times in noted.items():
            line = {"type": "attribute", "process_id": process_id}
            yield {**line, "content": content, "times": times}


def _mentions_by_fact(store: Store, scope: Scope) -> dict[str, list[Mention]]:
    found: dict[str, list[Mention]] = {}
    for linked in store.mentions(scope):
        for fact_id in linked.fact_ids:
            found.setdefault(fact_id, []).append(linked.mention)
    return found


def _check_header(line: str) -> None:
    try:
        header = json.loads(line)
        if header["format"] != FORMAT:
            raise ValueError(f"its format is {header['format']!r}")
        version = int(header["version"])
    except (KeyError, TypeError, ValueError, RecursionError) as e:
        raise ConfigError(
            f"line 1 is not the header of an export ({e}): {line[:60]!r}. "
            "Give the lines of `export_jsonl` from the first one on."
        ) from e
    if version > VERSION:
        raise ConfigError(
            f"line 1: version {version} of the export is newer than this memori-core knows "
            f"({VERSION}). Upgrade: pip install -U memori-core"
        )

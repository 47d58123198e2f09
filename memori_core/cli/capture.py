"""`memori capture`: a conversation from a file, and the facts that it amounts to."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, TextIO, cast

import click

from memori_core.cli._options import Settings, common_options
from memori_core.cli._records import fact_json
from memori_core.cli._text import one_line, table
from memori_core.errors import ConfigError, ExtractionError
from memori_core.memori import ScopedMemory
from memori_core.models import Fact

JSONMessage = Mapping[str, Any]  # Any: the fields of messages of any kind


@click.command("capture")
@click.argument("file", type=click.File(encoding="utf-8"), default="-")
@click.option("--name", metavar="NAME", help="Who speaks, where several people do.")
@click.option("--at", metavar="WHEN", help="When it was said: 2026-05-01 or 2026-05-01T12:00Z.")
@click.option("--session", "session_id", metavar="ID", help="The conversation it is from.")
@common_options("entity", "embedder", "fusion")
def capture_command(
    settings: Settings,
    *,
    file: TextIO,
    name: str | None,
    at: str | None,
    session_id: str | None,
) -> None:
    """Store a conversation, wait for its facts, and show the new ones.

    FILE, or standard input, holds what the user said, or JSON Lines of messages with `role` and
    `content`, and, if you like, `name` and `said_at`.

    Example: echo "I moved to Porto last week." | memori capture --user alice
    """
    messages = list(_messages(_text(file)))
    entity_id = settings.entity_id
    with settings.open_memori(create=True) as memori:
        memory = memori.scoped(entity_id, session_id=session_id)
        sources = _captured(memory, messages, name=name, at=at)
        memori.flush()
        if dead := memori.augmentation.stats()["dead"]:
            raise ExtractionError(f"{dead} turns were stored, but no facts could be made of them.")
        facts = [fact for fact in memory.list() if fact.source_message_id in sources]
    lines = table(["id", "kind", "fact"], [[fact.id, _kind(fact), fact.content] for fact in facts])
    settings.report([fact_json(fact) for fact in facts], lines if facts else ["no new facts"])


def _text(file: TextIO) -> str:
    try:
        return file.read().removeprefix("\ufeff")  # which some editors put first
    except UnicodeDecodeError as e:
        raise ConfigError(f"{file.name} is not UTF-8 text: {e}") from e


def _messages(text: str) -> Iterator[JSONMessage]:
    """Messages of JSON Lines, or one message of any other text."""
    lines = [(n, line) for n, line in enumerate(text.splitlines(), 1) if line.strip()]
    if not lines or _json_object(lines[0][1]) is None:
        yield {"role": "user", "content": text}
        return
    for number, line in lines:
        message = _json_object(line)
        if message is None:
            raise ConfigError(f"line {number} is no JSON object: {one_line(line, 60)}")
        yield message


def _json_object(line: str) -> JSONMessage | None:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return cast("JSONMessage", value) if isinstance(value, dict) else None


def _captured(
    memory: ScopedMemory, messages: list[JSONMessage], *, name: str | None, at: str | None
) -> set[str]:
    """The ids of the messages, captured. Each user's message begins a turn."""
    turns: list[list[JSONMessage]] = []
    for message in messages:
        if not turns or message.get("role") == "user":
            turns.append([])
        turns[-1].append({"name": name, **message} if message.get("role") == "user" else message)
    ids: set[str] = set()
    for turn in turns:
        captured = memory.capture(turn, at=at or turn[0].get("said_at"), on_full="defer")
        ids |= {stored.id for stored in captured.messages}
    return ids


def _kind(fact: Fact) -> str:
    return f"{fact.kind}, pinned" if fact.pinned else fact.kind

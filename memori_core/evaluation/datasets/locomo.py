"""LoCoMo: ten long conversations between two people, with questions about them.

Maharana et al., 2024, "Evaluating Very Long-Term Conversational Memory of LLM Agents".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

from memori_core.errors import ConfigError
from memori_core.evaluation.datasets._files import read_json, shape, text_of
from memori_core.evaluation.datasets.base import Collection, Dataset, Question
from memori_core.models import NewFact

Unit = Literal["turns", "observations"]
UNITS: tuple[Unit, ...] = get_args(Unit)

CATEGORIES: Mapping[int, str] = {
    1: "multi-hop",
    2: "temporal",
    3: "open-domain",
    4: "single-hop",
}
"""Questions of category 5 (adversarial) have no answer in the conversation and are left out."""

_EXPECTED = (
    "LoCoMo's locomo10.json: a list of samples with `sample_id`, `conversation`, `qa` and "
    "`observation`"
)
_SESSION = re.compile(r"session_(\d+)")
_EVIDENCE = re.compile(r"D:?(\d+):(\d+)")

_Sourced: TypeAlias = "tuple[NewFact, frozenset[str]]"
"""A fact with the ids of the turns that it comes from."""


def load_locomo(path: str | Path, *, unit: Unit = "turns") -> Dataset:
    """The conversations of LoCoMo, one collection each.

    A turn reads `{session date} {speaker}: {text} [shares {caption}]`, an observation
    `{session date} {text}`. Gold are the turns named as evidence, or the observations made from
    one of them. Questions without evidence, or of category 5, are left out.

    Args:
        path: `locomo10.json`.
        unit: What one memory is.

    Raises:
        ConfigError: The file cannot be read or is something else, or there is no such unit.
    """
    if unit not in UNITS:
        raise ConfigError(f"`unit` must be one of {', '.join(UNITS)}, got {unit!r}.")
    return _load(path, unit, _READERS[unit])


def load_conversations(path: str | Path) -> Dataset:
    """The conversations of LoCoMo as they were said, to be captured.

    A message reads `{text} [shares {caption}]`; its date and its speaker are fields. Messages of a
    session are said a minute apart, so that their order is that of their times.

    Args:
        path: `locomo10.json`.

    Raises:
        ConfigError: The file cannot be read or is something else.
    """
    return _load(path, "messages", _messages)


def evidence_ids(evidence: Iterable[str]) -> frozenset[str]:
    """The ids of turns in evidence as it is written.

    Compound entries are split (`"D8:6; D9:17"`), malformed ones repaired (`"D:11:26"`,
    `"D30:05"`) or left out (`"D"`).

    ```python
    from memori_core.evaluation.datasets.locomo import evidence_ids

    print(sorted(evidence_ids(["D8:6; D9:17", "D30:05", "D"])))
    #> ['D30:5', 'D8:6', 'D9:17']
    ```
    """
    pairs = (pair for entry in evidence for pair in _EVIDENCE.findall(entry))
    return frozenset(f"D{int(session)}:{int(turn)}" for session, turn in pairs)


def session_time(text: str) -> datetime:
    """The moment that LoCoMo writes as `"1:56 pm on 8 May, 2023"`, taken as UTC."""
    return datetime.strptime(text, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)


def _load(
    path: str | Path, unit: str, read: Callable[[Mapping[str, Any]], Iterator[_Sourced]]
) -> Dataset:
    samples = read_json(path, expected=_EXPECTED)
    with shape(path, expected=_EXPECTED):
        collections = tuple(_collection(sample, read) for sample in samples)
    if not collections:
        raise ConfigError(f"{path} holds no conversation. Expected {_EXPECTED}.")
    dataset = Dataset("locomo", unit=unit, collections=collections)
    if not dataset.questions:
        raise ConfigError(
            f"{path} holds no question of category 1 to 4 with evidence among its {unit}. "
            f"Expected {_EXPECTED}."
        )
    return dataset


def _collection(
    sample: Mapping[str, Any], read: Callable[[Mapping[str, Any]], Iterator[_Sourced]]
) -> Collection:
    sourced = list(read(sample))
    conversation = sample["conversation"]
    return Collection(
        sample["sample_id"],
        facts=tuple(fact for fact, _ in sourced),
        questions=tuple(_questions(sample["qa"], sourced)),
        speakers=(conversation["speaker_a"], conversation["speaker_b"]),
    )


def _questions(entries: Iterable[Mapping[str, Any]], sourced: list[_Sourced]) -> Iterator[Question]:
    for entry in entries:
        evidence = evidence_ids(entry.get("evidence") or ())
        gold = frozenset(str(fact.id) for fact, sources in sourced if sources & evidence)
        category = CATEGORIES.get(entry["category"])
        if gold and category:
            yield Question(text_of(entry["question"]), gold=gold, category=category)


def _sessions(conversation: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Name and date of each session that has turns, in order."""
    matches = filter(None, map(_SESSION.fullmatch, conversation))
    for match in sorted(matches, key=lambda match: int(match[1])):
        yield match[0], conversation[f"{match[0]}_date_time"]


def _turns(sample: Mapping[str, Any]) -> Iterator[_Sourced]:
    conversation = sample["conversation"]
    for session, date in _sessions(conversation):
        for message, sources in _messages_of(conversation[session], session, date):
            content = f"{date} {message.speaker}: {message.content}"
            yield replace(message, content=content), sources


def _messages(sample: Mapping[str, Any]) -> Iterator[_Sourced]:
    conversation = sample["conversation"]
    for session, date in _sessions(conversation):
        for message, sources in _messages_of(conversation[session], session, date):
            said_at = session_time(date) + timedelta(minutes=message.position or 0)
            yield replace(message, said_at=said_at), sources


def _messages_of(turns: Iterable[Mapping[str, Any]], session: str, date: str) -> Iterator[_Sourced]:
    for position, turn in enumerate(turns):
        caption = turn.get("blip_caption")
        shared = f" [shares {caption}]" if caption else ""
        message = NewFact(
            text_of(f"{turn['text']}{shared}"),
            id=turn["dia_id"],
            said_at=session_time(date),
            session_id=session,
            speaker=turn["speaker"],
            position=position,
        )
        yield message, evidence_ids([turn["dia_id"]])


def _observations(sample: Mapping[str, Any]) -> Iterator[_Sourced]:
    for session, date in _sessions(sample["conversation"]):
        by_speaker = sample["observation"].get(f"{session}_observation", {})
        entries = [entry for observed in by_speaker.values() for entry in observed]
        for position, (text, source) in enumerate(entries):
            fact = NewFact(
                f"{date} {text_of(text)}",
                id=f"{session}/{position}",
                said_at=session_time(date),
                session_id=session,
                position=position,
            )
            yield fact, evidence_ids([source] if isinstance(source, str) else source)


_READERS: Mapping[Unit, Callable[[Mapping[str, Any]], Iterator[_Sourced]]] = {
    "turns": _turns,
    "observations": _observations,
}

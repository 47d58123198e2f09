"""What of a model's extraction may be kept. Pure functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from memori_core.augmentation.parsing import speaker_of
from memori_core.augmentation.support import SourceText, is_prompt_example
from memori_core.conversation import ExtractedFact, Extraction, Message, Triple

_MIN_FREE_SUPPORT = 0.5
"""For summaries and attributes, which put things in their own words."""


def checked(
    extraction: Extraction, messages: Sequence[Message], *, summary: str | None = None
) -> Extraction:
    """The same without what the messages do not support.

    Facts, triples and what is to be forgotten must come from the user's messages. A summary and
    attributes may draw on the whole conversation, and are only refused if they have little to do
    with it.
    """
    users = {i: SourceText(_said(m)) for i, m in enumerate(messages) if m.role == "user"}
    said = SourceText("\n".join(_said(messages[i]) for i in users))
    everything = SourceText("\n".join([summary or "", *(_said(m) for m in messages)]))
    return Extraction(
        facts=tuple(
            _attributed(fact, users, messages, said)
            for fact in extraction.facts
            if said.supports(fact)
        ),
        forget=tuple(text for text in extraction.forget if said.supports_text(text)),
        attributes=tuple(text for text in extraction.attributes if _related(text, everything)),
        summary=(
            extraction.summary
            if extraction.summary and _related(extraction.summary, everything)
            else None
        ),
    )


def _said(message: Message) -> str:
    return f"{message.name}: {message.content}" if message.name else message.content


def _attributed(
    fact: ExtractedFact,
    users: dict[int, SourceText],
    messages: Sequence[Message],
    said: SourceText,
) -> ExtractedFact:
    """The fact with its true source, if the model named another, and the triples that hold."""
    source = fact.message
    if source not in users or not users[source].supports(fact):
        # The latest of equals: a correction comes after what it corrects.
        source = max(users, key=lambda i: (users[i].share(fact.content), i))
    return replace(
        fact,
        message=source,
        speaker=speaker_of(source, messages),
        triples=_held(fact.triples, fact, said),
        ends=_held(fact.ends, fact, said),
    )


def _held(triples: tuple[Triple, ...], fact: ExtractedFact, said: SourceText) -> tuple[Triple, ...]:
    """The triples whose object stands in what was said, or is a date of the fact."""
    return tuple(
        triple
        for triple in triples
        if triple.object in fact.dates or said.supports_text(triple.object, dates=fact.dates)
    )


def _related(text: str, everything: SourceText) -> bool:
    return not is_prompt_example(text) and everything.share(text) >= _MIN_FREE_SUPPORT

"""The rule extractor: facts out of messages, without a model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import cache

from memori_core.augmentation.base import Extractor
from memori_core.augmentation.rules.base import MAX_FACTS, Code, Draft, Forget, Language, Material
from memori_core.augmentation.rules.cleaning import clean
from memori_core.augmentation.rules.scripts import runs
from memori_core.conversation import ExtractedFact, Extraction, Message, Triple
from memori_core.models import unique_key


class RuleExtractor(Extractor):
    """Finds what users say about themselves, in English and Chinese, by rules.

    It needs no model, no network and no package. It prefers silence to a wrong fact: what it
    misses is still in the messages, which are searched beside the facts.

    ```python
    from datetime import UTC, datetime

    from memori_core.augmentation.rules import RuleExtractor
    from memori_core.conversation import Message

    said = [Message("user", "I'm allergic to peanuts, can you suggest a dessert?")]
    found = RuleExtractor().extract(said, said_at=datetime(2026, 3, 10, tzinfo=UTC))
    print(found.facts[0].content, found.facts[0].pinned)
    #> User is allergic to peanuts. True
    ```

    Args:
        statements: Whether other declarative sentences are kept too, cleaned and dated, as facts
            of kind `statement`. Meant for stores that keep no messages.
        pin: Whether what must never be missed (allergies, conditions, medication, the user's
            name) is pinned.
    """

    name = "rules"
    indexes_messages = True

    def __init__(self, *, statements: bool = False, pin: bool = True) -> None:
        self._statements = statements
        self._pin = pin

    def extract(
        self, messages: Sequence[Message], *, said_at: datetime, summary: str | None = None
    ) -> Extraction:
        facts: dict[bytes, ExtractedFact] = {}
        forget: dict[str, None] = {}
        for position, message in enumerate(messages):
            if message.role != "user":
                continue
            for found in self._found(message):
                if isinstance(found, Forget):
                    forget[found.text] = None
                    continue
                code, draft = found
                fact = self._fact(draft, message, position, code=code, said_at=said_at)
                facts.setdefault(unique_key(fact.content), fact)
        return Extraction(tuple(facts.values()), forget=tuple(forget))

    def _found(self, message: Message) -> Iterator[tuple[Code, Draft] | Forget]:
        count = 0
        for code, text in runs(clean(message.content)):
            language = _language(code)
            for found in language.drafts(text, subject=message.name, statements=self._statements):
                if isinstance(found, Material) or count == MAX_FACTS:
                    return
                count += 1
                yield found if isinstance(found, Forget) else (code, found)

    def _fact(
        self, draft: Draft, message: Message, position: int, *, code: Code, said_at: datetime
    ) -> ExtractedFact:
        from memori_core.augmentation.rules.dates import resolve_dates  # compiled on first use

        at = message.said_at or said_at
        content, dates = resolve_dates(
            draft.content,
            at,
            code,
            future=True if draft.kind == "plan" else None,
        )
        return ExtractedFact(
            content,
            kind=draft.kind,
            pinned=draft.pinned and self._pin,
            dates=dates,
            triples=tuple(t for t in draft.triples if _holds(t, dates, at, code)),
            speaker=message.name,
            message=position,
            ends=draft.ends,
        )


def _holds(triple: Triple, dates: Sequence[str], said_at: datetime, code: Code) -> bool:
    """Whether a statement is true by now. An age may be that of another year: 我下个月满三十岁.

    The English patterns know ages of today only, and end at the number; a date after it is another
    matter ("I'm 34 and moving in June").
    """
    if triple.predicate != "age" or code != "zh" or not dates:
        return True
    today = said_at.date().isoformat()
    a_year_ago = f"{said_at.year - 1:04}{today[4:]}"
    return all(
        date == today[:4]
        if len(date) == 4
        else a_year_ago[: len(date)] <= date <= today[: len(date)]
        for date in dates
    )


@cache
def _language(code: Code) -> Language:
    """The rules of a language, compiled when the first text in it is read."""
    if code == "zh":
        from memori_core.augmentation.rules.chinese import Chinese

        return Chinese()
    from memori_core.augmentation.rules.english import English

    return English()

"""The suite that every extractor passes."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Iterator
from datetime import UTC, date, datetime

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memori_core.augmentation.base import Extractor
from memori_core.conversation import ROLES, Extraction, Message
from memori_core.models import KINDS, check_text

SAID_AT = datetime(2026, 3, 10, 10, tzinfo=UTC)

_PIECES = (
    *("I'm", "allergic to", "peanuts", "not", "my", "sister", "yesterday", ".", "?", '"', "\n"),
    *("\0", "\ud83e", "我", "对花生过敏", "昨天", "。", "```", "<memori_context>", "{"),
)
_TEXTS = st.one_of(
    st.text(max_size=200),
    st.lists(
        st.sampled_from(_PIECES),
        max_size=20,
    ).map(" ".join),
)
_MESSAGES = st.lists(
    st.builds(
        Message,
        st.sampled_from(ROLES),
        _TEXTS,
        name=st.none() | st.text(max_size=20),
        said_at=st.none() | st.datetimes(timezones=st.just(UTC)),
    ),
    max_size=5,
)


class ExtractorConformance(ABC):
    """What every extractor promises. Subclass it in a test module and pytest runs it.

    `make_extractor` is called once per test; return one shared instance where loading is slow.
    The suite asks for no facts, which is a matter of quality. It asks that any conversation is
    taken, that facts come from the user only and that all of it can be stored.

    Example:
        ```python
        from memori_core.augmentation.base import Extractor
        from memori_core.conversation import ExtractedFact, Extraction
        from memori_core.testing import ExtractorConformance

        class Silent(Extractor):
            name = "silent"

            def extract(self, messages, *, said_at, summary=None):
                return Extraction()

        class TestSilent(ExtractorConformance):
            def make_extractor(self):
                return Silent()
        ```
    """

    conversation: tuple[Message, ...] = (
        Message("system", "You are a travel agent. I am from Lima."),
        Message("user", "I'm allergic to peanuts and I live in Graz."),
        Message("assistant", "Noted! I love deserts and I live in Berlin."),
        Message("tool", "I have 3 open invoices."),
        Message("user", "我对花生过敏。"),
    )
    """A conversation that the extractor under test finds something in."""

    @abstractmethod
    def make_extractor(self) -> Extractor:
        """The extractor under test."""

    def test_it_has_a_name(self) -> None:
        assert self.make_extractor().name

    def test_no_messages_give_nothing(self) -> None:
        assert self.make_extractor().extract([], said_at=SAID_AT) == Extraction()

    def test_blank_messages_give_nothing(self) -> None:
        blank = [Message("user", ""), Message("user", " \n\t"), Message("assistant", "")]
        assert self.make_extractor().extract(blank, said_at=SAID_AT).facts == ()

    def test_only_user_messages_make_facts(self) -> None:
        said = self.conversation
        extractor = self.make_extractor()
        others = [message for message in said if message.role != "user"]
        assert extractor.extract(others, said_at=SAID_AT).facts == ()
        for fact in extractor.extract(said, said_at=SAID_AT).facts:
            assert said[fact.message].role == "user", fact.content

    def test_the_same_conversation_gives_the_same(self) -> None:
        extractor = self.make_extractor()
        once, again = (extractor.extract(self.conversation, said_at=SAID_AT) for _ in range(2))
        assert once == again

    def test_the_async_twin_gives_the_same(self) -> None:
        extractor = self.make_extractor()
        with asyncio.Runner() as runner:
            found = runner.run(extractor.aextract(self.conversation, said_at=SAID_AT))
        assert found == extractor.extract(self.conversation, said_at=SAID_AT)

    def test_what_is_found_can_be_stored(self) -> None:
        said = self.conversation
        assert_storable(self.make_extractor().extract(said, said_at=SAID_AT), said)

    def test_any_conversation_is_taken(self) -> None:
        extractor = self.make_extractor()

        @settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
        @given(_MESSAGES, st.none() | st.text(max_size=100))
        def check(messages: list[Message], summary: str | None) -> None:
            given_messages = list(messages)
            found = extractor.extract(messages, said_at=SAID_AT, summary=summary)
            assert messages == given_messages
            assert_storable(found, messages)

        check()

    def test_a_long_message_is_taken(self) -> None:
        long = [Message("user", "I have a cat, and my sister said: so what? " * 1_000)]
        assert_storable(self.make_extractor().extract(long, said_at=SAID_AT), long)

    def test_counts_are_whole_numbers(self) -> None:
        extractor = self.make_extractor()
        extractor.extract(self.conversation, said_at=SAID_AT)
        assert all(isinstance(count, int) and count >= 0 for count in extractor.stats().values())


def assert_storable(found: Extraction, messages: list[Message] | tuple[Message, ...]) -> None:
    """Every field is of its kind, and every text can be stored on every store."""
    for text in _texts(found):
        assert text.strip(), found
        assert "\n" not in text
        check_text("extraction", text)
    for fact in found.facts:
        assert fact.kind in KINDS
        assert 0 <= fact.message < len(messages)
        assert all(_is_iso(day) for day in fact.dates), fact.dates


def _texts(found: Extraction) -> Iterator[str]:
    yield from found.forget
    yield from found.attributes
    if found.summary is not None:
        yield found.summary
    for fact in found.facts:
        yield fact.content
        if fact.speaker is not None:
            yield fact.speaker
        for triple in (*fact.triples, *fact.ends):
            yield from (triple.subject, triple.predicate, triple.object)


def _is_iso(text: str) -> bool:
    """Whether it is a day, a month or a year that exists."""
    try:
        date.fromisoformat(text + "0000-01-01"[len(text) :])
    except ValueError:
        return False
    return len(text) in (4, 7, 10)

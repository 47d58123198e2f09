"""Messages of any shape: when they were said."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from types import SimpleNamespace

import pytest

from memori_core import InMemoryStore, Memori
from memori_core.augmentation.messages import read_messages
from memori_core.conversation import Message
from memori_core.errors import ConfigError

NOON = datetime(2023, 5, 24, 12, tzinfo=UTC)
FIELDS = ["said_at", "timestamp", "created_at"]


def times(*messages: object) -> list[datetime | None]:
    return [message.said_at for message in read_messages(messages)]


def said(**fields: object) -> dict[str, object]:
    return {"role": "user", "content": "The dentist is tomorrow.", **fields}


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (NOON, NOON),
        (NOON.astimezone(timezone(timedelta(hours=2))), NOON),
        ("2023-05-24T14:00:00+02:00", NOON),
        ("2023-05-24T12:00:00Z", NOON),
        ("2023-05-24", datetime(2023, 5, 24, tzinfo=UTC)),
        (date(2023, 5, 24), datetime(2023, 5, 24, tzinfo=UTC)),
        (1_684_929_600, NOON),  # date -u -d 2023-05-24T12:00 +%s
        (1_684_929_600.25, NOON + timedelta(seconds=0.25)),
        (0, datetime(1970, 1, 1, tzinfo=UTC)),
        (-86_400, datetime(1969, 12, 31, tzinfo=UTC)),
        (None, None),
    ],
)
def test_a_message_brings_its_time(field: str, value: object, expected: datetime | None):
    assert times(said(**{field: value})) == [expected]
    assert times(SimpleNamespace(**said(**{field: value}))) == [expected]


def test_our_field_comes_before_those_of_frameworks():
    other = "2020-01-01"
    assert times(
        said(created_at=other, timestamp=other, said_at=NOON),
        said(created_at=other, timestamp=NOON, said_at=None),
        Message("user", "x", said_at=NOON),
    ) == [NOON, NOON, NOON]


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize(
    "value",
    [
        "yesterday",
        "",
        "2023-05-24T12:00:00",  # in which zone?
        datetime(2023, 5, 24, 12),  # noqa: DTZ001 (the point)
        datetime.max.replace(tzinfo=timezone(timedelta(hours=-5))),
        datetime.min.replace(tzinfo=timezone(timedelta(hours=5))),
        "9999-12-31T23:59:59-05:00",
        1_684_929_600_000,  # milliseconds
        10**400,
        float("nan"),
        float("inf"),
        True,
        [2023, 5, 24],
        object(),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_a_time_that_is_none_is_refused_with_the_message_s_number(field: str, value: object):
    with pytest.raises(ConfigError, match=rf"^message 1: `{field}` ") as caught:
        times(said(), said(**{field: value}))
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("field", FIELDS)
def test_b84_tomorrow_is_told_from_the_message_s_own_time(field: str):
    with Memori(InMemoryStore(), embedder=None) as memori:
        alice = memori.scoped("alice")
        alice.capture([said(**{field: "2023-05-24T10:00:00+02:00"})])
        assert memori.flush(20)
        (fact,) = alice.list()
    assert fact.content == "The dentist is on 25 May 2023."
    assert fact.said_at == datetime(2023, 5, 24, 8, tzinfo=UTC)


def test_one_message_of_a_framework_may_be_iterable():
    class Model:
        """As pydantic's models are: iterating gives (field, value) pairs."""

        type = "human"
        content = "I like tea."

        def __iter__(self):
            return iter([("type", self.type), ("content", self.content)])

    (message,) = read_messages(Model())
    assert (message.role, message.content) == ("user", "I like tea.")

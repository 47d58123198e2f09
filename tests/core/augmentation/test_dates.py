"""Relative dates in English and Chinese. Everything is said on Tuesday, 10 March 2026."""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memori_core.augmentation.rules.chinese_script import simplify
from memori_core.augmentation.rules.dates import resolve_dates

SAID_AT = datetime(2026, 3, 10, 10, tzinfo=UTC)

ENGLISH = [
    ("User quit yesterday", "User quit on 9 March 2026", ("2026-03-09",)),
    (
        "User slept badly last night",
        "User slept badly on the night of 9 March 2026",
        ("2026-03-09",),
    ),
    ("The dentist is tomorrow", "The dentist is on 11 March 2026", ("2026-03-11",)),
    ("User flies the day after tomorrow", "User flies on 12 March 2026", ("2026-03-12",)),
    (
        "User has a meeting at 4pm today",
        "User has a meeting at 4pm on 10 March 2026",
        ("2026-03-10",),
    ),
    (
        "User went to Oslo last week",
        "User went to Oslo in the week of 2 March 2026",
        ("2026-03-02", "2026-03-08"),
    ),
    (
        "User went hiking last weekend",
        "User went hiking on the weekend of 7 March 2026",
        ("2026-03-07", "2026-03-08"),
    ),
    ("User starts next month", "User starts in April 2026", ("2026-04",)),
    ("User graduated last year", "User graduated in 2025", ("2025",)),
    ("Last Friday User had dinner", "On 6 March 2026 User had dinner", ("2026-03-06",)),
    ("The party is next Saturday", "The party is on 21 March 2026", ("2026-03-21",)),
    ("User met Noor on Saturday", "User met Noor on 7 March 2026", ("2026-03-07",)),
    ("User is seeing Noor on Saturday", "User is seeing Noor on 14 March 2026", ("2026-03-14",)),
    ("They broke up two days ago", "They broke up on 8 March 2026", ("2026-03-08",)),
    ("User married three years ago", "User married in 2023", ("2023",)),
    ("User fell a few days ago", "User fell a few days before 10 March 2026", ("2026-03",)),
    (
        "User will move in three weeks",
        "User will move in the week of 30 March 2026",
        ("2026-03-30", "2026-04-05"),
    ),
    (
        "User must renew the visa by the end of the month",
        "User must renew the visa by the end of March 2026",
        ("2026-03",),
    ),
    ("User has had it since last year", "User has had it since 2025", ("2025",)),
    ("User was born on 7 May 1990", "User was born on 7 May 1990", ("1990-05-07",)),
    ("User has lived there since 2019", "User has lived there since 2019", ("2019",)),
]

CHINESE = [
    ("用户昨天刚搬到新家", "用户2026年3月9日刚搬到新家", ("2026-03-09",)),
    ("用户前天看了牙医", "用户2026年3月8日看了牙医", ("2026-03-08",)),
    ("用户大前天回国", "用户2026年3月7日回国", ("2026-03-07",)),
    ("用户后天要考试", "用户2026年3月12日要考试", ("2026-03-12",)),
    ("用户大后天出差", "用户2026年3月13日出差", ("2026-03-13",)),
    ("用户昨晚没睡好", "用户2026年3月9日晚上没睡好", ("2026-03-09",)),
    ("用户今早跑了步", "用户2026年3月10日早上跑了步", ("2026-03-10",)),
    ("用户上周去了成都", "用户2026年3月2日那一周去了成都", ("2026-03-02", "2026-03-08")),
    ("用户上上周辞职了", "用户2026年2月23日那一周辞职了", ("2026-02-23", "2026-03-01")),
    ("用户下周三面试", "用户2026年3月18日面试", ("2026-03-18",)),
    ("用户上周五见了客户", "用户2026年3月6日见了客户", ("2026-03-06",)),
    ("用户下星期一入职", "用户2026年3月16日入职", ("2026-03-16",)),
    ("用户上周末去爬山", "用户2026年3月7日那个周末去爬山", ("2026-03-07", "2026-03-08")),
    ("用户周五要去面试", "用户2026年3月13日要去面试", ("2026-03-13",)),
    ("用户星期天去了教堂", "用户2026年3月8日去了教堂", ("2026-03-08",)),
    ("用户打算下个月去冰岛", "用户打算2026年4月去冰岛", ("2026-04",)),
    ("用户去年考了驾照", "用户2025年考了驾照", ("2025",)),
    ("用户前年结婚", "用户2024年结婚", ("2024",)),
    ("用户三年前来到上海", "用户2023年来到上海", ("2023",)),
    ("用户两天前感冒了", "用户2026年3月8日感冒了", ("2026-03-08",)),
    ("用户两个月后要去日本", "用户2026年5月要去日本", ("2026-05",)),
    ("用户5月20日要去日本", "用户2026年5月20日要去日本", ("2026-05-20",)),
    ("用户明年三月毕业", "用户2027年3月毕业", ("2027-03",)),
    ("用户前几天买了车", "用户2026年3月10日前几天买了车", ("2026-03",)),
    ("用户2023年5月7日结婚", "用户2023年5月7日结婚", ("2023-05-07",)),
    ("用户後天要考試", "用户2026年3月12日要考試", ("2026-03-12",)),
    ("用户上週末去了臺北", "用户2026年3月7日那個週末去了臺北", ("2026-03-07", "2026-03-08")),
    ("用户下週五要考試", "用户2026年3月20日要考試", ("2026-03-20",)),
    ("用户上個月搬家", "用户2026年2月搬家", ("2026-02",)),
]

NOT_DATES = [
    ("User may march in the sun now as we do", "en"),
    ("May is User's sister", "en"),
    ("User has yoga on Mondays", "en"),
    ("User has yoga every Monday", "en"),
    ("User doesn't work on Friday", "en"),
    ("User's birthday is on 5 May", "en"),
    ("User wrote it in three weeks", "en"),
    ("User read the last week of the diary", "en"),
    ("User works three days a week", "en"),
    ("用户每周三健身", "zh"),
    ("用户周五不开会", "zh"),
    ("用户除了周三都有空", "zh"),
    ("用户一周三次瑜伽", "zh"),
    ("用户的生日是5月20日", "zh"),
    ("用户以前年轻的时候", "zh"),
    ("用户读三年级", "zh"),
    ("用户以后天天跑步", "zh"),
]


@pytest.mark.parametrize(("text", "resolved", "dates"), ENGLISH)
def test_english_dates_count_from_the_day_they_were_said(text, resolved, dates):
    assert resolve_dates(text, SAID_AT, "en") == (resolved, dates)


@pytest.mark.parametrize(("text", "resolved", "dates"), CHINESE)
def test_chinese_dates_count_from_the_day_they_were_said(text, resolved, dates):
    assert resolve_dates(text, SAID_AT, "zh") == (resolved, dates)


@pytest.mark.parametrize(("text", "language"), NOT_DATES)
def test_habits_and_words_that_look_like_dates_stay(text, language):
    assert resolve_dates(text, SAID_AT, language) == (text, ())


def test_b84_the_day_of_speech_decides_not_today():
    # 24 May 2023 was a Wednesday, so last week was 15 to 21 May.
    said_at = datetime(2023, 5, 24, 10, tzinfo=timezone(timedelta(hours=2)))
    text, dates = resolve_dates(
        "User went to Oslo last week; the dentist is tomorrow", said_at, "en"
    )
    assert text == "User went to Oslo in the week of 15 May 2023; the dentist is on 25 May 2023"
    assert dates == ("2023-05-15", "2023-05-21", "2023-05-25")
    text, dates = resolve_dates("用户上周去了奥斯陆,明天看牙医", said_at, "zh")
    assert text == "用户2023年5月15日那一周去了奥斯陆,2023年5月25日看牙医"
    assert dates == ("2023-05-15", "2023-05-21", "2023-05-25")


def test_today_is_the_day_in_the_time_zone_of_the_speaker():
    late = datetime(2026, 3, 10, 23, 30, tzinfo=timezone(timedelta(hours=8)))
    assert resolve_dates("User moved today", late, "en")[1] == ("2026-03-10",)


def test_who_knows_the_tense_may_say_it():
    assert resolve_dates("用户周五不开会", SAID_AT, "zh", future=True)[1] == ("2026-03-13",)
    assert resolve_dates("User, on Saturday", SAID_AT, "en", future=False)[1] == ("2026-03-07",)


@pytest.mark.parametrize(
    ("text", "language"), [*((t[0], "en") for t in ENGLISH), *((t[0], "zh") for t in CHINESE)]
)
def test_resolved_texts_stay_as_they_are(text, language):
    once = resolve_dates(text, SAID_AT, language)
    assert resolve_dates(once[0], SAID_AT + timedelta(days=400), language) == once


_PHRASES = (
    "yesterday|last night|tomorrow|last week|this weekend|next month|last year|next Friday"
    "|on Monday"
    "|3 days ago|999 years ago|in 12 months|a few weeks ago|by the end of the year|31 February 2020"
    "|the 31st|last May|29 February|昨天|大后天|上周末|下下周|去年|明年2月30日|999年前"
    "|两个月后|几天前|周五"
    "|月底|2月29日|0000年|9999年12月31日|上个月31号|前几年"
)


@given(
    parts=st.lists(
        st.one_of(st.sampled_from(_PHRASES.split("|")), st.text(max_size=8)), max_size=6
    ),
    said_at=st.datetimes(timezones=st.just(UTC)),
    language=st.sampled_from(["en", "zh"]),
    future=st.sampled_from([None, True, False]),
)
def test_no_text_and_no_day_raises(parts, said_at, language, future):
    said = " ".join(parts)
    text, dates = resolve_dates(said, said_at, language, future=future)
    assert all(re.fullmatch(r"\d{4}(-\d\d){0,2}", day) for day in dates)
    # A vague time ("前几年", some years ago) names no date, but the day from which it counts.
    assert dates or text == said or str(said_at.year) in text


@given(
    said_at=st.datetimes(
        min_value=datetime(2, 1, 1),  # noqa: DTZ001 (hypothesis wants naive limits)
        max_value=datetime(9998, 12, 31),  # noqa: DTZ001
        timezones=st.just(UTC),
    )
)
def test_weeks_start_on_monday_and_days_follow_each_other(said_at):
    days = [resolve_dates(f"用户{day}", said_at, "zh")[1][0] for day in ("昨天", "今天", "明天")]
    assert days == [(said_at + timedelta(days=n)).date().isoformat() for n in (-1, 0, 1)]
    first, last = resolve_dates("User went last week", said_at, "en")[1]
    monday = datetime.fromisoformat(first)
    assert monday.weekday() == 0
    assert datetime.fromisoformat(last) - monday == timedelta(days=6)


@given(text=st.text(max_size=60))
def test_a_simplified_copy_has_the_same_length(text):
    assert len(simplify(text)) == len(text)


@pytest.mark.parametrize(
    "unit", ["last ", "on Monday ", "May 5 ", "2 days ago ", "in a few ", "昨天", "三天前", "十"]
)
def test_repetition_costs_no_more_than_reading(unit):
    text = unit * (50_000 // len(unit))
    for language in ("en", "zh"):
        started = time.process_time()
        resolve_dates(text, SAID_AT, language)
        assert time.process_time() - started < 1.0


def test_a_month_alone_is_the_nearest_that_the_verb_allows() -> None:
    said_at = datetime(2026, 3, 10, tzinfo=UTC)
    for text, expected in (
        ("User moved to Oslo in January.", ("User moved to Oslo in January 2026.", ("2026-01",))),
        ("User moved to Oslo in June.", ("User moved to Oslo in June 2025.", ("2025-06",))),
        ("User will retire in June.", ("User will retire in June 2026.", ("2026-06",))),
        ("User always hikes in May.", ("User always hikes in May.", ())),
        (
            "User's last day is March 27.",
            ("User's last day is on 27 March 2026.", ("2026-03-27",)),
        ),
    ):
        assert resolve_dates(text, said_at, "en") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("用户的妈妈下周六十岁", ("2026-03-16", "2026-03-22")),  # next week, not next Saturday
        ("用户下周六十点开会", ("2026-03-21",)),
        ("用户下周六有课", ("2026-03-21",)),
    ],
)
def test_a_number_after_a_week_is_the_age(text: str, expected: tuple[str, ...]):
    said_at = datetime(2026, 3, 10, tzinfo=UTC)  # a Tuesday
    assert resolve_dates(text, said_at, "zh")[1] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("User has got an exam on Friday", "2026-03-13"),  # as "has an exam"
        ("User has an exam on Friday", "2026-03-13"),
        ("User got a dog on Friday", "2026-03-06"),
    ],
)
def test_what_one_has_got_is_no_past(text: str, expected: str):
    said_at = datetime(2026, 3, 10, tzinfo=UTC)  # a Tuesday
    assert resolve_dates(text, said_at, "en")[1] == (expected,)

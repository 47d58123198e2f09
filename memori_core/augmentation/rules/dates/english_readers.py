"""What English phrases for dates mean, and how dates are written in their place."""

from __future__ import annotations

import re
from datetime import date

from memori_core.augmentation.rules.dates import periods
from memori_core.augmentation.rules.dates.english_words import (
    GOVERNED,
    HABIT,
    IS_SUBJECT,
    MONTH_NUMBERS,
    MONTHS,
    NAMED_DAYS,
    NUMBERS,
    STARTS,
    STEPS,
    VAGUE_DAYS,
    WEEKDAY_NUMBERS,
)
from memori_core.augmentation.rules.dates.grammar import Found, Moment, around, before
from memori_core.augmentation.rules.dates.periods import Period, Unit


def written(period: Period) -> str:
    """A period as English writes it, without its preposition."""
    day = period.start
    match period.unit:
        case "year":
            return str(day.year)
        case "month":
            return f"{MONTHS[day.month - 1]} {day.year}"
        case "day":
            return f"{day.day} {MONTHS[day.month - 1]} {day.year}"
        case "week" | "weekend":
            return f"the {period.unit} of {day.day} {MONTHS[day.month - 1]} {day.year}"


def _place(match: re.Match[str], period: Period, *, part: str = "") -> Found:
    """A period in the place of a phrase, with the preposition that the place asks for."""
    text = written(period)
    if part:
        text = f"the {part} of {text}"
    lead_in = before(match)
    after = match.string[match.end() : match.end() + 20]
    if GOVERNED.search(lead_in):
        return Found(text, period.iso)
    if not part and STARTS.search(lead_in) and IS_SUBJECT.match(after):
        return Found(text, period.iso)
    if after[:2] in ("'s", "’s"):
        return Found(text, period.iso)
    lead = "in" if period.unit in ("week", "month", "year") else "on"
    if STARTS.search(lead_in) and match.group()[0].isupper():
        lead = lead.capitalize()
    return Found(f"{lead} {text}", period.iso)


def _number(word: str) -> int:
    word = word.lower()
    if word.isdecimal():
        return int(word)
    return 1 if word in ("a", "an") else NUMBERS.index(word)


def _unit(word: str) -> Unit:
    word = word.lower()
    return "day" if word == "night" else word  # pyright: ignore[reportReturnType] # one of UNIT


def named_day(match: re.Match[str], moment: Moment) -> Found:
    """Yesterday, last night, tomorrow morning …"""
    day = periods.day_from(moment.today, NAMED_DAYS[match["named"].lower()])
    return _place(match, day, part=(match["part"] or "").lower())


def weekday(match: re.Match[str], moment: Moment) -> Found | None:
    """Last Friday, on Saturday, Monday evening …"""
    number = WEEKDAY_NUMBERS[match["weekday"][:3].lower()]
    step = (match["step"] or "").lower()
    part = (match["part"] or "").lower()
    today = moment.today
    if step == "next":
        return _place(match, periods.weekday_from(today, number, 1), part=part)
    if step in ("last", "this past"):
        day = periods.nearest_weekday(today, number, future=False)
        if day.start == periods.shift_days(today, -1):  # yesterday has a name of its own
            day = periods.day_from(today, -8)
        return _place(match, day, part=part)
    future = moment.future
    if step == "this" and future is None:
        return _place(match, periods.weekday_from(today, number, 0), part=part)
    if future is None and HABIT.search(before(match, 60)):
        return None
    if re.search(r"\b(?:every|each|any)\s+$", before(match, 8), re.IGNORECASE):
        return None
    day = periods.nearest_weekday(today, number, future=future is not False)
    return _place(match, day, part=part)


def unit_step(match: re.Match[str], moment: Moment) -> Found | None:
    """Last week, this weekend, next month, over the weekend …"""
    step = STEPS[match["which"].lower()]
    word = match["unit"].lower()
    if word == "weekend":
        named = match["which"].lower()
        if named == "the" and moment.future is None:
            return None
        if named in ("the", "this") and moment.future is False and moment.today.weekday() < 5:
            step = -1
        return _place(match, periods.weekend_from(moment.today, step))
    if word == "quarter":
        return None
    return _place(match, periods.counted(moment.today, _unit(word), step))


def beyond(match: re.Match[str], moment: Moment) -> Found:
    """The week before last, the month after next."""
    step = -2 if match["beyond"].lower() == "before last" else 2
    unit = match["unit"].lower()
    return _place(match, periods.counted(moment.today, unit, step))  # pyright: ignore[reportArgumentType] # a unit of the pattern


def edge(match: re.Match[str], moment: Moment) -> Found | None:
    """By the end of the month, at the beginning of next year."""
    unit = match["unit"].lower()
    if unit == "day":
        return None
    step = STEPS[match["which"].lower()]
    period = periods.counted(moment.today, unit, step)  # pyright: ignore[reportArgumentType] # a unit of the pattern
    text = written(period)
    return Found(f"{match['lead'] or ''}the {match['edge']} of {text}", period.iso)


def _count(match: re.Match[str], moment: Moment, sign: int) -> Found | None:
    number, unit = _number(match["count"]), _unit(match["unit"])
    half = match["half"]
    if half and unit == "year":
        return _place(match, periods.month_from(moment.today, sign * (number * 12 + 6)))
    if half:
        return None
    return _place(match, periods.counted(moment.today, unit, sign * number))


def ago(match: re.Match[str], moment: Moment) -> Found | None:
    """Two days ago, a year and a half ago."""
    return _count(match, moment, -1)


def in_so_long(match: re.Match[str], moment: Moment) -> Found | None:
    """In three weeks, two days from now."""
    if moment.future is False:  # "wrote it in three weeks" is how long it took
        return None
    return _count(match, moment, 1)


def half_year_ago(match: re.Match[str], moment: Moment) -> Found:
    """Half a year ago."""
    return _place(match, periods.month_from(moment.today, -6))


def today(match: re.Match[str], moment: Moment) -> Found:
    """Three hours ago, earlier today."""
    hours = match["hours"]
    day = moment.hours_from(-_number(hours)) if hours else moment.today
    return _place(match, Period("day", day))


def vague_dates(today: date, unit: str, sign: int) -> tuple[str, ...]:
    """The month or year around "a few days ago"; nothing for "a few years ago"."""
    if unit in VAGUE_DAYS:
        return (periods.shift_days(today, sign * VAGUE_DAYS[unit]).isoformat()[:7],)
    if unit == "month":
        return (periods.month_from(today, sign * 3).start.isoformat()[:4],)
    return ()


def _few(match: re.Match[str], moment: Moment, sign: int, word: str) -> Found:
    unit = _unit(match["unit"])
    count = match["count"]
    day = written(Period("day", moment.today))
    return Found(f"{count} {match['unit']}s {word} {day}", vague_dates(moment.today, unit, sign))


def few_ago(match: re.Match[str], moment: Moment) -> Found:
    """A few days ago."""
    return _few(match, moment, -1, "before")


def in_few(match: re.Match[str], moment: Moment) -> Found | None:
    """In a couple of weeks."""
    return None if moment.future is False else _few(match, moment, 1, "after")


def other_day(_match: re.Match[str], moment: Moment) -> Found:
    """The other day."""
    day = written(Period("day", moment.today))
    return Found(f"a few days before {day}", vague_dates(moment.today, "day", -1))


def season(match: re.Match[str], moment: Moment) -> Found:
    """Last summer, next spring."""
    season = match["season"].lower()
    step = STEPS[match["which"].lower()]
    first = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}[season]
    year = periods.year_from(moment.today, step)
    if step == -1 and moment.today.month >= first + 3:  # "last summer", said in autumn
        year = periods.year_from(moment.today, 0)
    if step == 1 and moment.today.month < first:  # "next summer", said in spring
        year = periods.year_from(moment.today, 0)
    text = f"{season} {year.start.year}"
    governed = GOVERNED.search(before(match))
    return Found(text if governed else f"in {text}", year.iso)


def month_step(match: re.Match[str], moment: Moment) -> Found:
    """Last May, next June."""
    number = MONTH_NUMBERS[match["month"][:3].lower()]
    which = match["which"].lower()
    if which == "this":
        return _place(match, Period("month", date(moment.today.year, number, 1)))
    month = periods.nearest_month(moment.today, number, future=which == "next")
    if month == periods.month_from(moment.today, 0):
        month = periods.month_from(moment.today, 12)
    return _place(match, month)


def in_month(match: re.Match[str], moment: Moment) -> Found | None:
    """In January: the last or the next one, where the verb says so."""
    if moment.future is None or HABIT.search(before(match, 60)):
        return None
    if re.search(r"\b(?:birthday|born|anniversary)\b", around(match), re.IGNORECASE):
        return None
    number = MONTH_NUMBERS[match["month"][:3].lower()]
    return _place(match, periods.nearest_month(moment.today, number, future=moment.future))


def year_day(match: re.Match[str], moment: Moment) -> Found | None:
    """On 9 November, May 5th: a date of this year or the next where the verb says so."""
    future = moment.future
    if future is None and re.search(r"\b(?:is|are)\s+$", before(match)):  # "my last day is May 5"
        future = True
    if future is None or re.search(
        r"\b(?:birthday|born|anniversary|every|each)\b", around(match), re.IGNORECASE
    ):
        return None
    day = int(match["day"] or match["day2"])
    month = MONTH_NUMBERS[(match["month"] or match["month2"])[:3].lower()]
    return _place(match, periods.nearest_yearday(moment.today, month, day, future=future))


def month_day(match: re.Match[str], moment: Moment) -> Found | None:
    """On the 15th."""
    if moment.future is None:
        return None
    day = int(match["day"])
    return _place(match, periods.nearest_monthday(moment.today, day, future=moment.future))


def full_day(match: re.Match[str], _moment: Moment) -> Found:
    """7 May 2023, May 7th, 2023."""
    month = MONTH_NUMBERS[(match["month"] or match["month2"])[:3].lower()]
    day = date(int(match["year"]), month, int(match["day"] or match["day2"]))
    return Found(None, Period("day", day).iso)


def full_span(match: re.Match[str], _moment: Moment) -> Found:
    """The week of 2 March 2026."""
    month = MONTH_NUMBERS[match["month"][:3].lower()]
    day = date(int(match["year"]), month, int(match["day"]))
    unit: Unit = "weekend" if match["unit"].lower() == "weekend" else "week"
    return Found(None, Period(unit, day).iso)


def full_vague(match: re.Match[str], _moment: Moment) -> Found:
    """A few days before 10 March 2026."""
    month = MONTH_NUMBERS[match["month"][:3].lower()]
    day = date(int(match["year"]), month, int(match["day"]))
    sign = -1 if match["side"].lower() == "before" else 1
    return Found(None, vague_dates(day, match["unit"].lower(), sign))


def full_month(match: re.Match[str], _moment: Moment) -> Found:
    """May 2023."""
    month = MONTH_NUMBERS[match["month"][:3].lower()]
    return Found(None, (f"{match['year']}-{month:02d}",))


def full_year(match: re.Match[str], _moment: Moment) -> Found:
    """In 2019, summer 2025."""
    return Found(None, (match["year"],))


def digits(match: re.Match[str], _moment: Moment) -> Found:
    """2023-05-07."""
    day = date(int(match["year"]), int(match["month"]), int(match["day"]))
    return Found(None, (day.isoformat(),))

"""Stretches of the calendar, counted from a day: the arithmetic below the date grammars."""

from __future__ import annotations

from calendar import monthrange
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

Unit = Literal["day", "week", "weekend", "month", "year"]

SATURDAY = 5


@dataclass(frozen=True, slots=True)
class Period:
    """A day, a week (Monday to Sunday), a weekend, a month or a year."""

    unit: Unit
    start: date

    @property
    def iso(self) -> tuple[str, ...]:
        """Its ISO form: a day, month or year; first and last day of a week or weekend."""
        first = self.start.isoformat()
        match self.unit:
            case "day":
                return (first,)
            case "month":
                return (first[:7],)
            case "year":
                return (first[:4],)
            case "week":
                return (first, shift_days(self.start, 6).isoformat())
            case "weekend":
                return (first, shift_days(self.start, 1).isoformat())


def shift_days(day: date, days: int) -> date:
    """The day so many days later. OverflowError outside the years 1 to 9999."""
    return day + timedelta(days=days)


def day_from(today: date, days: int) -> Period:
    """The day so many days from today."""
    return Period("day", shift_days(today, days))


def week_from(today: date, weeks: int) -> Period:
    """The week so many weeks from this one."""
    return Period("week", shift_days(today, 7 * weeks - today.weekday()))


def weekend_from(today: date, weeks: int) -> Period:
    """The weekend of the week so many weeks from this one."""
    return Period("weekend", shift_days(today, 7 * weeks - today.weekday() + SATURDAY))


def weekday_from(today: date, weekday: int, weeks: int) -> Period:
    """A weekday (0 is Monday) of the week so many weeks from this one."""
    return Period("day", shift_days(today, 7 * weeks - today.weekday() + weekday))


def month_from(today: date, months: int) -> Period:
    """The month so many months from this one. ValueError outside the years 1 to 9999."""
    year, month = divmod(today.year * 12 + today.month - 1 + months, 12)
    return Period("month", date(year, month + 1, 1))


def year_from(today: date, years: int) -> Period:
    """The year so many years from this one. ValueError outside the years 1 to 9999."""
    return Period("year", date(today.year + years, 1, 1))


def counted(today: date, unit: Unit, count: int) -> Period:
    """The day, week, month or year so many of its kind from now; the past is negative."""
    match unit:
        case "day":
            return day_from(today, count)
        case "week":
            return week_from(today, count)
        case "weekend":
            return weekend_from(today, count)
        case "month":
            return month_from(today, count)
        case "year":
            return year_from(today, count)


def nearest_weekday(today: date, weekday: int, *, future: bool) -> Period:
    """The next such weekday after today, or the last one before it."""
    ahead = (weekday - today.weekday() - 1) % 7 + 1
    behind = (today.weekday() - weekday - 1) % 7 + 1
    return day_from(today, ahead if future else -behind)


def nearest_month(today: date, month: int, *, future: bool) -> Period:
    """The next such month (this one included) or the last one (this one excluded)."""
    ahead = (month - today.month) % 12
    behind = (today.month - month - 1) % 12 + 1
    return month_from(today, ahead if future else -behind)


def nearest_yearday(today: date, month: int, day: int, *, future: bool) -> Period:
    """The next such day of the year (today included) or the last one (today included).

    Raises:
        ValueError: There is no such day, or it lies outside the years 1 to 9999.
    """
    step = 1 if future else -1
    for year in range(today.year, today.year + 9 * step, step):  # 29 February: 8 years at most
        if day > monthrange(year, month)[1]:
            continue
        found = date(year, month, day)
        if (found >= today) if future else (found <= today):
            return Period("day", found)
    raise ValueError(f"there is no day {day} in month {month}")


def nearest_monthday(today: date, day: int, *, future: bool) -> Period:
    """The next such day of a month (today included) or the last one (today included).

    Raises:
        ValueError: There is no such day, or it lies outside the years 1 to 9999.
    """
    for months in range(4):
        month = month_from(today, months if future else -months).start
        if not 1 <= day <= monthrange(month.year, month.month)[1]:
            continue
        found = month.replace(day=day)
        if (found >= today) if future else (found <= today):
            return Period("day", found)
    raise ValueError(f"no month has a day {day}")

"""How English speaks of dates."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date

from memori_core.augmentation.rules.dates import periods
from memori_core.augmentation.rules.dates.english_tense import tense
from memori_core.augmentation.rules.dates.grammar import (
    Found,
    Grammar,
    Moment,
    around,
    before,
    rules,
)
from memori_core.augmentation.rules.dates.periods import Period, Unit

MONTHS = (
    "January February March April May June July August September October November December"
).split()
WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
NUMBERS: Sequence[str] = (
    "zero one two three four five six seven eight nine ten eleven twelve".split()
)
DAY_PARTS = "morning|afternoon|evening|night"

_MONTH_NUMBERS = {name[:3].lower(): number for number, name in enumerate(MONTHS, 1)}
_WEEKDAY_NUMBERS = {name[:3].lower(): number for number, name in enumerate(WEEKDAYS)}
_NAMED_DAYS = {
    "the day before yesterday": -2,
    "yesterday": -1,
    "last": -1,
    "today": 0,
    "this": 0,
    "to": 0,
    "tomorrow": 1,
    "the day after tomorrow": 2,
}
_STEPS = {"last": -1, "this": 0, "the": 0, "next": 1}
_VAGUE_DAYS = {"day": 3, "week": 21}

# "may", "march", "sun" and "sat" are words too: months need a number beside them here, and of the
# short weekdays only the harmless ones are read, after "last", "this", "next" or "on".
_MONTH = (
    "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_WEEKDAY = "(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_SHORT_WEEKDAY = f"(?:{_WEEKDAY}|mon|tues?|weds?|thurs?|fri)"
_NUMBER = rf"(?:\d{{1,3}}|an?|{'|'.join(NUMBERS[1:])})"
_UNIT = "(?:day|night|week|month|year)"
_VAGUE = r"(?:(?:just )?a few|a couple(?: of)?|a handful of|several|some|many|a number of)"
_DAY = r"(?:0?[1-9]|[12]\d|3[01])"
_YEAR = r"(?:1[89]|20|21)\d\d"
_IN = "(?:in|since|until|till|by|before|after|from|during|to|of|around)"

# A date after one of these is what the preposition asks for; "on" and "in" would be one too many.
_GOVERNED = re.compile(
    r"(?:\b(?:since|until|till|by|from|for|before|after|of|to|through|around|about|than|starting"
    r"|called|(?:early|late|later|earlier|sometime|start|middle|end))|[-–/(:])\s*$",
    re.IGNORECASE,
)
_IS_SUBJECT = re.compile(r"\s*(?:is|was|will|has|had|'s|’s)\b", re.IGNORECASE)
_STARTS = re.compile(r"(?:^|[.;!?,:]|\b(?:and|but|because|that))\s*$", re.IGNORECASE)
_HABIT = re.compile(
    r"\b(?:every|each|except|but|most|any|usually|always|never|normally|don't|doesn't|do not"
    r"|does not|often|rarely|only)\b",
    re.IGNORECASE,
)


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
    if _GOVERNED.search(lead_in):
        return Found(text, period.iso)
    if not part and _STARTS.search(lead_in) and _IS_SUBJECT.match(after):
        return Found(text, period.iso)
    if after[:2] in ("'s", "’s"):
        return Found(text, period.iso)
    lead = "in" if period.unit in ("week", "month", "year") else "on"
    if _STARTS.search(lead_in) and match.group()[0].isupper():
        lead = lead.capitalize()
    return Found(f"{lead} {text}", period.iso)


def _number(word: str) -> int:
    word = word.lower()
    if word.isdecimal():
        return int(word)
    return 1 if word in ("a", "an") else NUMBERS.index(word)


def _unit(word: str) -> Unit:
    word = word.lower()
    return "day" if word == "night" else word  # pyright: ignore[reportReturnType] # one of _UNIT


def _named_day(match: re.Match[str], moment: Moment) -> Found:
    """Yesterday, last night, tomorrow morning …"""
    day = periods.day_from(moment.today, _NAMED_DAYS[match["named"].lower()])
    return _place(match, day, part=(match["part"] or "").lower())


def _weekday(match: re.Match[str], moment: Moment) -> Found | None:
    """Last Friday, on Saturday, Monday evening …"""
    number = _WEEKDAY_NUMBERS[match["weekday"][:3].lower()]
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
    if future is None and _HABIT.search(before(match, 60)):
        return None
    if re.search(r"\b(?:every|each|any)\s+$", before(match, 8), re.IGNORECASE):
        return None
    day = periods.nearest_weekday(today, number, future=future is not False)
    return _place(match, day, part=part)


def _unit_step(match: re.Match[str], moment: Moment) -> Found | None:
    """Last week, this weekend, next month, over the weekend …"""
    step = _STEPS[match["which"].lower()]
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


def _beyond(match: re.Match[str], moment: Moment) -> Found:
    """The week before last, the month after next."""
    step = -2 if match["beyond"].lower() == "before last" else 2
    unit = match["unit"].lower()
    return _place(match, periods.counted(moment.today, unit, step))  # pyright: ignore[reportArgumentType] # a unit of the pattern


def _edge(match: re.Match[str], moment: Moment) -> Found | None:
    """By the end of the month, at the beginning of next year."""
    unit = match["unit"].lower()
    if unit == "day":
        return None
    step = _STEPS[match["which"].lower()]
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


def _ago(match: re.Match[str], moment: Moment) -> Found | None:
    """Two days ago, a year and a half ago."""
    return _count(match, moment, -1)


def _in(match: re.Match[str], moment: Moment) -> Found | None:
    """In three weeks, two days from now."""
    if moment.future is False:  # "wrote it in three weeks" is how long it took
        return None
    return _count(match, moment, 1)


def _half_year_ago(match: re.Match[str], moment: Moment) -> Found:
    """Half a year ago."""
    return _place(match, periods.month_from(moment.today, -6))


def _today(match: re.Match[str], moment: Moment) -> Found:
    """Three hours ago, earlier today."""
    hours = match["hours"]
    day = moment.hours_from(-_number(hours)) if hours else moment.today
    return _place(match, Period("day", day))


def vague_dates(today: date, unit: str, sign: int) -> tuple[str, ...]:
    """The month or year around "a few days ago"; nothing for "a few years ago"."""
    if unit in _VAGUE_DAYS:
        return (periods.shift_days(today, sign * _VAGUE_DAYS[unit]).isoformat()[:7],)
    if unit == "month":
        return (periods.month_from(today, sign * 3).start.isoformat()[:4],)
    return ()


def _few(match: re.Match[str], moment: Moment, sign: int, word: str) -> Found:
    unit = _unit(match["unit"])
    count = match["count"]
    day = written(Period("day", moment.today))
    return Found(f"{count} {match['unit']}s {word} {day}", vague_dates(moment.today, unit, sign))


def _few_ago(match: re.Match[str], moment: Moment) -> Found:
    """A few days ago."""
    return _few(match, moment, -1, "before")


def _in_few(match: re.Match[str], moment: Moment) -> Found | None:
    """In a couple of weeks."""
    return None if moment.future is False else _few(match, moment, 1, "after")


def _other_day(_match: re.Match[str], moment: Moment) -> Found:
    """The other day."""
    day = written(Period("day", moment.today))
    return Found(f"a few days before {day}", vague_dates(moment.today, "day", -1))


def _season(match: re.Match[str], moment: Moment) -> Found:
    """Last summer, next spring."""
    season = match["season"].lower()
    step = _STEPS[match["which"].lower()]
    first = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}[season]
    year = periods.year_from(moment.today, step)
    if step == -1 and moment.today.month >= first + 3:  # "last summer", said in autumn
        year = periods.year_from(moment.today, 0)
    if step == 1 and moment.today.month < first:  # "next summer", said in spring
        year = periods.year_from(moment.today, 0)
    text = f"{season} {year.start.year}"
    governed = _GOVERNED.search(before(match))
    return Found(text if governed else f"in {text}", year.iso)


def _month_step(match: re.Match[str], moment: Moment) -> Found:
    """Last May, next June."""
    number = _MONTH_NUMBERS[match["month"][:3].lower()]
    which = match["which"].lower()
    if which == "this":
        return _place(match, Period("month", date(moment.today.year, number, 1)))
    month = periods.nearest_month(moment.today, number, future=which == "next")
    if month == periods.month_from(moment.today, 0):
        month = periods.month_from(moment.today, 12)
    return _place(match, month)


def _year_day(match: re.Match[str], moment: Moment) -> Found | None:
    """On 9 November, May 5th: a date of this year or the next where the verb says so."""
    if moment.future is None or re.search(
        r"\b(?:birthday|born|anniversary|every|each)\b", around(match), re.IGNORECASE
    ):
        return None
    day = int(match["day"] or match["day2"])
    month = _MONTH_NUMBERS[(match["month"] or match["month2"])[:3].lower()]
    return _place(match, periods.nearest_yearday(moment.today, month, day, future=moment.future))


def _month_day(match: re.Match[str], moment: Moment) -> Found | None:
    """On the 15th."""
    if moment.future is None:
        return None
    day = int(match["day"])
    return _place(match, periods.nearest_monthday(moment.today, day, future=moment.future))


def _full_day(match: re.Match[str], _moment: Moment) -> Found:
    """7 May 2023, May 7th, 2023."""
    month = _MONTH_NUMBERS[(match["month"] or match["month2"])[:3].lower()]
    day = date(int(match["year"]), month, int(match["day"] or match["day2"]))
    return Found(None, Period("day", day).iso)


def _full_span(match: re.Match[str], _moment: Moment) -> Found:
    """The week of 2 March 2026."""
    month = _MONTH_NUMBERS[match["month"][:3].lower()]
    day = date(int(match["year"]), month, int(match["day"]))
    unit: Unit = "weekend" if match["unit"].lower() == "weekend" else "week"
    return Found(None, Period(unit, day).iso)


def _full_vague(match: re.Match[str], _moment: Moment) -> Found:
    """A few days before 10 March 2026."""
    month = _MONTH_NUMBERS[match["month"][:3].lower()]
    day = date(int(match["year"]), month, int(match["day"]))
    sign = -1 if match["side"].lower() == "before" else 1
    return Found(None, vague_dates(day, match["unit"].lower(), sign))


def _full_month(match: re.Match[str], _moment: Moment) -> Found:
    """May 2023."""
    month = _MONTH_NUMBERS[match["month"][:3].lower()]
    return Found(None, (f"{match['year']}-{month:02d}",))


def _full_year(match: re.Match[str], _moment: Moment) -> Found:
    """In 2019, summer 2025."""
    return Found(None, (match["year"],))


def _digits(match: re.Match[str], _moment: Moment) -> Found:
    """2023-05-07."""
    day = date(int(match["year"]), int(match["month"]), int(match["day"]))
    return Found(None, (day.isoformat(),))


_ON = r"(?:(?:on|in|at|over|during) )?"
_PART = f"(?: (?P<part>{DAY_PARTS}))?"
_FULL_DAY = rf"(?P<day>{_DAY})(?:st|nd|rd|th)?(?: of)? (?P<month>{_MONTH}),?"
_FULL_DAY2 = rf"(?P<month2>{_MONTH}) (?P<day2>{_DAY})(?:st|nd|rd|th)?\b"
_SPAN_DAY = rf"(?P<day>{_DAY}) (?P<month>{_MONTH}) (?P<year>\d{{4}})"

ENGLISH = Grammar(
    rules(
        (r"(?P<year>\d{4})[-/](?P<month>\d\d?)[-/](?P<day>\d\d?)(?![-/\d])", _digits),
        (rf"the (?P<unit>week(?:end)?) of {_SPAN_DAY}", _full_span),
        (rf"{_VAGUE} (?P<unit>{_UNIT})s (?P<side>before|after) {_SPAN_DAY}", _full_vague),
        (rf"(?:{_FULL_DAY}|{_FULL_DAY2},?) (?P<year>\d{{4}})", _full_day),
        (rf"{_ON}(?:the )?(?:{_FULL_DAY}|{_FULL_DAY2})(?! ?\d)", _year_day),
        (rf"(?P<month>{_MONTH}),? (?P<year>{_YEAR})", _full_month),
        (rf"(?:{_IN}|spring|summer|autumn|fall|winter) (?P<year>{_YEAR})", _full_year),
        (
            rf"{_ON}(?P<named>the day (?:before yesterday|after tomorrow))(?P<part>(?!.))?",
            _named_day,
        ),
        (rf"(?P<named>yesterday|tomorrow){_PART}", _named_day),
        (r"(?P<named>last) (?P<part>night|evening)", _named_day),
        (rf"(?P<named>this) (?P<part>{DAY_PARTS})", _named_day),
        (r"(?P<named>to)(?P<part>night)", _named_day),
        (r"(?P<hours>(?:(?:about|some) )?)(?:earlier|later)? ?today(?! s)", _today),
        (rf"(?P<hours>{_NUMBER}) (?:hours?|hrs?) ago", _today),
        (
            r"(?P<hours>)(?:half an hour|(?:\d+|an?|a few|several|\w+) (?:minutes?|mins?)) ago",
            _today,
        ),
        (
            (
                r"(?P<lead>(?:by|at|until|till|before|from|in|towards?|since|around) )?(?:the )?"
                r"(?P<edge>end|start|beginning|middle) of (?P<which>the|this|next|last)"
                r" (?P<unit>day|week|month|year)"
            ),
            _edge,
        ),
        (r"the (?P<unit>week|weekend|month|year) (?P<beyond>before last|after next)", _beyond),
        (
            (
                rf"{_ON}(?:(?P<step>last|this past|this|next|on) )"
                rf"(?P<weekday>{_SHORT_WEEKDAY}){_PART}(?!,? (?:the )?\d|,? {_MONTH} \d)"
            ),
            _weekday,
        ),
        (
            rf"(?P<step>(?:on )?)(?P<weekday>{_WEEKDAY}){_PART}(?!,? (?:the )?\d|,? {_MONTH} \d)",
            _weekday,
        ),
        (
            rf"{_ON}(?<!the )(?P<which>last|this|next) (?P<unit>weekend|week|month|year)(?! of\b)",
            _unit_step,
        ),
        (r"(?:on|over|at|for|during) (?P<which>the) (?P<unit>weekend)(?! of\b)", _unit_step),
        (
            (
                rf"{_ON}(?<!the )(?P<which>last|this|next) (?P<season>spring|summer|autumn|fall"
                rf"|winter)"
            ),
            _season,
        ),
        (rf"{_ON}(?P<which>last|this|next) (?P<month>{_MONTH})(?! \d)", _month_step),
        (rf"(?P<count>{_VAGUE}) (?P<unit>{_UNIT})s? (?:ago|back)", _few_ago),
        (rf"in (?P<count>{_VAGUE}) (?P<unit>{_UNIT})s?(?:' time|’ time)?", _in_few),
        (r"half a year ago", _half_year_ago),
        (
            (
                rf"(?:about |around |almost |nearly |over "
                rf"|roughly )?(?P<count>{_NUMBER}) (?P<unit>{_UNIT})s?"
                r"(?P<half> and a half)? ago"
            ),
            _ago,
        ),
        (
            (
                rf"in (?:about )?(?P<count>{_NUMBER}) (?P<unit>{_UNIT})s?(?P<half> and a half)?"
                r"(?:['’] time|['’]s time)?"
            ),
            _in,
        ),
        (
            (
                rf"(?P<count>{_NUMBER}) (?P<unit>{_UNIT})s?(?P<half> and a half)?"
                r" from (?:now|today)"
            ),
            _in,
        ),
        (r"the other (?:day|night|week)", _other_day),
        (rf"{_ON}the (?P<day>{_DAY})(?:st|nd|rd|th)(?! \w)", _month_day),
    ),
    wrap=r"(?<![\w-])(?:{})(?![\w-])",
    hint=r"\d|day|night|morning|afternoon|evening|week|month|year|tomorrow|ago\b|today|last|this|next"
    r"|half an hour|sp?ring|summer|autumn|fall|winter",
    tense=tense,
    clause_end=r"[.;!?\n]|, (?:and|but|so) |\bbut\b",
)

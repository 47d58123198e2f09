"""Words and patterns of English dates."""

from __future__ import annotations

import re
from collections.abc import Sequence

MONTHS = (
    "January February March April May June July August September October November December"
).split()
WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
NUMBERS: Sequence[str] = (
    "zero one two three four five six seven eight nine ten eleven twelve".split()
)
DAY_PARTS = "morning|afternoon|evening|night"

MONTH_NUMBERS = {name[:3].lower(): number for number, name in enumerate(MONTHS, 1)}
WEEKDAY_NUMBERS = {name[:3].lower(): number for number, name in enumerate(WEEKDAYS)}
NAMED_DAYS = {
    "the day before yesterday": -2,
    "yesterday": -1,
    "last": -1,
    "today": 0,
    "this": 0,
    "to": 0,
    "tomorrow": 1,
    "the day after tomorrow": 2,
}
STEPS = {"last": -1, "this": 0, "the": 0, "next": 1}
VAGUE_DAYS = {"day": 3, "week": 21}

# "may", "march", "sun" and "sat" are words too: months need a number beside them here, and of the
# short weekdays only the harmless ones are read, after "last", "this", "next" or "on".
MONTH = (
    "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b(?:\.(?= ?\d))?"
)
WEEKDAY = "(?:mon|tues|wednes|thurs|fri|satur|sun)day"
SHORT_WEEKDAY = f"(?:{WEEKDAY}|mon|tues?|weds?|thurs?|fri)"
NUMBER = rf"(?:\d{{1,3}}|an?|{'|'.join(NUMBERS[1:])})"
UNIT = "(?:day|night|week|month|year)"
VAGUE = r"(?:(?:just )?a few|a couple(?: of)?|a handful of|several|some|many|a number of)"
DAY = r"(?:0?[1-9]|[12]\d|3[01])"
YEAR = r"(?:1[89]|20|21)\d\d"
IN = "(?:in|since|until|till|by|before|after|from|during|to|of|around)"

# A date after one of these is what the preposition asks for; "on" and "in" would be one too many.
GOVERNED = re.compile(
    r"(?:\b(?:since|until|till|by|from|for|before|after|of|to|through|around|about|than|starting"
    r"|called|(?:early|late|later|earlier|sometime|start|middle|end))|[-–/(:])\s*$",
    re.IGNORECASE,
)
IS_SUBJECT = re.compile(r"\s*(?:is|was|will|has|had|'s|’s)\b", re.IGNORECASE)
STARTS = re.compile(r"(?:^|[.;!?,:]|\b(?:and|but|because|that))\s*$", re.IGNORECASE)
HABIT = re.compile(
    r"\b(?:every|each|except|but|most|any|usually|always|never|normally|don't|doesn't|do not"
    r"|does not|often|rarely|only)\b",
    re.IGNORECASE,
)

"""How English speaks of dates: which phrases, and what reads them."""

from __future__ import annotations

from memori_core.augmentation.rules.dates import english_readers as readers
from memori_core.augmentation.rules.dates.english_tense import tense
from memori_core.augmentation.rules.dates.english_words import (
    DAY,
    DAY_PARTS,
    IN,
    MONTH,
    NUMBER,
    SHORT_WEEKDAY,
    UNIT,
    VAGUE,
    WEEKDAY,
    YEAR,
)
from memori_core.augmentation.rules.dates.grammar import Grammar, rules

_ON = r"(?:(?:on|in|at|over|during) )?"
_PART = f"(?: (?P<part>{DAY_PARTS}))?"
_FULL_DAY = rf"(?P<day>{DAY})(?:st|nd|rd|th)?(?: of)? (?P<month>{MONTH}),?"
_FULL_DAY2 = rf"(?P<month2>{MONTH}) (?P<day2>{DAY})(?:st|nd|rd|th)?\b"
_SPAN_DAY = rf"(?P<day>{DAY}) (?P<month>{MONTH}) (?P<year>\d{{4}})"

ENGLISH = Grammar(
    rules(
        (r"(?P<year>\d{4})[-/](?P<month>\d\d?)[-/](?P<day>\d\d?)(?![-/\d])", readers.digits),
        (rf"the (?P<unit>week(?:end)?) of {_SPAN_DAY}", readers.full_span),
        (rf"{VAGUE} (?P<unit>{UNIT})s (?P<side>before|after) {_SPAN_DAY}", readers.full_vague),
        (rf"(?:{_FULL_DAY}|{_FULL_DAY2},?) (?P<year>\d{{4}})", readers.full_day),
        (rf"{_ON}(?:the )?(?:{_FULL_DAY}|{_FULL_DAY2})(?! ?\d)", readers.year_day),
        (rf"(?P<month>{MONTH}),? (?P<year>{YEAR})", readers.full_month),
        (rf"(?:{IN}|spring|summer|autumn|fall|winter) (?P<year>{YEAR})", readers.full_year),
        (
            rf"{_ON}(?P<named>the day (?:before yesterday|after tomorrow))(?P<part>(?!.))?",
            readers.named_day,
        ),
        (rf"(?P<named>yesterday|tomorrow){_PART}", readers.named_day),
        (r"(?P<named>last) (?P<part>night|evening)", readers.named_day),
        (rf"(?P<named>this) (?P<part>{DAY_PARTS})", readers.named_day),
        (r"(?P<named>to)(?P<part>night)", readers.named_day),
        (r"(?P<hours>(?:(?:about|some) )?)(?:earlier|later)? ?today(?! s)", readers.today),
        (rf"(?P<hours>{NUMBER}) (?:hours?|hrs?) ago", readers.today),
        (
            r"(?P<hours>)(?:half an hour|(?:\d+|an?|a few|several|\w+) (?:minutes?|mins?)) ago",
            readers.today,
        ),
        (
            (
                r"(?P<lead>(?:by|at|until|till|before|from|in|towards?|since|around) )?(?:the )?"
                r"(?P<edge>end|start|beginning|middle) of (?P<which>the|this|next|last)"
                r" (?P<unit>day|week|month|year)"
            ),
            readers.edge,
        ),
        (
            r"the (?P<unit>week|weekend|month|year) (?P<beyond>before last|after next)",
            readers.beyond,
        ),
        (
            (
                rf"{_ON}(?:(?P<step>last|this past|this|next|on) )"
                rf"(?P<weekday>{SHORT_WEEKDAY}){_PART}(?!,? (?:the )?\d|,? {MONTH} \d)"
            ),
            readers.weekday,
        ),
        (
            rf"(?P<step>(?:on )?)(?P<weekday>{WEEKDAY}){_PART}(?!,? (?:the )?\d|,? {MONTH} \d)",
            readers.weekday,
        ),
        (
            rf"{_ON}(?<!the )(?P<which>last|this|next) (?P<unit>weekend|week|month|year)(?! of\b)",
            readers.unit_step,
        ),
        (r"(?:on|over|at|for|during) (?P<which>the) (?P<unit>weekend)(?! of\b)", readers.unit_step),
        (
            (
                rf"{_ON}(?<!the )(?P<which>last|this|next) (?P<season>spring|summer|autumn|fall"
                rf"|winter)"
            ),
            readers.season,
        ),
        (rf"{_ON}(?P<which>last|this|next) (?P<month>{MONTH})(?! \d)", readers.month_step),
        (rf"in (?P<month>{MONTH})(?! ?\d)", readers.in_month),
        (rf"(?P<count>{VAGUE}) (?P<unit>{UNIT})s? (?:ago|back)", readers.few_ago),
        (rf"in (?P<count>{VAGUE}) (?P<unit>{UNIT})s?(?:' time|’ time)?", readers.in_few),
        (r"half a year ago", readers.half_year_ago),
        (
            (
                rf"(?:about |around |almost |nearly |over "
                rf"|roughly )?(?P<count>{NUMBER}) (?P<unit>{UNIT})s?"
                r"(?P<half> and a half)? ago"
            ),
            readers.ago,
        ),
        (
            (
                rf"in (?:about )?(?P<count>{NUMBER}) (?P<unit>{UNIT})s?(?P<half> and a half)?"
                r"(?:['’] time|['’]s time)?"
            ),
            readers.in_so_long,
        ),
        (
            (
                rf"(?P<count>{NUMBER}) (?P<unit>{UNIT})s?(?P<half> and a half)?"
                r" from (?:now|today)"
            ),
            readers.in_so_long,
        ),
        (r"the other (?:day|night|week)", readers.other_day),
        (rf"{_ON}the (?P<day>{DAY})(?:st|nd|rd|th)(?! \w)", readers.month_day),
    ),
    wrap=r"(?<![\w-])(?:{})(?![\w-])",
    hint=r"\d|day|night|morning|afternoon|evening|week|month|year|tomorrow|ago\b|today|last|this|next"
    r"|half an hour|sp?ring|summer|autumn|fall|winter"
    r"|\bin (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)",
    tense=tense,
    clause_end=r"[.;!?\n]|, (?:and|but|so) |\bbut\b",
)

"""How Chinese speaks of dates. Patterns are in simplified characters."""

from __future__ import annotations

import re
from datetime import date

from memori_core.augmentation.rules.chinese_script import simplify
from memori_core.augmentation.rules.dates import periods
from memori_core.augmentation.rules.dates.chinese_tense import tense
from memori_core.augmentation.rules.dates.grammar import Found, Grammar, Moment, around, rules
from memori_core.augmentation.rules.dates.periods import Period, Unit

_DIGITS = {digit: value for value, digit in enumerate("零一二三四五六七八九")} | {
    "两": 2,
    "\u3007": 0,
}
_WEEKDAYS = {name: number for number, name in enumerate("一二三四五六日")} | {"天": 6}
_DAYS = {
    "大前": -3,
    "前": -2,
    "昨": -1,
    "尋": -1,
    "今": 0,
    "明": 1,
    "听": 1,
    "后": 2,
    "大后": 3,
}
_YEARS = {"大前": -3, "前": -2, "去": -1, "今": 0, "本": 0, "明": 1, "后": 2}
_STEPS = {"上上": -2, "上": -1, "这": 0, "本": 0, "下": 1, "下下": 2}
_PARTS = {"晚": "晚上", "夜": "夜里", "早": "早上", "晨": "早晨"}
_UNITS: dict[str, Unit] = {
    "天": "day",
    "日": "day",
    "周": "week",
    "星期": "week",
    "礼拜": "week",
    "月": "month",
    "年": "year",
}

_NUMBER = r"(?:\d{1,3}|[一二两三四五六七八九]?十[一二三四五六七八九]?|[一二两三四五六七八九])"
_DAY = r"(?:[12]\d|3[01]|0?[1-9]|三十一?|二?十[一二三四五六七八九]?|[一二三四五六七八九]|二十)"
_MONTH = r"(?:1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])"
_WEEK = "(?:周|星期|礼拜)"
_NO_AGE = "(?!十[一二三四五六七八九]?周?岁)"
"""In 下周六十岁 the six belongs to the sixty."""
_COUNTED = r"(?![次个遍趟场节种])"  # 一周三次 is no Wednesday


def number(text: str) -> int:
    """A number in digits or in characters, up to 99.

    Raises:
        ValueError: It is neither.
    """
    if text.isdecimal():
        return int(text)
    tens, ten, ones = text.rpartition("十")
    try:
        value = _DIGITS[ones] if ones else 0
        return value + (10 * (_DIGITS[tens] if tens else 1) if ten else 0)
    except KeyError:
        raise ValueError(f"not a number: {text!r}") from None


def written(period: Period, *, traditional: bool = False) -> str:
    """A period as Chinese writes it."""
    day = period.start
    match period.unit:
        case "year":
            return f"{day.year}年"
        case "month":
            return f"{day.year}年{day.month}月"
        case "day":
            return f"{day.year}年{day.month}月{day.day}日"
        case "week":
            return f"{day.year}年{day.month}月{day.day}日那一{'週' if traditional else '周'}"
        case "weekend":
            weekend = "那個週末" if traditional else "那个周末"
            return f"{day.year}年{day.month}月{day.day}日{weekend}"


def _place(period: Period, moment: Moment, after: str = "") -> Found:
    return Found(written(period, traditional=moment.traditional) + after, period.iso)


def _day(match: re.Match[str], moment: Moment) -> Found:
    """昨天, 大后天, 今晚."""
    day = periods.day_from(moment.today, _DAYS[match["day"]])
    return _place(day, moment, _PARTS.get(match["part"], ""))


def _week(match: re.Match[str], moment: Moment) -> Found | None:
    """上周, 下周三, 这个周末."""
    step = _STEPS[match["step"]]
    name = match["name"]
    if not name:
        return _place(periods.week_from(moment.today, step), moment)
    if name == "末":
        if step == 0 and moment.future is False and moment.today.weekday() < periods.SATURDAY:
            step = -1
        return _place(periods.weekend_from(moment.today, step), moment)
    day = periods.weekday_from(moment.today, _WEEKDAYS[name], step)
    if not match["until"]:
        return _place(day, moment)
    last = periods.weekday_from(moment.today, _WEEKDAYS[match["until"]], step)
    return Found(f"{written(day)}到{written(last)}", day.iso + last.iso)


def _month(match: re.Match[str], moment: Moment) -> Found:
    """上个月, 下月底, 这个月15号."""
    month = periods.month_from(moment.today, _STEPS[match["step"]])
    if match["date"]:
        return _place(Period("day", month.start.replace(day=number(match["date"]))), moment)
    return _place(month, moment, match["edge"] or "")


def _year(match: re.Match[str], moment: Moment) -> Found:
    """去年, 明年三月, 今年5月20日."""
    year = periods.year_from(moment.today, _YEARS[match["year"]])
    edge = (match["edge"] or "").removeprefix("年")
    if not match["month"]:
        return _place(year, moment, edge)
    month = year.start.replace(month=number(match["month"]))
    if not match["date"]:
        return _place(Period("month", month), moment, match["end"] or "")
    return _place(Period("day", month.replace(day=number(match["date"]))), moment)


def _weekday(match: re.Match[str], moment: Moment) -> Found | None:
    """周五, where the clause says whether it was or will be."""
    if moment.future is None:
        return None
    name = match["name"]
    if name == "末":
        behind = moment.future is False and moment.today.weekday() < periods.SATURDAY
        return _place(periods.weekend_from(moment.today, -1 if behind else 0), moment)
    day = periods.nearest_weekday(moment.today, _WEEKDAYS[name], future=moment.future)
    return _place(day, moment)


def _edge(match: re.Match[str], moment: Moment) -> Found | None:
    """月底, 年初: of this month or year."""
    if moment.future is None:
        return None
    unit = _UNITS[match["unit"]]
    period = periods.counted(moment.today, unit, 0)
    if moment.future and match["edge"] == "初":
        period = periods.counted(moment.today, unit, 1)
    if moment.future is False and match["edge"] in ("底", "末"):
        period = periods.counted(moment.today, unit, -1)
    return _place(period, moment, match["edge"])


def _shift(match: re.Match[str], moment: Moment) -> Found | None:
    """三年前, 两个月后."""
    before = match["side"] == "前"
    if not before and moment.future is False:  # 三天后就出院了: after something else
        return None
    sign = -1 if before else 1
    if match["count"] == "半":
        if match["unit"] == "年":
            return _place(periods.month_from(moment.today, 6 * sign), moment)
        return _place(periods.day_from(moment.today, 15 * sign), moment)
    count = number(match["count"]) * sign
    unit = _UNITS[match["unit"]]
    if match["half"] and unit == "year":
        return _place(periods.month_from(moment.today, 12 * count + 6 * sign), moment)
    return _place(periods.counted(moment.today, unit, count), moment)


def _vague_dates(today: date, unit: str, sign: int) -> tuple[str, ...]:
    if unit == "month":
        return (periods.month_from(today, sign * 3).start.isoformat()[:4],)
    if unit == "year":
        return ()
    days = 21 if unit == "week" else 3
    return (periods.shift_days(today, sign * days).isoformat()[:7],)


def _vague(match: re.Match[str], moment: Moment) -> Found | None:
    """几天前, 前几年, 过几天."""
    before = match["past"] is not None
    if not before and moment.future is False:
        return None
    today = written(Period("day", moment.today))
    unit = match["unit"] or match["unit2"] or match["unit3"]
    measure = simplify(unit)
    dates = _vague_dates(moment.today, _UNITS[measure.lstrip("个")], -1 if before else 1)
    side = "前" if before else "後" if moment.traditional else "后"
    if moment.traditional:
        measure = measure.replace("个", "個").replace("周", "週").replace("礼", "禮")
    return Found(f"{today}{side}几{measure}", dates)


def _year_day(match: re.Match[str], moment: Moment) -> Found | None:
    """5月20日, where it is not a birthday."""
    if moment.future is None or re.search(r"生日|出生|生于|生的|每年|纪念日|生辰", around(match)):
        return None
    month, day = number(match["month"]), number(match["date"])
    return _place(periods.nearest_yearday(moment.today, month, day, future=moment.future), moment)


def _full(match: re.Match[str], _moment: Moment) -> Found:
    """2023年5月7日, 2026年3月2日那一周, 2023年5月, 2019年."""
    year = date(int(match["year"]), 1, 1)
    if not match["month"]:
        return Found(None, Period("year", year).iso)
    month = year.replace(month=number(match["month"]))
    if not match["date"]:
        return Found(None, Period("month", month).iso)
    day = month.replace(day=number(match["date"]))
    unit: Unit = "week" if match["week"] else "weekend" if match["weekend"] else "day"
    return Found(None, Period(unit, day).iso)


def _full_vague(match: re.Match[str], _moment: Moment) -> Found:
    """2026年3月10日前几天."""
    day = date(int(match["year"]), int(match["month"]), int(match["date"]))
    unit = _UNITS[match["unit"]]
    return Found(None, _vague_dates(day, unit, -1 if match["side"] == "前" else 1))


def _digits(match: re.Match[str], _moment: Moment) -> Found:
    """2023-05-07."""
    day = date(int(match["year"]), int(match["month"]), int(match["date"]))
    return Found(None, (day.isoformat(),))


_FULL_DAY = rf"(?<!\d)(?P<year>\d{{4}})年(?P<month>{_MONTH})月(?P<date>{_DAY})[日号]"

CHINESE = Grammar(
    rules(
        (r"(?<![\d-])(?P<year>\d{4})[-/.](?P<month>\d\d?)[-/.](?P<date>\d\d?)(?![-/.\d])", _digits),
        (rf"{_FULL_DAY}(?P<side>[前后])几个?(?P<unit>[天日月年]|{_WEEK})", _full_vague),
        (
            (
                r"(?<!\d)(?P<year>\d{4})年"
                rf"(?:(?P<month>{_MONTH})月(?:份|(?P<date>{_DAY})[日号]?(?P<week>那一周)?"
                r"(?P<weekend>那个周末)?)?)?"
            ),
            _full,
        ),
        (
            (
                r"(?<![以之最])(?P<day>大前|前|昨|今|明|大后"
                r"|后)[天儿日](?<!前日)(?<!后日)(?P<part>(?!.)晚)?"
                r"(?!天(?!气)|性|头条|方舟|开放)"
            ),
            _day,
        ),
        (r"(?<![如而当])(?P<day>昨|听|今)日(?P<part>(?!.)晚)?(?!头条)", _day),
        (r"(?<![如而当聪高])(?P<day>昨|今|明)(?P<part>[晚早晨夜])(?!年|些|点|期)", _day),
        (
            (
                rf"(?<![早晚])(?P<step>上上|上|这|本|下下|下)[一个]?(?P<week>{_WEEK})"
                rf"(?P<name>末|[一二三四五六日天]{_COUNTED}{_NO_AGE})?"
                rf"(?:(?<=[一二三四五六日天])[到至]{_WEEK}?(?P<until>[一二三四五六日天]))?"
            ),
            _week,
        ),
        (
            (
                rf"(?<![早晚马以])(?P<step>上上|上|这|本|下下|下)[一个]?月份?"
                rf"(?:(?P<date>{_DAY})[日号]|(?P<edge>底|初|末|中旬))?"
            ),
            _month,
        ),
        (
            (
                r"(?<![以之])(?P<year>大前|前|去|今|本|明|后)年(?![级轻龄会货纪代夜终])"
                rf"(?:(?P<month>{_MONTH})月(?:份|(?P<date>{_DAY})[日号]|(?P<end>底|初))?"
                rf"|(?P<edge>年?[底初末]))?"
            ),
            _year,
        ),
        (
            (
                r"(?P<past>前|上)几(?P<unit>天|年|个?(?:月|周|星期"
                r"|礼拜))(?P<unit2>(?!.)天)?(?P<unit3>(?!.)天)?"
            ),
            _vague,
        ),
        (
            (
                r"(?P<past>好?几)(?P<unit2>天|年|个?(?:月|周|星期|礼拜))(?:以"
                r"|之)?前(?P<unit>(?!.)天)?(?P<unit3>(?!.)天)?"
            ),
            _vague,
        ),
        (r"(?P<past>前)[两些](?P<unit3>天|年)(?P<unit>(?!.)天)?(?P<unit2>(?!.)天)?", _vague),
        (
            (
                r"(?<!经)过[几两](?P<unit>天|年|个?(?:月|周|星期|礼拜))(?:以?后)?(?P<past>(?!.)天)?"
                r"(?P<unit2>(?!.)天)?(?P<unit3>(?!.)天)?"
            ),
            _vague,
        ),
        (
            (
                r"(?<!好)几(?P<unit>天|年|个?(?:月|周|星期|礼拜))(?:以|之)?后(?P<past>(?!.)天)?"
                r"(?P<unit2>(?!.)天)?(?P<unit3>(?!.)天)?"
            ),
            _vague,
        ),
        (
            (
                rf"(?<![每第到十\d])(?P<count>{_NUMBER}|半)(?:个)?(?P<unit>[天日月年]"
                rf"|{_WEEK})(?P<half>半)?多?"
                r"(?:以|之)?(?P<side>[前后])(?![面边者端台卫])"
            ),
            _shift,
        ),
        (
            (
                rf"(?<![每逢第个周期\d一二两三四五六七八九十几半])(?P<week>{_WEEK})(?P<name>末"
                rf"|[一二三四五六日天]{_NO_AGE})"
                rf"(?!{_WEEK}?[一二三四五六日天]|[次个遍趟场节种]|[到至和、-])"
            ),
            _weekday,
        ),
        (r"(?<![每个年月\d一二两三四五六七八九十])(?P<unit>[月年])(?P<edge>底|初|末)(?!级)", _edge),
        (rf"(?<![\d年十])(?P<month>{_MONTH})月(?P<date>{_DAY})[日号]", _year_day),
    ),
    wrap="(?:{})",
    hint=r"[年月周天日号晚早晨夜儿]|星期|礼拜|\d{4}",
    tense=tense,
    clause_end=r"[,，;；。!！?？\n]",
    fold=simplify,
)

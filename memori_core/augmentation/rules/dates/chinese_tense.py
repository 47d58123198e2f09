"""Whether a Chinese clause speaks of the past or the future. Simplified characters."""

from __future__ import annotations

import re
from functools import cache, lru_cache

_HABIT = (
    r"每|[都总]|一般|通常|平时|经常|时常|常常|习惯|固定|除了|从不|从来不|向来|只要|不(?!久|小心|幸"
    r"|料|得不)|没空|有空|休息"
    r"(?!了)|上班(?!了)|上课(?!了)|轮休"
)
_FUTURE = (
    r"要(?!是|求|么|不)|打算|准备|计划|将(?!近)|即将|会(?!议|员|说|计|[^,。]{0,6}语)|想(?!起|到|过"
    r"|了)|得(?:去|交|出|参|赶|回|带|做|上|开|在)"
    r"|需要|约(?:了|好|在)|预约|预定|预产|有(?:个|一|场|节|次|约|事|考|面|会)|考试|面试|出差|手术"
    r"|开学|入职|答辩|截止|到期|婚礼"
    r"|演唱会|聚会|出发|飞(?!机)|去不|回来(?!了)|回国(?!了)|结婚(?!了|的)|毕业(?!了|的|于)|等"
)
_PAST = r"了(?!解)|过(?!敏|年|节|几|两|生日|来|去)|曾|刚|已经|昨|前天|去年|上周|上个"


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    return re.compile(_HABIT), re.compile(_FUTURE), re.compile(_PAST)


@lru_cache(maxsize=64)  # a clause may hold several dates, and hostile texts repeat theirs
def tense(clause: str) -> bool | None:
    """True for the future, False for the past, None for habits and what is left open."""
    habit, future, past = _patterns()
    if habit.search(clause):
        return None
    if re.search(
        r"约了|预约了|预定了|(?:报名?|订|定|抢)了 的|要.*了",
        clause,
    ):
        return True
    if past.search(clause) and not re.search(r"要|打算|准备|计划", clause):
        return False
    return True if future.search(clause) else None

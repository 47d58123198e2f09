"""Who a Chinese clause is about, and the clause told about the user."""

from __future__ import annotations

import re
from dataclasses import KW_ONLY, dataclass
from functools import cache

from memori_core.augmentation.rules.chinese import words
from memori_core.augmentation.rules.chinese.clauses import Clause

USER = "用户"


@dataclass(frozen=True, slots=True)
class Subject:
    """Whom or what a clause is about."""

    text: str
    _: KW_ONLY
    user: bool
    """Whether it is the writer, not a relative or a possession."""
    person: bool = True
    """Whether "she" and a clause without a subject may mean it."""
    close: bool = True
    """Whether its health matters to the writer."""
    attribute: Clause | None = None
    """For a possession, what it is: 生日 in 我的生日."""
    of: str = ""
    """For a possession, whose it is."""


@dataclass(frozen=True, slots=True)
class Told:
    """A clause with its subject."""

    subject: Subject
    rest: Clause
    """What is said, with the writer still as 我."""
    time: Clause | None = None
    """A time that stood before the subject (昨天我…)."""
    elided: bool = False
    """Whether the clause itself names no subject."""


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    kin = "|".join(words.KIN)
    relative = (
        f"(?:{words.RELATIVES}|{words.PETS}|{words.COMPANY}|(?:{kin})(?![\u4e00-\u9fff]{{0,2}}(?:手"
        f"|夫)))"
    )
    me = "(?:我|俺|本人|咱)(?!们)"
    patterns = {
        "time": (
            rf"(?P<time>(?:(?:{words.TIMES})(?:[到至-](?:{words.TIMES}))?|从(?:小"
            rf"|{words.TIMES})(?:开始|起)?)(?:的时候)?[,，、 ]?"
        )
        + (
            rf"|(?:除了|比起|自从|为了|作为|每次|每当|当|在)[^,，我]{{1,16}}|[^,，我]{{1,12}}(?:时候"
            rf"|以后|之后|以来|期间|完|后))(?={me}|我们)"
        ),
        "both": (
            rf"(?:(?P<other>(?:{words.RELATIVES}|{kin}))[和跟与]{me}"
            rf"|{me}[和跟与](?:我的?)?(?P<other2>(?:{words.RELATIVES}|{kin})))(?P<name>)"
        ),
        "home": r"(?:我们|我|咱们?|俺)家(?:里)?(?:的)?(?P<who>(?:"
        + f"{words.RELATIVES}|{words.PETS}|{kin}"
        + r"))",
        "house": r"(?:我们|我|咱们?|俺)家(?P<inside>里)?(?!人|长|乡|属|务|教|政|庭|居|境|常|装)",
        "possessed": rf"(?:我们|{me})(?:的)?(?P<who>(?:[大小二老三前]|亲)?{relative})(?!的)",
        "chain": (
            rf"(?:我们|{me})(?:的)?(?P<who>(?:{words.RELATIVES}"
            rf"|{kin})的[\u4e00-\u9fff\w]{{1,8}}?)(?=是|在|叫|姓|有|对|会|很|不|也|都|刚|今年|来自)"
        ),
        "thing": (
            rf"(?:我们|{me})(?:的|那[辆台部](?=[车电手]))(?P<who>[^,，。!！?？]{{1,24}}?)(?=(?:都|也|其实|一般|主要|基本上?"
            rf"|大概|目前|现在|就)?(?:是(?!不)|在|叫|有|来自|为|不|要|会|很|比较|刚|大概|大约|只有"
            rf"|差不多|(?:{words.TIMES})|快|已经|用|喜欢|坏|丢|住))"
        ),
        "we": r"我们(?:俩|两个?人?|一家人?|全家|夫妻俩?|夫妇)?|咱们|俺们",
        "me": rf"{me}(?:自己|个人|这(?:个)?人)?(?!们)",
        "though": r"(?:虽然|尽管|不但|不仅|因为|由于|既然)+",
        "third": r"(?:她|他|它)(?:们)?(?!妈的|人)",
        "close": (
            rf"(?P<who>{words.CLOSE}|我?家里?的?(?:{words.PETS})|家里人|家人)(?=[^的们和跟与说问、]"
            rf"|和我|的?(?:生日|公司|单位)|的)"
        ),
    }
    return {name: re.compile(pattern) for name, pattern in patterns.items()}


def _full(who: Clause) -> str:
    """The word for a relative in full: 妈 is 妈妈."""
    return who.text * 2 if who.plain in words.KIN else who.text


def _is_person(plain: str) -> bool:
    return (
        re.search(f"(?:{words.RELATIVES}|{words.PETS})$|^[{''.join(words.KIN)}]$", plain)
        is not None
    )


def _is_far(plain: str) -> bool:
    return re.search(
        "朋友$|同事$|同学$|领导$|老板$|邻居$|房东$|室友$|客户$|上司$", plain
    ) is not None and not re.search("男朋友$|女朋友$", plain)


def find_subject(clause: Clause, *, user: str, before: Subject | None) -> Told | None:
    """Whom a clause names as its subject; None where it names nobody that we know.

    Args:
        clause: A clause without what opens it (其实, 但是).
        user: How the writer is called.
        before: The subject of the clause before it, for "she".
    """
    found = _patterns()
    time: Clause | None = None
    if match := found["time"].match(clause.plain):
        time = Clause(clause.text[: match.end()].strip(",， 、"), match["time"].strip(",， 、"))
        clause = clause.cut(match.end())
    plain = clause.plain

    def told(subject: Subject, end: int) -> Told:
        if match := found["though"].match(plain, end):
            end = match.end()
        return Told(subject, clause.cut(end), time)

    def part(match: re.Match[str], group: str) -> Clause:
        return Clause(clause.text[match.start(group) : match.end(group)], match[group])

    if match := found["both"].match(plain):
        other = part(match, "other" if match["other"] else "other2")
        return told(Subject(f"{user}和{_full(other)}", user=False, person=False), match.end())
    for name in ("chain", "home", "possessed"):
        if match := found[name].match(plain):
            who = part(match, "who")
            subject = Subject(
                f"{user}的{_full(who)}",
                user=False,
                person=_is_person(who.plain),
                close=not _is_far(who.plain),
            )
            return told(subject, match.end())
    if match := found["house"].match(plain):
        home = f"{user}家里" if match["inside"] else f"{user}的家"
        return told(Subject(home, user=False, person=False), match.end())
    if match := found["thing"].match(plain):
        who = part(match, "who")
        subject = Subject(
            f"{user}的{_spaced(who.text)}", user=False, person=False, attribute=who, of=user
        )
        return told(subject, match.end())
    if match := found["we"].match(plain):
        rest = match.group().replace("我们", "").replace("咱们", "").replace("俺们", "")
        return told(Subject(f"{user}们{rest}", user=False, person=False), match.end())
    if match := found["me"].match(plain):
        return told(Subject(user, user=True), match.end())
    if before is not None and not before.user and (match := found["third"].match(plain)):
        return told(before, match.end())
    if match := found["close"].match(plain):
        who = part(match, "who")
        return told(
            Subject(f"{user}的{_full(who)}", user=False, close=not _is_far(who.plain)), match.end()
        )
    return None


def _spaced(text: str) -> str:
    """A blank before Latin letters, as they are usually set."""
    return f" {text}" if text[:1].isascii() and text[:1].isalpha() else text


def render(told: Told, *, user: str) -> str:
    """A clause told about the user: 我昨天见了我妈 becomes 用户昨天见了用户的妈."""
    own = "自己的" if told.subject.user else f"{user}的"
    rest = told.rest.text
    rest = re.sub("我们?的", own, rest)
    rest = re.sub("我(?!们)|俺", user, rest).replace("我们", f"{user}们").rstrip("、:： ")
    time = told.time.text if told.time else ""
    return f"{told.subject.text}{time}{_spaced(rest)}"

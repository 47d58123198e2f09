"""Chinese orders to the memory, forms and names."""

from __future__ import annotations

import re
from functools import cache

from memori_core.augmentation.rules.base import Draft, Forget
from memori_core.augmentation.rules.chinese import words
from memori_core.augmentation.rules.chinese.clauses import Clause
from memori_core.augmentation.rules.chinese.relations import is_health
from memori_core.augmentation.rules.chinese.subjects import Subject, Told
from memori_core.conversation import Triple

_PLEASE = "(?:请|麻烦|拜托|你?(?:要|得|可以|能)|务必|一定要?|千万|帮我|给我|替我|另外|以后)*"
_HEADS = "(?:你|您)?"


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    patterns = {
        "remember": (
            rf"^{_HEADS}{_PLEASE}(?:记住|记得|牢记|别忘(?:了|记)?|不要忘(?:了|记)?|记(?:录|着"
            rf"|好)?一?下(?:来)?|记下(?:来)?|备注(?:一下)?|备忘|注意|提醒你?一?下|供参考"
            rf"|补充(?:一点|一下)?|更正(?:一下)?)(?:一下|一点|了|哦|啊|:|：|,|，|\s)*"
        ),
        "forget": (
            rf"^{_HEADS}{_PLEASE}(?:忘掉|忘了|忘记|别(?:再)?记(?!错)|不要(?:再)?记(?!错)"
            rf"|不用(?:再)?记|删掉|删除|清除|抹掉|移除)(?:掉|住|着|得|录|下|了|:|："
            rf"|\s)*(?P<what>.*)$"
        ),
        "forget_it": (
            rf"^{_HEADS}{_PLEASE}把(?P<what>.{{1,40}}?)(?:给|都|全部)*(?:忘掉|忘了|忘记|删掉|删了"
            rf"|删除|清除)(?:吧|了)*$"
        ),
        "prefer": (
            r"^(?:请|麻烦|拜托|以后|今后|从现在起|从今往后|每次|总是|一直|始终|永远|务必|都|尽量"
            r"|最好|一律|你|您|希望你|能不能|跟我|和我|对我|给我|我希望你|我想让你|记得|,|，| "
            r"|回[答复]我?(?:的时候|时)(?=不|别|少|勿))*"
            r"(?P<what>(?:(?:回答|回复|跟我说话|和我聊天)(?:我|时|的时候)*(?:都|一律|尽量|请|要)*用[^,，你]{1,10}?"
            r"|(?:别|不要)(?:再)?[跟和对]我(?:讲|说|提|聊|用)[^,，你]{1,12}?|用(?!户)[^,，]{1,20}?(?:回答|回复|答复|交流|沟通|说话|聊天|对话)|(?:回答"
            r"|回复|答案|解释|说话|讲话|语气|输出|消息|答复)(?:时|的时候|要|请|里|中|得|尽量|都"
            r"|可以|能|再|更|不要|别|用)*"
            r"(?:简短|简洁|简单|精简|短|详细|直接|正式|礼貌|随意|轻松|温柔|幽默|口语|专业|客观|啰嗦"
            r"|废话|emoji|表情|列表|要点|markdown|Markdown|中文|英文|英语|粤语|分点)[^,，]{0,8}"
            r"|(?:别|不要|不用|少|勿)(?:再)?(?:给我)?(?:用|使用|加|带|发|说)?(?:emoji|表情|感叹号"
            r"|颜文字|客套|废话|敬语|您|markdown|Markdown|列表|表格"
            r"|代码块|术语|网络用语|繁体|简体|英文|英语|道歉|啰嗦)[^,，]{0,8}"
            r"|(?:简短|简洁|简单|详细|直接|正式|随意|温柔)(?:一?点儿?|些)(?:回答|回复|说)?"
            r"|称呼我(?:为|叫)?[^,，]{1,8}|说(?:中文|粤语|英文|人话)|(?<=后)(?:都)?(?:别"
            r"|不要)(?:再)?[^,，]{2,16}?(?:了)?|(?:别|不要)再(?:提|推荐|问"
            r"|叫)[^,，]{2,16}?(?:了)?))(?:就行|就好|吧|哦|啊|可以吗|好吗|谢谢)*$"
        ),
        "standing": (
            "以后|今后|从现在|每次|总是|一直|一律|始终|永远|回答|回复|聊天|[跟和对]我|称呼|emoji|表情"
        ),
        "pointing": "这|那|上面|下面|以下|以上|问题$|问题[:：]",
        "call": (
            r"^(?P<who>(?:我的?)?(?:朋友|同事|同学|家人|大家|家里人)们?)?(?:你|您|请|可以|就|都"
            r"|以后|平时|直接|也|们)*(?:叫|称呼|喊)我(?:做|为"
            r"|作)?(?P<name>[\w\u4e00-\u9fff·]{1,8}?(?: [A-Z]\w*)?)(?:就行了?|就好了?|吧|好了|即可"
            r"|就可以了?|哦|啊|呀|哈)*$"
        ),
        "form": rf"^(?:我的?|个人)?(?P<label>{words.ATTRIBUTES})\s*[:：]\s*(?P<value>\S.{{0,60}})$",
        "name": (
            r"^(?:的?(?:名字|姓名|全名|大名|本名|真名)(?:是|叫)|叫(?:做|作)?(?!了|车|外卖|他|她|你"
            r"|我|人|过|不|醒|号|个|一|上|来)|是 ?(?=[A-Z][a-z]+(?: [A-Z][a-z]+)?$))"
            r"(?P<name>[\u4e00-\u9fff·]{2,4}|[A-Z][A-Za-z'-]{1,20}(?: [A-Z][a-z'-]{1,20}){0,2})$"
        ),
        "run_on": (
            rf"^叫(?P<name>(?:{words.SURNAMES})[\u4e00-\u9fff]{{1,2}}?)(?=[在是住来做有]|今年)"
        ),
        "is_name": (
            rf"^(?:就)?是(?P<name>(?:{words.SURNAMES})(?![一二三四五六日末])[\u4e00-\u9fff]{{1,2}})(?<![{words.NOT_NAMES}])$"
        ),
        "trip": (
            rf"^{_PLEASE}(?:列|做|规划|安排|写|制定|排|出|推荐)(?:一?[个份下])?"
            rf"(?P<when>{words.TIMES}|五一|十一|国庆|春节|元旦|清明|端午|中秋|暑假|寒假)"
            r"(?P<where>[去到][\u4e00-\u9fff]{2,8}?)(?:玩|旅游|旅行)?的(?:行程|攻略|计划|旅行计划|路线)"
        ),
        "role": r"^(?:作为|身为)(?P<what>(?:一?[个名位])?[^,，你我您]{2,12})$",
        "profile": (
            r"^(?:关于我|个人(?:信息|情况|资料|简介)|自我介绍|基本(?:信息|情况)|我的(?:情况|信息"
            r"|资料|背景|基本情况))(?:如下|是这样的?)?\s*[:：]?\s*"
        ),
        "anniversary": (
            rf"^(?P<day>{words.TIMES})是我们?的?(?:(?P<who>{words.RELATIVES}|[妈爸哥姐弟妹])的?)?"
            r"(?P<what>生日|[^,，你]{0,4}纪念日)$"
        ),
        "no_name": r"^(?:苦|嚷|板|停|好|绝)",
    }
    return {name: re.compile(pattern) for name, pattern in patterns.items()}


def remember(clause: Clause) -> Clause | None:
    """What is to be remembered, if the clause asks for that."""
    match = _patterns()["remember"].match(clause.plain)
    if match is None or re.search("[吗么]$", clause.plain):
        return None
    if match.group().startswith(("注意", "记得")) and not re.search(
        "我", clause.plain[match.end() :]
    ):
        return None
    return clause.cut(match.end())


def forget(clause: Clause, *, user: str) -> Forget | None:
    """An order to forget something."""
    found = _patterns()
    match = found["forget"].match(clause.plain) or found["forget_it"].match(clause.plain)
    if match is None or re.search(
        "[吗么]$|^忘[了记](?!.*我)|怎么|代码|文件|表|行|列", clause.plain
    ):
        return None
    start, end = match.span("what")
    what = clause.text[start:end].strip(" ,，。")
    what = re.sub("(?:这件事|这回事|的事情?|吧|了)+$", "", what) or what
    return Forget(what.replace("我", user)) if what else None


def preference(clause: Clause, *, user: str, tasked: bool = False) -> Draft | None:
    """A standing order about answers.

    Args:
        clause: The clause.
        user: How the writer is called.
        tasked: Whether a text was asked for before, which the order may be about.
    """
    match = _patterns()["prefer"].match(clause.plain)
    if match is not None and tasked and _patterns()["standing"].search(clause.plain) is None:
        return None  # how the letter that was asked for shall be
    if match is None or _patterns()["pointing"].search(clause.plain):
        return None
    what = clause.text[match.start("what") : match.end("what")].replace("我", user)
    gap = " " if what[0].isascii() else ""
    return Draft(f"{user}希望{gap}{what}。", kind="preference")


def profile(clause: Clause) -> Clause | None:
    """What follows a heading such as 关于我 or 个人信息, if the clause starts with one."""
    match = _patterns()["profile"].match(clause.plain)
    if match is None or (
        match.end() < len(clause.plain) and not match.group().rstrip().endswith((":", "："))
    ):
        return None
    return clause.cut(match.end())


def anniversary(clause: Clause, *, user: str) -> Draft | None:
    """A birthday told from its day: 今天是我妈的生日."""
    match = _patterns()["anniversary"].match(clause.plain)
    if match is None:
        return None
    day, what = (clause.text[slice(*match.span(name))] for name in ("day", "what"))
    who = clause.text[slice(*match.span("who"))] if match["who"] else ""
    who = f"{who * 2 if len(who) == 1 else who}的" if who else ""
    return Draft(f"{user}的{who}{what}是{day}。", kind="identity")


def call_me(clause: Clause, *, user: str) -> Draft | None:
    """The name by which the writer wants to be called."""
    match = _patterns()["call"].match(clause.plain)
    if match is None:
        return None
    name = clause.text[match.start("name") : match.end("name")]
    if len(name) < 2 or re.match("起床|去|来|别|不|回|出|帮|做|给|把", match["name"]):
        return None
    told = clause.text[: match.start("name")].replace("我的", "").lstrip("我")
    return Draft(
        f"{told.replace('我', user)}{name}。" if match["who"] else f"{user}希望被叫{name}。",
        kind="identity",
        pinned=True,
        triples=(Triple(user, "name", name),),
    )


_FORM_PREDICATES = {
    "姓名": "name",
    "名字": "name",
    "年龄": "age",
    "职业": "occupation",
    "生日": "birthday",
    "出生日期": "birthday",
    "籍贯": "from",
    "老家": "from",
    "现居": "lives_in",
    "现居地": "lives_in",
    "居住地": "lives_in",
    "公司": "works_at",
    "邮箱": "email",
    "母语": "native_language",
    "专业": "studied",
}


def form_line(clause: Clause, *, user: str) -> Draft | None:
    """A line of a form: 姓名:陈曦."""
    match = _patterns()["form"].match(clause.plain)
    if match is None:
        return None
    label = clause.text[match.start("label") : match.end("label")]
    value = clause.text[match.start("value") : match.end("value")].strip()
    predicate = _FORM_PREDICATES.get(match["label"])
    health = is_health(Subject(user, user=True), match.group())
    return Draft(
        f"{user}的{label}是{value}。",
        kind="identity",
        pinned=predicate == "name" or health,
        triples=(Triple(user, predicate, value),) if predicate else (),
    )


def trip(clause: Clause, *, user: str) -> Draft | None:
    """A journey that the user wants planned: 帮我列个五一去青岛的行程."""
    match = _patterns()["trip"].match(clause.plain)
    if match is None:
        return None
    when, where = (clause.text[slice(*match.span(name))] for name in ("when", "where"))
    return Draft(f"{user}{when}{where}。", kind="plan", triples=(Triple(user, "plans", where),))


def role(clause: Clause, *, user: str) -> Draft | None:
    """What the writer is, said in passing: 作为一个老师."""
    match = _patterns()["role"].match(clause.plain)
    if match is None:
        return None
    what = clause.text[match.start("what") :]
    return Draft(f"{user}是{what}。", kind="identity")


def name_in(told: Told) -> str | None:
    """The writer's name, if what is said is that."""
    rest = told.rest
    if (what := told.subject.attribute) is not None:
        rest = Clause(what.text + rest.text, what.plain + rest.plain)
    elif not told.subject.user:
        return None
    found = _patterns()
    match = (
        found["name"].match(rest.plain)
        or found["is_name"].match(rest.plain)
        or found["run_on"].match(rest.plain)
    )
    if match is None or _patterns()["no_name"].match(match["name"]):
        return None
    return rest.text[match.start("name") : match.end("name")]

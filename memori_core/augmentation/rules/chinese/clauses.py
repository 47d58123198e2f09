"""Chinese texts in sentences and clauses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from memori_core.augmentation.rules.chinese_script import simplify

ONE_CHARACTER = frozenset("我你他她它好嗯哦啊对是行的了吗呢吧哈不有在也就都还又去来说")
"""Clauses of one character that say nothing; 男 and 女 do."""
MIN_DICTATED = 20
"""Clauses of so many characters may be several that were dictated without marks."""
MAX_CLAUSE = 300
"""Longer clauses are no plain statements, and are not matched."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a sentence: as it was written, and in simplified characters of equal length."""

    text: str
    plain: str

    def cut(self, start: int, end: int | None = None) -> Clause:
        """A part of it, without blanks around."""
        text = self.text[start:end]
        lead = len(text) - len(text.lstrip())
        text = text.strip()
        start += lead
        return Clause(text, self.plain[start : start + len(text)])

    def __bool__(self) -> bool:
        return bool(self.text)


@dataclass(frozen=True, slots=True)
class Sentence:
    """Clauses up to a full stop, and the mark that ends it."""

    clauses: tuple[Clause, ...]
    text: str
    mark: str


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    quoted = (
        r"“[^”\n]{0,300}”|「[^」\n]{0,300}」|『[^』\n]{0,300}』|《[^》\n]{0,100}》"
        r"|\"[^\"\n]{0,300}\""
    )
    link = r"https?://[^\s\u3000-\u9fff\uff00-\uffef]+"
    sentence = re.compile(rf"(?:{quoted}|{link}|[^。!！?？\n.]|\.(?=\S))+|(?P<mark>[。!！?？\n.]+)")
    # A blank between two Chinese characters stands for a comma in dictated texts.
    comma = re.compile(
        rf"(?:{quoted})|(?P<comma>[,，;；…~\uff5e]+|——+|(?<=[\u4e00-\u9fff])\s+(?=[\u4e00-\u9fff]"
        rf"|\d+岁))"
    )
    return sentence, comma


def sentences(text: str) -> Iterator[Sentence]:
    """The sentences of a text; quotations are not cut."""
    pattern, _ = _patterns()
    body = ""
    for match in pattern.finditer(text):
        if match["mark"] is None:
            if body.strip():
                yield _sentence(body, "")
            body = match.group()
        elif body.strip():
            yield _sentence(body, match["mark"])
            body = ""
    if body.strip():
        yield _sentence(body, "")


def _sentence(body: str, mark: str) -> Sentence:
    plain = simplify(body)
    _, comma = _patterns()
    whole = Clause(body, plain)
    clauses: list[Clause] = []
    start = 0
    for match in comma.finditer(plain):
        if match["comma"] is None:
            continue
        clauses.extend(_dictated(whole.cut(start, match.start())))
        start = match.end()
    clauses.extend(_dictated(whole.cut(start)))
    return Sentence(tuple(filter(None, clauses)), body.strip(), mark.strip())


_QUOTE = re.compile('["“”「」『』]')


@cache
def _dictated_start() -> re.Pattern[str]:
    taking = "[给跟对和让帮说问是叫教陪诉比被像替为的得在请要把向到看当与]"
    return re.compile(
        rf"(?<!{taking})(?<!以为)(?=我(?:[跟和]我|最近|现在|平时|是|有|在|想|对|也|还|家|爸|妈|老公|老婆))"
        "|(?=然后|(?:医生|大夫)说我|(?<![吃用买服喝看开做])(?=这[个种](?:药|病|情况|症状))|能不能|可不可以|有没有办法)"
        r"|(?<=[哈啊呢吧了])(?=就是我)|(?<=[\u4e00-\u9fff])(?=帮我们?(?:看看|想想|推荐|查|安排|规划|做|选))"
        r"|(?<=[\u4e00-\u9fff])(?=带着?[一二两三四]个)|(?=[小大]的那个(?:不能|对|有))"
    )


def _dictated(clause: Clause) -> Iterator[Clause]:
    """The clauses of a long one that was dictated without marks: 我最近头疼医生说我是高血压."""
    if not MIN_DICTATED <= len(clause.plain) <= MAX_CLAUSE or _QUOTE.search(clause.plain):
        yield clause
        return
    start = 0
    for match in _dictated_start().finditer(clause.plain, 2):
        if match.start() - start >= 4:
            yield clause.cut(start, match.start())
            start = match.start()
    yield clause.cut(start)

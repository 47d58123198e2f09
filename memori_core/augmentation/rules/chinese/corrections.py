"""What the next Chinese sentence takes back: 我住在北京。不对，是上海。 Pure functions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from memori_core.augmentation.merging import is_single_valued
from memori_core.augmentation.rules.base import Draft, Forget
from memori_core.augmentation.rules.chinese import words
from memori_core.augmentation.rules.chinese.clauses import Sentence

_TAKES_BACK = re.compile(
    "(?:哦|啊|呃|噢|额)?[,，]?(?:不对|不是|不不|不,|不，|说错了?|我?(?:记|打|写)错了?|错了|更正|口误)"
    "[了啊哦,，:： ]*"
)
_WITHDRAWS = re.compile("(?:我)?(?:是)?(?:开玩笑|逗你|骗你|瞎说|乱说)的?[啦了吧哈]*$")
_INSTEAD = re.compile(r"(?:应该|其实)?(?:是|在)?(?P<what>[\u4e00-\u9fff\d]{1,8}?)(?:才对|了|啦)?$")
_AGE = re.compile(r"[\d一二三四五六七八九十]{1,3}岁?$")
_PLACE = re.compile(f"(?:{words.PLACES})$")


def corrected(
    before: Sequence[Draft | Forget], sentence: Sentence, found: Sequence[Draft | Forget]
) -> tuple[list[Draft | Forget], list[Draft | Forget]]:
    """What a sentence and the one before it say together, as they hold."""
    kept, new = list(before), list(found)
    last = kept[-1] if kept else None
    if not isinstance(last, Draft) or any(mark in sentence.mark for mark in "?？"):
        return kept, new
    plain = ",".join(clause.plain for clause in sentence.clauses)
    if not new and _WITHDRAWS.match(plain) is not None:
        return kept[:-1], new
    opening = _TAKES_BACK.match(plain)
    if opening is None:
        return kept, new
    if not new:
        instead = _instead(last, plain[opening.end() :])
        return ([*kept[:-1], instead] if instead is not None else kept), new
    if isinstance(new[0], Draft) and _same_matter(last, new[0]):
        return kept[:-1], new
    return kept, new


def _same_matter(before: Draft, after: Draft) -> bool:
    held = {(t.subject, t.predicate) for t in before.triples if is_single_valued(t.predicate)}
    return any((t.subject, t.predicate) in held for t in after.triples)


def _instead(draft: Draft, rest: str) -> Draft | None:
    """The fact with the place or the age that the fragment puts right, if it is one."""
    fragment = _INSTEAD.match(rest)
    if fragment is None:
        return None
    content = draft.content.rstrip("。了")
    for kind in (_AGE, _PLACE):
        old = kind.search(content)
        if old is not None and kind.fullmatch(fragment["what"]) is not None:
            new = fragment["what"]
            if old.group().endswith("岁") and not new.endswith("岁"):
                new += "岁"
            return replace(
                draft,
                content=f"{content[: old.start()]}{new}。",
                triples=tuple(
                    replace(triple, object=new) if triple.object == old.group() else triple
                    for triple in draft.triples
                ),
            )
    return None

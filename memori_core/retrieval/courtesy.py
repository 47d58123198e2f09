"""Lines that ask for nothing."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from memori_core.retrieval.stopwords import (
    ENGLISH,
    FILLERS,
    PHATIC,
    PHATIC_CJK,
    PHATIC_PHRASES,
)

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_LAUGHTER = re.compile(r"(?:ha|he|hi|ho){2,}h?|lo+l|x+d+")
_PARTICLES = re.compile("[啊呀哦呢吧吗啦喔嘛哈了您你们大家的很非常真太ねよ]+")


def _any_of(phrases: Iterable[str], *, edge: str = "") -> re.Pattern[str]:
    longest_first = sorted(phrases, key=len, reverse=True)
    return re.compile(f"{edge}(?:{'|'.join(longest_first)}){edge}")


_PHRASE = _any_of(PHATIC_PHRASES, edge=r"\b")
_PHRASE_CJK = _any_of(PHATIC_CJK)


def is_chit_chat(text: str) -> bool:
    """Whether a line is nothing but courtesy: greetings, thanks, agreement ("thanks!", "谢谢").

    English and Chinese, and a little Japanese. A name that looks like a stop word is not courtesy
    ("The Who"), nor is a question that happens to hold a polite word.
    """
    folded = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    rest, phrases = _PHRASE.subn(" ", folded)
    rest, phrases_cjk = _PHRASE_CJK.subn(" ", rest)
    if phrases_cjk:
        rest = _PARTICLES.sub(" ", rest)
    words = _WORD.findall(rest)
    phatic = [word in PHATIC or _LAUGHTER.fullmatch(word) is not None for word in words]
    filler = [word in FILLERS for word in words]
    only_courtesy = all(p or f for p, f in zip(phatic, filler, strict=True))
    if phrases or phrases_cjk or any(phatic):
        return only_courtesy or all(
            p or f or word in ENGLISH for word, p, f in zip(words, phatic, filler, strict=True)
        )
    return bool(words) and only_courtesy and "?" not in folded

"""Dictated sentences: where a clause begins without a mark or a conjunction."""

from __future__ import annotations

import re

from memori_core.augmentation.rules.base import Draft

MIN_WORDS = 14
"""Sentences with fewer words have one clause, or marks."""

MAX_CHARS = 2_000
"""Longer sentences are not looked at."""

_MARK = re.compile(r"[,;:—–(]|[.!?]\W*$")
_SUBJECT = (
    r"(?:I(?:'m|'ve|'d|'ll)?|we(?:'re|'ve)?) (?!(?:guess|think|mean|suppose|know|reckon)\b)"
    r"|my (?:[\w'-]+ ){1,3}?(?:is|are|was|has|works|lives|can't|doesn't|turns)\b"
)
_TAKES_CLAUSE = frozenset(
    """
that what when where who whom which why how if because since while until before after as than
whether unless though although once whenever wherever and or but so then plus like think thought
know knew say said says guess mean hope feel wish believe suppose heard told is was are were be do
did does can could will would should have has had am whatever everything anything something all
thing way time day place one also actually honestly really now today maybe sometimes usually just
only yes no ok so well um uh out i you
""".split()
)
_START = re.compile(
    rf"(?<= )(?:{_SUBJECT}|(?:can|could|would|will) you |(?:what|how) (?:should|do|can|"
    r"would|could) (?:I|we|you) |any (?:ideas|tips|advice|suggestions|recommendations)\b|help me |"
    r"is (?:that|it|this) (?:something|ok|okay|normal|bad|good|safe)\b)",
    re.IGNORECASE,
)
_NOUN_PHRASE = re.compile(
    r"\b(?:the|a|an|any|every|all|this|that|first|last|only|which|what|some|no|many|"
    r"most)(?: [\w'-]+){0,3}$",
    re.IGNORECASE,
)
_CERTAIN = re.compile(
    r"(?:can|could|would|will|what|how|any|help|is|I am an?|I'm an?)\b", re.IGNORECASE
)
"""Beginnings that no relative clause has ("the car I bought")."""
_RETRACTS = re.compile(
    r"(?:(?:oh|uh|um|well|ah|argh|and|but),? )*(?:no,? (?:wait|sorry|hang on)|wait\b(?!,? for)|"
    r"scratch that|sorry,? (?:no|I mean)|actually,? no|correction|I mean)(?:\b|$)",
    re.IGNORECASE,
)
_ENDS = frozenset("me us it too now lol haha please thanks guess".split())


def pieces(sentence: str) -> list[str]:
    """A sentence cut where a new one begins, if it was dictated without marks.

    "I work nights my wife works days can you help" → three pieces.
    """
    if len(sentence) > MAX_CHARS or sentence.count(" ") < MIN_WORDS:
        return [sentence]
    if _MARK.search(sentence) is not None:
        return [sentence]
    out: list[str] = []
    start = 0
    for found in _START.finditer(sentence):
        before = sentence[max(start, found.start() - 80) : found.start()].split()
        certain = _CERTAIN.match(sentence, found.start()) is not None
        if len(before) < 3 or not _begins(before, certain=certain):
            continue
        out.append(sentence[start : found.start()].rstrip())
        start = found.start()
    return [*out, sentence[start:]]


def _begins(before: list[str], *, certain: bool) -> bool:
    last = before[-1].lower()
    if last in _ENDS:
        return True
    if last in _TAKES_CLAUSE:
        return False
    return certain or _NOUN_PHRASE.search(" ".join(before[-4:])) is None


def retracts(clause: str) -> bool:
    """Whether a clause takes back what was said before it: "no wait, I live in Hull"."""
    return _RETRACTS.match(clause) is not None


def same_matter(before: Draft | None, after: Draft) -> bool:
    """Whether two facts say the same of the same: "User lives ..." and "User lives ..."."""
    return before is not None and before.content.split()[:2] == after.content.split()[:2]

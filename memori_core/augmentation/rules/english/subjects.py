"""Forms of clauses that say something about their writer, and the sentences they become."""

from __future__ import annotations

import re

from memori_core.augmentation.rules.english import filters, lexicon, patterns, verbs
from memori_core.augmentation.rules.english.clauses import subject_length
from memori_core.augmentation.rules.english.rewriting import rewritten

_FIRST = re.compile(r"(?:I|we)(?=\b)(?P<rest>.*)", re.IGNORECASE | re.DOTALL)
_COMPOUND = re.compile(
    r"(?:(?i:(?P<me>me|myself)) and (?P<with>(?i:my|our) [\w'-]+(?: [A-Z][\w'-]+)?|[A-Z][\w'-]+)"
    r"|(?P<other>(?i:my) [\w'-]+(?: [A-Z][\w'-]+)?|[A-Z][\w'-]+) and (?:I|me)) (?P<rest>\S.*)"
)
_MINE = re.compile(
    (
        r"(?P<lead>(?:(?:also|both|all|half|most|some|one|two|three|none|neither|each|"
        r"many|every one|the rest)(?: of)? )?)(?P<my>my|our) (?P<rest>.+)"
    ),
    re.IGNORECASE,
)
_NP = (
    r"(?!(?:it|this|that|these|those|there|here|he|she|they|you|which|what|who|i|"
    r"we|if|when|let|as|and|not|nothing|something|everything|someone|everyone|"
    r"anything|hope|thank|thanks|please|is|are|was|do|does|did)\b)[\w'][\w' "
    r"&.+-]{0,45}?"
)
_IS_MINE = re.compile(
    (
        rf"{_NP} (?:is|are|was|were|isn't|aren't|wasn't|weren't|has been|became) "
        rf"(?:not |still |also |now |only |always |by far |definitely )*(?:one of "
        rf")?(?:my|our|mine\b) ?.*"
    ),
    re.IGNORECASE,
)
_OF_MINE = re.compile(
    r"the [\w -]{2,30}? of (?:my|our) [\w' -]{2,40}? (?:is|are|was|were|isn't|aren't) .+",
    re.IGNORECASE,
)
_TO_ME = re.compile(
    rf"{_NP} (?:(?:always|never|usually|really|often|sometimes|still|also|just|don't|doesn't|"
    r"can) )*"
    rf"(?:{patterns.AFFECTS}) "
    r"(?:me\b|my (?:stomach|skin|allerg\w+|asthma|migraines?|back|head|eyes|anxiety)).*",
    re.IGNORECASE,
)
_I_INSIDE = re.compile(
    (
        r"(?:the|one|another|a) [\w -]{2,40}? (?:that |which )?I(?:'m|'ve|'d)? [\w' "
        r"]{2,50}? (?:is|are|was|were) (?:called|named|a|an|the|in|not|\w+)\b.*"
    ),
    re.IGNORECASE,
)
_APPOSITION = re.compile(
    r"(?-i:[A-Z])[\w'-]+, (?:my|our) (?:[\w'-]+ ){0,2}[\w'-]+, \S.+", re.IGNORECASE
)
_EVENT = re.compile(
    r"(?:the|our) (?:[\w'-]+ ){0,2}?(?:dentist|doctor|appointment|meeting|exams?|"
    r"wedding|flight|party|interview|deadline|concert|surgery|operation|trip|"
    r"presentation|conference|funeral|ceremony|graduation|due date|match|game|"
    r"recital|hearing|viewing|check-?up) "
    r"(?:is|are|will be|was|got moved to|has been moved to|starts|is due) (?:on |"
    r"in |at |only |scheduled for |set for |due )*(?:(?:the )?\d|tomorrow|today|"
    r"tonight|next|this|last|yesterday|mon|tues|wed|thurs|fri|sat|sun|jan|feb|mar|"
    r"apr|may|june|july|aug|sep|oct|nov|dec|two|three|a week).*",
    re.IGNORECASE,
)
_GROUP = re.compile(
    r" is an? (family|team|couple|group|household|band|trio|startup|small \w+) of ", re.IGNORECASE
)


def about_first(clause: str, *, name: str) -> str | None:
    """The sentence for a clause about "I" or "we"."""
    found = _FIRST.match(clause)
    if found is None:
        return None
    rest = found.group("rest").lstrip()
    if filters.is_talk(rest):
        return None
    sentence = rewritten(clause, name=name)
    if sentence is None:
        return None
    return _GROUP.sub(r" is part of a \1 of ", sentence)


def about_compound(clause: str, *, name: str) -> str | None:
    """The sentence for "my wife and I bought a cabin"."""
    found = _COMPOUND.match(clause)
    if found is None:
        return None
    if filters.is_talk(found.group("rest")):
        return None
    if found.group("me"):
        with_whom = found.group("with")
        other = re.sub(r"^(?:my|our)\b", "their", with_whom, flags=re.IGNORECASE)
    else:
        other = re.sub(r"^my\b", "their", found.group("other"), flags=re.IGNORECASE)
    first = found.group("rest").split()[0].lower()
    if not (
        first in lexicon.AUXILIARIES
        or verbs.is_past(first)
        or verbs.is_base(first)
        or verbs.is_adverb(first)
    ):
        return None
    rest = rewritten(found.group("rest"), name=name, start=f"{name} and {other}")
    return rest.replace(f"{name}'s ", "their ") if rest is not None else None


def about_possession(clause: str, *, name: str) -> str | None:
    """The sentence for a clause about something of the writer's: "my dog is old"."""
    found = _MINE.match(clause)
    if found is None or (not found.group("lead") and filters.is_complaint(found.group("rest"))):
        return None
    words = found.group("rest").split()
    if subject_length(words) is None:
        return None
    return rewritten(clause, name=name)


def about_other(clause: str, *, name: str) -> str | None:
    """The sentence for a clause about something else that says what it is to the writer."""
    for pattern in (_IS_MINE, _OF_MINE, _TO_ME, _I_INSIDE, _APPOSITION, _EVENT):
        if pattern.match(clause) is not None:
            return rewritten(clause, name=name)
    return None

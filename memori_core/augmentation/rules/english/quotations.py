"""Speech that is quoted, where we know who speaks of whom."""

from __future__ import annotations

import re
from typing import NamedTuple

from memori_core.augmentation.rules.english import lexicon

_KIN = "|".join(sorted(lexicon.RELATIVES - {"old"}, key=len, reverse=True))
_SAID = (
    r"(?:(?:just|then|always|once|also|recently|even) )?"
    r"(?:said|says|told (?:me|us)|tells (?:me|us)|texted(?: me)?|wrote|announced)"
)
_DOCTOR = re.compile(
    r"\b(?:my|our|the) (?:\w+ )?(?:doctor|gp|doc|psychiatrist|cardiologist|neurologist|dentist|"
    rf"specialist|allergist|consultant) {_SAID}[,:]? "
    r'"(?P<quote>you(?:\'re|\'ve)? [^"?]{4,150})"',
    re.IGNORECASE,
)
_RELATIVE = re.compile(
    rf"\b(?:my|our) (?P<who>(?:(?:best|older|younger|little|big|oldest) )?(?:{_KIN}))\b"
    rf'[^"?]{{0,60}}? ?{_SAID}[,:]? "(?P<quote>(?:I|I\'m|I\'ve|my|we|our)\b[^"?]{{4,200}})"',
    re.IGNORECASE,
)
_TO_FIRST = {"you": "I", "you're": "I'm", "you've": "I've", "your": "my", "yourself": "myself"}
_YOU = re.compile(r"\b(?:you're|you've|yourself|your|you)\b", re.IGNORECASE)
_OBJECT_YOU = re.compile(
    r"(?<=\w )you\b(?! (?:are|have|need|should|can|must|will)\b)", re.IGNORECASE
)


class Quoted(NamedTuple):
    """A quotation that says something about the writer, or about somebody of theirs."""

    text: str
    """What was said, its speaker (or the writer, of whom a doctor spoke) as "I"."""
    who: str
    """The relative whose "I" it is; empty for the writer."""


def quoted(sentence: str) -> Quoted | None:
    """What a doctor said of the writer, or a relative of themselves; None for other quotations.

    'My doctor said "you have asthma"' → "I have asthma".
    """
    if sentence.endswith("?"):
        return None
    doctor = _DOCTOR.search(sentence)
    if doctor is not None:
        text = _OBJECT_YOU.sub("me", doctor.group("quote"))
        return Quoted(_YOU.sub(lambda you: _TO_FIRST[you.group().lower()], text), "")
    relative = _RELATIVE.search(sentence)
    return Quoted(relative.group("quote"), relative.group("who")) if relative is not None else None

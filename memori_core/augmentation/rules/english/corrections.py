"""What the next sentence takes back: "I live in Rome. No wait, in Milan." Pure functions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from memori_core.augmentation.merging import is_single_valued
from memori_core.augmentation.rules.base import Draft, Finding
from memori_core.augmentation.rules.english import dictation

_INTERJECTION = r"(?:(?:oh|uh|um|ah|argh|well|hang on|hold on|and|but),? )*"
_TAKES_BACK = re.compile(
    rf"{_INTERJECTION}(?:no,? (?:wait|sorry)|wait,? no|(?:sorry,? )?(?:no,? )?I meant?"
    r"(?! it\b| that\b| to\b| this\b)|sorry,? no|scratch that|strike that|actually,? no|"
    r"correction|oops)\b[,:;.!–— ]*(?:I meant? )?",
    re.IGNORECASE,
)
_WITHDRAWS = re.compile(
    rf"{_INTERJECTION}(?:(?:scratch|strike) that|"
    r"(?:I'm |I was )?(?:just |only )?(?:kidding|joking)|jk|(?:that's |it's )?not true|"
    r"that's (?:wrong|a lie|not right)|I lied)\b",
    re.IGNORECASE,
)
_HESITATES = re.compile(rf"{_INTERJECTION}(?:no|sorry|wait|oops)[,:.!–— ]+", re.IGNORECASE)
_DAYS = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december"
_COUNTS = r"\d[\d.:]*|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
_ALIKE = tuple(
    re.compile(rf"\b(?:{words})\b", re.IGNORECASE) for words in (_DAYS, _MONTHS, _COUNTS)
)
"""Of one such word another one takes the place."""
_NAME = re.compile(r"[A-Z\u00c0-\u00de][\w'-]*(?: [A-Z\u00c0-\u00de][\w'-]*){0,2}")
_LAST_NAME = re.compile(rf"{_NAME.pattern}(?=\.$)")
_FRAGMENT = re.compile(
    r"(?P<to>(?:in|at|on|for|to|from|it's|it is) )?(?P<what>[\w':.-]+(?: \w+){0,2})"
)


def corrected(
    before: Sequence[Finding], sentence: str, found: Sequence[Finding]
) -> tuple[list[Finding], list[Finding]]:
    """What a sentence and the one before it say together.

    Args:
        before: What the sentence before it said.
        sentence: A sentence that may take that back.
        found: What it says itself.

    Returns:
        `before` and `found` as they hold.
    """
    kept, new = list(before), list(found)
    last = kept[-1] if kept else None
    if not isinstance(last, Draft) or sentence.endswith("?"):
        return kept, new
    certain = _TAKES_BACK.match(sentence)
    opening = certain or _HESITATES.match(sentence)
    if opening is not None and not new:
        instead = _instead(last, sentence[opening.end() :], certain=certain is not None)
        if instead is not None:
            return [*kept[:-1], instead], new
    if _WITHDRAWS.match(sentence) is not None:
        return kept[:-1], new
    if certain is not None and new and isinstance(new[0], Draft) and _same_matter(last, new[0]):
        return kept[:-1], new
    return kept, new


def _same_matter(before: Draft, after: Draft) -> bool:
    held = {(t.subject, t.predicate) for t in before.triples if is_single_valued(t.predicate)}
    return dictation.same_matter(before, after) or any(
        (t.subject, t.predicate) in held for t in after.triples
    )


def _instead(draft: Draft, rest: str, *, certain: bool) -> Draft | None:
    """The fact with the name, number or day that the fragment puts right, if it is one."""
    fragment = _FRAGMENT.fullmatch(rest.strip(" .!"))
    if fragment is None:
        return None
    what = fragment.group("what")
    for words in _ALIKE:
        if words.fullmatch(what) is not None and len(words.findall(draft.content)) == 1:
            return _with(draft, words.findall(draft.content)[0], what)
    last = _LAST_NAME.search(draft.content)
    # "Sorry, Tom" may call somebody.
    if last is None or _NAME.fullmatch(what) is None or not (certain or fragment.group("to")):
        return None
    return _with(draft, last.group(), what)


def _with(draft: Draft, old: str, new: str) -> Draft:
    whole = re.compile(rf"\b{re.escape(old)}\b")
    return replace(
        draft,
        content=whole.sub(lambda _: new, draft.content),
        triples=tuple(
            replace(triple, object=whole.sub(lambda _: new, triple.object))
            for triple in draft.triples
        ),
    )

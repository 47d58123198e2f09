"""Who "she" is, and what is said of her."""

from __future__ import annotations

import re

from memori_core.augmentation.rules.english import lexicon, verbs
from memori_core.augmentation.rules.english.clauses import subject_length
from memori_core.augmentation.rules.english.rewriting import rewritten

_THIRD = re.compile(
    r"(?P<who>he|she|they|it)(?:'(?P<clitic>s|re|ve|ll|d))? (?P<rest>\S.*)", re.IGNORECASE
)
_THEIRS = re.compile(r"(?P<whose>his|her|their|its) (?P<rest>\S.*)", re.IGNORECASE)
_PARTICIPLE = "|".join(sorted(lexicon.PARTICIPLES))
_PERFECT = re.compile(
    rf"(?:(?:already|just|never|always|also|recently) )*(?:{_PARTICIPLE}|\w+ed)\b", re.IGNORECASE
)
_KIN = "|".join(sorted(lexicon.RELATIVES | lexicon.ANIMALS, key=len, reverse=True))
_RELATIVE = re.compile(rf"(?P<who>(?:[\w'-]+ ){{0,3}}?(?:{_KIN}))(?=$|[ ,'.])", re.IGNORECASE)
_COMPANY = re.compile(
    rf"\b(?:with|for) their (?P<who>(?:{_KIN})(?: (?-i:[A-Z])[\w'-]+)?)\.?$", re.IGNORECASE
)
_GOT_ANIMAL = re.compile(
    (
        rf"(?:has|adopted|got|bought|rescued|owns|finally adopted|just "
        rf"adopted)\b.{{0,20}}?\b(?:a|an|the|one) (?:[\w-]+ "
        rf"){{0,2}}?(?P<who>{'|'.join(sorted(lexicon.ANIMALS))})\b"
    ),
    re.IGNORECASE,
)

_FOR_RELATIVE = re.compile(
    rf"\b(?:my|our) (?P<who>(?:(?:best|older|younger|little|big|oldest) )?"
    rf"(?:{'|'.join(sorted(lexicon.RELATIVES, key=len, reverse=True))})"
    r"(?: (?-i:[A-Z])[\w'-]+)?)(?:, (?:(?:mr|mrs|ms|dr)\.? )?(?-i:[A-Z])[\w'-]+)?"
    r"(?: (?:tonight|today|tomorrow|this \w+|for (?:his|her|their) [\w-]+))?$",
    re.IGNORECASE,
)


def asked_for(clause: str) -> str:
    """For whom something is asked: "write a card for my uncle Bo" → "uncle Bo"."""
    found = _FOR_RELATIVE.search(clause.rstrip(" ?!.\"'"))
    return found.group("who") if found is not None else ""


def about_antecedent(clause: str, *, name: str, antecedent: str) -> str | None:
    """The sentence for a clause about "she", where we know who she is."""
    if not antecedent:
        return None
    last = antecedent.rsplit(" ", 1)[-1].lower()
    theirs = _THEIRS.match(clause)
    if theirs is not None:
        if (
            not _agrees(theirs.group("whose").lower(), last)
            or subject_length(theirs.group("rest").split()) is None
        ):
            return None
        return rewritten(theirs.group("rest"), name=name, start=f"{antecedent}'s")
    found = _THIRD.match(clause)
    if found is None or not _agrees(found.group("who").lower(), last):
        return None
    rest = found.group("rest")
    clitic = (found.group("clitic") or "").lower()
    if clitic:
        aux = {"re": "are", "ve": "have", "ll": "will", "d": "would"}.get(clitic) or (
            "has" if _PERFECT.match(rest) else "is"
        )
        rest = f"{aux} {rest}"
    elif not _has_verb(rest):
        return None
    return rewritten(rest, name=name, start=antecedent)


def _has_verb(rest: str) -> bool:
    for word in rest.split()[:4]:
        lower = word.lower().strip(",.")
        if not verbs.is_adverb(lower):
            return verbs.is_finite(lower) or verbs.is_base(lower)
    return False


def _agrees(pronoun: str, noun: str) -> bool:
    if pronoun in ("she", "her"):
        return noun not in lexicon.MALE and noun not in lexicon.PLURAL
    if pronoun in ("he", "his"):
        return noun not in lexicon.FEMALE and noun not in lexicon.PLURAL
    if pronoun in ("they", "their"):
        return noun in lexicon.PLURAL or noun in ("partner", "friend", "sibling")
    return noun in lexicon.ANIMALS


def antecedent_of(sentence: str, *, name: str) -> str:
    """Of whom a later "she" will speak: "User's sister lives in Rome." → "User's sister"."""
    if sentence.startswith(f"{name}'s "):
        found = _RELATIVE.match(sentence, len(name) + 3)
        if found is not None:
            return sentence[: found.end()]
        child = re.match(r"\d+[- ]year[- ]old", sentence[len(name) + 3 :])
        return sentence[: len(name) + 3 + child.end()] if child is not None else ""
    company = _COMPANY.search(sentence, 0, 300)
    if company is not None and sentence.startswith(name):
        return f"{name}'s {company.group('who')}"
    got = _GOT_ANIMAL.search(sentence, 0, 200)
    return f"{name}'s {got.group('who')}" if got is not None and sentence.startswith(name) else ""

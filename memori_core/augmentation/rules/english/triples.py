"""Statements in three parts, read off finished sentences."""

from __future__ import annotations

import re

from memori_core.augmentation.rules.english import lexicon, life_triples, taste_triples
from memori_core.augmentation.rules.english.ended_triples import ENDED
from memori_core.augmentation.rules.english.health import CONDITIONS
from memori_core.augmentation.rules.english.possession_triples import POSSESSIONS
from memori_core.augmentation.rules.english.triple_rules import ADVERBS, Rule
from memori_core.conversation import Triple

_RULES = (*life_triples.RULES, *taste_triples.RULES)
_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
_MONTH = "january|february|march|april|may|june|july|august|september|october|november|december"
_WHEN = re.compile(
    rf",? (?:(?:(?:on|in|by|at|since|until|till|from|for|this|next|last|around|"
    rf"every|before|after|during|the) )*(?:the )?"
    rf"(?:{_DAY}|(?:{_MONTH})(?: \d{{1,4}}\w*)?\b|(?<=in )(?:19|20)\d\d|(?<=since "
    rf")(?:19|20)\d\d|(?:week|weekend|month|year|summer|winter|spring|autumn|fall|"
    rf"night|morning|evening|afternoon)s?\b|"
    r"(?:a|one|two|three|four|five|six|\d+) (?:day|week|month|year)s?(?: ago)?)|"
    r"yesterday|today|tonight|tomorrow|nowadays|now|currently|again|too|"
    r"these days|at the moment|right now|a lot|so much|very much|more than "
    r"anything|twice|once|most of all|any ?more|as well|though|back in)\b.*",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r",? (?:because|but|so(?! far)|when|while|since|and (?:I|User|their|it|he|she|"
    r"they|we)\b|which|who|that (?:is|was|has)|if|until|although|though|even|"
    r"except|whenever|instead)\b.*|"
    r"[;(—]| - .*"
)
_DETERMINER = re.compile(r"(?:a|an|the|my|their|some|our|any|eating|drinking) ", re.IGNORECASE)
_POINTS = frozenset(
    (
        "it this that these those them him her you one some all everything nothing "
        "something anything"
    ).split()
)
_LIST = re.compile(r", (?:and |or )?| and | or |/| & ")
_NEGATION = re.compile(
    (
        r"\b(?:not|never|no|none|cannot|nor|neither|without|hardly|rarely|barely)\b|"
        r"n't\b|\bno longer\b"
    ),
    re.IGNORECASE,
)
_WITHOUT = re.compile(r"^(?:prefers|likes|loves|wants) [\w -]{3,40} without \b.*", re.IGNORECASE)
"""What is liked without something is liked."""
_FORMER = re.compile(r"\b(?:used to|no longer|any ?more|formerly|previously|once)\b", re.IGNORECASE)
_DOCTOR = re.compile(
    r"(?:doctor|gp|doc|physician|cardiologist|therapist) (?:says|said|told \w+|thinks) (?:that )?"
    r"(?=User\b|[A-Z])"
)
_ROLE = r"(?:(?:a|an|the) )?(?P<o>[\w/ .+#-]{2,40}?)"
_JOB = re.compile(
    ADVERBS + r"(?:is|became|works as|was hired as|has been) (?:a|an) (?P<o>[^,;]+)", re.IGNORECASE
)
_JOB_END = re.compile(
    (
        r"[^,;]*?(?= (?:at|in|from|for|with|who|and|but|working|based|on|by|since|"
        r"of)\b|$|,)"
    ),
    re.IGNORECASE,
)
_PROMOTED = re.compile(
    ADVERBS + r"(?:got |was |has been |just got )?promoted to (?P<o>[^,;]+)", re.IGNORECASE
)


def triples_of(sentence: str, *, name: str) -> tuple[tuple[Triple, ...], tuple[Triple, ...]]:
    """What a sentence about somebody states, and what it says has ended.

    Args:
        sentence: A finished sentence, for example "User moved from Porto to Ghent."
        name: Who it is about, for example "User".
    """
    text = sentence.rstrip(".")
    if text.startswith(f"{name}'s "):
        return _of_possession(text.removeprefix(f"{name}'s "), name=name), ()
    if not text.startswith(f"{name} "):
        return (), ()
    predicate = text.removeprefix(f"{name} ")
    ends = _ended(predicate, name=name)
    if (
        _FORMER.search(predicate) is not None
        and "dislike" not in predicate
        and "can't stand" not in predicate
    ):
        return (), ends
    negated = _NEGATION.search(_WITHOUT.sub("", predicate.split(", never")[0])) is not None
    found: list[Triple] = []
    for rule in _RULES:
        if negated and not rule.negated:
            continue
        match = rule.pattern.match(predicate)
        if match is None:
            continue
        was = match.groupdict().get("was") or match.groupdict().get("was2")
        kind = "works_at" if rule.predicate == "joined" else rule.predicate
        if rule.predicate == "joined" and predicate.startswith("moved to"):
            continue
        objects = _objects(match.group("o"), rule)
        if kind == "speaks":
            objects = [
                o
                for o in (o.split()[-1] if o else o for o in objects)
                if o.lower() in lexicon.LANGUAGES
            ]
        if (
            kind == "lives_in"
            and objects
            and re.search(
                r"\b(?:team|department|office|role|project|company|side)\b",
                objects[0],
                re.IGNORECASE,
            )
        ):
            continue
        found.extend(Triple(name, kind, o, object_type=rule.object_type) for o in objects)
        if was and objects:
            cleaned = _clean(was, bare=True)
            ends = (*ends, Triple(name, kind, cleaned, object_type=rule.object_type))
    if not negated:
        found.extend(_occupation(predicate, name=name))
    return tuple(dict.fromkeys(found)), ends


def _of_possession(rest: str, *, name: str) -> tuple[Triple, ...]:
    eats = re.search(r"\b(?:can't|cannot) (?:eat|drink)\b", rest) is not None
    if (_NEGATION.search(rest) is not None and not eats) or _FORMER.search(rest) is not None:
        return ()
    found: list[Triple] = []
    for pattern, predicate, object_type in POSSESSIONS:
        match = pattern.match(rest)
        if match is None:
            continue
        key = predicate
        if not key:
            key = re.sub(
                r"\W+",
                "_",
                match.group("p")
                .lower()
                .replace("favorite", "favourite")
                .removeprefix("all-time ")
                .strip(),
            )
        value = (
            match.group("o") if key == "birthday" else _clean(match.group("o"), bare=key != "name")
        )
        if value and value.lower() not in _POINTS:
            found.append(Triple(name, key, value, object_type=object_type))
    relative = re.match(
        (
            r"((?:\w+[ -]){0,3}?\w+(?:-in-law)?)(?:, \w+,)? (is allergic to|has an? "
            r".{2,30} allergy|is (?:a )?(?:vegan|vegetarian)|(?:can't|cannot) (?:eat|drink))"
        ),
        rest,
    )
    found_out = _DOCTOR.match(rest)
    if found_out is not None:
        return triples_of(
            f"{name} {rest[found_out.end() :].removeprefix(name).strip()}", name=name
        )[0]
    if relative is not None and not found:
        other, _ = triples_of(f"{name} {rest[len(relative.group(1)) + 1 :]}", name=name)
        found.extend(
            Triple(
                f"{name}'s {relative.group(1)}", t.predicate, t.object, object_type=t.object_type
            )
            for t in other
        )
    return tuple(found)


def _objects(text: str, rule: Rule) -> list[str]:
    if rule.end is not None:
        text = rule.end.sub("", text)
    whole = _clean(text, bare=rule.bare)
    pieces = _LIST.split(whole) if rule.many else [whole]
    if rule.predicate in ("likes", "dislikes") and any(len(piece.split()) > 3 for piece in pieces):
        pieces = [whole]
    cleaned = [_clean(piece, bare=rule.bare) for piece in pieces]
    if rule.predicate == "has_condition":
        cleaned = [o for o in cleaned if re.match(rf"(?:\w+ )?(?:{CONDITIONS})", o, re.IGNORECASE)]
    return [o for o in cleaned if o and o.lower() not in _POINTS and len(o) <= 80]


def _clean(text: str, *, bare: bool) -> str:
    text = _CLAUSE.sub("", text)
    text = _WHEN.sub("", " " + text).strip(" .,;:!\"'")
    if bare:
        text = _DETERMINER.sub("", text, count=1) if _DETERMINER.match(text) else text
    return text


def _occupation(predicate: str, *, name: str) -> list[Triple]:
    for pattern in (_JOB, _PROMOTED):
        match = pattern.match(predicate)
        if match is None:
            continue
        end = _JOB_END.match(match.group("o"))
        title = _clean(end.group() if end is not None else "", bare=True)
        words = title.lower().split()
        if words and words[-1] in lexicon.OCCUPATIONS and len(words) <= 4:
            return [Triple(name, "occupation", title, object_type="occupation")]
    return []


def _ended(predicate: str, *, name: str) -> tuple[Triple, ...]:
    for pattern, key in ENDED:
        match = pattern.match(predicate)
        if match is not None:
            if (
                key == "lives_in"
                and "no longer" not in predicate
                and "more" not in predicate.rsplit(" ", 1)[-1]
            ):
                continue
            value = _clean(match.group("o"), bare=True)
            if value:
                return (Triple(name, key, value),)
    return ()

"""Sentences, and the clauses they are made of."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memori_core.augmentation.rules.english import dictation, lexicon, patterns, verbs

MAX_CLAUSE = 300
"""Longer clauses are not looked at: nobody says one fact in that many letters."""

_END = re.compile(r"[.!?…]+[\"')\]]*(?=\s|$)|\n+")
_ABBREVIATION = re.compile(
    r"(?:^|\s|\()(?:(?:[A-Z]|e\.g|i\.e|a\.m|p\.m|vs|mr|mrs|ms|dr|prof|st|jr|sr|"
    r"approx|etc|no|ca|u\.s|inc|ltd|fig)\.)$",
    re.IGNORECASE,
)
_PAST_ASIDE = r"(?:tore|broke|had|got|lost|sold|bought|[a-z]{3,}ed) (?:my|our|an?|the)\b"
"""What stands in brackets as if "I" stood before it: "a bad knee (tore my ACL)"."""
_BOUNDARY = re.compile(
    r"(?P<hard> ?[;—–] ?| -{1,2} )"
    r"|(?P<comma>, ?|: | ?\((?=I\b|my\b|we\b|just [a-z]+ed |"
    rf"{_PAST_ASIDE})|\) )"
    r"|(?P<word> (?=(?:and|but|so|because|cause|cuz|coz|though|although|or|plus|then)\b))"
)
_CONJUNCTION = re.compile(
    r"(?:(and|but|so|because|cause|cuz|coz|since|though|although|even though|or|"
    r"plus|then|yet|while|whereas|which is why|which means)\b,? ?)"
    r"(?:(?:then|so|also|because|since|now|yes|no)\b,? (?!far|much|many|that))?",
    re.IGNORECASE,
)
_PRONOUN = re.compile(
    r"(?:(?:also|actually|now|then|still|honestly|sometimes|recently|lately|usually|maybe|"
    r"unfortunately|sadly|luckily|apparently|today|normally|personally|mostly|turns out|after that|"
    r"yesterday|tomorrow),? )*"
    r"(?:I(?:'(?:m|ve|d|ll))?|we(?:'(?:re|ve|d|ll))?|you(?:'(?:re|ve|d|ll))?|s?he(?:'(?:s|d|ll))?|"
    r"they(?:'(?:re|ve|d|ll))?|it(?:'(?:s|d|ll))|it (?:[a-z]+s|is|was|has|makes|made|"
    r"scares|feels|takes|took|will|"
    r"would|can|helps|hurts|runs|needs|does|doesn't)|there(?:'s| is| are| was)|"
    r"that(?:'s| is| was| means| would)|(?:his|her|its|their) names? (?:is|are)) ",
    re.IGNORECASE,
)
_POSSESSIVE = re.compile(
    r"(?:(?:also|actually|honestly|now|both|all|neither of) )*(?:(?:his|her|"
    r"their)(?= \w)|my|our) ",
    re.IGNORECASE,
)
_LOOSE = re.compile(
    r"(?:please|wish |feels? like|seems? like|no (?!longer)|wait\b|scratch that|sorry,? no|"
    r"thanks|thank you|right\b|ok\b|haha|lol|any\b|"
    r"(?:make|help|give|tell|suggest|recommend|write|keep|let's|let me|show|find|"
    r"explain|use|don't|do not) )",
    re.IGNORECASE,
)
_ELIDED = re.compile(
    r"(?:currently (?:learning|studying|training|living|working)\b|turning \d\d\b|just passed\b|"
    r"never (?:had|been|owned|driven|smoked|broken|eaten|tried|travelled|traveled|lived|worked)\b|"
    r"(?:just|only) (?:one|two|three|four|five|six|\d+) (?=\w))",
    re.IGNORECASE,
)
"""Clauses after a comma whose subject is that of the clause before them."""
_NO_MORE = re.compile(
    r"(?:so|and) no (?:more )?[\w ]{2,30} for (?:me|us)\b|"
    r"so (?:nothing|nowhere|no (?!longer)|none|max\b|ideally|preferably|anything (?:but|without))",
    re.IGNORECASE,
)
_ASIDE = re.compile(_PAST_ASIDE)
_STILL = re.compile(
    r"(?:still|now) (?:not )?(?:used to|getting used to|unsure|struggling)\b", re.IGNORECASE
)
"""What follows "and" as if "I am" stood before it."""
_ME = re.compile(rf"(?:[\w'-]+ ){{1,4}}?(?:{patterns.AFFECTS}) me\b")
_QUESTION = re.compile(rf"(?:{patterns.QUESTIONS})", re.IGNORECASE)
_COMPOUND_SUBJECT = re.compile(
    r"(?:\w+,? )?(?:both )?(?:(?i:me|myself|my [\w'-]+(?: [\w-]+)?)|[A-Z][\w'-]+)$"
)
_APPOSITION = re.compile(r"my (?:[\w'-]+ ){0,2}[\w'-]+,")
_OPEN = re.compile(
    r"\b(?:to|can|could|will|would|should|must|might|may|let|helps?|make|'ll|"
    r"can't|don't|didn't|won't|doesn't|couldn't|wouldn't|not)(?: \w+ly)? (\w+)"
)
_SUBJECT = re.compile(
    r"(?:(?:so|and|but|well|also|actually|then) )*(?P<subject>(?P<first>I|"
    r"we)(?:(?P<clitic>'(?:m|ve|re|d|ll))|\b)"
    r"|(?:my|our) (?:[\w'-]+ ){0,3}?[\w'-]+(?= (?P<verb>[\w']+)))",
    re.IGNORECASE,
)


def sentences(text: str) -> Iterator[str]:
    """The sentences of a text, each with its mark. A line break ends a sentence."""
    start = 0
    for end in _END.finditer(text):
        mark = end.group()
        one_stop = mark.startswith(".") and not mark.startswith("..") and end.end() < len(text)
        if one_stop and _ABBREVIATION.search(text, max(start, end.start() - 8), end.start() + 1):
            continue
        sentence = " ".join(text[start : end.end()].split())
        start = end.end()
        if sentence:
            yield sentence
    if rest := " ".join(text[start:].split()):
        yield rest


def clauses(sentence: str) -> list[str]:
    """The clauses of a sentence, each with a subject of its own where it has one to share.

    "I live in Rome and work at Fiat" → "I live in Rome", "I work at Fiat".
    """
    return [clause for piece in dictation.pieces(sentence) for clause in _clauses(piece)]


def _clauses(sentence: str) -> list[str]:
    out: list[str] = []
    start = 0
    for boundary in _BOUNDARY.finditer(sentence):
        if boundary.start() < start:
            continue
        after = boundary.end()
        before = (
            sentence[start : boundary.start()] if boundary.start() - start <= MAX_CLAUSE else ""
        )
        conjunction = _CONJUNCTION.match(sentence, after)
        rest = conjunction.end() if conjunction is not None else after
        word = conjunction.group(1).lower() if conjunction is not None else ""
        shared = ""
        if boundary.lastgroup == "comma" and not word and _ELIDED.match(sentence, rest) is not None:
            shared = _elided_subject(before, sentence, rest)
        elif boundary.group().endswith("(") and _ASIDE.match(sentence, rest) is not None:
            subject = _SUBJECT.match(before)
            shared = (subject.group("first") or "") if subject is not None else ""
        if shared:
            pass
        elif boundary.lastgroup != "hard" and not _opens(sentence, rest, before, word):
            if _NO_MORE.match(sentence, after) is not None:
                pass
            elif boundary.lastgroup == "comma" and (
                word in ("but", "so") or _loose(sentence, rest)
            ):
                if word == "so" and sentence.startswith(("that", "far", "much"), rest):
                    continue
            elif not (shared := _shared_subject(before, sentence, rest, word)):
                continue
        out.append(before)
        if word in ("because", "though", "although", "since") and not before:
            rest = after
        start = rest
        if shared:
            tail = next_boundary(sentence, rest)
            out.append(f"{shared} {sentence[rest:tail]}")
            start = tail
    out.append(sentence[start:])
    return [_closed(clause) for clause in out if clause.strip(" ,;:()")]


def _closed(clause: str) -> str:
    """A clause without the marks around it, brackets in it closed."""
    clause = clause.strip(" ,;:()")
    return f"{clause})" if clause.count("(") > clause.count(")") else clause


def _elided_subject(before: str, sentence: str, at: int) -> str:
    """How a clause without a subject begins: ", currently learning Korean" → "I am"."""
    subject = _SUBJECT.match(before)
    if sentence.startswith("turning", at) and "my birthday" in before:
        return "I am"
    if subject is None or subject.group("first") is None:
        return ""
    first = subject.group("first")
    if sentence.startswith("just passed", at):
        return first
    if sentence.startswith("never", at):
        return f"{first} have"
    if sentence[at : at + 9].lower().startswith(("currently", "turning")):
        return f"{first} am" if first == "I" else f"{first} are"
    negated = re.search(r"\b(?:don't|do not) (?:have|own) ", before) is not None
    return f"{first} have" if negated else ""


def next_boundary(sentence: str, at: int) -> int:
    """Where the clause that begins at `at` ends."""
    for boundary in _BOUNDARY.finditer(sentence, at, at + MAX_CLAUSE + 100):
        conjunction = _CONJUNCTION.match(sentence, boundary.end())
        rest = conjunction.end() if conjunction is not None else boundary.end()
        word = conjunction.group(1).lower() if conjunction is not None else ""
        before = sentence[at : boundary.start()]
        if boundary.lastgroup == "hard" or _opens(sentence, rest, before, word):
            return boundary.start()
        if boundary.lastgroup == "comma" and (word in ("but", "so") or _loose(sentence, rest)):
            return boundary.start()
        if _shared_subject("I " + before, sentence, rest, word):
            return boundary.start()
    return len(sentence)


def _opens(sentence: str, at: int, before: str, word: str) -> bool:
    """Whether a clause with a subject of its own begins here."""
    if _PRONOUN.match(sentence, at) is not None:
        first = sentence[at : at + 2].lower().strip()
        return not (word == "and" and first in ("i", "we") and _COMPOUND_SUBJECT.match(before))
    possessive = _POSSESSIVE.match(sentence, at)
    if possessive is not None:
        if word in ("and", "or", "") and _COMPOUND_SUBJECT.match(before):
            return False
        if not word and _APPOSITION.match(sentence, at) is not None and len(before.split()) <= 2:
            return False
        words = sentence[possessive.end() : possessive.end() + 80].split()
        return subject_length(words) is not None
    return _QUESTION.match(sentence, at) is not None or (
        word in ("and", "but", "so", "") and _ME.match(sentence, at) is not None
    )


def _loose(sentence: str, at: int) -> bool:
    return _LOOSE.match(sentence, at) is not None


def _shared_subject(before: str, sentence: str, at: int, word: str) -> str:
    """The subject that a verb after "and" shares with the clause before it, if it does."""
    if word not in ("and", "but", "or", "then"):
        return ""
    subject = _SUBJECT.match(before)
    if subject is None:
        elided = word == "and" and verbs.is_past(before.split(" ", 1)[0].lower())
        return "I am" if elided and _STILL.match(sentence, at) is not None else ""
    words = sentence[at : at + 80].split()
    if not words:
        return ""
    bare = [piece.lower().strip(",.;:!?") for piece in words]
    place = 0
    while place < len(bare) - 1 and (verbs.is_adverb(bare[place]) and bare[place] != "not"):
        place += 1
    verb = bare[place]
    follows = bare[place + 1] if place + 1 < len(bare) else ""
    if word == "and" and subject.group("first") == "I" and _STILL.match(sentence, at) is not None:
        return "I am"
    if verb in lexicon.AUXILIARIES and verb not in ("be", "been"):
        return _subject_words(subject)
    if len(before.split()) < (2 if subject.group("clitic") else 3):
        return ""
    tail = before[subject.end() :].strip().lower()
    if subject.group("first") is None:
        if not verbs.is_finite((subject.group("verb") or "").lower()):
            return ""
        same = verbs.is_third_person(verb) or (verbs.is_past(verb) and _is_past_clause(tail))
        noun = verb.removesuffix("s") in lexicon.NOUN_TOO
        return (
            subject.group("subject") if same and (not noun or follows in lexicon.AFTER_VERB) else ""
        )
    if verbs.is_past(verb) and verb not in lexicon.PAST_IS_BASE:
        passive = (subject.group("clitic") or "").lower() in ("'m", "'re") or tail.startswith(
            ("was ", "am ", "were ")
        )
        if (
            passive
            and verb.endswith("ed")
            and follows not in ("to", "a", "an", "the", "my", "at", "for", "as")
        ):
            return ""
        return subject.group("first") if _is_past_clause(tail) or subject.group("clitic") else ""
    if not verbs.is_base(verb) or any(
        verbs.is_base(found.group(1))
        for found in _OPEN.finditer((subject.group("clitic") or "") + " " + tail)
    ):
        return ""
    if (
        verb in lexicon.NOUN_TOO
        and follows not in lexicon.AFTER_VERB
        and verb not in ("love", "like", "hate", "live")
    ):
        return ""
    return subject.group("first")


def _subject_words(subject: re.Match[str]) -> str:
    return subject.group("first") or subject.group("subject")


def _is_past_clause(tail: str) -> bool:
    for word in tail.split()[:4]:
        if word in ("was", "were", "had", "did", "didn't", "have", "has") or verbs.is_past(word):
            return True
        if not verbs.is_adverb(word):
            return False
    return False


def subject_length(words: list[str]) -> int | None:
    """How many words after "my" belong to the subject, if a verb follows within eight.

    "my 8 year old has" → 3; "my work hours are" → 2.
    """
    first: int | None = None
    plural = False
    for place, word in enumerate(words[:9]):
        lower = word.lower().strip(",.;:!?()")
        if lower.endswith("'s") and lower not in ("that's", "it's") and place + 1 < len(words):
            head = lower[:-2]
            follows = words[place + 1].lower()
            if place == 0 and (
                head in ("name", "email", "birthday")
                or follows in ("a", "an", "the", "not", "in", "allergic")
            ):
                return place + 1
            if follows in ("a", "an", "the", "not", "allergic", "from", "in", "been", "called"):
                return place + 1
        if place == 0:
            plural = lower in lexicon.PLURAL or (lower.endswith("s") and not lower.endswith("ss"))
            if word.endswith((".", "!", "?")):
                return None
            continue
        before = words[place - 1].lower().strip(",")
        if lower in lexicon.AUXILIARIES:
            if before in ("and", "or"):
                return None
            return place if first is None or first == place - 1 else first
        if first is None and before not in (
            "and",
            "of",
            "the",
            "a",
            "an",
            "to",
            "with",
            "for",
            "in",
            "at",
            "on",
        ):
            plural_verb = (plural or before in lexicon.PLURAL) and verbs.is_base(lower)
            if (
                (plural_verb and lower not in lexicon.NOUN_TOO)
                or verbs.is_past(lower)
                or verbs.is_third_person(lower)
                or (plural_verb and before in lexicon.PLURAL)
            ):
                first = place
        if word.endswith((".", "!", "?")):
            break
        plural = plural or lower in lexicon.PLURAL
    return first

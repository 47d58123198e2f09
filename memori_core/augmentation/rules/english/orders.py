"""What a user orders us to do: remember, forget, answer in a certain way."""

from __future__ import annotations

import re

_PLEASE = (
    r"(?:(?:please|pls|hey|hi|ok|okay|so|and|also|oh|btw|by the way|just|now|"
    r"thanks|from now on|going forward|in future|in the future),? )*"
)
_YOU = (
    r"(?:(?:can|could|would|will|should|may|must) you (?:please )?|you (?:can|"
    r"could|may|should|must|need to|have to) |i (?:want|need|'d like) you to |i'd "
    r"like you to )?"
)

_REMEMBER = re.compile(
    rf"{_PLEASE}{_YOU}(?:please )?(?:also )?(?:(?:always )?remember|don't (?:ever "
    rf")?forget|do not forget|never forget|keep in mind|bear in mind|"
    r"make a note|take note|take a note|note down|note to self|note|memori[sz]e|"
    r"save (?:this|that|it)(?: to (?:your )?memory)?|"
    r"store (?:this|that|in (?:your )?memory)|add (?:this |that )?to (?:your "
    r")?memory|fyi|for your information|just fyi|reminder|"
    r"know|be aware|remember this|for future reference)"
    r"(?: (?:this|the following|about me|for (?:later|next time|the future|future "
    r"reference)))*(?:[:,] ?(?:that )?| that | - | (?=I\b|I'm|I've|my\b|our\b|"
    r"we\b|the\b))",
    re.IGNORECASE,
)
_NOT_REMEMBER = re.compile(
    rf"{_PLEASE}(?:know that (?:you|it|this)|note that (?:the (?:above|code|file|"
    rf"function|output|input)|this|it|you)|remember (?:when|how|that (?:time|day|"
    rf"night))|"
    r"remember the (?:time|day|night)|(?:can|could|do|did|will|would) you "
    r"remember\b.*\?|don't forget (?:to|it|about)\b|remember to\b)",
    re.IGNORECASE,
)
_FORGET = re.compile(
    rf"{_PLEASE}{_YOU}(?:please )?(?:just )?(?:forget|disregard)(?: (?:about|all "
    rf"about|that|what (?:i|I) (?:said|told you|mentioned|wrote) about|"
    r"everything (?:about|you know about|i told you about|I told you about|i said "
    r"about|I said about)|the fact that|anything about|the (?:thing|bit|part) "
    r"about|(?:that|when) (?:i|I) (?:said|told you|mentioned)(?: that)?))? "
    r"(?P<what>.+)",
    re.IGNORECASE,
)
_DELETE = re.compile(
    rf"{_PLEASE}{_YOU}(?:please )?(?:delete|erase|remove|wipe|clear|drop)(?: "
    rf"(?:all|everything|anything|what|the (?:fact|memory|note|info|information)))?"
    r"(?: (?:that )?(?:you (?:know|have|stored|remember|saved)|i (?:said|told "
    r"you)))?(?: (?:about|that|of|on))? (?P<what>.+?)(?: (?:from|in|out of) "
    r"(?:your |the )?(?:memory|memories|records|notes))?[.!]?$",
    re.IGNORECASE,
)
_DELETE_MEMORY = re.compile(
    (
        r".*\b(?:memory|memories|you know|you have stored|you remember|told you|the "
        r"fact that|your records|your notes)\b"
    ),
    re.IGNORECASE,
)
_NOTHING = re.compile(
    r"(?:it|that|this|about it|about that|them|me|to\b.*|(?:all |the |your |any |"
    r"all the |all your )*(?:previous|prior|above|earlier|last|other) \w+.*|"
    r"(?:all |the |your )*(?:instructions?|rules|prompt|question|code|part|bit|"
    r"last (?:message|question)|previous).*|i (?:said|asked).*)[.!]*$",
    re.IGNORECASE,
)

_ALWAYS = (
    r"(?:please )?(?:always|from now on,?|going forward,?|in (?:the )?future,?|"
    r"every time,?|whenever you (?:answer|reply|respond),?|by default,?|for all "
    r"(?:answers|responses|replies),?)(?: please| always)?,? "
)
_ANSWERS = (
    r"(?:answer|reply|respond|write|speak|talk|address me|explain (?:things|it|"
    r"everything)|write back|communicate|give (?:me )?(?:answers|replies|"
    r"responses)|phrase (?:things|answers))"
)
_ADJECTIVE = (
    r"(?P<how>(?:(?:very|more|really|nice and) )?(?:short(?:er)?|brief|concise|"
    r"simple|formal|informal|casual|detailed|long|to the point|succinct|terse|"
    r"friendly|polite|technical|plain)(?:(?:,| and|, and) (?:to the point|\w+))?)"
)

STANDING: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), wording)
    for pattern, wording in (
        (
            (
                rf"{_ALWAYS}{_ANSWERS} (?:to )?(?:me |my questions )?(?P<how>(?:in|with|as|"
                rf"using|like|without|at|on)\b.+)"
            ),
            "wants answers {how}",
        ),
        (
            rf"{_ALWAYS}{_ANSWERS} (?:to )?(?:me )?(?P<how>\w+ly|short|brief|simple)\b",
            "wants answers given {how}",
        ),
        (
            (
                rf"{_ALWAYS}(?:keep|make) (?:your |the |all |my )?(?:answers?|replies|"
                rf"responses?|it|things|explanations?) {_ADJECTIVE}"
            ),
            "wants {how} answers",
        ),
        (
            (
                rf"(?:please )?keep (?:your |the |all )?(?:answers|replies|responses|"
                rf"explanations) {_ADJECTIVE}"
            ),
            "wants {how} answers",
        ),
        (rf"{_ALWAYS}be (?P<how>.+)", "wants {how} answers"),
        (rf"{_ALWAYS}(?:use|give me|include|add|show) (?P<how>.+)", "always wants {how}"),
        (
            (
                rf"{_ALWAYS}(?:don't|do not|never|avoid|stop|no)(?: (?:use|using|include|add|"
                rf"give me|adding))? (?P<how>.+)"
            ),
            "wants no {how}",
        ),
        (
            (
                rf"{_ALWAYS}(?P<how>(?:ask|call|check|explain|cite|mention|start|end|begin|"
                rf"finish|sign|format|round|convert|quote|spell|translate|address|suggest|"
                rf"recommend|provide|tell|assume|answer|reply|write|put|keep|make|treat|"
                rf"double-check|warn|remind|offer)\b .+)"
            ),
            "wants the assistant to always {how}",
        ),
        (
            (
                r"(?:please )?(?:never|don't ever|do not ever) (?:use|include|add|give me|"
                r"send me|show me|write) (?P<how>.+)"
            ),
            "wants no {how}",
        ),
        (
            (r"(?:please )?(?:don't|do not) (?P<how>(?:suggest|recommend) (?:me )?any .+)"),
            "wants the assistant to not {how}",
        ),
        (
            (
                r"(?:please )?(?:never|don't ever|do not ever) (?P<how>(?:answer|reply|call|"
                r"suggest|recommend|address|mention|speak|talk|write|assume|ask)\b.+)"
            ),
            "wants the assistant to never {how}",
        ),
        (
            (
                r"(?:please )?(?:don't|do not|stop|avoid|no need to)(?: (?:use|using|include|"
                r"including|add|adding|give me|giving me|sending|send))? (?P<how>(?:any |so "
                r"many |all those )?(?:emojis?|emoticons|bullet points|bullets|markdown|"
                r"jargon|exclamation marks|small talk|disclaimers|headers|headings|tables|"
                r"em[- ]dashes|slang|filler|pleasantries|apologies|comments)\b.*)"
            ),
            "wants no {how}",
        ),
        (
            (
                r"(?:please )?(?:no(?: more)?|skip the|without) (?P<how>(?:emojis?|emoticons|"
                r"bullet points|bullets|markdown|jargon|exclamation marks|small talk|"
                r"disclaimers|headers|headings|tables|em[- ]dashes|slang|filler|fluff|"
                r"pleasantries|apologies|comments|long answers|yapping)\b.*)"
            ),
            "wants no {how}",
        ),
        (
            (
                r"(?:please )?(?:talk|speak|reply|respond|answer)(?: to me| me)? (?P<how>in "
                r"(?:[A-Z]\w+|simple|plain|metric)\b.*? (?:always|from now on|going forward|"
                r"in future|every time|by default))[.!]?$"
            ),
            "wants answers {how}",
        ),
        (
            (
                r"(?P<how>(?:short|brief|concise|detailed|long|simple) (?:answers|replies|"
                r"responses)) (?:only|please|always)"
            ),
            "wants {how}",
        ),
    )
)
_STANDING_OPENS = re.compile(
    r"(?:please )?(?:always|from|going|in|every|whenever|by|for|keep|never|don't|"
    r"do not|stop|avoid|no|skip|without|talk|speak|reply|respond|answer|short|"
    r"brief|concise|detailed|long|simple)\b",
    re.IGNORECASE,
)
_FORGET_WORD = re.compile(
    r"\b(?:forget|disregard|delete|erase|remove|wipe|clear|drop)\b", re.IGNORECASE
)
MAX_ORDER = 200
"""An order begins this early in its sentence."""

_TAIL = re.compile(
    (
        r",? (?:(?:in|with|for|to) (?:your|the|any|all|my) (?:answers?|replies|"
        r"responses|messages|questions)|please|thanks|thank you|from now on|always|in "
        r"(?:the )?future|going forward|ok|okay|ever)\W*$"
    ),
    re.IGNORECASE,
)
_CALL_ME = re.compile(
    rf"{_PLEASE}(?:(?:you|u) can )?(?:(?:just|please) )?(?:call me|(?:everyone|"
    rf"everybody|people|friends|my friends|they|most people) (?:call|calls) me|I "
    rf"go by|I'm called|I am called|address me as)"
    r"(?: just)? (?P<name>[^\W\d_][\w'-]*(?: (?-i:[A-Z])[\w'-]+)?)(?= instead| "
    r"please| for short| btw| from now on|[.,!]|$)",
    re.IGNORECASE,
)
_NO_NAME = frozenset(
    ("back later tomorrow today when if at on crazy old stupid a an the lazy maybe ishmael").split()
)


def remembered(sentence: str) -> str | None:
    """What a sentence orders to remember, in the user's words; None if it orders nothing."""
    if _NOT_REMEMBER.match(sentence) is not None:
        return None
    found = _REMEMBER.match(sentence)
    return sentence[found.end() :].strip() or None if found is not None else None


def forgotten(sentence: str) -> str | None:
    """What a sentence orders to forget, in the user's words; None if it orders nothing.

    An empty text: it is an order, but about nothing that is remembered ("forget it").
    """
    if _FORGET_WORD.search(sentence[:MAX_ORDER]) is None:
        return None
    found = _FORGET.match(sentence)
    if found is None and _DELETE_MEMORY.match(sentence) is not None:
        found = _DELETE.match(sentence)
    if found is None:
        return None
    what = _TAIL.sub("", found.group("what").strip(" .!?"))
    return "" if _NOTHING.match(what) is not None else what


def standing(clause: str) -> str | None:
    """What the user always wants of answers: "wants answers in British English"."""
    if _STANDING_OPENS.match(clause) is None:
        return None
    for pattern, wording in STANDING:
        found = pattern.match(clause)
        if found is not None:
            how = found.group("how").strip(" .!")
            while (shorter := _TAIL.sub("", how)) != how:
                how = shorter
            return wording.format(how=how)
    return None


_NEXT_ORDER = re.compile(
    r",? and (?=(?:please |always |never )?(?:don't|do not|no|never|keep|use|stop|avoid)\b)"
    r"|, (?=(?:I|I'm|my)\b)",
    re.IGNORECASE,
)


def each(sentence: str) -> list[str]:
    """The orders of a sentence that holds several about our answers."""
    return _NEXT_ORDER.split(sentence)


def called(clause: str) -> str | None:
    """The name by which the user asks to be called."""
    found = _CALL_ME.match(clause)
    if found is None or found.group("name").lower() in _NO_NAME:
        return None
    name = found.group("name")
    return name if name[:1].isupper() else name.capitalize()

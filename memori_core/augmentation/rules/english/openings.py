"""How a clause begins: names, roles, times in front, subjects that were left out."""

from __future__ import annotations

import re

from memori_core.augmentation.rules.english import lexicon, verbs

_FOR_NAME = r"(?-i:[A-Z\u00c0-\u00de\u3400-\u9fff])[\w'’-]*"
_I_AM = re.compile(
    (
        rf"I(?:'m| am) (?P<name>{_FOR_NAME}(?: {_FOR_NAME}){{0,2}})(?P<rest>$|[,;] .+| "
        rf"(?:from|and|by the way|btw) .+| here$)"
    ),
    re.IGNORECASE,
)
_IT_IS = re.compile(
    (
        rf"(?:it's|it is|this is|the name's|the name is|name's) "
        rf"(?P<name>{_FOR_NAME})(?: here| again)?$"
    ),
    re.IGNORECASE,
)
_ME_AND = re.compile(
    r"we(?P<be>'re| are|'ve| have) (?P<rest>[^,;]{3,80}), me and "
    rf"(?P<who>my (?:{'|'.join(sorted(lexicon.RELATIVES, key=len, reverse=True))})\b)",
    re.IGNORECASE,
)
_DISLOCATED = re.compile(
    r"(?:(?<=^)|(?<=[,;] )|(?<=\band )(?<!\bme and )|(?<=\bbut )|(?<=\bso ))"
    r"(?P<who>my (?:[\w'-]+ ){0,2}[\w'-]+)(?P<name>,? (?-i:[A-Z])[\w'-]+)?, "
    r"(?:s?he|they)(?:'(?P<clitic>s|re|ve|ll|d))? ",
    re.IGNORECASE,
)
_KIN = "|".join(sorted(lexicon.RELATIVES - {"old"}, key=len, reverse=True))
_TITLED = r"(?:(?:Mrs?|Ms|Dr|Prof)\.? )?[A-Z\u00c0-\u00de][\w'-]*(?: [A-Z\u00c0-\u00de][\w'-]*)?"
_NAMED_KIN = re.compile(
    rf"\b(?P<who>(?i:my|our) (?:[a-z]+ )?(?:{_KIN})), "
    rf"(?P<name>{_TITLED}), (?!(?:and|or|who|s?he|they|it|I)\b)(?=[a-z])"
)
_KIN_NAMED = re.compile(
    rf"^(?P<name>{_TITLED}), (?:my|our) (?P<who>(?:[a-z]+ )?(?:{_KIN})), "
    r"(?!(?:and|or|who|s?he|they|it|I)\b)(?=[a-z])"
)
_WHO = re.compile(
    rf"\b(?P<who>(?i:my|our) (?:[a-z]+ )?(?:{_KIN})(?:,? {_TITLED})?), who (?=[^,;?]+$)"
)
_DONE = re.compile(rf"(?:\w+ly |just |already |never )?(?:{'|'.join(lexicon.PARTICIPLES)})\b")
_A_TIME = re.compile(
    r"(?:.+day|january|february|march|april|may|june|july|august|.+ber|.*christmas|easter|spring|"
    r"summer|autumn|winter|ramadan|diwali|me|you|us)$",
    re.IGNORECASE,
)
_NAME_HERE = re.compile(rf"(?P<name>{_FOR_NAME}) here$")
_MY_BIRTHDAY = re.compile(
    r"(?:it's|it is) my birthday (?P<day>(?:on|in|tomorrow|today|tonight|next|this|\d|\w+day)\b.*)",
    re.IGNORECASE,
)
_NEW_EMAIL = re.compile(r"(?:new |work |personal )?e-?mail(?: address)? is \S+@\S+", re.IGNORECASE)
_ROLE = re.compile(
    (
        r"(?:as|being|speaking as|coming from) (?P<role>an? .+?)(?:,? (?P<rest>(?:I|"
        r"I'm|I've|I'd|my|we|our)\b.+))?$"
    ),
    re.IGNORECASE,
)
_NOT_ROLE = re.compile(
    (
        r"an? (?:\w+ )?(?:kid|child|teen\w*|boy|girl|toddler|baby|student back|rule|"
        r"result|consequence|matter|bonus|start|first|last|follow|side|test|joke|gift|"
        r"treat|reward|precaution|user|customer|language model|developer i)\b"
    ),
    re.IGNORECASE,
)
_LEAD_WORD = (
    r"(?:in (?:my|our) (?:free|spare) time|"
    r"in|on|at|last|this|next|yesterday|today|tomorrow|tonight|every|each|"
    r"since|for|after|before|during|back in|over|"
    r"when|while|as a (?:kid|child|teenager|student|boy|girl)|growing up|around|"
    r"until|by|from|throughout|within|"
    r"two|three|four|five|six|seven|eight|nine|ten|\d+|a|an|one|(?:a )?few|couple|"
    r"earlier|later|lately|recently|nowadays|currently|"
    r"these days|right now|at the moment|sometimes|usually|normally|often|"
    r"occasionally|generally|typically|mostly|once|most)"
)
_LEAD = re.compile(
    (
        rf"(?P<lead>{_LEAD_WORD}\b(?: [\w':-]+){{0,6}}?),? (?P<rest>(?:I|I'm|I've|I'd|"
        rf"I'll|we|we're|we've|my|our)\b.+)"
    ),
    re.IGNORECASE,
)
_LEAD_ONLY = re.compile(rf"(?:{_LEAD_WORD})\b(?:,? [\w':-]+){{0,6}}", re.IGNORECASE)
_LEAD_TIME = re.compile(
    r"\b(?:ago|day|days|week|weeks|weekends?|month|months|year|years|morning|"
    r"evening|afternoon|night|nights|mornings|evenings|yesterday|today|tomorrow|"
    r"tonight|"
    r"lately|recently|nowadays|currently|moment|now|days|sometimes|usually|"
    r"normally|often|occasionally|generally|typically|mostly|once|"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|"
    r"may|june|july|august|september|october|november|december|"
    r"(?:19|20)\d\d|spring|summer|autumn|fall|winter|christmas|easter|time|work|"
    r"home|school|university|uni|college|kid|child|teenager|student|boy|girl|up|"
    r"hour|hours|"
    r"breakfast|lunch|dinner|childhood|earlier|later|least|holidays?|pandemic|"
    r"\d{1,2}(?:st|nd|rd|th)?)\b",
    re.IGNORECASE,
)
_ELIDED_PAST = re.compile(
    r"(?P<adv>(?:(?:just|recently|finally|already|also|only|even|only just) "
    r")*)(?P<verb>moved|started|got|joined|adopted|bought|finished|graduated|met|"
    r"broke up|quit|"
    r"passed|had (?=a |an |my |our |surgery|twins)|visited|signed up|switched|"
    r"studied|worked|lived|grew up|became|turned \d|gave birth|lost my|retired|"
    r"divorced|"
    r"married|proposed|applied|enrolled|landed|sold|ran|completed|won|learned|"
    r"learnt|taught|volunteered|spent|ordered|booked|planted|built|wrote|"
    r"published|came back from|went (?:to|hiking|camping|skiing|vegan|vegetarian|"
    r"on)|"
    r"was (?:born|diagnosed|promoted|raised|laid off|fired|hired)|born|been|never "
    r"(?:been|had|liked|eaten|tried|seen|learned|learnt|owned|drunk|smoked|drank|"
    r"ate|smoke|drink|eat))\b(?P<rest> \S.*)",
    re.IGNORECASE,
)
_NOT_ELIDED = re.compile(
    r"(?:(?:just|finally|already|also) )*(?:got (?:to\b|it\b|this|that|you|an? "
    r"(?:error|message|question|idea|minute|sec|problem)|any|my (?:answer|point)|"
    r"the (?:following|same|idea|message|error))|been (?:a (?:while|long|minute|"
    r"few|year)|there|busy\b|meaning|thinking|wondering|trying|so long)|"
    r"went (?:well|great|fine|ok|bad)|ran (?:the|it|this|into|npm|pip)|started "
    r"(?:getting|happening|with|to (?:get|happen))|finished (?:it|that|this|"
    r"product)|met (?:the )?(?:requirements|expectations)|"
    r"(?:never|built|ordered|sold) (?:mind|by)|spent (?:on)|won't|been (?:it|ages|forever))",
    re.IGNORECASE,
)
_ELIDED_PRESENT = re.compile(
    r"(?:(?:really|absolutely|also|still|always|personally) )*(?:(?P<verb>love "
    r"(?!and\b|it\b|this|that|you|your|the (?:way|idea|sound)|is\b|to (?:see|hear|"
    r"know)|how|what|them|letter|story|song|language|life)|"
    r"hate (?!it|this|that|to (?:say|ask|bother)|when|speech|crime|is)|can't "
    r"stand (?!it|this|that)|live (?:in|with|on|near|alone)\b|work (?:at|as|in|"
    r"for|from home)\b|prefer (?!it|this|that|not)|"
    r"don't (?:like|eat|drink|own|drive|smoke|have (?:a|any) (?:car|kids|pets|dog|"
    r"cat|oven|tv))\b|can't (?:eat|drink|swim|drive)\b|never (?:eat|drink|"
    r"smoke)\b|used to (?:live|work|play|be|have|smoke|drink)\b|have (?:two|three|"
    r"four|a (?:dog|cat|wife|husband|son|daughter|baby|peanut|nut))\b)|"
    r"(?P<state>(?:currently |now )?(?:allergic|alergic) to|(?:lactose|gluten)[ "
    r"-]intolerant|planning (?:(?:to|on) (?!use|do this)|(?:an?|my|our) "
    r"[\w -]{0,30}(?:trip|holiday|vacation|wedding|party|move)\b)|"
    r"thinking (?:of|about) (?:moving|quitting|getting|buying|starting|adopting|"
    r"changing|leaving|going)|turning \d\d|working (?:at|as|part-time|full-time|night|in (?:a|"
    r"the|[A-Z]))\b|living (?:in|with|on)\b|based in|"
    r"currently (?!trying|using|getting|working on|looking|facing|stuck|having|"
    r"the\b)\w+ing\b|trying to (?:lose|quit|eat|get pregnant|save|learn|cut|stay|"
    r"sleep|conceive|gain|become|reduce)|"
    r"saving (?:up )?for|training for|recovering from|married (?:to|with|for)|"
    r"divorced|pregnant|engaged to))\b ?.*",
    re.IGNORECASE,
)
_HERE = re.compile(
    (
        r"(?:(?:a |an |fellow |long-?time |new |proud )*)(?P<what>[\w-]+(?: "
        r"[\w-]+){0,2}) here$"
    ),
    re.IGNORECASE,
)


_NOT_HERE = frozenset(
    "same look looky everyone everything nobody all still only right up over down out me it"
    " come sitting stay there nothing something one you we".split()
)


def as_name(clause: str, *, greeted: bool) -> tuple[str, str] | None:
    """The name that a clause tells, and the rest of the clause as one of its own."""
    found = _I_AM.match(clause)
    if found is None:
        lower = (
            re.match(
                r"I(?:'m| am) (?P<name>[a-z]{3,12})(?P<rest>$|, .+| from .+| and i .+)", clause
            )
            if greeted
            else None
        )
        if lower is None or _is_word(lower.group("name")):
            return None
        found = lower
    name = found.group("name")
    parts = name.split()
    if any(
        part.lower() in lexicon.NOT_NAMES or part.lower() in lexicon.OCCUPATIONS for part in parts
    ) or (parts[0].isupper() and len(parts[0]) > 1):
        return None
    rest = found.group("rest").strip(" ,;")
    if rest.lower() == "here":
        rest = ""
    for word in ("and ", "btw ", "by the way "):
        rest = rest.removeprefix(word)
    return (name if name[:1].isupper() or not name.isascii() else name.capitalize()), rest


def _is_word(word: str) -> bool:
    return (
        word in lexicon.NOT_NAMES
        or word in lexicon.OCCUPATIONS
        or verbs.is_base(word)
        or verbs.is_adverb(word)
        or verbs.is_past(word)
        or word in lexicon.AUXILIARIES
        or word.endswith(("ing", "ful", "ous", "ive", "able", "ed", "less", "ish", "est"))
    )


def _is_a_name(name: str) -> bool:
    lower = name.lower()
    return not (
        lower in _NOT_HERE
        or lower in lexicon.NOT_NAMES
        or lower in lexicon.OCCUPATIONS
        or _is_word(lower)
    )


def introduced(clause: str, *, greeted: bool) -> str | None:
    """The name in "it's Maria here", and in "hi, Maria here"."""
    here = _NAME_HERE.match(clause) if greeted else None
    if here is not None and _is_a_name(here.group("name")):
        return here.group("name")
    found = _IT_IS.match(clause)
    if (
        found is None
        or found.group("name").lower() in lexicon.NOT_NAMES
        or (
            not clause.lower().endswith(("here",))
            and not clause.lower().startswith(("the name", "name's"))
            and not (
                greeted
                and clause.lower().endswith(" again")
                and not _A_TIME.match(found.group("name"))
            )
        )
    ):
        return None
    return found.group("name")


def accompanied(sentence: str) -> str:
    """A sentence with the subject it has: "we're off, me and my dad" → "I'm off with my dad".

    So too "my son, Bo, he's four" → "my son Bo is four".
    """
    if "," in sentence and "my " in sentence.lower():
        sentence = _NAMED_KIN.sub(r"\g<who> \g<name> ", sentence)
        sentence = _KIN_NAMED.sub(r"my \g<who> \g<name> ", sentence)
        sentence = _WHO.sub(r"\g<who>; \g<who> ", sentence)
    if " my " in f" {sentence[:1].lower()}{sentence[1:]}" and "he" in sentence:
        sentence = _DISLOCATED.sub(_in_place, sentence)
    found = _ME_AND.match(sentence)
    if found is None:
        return sentence
    verb = "'m" if found.group("be").lower() in ("'re", " are") else found.group("be")
    return f"I{verb} {found.group('rest')} with {found.group('who')}{sentence[found.end() :]}"


def _in_place(found: re.Match[str]) -> str:
    who = found.group("who") + (found.group("name") or "").replace(",", "")
    clitic = (found.group("clitic") or "").lower()
    if clitic == "s":
        clitic = "has" if _DONE.match(found.string, found.end()) is not None else "is"
    else:
        clitic = {"re": "are", "ve": "have", "ll": "will", "d": "would"}.get(clitic, "")
    return f"{who} {clitic} " if clitic else f"{who} "


def role(clause: str) -> tuple[str | None, str]:
    """What the writer is, in "as a nurse I work nights", and the rest, each about "I"."""
    found = _ROLE.match(clause)
    if found is None or _NOT_ROLE.match(found.group("role")) is not None:
        return None, clause
    return f"I am {found.group('role')}", found.group("rest") or ""


def is_lead(clause: str) -> bool:
    """Whether a clause is only the time or place of the one after it."""
    return _LEAD_ONLY.fullmatch(clause) is not None and _LEAD_TIME.search(clause) is not None


def reordered(clause: str) -> str:
    """A clause with its time at the end: "last Friday I swam" → "I swam last Friday"."""
    found = _LEAD.match(clause)
    if found is None or _LEAD_TIME.search(found.group("lead")) is None:
        return clause
    lead = found.group("lead")
    if lead.rsplit(" ", 1)[-1].lower() in lexicon.AUXILIARIES:  # "tomorrow is my birthday"
        return clause
    keep = (
        lead
        if lead[:2].isupper()
        or re.match(
            (
                r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|[a-z]+uary|march|april|may|june|"
                r"july|august|\w+ember|october"
            ),
            lead,
            re.IGNORECASE,
        )
        else lead[:1].lower() + lead[1:]
    )
    return f"{found.group('rest').rstrip(' .!')} {keep}"


def spelled_subject(clause: str, *, opening: bool) -> str:
    """A clause with the subject its writer left out: "Never been to Asia" → "I have never …"."""
    birthday = _MY_BIRTHDAY.match(clause)
    if birthday is not None:
        return f"my birthday is {birthday.group('day')}"
    if _NEW_EMAIL.match(clause) is not None:
        return f"my {clause[:1].lower()}{clause[1:]}"
    if not opening:
        return clause
    lowered = clause[:1].lower() + clause[1:]
    past = _ELIDED_PAST.match(clause)
    if past is not None and _NOT_ELIDED.match(clause) is None:
        verb = past.group("verb").lower()
        if verb.startswith(
            (
                "been",
                "never been",
                "never had",
                "never liked",
                "never eaten",
                "never tried",
                "never seen",
                "never learn",
                "never owned",
                "never drunk",
                "never smoked",
            )
        ):
            return f"I have {lowered}"
        return f"I was {lowered}" if verb == "born" else f"I {lowered}"
    present = _ELIDED_PRESENT.match(clause)
    if present is not None:
        return f"I {lowered}" if present.group("verb") else f"I am {lowered}"
    here = _HERE.match(clause)
    if here is not None:
        what = here.group("what").lower()
        if what.split()[-1] in lexicon.OCCUPATIONS or what in (
            "vegan",
            "vegetarian",
            "pescatarian",
            "diabetic",
            "coeliac",
            "celiac",
        ):
            return f"I am {'an' if what[0] in 'aeio' else 'a'} {what}"
    return clause

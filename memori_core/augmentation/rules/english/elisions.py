"""Clauses that begin with a time, or leave out who they are about."""

from __future__ import annotations

import re

from memori_core.augmentation.rules.english import lexicon

_MY_BIRTHDAY = re.compile(
    r"(?:it's|it is) my birthday (?P<day>(?:on|in|tomorrow|today|tonight|next|this|\d|\w+day)\b.*)",
    re.IGNORECASE,
)
_NEW_EMAIL = re.compile(r"(?:new |work |personal )?e-?mail(?: address)? is \S+@\S+", re.IGNORECASE)
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

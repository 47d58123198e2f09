"""Lists about oneself and forms: "About me: 34, nurse, two kids", "Name: Ada"."""

from __future__ import annotations

import re

from memori_core.augmentation.rules.english import lexicon, verbs

_ABOUT_ME = re.compile(
    r"(?:(?:hi|hello|hey|ok|so|here(?:'s| is| are)|some|a few|a little|a bit|bit|"
    r"little|quick|facts?|things?|info(?:rmation)?|details|background|notes?|more|"
    r"basics|stuff|the|my|short|intro|bio|profile)\b,? ?)*"
    r"(?:about (?:me|myself)|on me|who i am|my (?:profile|bio|details|info|"
    r"background|stats|data)|me|bio|profile|intro|i am|stats)(?: (?:in short|"
    r"first|quickly|briefly|so far|to know|for you|you should know))? ?[:：-]\s*",
    re.IGNORECASE,
)
_BULLET = re.compile(r"\s*(?:[-*•·–+]|\d{1,2}[.)])\s+")
_AGE = re.compile(
    (
        r"(?P<n>1[0-9]|[2-9][0-9])(?: ?(?:years?(?: old)?|y/?o|yrs?(?: old)?))?(?: "
        r"?(?:/|,)? ?[mfMF])?$|(?:age[d:]? ?)(?P<m>\d{1,2})(?: years old)?$|[mfMF] "
        r"?/? ?(?P<k>1[0-9]|[2-9][0-9])$"
    ),
    re.IGNORECASE,
)
_COUNT = re.compile(
    (
        r"(?:a|an|one|two|three|four|five|six|no|some|\d{1,2}) (?!years?\b|y/?o\b|"
        r"months?\b|days?\b|times\b|hours?\b)"
    ),
    re.IGNORECASE,
)
_STATE = re.compile(
    r"(?:(?:currently|now|recently|newly|happily|originally|mostly|severely|very|"
    r"strictly|also) )*(?:vegan|vegetarian|pescatarian|married|single|divorced|"
    r"widowed|engaged|retired|unemployed|self-employed|"
    r"pregnant|allergic|alergic|diabetic|coeliac|celiac|autistic|left-handed|"
    r"right-handed|lactose[- ]intolerant|gluten[- ]intolerant|bilingual|"
    r"from|based in|born|living in|working|studying|learning|into|interested in|"
    r"afraid of|fluent in|training for|planning|trying|saving|looking for|"
    r"colou?r-?blind|introvert\w*|extrovert\w*|"
    r"deaf|blind|jewish|muslim|catholic|buddhist|atheist|german|french|british|"
    r"american|dutch|canadian|indian|italian|spanish)\b",
    re.IGNORECASE,
)
_VERB = re.compile(
    (
        r"(?:(?:really|always|never|also|usually|absolutely|mostly|mainly|only|often) "
        r")*([a-z]+(?:'t)?)\b"
    ),
    re.IGNORECASE,
)

LABELS = {
    "name": "name",
    "full name": "name",
    "first name": "name",
    "age": "age",
    "job": "job",
    "occupation": "occupation",
    "profession": "occupation",
    "job title": "job title",
    "role": "role",
    "title": "",
    "work": "work",
    "employer": "employer",
    "company": "company",
    "location": "location",
    "city": "city",
    "country": "country",
    "address": "address",
    "home town": "home town",
    "hometown": "hometown",
    "nationality": "nationality",
    "birthday": "birthday",
    "date of birth": "date of birth",
    "dob": "date of birth",
    "born": "birthday",
    "email": "email",
    "e-mail": "email",
    "phone": "phone number",
    "phone number": "phone number",
    "height": "height",
    "weight": "weight",
    "blood type": "blood type",
    "languages": "languages",
    "native language": "native language",
    "hobbies": "hobbies",
    "hobby": "hobby",
    "interests": "interests",
    "pronouns": "pronouns",
    "timezone": "timezone",
    "time zone": "timezone",
    "diet": "diet",
    "dietary": "diet",
    "dietary restrictions": "dietary restrictions",
    "dietary preferences": "dietary preferences",
    "dietary requirements": "dietary requirements",
    "allergies": "allergies",
    "allergy": "allergy",
    "medical conditions": "medical conditions",
    "conditions": "conditions",
    "medication": "medication",
    "medications": "medications",
    "meds": "medication",
    "hate": "dislikes",
    "hates": "dislikes",
    "love": "likes",
    "loves": "likes",
    "likes": "likes",
    "dislikes": "dislikes",
    "pets": "pets",
    "pet": "pet",
    "kids": "kids",
    "children": "children",
    "marital status": "marital status",
    "os": "OS",
    "editor": "editor",
    "shell": "shell",
    "goal": "goal",
    "goals": "goals",
    "budget": "budget",
    "experience": "experience",
    "education": "education",
    "gender": "gender",
    "sex": "sex",
    "shoe size": "shoe size",
    "clothing size": "clothing size",
    "size": "size",
    "car": "car",
    "partner": "partner",
    "lives in": "city",
    "from": "hometown",
    "nickname": "nickname",
}
"""Labels of forms, and what of the user's they name."""
_LABEL = re.compile(r"(?:my )?([A-Za-z][A-Za-z -]{1,30}?) ?[:：=] ?(?=\S)", re.IGNORECASE)
_FAVOURITE = re.compile(
    (
        r"(?:my )?((?:all-time )?(?:favou?rite|preferred|default|go-to) [\w "
        r"-]{2,30}?) ?(?:[:：=]| - ) ?(\S.*)"
    ),
    re.IGNORECASE,
)
_NONE = frozenset("none no n/a na nil nothing - unknown".split())
_SEPARATOR = re.compile(r"[,;|](?=\s*(?:my )?[A-Za-z][A-Za-z -]{1,30}? ?[:：=])")


def opens_list(sentence: str) -> str | None:
    """What follows "About me:" on its line, maybe nothing; None if the line opens no list."""
    found = _ABOUT_ME.match(sentence)
    return sentence[found.end() :] if found is not None else None


def bullet(line: str) -> str | None:
    """The text of a list item; None if the line is none."""
    found = _BULLET.match(line)
    return line[found.end() :].strip() if found is not None else None


def told(item: str) -> str | None:
    """A list item about oneself as a clause: "two cats" → "I have two cats"."""
    item = item.strip(" .,;!")
    if not item or len(item) > 120 or "?" in item:
        return None
    lower = item.lower()
    age = _AGE.match(item)
    if age is not None:
        return f"I am {age.group('n') or age.group('m') or age.group('k')} years old"
    if lower.startswith(("i ", "i'", "my ", "we ", "our ")):
        return item
    if _STATE.match(item) is not None:
        return f"I am {item}"
    words = lower.split()
    head = [word.strip(",") for word in words[:4]]
    if any(word in lexicon.OCCUPATIONS for word in head) or any(
        w.rstrip("s") in lexicon.OCCUPATIONS and w == words[-1] for w in head
    ):
        article = "" if _COUNT.match(item) is not None else "an " if lower[0] in "aeio" else "a "
        return f"I am {article}{item}"
    if _COUNT.match(item) is not None:
        return f"I have {item}"
    verb = _VERB.match(item)
    if verb is not None:
        word = verb.group(1).lower()
        if len(words) > 1 and (word in lexicon.AUXILIARIES or verbs.is_past(word)):
            return f"I {item}"
        if (
            len(words) > 1
            and verbs.is_third_person(word)
            and (word[:-1] not in lexicon.NOUN_TOO or words[1] in lexicon.AFTER_VERB)
        ):
            return f"I {item}"
        if (
            len(words) > 1
            and verbs.is_base(word)
            and (
                word not in lexicon.NOUN_TOO
                or (words[-1] != word and words[1] in lexicon.AFTER_VERB)
                or word in ("love", "hate", "like", "live")
            )
        ):
            return f"I {item[:1].lower()}{item[1:]}"
    return None


def filled_in(sentence: str) -> list[str] | None:
    """The fields of a form as what they say of the user ("name is Ada"); None if it is no form."""
    if (
        ":" not in sentence
        and "=" not in sentence
        and "：" not in sentence
        and " - " not in sentence
    ):
        return None
    favourite = _FAVOURITE.match(sentence)
    if favourite is not None and "?" not in sentence:
        return [f"'s {favourite.group(1).lower()} is {favourite.group(2)}"]
    found: list[str] = []
    for part in _SEPARATOR.split(sentence[:1000]):
        label = _LABEL.match(part.strip())
        if label is None or label.group(1).lower() not in LABELS:
            return found or None
        key = LABELS[label.group(1).lower()]
        value = part.strip()[label.end() :].strip(" .,;")
        if not value or not key or "?" in value or len(value) > 120:
            continue
        found.append(_field(key, value))
    return found or None


def _field(key: str, value: str) -> str:
    lower = value.lower()
    if key in ("allergies", "allergy"):
        return " has no allergies" if lower in _NONE else f" is allergic to {value}"
    if key == "likes":
        return f" likes {value}"
    if key == "dislikes":
        return f" dislikes {value}"
    if key == "age":
        return f" is {value.split()[0]} years old"
    if key == "diet":
        return f" eats {value}" if lower.startswith(("no ", "only ")) else f"'s diet is {value}"
    if lower in _NONE:
        return f" has no {key}"
    return (
        f"'s {key} "
        f"{'are' if (key.endswith('s') and key != 'pronouns') or key == 'pronouns' else 'is'} "
        f"{value}"
    )

"""Facts speak of the user, questions and messages are the user's own: both as one person."""

from __future__ import annotations

import re

# With what follows it, "用户" is another word: a user interface, a user name, the number of users.
_CHINESE = re.compile(r"^用户(?![们界名数量群体端组增需协手画研故反密账接权行留中])")
# So is "User": a capital at the start, and a verb or "'s" behind it.
_ENGLISH = re.compile(
    r"^User(?='s | (?!(?:interfaces?|names?|manuals?|accounts?|stor(?:y|ies)|agents?|ids?|guides?|"
    r"groups?|data|base|experience|input|research|feedback|testing|tests?|and|or)\b)[a-z])"
)
_OF_USER = re.compile(r"\bUser('s)?\b(?! [A-Z])")  # "User Experience" is a name
_VERB = re.compile(
    r"^I (?P<adverb>(?:\w+ly |also |always |never |often |still |just |now |no longer )?)"
    r"(?P<verb>[a-z]+(?:n't)?)(?= |[.,;!]|$)"
)
_IRREGULAR = {
    "is": "am",
    "isn't": "am not",
    "has": "have",
    "hasn't": "haven't",
    "does": "do",
    "doesn't": "don't",
    "was": "was",
    "goes": "go",
}


def first_person(text: str) -> str:
    """A text about the user as the user would say it; any other text as it is.

    "用户住在杭州" is "我住在杭州", "User works with User's wife" is "I work with my wife". Small
    encoders take the user and the one who asks for different people: with all-MiniLM-L6-v2, the
    cosine of "What is my job?" and "User works as a nurse." is 0.35, of "I work as a nurse" 0.48.
    The final mark goes, too: it draws sentences to each other that have nothing else in common.
    """
    if not _ENGLISH.match(text):
        return _CHINESE.sub("我", text)
    said = _OF_USER.sub(lambda found: "my" if found.group(1) else "I", text)
    said = _VERB.sub(lambda found: f"I {found['adverb']}{_own_form(found['verb'])}", said)
    return said[0].upper() + said[1:].rstrip(".")


def _own_form(verb: str) -> str:
    """The verb as it goes with "I": "works" is "work"."""
    if verb in _IRREGULAR:
        return _IRREGULAR[verb]
    if verb.endswith("ies") and len(verb) > 4:
        return verb[:-3] + "y"
    if verb.endswith(("ches", "shes", "sses", "xes", "zzes")):
        return verb[:-2]
    return verb[:-1] if verb.endswith("s") and not verb.endswith(("ss", "us")) else verb

"""What kind of a fact a sentence is: a plan, a preference, who somebody is."""

from __future__ import annotations

import re

from memori_core.models import Kind

_PLAN = re.compile(
    r"(?:(?:also|really|just|still|now|definitely|finally|\w+ly) )*+(?:plans? to|"
    r"is planning|is going to|will|wants? to|needs? to|has to|intends?|"
    r"hopes? to|is supposed to|is hoping|would (?:like|love) to|is thinking (?:of|"
    r"about)|is trying to|must|is about to|'ll|is due|is getting|is moving|is "
    r"flying|is starting)\b"
)
_PREFERENCE = re.compile(
    r"(?:(?:also|really|just|still|always|never|\w+ly) )*+(?:likes?|loves?|hates?|"
    r"prefers?|enjoys?|adores?|dislikes?|detests|loathes|can't stand|doesn't "
    r"(?:really )?(?:like|enjoy|love)|"
    r"always uses|has (?:never|always) (?:liked|loved|hated)|is (?:into|fond of|"
    r"keen on|not into)|would rather)\b"
)
_IDENTITY = re.compile(
    r"is an? |is \d|is (?:originally )?from |is married|was born|grew up|lives? "
    r"in|works? (?:at|as|for|in)|speaks? "
)
_FAVOURITE = re.compile(r"(?:all-time )?(?:favou?rite|default|preferred|go-to) ")
_NAMED = re.compile(
    r"(?:name|full name|first name|age|birthday|e-?mail|job|occupation|pronouns|"
    r"nationality|native|first language)\b"
)


def kind_of(content: str, *, name: str) -> Kind:
    """The kind of a finished sentence about somebody."""
    if content.startswith(f"{name}'s "):
        rest = content[len(name) + 3 :]
        if _FAVOURITE.match(rest) is not None:
            return "preference"
        return "identity" if _NAMED.match(rest) is not None else "fact"
    if not content.startswith(f"{name} "):
        return "fact"
    rest = content[len(name) + 1 :]
    if _PLAN.match(rest) is not None:
        return "plan"
    if _PREFERENCE.match(rest) is not None:
        return "preference"
    return "identity" if _IDENTITY.match(rest) is not None else "fact"

"""Which sentences about "User's ..." state which triples. Data only."""

from __future__ import annotations

import re

POSSESSIONS = (
    (
        re.compile(
            r"(?:(?:first|full|real|last) )?name is (?P<o>[^,;.]+?)(?: and\b.*| but\b.*)?$",
            re.IGNORECASE,
        ),
        "name",
        "person",
    ),
    (
        re.compile(r"(?:nickname|preferred name) is (?P<o>[^,;.]+)$", re.IGNORECASE),
        "name",
        "person",
    ),
    (re.compile(r"age is (?P<o>\d+)", re.IGNORECASE), "age", "number"),
    (
        re.compile(
            r"(?:birthday|birth date|date of birth) is (?:on )?(?:the )?"
            r"(?P<o>(?=[^,;]*\d)[^,;]+?)$",
            re.IGNORECASE,
        ),
        "birthday",
        "date",
    ),
    (
        re.compile(
            r"(?:personal |work |new )?e-?mail(?: address)? is (?P<o>\S+@\S+\w)", re.IGNORECASE
        ),
        "email",
        "email",
    ),
    (
        re.compile(r"(?:native|first|mother) (?:language|tongue) is (?P<o>\w+)", re.IGNORECASE),
        "native_language",
        "language",
    ),
    (
        re.compile(r"(?:occupation|job|profession|job title) is (?P<o>[^,;]+)$", re.IGNORECASE),
        "occupation",
        "occupation",
    ),
    (re.compile(r"diet is (?P<o>[^,;]+)$", re.IGNORECASE), "diet", ""),
    (
        re.compile(
            (
                r"(?:(?:dog|cat|puppy|kitten|rabbit|hamster|parrot|horse|greyhound|pet)'s) "
                r"name is (?P<o>[^,;.]+)$"
            ),
            re.IGNORECASE,
        ),
        "has_pet",
        "animal",
    ),
    (
        re.compile(
            (
                r"(?:dog|cat|puppy|kitten|rabbit|hamster|parrot|horse|pet) is (?:called|"
                r"named) (?P<o>[^,;.]+)$"
            ),
            re.IGNORECASE,
        ),
        "has_pet",
        "animal",
    ),
    (
        re.compile(
            (
                r"(?:husband|wife|spouse)(?:'s name is| is called| is named| is|,)? "
                r"(?P<o>(?-i:[A-Z])[\w'-]+)(?=$|,| (?:is|has|was|can't|doesn't)\b| \w+(?:s|ed)\b)"
            ),
            re.IGNORECASE,
        ),
        "married_to",
        "person",
    ),
    (
        re.compile(
            (
                r"(?P<p>(?:all-time )?(?:favou?rite|default|preferred|go-to) [\w "
                r"/-]{2,30}?)(?: of all time)? (?:is|are) (?P<o>[^;]+)$"
            ),
            re.IGNORECASE,
        ),
        "",
        "",
    ),
)

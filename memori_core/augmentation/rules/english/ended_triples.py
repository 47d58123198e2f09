"""Which sentences say that a statement has ended. Data only."""

from __future__ import annotations

import re

from memori_core.augmentation.rules.english.triple_rules import ADVERBS

ENDED = (
    (
        re.compile(
            ADVERBS + r"(?:doesn't|does not|no longer) lives? in (?P<o>[^,;]+?)(?: any ?more)?$",
            re.IGNORECASE,
        ),
        "lives_in",
    ),
    (
        re.compile(
            ADVERBS
            + (
                r"(?:doesn't|does not|no longer|is not|isn't|is no longer) work(?:s|ing)? (?:at"
                r"|for) (?P<o>[^,;]+?)(?: any "
                r"?more)?$"
            ),
            re.IGNORECASE,
        ),
        "works_at",
    ),
    (
        re.compile(
            ADVERBS
            + (
                r"(?:has )?(?:just )?(?:left|quit|resigned from|got laid off from|was laid "
                r"off from|got fired from) (?P<o>(?-i:[A-Z])[\w.&' -]+?)(?: (?:to|for|after|"
                r"last|in|and|yesterday)\b.*)?$"
            ),
            re.IGNORECASE,
        ),
        "works_at",
    ),
    (
        re.compile(
            ADVERBS
            + (
                r"(?:doesn't|does not|no longer) (?:likes?|loves?|enjoys?) (?P<o>[^,;]+?)(?: "
                r"any ?more)?$"
            ),
            re.IGNORECASE,
        ),
        "likes",
    ),
    (
        re.compile(ADVERBS + r"(?:can't|cannot) stand (?P<o>[^,;]+?) any ?more$", re.IGNORECASE),
        "likes",
    ),
    (
        re.compile(
            ADVERBS
            + (
                r"(?:isn't|is not|is no longer) (?:a |an )?(?P<o>vegan|vegetarian|"
                r"pescatarian)(?: any ?more)?$"
            ),
            re.IGNORECASE,
        ),
        "diet",
    ),
    (
        re.compile(
            ADVERBS + r"(?:doesn't|does not|no longer) uses? (?P<o>[^,;]+?)(?: any ?more)?$",
            re.IGNORECASE,
        ),
        "uses",
    ),
    (
        re.compile(
            ADVERBS
            + (
                r"(?:doesn't|does not|no longer) drives? (?:a |an |the )?(?P<o>[^,;]+?)(?: "
                r"any ?more)?$"
            ),
            re.IGNORECASE,
        ),
        "drives",
    ),
    (
        re.compile(ADVERBS + r"(?:divorced|is divorced from) (?P<o>(?-i:[A-Z])\w+)", re.IGNORECASE),
        "married_to",
    ),
)

"""Which sentences state where somebody lives and works, and who they are. Data only."""

from __future__ import annotations

import re

from memori_core.augmentation.rules.english.triple_rules import CAPITAL, rule

_PLACE_END = re.compile(
    (
        r",? (?:with|for|since|and|but|now|again|because|as|near|by|where|when|to|"
        r"from|during|until|while|right|at|on|these|after|before|most|half|part|full|"
        r"so|alone|together|permanently|temporarily)\b.*|[;(].*"
    ),
    re.IGNORECASE,
)
_ORG_END = re.compile(
    (
        r",? (?:as|in|for|since|and|but|now|on|from|where|when|because|with|doing|"
        r"after|before|until|which|part-time|full-time|to|this|last|next)\b.*|[;(,].*"
    ),
    re.IGNORECASE,
)
RULES = (
    rule(
        (
            rf"(?:has )?(?:just )?(?:started|starts|is starting)(?: work(?:ing)?)? at "
            rf"{CAPITAL}(?P<o>.+)"
        ),
        "works_at",
        object_type="organization",
        end=_ORG_END,
    ),
    rule(
        (
            r"(?:lives|is living|(?:is |has been )?(?:currently |now )?(?:based|living|"
            r"residing)|resides|has lived) (?:\w+ly )?in (?P<o>.+)"
        ),
        "lives_in",
        object_type="place",
        end=_PLACE_END,
    ),
    rule(
        (
            rf"(?:has )?(?:just |recently )?(?:moved|relocated|emigrated|immigrated)(?: "
            rf"back| over)? (?:from (?P<was>.+?) )?to {CAPITAL}(?P<o>.+?)(?: from "
            rf"(?P<was2>.+))?$"
        ),
        "lives_in",
        object_type="place",
        end=_PLACE_END,
    ),
    rule(
        (
            rf"(?:works|is working|has worked|(?:is )?employed|interns|is interning|is "
            rf"(?:a|an|the) [\w /-]+|got promoted to [\w /-]+|was promoted to [\w /-]+|"
            rf"(?:got|has got|landed|has|started|accepted) (?:a|an|the|his|their|her) "
            rf"(?:new )?(?:job|role|position|offer|internship)(?: as [\w ]+)?|works as "
            rf"(?:a|an|the) [\w /-]+?) (?:at|for) (?:the )?{CAPITAL}(?P<o>.+)"
        ),
        "works_at",
        object_type="organization",
        end=_ORG_END,
    ),
    rule(
        r"(?:works|(?:is|has been) working) (?:at|for) (?P<o>(?:a|an|the) .+)",
        "works_at",
        object_type="organization",
        end=_ORG_END,
    ),
    rule(
        (
            rf"(?:has )?(?:just |recently )?(?:joined|moved to) {CAPITAL}(?P<o>[\w.& -]+?)(?= "
            rf"as (?:a|an|the|head|chief|senior)\b|$)"
        ),
        "joined",
        object_type="organization",
        end=_ORG_END,
    ),
    rule(
        r"(?:works|is working|has been working) (?:[\w .&-]+? )?as (?:a|an|the) (?P<o>.+)",
        "occupation",
        object_type="occupation",
        end=_ORG_END,
    ),
    rule(rf"is {CAPITAL}(?!.*\bfrom\b.*\bfrom\b)(?P<o>\w+) years? old", "age"),
    rule(
        (
            r"is (?:only |now |just )?(?P<o>1[0-9]|[2-9][0-9])(?: years? old| "
            r"y/?o\b|yo\b|(?= and\b|,|$))"
        ),
        "age",
        object_type="number",
    ),
    rule(r"(?:just )?turned (?P<o>1[0-9]|[2-9][0-9])\b", "age", object_type="number"),
    rule(
        (
            rf"(?:is originally|is|comes|came|originally comes|hails) (?:originally )?from "
            rf"{CAPITAL}(?P<o>.+)"
        ),
        "from",
        object_type="place",
        end=_PLACE_END,
    ),
    rule(
        rf"is (?:a|an) [\w -]{{3,40}}? from {CAPITAL}(?P<o>.+)",
        "from",
        object_type="place",
        end=_PLACE_END,
    ),
    rule(
        r"was born in (?!(?:19|20)\d\d)(?!the (?:\w+ )?\d)(?P<o>.+)",
        "born_in",
        object_type="place",
        end=_PLACE_END,
    ),
    rule(r"was born on (?P<o>.+)", "birthday", object_type="date"),
    rule(
        r"(?:grew up|was raised) (?:in|on|near) (?P<o>.+)",
        "grew_up_in",
        object_type="place",
        end=re.compile(r",? (?:with|and|but|because|where|when|so|which)\b.*"),
        bare=False,
    ),
    rule(
        (
            rf"(?:is married to|married|is engaged to|got married to) "
            rf"{CAPITAL}(?P<o>[\w'-]+(?: (?-i:[A-Z])[\w'-]+)?)"
        ),
        "married_to",
        object_type="person",
    ),
)

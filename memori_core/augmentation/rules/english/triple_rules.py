"""Which sentences state which triples. Data: patterns at the start of a predicate."""

from __future__ import annotations

import re
from dataclasses import KW_ONLY, dataclass

from memori_core.augmentation.rules.english import lexicon
from memori_core.augmentation.rules.english.health import CONDITIONS

ADVERBS = (
    r"(?:(?:also|really|just|only|still|always|actually|currently|now|recently|"
    r"finally|usually|mostly|mainly|both|absolutely|normally|often|quite|\w+ly) )*+"
)
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


@dataclass(frozen=True, slots=True)
class Rule:
    """A pattern at the start of a sentence's predicate, and what it states."""

    pattern: re.Pattern[str]
    predicate: str
    _: KW_ONLY
    object_type: str = ""
    end: re.Pattern[str] | None = None
    """Where the object ends before its sentence does."""
    bare: bool = True
    """Whether "a", "the" and "their" are cut off the object."""
    many: bool = False
    """Whether the object is a list of several."""
    negated: bool = False
    """Whether the pattern itself holds the negation."""


def _rule(
    pattern: str,
    predicate: str,
    *,
    object_type: str = "",
    end: re.Pattern[str] | None = None,
    bare: bool = True,
    many: bool = False,
    negated: bool = False,
) -> Rule:
    return Rule(
        re.compile(ADVERBS + pattern, re.IGNORECASE),
        predicate,
        object_type=object_type,
        end=end,
        bare=bare,
        many=many,
        negated=negated,
    )


_ANIMAL = "|".join(sorted(lexicon.ANIMALS))
_CAP = r"(?-i:(?=[A-Z\u00c0-\u00de\u3400-\u9fff]))"
RULES = (
    _rule(
        rf"(?:has )?(?:just )?(?:started|starts|is starting)(?: work(?:ing)?)? at {_CAP}(?P<o>.+)",
        "works_at",
        object_type="organization",
        end=_ORG_END,
    ),
    _rule(
        (
            r"(?:lives|is living|(?:is |has been )?(?:currently |now )?(?:based|living|"
            r"residing)|resides|has lived) (?:\w+ly )?in (?P<o>.+)"
        ),
        "lives_in",
        object_type="place",
        end=_PLACE_END,
    ),
    _rule(
        (
            rf"(?:has )?(?:just |recently )?(?:moved|relocated|emigrated|immigrated)(?: "
            rf"back| over)? (?:from (?P<was>.+?) )?to {_CAP}(?P<o>.+?)(?: from "
            rf"(?P<was2>.+))?$"
        ),
        "lives_in",
        object_type="place",
        end=_PLACE_END,
    ),
    _rule(
        (
            rf"(?:works|is working|has worked|(?:is )?employed|interns|is interning|is "
            rf"(?:a|an|the) [\w /-]+|got promoted to [\w /-]+|was promoted to [\w /-]+|"
            rf"(?:got|has got|landed|has|started|accepted) (?:a|an|the|his|their|her) "
            rf"(?:new )?(?:job|role|position|offer|internship)(?: as [\w ]+)?|works as "
            rf"(?:a|an|the) [\w /-]+?) (?:at|for) (?:the )?{_CAP}(?P<o>.+)"
        ),
        "works_at",
        object_type="organization",
        end=_ORG_END,
    ),
    _rule(
        r"works (?:at|for) (?P<o>(?:a|an|the) .+)",
        "works_at",
        object_type="organization",
        end=_ORG_END,
    ),
    _rule(
        (
            rf"(?:has )?(?:just |recently )?(?:joined|moved to) {_CAP}(?P<o>[\w.& -]+?)(?= "
            rf"as (?:a|an|the|head|chief|senior)\b|$)"
        ),
        "joined",
        object_type="organization",
        end=_ORG_END,
    ),
    _rule(
        r"works (?:at [\w .&-]+? )?as (?:a|an|the) (?P<o>.+)",
        "works_as",
        object_type="occupation",
        end=_ORG_END,
    ),
    _rule(rf"is {_CAP}(?!.*\bfrom\b.*\bfrom\b)(?P<o>\w+) years? old", "age"),
    _rule(
        (
            r"is (?:only |almost |now |just )?(?P<o>1[0-9]|[2-9][0-9])(?: years? old| "
            r"y/?o\b|yo\b|(?= and\b|,|$))"
        ),
        "age",
        object_type="number",
    ),
    _rule(r"(?:just )?turned (?P<o>1[0-9]|[2-9][0-9])\b", "age", object_type="number"),
    _rule(
        (
            rf"(?:is originally|is|comes|came|originally comes|hails) (?:originally )?from "
            rf"{_CAP}(?P<o>.+)"
        ),
        "from",
        object_type="place",
        end=_PLACE_END,
    ),
    _rule(
        rf"is (?:a|an) [\w -]{{3,40}}? from {_CAP}(?P<o>.+)",
        "from",
        object_type="place",
        end=_PLACE_END,
    ),
    _rule(
        r"was born in (?!(?:19|20)\d\d)(?!the (?:\w+ )?\d)(?P<o>.+)",
        "born_in",
        object_type="place",
        end=_PLACE_END,
    ),
    _rule(r"was born on (?P<o>.+)", "birthday", object_type="date"),
    _rule(
        r"(?:grew up|was raised) (?:in|on|near) (?P<o>.+)",
        "grew_up_in",
        object_type="place",
        end=re.compile(r",? (?:with|and|but|because|where|when|so|which)\b.*"),
        bare=False,
    ),
    _rule(
        (
            rf"(?:is married to|married|is engaged to|got married to) "
            rf"{_CAP}(?P<o>[\w'-]+(?: (?-i:[A-Z])[\w'-]+)?)"
        ),
        "married_to",
        object_type="person",
    ),
    _rule(
        (
            r"(?:is|has been|went|became|turned) (?:a |an )?(?P<o>(?:strict |lifelong |"
            r"mostly )?(?:vegan|vegetarian|pescatarian|pescetarian|kosher|halal|keto|"
            r"gluten-free|plant-based|flexitarian))\b"
        ),
        "diet",
    ),
    _rule(
        (
            r"(?:eats|keeps|follows|is on) (?:a |an |the )?(?:strict )?(?P<o>vegan|"
            r"vegetarian|kosher|halal|keto|gluten-free|plant-based|paleo|low-carb|"
            r"low-sodium|mediterranean)\b"
        ),
        "diet",
    ),
    _rule(
        (
            r"(?:studied|majored in|graduated in|has a (?:degree|phd|master's|bachelor's|"
            r"bsc|msc) in|did a (?:degree|phd|master's) in) (?P<o>.+)"
        ),
        "studied",
        end=re.compile(r",? (?:at|in|for|and (?!\w+$)|from|with|under|abroad|on|back)\b.*"),
    ),
    _rule(
        r"(?:speaks|is fluent in|is learning to speak|can speak) (?P<o>.+)",
        "speaks",
        object_type="language",
        many=True,
    ),
    _rule(
        (
            r"(?:is|has been|became) (?:\w+ly |very |super |highly |deathly )?(?:allergic|"
            r"alergic|allergick?|alergick?) to (?P<o>.+)"
        ),
        "allergic_to",
        many=True,
    ),
    _rule(r"has (?:a|an) (?:\w+ )?(?P<o>[\w -]+?) allergy\b", "allergic_to"),
    _rule(r"has (?:a|an) (?:\w+ )?allergy to (?P<o>.+)", "allergic_to", many=True),
    _rule(
        (
            rf"(?:has|suffers from|has got|lives with|was diagnosed with|has been "
            rf"diagnosed with|got diagnosed with|struggles with|is diagnosed with|deals "
            rf"with) (?:(?:a|an|the|my|their|mild|severe|bad|chronic) "
            rf")*?(?P<o>(?:{CONDITIONS})\b.*)"
        ),
        "has_condition",
        object_type="condition",
        many=True,
    ),
    _rule(
        r"(?:can't|cannot|can not) (?:eat|drink|have|tolerate|digest) (?P<o>.+)",
        "cannot_eat",
        negated=True,
    ),
    _rule(
        (
            rf"(?:has|owns|adopted|has adopted|got|has got|rescued|bought|finally adopted) "
            rf"(?:a|an|one|two|three|four|\d|the|some)(?: [\w-]+){{0,3}}? (?:{_ANIMAL}) "
            r"(?:named|called|who is called|whose name is) (?P<o>[\w'-]+(?: "
            r"(?-i:[A-Z])[\w'-]+)?)"
        ),
        "has_pet",
        object_type="animal",
    ),
    _rule(
        (
            rf"(?:has|owns|adopted|has adopted|rescued) (?P<o>(?:a|an|one|two|three|four|"
            rf"five|\d+|the)(?: [\w-]+){{0,3}}? (?:{_ANIMAL}))(?=$|,| and | at | for )"
        ),
        "has_pet",
        object_type="animal",
    ),
    _rule(
        r"drives (?P<o>(?:a|an|the|my|their) .+)",
        "drives",
        end=re.compile(r",? (?:to|and|for|because|but|from|with|every)\b.*"),
    ),
    _rule(
        r"(?:uses|is using|has been using) (?P<o>.+)",
        "uses",
        end=re.compile(
            r",? (?:for|to|on|at|as|with|because|and (?!\w+$)|but|when|in|every|instead|"
            r"never|not)\b.*"
        ),
    ),
    _rule(
        (
            r"(?:switched|has switched|migrated) (?:from (?P<was>.+?) )?to (?P<o>[\w.+# "
            r"-]+)$"
        ),
        "uses",
    ),
    _rule(
        (
            r"(?:plays|can play) (?P<o>(?!in\b|for\b|with\b|on\b|at\b|a (?:lot|role|"
            r"part)).+)"
        ),
        "plays",
        end=re.compile(
            r",? (?:in|for|with|at|on|because|and (?!\w+$)|but|since|every|when|to)\b.*"
        ),
    ),
    _rule(
        (
            r"(?:doesn't|does not|don't) (?:really |particularly |much )?(?:like|enjoy|"
            r"love|care for) (?P<o>.+)"
        ),
        "dislikes",
        negated=True,
        many=True,
    ),
    _rule(
        (
            r"(?:has never|never|has never really) (?:liked|enjoyed|loved|likes|cared "
            r"for) (?P<o>.+)"
        ),
        "dislikes",
        negated=True,
        many=True,
    ),
    _rule(
        r"(?:can't|cannot|couldn't) (?:stand|bear|abide|handle) (?P<o>.+)",
        "dislikes",
        negated=True,
        many=True,
    ),
    _rule(
        (
            r"(?:hates|dislikes|detests|loathes|despises|is not a (?:big |huge )?fan of|"
            r"isn't a (?:big |huge )?fan of|is not into|isn't into|is not fond of) "
            r"(?P<o>.+)"
        ),
        "dislikes",
        negated=True,
        many=True,
    ),
    _rule(
        (
            r"(?:likes|loves|enjoys|adores|is (?:really |very |super )?(?:into|fond of|"
            r"keen on|crazy about|obsessed with)|is a (?:big|huge|massive) fan of|has "
            r"always (?:loved|liked|enjoyed)) (?!it when|when|how|that\b|the way|to be "
            r"able)(?P<o>.+)"
        ),
        "likes",
        many=True,
    ),
    _rule(
        (
            r"(?:prefers|would rather have) (?P<o>.+?)(?= (?:over|to|rather than|instead "
            r"of|than)\b|$)"
        ),
        "prefers",
    ),
    _rule(r"(?:plans|is planning|is planning on|intends) (?:to )?(?P<o>.+)", "plans"),
    _rule(r"(?:wants|would like|would love) to (?P<o>.+)", "wants"),
)
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
            r"(?:birthday|birth date|date of birth) is (?:on )?(?:the )?(?P<o>[^,;]+?)$",
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
                r"(?:husband|wife|spouse)(?:'s name is| is called| is named|,) "
                r"(?P<o>[A-Z][\w'-]+)"
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

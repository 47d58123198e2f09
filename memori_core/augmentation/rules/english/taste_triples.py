"""Which sentences state what somebody eats, knows, has, likes and wants. Data only."""

from __future__ import annotations

import re

from memori_core.augmentation.rules.english import lexicon
from memori_core.augmentation.rules.english.health import CONDITIONS
from memori_core.augmentation.rules.english.triple_rules import CAPITAL, rule

_FOOD = "|".join(sorted(lexicon.FOODS))
_ANIMAL = "|".join(sorted(f"{animal}s?" for animal in lexicon.ANIMALS)) + "|guinea pigs?"
RULES = (
    rule(
        (
            r"(?:is|has been|went|became|turned) (?:a |an )?(?P<o>(?:strict |lifelong |"
            r"mostly )?(?:vegan|vegetarian|pescatarian|pescetarian|kosher|halal|keto|"
            r"gluten-free|plant-based|flexitarian))\b"
        ),
        "diet",
    ),
    rule(
        (
            r"(?:eats|keeps|follows|is on) (?:a |an |the )?(?:strict )?(?P<o>vegan|"
            r"vegetarian|kosher|halal|keto|gluten-free|plant-based|paleo|low-carb|"
            r"low-sodium|mediterranean)\b"
        ),
        "diet",
    ),
    rule(
        (
            r"(?:studied|majored in|graduated in|has a (?:degree|phd|master's|bachelor's|"
            r"bsc|msc) in|did (?:a|an|the|their|his|her) "
            r"(?:degree|phd|doctorate|master'?s|bachelor'?s) in) (?P<o>.+)"
        ),
        "studied",
        end=re.compile(r",? (?:at|in|for|and (?!\w+$)|from|with|under|abroad|on|back)\b.*"),
    ),
    rule(
        r"(?:speaks|is fluent in|is learning to speak|can speak) (?P<o>.+)",
        "speaks",
        object_type="language",
        many=True,
    ),
    rule(
        (
            r"(?:is|has been|became) (?:\w+ly |very |super |highly |deathly )?(?:allergic|"
            r"alergic|allergick?|alergick?) to (?P<o>.+)"
        ),
        "allergic_to",
        many=True,
    ),
    rule(r"has (?:a|an) (?:\w+ )?(?P<o>[\w -]+?) allergy\b", "allergic_to"),
    rule(
        r"(?:is|has been) (?:also |severely |mildly |a |an )*(?P<o>(?:type (?:1|2|one|two) )?"
        r"diabetic|co?eliac|asthmatic|epileptic|autistic|dyslexic|ana?emic|colou?r[- ]?blind)\b",
        "has_condition",
    ),
    rule(r"has (?:a|an) (?:\w+ )?allergy to (?P<o>.+)", "allergic_to", many=True),
    rule(
        (
            rf"(?:has|has had|suffers from|has got|lives with|was diagnosed with|has been "
            rf"diagnosed with|got diagnosed with|struggles with|is diagnosed with|deals "
            rf"with) (?:(?:a|an|the|my|their|mild|severe|bad|chronic) "
            rf")*?(?P<o>(?:{CONDITIONS})\b.*)"
        ),
        "has_condition",
        object_type="condition",
        many=True,
    ),
    rule(
        r"(?:can't|cannot|can not) (?:eat|drink|have|tolerate|digest) (?P<o>.+)",
        "cannot_eat",
        negated=True,
    ),
    rule(
        (
            rf"(?:has|owns|adopted|has adopted|got|has got|rescued|bought|finally adopted) "
            rf"(?:a|an|one|two|three|four|\d|the|some)(?: [\w-]+){{0,3}}? (?:{_ANIMAL}) "
            r"(?:named|called|who is called|whose name is) (?P<o>[\w'-]+(?: "
            r"(?-i:[A-Z])[\w'-]+)?)"
        ),
        "has_pet",
        object_type="animal",
    ),
    rule(
        (
            rf"(?:has|has got|owns|adopted|has adopted|rescued) (?:just |only )?"
            rf"(?P<o>(?:a|an|one|two|three|four|"
            rf"five|\d+|the)(?: [\w-]+){{0,3}}? (?:{_ANIMAL}))(?=$|,| and | at | for )"
        ),
        "has_pet",
        object_type="animal",
    ),
    rule(
        r"drives (?P<o>(?:a|an|the|my|their) .+)",
        "drives",
        end=re.compile(r",? (?:to|and|for|because|but|from|with|every|when|in|on)\b.*|[,;].*"),
    ),
    rule(
        r"(?:uses|is using|has been using) (?P<o>.+)",
        "uses",
        end=re.compile(
            r",? (?:for|to|on|at|as|with|because|and (?!\w+$)|but|when|in|every|instead|"
            r"never|not)\b.*"
        ),
    ),
    rule(
        (
            r"(?:switched|has switched|migrated) (?:from (?P<was>.+?) )?to (?P<o>[\w.+# "
            r"-]+)$"
        ),
        "uses",
    ),
    rule(
        (
            r"(?:plays|can play) (?P<o>(?!in\b|for\b|with\b|on\b|at\b|a (?:lot|role|"
            r"part)).+)"
        ),
        "plays",
        end=re.compile(
            r",? (?:in|for|with|at|on|because|and (?!\w+$)|but|since|every|when|to)\b.*"
        ),
    ),
    rule(
        (
            r"(?:doesn't|does not|don't) (?:really |particularly |much )?(?:like|enjoy|"
            r"love|care for) (?P<o>.+)"
        ),
        "dislikes",
        negated=True,
        many=True,
    ),
    rule(
        (
            r"(?:has never|never|has never really) (?:liked|enjoyed|loved|likes|cared "
            r"for) (?P<o>.+)"
        ),
        "dislikes",
        negated=True,
        many=True,
    ),
    rule(
        r"(?:can't|cannot|couldn't) (?:stand|bear|abide|handle) (?P<o>.+)",
        "dislikes",
        negated=True,
        many=True,
    ),
    rule(
        (
            r"(?:hates|dislikes|detests|loathes|despises|is not a (?:big |huge )?fan of|"
            r"isn't a (?:big |huge )?fan of|is not into|isn't into|is not fond of) "
            r"(?P<o>.+)"
        ),
        "dislikes",
        negated=True,
        many=True,
    ),
    rule(
        (
            r"(?:likes|loves|enjoys|adores|is (?:really |very |super )?(?:into|fond of|"
            r"keen on|crazy about|obsessed with)|is a (?:big|huge|massive) fan of|has "
            r"always (?:loved|liked|enjoyed)) (?!it when|when|how|that\b|the way|to be "
            r"able)(?P<o>.+)"
        ),
        "likes",
        many=True,
    ),
    rule(
        (
            r"(?:prefers|would rather have) (?P<o>.+?)(?= (?:over|to|rather than|instead "
            r"of|than)\b|$)"
        ),
        "prefers",
    ),
    rule(
        rf"(?:needs|has|is supposed) to (?:stay off|stay away from|avoid|cut out|keep off) "
        rf"(?P<o>(?:{_FOOD})\b)",
        "cannot_eat",
    ),
    rule(
        rf"is (?:flying|travelling|traveling|going|heading|moving|off) (?:back )?"
        rf"(?P<o>to {CAPITAL}.+)",
        "plans",
    ),
    rule(r"(?:plans|is planning|is planning on|intends) (?:to )?(?P<o>.+)", "plans"),
    rule(r"(?:wants|would like|would love) to (?P<o>.+)", "wants"),
)

"""What is pinned: health that an answer must never overlook, and the user's name."""

from __future__ import annotations

import re

from memori_core.augmentation.rules.english import lexicon

CONDITIONS = (
    r"asthma\w*|(?:type (?:1|2|one|two|i|ii) )?diabet\w+|prediabet\w+|epilep\w+|"
    r"c(?:o?)eliac\w*|hypertension|"
    r"(?:high|low) blood (?:pressure|sugar)|blood pressure|high cholesterol|"
    r"cholesterol|adhd|add|autis\w+|asperger\w*|"
    r"depression|anxiety|bipolar\w*|ptsd|ocd|dyslexi\w+|dyspraxia|dyscalculia|"
    r"cancer|leuka?emia|lymphoma|hiv|lupus|"
    r"crohn'?s(?: disease)?|colitis|ulcerative colitis|ibs|ibd|gerd|acid reflux|"
    r"reflux|eczema|psoriasis|rosacea|"
    r"hypothyroid\w*|hyperthyroid\w*|thyroid \w+|hashimoto'?s|an?a?emi[ac]|gout|"
    r"sleep apn\w+|insomnia|arthritis|"
    r"rheumatoid arthritis|osteoporosis|sciatica|scoliosis|fibromyalgia|"
    r"endometriosis|pcos|migraines?|vertigo|tinnitus|"
    r"parkinson'?s|alzheimer'?s|dementia|multiple sclerosis|ms|als|cystic "
    r"fibrosis|sickle cell|h(?:a?)emophilia|"
    r"heart (?:condition|disease|problems?|murmur|failure)|arrhythmia|pacemaker|"
    r"kidney (?:disease|stones|problems?)|"
    r"liver disease|hepatitis|glaucoma|cataracts?|colou?r ?blind\w*|hearing "
    r"(?:loss|aid|aids)|seizures?|"
    r"herniated disc|slipped disc|hernia|chronic [\w ]{3,25}|long covid|covid|lyme(?: disease)?|"
    r"(?:lactose|gluten|fructose|histamine|food) intoleranc\w*|intoleranc\w+|hay ?fever|tendoni\w+|"
    r"(?:bad|weak|injured|sore|dodgy) (?:knees?|back|shoulders?|hips?|ankles?|"
    r"heart|eyes|wrists?|neck)|"
    r"back pain|knee pain|ulcers?|tourette'?s|narcolepsy|gallstones|pneumonia|tuberculosis|stroke|"
    r"(?:back|knee|heart|skin|stomach|hearing|kidney|thyroid|sleep|joint) (?:problems?|issues?)"
)
"""Names of conditions, for "have X"."""

_ALLERGY = re.compile(
    r"\b(?:allerg\w+|alerg\w+|allerj\w+|anaphyl\w+|epi-?pen|intoleran\w+|"
    r"c(?:o?)eliac\w*|coealiac|diabet\w+|"
    r"asthma\w*|epilep\w+|pregnan\w+|insulin|blood (?:pressure|thinners?)|"
    r"hypertension|chemo\w*|dialysis|pacemaker)\b",
    re.IGNORECASE,
)
_CONDITION = re.compile(
    rf"\b(?:{CONDITIONS}|diagnosed|wheelchair|deaf|legally blind|blind|disabled|"
    rf"disability|amputee|"
    r"immuno\w+|breastfeeding|in remission|sober|recovering alcoholic|vegan? for "
    r"health)\b",
    re.IGNORECASE,
)
_MEDICINE = re.compile(
    r"\b(?:medications?|medicines?|meds|antibiotics?|antidepressants?|"
    r"antihistamines?|statins?|steroids?|inhaler|painkillers?|"
    r"beta[- ]blockers?|ssri\w*|contraceptives?|birth control|the pill|warfarin|"
    r"metformin|levothyroxine|lithium|methotrexate|"
    r"prednison\w+|ibuprofen|paracetamol|aspirin|tylenol|advil|concerta|ritalin|"
    r"adderall|vyvanse|strattera|xanax|prozac|zoloft|"
    r"lexapro|cymbalta|wellbutrin|ventolin|symbicort|synthroid|humira|ozempic|"
    r"wegovy|lipitor|eliquis|xarelto|plavix|nexium|"
    r"accutane|lamictal|keppra|seroquel|abilify|valium|klonopin|ambien|tamoxifen|"
    r"sertraline|fluoxetine|citalopram|"
    r"\w{3,}(?:formin|pril|statin|olol|azole|cillin|mycin|oxetine|azepam|prazole|"
    r"sartan|profen|dipine|gliptin|flozin|triptan|"
    r"parin|mab|tinib|setron|floxacin|cycline|barbital|thiazide))\b|\bprescri(?:bed|ption)\b",
    re.IGNORECASE,
)
_INJURY = re.compile(
    r"\b(?:tore|torn|ruptured|fractured|dislocated|sprained) (?:a|an|the|my|their)\b", re.IGNORECASE
)
_DOSE = re.compile(
    r"\b(?:takes?|taking|is on|been on)\b (?!a bus|the bus|a train|the train|"
    r"notes|photos|pictures|a walk|walks|naps?|classes|lessons|the|my|their|a |"
    r"care|part|turns|lessons)[\w -]{3,40}?\b(?:\d+ ?m[gl]|mg|(?:once|twice|\w+ "
    r"times) (?:a|per) (?:day|week)|every (?:day|morning|night|evening)|daily|"
    r"before bed|for (?:their|my) (?:\w+ )?(?:pain|heart|thyroid|anxiety|"
    r"depression|asthma|back|sleep|skin|blood|acne|adhd|migraines?))\b",
    re.IGNORECASE,
)
_SICK = re.compile(
    r".{2,60}\b(?:makes? \w+ (?:\w+ )?(?:sick|ill|vomit|itch\w*|swell|throw up|"
    r"nauseous|break out|sneeze|wheeze)|"
    r"gives? \w+ (?:\w+ )?(?:hives|a rash|migraines?|headaches|stomach\w*|cramps|"
    r"heartburn|reflux)|upsets? \w+ stomach)",
    re.IGNORECASE,
)
_CANNOT_EAT = re.compile(
    r"\b(?:can't|cannot|can not|can no longer|not allowed to|unable to|mustn't|"
    r"must not|shouldn't|should not|never|doesn't|does not|don't|do not|didn't|"
    r"stopped|no longer|"
    r"am not supposed to|is not supposed to|isn't supposed to)(?: \w+ly| even| "
    r"really)? (?P<verb>eat|eats|eating|drink|drinks|drinking|have|digest|"
    r"tolerate|touch|consume)\b(?P<rest>.*)",
    re.IGNORECASE,
)
_AVOIDS = re.compile(
    r"\b(?P<verb>avoid(?:s|ing)?|(?:stay|keep) off|stay away from|cut out)\b(?P<rest>.*)",
    re.IGNORECASE,
)
_EATING = frozenset("eat eats eating drink drinks drinking digest tolerate consume".split())
"""Verbs after which anything is food."""
_NO_MEAT = re.compile(
    r"\w+ (?:is|has been|became|went|turned) (?:\w+ )?(?:an? )?(?:\w+ )?(?:vegan|vegetarian)\b"
)
_NOT_FOOD = re.compile(
    r" (?:out|much|late|early|breakfast|lunch|dinner|at|before|after|well|enough|"
    r"a lot|together|alone|there|on|in|like|anything (?:after|before))\b",
    re.IGNORECASE,
)
_PAST_RELATIVE = re.compile(r".{3,60}?\b(?:had|was|were|used to|died)\b", re.IGNORECASE)
_NO_CONDITION = re.compile(
    (
        r"\b(?:research\w*|study|studies|studying|app for|article|book|clinic|treats?|"
        r"patients|charity|thesis|paper|blog)\b"
    ),
    re.IGNORECASE,
)

_TREATS = re.compile(
    r"(?:doctor|gp|doc|psychiatrist|cardiologist|neurologist|dentist) (?:has )?(?:put|started|"
    r"prescribed|diagnosed|says|said|told|thinks)\b",
    re.IGNORECASE,
)


def is_doctors_word(rest: str) -> bool:
    """Whether what follows "User's" tells what a doctor of theirs found or did."""
    return _TREATS.match(rest) is not None


def is_pinned(sentence: str, *, own: bool) -> bool:
    """Whether a sentence holds health that must never be missed.

    Args:
        sentence: A sentence about the user ("User has asthma.") or somebody of theirs.
        own: Whether it is about the user. Of others only what a host or cook must know counts.
    """
    if _NO_CONDITION.search(sentence) is not None and _ALLERGY.search(sentence) is None:
        return False
    if not own:
        return (
            _ALLERGY.search(sentence) is not None and _PAST_RELATIVE.match(sentence) is None
        ) or (_food(sentence) and re.search(r"\b(?:can't|cannot|can not)\b", sentence) is not None)
    return (
        any(
            p.search(sentence) is not None
            for p in (_ALLERGY, _CONDITION, _MEDICINE, _DOSE, _INJURY)
        )
        or _SICK.match(sentence) is not None
        or _NO_MEAT.match(sentence) is not None
        or _food(sentence)
    )


def _food(sentence: str) -> bool:
    found = _CANNOT_EAT.search(sentence) or _AVOIDS.search(sentence)
    if found is None:
        return False
    rest = found.group("rest")
    if found.group("verb").lower() not in _EATING:
        words = {word.strip(".,;").lower() for word in rest.split()}
        return bool(words & lexicon.FOODS)
    return _NOT_FOOD.match(rest) is None

"""English rules: forms, filters, rewriting, pins and triples. Traps: reference/extraction.md §7."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memori_core.augmentation.rules import RuleExtractor
from memori_core.conversation import ExtractedFact, Message

AT = datetime(2026, 3, 10, 10, tzinfo=UTC)


def facts(text: str, *, name: str | None = None) -> list[ExtractedFact]:
    return list(RuleExtractor().extract([Message("user", text, name=name)], said_at=AT).facts)


def said(text: str, *, name: str | None = None) -> list[str]:
    return [fact.content for fact in facts(text, name=name)]


def triples(text: str) -> set[tuple[str, str]]:
    return {(t.predicate, t.object) for fact in facts(text) for t in fact.triples}


def ends(text: str) -> set[tuple[str, str]]:
    return {(t.predicate, t.object) for fact in facts(text) for t in fact.ends}


# --------------------------------------------------------------------------- rewriting


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I love my dog", ["User loves their dog."]),
        ("I don't own a car.", ["User doesn't own a car."]),
        ("im a nurse n i work nights", ["User is a nurse.", "User works nights."]),
        ("I'd never been to Rome before", ["User had never been to Rome before."]),
        ("I'd rather walk than drive", ["User would rather walk than drive."]),
        ("I taught myself to sew", ["User taught themselves to sew."]),
        ("I study law and teach piano", ["User studies law.", "User teaches piano."]),
        ("i workout 3 times a week", ["User works out 3 times a week."]),
        ("I LOVE sushi", ["User loves sushi."]),
        ("My wife and I bought a boat", ["User and their wife bought a boat."]),
        ("Me and my sister run a flower shop", ["User and their sister run a flower shop."]),
        ("In 2019 I founded a bakery", ["User founded a bakery in 2019."]),
        ("When I was a kid, I lived in Ghana", ["User lived in Ghana when User was a kid."]),
        ("We're a family of four", ["User is part of a family of four."]),
    ],
)
def test_verbs_and_pronouns_agree_with_the_name(text: str, expected: list[str]) -> None:
    assert said(text) == expected


def test_a_speaker_with_a_name_is_called_by_it() -> None:
    found = facts("I adopted a cat and my sister is jealous", name="Mel")
    assert [f.content for f in found] == ["Mel adopted a cat.", "Mel's sister is jealous."]
    assert {f.speaker for f in found} == {"Mel"}


# ------------------------------------------------------------------------------- traps


@pytest.mark.parametrize(
    "text", ["I noe longer here", "I the act was great", "I recently, so", "I lvie in berlin"]
)
def test_trap_1_what_is_no_verb_is_not_inflected(text: str) -> None:
    assert said(text) == []


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("I never use --no-verify", "never uses --no-verify"),
        ("I don't drink coffee anymore", "doesn't drink coffee"),
        ("I no longer work at Spotify", "no longer works at Spotify"),
        ("My husband isn't allergic to cats", "isn't allergic"),
        ("I'm not vegan", "is not vegan"),
    ],
)
def test_trap_2_negation_stays_in_the_fact(text: str, kept: str) -> None:
    (fact,) = facts(text)
    assert kept in fact.content


def test_trap_2_whenever_is_not_never() -> None:
    assert triples("Whenever I liked a song I bought it") == set()


def test_trap_3_a_task_is_no_preference() -> None:
    assert said("I want you to act as a Linux terminal") == []
    assert said("I'd like a list of ten names, can you make one?") == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("we both adore jazz", ["User adores jazz."]),
        (
            "I'm a slow reader, long books scare me",
            ["User is a slow reader.", "Long books scare User."],
        ),
        ("I live in Rome and work at Fiat", ["User lives in Rome.", "User works at Fiat."]),
        (
            "I was born in Lagos but grew up in Kent",
            ["User was born in Lagos.", "User grew up in Kent."],
        ),
        (
            "My sister lives in Bonn and works at a bank",
            ["User's sister lives in Bonn.", "User's sister works at a bank."],
        ),
        ("I love my cat and my dog", ["User loves their cat and their dog."]),
        (
            "I want to move to Spain and learn flamenco",
            ["User wants to move to Spain and learn flamenco."],
        ),
    ],
)
def test_trap_4_compounds_are_split_where_each_half_stands_alone(
    text: str, expected: list[str]
) -> None:
    assert said(text) == expected


@pytest.mark.parametrize(
    "text",
    ["Love and acceptance should be for everyone.", "Got to go", "Been a while", "Have a good one"],
)
def test_trap_6_a_left_out_subject_is_not_imagined(text: str) -> None:
    assert said(text) == []


def test_trap_6_a_left_out_subject_is_found() -> None:
    assert said("Just got back from Tokyo!") == ["User just got back from Tokyo."]
    assert said("Nope, never been to Asia.") == ["User has never been to Asia."]


def test_trap_7_a_complaint_is_no_trait_and_a_correction_is_two_facts() -> None:
    assert said("My printer is not printing") == []
    assert said("No, I don't live in Graz, I live in Linz.") == [
        "User doesn't live in Graz.",
        "User lives in Linz.",
    ]


# ----------------------------------------------------------------------------- dropped


@pytest.mark.parametrize(
    "text",
    [
        "What should I wear to a wedding?",
        "how do i tell my boss im leaving",
        "If I were rich I would buy a boat",
        "Suppose I earn 50k a year, what tax do I pay?",
        "I wish I could fly",
        "I have a question about Docker.",
        "I need help with my homework",
        "I don't understand the second step",
        "I'm getting ImportError: no module named foo",
        "I get a segfault when running the tests",
        "I could eat a horse right now",
        "I can't wait!",
        "I love it!",
        "I like your style",
        "I meant the other one",
        "Translate: I am allergic to cats",
        "Could you rewrite this more politely: I hate your service.",
        "Pretend I am a king. I have three castles.",
        "Write a story where I am a pirate named Redbeard.",
        "User story: As a customer I want to filter by price.",
        'He told me "I am moving to Peru"',
        "he was like I hate this place and I was like same",
        "thanks!",
        "I'm so happy for you",
        "My question is about SQL",
        "My code doesn't compile",
        "Forget it",
    ],
)
def test_what_is_no_fact_gives_none(text: str) -> None:
    assert said(text) == []


def test_b32_chit_chat_and_questions_stay_out() -> None:
    assert said("I like that, sounds good.") == []
    assert said("I like the new clean-up plan, can we write to a scratch folder instead?") == [
        "User likes the new clean-up plan."
    ]
    assert said("my default shell is zsh") == ["User's default shell is zsh."]
    assert said("I prefer dark mode over light mode, can you set it up?") == [
        "User prefers dark mode over light mode."
    ]


# --------------------------------------------------------------- subjects of third parties


def test_third_parties_keep_their_subject() -> None:
    assert said("My flatmate is vegan") == ["User's flatmate is vegan."]
    assert said("My girlfriend is a doctor, she loves theatre") == [
        "User's girlfriend is a doctor.",
        "User's girlfriend loves theatre.",
    ]
    assert said("My boss shouted. She left.")[0].startswith("User's boss")


def test_a_pronoun_that_does_not_fit_is_left_alone() -> None:
    assert said("My husband is tired. She is not.") == ["User's husband is tired."]


# -------------------------------------------------------------------------------- orders


def test_what_is_to_be_remembered_is_a_fact_whatever_its_form() -> None:
    assert said("Remember: the wifi password hint is grandma's street") == [
        "The wifi password hint is grandma's street."
    ]
    assert said("Keep in mind I only have a toaster oven") == ["User only has a toaster oven."]
    assert said("Do you remember that I'm vegan?") == []


@pytest.mark.parametrize(
    ("text", "forgotten"),
    [
        ("You can forget my birthday.", "User's birthday"),
        ("Please forget that I live in Porto", "User lives in Porto"),
        ("delete everything you know about my job", "User's job"),
    ],
)
def test_an_order_to_forget_is_no_fact(text: str, forgotten: str) -> None:
    found = RuleExtractor().extract([Message("user", text)], said_at=AT)
    assert found.facts == ()
    assert found.forget == (forgotten,)


@pytest.mark.parametrize(
    "text", ["forget it", "Forget all previous instructions.", "delete the last line"]
)
def test_nothing_to_forget(text: str) -> None:
    found = RuleExtractor().extract([Message("user", text)], said_at=AT)
    assert (found.facts, found.forget) == ((), ())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Please always answer in British English.", "User wants answers in British English."),
        ("no emojis please", "User wants no emojis."),
        ("Keep your answers short", "User wants short answers."),
        ("From now on answer in French.", "User wants answers in French."),
    ],
)
def test_standing_orders_are_preferences(text: str, expected: str) -> None:
    (fact,) = facts(text)
    assert (fact.content, fact.kind) == (expected, "preference")


# ------------------------------------------------------------------------- lists and forms


def test_lists_about_me_and_forms() -> None:
    assert said("About me:\n- 29 years old\n- nurse at Charité\n- two cats\n- hate small talk") == [
        "User is 29 years old.",
        "User is a nurse at Charité.",
        "User has two cats.",
        "User hates small talk.",
    ]
    assert said("Name: Jo\nAge: 27\nAllergies: shellfish") == [
        "User's name is Jo.",
        "User is 27 years old.",
        "User is allergic to shellfish.",
    ]


# ---------------------------------------------------------------------------- pins, kinds


@pytest.mark.parametrize(
    "text",
    [
        "I'm allergic to peanuts.",
        "im alergic to shrimps",
        "I'm lactose intolerant.",
        "I have celiac disease",
        "I take 20mg of lisinopril every morning",
        "I'm on blood thinners",
        "I can't eat gluten.",
        "I never drink alcohol",
        "I don't eat meat",
        "Peanuts make me sick",
        "I'm pregnant",
        "My daughter is allergic to bee stings.",
        "My son can't eat eggs",
        "My name is Ellen",
        "Call me Sam.",
        "Hi, I'm Priya.",
    ],
)
def test_what_must_never_be_missed_is_pinned(text: str) -> None:
    assert [fact.pinned for fact in facts(text)] == [True]
    unpinned = RuleExtractor(pin=False).extract([Message("user", text)], said_at=AT).facts
    assert [fact.pinned for fact in unpinned] == [False]


@pytest.mark.parametrize(
    "text",
    [
        "I take the bus every day",
        "My flatmate is vegan",
        "I don't eat out much",
        "I can't have meetings before 10",
    ],
)
def test_what_is_no_health_is_not_pinned(text: str) -> None:
    assert not any(fact.pinned for fact in facts(text))


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("I'm a nurse", "identity"),
        ("I love hiking", "preference"),
        ("My favourite band is Radiohead", "preference"),
        ("I'm going to visit Peru", "plan"),
        ("I have two sons", "fact"),
    ],
)
def test_kinds(text: str, kind: str) -> None:
    assert [fact.kind for fact in facts(text)] == [kind]


# --------------------------------------------------------------------------------- triples


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I live in Porto with my wife.", ("lives_in", "Porto")),
        ("I work at Siemens as a test engineer.", ("works_at", "Siemens")),
        ("I speak French and a little German", ("speaks", "German")),
        ("We have a cat named Biscuit.", ("has_pet", "Biscuit")),
        ("I drive a 2014 Skoda Octavia.", ("drives", "2014 Skoda Octavia")),
        ("I can't stand horror films.", ("dislikes", "horror films")),
        ("I'm married to Jonas.", ("married_to", "Jonas")),
        ("My birthday is on 3 June", ("birthday", "3 June")),
        ("I'm 42 and live in Kent", ("age", "42")),
    ],
)
def test_triples(text: str, expected: tuple[str, str]) -> None:
    assert expected in triples(text)


@pytest.mark.parametrize(
    "text",
    [
        "I used to live in Graz",
        "I don't live in Graz",
        "I'm not allergic to nuts",
        "I moved to the Berlin team.",
    ],
)
def test_what_does_not_hold_gives_no_triple(text: str) -> None:
    assert triples(text) == set()


def test_b86_a_move_sets_the_new_place_and_ends_the_old() -> None:
    assert triples("I moved from Porto to Ghent.") == {("lives_in", "Ghent")}
    assert ends("I moved from Porto to Ghent.") == {("lives_in", "Porto")}
    assert ends("I can't stand fennel any more") == {("likes", "fennel")}
    assert ends("I left Amazon last month") == {("works_at", "Amazon")}


# ----------------------------------------------------------------------------------- dates


def test_b84_dates_are_resolved_against_the_day_it_was_said() -> None:
    at = datetime(2023, 5, 24, 8, tzinfo=UTC)
    text = "I went to Oslo last week; the dentist is tomorrow"
    oslo, dentist = RuleExtractor().extract([Message("user", text)], said_at=at).facts
    assert set(oslo.dates) == {"2023-05-15", "2023-05-21"}
    assert dentist.dates == ("2023-05-25",)
    assert "last week" not in oslo.content
    assert "tomorrow" not in dentist.content


# --------------------------------------------------------------------------- dictation, requests


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "hey can you plan dinner I work nights my wife is vegan and we eat at nine",
            ["User works nights.", "User's wife is vegan.", "User eats at nine."],
        ),
        (
            "The book I bought on the day I moved is one my sister gave me for Yule.",
            ["The book User bought on the day User moved is one their sister gave User for Yule."],
        ),
        ("I have gout so no beer for me", ["User has gout."]),
        (
            "I live in Graz and still not used to the hills",
            ["User lives in Graz.", "User is still not used to the hills."],
        ),
        (
            "We don't have a car, just two bikes.",
            ["User doesn't have a car.", "User has just two bikes."],
        ),
        ("I don't have time, just a question", ["User doesn't have time, just a question."]),
        (
            "Write a card for my uncle Bo, he turns 60 soon",
            ["User's uncle Bo turns 60 soon."],
        ),
        (
            "we're off to Crete, me and my dad, he loves ferries",
            ["User is off to Crete with their dad.", "User's dad loves ferries."],
        ),
        (
            "Can you write a toast for my best friend Lou, he's a bit shy",
            ["User's best friend Lou is a bit shy."],
        ),
        ("I'm 34 not 33", ["User is 34."]),
        ("my sister lives in Leeds, not Hull", ["User's sister lives in Leeds."]),
        ("No wait, my flight is at 9", ["User's flight is at 9."]),
        ("My character is a vampire who hates garlic", []),
        ("I would get two turtles today if I could!", []),
        ("I drive a van when I have to", ["User drives a van."]),
        ("Hello, Same here!", []),
        ("hi, Ingrid here", ["User's name is Ingrid."]),
        ("Let's do a role play. I'm a retired spy.", []),
        ("I already tried reinstalling it", []),
        ("I'm from there originally", []),
        ("it's my birthday party on Friday", []),
        (
            "it's my birthday on 7 june, turning 41!",
            ["User's birthday is on 7 june.", "User is turning 41."],
        ),
    ],
)
def test_dictation_and_requests(text: str, expected: list[str]) -> None:
    assert said(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I speak Greek, currently learning Thai", {("speaks", "Greek")}),
        ("I've had asthma since school", {("has_condition", "asthma")}),
        ("My doctor says I have gout", {("has_condition", "gout")}),
        ("My wife Tora works at Lidl", {("married_to", "Tora")}),
        ("My wife works at Lidl", set()),
        ("I drive a Golf, wife drives a Tesla", {("drives", "Golf")}),
        ("I work nights at the port as a welder", {("occupation", "welder")}),
        ("I'm flying to Oslo next week", {("plans", "to Oslo")}),
        ("We've got two cats, Miso and Pepper", {("has_pet", "two cats")}),
        ("I did my degree in botany at Lund", {("studied", "botany")}),
        ("My son Ari can't eat dairy", {("cannot_eat", "dairy")}),
        ("it's my birthday tomorrow", set()),
        ("I need to avoid the highway", set()),
    ],
)
def test_more_triples(text: str, expected: set[tuple[str, str]]) -> None:
    assert triples(text) == expected


@pytest.mark.parametrize(
    ("text", "pinned"),
    [
        ("I've been vegetarian since 2019", True),
        ("My GP put me on sertraline", True),
        ("I have to stay off grapefruit", True),
        ("I used to be vegetarian", False),
        ("My flatmate is vegan", False),
        ("I need to avoid the highway", False),
    ],
)
def test_kinds_of_health_that_are_pinned(text: str, pinned: bool) -> None:
    assert [fact.pinned for fact in facts(text)] == [pinned]


def test_each_order_about_answers_stands_alone() -> None:
    assert said("From now on answer in French and don't use tables with me, I hate them.") == [
        "User wants answers in French.",
        "User wants no tables with me.",
    ]

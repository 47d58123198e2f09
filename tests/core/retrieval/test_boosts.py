from __future__ import annotations

import pytest

from memori_core import InMemoryStore, Memori, Scope
from memori_core.retrieval.boosts import Dates, Length, Neighbours, Session, Speaker, Witness
from memori_core.testing import FakeEmbedder

TALK = [
    ("Ann", "When did you adopt the heron?"),
    ("Ben", "Two winters ago."),
    ("Ann", "Nice weather today."),
    ("Ben", "Yes it is sunny out here."),
]


def talk(*boosts: object) -> Memori:
    memori = Memori(
        InMemoryStore(),
        embedder=FakeEmbedder(),
        boosts=boosts,  # type: ignore[arg-type]
        scope=Scope("alice"),
    )
    for day, session in [("2023-05-01", "one"), ("2024-01-09", "two")]:
        memori.remember_many(
            {
                "content": f"{text} ({session})",
                "speaker": speaker,
                "session_id": session,
                "position": i,
                "said_at": day,
            }
            for i, (speaker, text) in enumerate(TALK)
        )
    return memori


def parts(memori: Memori, query: str, name: str) -> dict[str, float]:
    found = memori.recall(query, limit=20, strictness=0)
    return {f"{f.fact.session_id}{f.fact.position}": f.parts[name] for f in found}


def test_a_neighbour_lends_a_share_of_its_score() -> None:
    memori = talk(Neighbours())
    found = memori.recall("adopt heron one", limit=8, strictness=0)
    lent = [f for f in found if f.fact.session_id == "one"]
    fused = {f.fact.position: f.rank_score - f.parts["neighbours"] for f in lent}
    for f in lent:
        at = f.fact.position
        assert at is not None
        first = max(fused.get(at - 1, 0.0), fused.get(at + 1, 0.0))
        second = max(fused.get(at - 2, 0.0), fused.get(at + 2, 0.0))
        assert f.parts["neighbours"] == pytest.approx(0.4 * first + 0.2 * second)
    assert max(fused, key=lambda place: fused[place]) == 0


def test_a_neighbour_that_no_signal_found_is_let_in_for_scoring() -> None:
    memori = Memori(InMemoryStore(), embedder=None, boosts=[Neighbours()], scope=Scope("a"))
    memori.remember_many(
        [
            {"content": "heron adoption?", "session_id": "s", "position": 0},
            {"content": "two winters ago", "session_id": "s", "position": 1},
        ]
    )
    # The cut is about relevance, which boosts never touch, so the answer alone stays out ...
    assert [f.content for f in memori.recall("heron")] == ["heron adoption?"]
    # ... and is among the few with the cut off, though 60 others are nearer to the question.
    vectors = {"heron?": [1.0, 0.0], "Heron!": [1.0, 0.0], "Two winters ago.": [-1.0, 0.0]}
    others = {f"other {i}": [0.5, 0.8660254] for i in range(60)}

    def found(*boosts: Neighbours) -> list[str]:
        memori = Memori(
            InMemoryStore(),
            embedder=FakeEmbedder(vectors | others),
            boosts=boosts,
            scope=Scope("a"),
        )
        talk = {"Heron!": 0, "Two winters ago.": 1}
        memori.remember_many(
            {"content": text, "session_id": "s", "position": talk.get(text)}
            for text in [*talk, *others]
        )
        return [f.content for f in memori.recall("heron?", limit=2, strictness=0)]

    assert "Two winters ago." not in found()
    # The first scores 1 for its cosine and 0.7 for its one word, and lends more than half of that;
    # the others have 0.5.
    assert found(Neighbours(share=0.6)) == ["Heron!", "Two winters ago."]


def test_the_named_speaker_gets_a_bonus() -> None:
    memori = talk(Speaker(bonus=0.3))
    bonus = parts(memori, "What did Ben say?", "speaker")
    assert {key for key, value in bonus.items() if value} == {"one1", "one3", "two1", "two3"}
    assert set(parts(memori, "What did Ann and Ben say?", "speaker").values()) == {0.0}
    assert set(parts(memori, "What did they say?", "speaker").values()) == {0.0}


@pytest.mark.parametrize(
    ("speakers", "query", "named"),
    [
        # A name of signs only is not in every question.
        (["Mel", "Bo", "🦊"], "What did Mel do by the lake?", "Mel"),
        (["Mel", "🦊"], "Who went to the lake?", None),
        (["Mel", "🦊"], "What did 🦊 do by the lake?", "🦊"),
        (["Mel", "☀️"], "What did ☀ do by the lake?", "☀️"),
        (["Mel 🦊", "Bo"], "What did mel do?", "Mel 🦊"),
        # Chinese, Japanese and Korean run on without spaces.
        (["小明", "小红"], "小明昨天去湖边徒步了吗？", "小明"),
        (["小明", "小红"], "他们昨天去湖边徒步了吗？", None),
        (["小明", "小红"], "小明和小红去哪了？", None),
        (["王芳", "王芳芳"], "王芳芳住在哪里？", "王芳芳"),
        (["王芳", "王芳芳"], "王芳住在哪里？", "王芳"),
        (["王", "李"], "国王住在哪里？", None),
        (["さくら", "健"], "さくらはどこに住んでいますか", "さくら"),
        (["민수", "지영"], "민수는 어디에 살아요?", "민수"),
        # Words of names stand together, in any case, width and punctuation.
        (["Ann", "Ann Lee"], "Where does ANN LEE live?", "Ann Lee"),
        (["Ann", "Joanna"], "Where does Joanna live?", "Joanna"),
        (["Ann", "Ben"], "Where does \uff21\uff4e\uff4e live?", "Ann"),
        (["Ann-Marie", "Ben"], "Where is Ann Marie's bike?", "Ann-Marie"),
        (["José", "Ben"], "Where is josé?", "José"),
        # Names that are words too.
        (["May", "Bo"], "What may I eat?", None),
        (["May", "Bo"], "May I ask where the lake is?", None),
        (["May", "Bo"], "Where does May live?", "May"),
        (["May", "Bo"], "May's favourite lake?", "May"),
        (["Will", "Ann"], "Will Ann come to the lake?", "Ann"),
        (["Will", "Ann"], "Where will Ann be?", "Ann"),
        (["Will", "Ann"], "Where does Will live?", "Will"),
    ],
)
def test_one_speaker_is_named_or_none(speakers: list[str], query: str, named: str | None) -> None:
    memori = Memori(
        InMemoryStore(), embedder=FakeEmbedder(), boosts=[Speaker()], scope=Scope("alice")
    )
    memori.remember_many(
        {"content": f"{i} went to the lake 去湖边", "speaker": speaker}
        for i, speaker in enumerate(speakers)
    )
    found = memori.recall(query, limit=9, strictness=0)
    assert {f.fact.speaker for f in found if f.parts["speaker"]} == ({named} - {None})
    assert len(found) == len(speakers)


@pytest.mark.parametrize(
    ("query", "dated"),
    [
        ("What sushi may I like?", False),
        ("May I ask about the heron?", False),
        ("The heron is here. May I see it?", False),
        ("Who will march with me?", False),
        ("March to the heron!", False),
        ("What happened in may?", True),
        ("What happened last May", True),
        ("the heron on 5 may", True),
        ("the heron on 5th may", True),
        ("may 5 heron", True),
        ("May 2023", True),
        ("Which May was it?", True),
    ],
)
def test_a_verb_is_no_month(query: str, dated: bool) -> None:
    memori = talk(Dates())
    memori.remember("Ann saw geese", said_at="2023-03-01", session_id="one", position=9)
    assert any(parts(memori, query, "dates").values()) == dated


@pytest.mark.parametrize("query", ["What was in May 2023?", "2023 news", "5月的事", "in may"])
def test_the_named_month_and_year_get_a_bonus(query: str) -> None:
    bonus = parts(talk(Dates()), query, "dates")
    assert {key[:3] for key, value in bonus.items() if value} == {"one"}


def test_no_date_no_bonus() -> None:
    assert set(parts(talk(Dates()), "the heron", "dates").values()) == {0.0}


def test_a_session_shares_its_best_score() -> None:
    memori = talk(Session(share=0.3))
    found = memori.recall("heron one", limit=8, strictness=0)
    best = max(f.rank_score - f.parts["session"] for f in found if f.fact.session_id == "one")
    for f in found:
        if f.fact.session_id == "one":
            assert f.parts["session"] == pytest.approx(0.3 * best)


def test_longer_texts_get_a_little() -> None:
    found = talk(Length(weight=0.1)).recall("heron", limit=8, strictness=0)
    by_text = {f.content: f.parts["length"] for f in found}
    # Three terms and four: 0.1 * ln(4) and 0.1 * ln(5).
    assert by_text["Nice weather today. (one)"] == pytest.approx(0.1609438)
    assert by_text["When did you adopt the heron? (one)"] == pytest.approx(0.1386294)


def test_conversation_mode_by_name() -> None:
    memori = Memori(
        InMemoryStore(), embedder=FakeEmbedder(), boosts="conversation", scope=Scope("alice")
    )
    memori.remember("The heron was adopted.", speaker="Ann", session_id="s", position=0)
    (found,) = memori.recall("heron adopted")
    assert set(found.parts) == {
        "dense",
        "coverage",
        "bm25",
        "neighbours",
        "session",
        "speaker",
        "dates",
        "length",
    }
    assert sum(found.parts.values()) == pytest.approx(found.rank_score)


def test_a_message_and_its_fact_speak_for_each_other() -> None:
    memori = Memori(
        InMemoryStore(), embedder=FakeEmbedder(), boosts=[Witness(share=0.5)], scope=Scope("alice")
    )
    memori.remember_many(
        [
            {"content": "the heron was adopted", "source_message_id": "m"},
            {"content": "adopted a heron", "source_message_id": "m"},
            {"content": "the heron flew", "source_message_id": "other"},
        ]
    )
    found = {f.content: f for f in memori.recall("heron adopted", limit=9, strictness=0)}
    one, two = found["the heron was adopted"], found["adopted a heron"]
    assert one.parts["witness"] == pytest.approx(0.5 * (two.rank_score - two.parts["witness"]))
    assert two.parts["witness"] == pytest.approx(0.5 * (one.rank_score - one.parts["witness"]))
    assert found["the heron flew"].parts["witness"] == 0

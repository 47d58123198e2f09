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
    # ... and comes second where the cut is off and vectors make everything an answer.
    memori = talk(Neighbours())
    assert len(memori.recall("heron", limit=8, strictness=0)) == 8


def test_the_named_speaker_gets_a_bonus() -> None:
    memori = talk(Speaker(bonus=0.3))
    bonus = parts(memori, "What did Ben say?", "speaker")
    assert {key for key, value in bonus.items() if value} == {"one1", "one3", "two1", "two3"}
    assert set(parts(memori, "What did Ann and Ben say?", "speaker").values()) == {0.0}
    assert set(parts(memori, "What did they say?", "speaker").values()) == {0.0}


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

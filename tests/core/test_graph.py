"""Triples as a graph of networkx."""

from __future__ import annotations

import sys
from datetime import UTC, datetime

import pytest

from memori_core.conversation import StoredTriple, Triple
from memori_core.errors import MissingExtraError
from memori_core.graph import to_networkx

DAY = datetime(2026, 3, 10, tzinfo=UTC)


def stored(subject: str, predicate: str, object: str, **fields: object) -> StoredTriple:
    triple = Triple(subject, predicate, object, object_type=str(fields.pop("kind", "")))
    return StoredTriple(triple, **{"fact_id": "f1", **fields})  # type: ignore[arg-type]


def test_nodes_have_a_type_and_edges_what_is_stored():
    graph = to_networkx(
        [
            stored("User", "lives_in", "Porto", kind="place", times=2),
            stored("User", "lives_in", "Ghent", kind="place", fact_id="f2", valid_until=DAY),
        ]
    )
    assert dict(graph.nodes(data="type")) == {"User": "person", "Porto": "place", "Ghent": "place"}
    assert graph.get_edge_data("User", "Porto") == {
        "lives_in f1": {
            "predicate": "lives_in",
            "fact_id": "f1",
            "times": 2,
            "valid_until": None,
        }
    }
    assert [edge[2] for edge in graph.edges(data="valid_until")] == [None, DAY]


def test_several_statements_of_one_pair_are_several_edges():
    graph = to_networkx(
        [stored("User", "likes", "tea"), stored("User", "drinks", "tea", fact_id="f2")]
    )
    assert graph.number_of_edges("User", "tea") == 2


def test_letter_case_makes_no_second_node():
    graph = to_networkx([stored("User", "likes", "Tea"), stored("user", "drinks", "tea")])
    assert list(graph.nodes) == ["User", "Tea"]


def test_a_name_spelled_otherwise_makes_no_second_node():
    names = ["S\u00e3o Paulo", "Sa\u0303o Paulo", "S\u00e3o  PAULO", "\uff33\u00e3o Paulo"]
    graph = to_networkx([stored("User", "likes", name) for name in names])
    assert list(graph.nodes) == ["User", "S\u00e3o Paulo"]


def test_a_known_type_is_kept():
    graph = to_networkx(
        [
            stored("User", "likes", "Porto"),
            stored("User", "lives_in", "Porto", kind="place"),
            stored("User", "from", "Porto"),
        ]
    )
    assert graph.nodes["Porto"]["type"] == "place"


def test_no_triples_are_an_empty_graph():
    assert len(to_networkx([])) == 0


def test_without_networkx_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(MissingExtraError, match=r"memori-core\[graph\]"):
        to_networkx([])

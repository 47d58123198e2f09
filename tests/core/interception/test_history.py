"""Earlier messages of the conversation: what the caller did not send, and no more."""

from __future__ import annotations

from typing import Any

import pytest

from memori_core import Memori, Scope
from memori_core.conversation import Message
from memori_core.interception import Llm, earlier
from memori_core.testing import ProviderServer, Reply

openai = pytest.importorskip("openai", reason="openai is not installed")


def say(client: Any, *texts: str) -> None:
    """Texts of user and assistant in turn; the last is the user's."""
    roles = ("user", "assistant")
    messages = [{"role": roles[n % 2], "content": text} for n, text in enumerate(texts)]
    client.chat.completions.create(model="m", messages=messages)


def texts(server: ProviderServer) -> list[str]:
    return [m["content"] for m in server.last.body["messages"]]


def test_d7_who_sends_the_new_text_only_gets_the_rest(
    client: Any, server: ProviderServer, llm: Llm[Memori], said: Any
):
    llm.register(client, scope=Scope("bob", session_id="s1"), on_error="raise")
    for text in ("One.", "Two.", "Three."):
        say(client, text)
    assert texts(server) == ["One.", "Hello", "Two.", "Hello", "Three."]
    assert len(said("bob")) == 6  # nothing is stored twice


def test_d7_who_sends_everything_gets_nothing_more(
    client: Any, server: ProviderServer, llm: Llm[Memori], said: Any
):
    llm.register(client, scope=Scope("bob", session_id="s1"), on_error="raise")
    say(client, "One.")
    say(client, "One.", "Hello", "Two.")
    assert texts(server) == ["One.", "Hello", "Two."]
    assert len(said("bob")) == 4


def test_without_a_named_session_nothing_is_added(
    client: Any, server: ProviderServer, llm: Llm[Memori]
):
    llm.register(client, scope=Scope("bob"), on_error="raise")
    say(client, "One.")
    say(client, "Two.")
    assert texts(server) == ["Two."]


def test_d7_it_is_bounded(client: Any, server: ProviderServer, llm: Llm[Memori]):
    llm.register(client, scope=Scope("bob", session_id="s1"), history=4, on_error="raise")
    for n in range(6):
        say(client, f"{n}.")
    assert texts(server) == ["3.", "Hello", "4.", "Hello", "5."]


def test_a_number_adds_what_is_missing_before_what_was_sent(
    client: Any, server: ProviderServer, llm: Llm[Memori]
):
    llm.register(client, scope=Scope("bob"), history=10, on_error="raise")
    say(client, "One.")
    say(client, "Two.")
    say(client, "Two.", "Hello", "Three.")
    assert texts(server) == ["One.", "Hello", "Two.", "Hello", "Three."]


def test_false_adds_nothing(client: Any, server: ProviderServer, llm: Llm[Memori]):
    llm.register(client, scope=Scope("bob", session_id="s1"), history=False, on_error="raise")
    say(client, "One.")
    say(client, "Two.")
    assert texts(server) == ["Two."]


def test_it_stands_behind_the_system_prompt_in_every_round_of_tools(
    client: Any, server: ProviderServer, llm: Llm[Memori]
):
    llm.register(client, scope=Scope("bob", session_id="s1"), on_error="raise")
    say(client, "One.")
    server.script(Reply(calls=["search"]), "Found.")
    messages: list[Any] = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Two."},
    ]
    message = client.chat.completions.create(model="m", messages=messages).choices[0].message
    messages += [message, {"role": "tool", "tool_call_id": "call_0", "content": "42"}]
    client.chat.completions.create(model="m", messages=messages)
    for request in server.requests[1:]:
        contents = [m.get("content") for m in request.body["messages"]]
        assert contents[:4] == ["Be brief.", "One.", "Hello", "Two."]


def test_d8_d9_whose_and_which_conversation_is_honoured_at_once(
    client: Any, server: ProviderServer, memori: Memori, llm: Llm[Memori]
):
    llm.register(client, on_error="raise")
    with memori.attribution("alice", session_id="s1"):
        say(client, "My number is 123.")
        memori.set_session("s2")
        say(client, "Two.")
        assert texts(server)[-1:] == ["Two."]
        assert "123" not in server.last.text
    with memori.attribution("bob", session_id="s1"):
        say(client, "Three.")
        assert "123" not in server.last.text
    assert llm.drain(5)
    assert len(memori.scoped("bob").messages()) == 2
    assert {s.id for s in memori.scoped("alice").sessions()} == {"s1", "s2"}


def test_responses_and_anthropic_have_a_place_for_it(
    client: Any, server: ProviderServer, llm: Llm[Memori]
):
    llm.register(client, scope=Scope("bob", session_id="s1"), on_error="raise")
    say(client, "One.")
    found = client.responses.create(model="m", input="Two.")
    assert [m["content"] for m in server.last.body["input"]] == ["One.", "Hello", "Two."]
    client.responses.create(model="m", input="Three.", previous_response_id=found.id)
    assert server.last.body["input"] == "Three."  # the provider has the conversation
    anthropic = pytest.importorskip("anthropic", reason="anthropic is not installed")
    with anthropic.Anthropic(api_key="x", base_url=server.url) as claude:
        llm.register(claude, scope=Scope("bob", session_id="s1"), history=2, on_error="raise")
        claude.messages.create(
            model="m", max_tokens=9, messages=[{"role": "user", "content": "Four."}]
        )
    assert texts(server) == ["Three.", "Hello", "Four."]


def test_only_whole_rounds_are_added():
    stored = [
        Message("assistant", "An answer to nothing."),
        Message("user", "Broken off."),
        Message("user", "One."),
        Message("assistant", "1."),
        Message("user", "Without answer."),
    ]
    assert [m.content for m in earlier.missing(stored, (), limit=10)] == ["One.", "1."]
    assert earlier.missing(stored, (), limit=1) == []
    long = [Message("user", "x" * 20_000), Message("assistant", "y")]
    assert earlier.missing(long, (), limit=10) == []

"""Registering and unregistering clients: once, one client only, and back as it was."""

from __future__ import annotations

import gc
import logging
import types
import weakref
from typing import Any

import pytest

from memori_core import Memori, Scope
from memori_core.errors import ConfigError, UnsupportedClientError
from memori_core.interception import Llm
from memori_core.rendering import TAG
from memori_core.stores import InMemoryStore
from memori_core.testing import ProviderServer

openai = pytest.importorskip("openai", reason="openai is not installed")
httpx = pytest.importorskip("httpx", reason="httpx is not installed")

ASK = {"model": "m", "messages": [{"role": "user", "content": "Which tea do I like?"}]}
ALICE = Scope("alice")


def make(server: ProviderServer, **more: Any) -> Any:
    return openai.OpenAI(api_key="x", base_url=server.openai_url, **more)


def has_memory(client: Any, server: ProviderServer) -> bool:
    assert client.chat.completions.create(**ASK).choices[0].message.content == "Hello"
    return TAG in server.last.text


def test_b52_three_times_is_once(server: ProviderServer, llm: Llm[Memori], said: Any):
    with make(server) as client:
        original = client._client
        for _ in range(3):
            llm.register(client, scope=ALICE)
        client.chat.completions.create(**ASK)
        assert server.last.text.count(f"<{TAG}>") == 1
        assert len(said()) == 2
        assert llm.report().clients == ("OpenAI",)
        llm.unregister(client)
        assert client._client is original
        assert not has_memory(client, server)
        llm.unregister(client)  # again: nothing
        assert llm.report().clients == ()


def test_b52_the_last_memory_serves_and_the_log_says_so(
    server: ProviderServer, llm: Llm[Memori], said: Any, caplog: pytest.LogCaptureFixture
):
    with Memori(InMemoryStore(), embedder=None, extractor=None) as other, make(server) as client:
        second = Llm(other)
        other.scoped("alice").remember("User likes black tea.")
        llm.register(client, scope=ALICE)
        with caplog.at_level(logging.WARNING, "memori_core.interception"):
            assert second.register(client, scope=ALICE) is other
        assert "another Memori" in caplog.text
        client.chat.completions.create(**ASK)
        assert server.last.text.count(f"<{TAG}>") == 1
        assert "black tea" in server.last.text
        assert said() == []
        llm.unregister(client)  # not its registration any more
        assert has_memory(client, server)
        second.unregister(client)
        assert not has_memory(client, server)
        second.close()


def test_other_settings_take_the_place_of_the_first(server: ProviderServer, llm: Llm[Memori]):
    with make(server) as client:
        llm.register(client, scope=ALICE)
        llm.register(client, scope=Scope("nobody"))
        assert not has_memory(client, server)


def test_a_shared_http_client_gives_memory_to_one_only(server: ProviderServer, llm: Llm[Memori]):
    """As all ChatOpenAI objects of a process share one."""
    with httpx.Client() as shared:
        one, other = make(server, http_client=shared), make(server, http_client=shared)
        llm.register(one, scope=ALICE)
        assert has_memory(one, server)
        assert not has_memory(other, server)
        assert other._client is shared


def test_copies_made_afterwards_have_memory(server: ProviderServer, llm: Llm[Memori]):
    with make(server) as client:
        early = client.with_options(timeout=5)
        accessor = client.chat.completions.with_raw_response
        llm.register(client, scope=ALICE)
        assert has_memory(client.with_options(timeout=6), server)
        assert has_memory(client.copy(), server)
        assert not has_memory(early, server)
        accessor.create(**ASK)
        assert TAG in server.last.text


def test_copies_follow_other_settings_and_unregister(
    server: ProviderServer, llm: Llm[Memori], said: Any
):
    with make(server) as client:
        llm.register(client, scope=ALICE)
        copies = [client.with_options(timeout=6), client.copy()]
        assert all(has_memory(copy, server) for copy in copies)
        llm.register(client, scope=Scope("nobody"))
        assert not any(has_memory(copy, server) for copy in copies)
        llm.register(client, scope=ALICE)
        assert all(has_memory(copy, server) for copy in copies)
        turns = len(said())
        llm.unregister(client)
        assert not any(has_memory(copy, server) for copy in copies)
        assert len(said()) == turns


def test_a_copy_that_is_registered_itself_is_on_its_own(server: ProviderServer, llm: Llm[Memori]):
    """Its scope must not become that of the client it was made of."""
    with make(server) as client:
        llm.register(client, scope=ALICE)
        copy = client.copy()
        llm.register(copy, scope=Scope("nobody"))
        assert has_memory(client, server)
        assert not has_memory(copy, server)
        assert llm.report().clients == ("OpenAI", "OpenAI")
        llm.unregister(copy)
        assert has_memory(client, server)
        other = client.copy()
        llm.unregister(other)
        assert not has_memory(other, server)
        assert has_memory(client, server)


def test_copies_of_a_client_that_another_memory_takes_over_fall_silent(
    server: ProviderServer, llm: Llm[Memori], said: Any
):
    with Memori(InMemoryStore(), embedder=None, extractor=None) as other, make(server) as client:
        llm.register(client, scope=ALICE)
        copy = client.copy()
        other.llm.register(client, scope=ALICE)
        assert not has_memory(copy, server)
        assert said() == []


def test_the_pool_stays_open_when_the_copy_is_dropped(server: ProviderServer, llm: Llm[Memori]):
    with make(server) as client:
        llm.register(client, scope=ALICE)
        assert has_memory(client, server)
        llm.unregister(client)
        gc.collect()
        assert not has_memory(client, server)


def test_a_stream_outlives_its_client(server: ProviderServer, llm: Llm[Memori]):
    client = make(server)
    llm.register(client, scope=ALICE)
    stream = client.with_options(timeout=5).chat.completions.create(**ASK, stream=True)
    next(stream)
    del client
    gc.collect()
    assert "".join(c.choices[0].delta.content or "" for c in stream) == "Hello"
    stream.close()
    stream._client.close()


def test_a_dropped_client_is_not_kept(server: ProviderServer, llm: Llm[Memori]):
    client = make(server)
    llm.register(client, scope=ALICE)
    client.close()
    gone = weakref.ref(client)
    del client
    gc.collect()
    assert gone() is None
    assert llm.report().clients == ()


def test_register_returns_the_memory_and_quick_start_works(
    server: ProviderServer, memori: Memori, llm: Llm[Memori], said: Any
):
    with make(server) as client:
        assert llm.register(client) is memori
        memori.attribution(entity_id="user_123", process_id="support_agent")
        said_before = "My favorite color is blue."
        for text in (said_before, "What's my favorite color?"):
            client.chat.completions.create(model="m", messages=[{"role": "user", "content": text}])
        assert said("user_123")[0] == ("user", said_before)
        assert len(said("user_123")) == 4


def test_an_unknown_client_is_told_what_is_known(llm: Llm[Memori]):
    with pytest.raises(UnsupportedClientError) as failure:
        llm.register(object())
    for word in ("builtins.object", "OpenAI", "Anthropic", "Mistral", "memori.capture"):
        assert word in str(failure.value)


def test_a_resource_of_a_client_is_no_client(server: ProviderServer, llm: Llm[Memori]):
    with make(server) as client, pytest.raises(UnsupportedClientError):
        llm.register(client.chat.completions)


@pytest.mark.parametrize(
    "wrong", [{"scope": "alice"}, {"history": 0}, {"history": True}, {"place": "top"}]
)
def test_wrong_arguments_are_told(server: ProviderServer, llm: Llm[Memori], wrong: Any):
    with make(server) as client, pytest.raises(ConfigError, match=next(iter(wrong))):
        llm.register(client, **wrong)


def test_the_transport_serves_programs_without_an_sdk(
    server: ProviderServer, llm: Llm[Memori], said: Any
):
    with httpx.Client(transport=llm.transport(httpx.HTTPTransport(), scope=ALICE)) as http:
        http.post(f"{server.openai_url}/chat/completions", json=ASK).raise_for_status()
    assert TAG in server.last.text
    assert len(said()) == 2
    with pytest.raises(ConfigError, match="transport"):
        llm.transport(object())


def test_the_functions_of_the_ollama_module(server: ProviderServer, llm: Llm[Memori]):
    ollama = pytest.importorskip("ollama", reason="ollama is not installed")
    http = ollama.chat.__self__._client
    before, http.base_url = http.base_url, server.url
    try:
        llm.register(ollama, scope=ALICE)
        assert ollama.chat(**ASK).message.content == "Hello"
        assert TAG in server.last.text
        llm.unregister(ollama)
        assert ollama.chat.__self__._client is http
    finally:
        http.base_url = before
        http.close()


def framework_object(module: str, **attributes: Any) -> Any:
    """As the frameworks' objects look, without the frameworks."""
    return type("Model", (types.SimpleNamespace,), {"__module__": module})(**attributes)


@pytest.mark.parametrize(
    ("module", "attribute"),
    [
        ("langchain_openai.chat_models.base", "root_client"),
        ("langchain_anthropic.chat_models", "_client"),
        ("pydantic_ai.models.openai", "client"),
    ],
)
def test_the_client_inside_a_frameworks_object(
    server: ProviderServer, llm: Llm[Memori], module: str, attribute: str
):
    with make(server) as client:
        model = framework_object(module, **{attribute: client})
        llm.register(model, scope=ALICE)
        assert has_memory(client, server)
        llm.unregister(model)
        assert not has_memory(client, server)


def test_clients_that_frameworks_make_late(server: ProviderServer, llm: Llm[Memori]):
    with make(server) as client:
        for model in (
            framework_object("agno.models.openai.chat", get_client=lambda: client),
            framework_object(
                "llama_index.llms.openai.base",
                reuse_client=True,
                _get_client=lambda: client,
                _get_aclient=lambda: None,
            ),
        ):
            llm.register(model, scope=ALICE)
            assert has_memory(client, server)
            llm.unregister(model)


def test_a_model_that_keeps_no_client_names_our_plugin(llm: Llm[Memori]):
    model = framework_object("llama_index.llms.openai.base", reuse_client=False)
    with pytest.raises(UnsupportedClientError, match="memori_llamaindex"):
        llm.register(model)

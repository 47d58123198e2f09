"""The one HTTP endpoint behind the chat extractor and the HTTP embedder, with a real server."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

import pytest

from memori_core._http_endpoint import HttpEndpoint, endpoint_urls
from memori_core._retries import Backoff, retry_after_s
from memori_core.errors import ConfigError, ExtractionError

pytest.importorskip("httpx")

Server = Any  # LoopbackServer of conftest.py
Open = Callable[..., HttpEndpoint]
KEY = "sk-secret-123"
OK = (200, {}, b'{"ok": 1}')


@pytest.fixture
def open_endpoint(loopback: Server) -> Iterator[Open]:
    opened: list[HttpEndpoint] = []

    def make(
        base_url: str = loopback.url,
        *,
        path: str = "/things",
        max_retries: int = 2,
        timeout_s: float = 5.0,
        api_key: str | None = KEY,
    ) -> HttpEndpoint:
        endpoint = HttpEndpoint(
            base_url,
            path,
            api_key=api_key,
            timeout_s=timeout_s,
            backoff=Backoff(max_retries=max_retries, first_s=0.01),
            error=ExtractionError,
            logger=logging.getLogger("test"),
            task="trying",
        )
        opened.append(endpoint)
        return endpoint

    yield make
    for endpoint in opened:
        endpoint.close()


def test_a_body_is_posted_as_json_with_the_key(loopback: Server, open_endpoint: Open):
    loopback.answers = [OK]
    assert open_endpoint().post({"q": "用户"}).json() == {"ok": 1}
    assert loopback.requests == [("/v1/things", f"Bearer {KEY}", {"q": "用户"})]


def test_without_a_key_none_is_sent(loopback: Server, open_endpoint: Open):
    open_endpoint(api_key=None).post({})
    assert loopback.requests[0].authorization is None


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 504, 529])
def test_a_passing_trouble_is_tried_again(loopback: Server, open_endpoint: Open, status: int):
    loopback.answers = [(status, {}, b"later")] * 2
    assert open_endpoint().post({}).status_code == 200
    assert len(loopback.requests) == 3


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
def test_a_refusal_is_returned_at_once(loopback: Server, open_endpoint: Open, status: int):
    loopback.answers = [(status, {}, b"no")]
    assert open_endpoint().post({}).status_code == status
    assert len(loopback.requests) == 1


def test_the_last_answer_is_returned_whatever_its_status(loopback: Server, open_endpoint: Open):
    loopback.answers = [(503, {}, b"1"), (503, {}, b"2"), (503, {}, b"3"), OK]
    assert open_endpoint().post({}).text == "3"


def test_a_refusal_shows_the_head_of_its_body_and_no_key(loopback: Server, open_endpoint: Open):
    loopback.answers = [(401, {}, f"bad key {KEY} ".encode() * 100)]
    endpoint = open_endpoint(loopback.url.replace("//", "//me:pass-word@") + "?token=t0")
    error = endpoint.refusal(endpoint.post({}))
    assert isinstance(error, ExtractionError)
    said = str(error)
    assert said.startswith(f"{loopback.url}/things answered 401: bad key *** ")
    assert len(said) < 400
    assert not any(secret in said for secret in (KEY, "pass-word", "t0"))


def test_the_query_of_the_address_is_sent(loopback: Server, open_endpoint: Open):
    open_endpoint(f"{loopback.url}?version=2").post({})
    assert loopback.requests[0].path == "/v1/things?version=2"


def test_a_slow_answer_is_an_error_of_the_type_asked_for(loopback: Server, open_endpoint: Open):
    def slow(_: object) -> object:
        time.sleep(0.4)
        return OK

    loopback.answers = [slow, slow]
    with pytest.raises(ExtractionError, match=r"/v1/things: ReadTimeout"):
        open_endpoint(timeout_s=0.1, max_retries=1).post({})
    assert len(loopback.requests) == 2


def test_nobody_listening_is_one_too(open_endpoint: Open):
    with pytest.raises(ExtractionError, match=r"^http://127.0.0.1:9/v1/things: ConnectError"):
        open_endpoint("http://127.0.0.1:9/v1").post({})


def test_connections_are_kept_and_come_back_after_close(loopback: Server, open_endpoint: Open):
    endpoint = open_endpoint()
    for _ in range(2):
        with ThreadPoolExecutor(4) as pool:
            assert len(list(pool.map(lambda _: endpoint.post({}).json(), range(8)))) == 8
        endpoint.close()
        endpoint.close()
    assert len(loopback.requests) == 16


@pytest.mark.parametrize(
    ("base_url", "posted", "shown"),
    [
        ("http://h:1/v1", "http://h:1/v1/things", "http://h:1/v1/things"),
        ("http://h:1/v1/", "http://h:1/v1/things", "http://h:1/v1/things"),
        ("https://h/v1/things", "https://h/v1/things", "https://h/v1/things"),
        ("http://u:p@h?k=1#f", "http://u:p@h/things?k=1", "http://h/things"),
        ("http://[::1]:8/v1", "http://[::1]:8/v1/things", "http://[::1]:8/v1/things"),
    ],
)
def test_where_is_posted_and_what_is_shown(base_url: str, posted: str, shown: str):
    assert endpoint_urls(base_url, "/things") == (posted, shown)


@pytest.mark.parametrize(
    "base_url",
    [
        "localhost:11434",
        "ftp://h/v1",
        "",
        "http://",
        "http:///v1",
        "http://[::1",
        "http://h:port/v1",
    ],
)
def test_an_address_that_is_none_is_refused(base_url: str):
    with pytest.raises(ConfigError, match="`base_url`"):
        endpoint_urls(base_url, "/things")


def test_a_refused_address_shows_no_password():
    with pytest.raises(ConfigError) as caught:
        endpoint_urls("ftp://me:pass-word@h/v1?token=t0", "/things")
    assert "pass-word" not in str(caught.value)
    assert "t0" not in str(caught.value)


# ------------------------------------------------------------------------------------ Retry-After


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("7", 7.0),
        (" 0 ", 0.0),
        ("99999999999999999999", 1e20),
        ("9" * 5_000, float("inf")),
        ("-99999999999999999999", None),
        ("1.5", None),
        ("Wed, 01 Jul 2026 12:00:30 GMT", 30.0),
        ("Wed, 01 Jul 2026 11:00:00 GMT", 0.0),
        ("Wed, 01 Jul 99999999999999999999 11:00:00 GMT", None),
        ("Wed, 01 Jul 2026 99999999999999999999:00:00 GMT", None),
        ("Wed, 01 Jul 2026 12:00:30 +99999999999999999999", None),
        ("soon", None),
        ("", None),
    ],
)
def test_retry_after_is_a_number_or_a_date(header: str, seconds: float | None):
    now = datetime(2026, 7, 1, 12, 0, 0, tzinfo=UTC)
    assert retry_after_s(header, now=now) == seconds


def test_retry_after_is_respected(loopback: Server, open_endpoint: Open):
    loopback.answers = [(429, {"Retry-After": "1"}, b"")]
    started = time.monotonic()
    open_endpoint().post({})
    assert time.monotonic() - started >= 1.0


@pytest.mark.parametrize("header", ["99999999999999999999", "9" * 400, "soon", "²"])
def test_a_strange_retry_after_is_survived(
    loopback: Server, open_endpoint: Open, header: str, monkeypatch: pytest.MonkeyPatch
):
    slept: list[float] = []
    monkeypatch.setattr("memori_core._retries.time.sleep", slept.append)
    loopback.answers = [(429, {"Retry-After": header}, b"")]
    assert open_endpoint().post({}).status_code == 200
    assert slept == ([30.0] if header.isdecimal() else [0.01])

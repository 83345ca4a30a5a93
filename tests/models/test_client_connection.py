"""Which proxy a connection takes from the environment, and what it tells it."""

import base64

import pytest
from exchanges import KEY, exchange, once

from endpoint import say
from pairwright.models.client import proxy_for

PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*PROXIES, *map(str.lower, PROXIES)):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # The SDK's own.
def test_another_machine_is_reached_through_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    def through(url: str) -> str:
        monkeypatch.setenv("HTTP_PROXY", url.removesuffix("/v1").replace("//", "//me:secret@"))
        return "http://model.example:8000/v1"

    answer, (asked,), _ = exchange(say("by proxy"), once, through=through)
    assert answer.text == "by proxy"
    assert asked.headers["Host"] == "model.example:8000"
    assert asked.headers["Authorization"] == f"Bearer {KEY}"
    login = base64.b64encode(b"me:secret").decode()
    assert asked.headers["Proxy-Authorization"] == f"Basic {login}"


@pytest.mark.parametrize(
    ("environment", "url", "proxy"),
    [
        ({}, "http://model.example/v1", None),
        ({"HTTP_PROXY": "http://p:1"}, "http://model.example/v1", "http://p:1"),
        ({"http_proxy": "p:1"}, "http://model.example/v1", "http://p:1"),
        ({"ALL_PROXY": "http://p:3"}, "https://model.example/v1", "http://p:3"),
        ({"ALL_PROXY": "http://p:3"}, "http://localhost:8000/v1", None),
        ({"ALL_PROXY": "http://p:3"}, "http://[::1]:8000/v1", None),
        ({"ALL_PROXY": "socks5://p:3"}, "http://127.8.9.1/v1", None),
        ({"ALL_PROXY": "socks5://p:3", "NO_PROXY": "*"}, "http://model.example/v1", None),
        ({"HTTP_PROXY": "p", "NO_PROXY": "model.example"}, "http://model.example/v1", None),
    ],
)
def test_which_proxy_an_address_is_reached_through(
    environment: dict[str, str], url: str, proxy: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert proxy_for(url) == proxy

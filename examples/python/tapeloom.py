"""Tapeloom in Python 3.11, with nothing but the standard library: REST and the stream.

    service = Tapeloom("http://127.0.0.1:8080", key)
    service.get("/v1/usage")
    for item in service.history(instrument="BTC.c.0", indicator="bars", from_="2026-11-14"): ...
    for message in service.stream(Subscription("BTC.c.0", "bars")): ...

Take this file and web_socket.py along: they are all there is.
"""

from __future__ import annotations

import http.client
import json
import os
import random
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from decimal import Decimal
from urllib.parse import urlencode

from web_socket import Closed, WebSocket

ANSWER_SECONDS = 60
RATE_RETRIES = 3
RETRY_AFTER_SECONDS_MAX = 60
SILENCE_SECONDS = 15  # The server says something every 5 seconds.
PING_SECONDS = 10  # It hangs up on who is silent for 30.
CROWDED_SECONDS_MAX = 120

# What to do after a close. Everything else is an accident: come back soon, then ever later.
STOP = {1000, 1002, 1003, 1007, 1009, 4001, 4003}
AT_ONCE = {4008}  # We were too slow, or silent.
WAIT_SECONDS_MIN = {1008: 1, 1013: 1, 4029: 5}
CROWDED = 4029  # The account has as many connections as its plan allows.


class TapeloomError(Exception):
    """What the service refused. `code` never changes its meaning; the words are for people."""

    def __init__(self, code: str, detail: str, status: int | None = None):
        super().__init__(f"{code}: {detail}")
        self.code = code
        self.status = status


class Subscription:
    """One subscription and its state: the objects by id, and the cursor up to which they are complete.

    Keep the cursor, and you can go on from there: after a lost connection, or tomorrow.
    """

    def __init__(self, instrument: str, indicator: str, params: dict | None = None,
                 mode: str = "live", cursor: str | None = None):
        self.request = {
            "instrument": instrument, "indicator": indicator, "params": params or {}, "mode": mode,
        }
        self.objects: dict[str, dict] = {}
        self.cursor = cursor
        self.tick_size = Decimal(0)

    def message(self) -> dict:
        start = "live" if self.cursor is None else {"cursor": self.cursor}
        return {"t": "subscribe", "sub": "s", "from": start, **self.request}

    def apply(self, message: dict) -> bool:
        """Takes a message in. False for an update that was seen before: act on the others only."""
        kind = message["t"]
        if kind == "subscribed":
            self.tick_size = Decimal(message["tickSizeNanos"]) / 1_000_000_000
        elif kind == "snapshot":
            # Replaces everything, also by an earlier state.
            self.objects = {item["id"]: item for item in message["items"]}
            self.cursor = message["cursor"]
        elif kind == "reset":
            # What we have is worthless. A snapshot follows.
            self.objects, self.cursor = {}, None
        elif kind in ("upsert", "remove", "hb") and "cursor" in message:
            if self.cursor is not None and place_of(message["cursor"]) <= place_of(self.cursor):
                return False
            self.cursor = message["cursor"]
            if kind == "upsert":
                # Whole objects, never merged: a new version takes the place of the old one.
                self.objects[message["id"]] = message
            elif kind == "remove":
                self.objects.pop(message["id"], None)
        return True

    def price(self, ticks: int) -> Decimal:
        return ticks * self.tick_size


class Tapeloom:
    def __init__(self, url: str, key: str):
        self._url = url.rstrip("/")
        self._authorization = {"Authorization": f"Bearer {key}"}
        # The key must not follow a redirect to another address.
        self._opener = urllib.request.build_opener(_NoRedirects)

    @classmethod
    def from_environment(cls) -> Tapeloom:
        """With TAPELOOM_KEY, at SERVICE_URL or on this machine."""
        key = os.environ.get("TAPELOOM_KEY")
        if not key:
            sys.exit("Set TAPELOOM_KEY to an API key of yours.")
        return cls(os.environ.get("SERVICE_URL", "http://127.0.0.1:8080"), key)

    def get(self, path: str, **query: object) -> dict:
        """One answer as JSON. `from_` stands for `from`, which is a word of Python."""
        with self.open(path, query) as answer:
            return json.load(answer)

    def history(self, **query: object) -> Iterator[dict]:
        """The settled results of a range, page after page."""
        while True:
            page = self.get("/v1/history", **query)
            yield from page["items"]
            if page["next"] is None:
                return
            query["cursor"] = page["next"]
            # Without a `to` the end of the range moves: all pages are of the first one's range.
            query.setdefault("to", page["to"])

    def stream(self, subscription: Subscription) -> Iterator[dict]:
        """Every message that says something new, for ever: it reconnects and goes on by itself."""
        failures = 0
        crowded_since = None
        while True:
            code = None
            try:
                for message in self._messages(subscription):
                    failures, crowded_since = 0, None
                    yield message
            except Closed as closed:
                why, code = str(closed), closed.code
                if code in STOP:
                    raise TapeloomError(_code_of(closed), why) from closed
            except OSError as error:  # No connection, or nothing heard for too long.
                why = str(error) or type(error).__name__
            if code == CROWDED:
                crowded_since = crowded_since or time.monotonic()
                if time.monotonic() - crowded_since > CROWDED_SECONDS_MAX:
                    raise TapeloomError("TOO_MANY_CONNECTIONS", why)
            soon = 0 if code in AT_ONCE and failures == 0 else min(0.25 * 2**failures, 30)
            # With chance, so that not all clients come back at the same moment.
            wait = max(soon * random.uniform(0.5, 1), WAIT_SECONDS_MIN.get(code, 0))
            failures = min(failures + 1, 10)
            print(f"{why}: again in {wait:.1f} s", file=sys.stderr)
            time.sleep(wait)

    def open(self, path: str, query: dict, headers: dict | None = None) -> http.client.HTTPResponse:
        """An answer whose body is still to be read. Refusals are TapeloomErrors."""
        fields = {
            name.rstrip("_"): json.dumps(value) if isinstance(value, dict) else str(value)
            for name, value in query.items()
            if value is not None
        }
        address = f"{self._url}{path}?{urlencode(fields)}"
        request = urllib.request.Request(address, headers={**self._authorization, **(headers or {})})
        for attempt in range(RATE_RETRIES + 1):
            try:
                return self._opener.open(request, timeout=ANSWER_SECONDS)
            except urllib.error.HTTPError as refusal:
                error = _problem(refusal)
                if error.code not in ("RATE_LIMITED", "CAPACITY") or attempt == RATE_RETRIES:
                    raise error from None
                after = int(refusal.headers.get("Retry-After", 2**attempt))
                time.sleep(min(after, RETRY_AFTER_SECONDS_MAX))
        raise AssertionError("the last attempt returns or raises")

    def _messages(self, subscription: Subscription) -> Iterator[dict]:
        """What one connection says, until it ends."""
        address = f"ws{self._url.removeprefix('http')}/v1"
        with WebSocket.connect(address, self._authorization, SILENCE_SECONDS) as web_socket:
            web_socket.send(json.dumps(subscription.message()))
            spoke_at = time.monotonic()
            while True:
                message = json.loads(web_socket.receive())
                if time.monotonic() - spoke_at > PING_SECONDS:
                    web_socket.send('{"t":"ping"}')
                    spoke_at = time.monotonic()
                if message["t"] == "error":
                    raise TapeloomError(message["code"], message["message"])
                if subscription.apply(message):
                    yield message


def place_of(cursor: str) -> tuple[int, ...]:
    """Cursors are compared number by number: 20261112.9.1 is before 20261112.10.1."""
    return tuple(int(part) for part in cursor.split("."))


def time_text(nanoseconds: str) -> str:
    """A time of the service, to the second, as people write it."""
    return time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(int(nanoseconds) // 1_000_000_000))


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: object) -> None:
        return None


def _code_of(closed: Closed) -> str:
    """Reasons in capitals are codes, others are for people."""
    if closed.code == 4001:
        return "UNAUTHORIZED"
    return closed.reason if closed.reason.isupper() else "CLOSED"


def _problem(refusal: urllib.error.HTTPError) -> TapeloomError:
    try:
        problem = json.load(refusal)
        return TapeloomError(problem["code"], problem["detail"], refusal.code)
    except (ValueError, KeyError, TypeError):  # Not from the service: of a proxy, say.
        return TapeloomError(f"HTTP_{refusal.code}", refusal.reason, refusal.code)

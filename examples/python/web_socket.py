"""A WebSocket client (RFC 6455) over a plain or a TLS socket, with nothing but the standard library.

It speaks what a stream needs: text messages, whole or in fragments, pings, pongs and an orderly close.
One thread uses it at a time. It never waits longer than the timeout it was given.
"""

from __future__ import annotations

import base64
import hashlib
import os
import socket
import ssl
from urllib.parse import urlsplit

CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0x0, 0x1, 0x2, 0x8, 0x9, 0xA
HANDSHAKE_BYTES_MAX = 64 * 1024
MESSAGE_BYTES_MAX = 64 * 1024 * 1024


class Closed(Exception):
    """The connection has ended. `code` is None when it just broke, without a goodbye."""

    def __init__(self, code: int | None, reason: str):
        super().__init__(f"closed with {code} {reason}".rstrip() if code else f"lost: {reason}")
        self.code = code
        self.reason = reason


class WebSocket:
    def __init__(self, connected: socket.socket):
        """Over a socket whose handshake is done; `WebSocket.connect` makes one."""
        self._socket = connected
        self._unread = bytearray()
        self._said_goodbye = False

    @classmethod
    def connect(cls, url: str, headers: dict[str, str], timeout: float) -> WebSocket:
        """Opens a connection. A server that answers with anything but a WebSocket is a ConnectionError."""
        parts = urlsplit(url)
        is_secure = parts.scheme in ("wss", "https")
        port = parts.port or (443 if is_secure else 80)
        plain = socket.create_connection((parts.hostname, port), timeout)
        try:
            plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if is_secure:
                # Checks the certificate and the name in it.
                plain = ssl.create_default_context().wrap_socket(plain, server_hostname=parts.hostname)
            web_socket = cls(plain)
            web_socket._shake_hands(parts.path or "/", parts.netloc, headers)
            return web_socket
        except BaseException:
            plain.close()
            raise

    def send(self, text: str) -> None:
        self._send_frame(TEXT, text.encode())

    def receive(self) -> str:
        """The next message. Raises Closed when there will be none, TimeoutError after a long silence."""
        payload = bytearray()
        in_fragments = False
        while True:
            final, opcode, part = self._read_frame()
            # Control frames may come between the fragments of a message.
            if opcode == PING:
                self._send_frame(PONG, part)
            elif opcode == PONG:
                pass
            elif opcode == CLOSE:
                self._take_leave(part)
            elif opcode == BINARY:
                self._refuse(1003, "a binary message")
            elif (opcode == CONTINUATION) != in_fragments:
                self._refuse(1002, "a fragment out of order")
            else:
                if len(payload) + len(part) > MESSAGE_BYTES_MAX:
                    self._refuse(1009, "a message that is too long")
                payload += part
                in_fragments = not final
                if final:
                    return self._decoded(payload)

    def close(self, code: int = 1000, reason: str = "") -> None:
        """Says goodbye, once, and lets go of the socket."""
        try:
            self._send_close(code, reason)
        except OSError:
            pass  # The other side has gone already.
        self._socket.close()

    def __enter__(self) -> WebSocket:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _shake_hands(self, path: str, host: str, headers: dict[str, str]) -> None:
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [
            f"GET {path} HTTP/1.1",
            f"Host: {host}",
            "Upgrade: websocket",
            "Connection: Upgrade",
            f"Sec-WebSocket-Key: {key}",
            "Sec-WebSocket-Version: 13",
            *(f"{name}: {value}" for name, value in headers.items()),
        ]
        self._socket.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        while (end := self._unread.find(b"\r\n\r\n")) == -1:
            if len(self._unread) > HANDSHAKE_BYTES_MAX:
                raise ConnectionError("the answer to the handshake has no end")
            self._read_more()
        status, *fields = self._take(end + 4).decode("latin-1").split("\r\n")
        answer = {}
        for field in fields:
            name, _, value = field.partition(":")
            answer[name.lower()] = value.strip()
        # The server proves that it understood: the digest of our key and of a text that all of them know.
        digest = hashlib.sha1(f"{key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11".encode()).digest()
        if status.split(" ")[1:2] != ["101"]:
            raise ConnectionError(f"no WebSocket at {host}{path}: {status}")
        if answer.get("sec-websocket-accept") != base64.b64encode(digest).decode():
            raise ConnectionError(f"{host}{path} answered the handshake of somebody else")

    def _read_frame(self) -> tuple[bool, int, bytes]:
        first, second = self._read(2)
        final, opcode, length = bool(first & 0x80), first & 0x0F, second & 0x7F
        is_control = opcode >= CLOSE
        if first & 0x70 or opcode not in (CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG):
            self._refuse(1002, "a frame of a kind that was not agreed on")
        if second & 0x80:
            self._refuse(1002, "a masked frame, which only clients send")
        if is_control and (not final or length > 125):
            self._refuse(1002, "a control frame that is long or in fragments")
        if length == 126:
            length = int.from_bytes(self._read(2), "big")
        elif length == 127:
            length = int.from_bytes(self._read(8), "big")
        if length > MESSAGE_BYTES_MAX:
            self._refuse(1009, "a frame that is too long")
        return final, opcode, self._read(length)

    def _send_frame(self, opcode: int, payload: bytes) -> None:
        length = len(payload)
        if length < 126:
            head = bytes([0x80 | opcode, 0x80 | length])
        elif length < 65_536:
            head = bytes([0x80 | opcode, 0x80 | 126]) + length.to_bytes(2, "big")
        else:
            head = bytes([0x80 | opcode, 0x80 | 127]) + length.to_bytes(8, "big")
        # Every frame of a client is masked, each with four random bytes of its own. As two large
        # integers that is one operation, and not one for each byte.
        mask = os.urandom(4)
        pattern = (mask * (length // 4 + 1))[:length]
        masked = int.from_bytes(payload, "big") ^ int.from_bytes(pattern, "big")
        self._socket.sendall(head + mask + masked.to_bytes(length, "big"))

    def _take_leave(self, payload: bytes) -> None:
        """Answers the server's close with the same code, as the protocol asks for."""
        if len(payload) == 1:
            self._refuse(1002, "a close with half a code")
        code = int.from_bytes(payload[:2], "big") if payload else 1005
        self.close(1000 if code == 1005 else code)
        raise Closed(code, payload[2:].decode("utf-8", "replace"))

    def _refuse(self, code: int, what: str) -> None:
        self.close(code)
        raise Closed(code, f"the server sent {what}")

    def _decoded(self, payload: bytearray) -> str:
        try:
            return payload.decode()
        except UnicodeDecodeError:
            self._refuse(1007, "a text that is not UTF-8")
            raise

    def _send_close(self, code: int, reason: str) -> None:
        if self._said_goodbye:
            return
        self._said_goodbye = True
        self._send_frame(CLOSE, code.to_bytes(2, "big") + reason.encode()[:123])

    def _read(self, count: int) -> bytes:
        while len(self._unread) < count:
            self._read_more()
        return self._take(count)

    def _take(self, count: int) -> bytes:
        taken = bytes(self._unread[:count])
        del self._unread[:count]
        return taken

    def _read_more(self) -> None:
        try:
            received = self._socket.recv(256 * 1024)
        except TimeoutError:
            raise
        except OSError as error:
            raise Closed(None, str(error)) from error
        if received == b"":
            raise Closed(None, "the connection just ended")
        self._unread += received

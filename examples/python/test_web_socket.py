"""What web_socket.py makes of the frames a server may send. `python3 -m unittest` runs it."""

import socket
import unittest

from web_socket import CLOSE, PING, PONG, TEXT, Closed, WebSocket


def frame(opcode: int, payload: bytes = b"", final: bool = True) -> bytes:
    """As a server sends it: without a mask."""
    length = len(payload)
    if length < 126:
        size = bytes([length])
    elif length < 65_536:
        size = bytes([126]) + length.to_bytes(2, "big")
    else:
        size = bytes([127]) + length.to_bytes(8, "big")
    return bytes([opcode | (0x80 if final else 0)]) + size + payload


class WebSocketTest(unittest.TestCase):
    def setUp(self) -> None:
        ours, self.server = socket.socketpair()
        ours.settimeout(5)
        self.server.settimeout(5)
        self.web_socket = WebSocket(ours)
        self.addCleanup(ours.close)
        self.addCleanup(self.server.close)

    def sent(self) -> tuple[int, bytes]:
        """The next frame of the client, without its mask."""
        head = self.server.recv(2, socket.MSG_WAITALL)
        self.assertTrue(head[1] & 0x80, "a client masks every frame")
        length = head[1] & 0x7F
        if length >= 126:
            size = self.server.recv(2 if length == 126 else 8, socket.MSG_WAITALL)
            length = int.from_bytes(size, "big")
        mask = self.server.recv(4, socket.MSG_WAITALL)
        payload = self.server.recv(length, socket.MSG_WAITALL) if length else b""
        return head[0] & 0x0F, bytes(byte ^ mask[at % 4] for at, byte in enumerate(payload))

    def refused(self, data: bytes) -> int:
        """The code with which the client hangs up on these bytes."""
        self.server.sendall(data)
        with self.assertRaises(Closed):
            self.web_socket.receive()
        opcode, payload = self.sent()
        self.assertEqual(opcode, CLOSE)
        return int.from_bytes(payload[:2], "big")

    def test_texts_of_every_length_arrive_both_ways(self) -> None:
        for text in ("", "é", "x" * 125, "x" * 126, "x" * 65_535, "é" * 40_000):
            self.server.sendall(frame(TEXT, text.encode()))
            self.assertEqual(self.web_socket.receive(), text)
            self.web_socket.send(text)
            self.assertEqual(self.sent(), (TEXT, text.encode()))

    def test_fragments_are_one_message_with_a_ping_between_them(self) -> None:
        first, second = "é".encode()[:1], "é".encode()[1:]
        self.server.sendall(
            frame(TEXT, first, final=False) + frame(PING, b"there?") + frame(0, second)
        )
        self.assertEqual(self.web_socket.receive(), "é")
        self.assertEqual(self.sent(), (PONG, b"there?"))

    def test_a_close_is_answered_and_told(self) -> None:
        self.server.sendall(frame(CLOSE, (4008).to_bytes(2, "big") + b"SLOW_CONSUMER"))
        with self.assertRaises(Closed) as closed:
            self.web_socket.receive()
        self.assertEqual((closed.exception.code, closed.exception.reason), (4008, "SLOW_CONSUMER"))
        self.assertEqual(self.sent(), (CLOSE, (4008).to_bytes(2, "big")))
        self.assertEqual(self.server.recv(1), b"", "and the socket is let go")

    def test_a_connection_that_just_ends_has_no_code(self) -> None:
        self.server.sendall(frame(TEXT, b"half of it")[:5])
        self.server.close()
        with self.assertRaises(Closed) as closed:
            self.web_socket.receive()
        self.assertIsNone(closed.exception.code)

    def test_a_masked_frame_is_refused(self) -> None:
        self.assertEqual(self.refused(b"\x81\x81\x00\x00\x00\x00x"), 1002)

    def test_a_frame_with_an_extension_nobody_agreed_on_is_refused(self) -> None:
        self.assertEqual(self.refused(b"\xc1\x01x"), 1002)

    def test_a_fragment_of_nothing_is_refused(self) -> None:
        self.assertEqual(self.refused(frame(0, b"x")), 1002)

    def test_a_message_inside_another_is_refused(self) -> None:
        self.assertEqual(self.refused(frame(TEXT, b"x", final=False) + frame(TEXT, b"y")), 1002)

    def test_a_ping_in_fragments_is_refused(self) -> None:
        self.assertEqual(self.refused(frame(PING, b"x", final=False)), 1002)

    def test_a_binary_message_is_refused(self) -> None:
        self.assertEqual(self.refused(frame(2, b"x")), 1003)

    def test_a_text_that_is_not_utf_8_is_refused(self) -> None:
        self.assertEqual(self.refused(frame(TEXT, b"\xff")), 1007)


if __name__ == "__main__":
    unittest.main()

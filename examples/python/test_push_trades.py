"""What push_trades.py does when nodes fail, move and refuse. `python3 -m unittest` runs it."""

import contextlib
import io
import json
import threading
import unittest
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qs, urlsplit

from push_trades import PushError, PushWriter

TAKE, LOSE, DIE = "take", "lose", "die"
TRADES = [
    {"contract": "ESZ6", "id": number, "ts": "2026-11-16T12:00:00Z", "price": "5000.25", "size": 1}
    for number in range(1, 4)
]


class Node(HTTPServer):
    """Takes each batch once. `script` says what happens to each request: an act, or a status with headers."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.script: list = []
        self.taken: dict[str, list[int]] = {}
        self.requests: list[tuple[str, str, dict]] = []
        self.thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01})
        self.thread.start()

    def stop(self) -> None:
        self.shutdown()
        self.thread.join()
        self.server_close()


class Handler(BaseHTTPRequestHandler):
    server: Node

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length", 0))
        lines = self.rfile.read(length).decode().splitlines()
        batch = self.headers["Tapeloom-Batch"]
        query = parse_qs(urlsplit(self.path).query)
        self.server.requests.append((batch, self.headers["Authorization"], query))
        act = self.server.script.pop(0) if self.server.script else TAKE
        if act in (TAKE, LOSE):
            self.server.taken.setdefault(batch, [json.loads(line)["id"] for line in lines])
        if act in (LOSE, DIE):
            self.connection.close()
        elif act == TAKE:
            self.answer(200, {}, {"batch": batch})
        else:
            self.answer(*act)

    def do_GET(self) -> None:
        self.answer(200, {}, {"contracts": [{"contract": "ESZ6", "lastId": 2}]})

    def answer(self, status: int, headers: dict, body: dict) -> None:
        text = json.dumps(body).encode()
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(text))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_: object) -> None:
        pass

    def handle(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            super().handle()


class PushTradesTest(unittest.TestCase):
    def setUp(self) -> None:
        self.nodes = [Node(), Node()]
        for node in self.nodes:
            self.addCleanup(node.stop)
        self.waits: list[float] = []
        urls = [node.url for node in self.nodes]
        self.writer = PushWriter(urls, "secret", batch_trades=2, sleep=self.waits.append)
        silence = contextlib.redirect_stderr(io.StringIO())
        silence.__enter__()
        self.addCleanup(silence.__exit__, None, None, None)

    def test_pushes_in_batches_and_says_the_time(self) -> None:
        for trade in TRADES:
            self.writer.write(trade)
        self.writer.flush(up_to="2026-11-16T12:00:01Z")
        self.assertEqual(list(self.nodes[0].taken.values()), [[1, 2], [3]])
        _, authorization, query = self.nodes[0].requests[1]
        self.assertEqual(authorization, "Bearer secret")
        self.assertEqual(query, {"upTo": ["2026-11-16T12:00:01Z"]})

    def test_repeats_a_batch_with_its_id(self) -> None:
        self.writer.urls = [self.nodes[0].url]
        self.nodes[0].script = [DIE, LOSE, (503, {}, {}), (429, {"Retry-After": "3"}, {})]
        self.writer.write(TRADES[0])
        self.writer.flush()
        self.assertEqual(len({batch for batch, *_ in self.nodes[0].requests}), 1)
        self.assertEqual(len(self.nodes[0].requests), 5)
        self.assertEqual(list(self.nodes[0].taken.values()), [[1]])
        self.assertEqual(self.waits[-1], 3)

    def test_follows_a_known_leader_only(self) -> None:
        first, second = self.nodes
        first.script = [(307, {"Location": f"{second.url}/internal/trades"}, {})]
        self.writer.write(TRADES[0])
        self.writer.flush()
        self.assertEqual(list(second.taken.values()), [[1]])
        second.script = [(307, {"Location": "http://127.0.0.1:1/internal/trades"}, {})]
        self.writer.write(TRADES[1])
        with self.assertRaises(PushError):
            self.writer.flush()

    def test_goes_to_the_next_node_when_one_is_gone(self) -> None:
        self.writer.urls = ["http://127.0.0.1:1", self.nodes[1].url]
        self.writer.url = self.writer.urls[0]
        self.writer.write(TRADES[0])
        self.writer.flush()
        self.assertEqual(list(self.nodes[1].taken.values()), [[1]])

    def test_reports_a_refusal(self) -> None:
        self.nodes[0].script = [(422, {}, {"code": "OFF_TICK_PRICE"})]
        self.writer.write(TRADES[0])
        with self.assertRaisesRegex(PushError, "422.*OFF_TICK_PRICE"):
            self.writer.flush()

    def test_reads_the_position(self) -> None:
        self.assertEqual(self.writer.position()["contracts"][0]["lastId"], 2)


if __name__ == "__main__":
    unittest.main()

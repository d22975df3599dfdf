"""Pushes trades, one JSON object per line, and leaves out what the service has already:
python3 my_feed.py | PUSH_SECRET=… python3 push_trades.py http://127.0.0.1:9464"""
import http.client, json, os, sys, time, urllib.error, uuid  # noqa: E401
from urllib.parse import urlencode, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

class PushError(Exception): "Nothing of the batch was taken, and a retry cannot help."

class NoRedirects(HTTPRedirectHandler):  # The secret goes to the nodes that we know only.
    redirect_request = lambda *_: None

class PushWriter:
    def __init__(self, urls, secret, dataset="", batch_trades=5_000, sleep=time.sleep):
        self.urls, self.secret, self.dataset, self.sleep = urls, secret, dataset, sleep
        self.url, self.batch_trades, self.lines = urls[0], batch_trades, []
        self.opener = build_opener(NoRedirects)

    def position(self):
        return self._call("GET", "/internal/trades/position", {"dataset": self.dataset})

    def write(self, trade):
        if not self.lines: self.due = time.monotonic() + 0.2
        self.lines.append(json.dumps(trade))  # Prices and sizes are exact as texts.
        if len(self.lines) >= self.batch_trades or time.monotonic() >= self.due: self.flush()

    def flush(self, up_to="", missing_before=""):
        """Returns when all is on disk. None before `up_to` will follow; `missing_before`: lost until then."""
        if self.lines or up_to or missing_before:
            headers = {"Content-Type": "application/x-ndjson", "Tapeloom-Batch": str(uuid.uuid4())}
            query = {"dataset": self.dataset, "upTo": up_to, "missingBefore": missing_before}
            self._call("POST", "/internal/trades", query, "\n".join(self.lines), headers)
            self.lines.clear()

    def _call(self, method, path, query, text="", headers={}):
        path += "?" + urlencode({name: value for name, value in query.items() if value})
        headers, wait = {"Authorization": f"Bearer {self.secret}", **headers}, 0.1
        while True:  # With the same batch id each time: the service takes a batch once.
            after, following = 0, self.urls[(self.urls.index(self.url) + 1) % len(self.urls)]
            request = Request(self.url + path, text.encode() or None, headers, method=method)
            try:
                with self.opener.open(request, timeout=30) as answer:
                    return json.load(answer)
            except urllib.error.HTTPError as answer:
                why, after = answer.read().decode(), int(answer.headers.get("Retry-After", 0))
                leader = "{0.scheme}://{0.netloc}".format(urlsplit(answer.headers.get("Location", "")))
                if leader in self.urls:
                    following = leader
                elif answer.code not in (408, 429, 500, 502, 503, 504):
                    raise PushError(answer.code, why or f"{leader} is none of {self.urls}") from None
            except (OSError, http.client.HTTPException) as error:
                print(f"{self.url}: {error}", file=sys.stderr)
            self.sleep(max(wait, after))
            self.url, wait = following, min(wait * 2, 5)

if __name__ == "__main__":
    writer = PushWriter(sys.argv[1:], os.environ["PUSH_SECRET"])
    last = {it["contract"]: it["lastId"] for it in writer.position()["contracts"]}
    for trade in (json.loads(line, parse_float=str) for line in sys.stdin):
        if int(trade["id"]) > last.get(trade["contract"], -1): writer.write(trade)
    writer.flush()

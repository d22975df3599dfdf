"""Saves an export as lines of JSON, whatever happens to the line or to this program.

    python3 export.py BTC.c.0 bars 2026-11-14 2026-11-15 bars.ndjson

The compressed bytes go to the disk as they come, into `<file>.parts/`, and are unpacked by the program
`zstd` (`apt install zstd`, `brew install zstd`). If the connection breaks, or this program is killed, the
next piece begins with the first line that is not complete: run it again, and pay nothing again.
"""

from __future__ import annotations

import argparse
import http.client
import json
import shutil
import subprocess
import sys
import time
import uuid
from collections.abc import Callable
from pathlib import Path

from tapeloom import Tapeloom, TapeloomError

FAILURES_MAX = 5  # In a row, without a single new line.


def save_export(service: Tapeloom, query: dict, path: Path) -> int:
    """Answers how many lines the file has. It appears under its name when it is whole."""
    parts = Path(f"{path}.parts")
    parts.mkdir(exist_ok=True)
    # An export that is asked for again under the same key is not charged again.
    once = kept(parts / "idempotency-key", lambda: str(uuid.uuid4()))
    unpacked, token_path = parts / "lines", parts / "token"
    lines, is_whole = unpack(parts, unpacked)
    failures = 0
    while not is_whole:
        resume = {"resume": token_path.read_text(), "line": lines} if token_path.exists() else None
        piece = parts / f"{len(list(parts.glob('*.zst'))):06}.zst"
        try:
            with service.open("/v1/export", resume or query, {"Idempotency-Key": once}) as answer:
                kept(token_path, lambda: answer.headers["X-Export-Token"])
                with piece.open("wb") as file:
                    while chunk := answer.read1(64 * 1024):
                        file.write(chunk)
        except (OSError, http.client.HTTPException) as error:
            print(f"{error or type(error).__name__}: the export goes on", file=sys.stderr)
        before = lines
        lines, is_whole = unpack(parts, unpacked)
        failures = 0 if lines > before else failures + 1
        if failures > FAILURES_MAX:
            raise TapeloomError("EXPORT_BROKEN", f"{parts} has {lines} lines, and no more come")
        if failures > 0:
            time.sleep(min(2 ** (failures - 1), 30))
    unpacked.rename(path)
    shutil.rmtree(parts)
    return lines


def unpack(parts: Path, to: Path) -> tuple[int, bool]:
    """Writes the complete lines of all pieces; answers how many, and whether the last one is the end."""
    lines, last = 0, b""
    with to.open("wb") as out:
        for piece in sorted(parts.glob("*.zst")):
            # A piece that was cut ends in the middle: zstd writes what it could read, and complains.
            zstd = subprocess.Popen(
                ["zstd", "-d", "-q", "-c", piece], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
            with zstd:
                for line in zstd.stdout:
                    if line.endswith(b"\n"):
                        out.write(line)
                        lines, last = lines + 1, line
    return lines, last.startswith(b'{"t":"end"')


def kept(path: Path, make: Callable[[], str]) -> str:
    """What the file says; if there is none yet, it is made."""
    if not path.exists():
        path.write_text(make())
    return path.read_text()


def main() -> None:
    parser = argparse.ArgumentParser(description="Saves an export as lines of JSON.")
    for name in ("instrument", "indicator", "start", "end", "file"):
        parser.add_argument(name)
    parser.add_argument("--params", type=json.loads, default={}, help='such as \'{"size":300}\'')
    arguments = parser.parse_args()
    query = {
        "instrument": arguments.instrument, "indicator": arguments.indicator,
        "params": arguments.params, "from_": arguments.start, "to": arguments.end,
    }
    lines = save_export(Tapeloom.from_environment(), query, Path(arguments.file))
    print(f"{arguments.file} is whole: {lines} lines, with the header and the end")


if __name__ == "__main__":
    main()

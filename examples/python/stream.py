"""Prints footprint bars as they finish, and goes on where it stopped.

    python3 stream.py BTC.c.0

The cursor of the last bar it printed is kept in `<instrument>.cursor`. Stop it, start it again: the bars
that finished meanwhile come first, none is left out and none comes twice.
"""

import argparse
from pathlib import Path

from tapeloom import Subscription, Tapeloom, time_text


def main() -> None:
    parser = argparse.ArgumentParser(description="Prints footprint bars as they finish.")
    parser.add_argument("instrument", help="a contract or an alias, such as BTC.c.0")
    parser.add_argument("--count", type=int, help="stop after so many bars")
    arguments = parser.parse_args()

    cursor_path = Path(f"{arguments.instrument}.cursor")
    # "confirmed": only objects that will never change again.
    bars = Subscription(
        arguments.instrument, "footprint", mode="confirmed",
        cursor=cursor_path.read_text() if cursor_path.exists() else None,
    )
    printed = 0
    for message in Tapeloom.from_environment().stream(bars):
        if message["t"] == "snapshot":
            print(f"# {len(bars.objects)} bars of this session are there already", flush=True)
        if message["t"] != "upsert":
            continue
        print(line_of(message, bars), flush=True)
        keep(cursor_path, bars.cursor)
        printed += 1
        if printed == arguments.count:
            return


def keep(path: Path, cursor: str) -> None:
    """The file holds the old cursor or the new one, also when the machine stops in between."""
    beside = Path(f"{path}.new")
    beside.write_text(cursor)
    beside.replace(path)


def line_of(bar: dict, bars: Subscription) -> str:
    data = bar["data"]
    # Each level is [price, sold, bought], and a fourth number where the side of some lots is unknown.
    largest = max(data["levels"], key=lambda level: sum(level[1:]), default=None)
    busiest = "-" if largest is None else f"{bars.price(largest[0])} with {sum(largest[1:])}"
    return (
        f"{bar['id']:<18} {time_text(bar['ts'])}  close {bars.price(data['close'])}"
        f"  volume {data['volume']:>6}  delta {data['delta']:>+6}  busiest {busiest}"
    )


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        pass

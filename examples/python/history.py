"""Prints hourly bars of the past as CSV, after asking what they cost.

    python3 history.py BTC.c.0 2026-11-14 2026-11-15 > bars.csv
"""

import csv
import sys
from decimal import Decimal

from tapeloom import Tapeloom, time_text


def main() -> None:
    if len(sys.argv) != 4:
        sys.exit("usage: python3 history.py <instrument> <from> <to>")
    instrument, start, end = sys.argv[1:]
    service = Tapeloom.from_environment()
    query = {
        "instrument": instrument, "indicator": "bars", "params": {"size": 3600},
        "mode": "confirmed", "from_": start, "to": end,
    }
    estimate = service.get("/v1/history/estimate", **query)
    print(
        f"{estimate['computeUnits']} of {estimate['remainingComputeUnits']} compute units",
        file=sys.stderr,
    )
    symbol = estimate["contract"]
    listed = service.get("/v1/instruments")["instruments"]
    nanos = next(entry["tickSizeNanos"] for entry in listed if entry["symbol"] == symbol)

    def price(ticks: int) -> Decimal:
        return ticks * Decimal(nanos) / 1_000_000_000

    table = csv.writer(sys.stdout)
    table.writerow(["time", "open", "high", "low", "close", "volume", "delta"])
    for item in service.history(**query):
        bar = item["data"]
        prices = [price(bar[name]) for name in ("open", "high", "low", "close")]
        table.writerow([time_text(item["ts"]), *prices, bar["volume"], bar["delta"]])


if __name__ == "__main__":
    main()

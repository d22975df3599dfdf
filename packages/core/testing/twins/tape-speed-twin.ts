/** The naive twin of tape speed: counts every number again from the whole session, in fractions. */

import { TwinLog, type TwinTape, type TwinTrade, type TwinUpdate, tradesIn } from './twin-tape.ts';

const SECOND = 1_000_000_000n;

export interface TapeSpeedParams {
  readonly windowSeconds: number;
  readonly pace: number;
}

export function tapeSpeedTwin(tape: TwinTape, params: TapeSpeedParams): TwinUpdate[] {
  const log = new TwinLog(tape);
  for (const session of tape.sessions) {
    const trades = tradesIn(tape, session);
    const secondOf = (trade: TwinTrade) => (trade.ns - session.open) / SECOND;
    for (const [index, trade] of trades.entries()) {
      const second = secondOf(trade);
      const start = session.open + second * SECOND;
      const soFar = trades.slice(0, index + 1);
      const mine = soFar.filter((it) => secondOf(it) === second);
      const inWindow = soFar.filter((it) => secondOf(it) > second - BigInt(params.windowSeconds));
      const elapsed = second + 1n;
      const length =
        elapsed < BigInt(params.windowSeconds) ? elapsed : BigInt(params.windowSeconds);
      const object = {
        id: `${mine[0]!.day}.${mine[0]!.rank}`,
        final: false,
        ts: String(start),
        data: {
          trades: mine.length,
          volume: mine.reduce((all, { size }) => all + size, 0),
          rate: sixDecimals(BigInt(inWindow.length), length),
          average: sixDecimals(BigInt(soFar.length), elapsed),
          burst:
            100n * BigInt(inWindow.length) * elapsed >
            BigInt((params.pace * 100).toFixed()) * BigInt(soFar.length) * length,
        },
      };
      log.byTrade(trade, object);
      const due = start + SECOND < session.close ? start + SECOND : session.close;
      const next = trades[index + 1];
      if (due <= tape.until && (next === undefined || next.ns >= due)) {
        log.byTime(due, { ...object, final: true });
      }
    }
  }
  return log.updates;
}

/** a / b in whole millionths, halves up, as a decimal number. */
function sixDecimals(a: bigint, b: bigint): number {
  const millionths = (2n * a * 1_000_000n + b) / (2n * b);
  const digits = String(millionths).padStart(7, '0');
  return Number(`${digits.slice(0, -6)}.${digits.slice(-6)}`);
}

/** The naive twin of sweeps: finds the clusters first, then the version after each print. */

import { TwinLog, type TwinTape, type TwinTrade, type TwinUpdate, tradesIn } from './twin-tape.ts';

export interface SweepParams {
  readonly gapMs: number;
  readonly levels: number;
  readonly minSize: number;
}

export function sweepTwin(tape: TwinTape, params: SweepParams): TwinUpdate[] {
  const gap = BigInt(params.gapMs) * 1_000_000n;
  const isSweep = (prints: readonly TwinTrade[]) =>
    pricesOf(prints) >= params.levels && sizeOf(prints) >= params.minSize;
  const log = new TwinLog(tape);
  for (const session of tape.sessions) {
    const trades = tradesIn(tape, session);
    const clusters = clustersOf(trades, gap);
    const clusterOf = (trade: TwinTrade) => clusters.find((prints) => prints.includes(trade)) ?? [];
    for (const [index, trade] of trades.entries()) {
      const before = trades[index - 1];
      if (before !== undefined && !clusterOf(before).includes(trade)) {
        const ended = clusterOf(before);
        if (isSweep(ended) && trade.ns <= before.ns + gap)
          log.byTrade(trade, objectOf(ended, true));
      }
      const whole = clusterOf(trade);
      const prints = whole.slice(0, whole.indexOf(trade) + 1);
      if (!isSweep(prints)) continue;
      log.byTrade(trade, objectOf(prints, false));
      const lapse = trade.ns + gap + 1n;
      const due = lapse < session.close ? lapse : session.close;
      const next = trades[index + 1];
      if (due <= tape.until && (next === undefined || next.ns >= due)) {
        log.byTime(due, objectOf(prints, true));
      }
    }
  }
  return log.updates;
}

function clustersOf(trades: readonly TwinTrade[], gap: bigint): TwinTrade[][] {
  const clusters: TwinTrade[][] = [];
  for (const trade of trades) {
    const last = clusters.at(-1)?.at(-1);
    const joins = last !== undefined && last.side === trade.side && trade.ns <= last.ns + gap;
    if (trade.side === 0) clusters.push([]);
    else if (joins) clusters.at(-1)!.push(trade);
    else clusters.push([trade]);
  }
  return clusters;
}

function pricesOf(prints: readonly TwinTrade[]): number {
  return new Set(prints.map(({ price }) => price)).size;
}

function sizeOf(prints: readonly TwinTrade[]): number {
  return prints.reduce((all, { size }) => all + size, 0);
}

function objectOf(prints: readonly TwinTrade[], final: boolean) {
  const first = prints[0]!;
  const last = prints.at(-1)!;
  return {
    id: `${first.day}.${first.rank}`,
    final,
    ts: String(first.ns),
    data: {
      side: first.side,
      size: sizeOf(prints),
      trades: prints.length,
      first: first.price,
      last: last.price,
      levels: pricesOf(prints),
      end: String(last.ns),
    },
  };
}

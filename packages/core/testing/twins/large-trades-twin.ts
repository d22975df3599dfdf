/** The naive twin of large trades. */

import { autoThreshold } from './auto-threshold.ts';
import {
  isWhole,
  TwinLog,
  type TwinTape,
  type TwinTrade,
  type TwinUpdate,
  tradesIn,
} from './twin-tape.ts';

export interface LargeTradesParams {
  readonly gapMs: number;
  readonly minSize: number;
  readonly perSession: number;
}

export function largeTradesTwin(tape: TwinTape, params: LargeTradesParams): TwinUpdate[] {
  const log = new TwinLog(tape);
  /** Cluster sizes of each session so far. */
  const sessionSizes: number[][] = [];
  const gap = BigInt(params.gapMs) * 1_000_000n;
  for (const session of tape.sessions) {
    const threshold = params.minSize || autoThreshold(sessionSizes, params.perSession);
    const sizes: number[] = [];
    let cluster: TwinTrade[] = [];
    const end = (show: (final: TwinTrade[]) => void) => {
      if (cluster.length === 0) return;
      const size = sizeOf(cluster);
      if (size >= threshold) show(cluster);
      sizes.push(size);
      cluster = [];
    };
    const endByTime = (now: bigint) => {
      const last = cluster.at(-1);
      if (last === undefined) return;
      const due = last.ns + gap + 1n < session.close ? last.ns + gap + 1n : session.close;
      if (due <= now) end((all) => log.byTime(due, objectOf(all, true, threshold)));
    };
    for (const trade of tradesIn(tape, session)) {
      endByTime(trade.ns);
      if (cluster.length > 0 && cluster[0]!.side !== trade.side) {
        end((all) => log.byTrade(trade, objectOf(all, true, threshold)));
      }
      if (trade.side === 0) continue;
      cluster.push(trade);
      if (sizeOf(cluster) >= threshold) log.byTrade(trade, objectOf(cluster, false, threshold));
    }
    endByTime(tape.until);
    sessionSizes.push(!isWhole(session) ? [] : sizes);
  }
  return log.updates;
}

function sizeOf(cluster: readonly TwinTrade[]): number {
  return cluster.reduce((all, trade) => all + trade.size, 0);
}

function objectOf(cluster: readonly TwinTrade[], final: boolean, threshold: number) {
  const first = cluster[0]!;
  const last = cluster.at(-1)!;
  const prices = cluster.map((trade) => trade.price);
  return {
    id: `${first.day}.${first.rank}`,
    final,
    ts: String(first.ns),
    data: {
      side: first.side,
      size: sizeOf(cluster),
      trades: cluster.length,
      first: first.price,
      last: last.price,
      high: Math.max(...prices),
      low: Math.min(...prices),
      threshold,
      end: String(last.ns),
    },
  };
}

/** The naive twin of absorption: lists of holds and used prints, searched again for every trade. */

import { autoThreshold } from './auto-threshold.ts';
import {
  isWhole,
  TwinLog,
  type TwinTape,
  type TwinTrade,
  type TwinUpdate,
  tradesIn,
} from './twin-tape.ts';

export interface AbsorptionParams {
  readonly windowMs: number;
  readonly holdMs: number;
  readonly slip: number;
  readonly minSize: number;
  readonly perSession: number;
}

interface Hold {
  readonly by: TwinTrade;
  readonly prints: TwinTrade[];
  maxSlip: number;
}

const MS = 1_000_000n;

export function absorptionTwin(tape: TwinTape, params: AbsorptionParams): TwinUpdate[] {
  const log = new TwinLog(tape);
  const windowNs = BigInt(params.windowMs) * MS;
  const holdNs = BigInt(params.holdMs) * MS;
  /** Volumes of the consecutive windows of each session so far. */
  const sessionVolumes: number[][] = [];
  for (const session of tape.sessions) {
    const threshold = params.minSize || autoThreshold(sessionVolumes, params.perSession);
    const trades = tradesIn(tape, session);
    let holds: Hold[] = [];
    const used = new Set<TwinTrade>();
    const endHolds = (now: bigint) => {
      for (const hold of holds) {
        const end = hold.by.ns + holdNs;
        if (end <= now) log.byTime(end, objectOf(hold, threshold, end));
      }
      holds = holds.filter((hold) => hold.by.ns + holdNs > now);
    };
    for (const [index, trade] of trades.entries()) {
      endHolds(trade.ns);
      holds = holds.filter(({ by }) => (trade.price - by.price) * by.side <= params.slip);
      for (const hold of holds) {
        hold.maxSlip = Math.max(hold.maxSlip, (trade.price - hold.by.price) * hold.by.side);
      }
      if (trade.side === 0) continue;
      const isAlike = (it: TwinTrade) => it.price === trade.price && it.side === trade.side;
      const mine = holds.find(({ by }) => isAlike(by));
      const alike = trades.slice(0, index + 1).filter(isAlike);
      const prints = alike.filter((it) => it.ns > trade.ns - windowNs && !used.has(it));
      if (mine !== undefined) {
        mine.prints.push(trade);
        used.add(trade);
      } else if (volumeOf(prints) >= threshold) {
        holds.push({ by: trade, prints, maxSlip: 0 });
        for (const print of prints) used.add(print);
      }
    }
    endHolds(tape.until < session.close ? tape.until : session.close);
    sessionVolumes.push(!isWhole(session) ? [] : consecutiveVolumes(trades, windowNs));
  }
  return log.updates;
}

function consecutiveVolumes(trades: readonly TwinTrade[], windowNs: bigint): number[] {
  const known = trades.filter(({ side }) => side !== 0);
  const byPlace = Object.values(Object.groupBy(known, ({ price, side }) => `${price} ${side}`));
  return byPlace.flatMap((prints) => {
    const windows: TwinTrade[][] = [];
    for (const print of prints ?? []) {
      const open = windows.at(-1);
      if (open !== undefined && print.ns < open[0]!.ns + windowNs) open.push(print);
      else windows.push([print]);
    }
    return windows.map(volumeOf);
  });
}

function volumeOf(prints: readonly TwinTrade[]): number {
  return prints.reduce((all, { size }) => all + size, 0);
}

function objectOf({ by, prints, maxSlip }: Hold, threshold: number, end: bigint) {
  const first = prints[0]!;
  return {
    id: `${first.day}.${first.rank}`,
    final: true,
    ts: String(first.ns),
    data: {
      side: by.side,
      price: by.price,
      volume: volumeOf(prints),
      trades: prints.length,
      maxSlip,
      threshold,
      end: String(end),
    },
  };
}

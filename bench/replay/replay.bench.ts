/**
 * How fast a replay catches up: every update of simulated ES from midnight on, page by page as a
 * stream's reader pulls them, with the flush steps of streams. And the time from the middle of a
 * day to a replay's first page, a snapshot.
 */

import { setImmediate as turn } from 'node:timers/promises';
import type { EpochNs } from '@tapeloom/core/numbers';
import { INDICATORS } from '@tapeloom/core/studies/catalogue';
import { parseParams } from '@tapeloom/core/studies/params';
import { addDays, epochNs } from '@tapeloom/core/utc-day';
import { Block } from '@tapeloom/server/blocks/block';
import type { ReplayRequest } from '@tapeloom/server/runs/replay';
import { StudyReplays } from '@tapeloom/server/runs/study-replays';
import { measured } from '../shared/measure.ts';
import type { Bench } from '../shared/report.ts';
import { SimLiveTape } from '../shared/sim-live-tape.ts';
import { simulatedTape } from '../shared/sim-tape.ts';

/** A Sunday evening and about a day of trading. */
const TRADES = 700_000;
const ROUNDS = 3;
const IDS = ['bars', 'footprint', 'large-trades', 'naked-levels'];
const BY_ID = new Map(INDICATORS.map((indicator) => [indicator.id, indicator]));

interface Replayed {
  trades: number;
  messages: number;
  bytes: number;
  pages: number;
}

export const run: Bench = async () => {
  const sim = simulatedTape(TRADES);
  const tape = new SimLiveTape(sim);
  using replays = new StudyReplays({
    tape,
    indicators: BY_ID,
    sessionsOf: (_contract, kind) => sim.sessions(kind),
    yieldTurn: () => turn(),
  });
  const day = addDays(sim.firstDay, 1);
  const noon = epochNs(day, 43_200e9);
  const end = tape.promise;
  const found = new Map<string, Replayed>();
  const wholeDay = await measured(
    ROUNDS,
    new Map(
      IDS.map((id) => [
        id,
        async () => {
          const from = { t: 'after', cursor: `${day}.0.0` } as const;
          found.set(id, await replayed(replays, requestOf(id, from, end)));
        },
      ]),
    ),
  );
  const toNoon = await measured(
    ROUNDS,
    new Map(
      IDS.map((id) => [
        id,
        async () => {
          const from = { t: 'at', time: noon, depth: 500, mode: 'live' } as const;
          await replayed(replays, requestOf(id, from, noon));
        },
      ]),
    ),
  );
  const rows = IDS.map((id) => {
    const { trades, messages, bytes, pages } = found.get(id)!;
    const seconds = wholeDay.get(id)!.cpuMs / 1_000;
    return {
      id,
      tradesPerSecond: Math.round(trades / seconds),
      megabytesPerSecond: bytes / 1e6 / seconds,
      megabytes: bytes / 1e6,
      messages,
      pages,
      snapshotMs: toNoon.get(id)!.cpuMs,
    };
  });
  return {
    title: `Replays of ${found.get('bars')!.trades.toLocaleString('en')} simulated trades of ES`,
    columns: ['indicator', 'thousand trades/s', 'MB/s', 'MB', 'messages', 'pages', 'to noon, ms'],
    rows: rows.map((row) => [
      row.id,
      (row.tradesPerSecond / 1_000).toFixed(0),
      row.megabytesPerSecond.toFixed(1),
      row.megabytes.toFixed(1),
      row.messages.toLocaleString('en'),
      row.pages,
      row.snapshotMs.toFixed(0),
    ]),
    notes: [
      `Per second of processor time on one thread, the median of ${ROUNDS} rounds, from memory; ` +
        'default parameters, every update encoded, pages of 64 KiB or 200,000 trades.',
      '"To noon" is the time to the first page of a replay that begins at noon UTC: the snapshot there.',
    ],
    json: { replays: rows },
  };
};

function requestOf(indicator: string, from: ReplayRequest['from'], until: EpochNs): ReplayRequest {
  const parsed = parseParams(BY_ID.get(indicator)!, {});
  if (!('params' in parsed)) throw new Error(`${indicator}: the default parameters are refused`);
  const { params } = parsed;
  return { contract: 'ESH6', indicator, params, from, until, chargedBefore: until };
}

async function replayed(replays: StudyReplays, request: ReplayRequest): Promise<Replayed> {
  await using replay = await replays.open(request);
  const sum: Replayed = { trades: 0, messages: 0, bytes: 0, pages: 0 };
  for (let isLast = false; !isLast; ) {
    const page = await replay.next();
    sum.trades += page.chargedTrades;
    for (const block of page.blocks) {
      sum.messages += block.count;
      sum.bytes += new Block(block).text.length;
    }
    sum.pages += 1;
    isLast = page.isLast;
  }
  return sum;
}

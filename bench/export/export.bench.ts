/**
 * Exports and pages of the running service, measured from another process: ten days cold and
 * cached, beside a file that the same framework sends; the first byte of a page; the memory of a
 * long export; how costs grow; and how one customer's long query affects another's pages.
 *
 * `npm run bench -- export [parts]` runs the named parts, or all.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HistoryProcess } from '../history/history-process.ts';
import { type MadeTape, makeTape, type TapeWish } from '../history/history-tape.ts';
import { loadAverage } from '../shared/machine-load.ts';
import type { Bench } from '../shared/report.ts';
import {
  cold,
  fairness,
  linear,
  memory,
  type PartResult,
  page,
  type Stage,
  warm,
} from './export-parts.ts';

/** In the order in which they run. The first part needs a service that has done no work yet. */
const PARTS: Readonly<Record<string, (stage: Stage) => Promise<PartResult>>> = {
  memory,
  cold,
  linear,
  page,
  warm,
  fairness,
};
/** Parts that also read the busy contract; `LONG_PARTS` read many days of the other one. */
const BUSY_PARTS = ['memory', 'fairness'];
const LONG_PARTS = ['linear'];
const CUSTOMERS = 4;

export const run: Bench = async (words) => {
  const names = words.length === 0 ? Object.keys(PARTS) : words;
  const unknown = names.find((name) => !(name in PARTS));
  if (unknown !== undefined) {
    throw new RangeError(
      `no part is called ${unknown}; there are ${Object.keys(PARTS).join(', ')}`,
    );
  }
  const directory = mkdtempSync(join(tmpdir(), 'tapeloom-bench-'));
  try {
    return await measure(directory, names);
  } finally {
    rmSync(directory, { recursive: true });
  }
};

async function measure(directory: string, names: readonly string[]) {
  const data = join(directory, 'data');
  const isAny = (parts: readonly string[]) => parts.some((name) => names.includes(name));
  const tape = await made(data, {
    root: 'ES',
    days: isAny(LONG_PARTS) ? 25 : 10,
    tradesPerDay: 1_000_000,
  });
  const busyTape = isAny(BUSY_PARTS)
    ? await made(data, { root: 'NQ', days: 10, tradesPerDay: 5_000_000 })
    : tape;
  await using process = await HistoryProcess.start(data, CUSTOMERS);
  const loadBefore = loadAverage();
  const results = new Map<string, PartResult>();
  for (const [name, part] of Object.entries(PARTS)) {
    if (!names.includes(name)) continue;
    console.error(`measuring: ${name}`);
    results.set(name, await part({ data, process, tape, busyTape }));
  }
  const all = [...results.values()];
  return {
    title: 'Exports and pages of the running service, footprint of a minute',
    columns: ['what', 'measured', 'beside', 'target', ''],
    rows: all.flatMap(({ rows }) => rows),
    notes: [
      'The client is a process of its own and reads over the loopback; cold: nothing is kept; warm: all is.',
      'The file is sent by a bare route of the same framework in the same process, as a stream from disk.',
      `Load of the machine: ${loadBefore} before, ${loadAverage()} after.`,
    ],
    json: Object.fromEntries([...results].map(([name, { json }]) => [name, json])),
  };
}

async function made(data: string, wish: TapeWish): Promise<MadeTape> {
  console.error(`making ${wish.days} days of ${wish.root}`);
  return await makeTape(data, wish);
}

/** Exports resumed at any line over settled days that are cached completely, in part or not at all. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { zstdDecompressSync } from 'node:zlib';
import type { EpochNs } from '@tapeloom/core/numbers';
import { INDICATORS } from '@tapeloom/core/studies/catalogue';
import { addDays, epochNs, utcDay } from '@tapeloom/core/utc-day';
import fc from 'fast-check';
import { SimDisk } from '../../../../simulation/disk/sim-disk.ts';
import { randomTape } from '../../../core/testing/twins/random-tape.ts';
import { tableOf } from '../../../core/testing/twins/study-driver.ts';
import { SUBJECTS } from '../../../core/testing/twins/study-subjects.ts';
import { SettledWorld } from '../../testing/history/settled-world.ts';
import { BY_ID, paramsOf } from '../../testing/stream/engine-run.ts';
import { MemoryTape } from '../../testing/tape/memory-tape.ts';
import type { HistoryQuery } from '../history/history-query.ts';
import { isRefused } from '../platform/refusal.ts';
import { ResultCache } from '../results/result-cache.ts';
import type { SettledDaysRequest } from '../results/settled-days.ts';
import { type CacheUse, SettledDaysReader } from '../results/settled-days-reader.ts';
import { exportFrames, NoSuchLineError } from './export-frames.ts';

const CONTRACT = 'ESZ6';
const DAY = utcDay(20261109);
const HOUR_NS = 3_600_000_000_000;

function cacheOf(): CacheUse {
  const disk = new SimDisk().boot();
  const options = { disk, root: '/cache', bytesMax: 2 ** 30, now: () => 1_000, writer: 'w' };
  return { results: new ResultCache(options), datasetOf: () => 'SIM' };
}

function queryOf(indicator: string, from: EpochNs, to: EpochNs): HistoryQuery {
  return {
    instrument: CONTRACT,
    contract: CONTRACT,
    tickSizeNanos: 250_000_000,
    indicator,
    params: indicator === 'bars' ? paramsOf(BY_ID.get('bars')!, {}) : {},
    depth: 500,
    computeUnitsPerTrade: 1,
    mode: 'live',
    hasSnapshot: false,
    format: 'ndjson',
    from,
    to,
    untilCursor: null,
    cursor: null,
    limit: 1,
  };
}

/** As the route requests it. */
function requestOf({ contract, indicator, params, from, to }: HistoryQuery, skip: number) {
  const request: SettledDaysRequest = {
    account: 'a',
    contract,
    indicator,
    params,
    from,
    until: to,
    hasTail: true,
    form: 'frames',
    skip,
  };
  return request;
}

async function linesFrom(reader: SettledDaysReader, query: HistoryQuery, line: number) {
  const frames: Uint8Array[] = [];
  const open = (skip: number) => reader.read(requestOf(query, skip));
  const studies = [{ query, lookBackFrom: null, open }];
  for await (const frame of exportFrames({ studies, engineFingerprint: 'f', line })) {
    frames.push(zstdDecompressSync(frame));
  }
  return Buffer.concat(frames).toString().match(/.*\n/g) ?? [];
}

test('resumed at any line, whatever is kept, it is the rest of the whole [EXP-06]', async () => {
  const subjects = fc.constantFrom(...Object.values(SUBJECTS)).chain((subject) => subject);
  const shares = fc.array(fc.integer({ min: 0, max: 1_000 }), { minLength: 4, maxLength: 8 });
  const cuts = fc.constantFrom(3, 65_536);
  const property = fc.asyncProperty(
    subjects,
    randomTape,
    shares,
    cuts,
    async (subject, tape, [fromShare, untilShare, ...lineShares], blockRanks) => {
      const plain = new SettledWorld(tape, subject, { blockRanks });
      const start = epochNs(plain.firstDay, 0);
      const at = (share: number) =>
        (start + (BigInt(Math.round(share)) * (plain.until - start)) / 1_000n) as EpochNs;
      const [from, to] = [at(fromShare! / 2), at(1_000 - untilShare! / 4)];
      if (from >= to) return;
      const cache = cacheOf();
      const { reader } = new SettledWorld(tape, subject, { blockRanks, pageBytes: 700, cache });
      const query = queryOf('subject', from, to);
      let whole: readonly string[];
      try {
        whole = await linesFrom(plain.reader, query, 0);
      } catch (error) {
        if (isRefused(error, 'not-warm')) return;
        throw error;
      }
      for (const share of lineShares) {
        const line = Math.round((share / 1_000) * whole.length);
        assert.deepEqual(await linesFrom(reader, query, line), whole.slice(line));
        await cache.results.settled();
      }
      await assert.rejects(linesFrom(reader, query, whole.length + 1), NoSuchLineError);
      assert.equal(cache.results.counters.failed, 0);
    },
  );
  await fc.assert(property, { numRuns: 80 });
});

test('near the end of a long kept export only the days from there on are opened', async () => {
  const days = 40;
  const last = addDays(DAY, days - 1);
  const tape = new MemoryTape(CONTRACT, 100);
  const sessions: { open: bigint; close: bigint }[] = [];
  for (let day = DAY; day <= last; day = addDays(day, 1)) {
    const at = (hour: number) => epochNs(day, hour * HOUR_NS);
    sessions.push({ open: at(8), close: at(20) });
    const trade = (hour: number) => ({ at: at(hour), price: 100, size: 1, side: 1 as const });
    tape.commit([8, 9.5, 11, 15, 19].map(trade), at(23));
  }
  tape.commit([], epochNs(addDays(last, 1), 1));
  let reads = 0;
  const counted = new Proxy(tape, {
    get: (target, name) => {
      const value = Reflect.get(target, name) as unknown;
      if (name === 'read') reads += 1;
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const cache = cacheOf();
  const reader = new SettledDaysReader({
    tape: counted,
    indicators: new Map(INDICATORS.map((one) => [one.id, one])),
    sessionsOf: () => tableOf(sessions as Parameters<typeof tableOf>[0]),
    yieldTurn: async () => {},
    cache,
  });
  const query = queryOf('bars', epochNs(DAY, 9 * HOUR_NS), epochNs(addDays(last, 1), 0));
  const whole: string[] = [];
  // Results not written in time are not cached: repeat until all are.
  while (cache.results.counters.kept < days) {
    whole.splice(0, whole.length, ...(await linesFrom(reader, query, 0)));
    await cache.results.settled();
  }
  assert.equal(whole.length, 1 + (days * 5 - 1) + 1);
  const hits = cache.results.counters.hits;
  reads = 0;
  const line = whole.length - 8;
  assert.deepEqual(await linesFrom(reader, query, line), whole.slice(line));
  // The first day, which the range begins in the middle of, the one with the line, and those after it.
  assert.equal(cache.results.counters.hits - hits, 3);
  assert.equal(reads, 0);
});

/** Days in pieces, kept by readers that cut them differently, with pieces that vanish. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { epochNs } from '@tapeloom/core/utc-day';
import fc from 'fast-check';
import { SimDisk } from '../../../../simulation/disk/sim-disk.ts';
import { linesOf, SettledWorld } from '../../../../simulation/history/settled-world.ts';
import { randomTape } from '../../../core/testing/twins/random-tape.ts';
import { SUBJECTS } from '../../../core/testing/twins/study-subjects.ts';
import { expandFrame } from '../runs/day-lines.ts';
import { listCache } from './cache-entries.ts';
import { ResultCache } from './result-cache.ts';
import type { DayResult } from './settled-days.ts';

const ROOT = '/cache';

/** All that results say, whatever pieces they come in. */
function told(results: readonly DayResult[]): readonly object[] {
  const days = new Map<
    UtcDay,
    { trades: number; lines: string[]; marks: string[]; tail: string }
  >();
  for (const { day, trades, settled, frame, tail } of results) {
    const one = days.getOrInsertComputed(day, () => ({
      trades: 0,
      lines: [],
      marks: [],
      tail: '',
    }));
    const { ends, ranks, ks, fromNs } = settled;
    const bytes = frame === null ? settled.bytes : expandFrame(frame, ends.at(-1)!);
    one.trades += trades;
    one.lines.push(...linesOf({ bytes, ends }));
    one.marks.push(...Array.from(ranks, (rank, at) => `${rank}.${ks[at]} ${fromNs[at]}`));
    one.tail += Buffer.from(tail.bytes).toString();
  }
  return [...days].map(([day, rest]) => ({ day, ...rest }));
}

const reads = fc.array(
  fc.record({
    from: fc.nat(),
    share: fc.integer({ min: 1, max: 1_000 }),
    isWhole: fc.boolean(),
    hasTail: fc.boolean(),
    form: fc.constantFrom('lines' as const, 'frames' as const),
    /** Which reader, and which files vanish afterwards. */
    reader: fc.constantFrom(0, 1),
    gone: fc.integer({ min: 0, max: 255 }),
  }),
  { minLength: 2, maxLength: 8 },
);

test('pieces of different cuts, some of them gone, give what a fresh reading gives [DET-18]', async () => {
  const subjects = fc.constantFrom(...Object.values(SUBJECTS)).chain((subject) => subject);
  let pieced = 0;
  const property = fc.asyncProperty(subjects, randomTape, reads, async (subject, tape, asked) => {
    const plain = new SettledWorld(tape, subject);
    if (plain.days.length === 0) return;
    const disk = new SimDisk().boot();
    const options = { disk, root: ROOT, bytesMax: 2 ** 30, now: () => 1_000, writer: 'w' };
    const results = new ResultCache(options);
    const digest = (_contract: string, day: UtcDay) => plain.digest(day);
    const cache = { results, digest, dataset: 'SIM' };
    const worlds = [200, 330].map((bytes) => {
      return new SettledWorld(tape, subject, { cache, pieceBytes: bytes });
    });
    const start = epochNs(plain.firstDay, 0);
    const length = Number(plain.until - start);
    for (const { from, share, isWhole, hasTail, form, reader, gone } of asked) {
      const firstDay = plain.days[from % plain.days.length]!;
      const part = (start + BigInt(Math.ceil((share / 1_000) * length))) as EpochNs;
      const request = { firstDay, until: isWhole ? plain.until : part, hasTail, form };
      assert.deepEqual(told(await worlds[reader]!.read(request)), told(await plain.read(request)));
      await results.settled();
      const kept = await Array.fromAsync(listCache(disk, ROOT));
      pieced += kept.filter(({ about }) => about!.after !== null).length;
      for (const [at, { path }] of kept.entries()) {
        if (((gone >> (at % 8)) & 1) === 1) await disk.remove(path);
      }
    }
    const { damaged, stale, failed } = results.counters;
    assert.deepEqual({ damaged, stale, failed }, { damaged: 0, stale: 0, failed: 0 });
  });
  await fc.assert(property, { numRuns: 120 });
  assert.ok(pieced > 200, `${pieced} further pieces were kept`);
});

test('a kept day in pieces is read without computing anything [DET-18]', async () => {
  const [subject] = fc.sample(Object.values(SUBJECTS)[0]!, { numRuns: 1, seed: 5 });
  const [tape] = fc.sample(randomTape, { numRuns: 1, seed: 5 });
  const world = worldOf(tape!, subject!);
  const first = await world.read();
  await world.results.settled();
  const before = { ...world.results.counters };
  assert.deepEqual(told(await world.read()), told(first));
  const { hits, misses } = world.results.counters;
  assert.equal(misses, before.misses, 'everything was found');
  assert.ok(hits > before.hits);
});

function worldOf(
  tape: ConstructorParameters<typeof SettledWorld>[0],
  subject: ConstructorParameters<typeof SettledWorld>[1],
) {
  const disk = new SimDisk().boot();
  const options = { disk, root: ROOT, bytesMax: 2 ** 30, now: () => 1_000, writer: 'w' };
  const results = new ResultCache(options);
  const plain = new SettledWorld(tape, subject);
  const digest = (_contract: string, day: UtcDay) => plain.digest(day);
  const cache = { results, digest, dataset: 'SIM' };
  const world = new SettledWorld(tape, subject, { cache, pieceBytes: 200 });
  const lastMidnight = epochNs(plain.days.at(-1)!, 0);
  return { results, read: () => world.read({ until: lastMidnight }) };
}

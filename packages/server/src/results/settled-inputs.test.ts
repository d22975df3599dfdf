import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addDays, epochNs } from '@tapeloom/core/utc-day';
import fc from 'fast-check';
import { SimDisk } from '../../../../simulation/disk/sim-disk.ts';
import { randomTape } from '../../../core/testing/twins/random-tape.ts';
import { SUBJECTS } from '../../../core/testing/twins/study-subjects.ts';
import { CONTRACT, type LeftOut, SettledWorld } from '../../testing/history/settled-world.ts';
import { gapped, gaps as kindsOfGaps } from '../../testing/tape/gapped-tape.ts';
import { DayLogs } from './day-logs.ts';
import { ResultCache } from './result-cache.ts';

const gaps = fc.array(fc.boolean(), { minLength: 1, maxLength: 7 });
const subjects = fc.constantFrom(...Object.values(SUBJECTS)).chain((subject) => subject);

test('days that appear or vanish in a look-back make other results of the days after [DET-18] [DET-19]', async () => {
  const property = fc.asyncProperty(
    fc.tuple(subjects, randomTape, fc.tuple(gaps, gaps)),
    async ([subject, tape, [one, other]]) => {
      const disk = new SimDisk().boot();
      const options = { disk, root: '/cache', bytesMax: 2 ** 30, now: () => 1_000 };
      const results = new ResultCache({ ...options, writer: 'w' });
      // The tape with its gaps, with other gaps, and with the first ones again, all with one cache.
      for (const gap of [one, other, one]) {
        const leftOut: LeftOut = (_day, at) => gap[at % gap.length]!;
        const plain = new SettledWorld(tape, subject, { leftOut });
        const cache = { results, datasetOf: () => 'SIM' };
        const cached = new SettledWorld(tape, subject, { leftOut, cache });
        for (const firstDay of plain.days) {
          const end = epochNs(addDays(firstDay, 1), 0);
          const until = end < plain.until ? end : plain.until;
          const from = await plain.startOn(firstDay);
          if (from === null || from >= until) continue;
          const { missingDays } = await plain.reader.coverage(CONTRACT, from, until);
          if (missingDays.length > 0) continue;
          const request = { firstDay, from, until, hasTail: true };
          assert.deepEqual(await cached.read(request), await plain.read(request));
        }
        await results.settled();
      }
    },
  );
  await fc.assert(property, { numRuns: 80 });
});

test('with gaps allowed, what is kept of other gaps is no result: on disk nor in memory [DET-18]', async () => {
  const property = fc.asyncProperty(
    fc.tuple(subjects, randomTape, fc.tuple(kindsOfGaps, kindsOfGaps)),
    async ([subject, tape, [one, other]]) => {
      const disk = new SimDisk().boot();
      const options = { disk, root: '/cache', bytesMax: 2 ** 30, now: () => 1_000 };
      const results = new ResultCache({ ...options, writer: 'w' });
      const [cache, logs] = [{ results, datasetOf: () => 'SIM' }, new DayLogs()];
      for (const gap of [one, other, one]) {
        const all = gapped(tape, gap);
        const plain = new SettledWorld(all.whole, subject, all);
        const onDisk = new SettledWorld(all.whole, subject, { ...all, cache });
        const inMemory = new SettledWorld(all.whole, subject, { ...all, logs });
        const request = { allowsGaps: true, hasTail: true };
        const expected = await plain.read(request);
        assert.deepEqual(await onDisk.read(request), expected);
        assert.deepEqual(await inMemory.read(request), expected);
        await results.settled();
      }
    },
  );
  await fc.assert(property, { numRuns: 40 });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { COMPOSITES, CompositeCluster } from '../../../testing/composite/composite-cluster.ts';
import { contractOf, mergedRows, type Row } from '../../../testing/composite/composite-run.ts';
import { machineFault } from '../../../testing/live/feed-cluster.ts';
import { assertReached } from '../../../testing/properties/reached.ts';

const SCHEDULES = 4;
const LEAVING_SCHEDULES = 3;

const textOf = ({ at, price, size, side }: Row) => `${at} ${price} ${size} ${side}`;

test('whatever machines do, a composite in a cluster equals an independent merge of its members', async () => {
  let gapsSeen = 0;
  let trades = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.nat(1_000),
      fc.array(machineFault, { minLength: 1, maxLength: 4 }),
      async (seed, faults) => {
        const run = await CompositeCluster.begun(seed, 1e12);
        for (const fault of faults) await run.cluster.suffer(fault);
        const until = await run.settle();
        for (const symbol of COMPOSITES) {
          const members = contractOf(symbol).members!.map((one) => one.symbol);
          const found = (await run.rows(symbol)).filter(({ at }) => at < until);
          const expected = mergedRows(await run.memberRows(members), until);
          assert.deepEqual(found.map(textOf), expected.map(textOf));
          trades += found.length;
          const gaps = [...run.cluster.gaps.values()].filter((gap) => gap.symbol === symbol);
          for (const { symbol: member, from, to } of run.memberGaps) {
            if (!members.includes(member) || to! > until) continue;
            const middle = (from + to!) / 2n;
            const isNamed = gaps.some((gap) => gap.from <= middle && (gap.to ?? until) > middle);
            assert.ok(isNamed, `${member} lacks ${from} to ${to}`);
            gapsSeen += 1;
          }
        }
        await run.stop();
      },
    ),
    { numRuns: SCHEDULES },
  );
  assertReached('gaps', gapsSeen, 0);
  assertReached('trades', trades, 100 * SCHEDULES);
});

test('a machine whose copies lag leaves members out only with a gap', async () => {
  let left = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.nat(1_000),
      fc.array(machineFault, { minLength: 2, maxLength: 4 }),
      async (seed, faults) => {
        const run = await CompositeCluster.begun(seed, 3_000, true);
        for (const fault of faults) await run.cluster.suffer(fault);
        const until = await run.settle();
        for (const symbol of COMPOSITES) {
          const members = contractOf(symbol).members!.map((one) => one.symbol);
          const found = (await run.rows(symbol)).filter(({ at }) => at < until).map(textOf);
          const gaps = [...run.cluster.gaps.values()].filter((gap) => gap.symbol === symbol);
          let next = 0;
          for (const row of mergedRows(await run.memberRows(members), until)) {
            if (textOf(row) === found[next]) {
              next += 1;
              continue;
            }
            left += 1;
            const isNamed = gaps.some(
              ({ from, to, reason }) =>
                reason.startsWith(`${row.symbol}:`) &&
                from <= row.at + 1_000n &&
                (to === null || to > row.at),
            );
            assert.ok(isNamed, `${row.symbol} ${row.rank} at ${row.at} is missing`);
          }
          assert.equal(next, found.length, 'the composite has a trade that no member has');
        }
        await run.stop();
      },
    ),
    { numRuns: LEAVING_SCHEDULES },
  );
  assertReached('trades left out', left, 0);
});

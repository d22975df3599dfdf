import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import fc from 'fast-check';
import {
  COMPOSITE,
  CompositeRun,
  type Crash,
  contractOf,
  MEMBERS,
  type Member,
  mergedRows,
  START,
} from '../../../testing/composite/composite-run.ts';
import { assertReached } from '../../../testing/properties/reached.ts';

const SCHEDULES = 12;
const LEAVING_SCHEDULES = 10;
const SECOND_NS = 1_000_000_000n;
const COMPOSITES = [COMPOSITE, 'ETH.all'];
const at = (seconds: number) => (START + BigInt(Math.round(seconds * 1e9))) as EpochNs;

const crash: fc.Arbitrary<Crash> = fc.record({
  operation: fc.nat(14),
  fault: fc.constantFrom('halt', 'fail', 'full'),
  end: fc.constantFrom('kill', 'power', 'torn'),
});

type Step =
  | {
      readonly kind: 'trade';
      /** Null: all of them. */
      readonly member: Member | null;
      readonly seconds: number;
      readonly gap: boolean;
    }
  | { readonly kind: 'merge'; readonly crash: Crash | null }
  | { readonly kind: 'pause'; readonly seconds: number };

/** A member may be ahead of the others by a minute and more. */
const steps = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('trade' as const),
        member: fc.constantFrom(...MEMBERS, null),
        seconds: fc.constantFrom(0.01, 0.3, 2, 61),
        gap: fc.boolean(),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant('merge' as const),
        crash: fc.option(crash, { freq: 4 }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('pause' as const),
        seconds: fc.constantFrom(5, 20),
      }),
    },
  ),
  { minLength: 4, maxLength: 30 },
);

/** The composite begins on the first day. */
async function begun(seed: number, leaveOutAfterMs = 1e12): Promise<CompositeRun> {
  const run = await CompositeRun.begin(seed, { leaveOutAfterMs });
  for (const member of MEMBERS) await run.trade(member, at(0.01), 0);
  await run.merge();
  return run;
}

async function perform(run: CompositeRun, step: Step): Promise<void> {
  if (step.kind === 'pause') {
    await run.merge();
    run.now += BigInt(step.seconds) * SECOND_NS;
    await run.merge();
  } else if (step.kind === 'merge') {
    await run.merge(step.crash);
  } else {
    for (const member of step.member === null ? MEMBERS : [step.member]) {
      await tradeOn(run, member, step);
    }
  }
}

async function tradeOn(
  run: CompositeRun,
  member: Member,
  { seconds, gap }: Step & { readonly kind: 'trade' },
): Promise<void> {
  const from = run.promiseOf(member) ?? START;
  const to = (from + BigInt(Math.round(seconds * 1e9))) as EpochNs;
  const symbol = `BTC.${member.toLowerCase()}`;
  // Within, across or beyond the new watermark.
  const span = { from, to: (from + (to - from) * 2n) as EpochNs };
  const ids = { firstId: null, lastId: null };
  const note = { kind: 'gap' as const, gap: { symbol, ...span, ...ids, reason: 'lost' } };
  await run.trade(member, to, 20 / Math.max(1, seconds), gap ? [note] : []);
}

/** Everybody says a last word, and the composite takes it. */
async function settle(run: CompositeRun): Promise<EpochNs> {
  const end = MEMBERS.reduce((last, member) => {
    const promise = run.promiseOf(member) ?? START;
    return promise > last ? promise : last;
  }, START);
  for (const seconds of [5, 10]) {
    const to = (end + BigInt(seconds) * SECOND_NS) as EpochNs;
    for (const member of MEMBERS) await run.trade(member, to, 1);
    assert.equal(await run.merge(), true);
  }
  assert.equal(run.promise, end + 10n * SECOND_NS);
  return run.promise!;
}

const membersOf = (symbol: string) => contractOf(symbol).members!.map((member) => member.symbol);
const textOf = ({
  at: time,
  price,
  size,
  side,
}: {
  at: EpochNs;
  price: bigint;
  size: bigint;
  side: number;
}) => `${time} ${price} ${size} ${side}`;

function union(spans: readonly (readonly [EpochNs, EpochNs])[], until: EpochNs): readonly string[] {
  const joined: [EpochNs, EpochNs][] = [];
  for (const [from, to] of [...spans].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))) {
    const end = to < until ? to : until;
    if (from >= end) continue;
    const last = joined.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = end > last[1] ? end : last[1];
    else joined.push([from, end]);
  }
  return joined.map(([from, to]) => `${from} to ${to}`);
}

async function rowsOf(run: CompositeRun, symbols: readonly string[]) {
  return (await Promise.all(symbols.map((symbol) => run.rows(symbol)))).flat();
}

test('a composite equals an independent merge of its members, whenever the machine stops', async () => {
  let crashes = 0;
  let trades = 0;
  await fc.assert(
    fc.asyncProperty(fc.nat(), steps, async (seed, some) => {
      const run = await begun(seed);
      for (const step of some) await perform(run, step);
      const until = await settle(run);
      for (const symbol of COMPOSITES) {
        const expected = mergedRows(await rowsOf(run, membersOf(symbol)), until);
        const found = await run.rows(symbol);
        assert.deepEqual(found.map(textOf), expected.map(textOf));
        const gaps = await Promise.all(membersOf(symbol).map((member) => run.gaps(member)));
        assert.deepEqual(union(await run.gaps(symbol), until), union(gaps.flat(), until));
        trades += found.length;
      }
      crashes += run.crashes;
      await run.close();
    }),
    { numRuns: SCHEDULES },
  );
  assertReached('crashes', crashes, SCHEDULES / 4);
  assertReached('trades', trades, 20 * SCHEDULES);
});

test('with members left out, every trade is there or named by a gap of its member', async () => {
  let left = 0;
  await fc.assert(
    fc.asyncProperty(fc.nat(), steps, async (seed, some) => {
      const run = await begun(seed, 15_000);
      const gaps = new Map<string, { from: EpochNs; to: EpochNs | null; reason: string }>();
      const remember = () => {
        if (run.promise === null) return;
        for (const gap of run.notedGaps) gaps.set(`${gap.symbol} ${gap.from}`, gap);
      };
      for (const step of some) {
        await perform(run, step);
        remember();
      }
      const until = await settle(run);
      remember();
      for (const symbol of COMPOSITES) {
        const expected = mergedRows(await rowsOf(run, membersOf(symbol)), until);
        const found = (await run.rows(symbol)).map(textOf);
        let next = 0;
        for (const row of expected) {
          if (textOf(row) === found[next]) {
            next += 1;
            continue;
          }
          left += 1;
          const isNamed = [...gaps].some(
            ([key, { from, to, reason }]) =>
              key.startsWith(`${symbol} `) &&
              reason.startsWith(`${row.symbol}:`) &&
              from <= row.at + 1_000n &&
              (to === null || to > row.at),
          );
          assert.ok(isNamed, `${row.symbol} ${row.rank} at ${row.at} is missing`);
        }
        assert.equal(next, found.length, 'the composite has a trade that no member has');
      }
      await run.close();
    }),
    { numRuns: LEAVING_SCHEDULES },
  );
  assertReached('trades left out', left, 0);
});

test('a member that stands still holds the others, is left out with a gap, and comes back behind it', async () => {
  const run = await CompositeRun.begin(1, { leaveOutAfterMs: 600_000 });
  for (const member of MEMBERS) await run.trade(member, at(1), 10);
  await run.merge();
  assert.equal(run.promise, at(1));
  for (const member of ['BIN', 'BYB'] as const) await run.trade(member, at(30), 10);
  await run.merge();
  run.now = 599n * SECOND_NS;
  await run.merge();
  assert.equal(run.promise, at(1), 'it waits');
  run.now = 600n * SECOND_NS;
  await run.merge();
  assert.equal(run.promise, at(30));
  const gap = { from: at(1), to: null, firstId: null, lastId: null };
  assert.deepEqual(run.notedGaps, [
    { symbol: 'BTC.all', ...gap, reason: 'BTC.okx: left out' },
    { symbol: 'ETH.all', ...gap, reason: 'ETH.okx: left out' },
  ]);
  // It is far behind and stays out; then it has nearly caught up and is waited for.
  await run.trade('OKX', at(19), 10, [], at(35));
  await run.merge();
  for (const member of ['BIN', 'BYB'] as const) await run.trade(member, at(31), 10);
  await run.merge();
  assert.equal(run.promise, at(31));
  await run.trade('OKX', at(25), 10);
  for (const member of ['BIN', 'BYB'] as const) await run.trade(member, at(40), 10);
  await run.merge();
  assert.equal(run.promise, at(31), 'it is taken in there, and waited for');
  await run.trade('OKX', at(40), 10);
  await run.merge();
  assert.equal(run.promise, at(40));
  assert.deepEqual(
    run.notedGaps.map(({ symbol, from, to }) => [symbol, from, to]),
    [
      ['BTC.all', at(1), at(31)],
      ['ETH.all', at(1), at(31)],
    ],
  );
  const rows = await rowsOf(run, membersOf(COMPOSITE));
  const isOut = (row: (typeof rows)[number]) =>
    row.dataset === 'OKX' && row.at >= at(1) && row.at < at(31);
  const expected = mergedRows(
    rows.filter((row) => !isOut(row)),
    at(40),
  );
  assert.deepEqual((await run.rows(COMPOSITE)).map(textOf), expected.map(textOf));
  await run.close();
});

test('after a restart a member that was left out stays out until it moves', async () => {
  const run = await CompositeRun.begin(4, { leaveOutAfterMs: 60_000 });
  for (const member of MEMBERS) await run.trade(member, at(1), 10);
  for (const member of ['BIN', 'BYB'] as const) await run.trade(member, at(8), 10);
  await run.merge();
  run.now = 60n * SECOND_NS;
  await run.merge();
  assert.equal(run.promise, at(8));
  for (const member of ['BIN', 'BYB'] as const) await run.trade(member, at(9), 10);
  assert.equal(await run.merge({ operation: 0, fault: 'halt', end: 'power' }), false);
  await run.merge();
  assert.equal(run.promise, at(9));
  await run.trade('OKX', at(10), 10);
  for (const member of ['BIN', 'BYB'] as const) await run.trade(member, at(11), 10);
  await run.merge();
  assert.equal(run.promise, at(10));
  const ends = run.notedGaps.map(({ from, to }) => [from, to]);
  assert.deepEqual(ends, [
    [at(1), at(9)],
    [at(1), at(9)],
  ]);
  await run.close();
});

test('nobody is left out while all stand still, and the last one never is', async () => {
  const run = await CompositeRun.begin(2, { leaveOutAfterMs: 60_000 });
  for (const member of MEMBERS) await run.trade(member, at(1), 10);
  await run.merge();
  run.now = 7_200n * SECOND_NS;
  await run.merge();
  await run.trade('OKX', at(2), 10);
  await run.merge();
  assert.equal(run.promise, at(1), 'they may follow soon');
  run.now += 60n * SECOND_NS;
  await run.merge();
  assert.equal(run.promise, at(2));
  assert.equal(run.feed!.openGaps, 3);
  run.now += 7_200n * SECOND_NS;
  await run.merge();
  assert.equal(run.feed!.openGaps, 3);
  await run.close();
});

test('a member whose market is closed is not missed, and is waited for at its next open', async () => {
  const session = { date: 0, open: at(90), close: at(500) };
  const hours = (symbol: string) =>
    symbol === 'BTC.byb'
      ? { atOrAfter: (time: EpochNs) => (time < session.close ? (session as never) : null) }
      : null;
  const run = await CompositeRun.begin(3, { leaveOutAfterMs: 60_000, hours });
  for (const member of MEMBERS) await run.trade(member, at(1), 10);
  await run.merge();
  for (const member of ['BIN', 'OKX'] as const) await run.trade(member, at(100), 1);
  await run.merge();
  assert.equal(run.promise, at(1));
  run.now += 60n * SECOND_NS;
  await run.merge();
  assert.equal(run.promise, at(90), 'it waits at the open');
  assert.deepEqual(run.notedGaps, []);
  run.now += 59n * SECOND_NS;
  await run.merge();
  assert.equal(run.promise, at(90));
  run.now += SECOND_NS;
  await run.merge();
  assert.equal(run.promise, at(100));
  assert.deepEqual(
    run.notedGaps.map(({ symbol, from, reason }) => [symbol, from, reason]),
    [[COMPOSITE, at(90), 'BTC.byb: left out']],
  );
  await run.close();
});

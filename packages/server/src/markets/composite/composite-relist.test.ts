import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import { addDays, dayOf, earlier, epochNs, later } from '@tapeloom/core/utc-day';
import fc from 'fast-check';
import {
  CompositeRun,
  type Crash,
  LISTED_FIRST,
  type Listing,
  MEMBERS,
  mergedRows,
  START,
} from '../../../testing/composite/composite-run.ts';
import { assertReached } from '../../../testing/properties/reached.ts';

const SCHEDULES = 12;
const SECOND_NS = 1_000_000_000n;
const BTC = ['BTC.bin', 'BTC.okx', 'BTC.byb'];
const ETH = ['ETH.okx', 'ETH.bin'];
const XBT = ['BTC.byb', 'BTC.bin'];
const LISTINGS: readonly Listing[] = [
  LISTED_FIRST,
  { 'BTC.all': ['BTC.bin', 'BTC.byb'], 'ETH.all': ETH },
  { 'BTC.all': ['BTC.okx', 'BTC.bin'] },
  { 'BTC.all': BTC, 'ETH.all': ETH, 'XBT.all': XBT },
  { 'ETH.all': ETH, 'XBT.all': XBT },
  { 'BTC.all': ['BTC.okx', 'BTC.byb'], 'ETH.all': ETH },
];
const at = (seconds: number) => (START + BigInt(Math.round(seconds * 1e9))) as EpochNs;

type Step =
  | {
      readonly kind: 'trade';
      readonly seconds: number;
      readonly isOneAhead: boolean;
      readonly gap: boolean;
    }
  | { readonly kind: 'merge'; readonly crash: Crash | null }
  | { readonly kind: 'relist'; readonly listing: number; readonly isMerged: boolean };

const crash: fc.Arbitrary<Crash> = fc.record({
  operation: fc.nat(14),
  fault: fc.constantFrom('halt', 'fail', 'full'),
  end: fc.constantFrom('kill', 'power', 'torn'),
});

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constant('trade' as const),
      seconds: fc.constantFrom(0.3, 2, 45),
      isOneAhead: fc.boolean(),
      gap: fc.boolean(),
    }),
    fc.record({ kind: fc.constant('merge' as const), crash: fc.option(crash, { freq: 2 }) }),
    fc.record({
      kind: fc.constant('relist' as const),
      listing: fc.nat(LISTINGS.length - 1),
      isMerged: fc.boolean(),
    }),
  ),
  { minLength: 5, maxLength: 30 },
);

async function perform(run: CompositeRun, step: Step): Promise<void> {
  if (step.kind === 'trade') {
    await tradeOn(run, step);
  } else if (step.kind === 'merge') {
    await run.merge(step.crash);
  } else {
    if (step.isMerged) await run.merge();
    await run.relist(LISTINGS[step.listing]!);
    if (step.isMerged) await run.merge(null, 1);
  }
}

async function tradeOn(run: CompositeRun, step: Step & { readonly kind: 'trade' }): Promise<void> {
  const { seconds, isOneAhead, gap } = step;
  for (const member of isOneAhead ? MEMBERS.slice(0, 2) : MEMBERS) {
    const from = run.promiseOf(member) ?? START;
    const to = (from + BigInt(Math.round(seconds * 1e9))) as EpochNs;
    const symbol = `BTC.${member.toLowerCase()}`;
    const span = { from, to, firstId: null, lastId: null };
    const note = { kind: 'gap' as const, gap: { symbol, ...span, reason: 'lost' } };
    await run.trade(member, to, 20 / Math.max(1, seconds), gap ? [note] : []);
  }
}

type Span = readonly [from: EpochNs, to: EpochNs];

/** The listings with their times: what was listed since [from, to). */
function listedSpans(run: CompositeRun, until: EpochNs) {
  const all = run.listings.map(({ from, listing }, index) => {
    const next = run.listings[index + 1];
    return {
      listing,
      from: from ?? (0n as EpochNs),
      to: next === undefined ? until : (next.from ?? (0n as EpochNs)),
    };
  });
  return all;
}

/** What a composite lacks because it was not listed: from the midnight of its next listing on. */
function unlistedSpans(
  run: CompositeRun,
  symbol: string,
  until: EpochNs,
  firstAt: EpochNs,
): readonly Span[] {
  const spans: Span[] = [];
  let wasListed = false;
  let endedAt: EpochNs | null = null;
  for (const { listing, from, to } of listedSpans(run, until)) {
    const isListed = symbol in listing;
    // Between two offers nothing is noted; but it may have traded at that very time.
    if (from === to && !(isListed && firstAt === from)) continue;
    if (isListed && !wasListed && from > 0n) {
      const midnight = epochNs(dayOf(from), 0);
      const begin = endedAt === null ? midnight : later(midnight, endedAt);
      if (begin < from) spans.push([begin, from]);
    }
    if (!isListed && wasListed && from >= firstAt) endedAt = from;
    if (!isListed && endedAt !== null) {
      // The rest of its last day.
      const end = earlier(epochNs(addDays(dayOf(endedAt), 1), 0), to);
      if (from < end) spans.push([from, end]);
    }
    wasListed = isListed;
  }
  return spans;
}

test('composites and members that are listed and removed while the composite runs', async () => {
  let relists = 0;
  let crashes = 0;
  let gapsBy = 0;
  await fc.assert(
    fc.asyncProperty(fc.nat(), steps, async (seed, some) => {
      const run = await CompositeRun.begin(seed, {});
      for (const member of MEMBERS) await run.trade(member, at(0.5), 100);
      await run.merge();
      for (const step of some) await perform(run, step);
      const until = await settle(run);
      const spans = listedSpans(run, until).filter(({ from, to }) => from < to);
      relists += spans.length - 1;
      crashes += run.crashes;
      for (const symbol of ['BTC.all', 'ETH.all', 'XBT.all']) {
        gapsBy += await judge(run, symbol, spans, until);
      }
      await run.close();
    }),
    { numRuns: SCHEDULES },
  );
  assertReached('relists', relists, SCHEDULES);
  assertReached('crashes', crashes, SCHEDULES / 4);
  assertReached('gapsBy', gapsBy, SCHEDULES);
});

/** Returns how many trades of members are in gaps because the composite was not listed. */
async function judge(
  run: CompositeRun,
  symbol: string,
  spans: ReturnType<typeof listedSpans>,
  until: EpochNs,
): Promise<number> {
  const rows = (
    await Promise.all([...new Set([...BTC, ...ETH])].map((one) => run.rows(one)))
  ).flat();
  const membersAt = (time: EpochNs) =>
    spans.find(({ from, to }) => from <= time && time < to)?.listing[symbol] ?? [];
  // Trades of the very time of a listing are on either side.
  const isEdge = (time: EpochNs) => spans.some(({ from }) => from === time);
  const expected = mergedRows(
    rows.filter((row) => membersAt(row.at).includes(row.symbol) && !isEdge(row.at)),
    until,
  );
  const all = await run.rows(symbol);
  const found = all.filter((row) => !isEdge(row.at));
  const textOf = ({ at: time, price, size, side }: (typeof rows)[number]) =>
    `${time - START} ${price} ${size} ${side}`;
  assert.deepEqual(found.map(textOf), expected.map(textOf), symbol);
  // A composite that never traded lacks nothing by not being listed.
  const firstAt = all[0]?.at ?? until;
  const unlisted = unlistedSpans(run, symbol, until, firstAt);
  const gaps = await run.gaps(symbol);
  const ofMembers = new Map<string, readonly Span[]>();
  for (const member of [...BTC, ...ETH]) ofMembers.set(member, await run.gaps(member));
  // At the middle of every stretch between two edges the composite has a gap exactly if there is a reason for one.
  const edges = [gaps, unlisted, ...ofMembers.values()].flat().flat();
  const times = [...new Set([...edges, ...spans.flatMap(({ from, to }) => [from, to])])]
    .filter((time) => time >= START && time < until)
    .sort((a, b) => (a < b ? -1 : 1));
  let count = 0;
  for (const [index, time] of times.entries()) {
    const next = times[index + 1] ?? until;
    // Gaps may begin some nanoseconds later than their reason, so that none replaces another.
    if (next - time < 1_000n) continue;
    const middle = (time + (next - time) / 2n) as EpochNs;
    const isIn = (some: readonly Span[]) =>
      some.some(([from, to]) => from <= middle && middle < to);
    const isDue = isIn(unlisted) || membersAt(middle).some((one) => isIn(ofMembers.get(one)!));
    if (isIn(unlisted)) count += 1;
    assert.equal(isIn(gaps), isDue, `${symbol}: a gap at ${middle - START}`);
  }
  return count;
}

/** Everybody says a last word, and the composite takes it. */
async function settle(run: CompositeRun): Promise<EpochNs> {
  const end = MEMBERS.reduce((last, member) => later(last, run.promiseOf(member) ?? START), START);
  for (const seconds of [5, 10]) {
    const to = (end + BigInt(seconds) * SECOND_NS) as EpochNs;
    for (const member of MEMBERS) await run.trade(member, to, 1);
    assert.equal(await run.merge(), true);
  }
  return run.promise!;
}

test('a dataset whose members have all expired is not waited for, also after a restart', async () => {
  const run = await CompositeRun.begin(5, { leaveOutAfterMs: 600_000 });
  run.expiry.set('BTC.byb', at(2));
  for (const member of MEMBERS) await run.trade(member, at(2), 10);
  for (const member of ['BIN', 'OKX'] as const) await run.trade(member, at(30), 10);
  await run.merge();
  assert.equal(run.promise, at(30));
  assert.equal(run.feed!.state(run.now), 'live');
  assert.equal(await run.merge({ operation: 0, fault: 'halt', end: 'kill' }), true);
  await run.relist(LISTED_FIRST);
  for (const member of ['BIN', 'OKX'] as const) await run.trade(member, at(60), 10);
  await run.merge();
  assert.equal(run.promise, at(60));
  assert.deepEqual(run.notedGaps, []);
  await run.close();
});

test('a member that stands still is left out no longer than until it expires', async () => {
  const run = await CompositeRun.begin(6, { leaveOutAfterMs: 60_000 });
  run.expiry.set('BTC.byb', at(10));
  for (const member of MEMBERS) await run.trade(member, at(1), 10);
  for (const member of ['BIN', 'OKX'] as const) await run.trade(member, at(30), 10);
  await run.merge();
  assert.equal(run.promise, at(1));
  run.now += 60n * SECOND_NS;
  await run.merge();
  assert.equal(run.promise, at(30));
  assert.deepEqual(
    run.notedGaps.map(({ symbol, from, to, reason }) => [symbol, from, to, reason]),
    [['BTC.all', at(1), at(10), 'BTC.byb: left out']],
  );
  await run.close();
});

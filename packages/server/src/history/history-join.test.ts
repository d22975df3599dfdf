/**
 * The join: a client subscribes, and requests history up to the cursor of its first snapshot. History and stream together
 * are one series, byte for byte, for any tape, moment, indicator, mode and delay, and for any growth of the tape since.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { StreamMode } from '@tapeloom/protocol/client-messages';
import fc from 'fast-check';
import {
  compare,
  HistoryWorld,
  type Item,
  scripts,
  topics,
  tradesIn,
  type WalkedPage,
} from '../../testing/history/history-world.ts';
import { Refusal } from '../platform/refusal.ts';
import type { HistoryQuery } from './history-query.ts';

const shares = fc.integer({ min: 0, max: 999 }).map((share) => share / 1_000);
const limits = fc.constantFrom(1, 2, 7, 1_000);
const modes = fc.constantFrom('live' as const, 'confirmed' as const);
const delays = fc.constantFrom(0, 0, 1, 600);

/** A moment at which a client joins history to the stream, and a start before it. */
interface Join {
  readonly world: HistoryWorld;
  readonly from: EpochNs;
  /** Of the snapshot. */
  readonly cursor: string;
  readonly snapshot: readonly Item[];
  /** The visible end then, or now. */
  readonly seen: EpochNs;
  /** position(from) */
  readonly start: string;
}

/** Null if there is no snapshot, or `from` lies after it. */
async function joinIn(
  world: HistoryWorld,
  chosen: number,
  share: number,
  isLater: boolean,
): Promise<Join | null> {
  if (world.snapshots.length === 0) return null;
  const { cursor, items, seen: then } = world.snapshots[chosen % world.snapshots.length]!;
  const from = world.at(share);
  if (from >= then) return null;
  const start = (await world.stateAt(from, 'live')).cursor;
  const snapshot = items as unknown as readonly Item[];
  return { world, from, cursor, snapshot, seen: isLater ? world.end : then, start };
}

/** All pages up to the snapshot; null if the range is empty. */
async function history(
  { world, from, cursor, seen, start }: Join,
  rest: Partial<HistoryQuery>,
): Promise<readonly WalkedPage[] | null> {
  const query = world.query({ from, to: seen, untilCursor: cursor, ...rest });
  const covered = await world.cover(query, seen).catch((error: unknown) => {
    if (error instanceof Refusal) return error;
    throw error;
  });
  if (covered instanceof Refusal) {
    // Only a range that ends before it begins is rejected.
    assert.match(covered.message, /untilCursor must not be before/);
    assert.ok(compare(cursor, start) < 0, `${cursor} is not before ${start}`);
    return null;
  }
  const pages = await world.walk(query, {}, seen);
  if (compare(cursor, start) >= 0) {
    const trades = pages.reduce((sum, page) => sum + page.trades, 0);
    assert.equal(trades, covered.trades);
    assert.ok(trades <= tradesIn(world, from, world.end));
    return pages;
  }
  // By time events alone it begins after its end.
  const items = pages.flatMap((page) => page.items);
  assert.equal(items.length, rest.hasSnapshot === true ? 1 : 0);
  return null;
}

function textOf(pages: readonly WalkedPage[]): string {
  return pages
    .map(({ text }) => text)
    .filter((text) => text !== '')
    .join(',');
}

/** Random joins with their history; most of them have some. */
async function overJoins(
  hasSnapshot: boolean,
  check: (joined: {
    readonly world: HistoryWorld;
    readonly join: Join;
    readonly pages: readonly WalkedPage[];
    readonly mode: StreamMode;
  }) => Promise<void>,
): Promise<void> {
  let joined = 0;
  await fc.assert(
    fc.asyncProperty(
      scripts,
      topics,
      fc.nat(),
      shares,
      limits,
      modes,
      delays,
      fc.boolean(),
      async (script, topic, chosen, share, limit, mode, delay, isLater) => {
        using world = await HistoryWorld.over(script, topic, delay);
        const join = await joinIn(world, chosen, share, isLater);
        const pages = join && (await history(join, { limit, mode, hasSnapshot }));
        if (join === null || pages === null) return;
        joined += 1;
        await check({ world, join, pages, mode });
      },
    ),
    { numRuns: 100 },
  );
  assert.ok(joined > 40, `${joined} of 100`);
}

test('history with snapshot up to the cursor of the first snapshot, then the stream: one seamless series, byte for byte [DET-20] [DET-14]', () =>
  overJoins(true, async ({ world, join, pages, mode }) => {
    const { cursor, start } = join;
    const isWanted = (final: boolean) => final || mode === 'live';
    const [opening] = pages[0]!.items;
    assert.equal(opening!.cursor, start);
    const { items } = await world.stateAt(join.from, mode);
    assert.deepEqual(opening!.items, items);
    const stream = world.publishedTexts(cursor, world.end, isWanted);
    assert.equal(
      [textOf(pages), ...stream].join(','),
      [
        textOf(pages).slice(0, openingLength(pages)),
        ...world.publishedTexts(start, world.end, isWanted),
      ].join(','),
    );
  }));

/** Of the snapshot's own text, which is the first item. */
function openingLength(pages: readonly WalkedPage[]): number {
  const text = textOf(pages);
  const next = /,\{"t":"(?:upsert|remove)","cursor"/.exec(text);
  return next === null ? text.length : next.index;
}

test('history without snapshot, the snapshot, then the stream: every final object once, none missing, none twice [DET-17] [DET-14]', () =>
  overJoins(false, async ({ world, join, pages }) => {
    const { cursor, snapshot, from } = join;
    const settled = pages.flatMap((page) => page.items);
    const { log } = await world.settled(from, world.end);
    const before = log.filter((item) => compare(item.cursor, cursor) <= 0);
    assert.equal(textOf(pages), before.map((item) => JSON.stringify(item)).join(','));
    // Updates since the last closed flush edge are not published yet.
    const closed = world.snapshots.at(-1)!.cursor;
    const later = world
      .publishedOf(log.filter((item) => compare(item.cursor, cursor) > 0))
      .filter((item) => compare(item.cursor, closed) <= 0);
    assert.deepEqual(
      world.publishedTexts(cursor, world.end, (final) => final),
      later.map((item) => JSON.stringify(item)),
    );
    await checkSnapshot(world, from, settled, snapshot);
  }));

/** The snapshot agrees with history about every settled object, and has no other settled objects. */
async function checkSnapshot(
  world: HistoryWorld,
  from: EpochNs,
  settled: readonly Item[],
  snapshot: readonly Item[],
): Promise<void> {
  const held = new Map<string, unknown>();
  for (const { t, cursor: _cursor, ...object } of settled) {
    if (t === 'remove') held.delete(object.id!);
    else held.set(object.id!, object);
  }
  const earlier = (await world.stateAt(from, 'live')).items as readonly Item[];
  const before = new Set(earlier.filter(({ final }) => final).map(({ id }) => id));
  for (const object of snapshot) {
    if (object.final && !before.has(object.id)) assert.deepEqual(object, held.get(object.id!));
    if (!object.final) assert.ok(!held.has(object.id!));
  }
}

test('up to any place that a stream gave, a node that sees less of the tape tells the same or that it is behind', async () => {
  const ends = { told: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(
      scripts,
      topics,
      fc.nat(),
      fc.oneof(fc.integer({ min: -40, max: 0 }), fc.integer({ min: -1_200, max: 300 })),
      modes,
      fc.boolean(),
      async (script, topic, chosen, ms, mode, hasSnapshot) => {
        using world = await HistoryWorld.over(script, topic);
        const places = world.places();
        if (places.length === 0) return;
        const { cursor, at } = places[chosen % places.length]!;
        const from = world.at(0);
        const seen = (at + BigInt(ms) * 1_000_000n) as EpochNs;
        const query = world.query({ from, untilCursor: cursor, mode, hasSnapshot });
        const moment = { arrived: at, isBehind: () => true };
        const told = await world.walk(query, {}, seen, moment).catch((error: unknown) => {
          assert.ok(error instanceof Refusal && error.reason.t === 'behind', String(error));
        });
        ends[told === undefined ? 'refused' : 'told'] += 1;
        if (told !== undefined) assert.equal(textOf(told), textOf(await world.walk(query)));
      },
    ),
    { numRuns: 200 },
  );
  assert.ok(ends.told > 5 && ends.refused > 5, JSON.stringify(ends));
});

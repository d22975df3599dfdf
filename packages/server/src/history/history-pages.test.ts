/**
 * Compares pages with one settled run over the whole tape and with the published stream: for any limits and any page ends,
 * the pages of a range are the range.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { epochNs } from '@tapeloom/core/utc-day';
import fc from 'fast-check';
import {
  HistoryWorld,
  type Item,
  scripts,
  topics,
  tradesIn,
  type WalkedPage,
} from '../../testing/history/history-world.ts';
import { answerToRefused } from '../../testing/refused-as.ts';
import { DAY, HOUR_NS } from '../../testing/stream/engine-run.ts';
import { isRefused } from '../platform/refusal.ts';

/** Of a stretch of time. */
const shares = fc.integer({ min: 0, max: 999 }).map((share) => share / 1_000);
const ranges = fc
  .tuple(shares, shares)
  .map(([a, b]) => (a < b ? ([a, b] as const) : ([b, a + 0.001] as const)));
const limits = fc.constantFrom(1, 2, 7, 1_000);
const pageLimits = fc.record({
  bytes: fc.constantFrom(1, 700, 1_000_000),
  trades: fc.constantFrom(1, 9, 1_000_000),
});

function itemsOf(pages: readonly WalkedPage[]): readonly Item[] {
  return pages.flatMap(({ items }) => items);
}

function tradesOf(pages: readonly WalkedPage[]): number {
  return pages.reduce((sum, { trades }) => sum + trades, 0);
}

/** The exact text: equal in every byte. */
function texts(items: readonly Item[]): readonly string[] {
  return items.map((item) => JSON.stringify(item));
}

test('walking next gives the whole range once, in order, with its tail, and charges its trades [HIST-05] [DET-17] [DET-21]', async () => {
  await fc.assert(
    fc.asyncProperty(
      scripts,
      topics,
      ranges,
      limits,
      pageLimits,
      fc.constantFrom('live', 'confirmed'),
      async (script, topic, [a, b], limit, caps, mode) => {
        using world = await HistoryWorld.over(script, topic);
        const [from, to] = [world.at(a), world.at(b)];
        if (from >= to) return;
        const pages = await world.walk(world.query({ from, to, limit, mode }), caps);
        const { log, tail } = await world.settled(from, to);
        const expected = mode === 'live' ? [...log, ...tail] : log;
        assert.deepEqual(texts(itemsOf(pages)), texts(expected));
        assert.equal(tradesOf(pages), tradesIn(world, from, to));
        const estimate = await world.cover(world.query({ from, to, limit: 1 }));
        assert.ok('trades' in estimate);
        assert.equal(tradesOf(pages), estimate.trades);
        for (const { items, next } of pages) {
          if (next !== null) assert.ok(items.length <= limit);
          if (next === null) assert.ok(items.length <= Math.max(limit, tail.length));
        }
      },
    ),
    { numRuns: 60 },
  );
});

test('further pages end where the first one did, also on a node that sees less of the tape: it waits, or is behind', async () => {
  let further = 0;
  await fc.assert(
    fc.asyncProperty(scripts, topics, ranges, shares, async (script, topic, [a, b], less) => {
      using world = await HistoryWorld.over(script, topic);
      const [from, to] = [world.at(a), world.at(b)];
      if (from >= to) return;
      const query = world.query({ from, to, limit: 2 });
      const pages = await world.walk(query);
      const behind = world.at(a + (b - a) * less);
      for (const [at, { next }] of pages.entries()) {
        if (next === null || behind >= to) continue;
        further += 1;
        const asked = { ...query, to: behind, endAhead: to, cursor: next };
        const stays = world.cover(asked, behind, { isBehind: () => true });
        await assert.rejects(stays, (error) => isRefused(error, 'behind'));
        let visible = behind;
        const moment = {
          visible: () => visible,
          isBehind: () => true,
          pause: async () => {
            visible = to;
          },
        };
        const told = await world.walk(asked, {}, behind, moment);
        assert.deepEqual(texts(itemsOf(told)), texts(itemsOf(pages.slice(at + 1))));
      }
    }),
    { numRuns: 60 },
  );
  assert.ok(further > 0);
});

test('further pages with an end that nobody has come to end with what is seen, and who is alone waits for none', async () => {
  let further = 0;
  await fc.assert(
    fc.asyncProperty(scripts, topics, ranges, async (script, topic, [a, b]) => {
      using world = await HistoryWorld.over(script, topic);
      const [from, to] = [world.at(a), world.at(b)];
      if (from >= to) return;
      const query = world.query({ from, to, limit: 2 });
      for (const { next } of await world.walk(query, {}, to)) {
        if (next === null) continue;
        further += 1;
        const asked = { ...query, endAhead: world.end, cursor: next };
        const among = await world.cover(asked, to, { isBehind: () => false });
        const alone = await world.cover(asked, to, { pause: () => assert.fail() });
        assert.deepEqual([among.until, alone.until], [to, to]);
      }
    }),
    { numRuns: 60 },
  );
  assert.ok(further > 0);
});

test('adjoining ranges add up, and so do ranges that are joined at a cursor [DET-17] [DET-21]', async () => {
  await fc.assert(
    fc.asyncProperty(scripts, topics, ranges, shares, async (script, topic, [a, c], b) => {
      using world = await HistoryWorld.over(script, topic);
      const [from, to] = [world.at(a), world.at(c)];
      const middle = world.at(a + b * (c - a));
      if (from >= middle || middle >= to) return;
      const whole = await world.walk(world.query({ from, to, mode: 'confirmed' }));
      const first = await world.walk(world.query({ from, to: middle, mode: 'confirmed' }));
      const second = await world.walk(world.query({ from: middle, to, mode: 'confirmed' }));
      assert.deepEqual(texts(itemsOf([...first, ...second])), texts(itemsOf(whole)));
      assert.equal(tradesOf([...first, ...second]), tradesOf(whole));

      const items = itemsOf(whole);
      const at = items[Math.floor(b * items.length)];
      if (at === undefined) return;
      const { cursor } = at;
      const upTo = await world.walk(world.query({ from, untilCursor: cursor, mode: 'confirmed' }));
      const after = await world.walk(world.query({ from, to, cursor, mode: 'confirmed' }));
      assert.deepEqual(texts(itemsOf([...upTo, ...after])), texts(items));
      assert.equal(itemsOf(upTo).at(-1)!.cursor, cursor);
      assert.equal(tradesOf([...upTo, ...after]), tradesOf(whole));
    }),
    { numRuns: 40 },
  );
});

test('with a snapshot: the state at from, then what the stream published, whatever the limits [DET-20]', async () => {
  await fc.assert(
    fc.asyncProperty(
      scripts,
      topics,
      ranges,
      fc.boolean(),
      limits,
      pageLimits,
      fc.constantFrom('live', 'confirmed'),
      async (script, topic, [a, b], isSecond, limit, caps, mode) => {
        using world = await HistoryWorld.over(script, topic);
        const [from, to] = [world.at(a, isSecond), world.at(b)];
        if (from >= to) return;
        const query = world.query({ from, to, limit, mode, hasSnapshot: true });
        const pages = await world.walk(query, caps);
        const [snapshot, ...updates] = itemsOf(pages);
        assert.ok(snapshot?.t === 'snapshot');
        const { cursor, items } = snapshot;
        assert.deepEqual({ cursor, items }, await world.stateAt(from, mode));
        const published = world.published(cursor, to);
        const expected = mode === 'live' ? published : published.filter(({ final }) => final);
        assert.deepEqual(texts(updates), texts(expected));
        assert.equal(tradesOf(pages), tradesIn(world, from, to));
        for (const page of pages) assert.ok(page.items.length <= limit);
      },
    ),
    { numRuns: 60 },
  );
});

test('while the look-back is not on the tape there is no history of an indicator that needs it [DET-19]', async () => {
  const hour = (hours: number) => epochNs(DAY, hours * HOUR_NS);
  // The first session is complete, but had no trade; the second has one, after midnight.
  const trade = { at: hour(25), price: 100, size: 3, side: 1 } as const;
  const script = [
    { trades: [], promise: hour(13) },
    { trades: [trade], promise: hour(30) },
    { trades: [], promise: hour(35) },
  ];
  for (const topic of [
    ['session-levels', {}],
    ['large-trades', { minSize: 0, perSession: 3, gapMs: 10 }],
  ] as const) {
    using world = await HistoryWorld.over(script, topic);
    const refused = await answerToRefused(world.cover(world.query({ from: hour(10) })));
    assert.equal(refused.code, 'NOT_COVERED', 'the first session has none before it');
    const walking = world.walk(world.query({ from: hour(24) }));
    assert.equal((await answerToRefused(walking)).code, 'NOT_COVERED', 'only computing tells');
  }
});

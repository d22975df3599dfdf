import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import { HOUR_NS } from '@tapeloom/core/units';
import { addDays, epochNs, utcDay } from '@tapeloom/core/utc-day';
import fc from 'fast-check';
import { intakeBatch } from '../../../../testing/tape/feed-rows.ts';
import { LiveDay } from '../../live-day.ts';
import type { TapeGap } from '../../tape-gap.ts';
import type { Commit, Opening } from '../log/log-payload.ts';
import { Offer } from '../sequencer/offer.ts';
import { Sequencer } from '../sequencer/sequencer.ts';
import { createCounters } from '../sequencer/sequencer-counters.ts';
import type { TapeNote } from '../tape-note.ts';
import { checkedNotes } from './offer-notes.ts';

const DAY = utcDay(20_260_105);
const LATE = epochNs(addDays(DAY, 99), 0);
const SYMBOL = 'ESZ6';
const ROWS_MAX = 3;

interface Step {
  readonly rows: number;
  /** Rows of it beyond the day's midnight, when its watermark ends the day. */
  readonly endsDay: boolean;
}

interface Scripted {
  readonly offer: () => Offer;
  readonly gap: TapeGap;
  readonly lastId: number;
}

type LogRecord = { readonly opening: Opening } | { readonly commit: Commit };

/** Every offer has trades, a gap of its own at the watermark before it, a position and a batch. */
function scripted(steps: readonly Step[]): readonly Scripted[] {
  let day = DAY;
  let ns = HOUR_NS;
  let id = 0;
  const nextId = () => {
    id += 1;
    return id;
  };
  const nextNs = () => {
    ns += 10;
    return ns;
  };
  return steps.map(({ rows, endsDay }, index) => {
    const from = epochNs(day, ns);
    const next = addDays(day, 1);
    // The first offer's trades begin the tape on the day of its gap.
    const count = index === 0 ? rows + 1 : rows;
    const today = Array.from({ length: count }, () => [nextId(), nextNs()] as const);
    const tomorrow = endsDay ? [1, 2, 3, 4].map((at) => [nextId(), at] as const) : [];
    const batches = [intakeBatch(SYMBOL, day, today), intakeBatch(SYMBOL, next, tomorrow)];
    if (endsDay) [day, ns] = [next, 1_000];
    const promise = epochNs(day, nextNs());
    const gap = { symbol: SYMBOL, from, to: (from + 1n) as EpochNs, firstId: index, lastId: null };
    const notes: TapeNote[] = [
      { kind: 'batch', id: `${index}`, digest: 'd' },
      { kind: 'gap', gap: { ...gap, reason: 'r' } },
      { kind: 'position', key: 'feed', text: `${id}` },
    ];
    const offer = () => new Offer(batches, promise, checkedNotes(notes));
    return { offer, gap: { ...gap, reason: 'r' }, lastId: id };
  });
}

function sequencer(): Sequencer {
  return new Sequencer('X', () => [SYMBOL], createCounters(), ROWS_MAX);
}

/** All records that these offers make, with the state that `found` has. */
function recordsOf(found: Sequencer, offers: readonly Scripted[]): readonly LogRecord[] {
  const records: LogRecord[] = [];
  const waiting = offers.map(({ offer }) => offer());
  while (waiting.length > 0) {
    while (waiting.length > 0 && !found.mustTurn && found.take(waiting[0]!, LATE) === 'done') {
      waiting.shift();
    }
    if (found.isPending) {
      records.push({ commit: structuredClone(found.pendingCommit().commit) });
      found.clearPending();
      continue;
    }
    const next = found.nextDay(waiting[0] ?? null, LATE);
    if (next !== null) records.push({ opening: structuredClone(found.openDay(next)) });
  }
  if (found.isPending) records.push({ commit: structuredClone(found.pendingCommit().commit) });
  return records;
}

/** What the records show: the feed's last number, and the notes, as a reader and a successor know them. */
function read(records: readonly LogRecord[]) {
  const replayed = sequencer();
  let live: LiveDay | null = null;
  const gaps = new Map<EpochNs, TapeGap>();
  for (const record of records) {
    if ('opening' in record) {
      replayed.restore(record.opening);
      live = new LiveDay(record.opening);
    } else {
      assert(replayed.replay(record.commit));
      live!.apply(record.commit);
    }
    for (const gap of live!.notes.gaps) gaps.set(gap.from, gap);
  }
  assert.deepEqual(replayed.state?.notes, live?.notes.all);
  replayed.resume();
  return { replayed, notes: live?.notes ?? null, gaps };
}

const steps = fc.array(fc.record({ rows: fc.nat(8), endsDay: fc.boolean() }), {
  minLength: 1,
  maxLength: 8,
});

test('no trade is on the tape without the gaps of its offer, no batch or position without all its trades', () => {
  fc.assert(
    fc.property(steps, (some) => {
      const offers = scripted(some);
      const records = recordsOf(sequencer(), offers);
      for (let end = 0; end <= records.length; end += 1) {
        const { notes, gaps, replayed } = read(records.slice(0, end));
        const highest = replayed.state?.lanes[0]?.highestId ?? 0;
        for (const [index, { gap, lastId }] of offers.entries()) {
          const firstId = (offers[index - 1]?.lastId ?? 0) + 1;
          const isWhole = Math.max(0, highest) >= lastId;
          const has = gaps.has(gap.from);
          if (highest >= firstId && lastId >= firstId) assert(has, `gap of ${index}`);
          if (notes?.batch(`${index}`) != null) assert(isWhole && has, `batch ${index}`);
        }
        const position = notes?.position('feed') ?? null;
        if (position !== null) assert(Math.max(0, highest) >= Number(position));
        if (position === null) continue;
        const known = offers.filter((_, index) => notes?.batch(`${index}`) != null);
        assert.equal(position, `${known.at(-1)!.lastId}`, 'a batch comes with its position');
      }
    }),
    { numRuns: 200 },
  );
});

test('cut behind any record and offered again, the tape has the notes of one that was never cut', () => {
  fc.assert(
    fc.property(steps, fc.nat(), (some, cut) => {
      const offers = scripted(some);
      const whole = recordsOf(sequencer(), offers);
      const kept = whole.slice(0, cut % (whole.length + 1));
      const { replayed, notes } = read(kept);
      const next = offers.findIndex((_, index) => notes?.batch(`${index}`) == null);
      const rest = next < 0 ? [] : recordsOf(replayed, offers.slice(next));
      const again = read([...kept, ...rest]);
      const calm = read(whole);
      assert.deepEqual(again.notes?.all, calm.notes?.all);
      assert.deepEqual(again.gaps, calm.gaps);
    }),
    { numRuns: 200 },
  );
});

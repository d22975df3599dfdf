import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCursor } from '@tapeloom/core/cursor';
import { utcDay } from '@tapeloom/core/utc-day';
import { ManualClock } from '../../../../../simulation/clock/manual-clock.ts';
import { brokenBy, parseEpochs } from '../../topics/epoch-floors.ts';
import type { FromIngest } from '../ingest/ingest-wire.ts';
import { SharedFloors, type SharedFloorsOptions } from './shared-floors.ts';

const DAY = utcDay(20261112);

/** A tape whose books are stored when the test decides. */
function stage(floors: string | null = null) {
  const news: FromIngest[] = [];
  const tape = { book: { floors }, count: 10, set: null as string | null };
  const find = () => ({ count: tape.count });
  const publisher = { days: [{ day: DAY, find }] };
  const clock = new ManualClock(0n);
  const shared = new SharedFloors({
    tape: {
      get book() {
        return tape.book;
      },
      bookNumber: 1,
      missingDays: [],
      publisher,
      setFloors: (text: string) => {
        tape.set = text;
      },
    } as unknown as SharedFloorsOptions['tape'],
    clock,
    send: (it) => news.push(it),
    listed: () => ['ESU6'],
  });
  const over = new AbortController();
  /** Storing the book takes a moment, in which the tape grows. */
  const bookChanged = async () => {
    await Promise.resolve();
    tape.count += 5;
    tape.book = { floors: tape.set };
  };
  return { shared, tape, news, clock, term: { bookChanged, signal: over.signal }, over };
}

test('the floor of a new version lies beyond everything that was stored before the others were given up [DET-23]', async () => {
  const { shared, tape, term } = stage();
  shared.agree({ vwap: 'old' });
  await shared.lead(term);
  assert.equal(tape.count, 15);
  shared.agree({ vwap: 'new' });
  while (!tape.book.floors!.includes('"new"')) await Promise.resolve();
  const { floors } = parseEpochs(tape.book.floors!, ['vwap'])!;
  const at = (rank: number) => parseCursor(`${DAY}.${rank}.0`)!;
  // The first book was stored behind trade 20: until then the older version may have been shown.
  assert.equal(brokenBy(floors, { contract: 'ESU6', indicator: 'vwap' }, at(20)), 'engine_changed');
  assert.equal(brokenBy(floors, { contract: 'ESU6', indicator: 'vwap' }, at(21)), null);
});

test('the tape waits until floors hold, those of the newest book at a start too', async () => {
  const { shared, news } = stage('first');
  assert.deepEqual(news, [{ t: 'floors', text: 'first' }]);
  let isHeld = false;
  const telling = shared.tell({ floors: 'second' }).then(() => {
    isHeld = true;
  });
  shared.hold('first');
  await new Promise(setImmediate);
  assert.ok(!isHeld, 'what was told before says nothing of it');
  shared.hold('second');
  await telling;
  assert.equal(news.length, 2);
  await shared.tell({ floors: 'second' });
  const last = shared.tell({ floors: 'third' });
  shared[Symbol.dispose]();
  await last;
});

test('who no longer appends writes nothing', async () => {
  const { shared, tape, term, over } = stage();
  await shared.lead(term);
  over.abort();
  shared.agree({ vwap: 'new' });
  await new Promise(setImmediate);
  assert.equal(tape.set, null);
});

test('a term that was over before it began leaves no timer, which would keep the thread from its end', async () => {
  const { shared, tape, clock, term, over } = stage();
  over.abort();
  await shared.lead(term);
  assert.equal(clock.timerCount, 0);
  shared.agree({ vwap: 'new' });
  await new Promise(setImmediate);
  assert.equal(tape.set, null);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { EpochNs } from '@tapeloom/core/numbers';
import { addDays, epochNs } from '@tapeloom/core/utc-day';
import fc from 'fast-check';
import { answerToRefused, refusedAs } from '../../testing/refused-as.ts';
import { BY_ID, CONTRACT, DAY, HOUR_NS, SESSIONS } from '../../testing/stream/engine-run.ts';
import { MemoryTape, type MemoryTrade } from '../../testing/tape/memory-tape.ts';
import { Refusal } from '../platform/refusal.ts';
import { answerTo } from '../platform/refusal-answer.ts';
import { SharedSlots } from '../platform/sharing/shared-slots.ts';
import { SettledDaysReader } from '../results/settled-days-reader.ts';
import { AHEAD_MS_MAX } from '../runs/ahead-wait.ts';
import type { Cover } from '../runs/cover.ts';
import { tradesBetween } from '../runs/coverage.ts';
import { AWAITED_LIMITS } from './awaited-cover.ts';
import { type CoveredQuery, type CoverMoment, coverQuery } from './covered-query.ts';
import type { HistoryQuery } from './history-query.ts';

const SECOND_NS = 1_000_000_000;
const OPEN_NS = 10 * HOUR_NS;

/** An instant so many seconds after the open of the first session. */
function at(seconds: number): EpochNs {
  return epochNs(DAY, OPEN_NS + seconds * SECOND_NS);
}

function tradeAt(seconds: number): MemoryTrade {
  return { at: at(seconds), price: 100, size: 1, side: 1 };
}

const isBehindHere = (error: unknown) => error instanceof Refusal && error.reason.t === 'behind';

/** Ten trades a second apart, then nothing for the rest of the first day. */
class Desk {
  readonly tape = new MemoryTape(CONTRACT, 100);
  readonly #days: SettledDaysReader;
  /** Calls to a compute thread. */
  calls = 0;
  readonly pauses: number[] = [];
  readonly awaited = new SharedSlots({ eachMax: 2, allMax: 2 });
  visible = at(20);
  isReady = true;
  /** Called at every pause of a waiting request. */
  onPause = (): void => {};

  /** The tape begins with the first day, or on another day without trades. */
  constructor(day = DAY) {
    const trades = Array.from({ length: 10 }, (_, index) => tradeAt(index + 0.5));
    if (day === DAY) this.tape.commit(trades, at(20));
    else this.tape.commit([], epochNs(day, 23 * HOUR_NS));
    const shared = {
      tape: this.tape,
      indicators: BY_ID,
      sessionsOf: () => SESSIONS,
      yieldTurn: async () => {},
    };
    this.#days = new SettledDaysReader({ ...shared, cache: null });
  }

  async cover(
    rest: Partial<HistoryQuery>,
    moment: Partial<CoverMoment> = {},
  ): Promise<CoveredQuery> {
    const query: HistoryQuery = {
      instrument: CONTRACT,
      contract: CONTRACT,
      tickSizeNanos: 1,
      indicator: 'bars',
      params: {},
      depth: 1,
      computeUnitsPerTrade: 2,
      mode: 'live',
      hasSnapshot: false,
      format: 'ndjson',
      from: at(0),
      to: this.visible,
      untilCursor: null,
      cursor: null,
      limit: 10,
      ...rest,
    };
    return await coverQuery(
      query,
      { days: { cover: (...of) => this.#counted(...of) } },
      {
        visible: () => this.visible,
        arrived: this.visible,
        isReady: () => this.isReady,
        contractOn: () => CONTRACT,
        enterWait: () => this.awaited.enter('account'),
        requestWatermark: () => {},
        isTapeAhead: () => false,
        pause: async (ms) => {
          this.pauses.push(ms);
          this.onPause();
        },
        ...moment,
      },
    );
  }

  async #counted(...of: Parameters<SettledDaysReader['cover']>): Promise<Cover> {
    this.calls += 1;
    return await this.#days.cover(...of);
  }

  async refused(
    rest: Partial<HistoryQuery>,
    moment: Partial<CoverMoment> = {},
  ): Promise<readonly [string, string | undefined]> {
    const { code, errors } = await answerToRefused(this.cover(rest, moment));
    return [code, errors?.[0]?.path];
  }
}

const cursor = (rank: number, k: number, day = DAY) => `${day}.${rank}.${k}`;

test('the cost is the trades of the range times what a trade costs, from the cursor on where there is one [COUNT-15]', async () => {
  const desk = new Desk();
  const whole = await desk.cover({});
  assert.deepEqual([whole.trades, whole.computeUnits, whole.until], [10, 20, desk.visible]);
  assert.equal((await desk.cover({ from: at(2), to: at(5) })).trades, 3);
  assert.equal((await desk.cover({ from: at(2), to: at(5), cursor: cursor(4, 7) })).trades, 1);
  assert.equal((await desk.cover({ from: at(11) })).trades, 0);
  assert.equal(tradesBetween(whole.coverage, cursor(7, 1), null), 3);
});

test('a range to a cursor ends with its trade, and covers what is published with it [DET-20]', async () => {
  const desk = new Desk();
  const covered = await desk.cover({ untilCursor: cursor(4, 1) });
  assert.deepEqual([covered.trades, covered.until], [4, at(4.5)]);
  assert.equal(covered.publishedUntil, at(5));
  assert.equal(tradesBetween(covered.coverage, cursor(1, 1), cursor(4, 1)), 3);
  const last = await desk.cover({ untilCursor: cursor(10, 3) });
  assert.deepEqual([last.trades, last.until], [10, desk.visible]);
  // Trades of one nanosecond become visible together, and are still counted one by one.
  desk.tape.commit([tradeAt(21), tradeAt(21), tradeAt(21)], at(30));
  desk.visible = at(30);
  const twin = await desk.cover({ untilCursor: cursor(12, 1) });
  assert.deepEqual([twin.trades, twin.until], [12, (at(21) + 1n) as EpochNs]);
});

test('cursors outside of the range are refused where they stand', async () => {
  const desk = new Desk();
  assert.deepEqual(await desk.refused({ from: at(3), cursor: cursor(2, 1) }), [
    'INVALID_PARAMETERS',
    '/cursor',
  ]);
  await desk.cover({ from: at(3), cursor: cursor(3, 1) });
  await desk.cover({ from: at(3), to: at(5), cursor: cursor(5, 1) });
  for (const beyond of [cursor(6, 0), cursor(11, 0), cursor(0, 0, addDays(DAY, 1))]) {
    assert.deepEqual(await desk.refused({ from: at(3), to: at(5), cursor: beyond }), [
      'INVALID_PARAMETERS',
      '/cursor',
    ]);
  }
  const until = { untilCursor: cursor(5, 1) };
  await desk.cover({ ...until, cursor: cursor(5, 1) });
  assert.deepEqual(await desk.refused({ ...until, cursor: cursor(5, 2) }), [
    'INVALID_PARAMETERS',
    '/cursor',
  ]);
  assert.deepEqual(await desk.refused({ from: at(7), untilCursor: cursor(6, 9) }), [
    'INVALID_PARAMETERS',
    '/untilCursor',
  ]);
});

test('a cursor whose day is not on the tape has expired, a range to one is not covered', async () => {
  const desk = new Desk();
  const before = addDays(DAY, -1);
  assert.deepEqual(await desk.refused({ from: epochNs(before, 0), cursor: cursor(3, 1, before) }), [
    'CURSOR_EXPIRED',
    undefined,
  ]);
  // The day after has sessions, but the tape jumped over it.
  desk.tape.commit([], epochNs(DAY, 49 * HOUR_NS));
  desk.visible = epochNs(DAY, 49 * HOUR_NS);
  const missing = await answerToRefused(desk.cover({ untilCursor: cursor(3, 1, addDays(DAY, 1)) }));
  assert.equal(missing.code, 'NOT_COVERED');
  assert.deepEqual(missing.members, {
    computeUnits: 20,
    missingDays: ['2026-11-13'],
    missingDaysTotal: 1,
  });
  const part = await answerToRefused(desk.cover({ from: at(5) }));
  assert.deepEqual(part.members, {
    computeUnits: 10,
    missingDays: ['2026-11-13'],
    missingDaysTotal: 1,
  });
});

test('what the caller may not see yet gets one answer after one time, whether it is there or not [SEC-25] [DET-13]', async () => {
  const desk = new Desk();
  desk.visible = at(5);
  const outcome = async (rest: Partial<HistoryQuery>) => {
    desk.pauses.length = 0;
    const refusal = await answerToRefused(desk.cover({ to: at(5), ...rest }));
    return { refusal, pauses: [...desk.pauses] };
  };
  for (const [field, other] of [
    ['untilCursor', null],
    ['cursor', null],
    ['cursor', cursor(3, 1)],
  ] as const) {
    const asked = (text: string) => outcome({ untilCursor: other, [field]: text });
    const there = await asked(cursor(6, 1));
    assert.deepEqual(there.refusal, {
      code: 'INVALID_PARAMETERS',
      detail: `/${field} is ahead of the newest data that the key can see`,
      errors: [{ path: `/${field}`, message: 'is ahead of the newest data that the key can see' }],
    });
    assert.equal(
      there.pauses.reduce((sum, ms) => sum + ms),
      AHEAD_MS_MAX,
    );
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.integer({ min: 6, max: 12 }), fc.integer({ min: 6, max: 2 ** 32 - 1 })),
        fc.nat(),
        fc.constantFrom(0, 0, 0, 1, 2, 400),
        async (rank, k, days) => {
          assert.deepEqual(await asked(cursor(rank, k, addDays(DAY, days))), there);
        },
      ),
      { numRuns: 30 },
    );
  }
  // The last visible trade needs no wait, whatever its k; the range ends at the visible end.
  const last = await desk.cover({ to: at(5), untilCursor: cursor(5, 99) });
  assert.deepEqual([last.until, last.publishedUntil], [at(5), at(5)]);
});

test('a cursor that a stream gave a moment ago is waited for', async () => {
  const desk = new Desk();
  desk.onPause = () => {
    if (desk.pauses.length !== 3) return;
    desk.tape.commit([tradeAt(21)], at(22));
    desk.visible = at(22);
  };
  const covered = await desk.cover({ untilCursor: cursor(11, 1) }, { arrived: at(21.5) });
  assert.deepEqual([covered.trades, covered.until], [11, at(22)]);
  assert.equal(desk.pauses.length, 3);
  // An update by time alone: its trade is there, but the watermark has not reached the arrival of the request.
  desk.onPause = () => {
    desk.tape.commit([], at(60));
    desk.visible = at(60);
  };
  const quiet = await desk.cover({ untilCursor: cursor(11, 2) }, { arrived: at(55) });
  assert.equal(quiet.until, at(60));
  // A day that is over never gets another trade, so there is no wait.
  desk.tape.commit([], epochNs(addDays(DAY, 1), 0));
  desk.visible = epochNs(addDays(DAY, 1), 0);
  const pauses = desk.pauses.length;
  assert.deepEqual(await desk.refused({ untilCursor: cursor(12, 1) }), [
    'INVALID_PARAMETERS',
    '/untilCursor',
  ]);
  assert.equal(desk.pauses.length, pauses);
});

test('a node among others does not end a range before updates by time that another may have given', async () => {
  const desk = new Desk();
  const asked = { untilCursor: cursor(10, 2) };
  const arrived = at(55);
  for (const isBehind of [true, false]) {
    const among = desk.cover(asked, { arrived, isBehind: () => isBehind });
    await assert.rejects(among, isBehindHere);
  }
  const alone = await desk.cover(asked, { arrived });
  assert.equal(alone.until, desk.visible);
});

test('nor in the middle of a flush that another has published', async () => {
  const desk = new Desk();
  desk.tape.commit([tradeAt(21.1), tradeAt(21.2)], at(21.3));
  desk.visible = at(21.3);
  const asked = { untilCursor: cursor(11, 1) };
  const moment = { arrived: at(21.6), isBehind: () => false };
  await assert.rejects(desk.cover(asked, moment), isBehindHere);
  desk.onPause = () => {
    desk.visible = at(21.6);
    desk.tape.commit([], desk.visible);
  };
  const covered = await desk.cover(asked, moment);
  assert.deepEqual([covered.until, covered.publishedUntil], [at(21.2), at(21.6)]);
  // Once its second is over there is no wait.
  desk.tape.commit([], at(22));
  desk.visible = at(22);
  desk.onPause = assert.fail;
  const late = await desk.cover(asked, { ...moment, arrived: at(30) });
  assert.deepEqual([late.publishedUntil, late.isEndFixed], [at(22), true]);
});

test('a reader at the edge of the tape requests a watermark, and goes on when it comes', async () => {
  const desk = new Desk();
  let requests = 0;
  const arrived = at(30);
  const covered = await desk.cover(
    { untilCursor: cursor(10, 1) },
    {
      arrived,
      requestWatermark: () => {
        requests += 1;
        desk.visible = arrived;
      },
    },
  );
  assert.equal(covered.trades, 10);
  assert.equal(requests, 1);
  assert.ok(desk.pauses.reduce((sum, ms) => sum + ms) <= 20);
});

test('the compute threads are called once, and after a wait once more: more of the tape is there then', async () => {
  const desk = new Desk();
  const both = { untilCursor: cursor(10, 1), cursor: cursor(2, 1) };
  await desk.cover(both);
  assert.equal(desk.calls, 1);
  desk.calls = 0;
  const requestWatermark = () => {
    desk.visible = at(30);
  };
  await desk.cover(both, { arrived: at(30), requestWatermark });
  assert.equal(desk.calls, 2);
});

test('both cursors together are waited for no longer than one', async () => {
  const desk = new Desk();
  desk.onPause = () => {
    if (desk.pauses.length === 5) desk.visible = at(60);
    desk.tape.commit(desk.pauses.length === 5 ? [tradeAt(21)] : [], desk.visible);
  };
  const asked = { untilCursor: cursor(11, 1), cursor: cursor(12, 1) };
  assert.deepEqual(await desk.refused(asked), ['INVALID_PARAMETERS', '/cursor']);
  assert.equal(
    desk.pauses.reduce((sum, ms) => sum + ms),
    AHEAD_MS_MAX,
  );
});

test('so many requests of an account wait and no more, and each gives its place back', async () => {
  const desk = new Desk();
  const pausing = Promise.withResolvers<void>();
  const ahead = { untilCursor: cursor(11, 1) };
  const waiting = [1, 2].map(() => desk.cover(ahead, { pause: () => pausing.promise }));
  while (desk.awaited.count < 2) await turn();
  await assert.rejects(desk.cover(ahead), refusedAs('full'));
  await desk.cover({ untilCursor: cursor(10, 1) });
  pausing.reject(new Error('the client has gone'));
  await Promise.all(waiting.map((one) => assert.rejects(one, /has gone/)));
  assert.equal(desk.awaited.count, 0);
  assert.equal((await desk.refused(ahead))[1], '/untilCursor');
  assert.equal(desk.awaited.count, 0);
});

test('on an alias a range ends with the contract it began with, and a roll ahead tells nothing [DET-22]', async () => {
  const desk = new Desk();
  const next = addDays(DAY, 1);
  const rolls = { contractOn: (day: number) => (day < next ? CONTRACT : 'ESH7') };
  const until = { untilCursor: cursor(1, 1, next) };
  const ahead = await answerToRefused(desk.cover(until, rolls));
  assert.deepEqual(
    ahead.errors?.map(({ path }) => path),
    ['/untilCursor'],
  );
  const plain = desk.pauses.splice(0);
  await answerToRefused(desk.cover(until));
  assert.deepEqual(desk.pauses, plain);
  // Reached during the wait, and long past.
  for (const day of [next, addDays(DAY, 2)]) {
    desk.pauses.length = 0;
    desk.onPause = () => {
      desk.visible = epochNs(day, HOUR_NS);
    };
    const other = await answerToRefused(desk.cover(until, rolls));
    assert.notEqual(other.detail, ahead.detail);
  }
  // Pages continue with their first contract.
  desk.tape.commit([], desk.visible);
  const page = desk.cover({ cursor: cursor(0, 0, next), to: desk.visible }, rolls);
  const refusal = await page.catch((error: unknown) => error);
  assert.notEqual(
    refusal instanceof Refusal && answerTo(refusal.reason).code,
    'INVALID_PARAMETERS',
  );
});

test('a study that no complete session of its look-back can serve is refused with the days it lacks [DET-19] [HIST-17]', async () => {
  const desk = new Desk();
  const study = { indicator: 'large-trades', params: { session: 'full', minSize: 0 } };
  const first = await answerToRefused(desk.cover(study));
  assert.deepEqual(
    [first.code, first.members],
    ['NOT_COVERED', { computeUnits: 20, missingDays: [], missingDaysTotal: 0 }],
  );
  await desk.cover({ ...study, params: { session: 'full', minSize: 5 } });
  // The sessions before the third are complete.
  desk.visible = epochNs(DAY, 35 * HOUR_NS);
  desk.tape.commit([], desk.visible);
  const third = { from: epochNs(DAY, 34 * HOUR_NS), to: desk.visible };
  await desk.cover({ ...study, ...third, hasSnapshot: true });
  await desk.cover({ ...study, ...third });
  const late = new Desk(addDays(DAY, 1));
  late.visible = desk.visible;
  const refused = await answerToRefused(late.cover({ ...study, ...third, hasSnapshot: true }));
  assert.deepEqual(refused.members, {
    computeUnits: 0,
    missingDays: ['2026-11-12'],
    missingDaysTotal: 1,
  });
});

test('while the tape is being filled nothing is said about it', async () => {
  const desk = new Desk();
  desk.isReady = false;
  assert.equal((await desk.refused({}))[0], 'WARMING');
});

test('however many accounts wait for cursors as often as they may, another finds a place [SEC-37]', () => {
  const awaited = new SharedSlots(AWAITED_LIMITS);
  const { eachMax, allMax, keptForNew = 0 } = AWAITED_LIMITS;
  for (let account = 0; account < 20; account += 1) {
    for (let count = 0; count <= eachMax; count += 1) awaited.enter(`account ${account}`);
  }
  assert.ok(awaited.count >= allMax - keptForNew && awaited.count < allMax);
  assert.notEqual(awaited.enter('another'), null);
});

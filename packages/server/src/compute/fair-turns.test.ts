import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as rest } from 'node:timers/promises';
import type { EpochNs } from '@tapeloom/core/numbers';
import { epochNs } from '@tapeloom/core/utc-day';
import fc from 'fast-check';
import { noLogs } from '../../testing/history/settled-world.ts';
import {
  BY_ID,
  CONTRACT,
  DAY,
  HOUR_NS,
  paramsOf,
  SESSIONS,
} from '../../testing/stream/engine-run.ts';
import { MemoryTape } from '../../testing/tape/memory-tape.ts';
import { SettledDaysReader } from '../results/settled-days-reader.ts';
import { CREDIT_MS, FairTurns } from './fair-turns.ts';

/** A thread whose time advances only by its work. */
class Thread {
  ms = 0;
  readonly turns = new FairTurns({ now: () => this.ms, rest });

  /** Work of so many milliseconds, one unit at a time; returns the total time it took. */
  async work(account: string, ms: number): Promise<number> {
    const asked = this.ms;
    await this.turns.within(account, async () => {
      for (let done = 0; done < ms; done += 1) {
        this.ms += 1;
        await this.turns.yieldTurn();
      }
    });
    return this.ms - asked;
  }
}

/** Always has a call in progress until it is stopped. */
async function always(thread: Thread, account: string, ms: number, isOver: () => boolean) {
  let used = 0;
  while (!isOver()) {
    await thread.work(account, ms);
    used += ms;
  }
  return used;
}

test('a page of one account takes at most twice its idle time while another reads ten years', async () => {
  const thread = new Thread();
  let isOver = false;
  // Days of three seconds each, one after the other.
  const long = always(thread, 'reads for years', 3_000, () => isOver);
  await rest();
  const slowdowns: number[] = [];
  for (let page = 0; page < 100; page += 1) {
    const idleMs = 1 + ((page * 37) % 400);
    slowdowns.push((await thread.work('pages', idleMs)) / idleMs);
    // The reader processes a page before it requests the next.
    const until = thread.ms + (page % 7) * 40;
    while (thread.ms < until) await rest();
  }
  isOver = true;
  await long;
  const p95 = slowdowns.toSorted((a, b) => a - b)[94]!;
  assert.ok(p95 <= 2, `p95 ${p95}`);
});

test('two accounts that always want more get the same, however they cut their work', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 50 }),
      fc.integer({ min: 1, max: 400 }),
      fc.integer({ min: 1, max: 3 }),
      async (oneMs, otherMs, calls) => {
        const thread = new Thread();
        const isOver = () => thread.ms >= 2_000;
        const [used, ...others] = await Promise.all([
          always(thread, 'one', oneMs, isOver),
          ...Array.from({ length: calls }, () => always(thread, 'other', otherMs, isOver)),
        ]);
        const usedByOther = others.reduce((sum, ms) => sum + ms, 0);
        assert.ok(
          Math.abs(used! - usedByOther) <= (calls + 1) * 400 + 50,
          `${used} ${usedByOther}`,
        );
      },
    ),
    { numRuns: 20 },
  );
});

test('among many that are alike the one served longest ago goes next', async () => {
  const thread = new Thread();
  const order: string[] = [];
  const works = ['a', 'b', 'c'].map(async (account) => {
    await thread.turns.within(account, async () => {
      for (let done = 0; done < 4; done += 1) {
        order.push(account);
        thread.ms += 1;
        await thread.turns.yieldTurn();
      }
    });
  });
  await Promise.all(works);
  assert.equal(order.join(''), 'abcabcabcabc');
});

test('who was away comes back a little ahead of the others, and no more', async () => {
  const thread = new Thread();
  let isOver = false;
  const long = always(thread, 'stays', 100, () => isOver);
  while (thread.ms < 10 * CREDIT_MS) await rest();
  const tookMs = await thread.work('returns', 3 * CREDIT_MS);
  isOver = true;
  await long;
  // All of the credit at once, then every other turn.
  assert.ok(Math.abs(tookMs - 5 * CREDIT_MS) <= 2, `${tookMs}`);
});

test('a call that fails or is given up leaves the thread to the others', async () => {
  const thread = new Thread();
  const { turns } = thread;
  await assert.rejects(
    turns.within('a', async () => {
      throw new Error('broken');
    }),
    /broken/,
  );
  // The reader disconnects while the work waits for a turn; the work notices afterwards.
  const gone = Promise.withResolvers<never>();
  let steps = 0;
  const work = async () => {
    for (; steps < 5; steps += 1) await turns.yieldTurn();
  };
  let underWay: Promise<void> = Promise.resolve();
  const given = turns.within('a', () => {
    underWay = work();
    return Promise.race([underWay, gone.promise]);
  });
  const other = thread.work('b', 20);
  gone.reject(new Error('closed'));
  await assert.rejects(given, /closed/);
  await underWay;
  assert.equal(await other, 20);
  assert.equal(await thread.work('c', 3), 3);
});

test('who waits for what is done elsewhere leaves the thread to the others, and takes its turn afterwards', async () => {
  const thread = new Thread();
  const elsewhere = Promise.withResolvers<string>();
  const seen: string[] = [];
  let other: Promise<unknown> = Promise.resolve();
  const waiting = thread.turns.within('waits', async () => {
    seen.push(await thread.turns.aside(() => elsewhere.promise));
    await assert.rejects(
      thread.turns.aside(() => Promise.reject(new Error('no disk'))),
      /no disk/,
    );
    // It holds the thread again, so the next call waits for its yield.
    other = thread.work('works', 1).then(() => seen.push('last'));
    await rest();
    seen.push('first');
  });
  await rest();
  assert.equal(await thread.work('works', 20), 20);
  elsewhere.resolve('made elsewhere');
  await waiting;
  await other;
  assert.deepEqual(seen, ['made elsewhere', 'first', 'last']);
});

test('one thing is done aside at a time, for the account that used least, and what waits does not pile up', async () => {
  const thread = new Thread();
  const done: string[] = [];
  const elsewhere: PromiseWithResolvers<void>[] = [];
  let computed = 0;
  const press = (account: string, ms: number) =>
    thread.turns.within(account, async () => {
      thread.ms += ms;
      computed += 1;
      const pressing = Promise.withResolvers<void>();
      await thread.turns.aside(async () => {
        elsewhere.push(pressing);
        done.push(account);
        await pressing.promise;
      });
    });
  const all = Array.from({ length: 8 }, () => press('reads a lot', 10));
  await rest();
  // One is in progress and one waits; the other six have not been computed.
  assert.deepEqual([done.length, computed], [1, 2]);
  const other = press('reads once', 1);
  await rest();
  assert.deepEqual([done.length, computed], [1, 3]);
  for (let at = 0; at < 9; at += 1) {
    elsewhere[at]!.resolve();
    await rest();
    await rest();
    assert.equal(elsewhere.length, Math.min(9, at + 2), 'one at a time');
  }
  await Promise.all([...all, other]);
  assert.deepEqual(done.slice(0, 3), ['reads a lot', 'reads once', 'reads a lot']);
});

test('of any number of accounts only so many are remembered', async () => {
  const thread = new Thread();
  for (let account = 0; account < 1_500; account += 1) await thread.work(`${account}`, 1);
  assert.ok(thread.turns.accountCount <= 1_024);
});

test('real reads of settled days share a thread by slices, not by days', async () => {
  const tape = new MemoryTape(CONTRACT, 32_768);
  const until = epochNs(DAY, 12 * HOUR_NS);
  for (let first = 0; first < 700_000; first += 50_000) {
    const trades = Array.from({ length: 50_000 }, (_, index) => ({
      at: epochNs(DAY, 10 * HOUR_NS + (first + index) * 10_000_000),
      price: 100 + (index % 9),
      size: 1,
      side: 1 as const,
    }));
    tape.commit(trades, until);
  }
  // Each slice takes a hundred times the credit of a returning account.
  let slices = 0;
  const turns = new FairTurns({ now: () => slices * 100 * CREDIT_MS, rest });
  const days = new SettledDaysReader({
    tape,
    indicators: BY_ID,
    sessionsOf: () => SESSIONS,
    yieldTurn: () => {
      slices += 1;
      return turns.yieldTurn();
    },
    cache: null,
    logs: noLogs(),
  });
  const slicesOf = async (account: string, end: EpochNs) => {
    const params = paramsOf(BY_ID.get('bars')!, {});
    const about = { account, contract: CONTRACT, indicator: 'bars', params, from: epochNs(DAY, 0) };
    await using read = await days.read({ ...about, until: end, hasTail: false, form: 'blocks' });
    const asked = slices;
    await turns.within(account, () => read.next());
    return slices - asked;
  };
  const short = epochNs(DAY, 10.5 * HOUR_NS);
  const idle = await slicesOf('page', short);
  const [long, page] = await Promise.all([slicesOf('years', until), slicesOf('page', short)]);
  assert.ok(long > 4 * idle, `${long} ${idle}`);
  assert.ok(page <= 2 * idle + 1, `${page} slices, ${idle} when idle`);
});

test('a thread rests at once when it is wanted, and now and then when it is not', async () => {
  for (const [isWanted, restsExpected] of [
    [true, 40],
    [false, 5],
  ] as const) {
    let ms = 0;
    let rests = 0;
    const turns = new FairTurns({
      now: () => ms,
      rest: async () => {
        rests += 1;
      },
      isWanted: () => isWanted,
    });
    await turns.within('reads', async () => {
      for (let step = 0; step < 40; step += 1) {
        ms += 1;
        await turns.yieldTurn();
      }
    });
    assert.equal(rests, restsExpected);
  }
});

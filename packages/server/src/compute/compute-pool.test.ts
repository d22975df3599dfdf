import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as settle } from 'node:timers/promises';
import type { Cursor } from '@tapeloom/core/cursor';
import type { EpochNs, Rank } from '@tapeloom/core/numbers';
import { epochNs, utcDay } from '@tapeloom/core/utc-day';
import { ManualClock } from '../../../../simulation/clock/manual-clock.ts';
import { LoopbackPort } from '../../testing/platform/loopback-port.ts';
import { refusedAs } from '../../testing/refused-as.ts';
import { isRefused, Refusal } from '../platform/refusal.ts';
import type { DaysPage, SettledDays, SettledDaysRequest } from '../results/settled-days.ts';
import type { ReplayPage, Replays } from '../runs/replay.ts';
import { ComputeDesk } from './compute-desk.ts';
import { type ComputeLimits, ComputePool } from './compute-pool.ts';
import type { ComputeShape } from './compute-wire.ts';
import { FairTurns } from './fair-turns.ts';

const DAY = utcDay(20261112);
const REPLAY_PAGE: ReplayPage = {
  blocks: [],
  position: '20261112.1.0',
  chargedTrades: 0,
  isLast: false,
};

/** A compute thread without a thread: work takes yields. */
class FakeThread extends LoopbackPort<ComputeShape> {
  readonly turns = new FairTurns({ now: () => this.world.ms++, rest: () => settle() });
  readonly closed: string[] = [];
  readonly world: World;
  readonly name: number;

  constructor(world: World, name: number) {
    super();
    this.world = world;
    this.name = name;
    const desk = new ComputeDesk({
      tape: { promise: 1_000n as EpochNs, follow: () => ({ [Symbol.dispose]() {} }) },
      days: this.#days(),
      replays: {
        locate: async () => ({ t: 'beyond' }),
        open: async () => ({
          next: async () => REPLAY_PAGE,
          [Symbol.asyncDispose]: async () => {},
        }),
      } satisfies Replays,
      turns: this.turns,
      timers: world.clock,
      tables: { replace: () => {} },
      tell: (fault) => this.desk.tell(fault),
    });
    this.desk.open(desk);
  }

  die(): void {
    this.fail(new Error('out of memory'));
  }

  #days(): SettledDays & { damaged: { add(contract: string): void } } {
    return {
      damaged: { add: (contract) => this.world.damaged.push(`${this.name} ${contract}`) },
      daysOf: async (contracts) => contracts.map(() => []),
      coverage: async () => {
        return {
          days: [],
          trades: this.name,
          missingDays: [],
          gaps: [],
          missingLookBack: null,
          lookBackFrom: null,
          inputs: '',
          sealed: null,
        };
      },
      tradesAfter: async (contract) => (contract === 'uncrossable' ? (Symbol() as never) : 0),
      read: async (request) => this.#read(request),
    };
  }

  #read({ account, contract, after = null }: SettledDaysRequest) {
    this.world.opened.push(after);
    if (contract === 'missing') throw new Refusal({ t: 'days-missing', contract, days: [DAY] });
    let isClosed = false;
    const page = (k: number): DaysPage => {
      const counts = { rank: this.name, skipped: 0, updates: 0 };
      const rest = { isDayOver: false, isWarm: true, blocks: [], tail: null };
      const parts = [{ day: DAY, ...counts, ...rest }];
      const position = { day: DAY, rank: this.name as Rank, k };
      return { parts, frames: new Uint8Array(0), position, isLast: false };
    };
    return {
      inputs: this.world.inputs,
      kept: async () => (this.world.isKept ? page(9) : null),
      next: async (): Promise<DaysPage | null> => {
        if (contract === 'damaged')
          throw new Refusal({ t: 'day-damaged', contract, day: DAY }, new Error('a bit'));
        if (contract === 'broken') throw new Error('a secret of the house');
        for (let slice = 0; slice < this.world.slices; slice += 1) {
          if (isClosed && contract === 'unclosable') throw new Error('a file is gone');
          if (isClosed) throw new Refusal({ t: 'closed' });
          this.world.worked.push(account);
          await this.turns.yieldTurn();
        }
        return page(1);
      },
      [Symbol.asyncDispose]: async () => {
        isClosed = true;
        this.closed.push(account);
      },
    };
  }
}

/** Which thread made a page. */
function pageThread(page: DaysPage | null): number {
  return page!.parts[0]!.rank;
}

class World implements AsyncDisposable {
  readonly threads: FakeThread[] = [];
  readonly damaged: string[] = [];
  /** Where reads were told to go on. */
  readonly opened: (Cursor | null)[] = [];
  inputs = '';
  /** Whether the first page of a read is there before it is computed. */
  isKept = false;
  readonly faults: string[] = [];
  /** Whose work was done, slice by slice. */
  readonly worked: string[] = [];
  slices = 3;
  ms = 0;
  readonly clock = new ManualClock(0n);
  readonly pool: ComputePool;

  constructor(threads: number, limits: Partial<ComputeLimits> = {}) {
    this.pool = new ComputePool({
      threads,
      timers: this.clock,
      startThread: () => {
        const thread = new FakeThread(this, this.threads.length + 1);
        this.threads.push(thread);
        return thread;
      },
      onFault: (error, request) =>
        this.faults.push(`${(error as Error).message} ${request?.contract ?? '-'}`),
      limits,
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.pool[Symbol.asyncDispose]();
  }
}

function request(account: string, contract = 'ESZ6'): SettledDaysRequest {
  return {
    account,
    contract,
    indicator: 'bars',
    params: {},
    from: epochNs(DAY, 0),
    until: 1_000n as EpochNs,
    hasTail: false,
    form: 'blocks',
  };
}

test('reads are placed on the least busy thread and stay there', async () => {
  await using world = new World(3);
  const reads = [];
  for (const one of ['a', 'b', 'c', 'd']) reads.push(await world.pool.read(request(one, one)));
  const results = await Promise.all(reads.map((read) => read.next()));
  assert.deepEqual(results.map(pageThread).toSorted(), [1, 1, 2, 3]);
  await reads[1]![Symbol.asyncDispose]();
  await using fifth = await world.pool.read(request('e', 'e'));
  assert.equal(pageThread(await fifth.next()), pageThread(results[1]!));
  for (const read of reads) await read[Symbol.asyncDispose]();
  assert.equal(world.pool.counts.open, 1);
});

test('what was computed before goes to the same thread, unless that is busier than others', async () => {
  await using world = new World(3);
  const threadOf = async (contract: string) => {
    const read = await world.pool.read(request('a', contract));
    const thread = pageThread(await read.next());
    return { read, thread };
  };
  for (const contract of ['x', 'y', 'z', 'y', 'x', 'y']) {
    const one = await threadOf(contract);
    const again = await threadOf(contract);
    assert.equal(again.thread, one.thread);
    const third = await threadOf(contract);
    assert.notEqual(third.thread, one.thread, 'two reads more than another thread has');
    for (const { read } of [one, again, third]) await read[Symbol.asyncDispose]();
  }
});

test('the accounts of one thread take turns inside their days', async () => {
  await using world = new World(1);
  world.slices = 6;
  await using a = await world.pool.read(request('a'));
  await using b = await world.pool.read(request('b'));
  await Promise.all([a.next(), b.next()]);
  const alternations = world.worked.filter((one, at) => one !== world.worked[at - 1]).length;
  assert.ok(alternations >= 10, world.worked.join(''));
});

test('an aborted request ends its read at once, and the work within a turn', async () => {
  await using world = new World(1);
  world.slices = 1_000;
  const controller = new AbortController();
  const read = await world.pool.read(request('a'), controller.signal);
  const next = read.next();
  while (world.worked.length < 3) await settle();
  const reason = new Error('the client is gone');
  controller.abort(reason);
  await assert.rejects(next, reason);
  await assert.rejects(read.next(), reason);
  assert.equal(world.pool.counts.open, 0);
  const done = world.worked.length;
  for (let turns = 0; turns < 10; turns += 1) await settle();
  assert.ok(world.worked.length <= done + 2, `${world.worked.length - done} slices more`);
  const { calls, cancelled, refused } = world.pool.counts;
  assert.deepEqual([calls, cancelled], [0, 1]);
  assert.ok(Object.values(refused).every((count) => count === 0));
});

test('room is limited, for one account more than for all', async () => {
  await using world = new World(2, {
    workingPerThread: 2,
    workingPerAccount: 3,
    keptForNewPercent: 0,
    waiting: 2,
    waitingPerAccount: 1,
    waitingKeptForNew: 0,
  });
  const atOnce = (account: string) => ({ ...request(account), isAtOnce: true });
  const reads = [];
  for (let count = 0; count < 3; count += 1) reads.push(await world.pool.read(atOnce('a')));
  const waits = world.pool.read(atOnce('a'));
  await assert.rejects(world.pool.read(atOnce('a')), refusedAs('full'));
  world.slices = 1_000;
  await using other = await world.pool.read(request('b'));
  const pulls = [...reads, other].map((read) => read.next());
  for (const pull of pulls) pull.catch(() => {});
  await settle();
  const controller = new AbortController();
  const given = world.pool.read(request('c'), controller.signal);
  await assert.rejects(world.pool.read(request('d')), refusedAs('full'));
  const replay = { contract: 'ESZ6', indicator: 'bars', params: {}, account: 'd' };
  const from = { t: 'after', cursor: '20261112.0.0' } as const;
  const until = 1_000n as EpochNs;
  await assert.rejects(
    world.pool.open({ ...replay, from, until, chargedBefore: until }),
    refusedAs('full'),
  );
  assert.equal(world.pool.counts.waiting, 2);
  controller.abort();
  await assert.rejects(given);
  await reads[0]![Symbol.asyncDispose]();
  await using _waited = await waits;
  const { open, waiting, refused, cancelled } = world.pool.counts;
  assert.deepEqual([open, waiting, cancelled], [4, 0, 1]);
  assert.deepEqual([refused.account, refused.queue], [1, 2]);
});

test('a read that nobody pulls holds no place: any number of them shuts nobody out [SEC-37] [SEC-38]', async () => {
  await using world = new World(1, { workingPerThread: 2, workingPerAccount: 2 });
  const idle = [];
  for (let count = 0; count < 64; count += 1) {
    const read = await world.pool.read(request(count % 2 === 0 ? 'a' : 'b'));
    await read.next();
    idle.push(read);
  }
  assert.deepEqual([world.pool.counts.open, world.pool.counts.working], [64, 0]);
  await using third = await world.pool.read(request('c'));
  assert.equal(pageThread(await third.next()), 1);
  for (const read of idle) await read[Symbol.asyncDispose]();
  await third[Symbol.asyncDispose]();
  const { open, working, idle: left, waiting } = world.pool.counts;
  assert.deepEqual([open, working, left, waiting], [0, 0, 0, 0]);
});

test('at most eight reads of an account are at work; the ninth waits and is served [SEC-37]', async () => {
  await using world = new World(1);
  world.slices = 1_000;
  const reads = [];
  for (let count = 0; count < 9; count += 1) reads.push(await world.pool.read(request('a')));
  const pulls = reads.map((read) => read.next());
  for (let turns = 0; turns < 30; turns += 1) await settle();
  const { working, waiting } = world.pool.counts;
  assert.deepEqual([working, waiting], [8, 1]);
  // Another account is not held up by it.
  await using other = await world.pool.read(request('b'));
  const others = other.next();
  for (let turns = 0; turns < 10; turns += 1) await settle();
  assert.equal(world.pool.counts.working, 9);
  world.slices = 1;
  assert.ok((await Promise.all([...pulls, others])).every((result) => result !== null));
  for (const read of reads) await read[Symbol.asyncDispose]();
});

test('what idle reads keep is limited: who has most loses first, and goes on all the same [SEC-37]', async () => {
  await using world = new World(1, { idle: { eachMax: 12, allMax: 20 } });
  const reads = [];
  for (const account of ['a', 'a', 'a', 'b', 'b', 'c']) {
    const read = await world.pool.read(request(account));
    await read.next();
    reads.push(read);
  }
  // Each keeps four: the sixth is one too many, and the first of the account with three goes.
  await settle();
  assert.deepEqual(world.threads[0]!.closed, ['a']);
  await using fourth = await world.pool.read(request('b'));
  await fourth.next();
  await settle();
  assert.deepEqual(world.threads[0]!.closed, ['a', 'b'], 'who has most by now is b');
  assert.equal(world.pool.counts.parked, 2);
  const before = world.opened.length;
  assert.equal(pageThread(await reads[0]!.next()), 1);
  assert.deepEqual(world.opened.slice(before), [{ day: DAY, rank: 1, k: 1 }]);
  for (const read of reads) await read[Symbol.asyncDispose]();
});

test('what is kept comes with the opening, before anything is computed, also when a read is opened again', async () => {
  await using world = new World(1, { idle: { eachMax: 0, allMax: 0 } });
  world.isKept = true;
  await using read = await world.pool.read(request('a'));
  const kept = { day: DAY, rank: 1, k: 9 };
  assert.deepEqual((await read.next())!.position, kept);
  assert.deepEqual(world.worked, []);
  // Nobody pulled it for a while: it goes on behind what was taken.
  assert.deepEqual((await read.next())!.position, kept);
  world.isKept = false;
  assert.deepEqual((await read.next())!.position, { day: DAY, rank: 1, k: 1 });
  assert.deepEqual(world.opened, [null, kept, kept]);
  await using given = await world.pool.read(request('a'));
  await given[Symbol.asyncDispose]();
  await assert.rejects(given.next(), refusedAs('closed'));
});

test('a read that is opened again over other days than before ends', async () => {
  await using world = new World(1, { idle: { eachMax: 0, allMax: 0 } });
  await using read = await world.pool.read(request('a'));
  await read.next();
  await read.next();
  world.inputs = 'others';
  await assert.rejects(read.next(), refusedAs('outdated'));
  await assert.rejects(read.next(), refusedAs('outdated'));
  assert.deepEqual([world.pool.counts.open, world.pool.counts.working], [0, 0]);
});

test('a replay that is opened again after its contract was imported anew ends', async () => {
  await using world = new World(1, { idle: { eachMax: 0, allMax: 0 } });
  const { account, contract, indicator, params, until } = request('a');
  const from = { t: 'after', cursor: '20261112.0.0' } as const;
  const chargedBefore = 0n as EpochNs;
  const wanted = { account, contract, indicator, params, until, from, chargedBefore };
  await using replay = await world.pool.open(wanted);
  await replay.next();
  world.pool.refresh('GLBX', [{ contract: 'NQZ6', day: DAY }]);
  await replay.next();
  world.pool.refresh('GLBX', [{ contract, day: DAY }]);
  await assert.rejects(replay.next(), refusedAs('outdated'));
});

test('what is refused says why, and nothing of the house', async () => {
  await using world = new World(2);
  await assert.rejects(
    world.pool.read(request('a', 'missing')),
    refusedAs('days-missing', { contract: 'missing', days: [DAY] }),
  );
  assert.deepEqual(world.faults, []);
  await using broken = await world.pool.read(request('a', 'broken'));
  await assert.rejects(broken.next(), (error) => {
    assert.ok(isRefused(error, 'failed'));
    assert.doesNotMatch(`${error.message} ${String(error.cause)}`, /secret/);
    return true;
  });
  await using damaged = await world.pool.read(request('a', 'damaged'));
  await assert.rejects(damaged.next(), refusedAs('day-damaged'));
  await settle();
  await settle();
  assert.deepEqual(world.faults, [
    'a secret of the house broken',
    'damaged 20261112 is damaged: a bit damaged',
  ]);
  // Every thread knows it from now on.
  assert.deepEqual(world.damaged.toSorted(), ['1 damaged', '2 damaged']);
  await broken[Symbol.asyncDispose]();
  await damaged[Symbol.asyncDispose]();
  assert.equal(world.pool.counts.open, 0);
  assert.equal(world.pool.counts.damagedDays, 1);
});

test('what fails after its read was closed, or cannot cross, is told with what was asked for, if anything was', async () => {
  await using world = new World(1);
  world.slices = 1_000;
  const read = await world.pool.read(request('a', 'unclosable'));
  const next = read.next();
  while (world.worked.length < 3) await settle();
  await read[Symbol.asyncDispose]();
  await assert.rejects(next, refusedAs('closed'));
  while (world.faults.length === 0) await settle();
  assert.deepEqual(world.faults, ['a file is gone unclosable']);
  await assert.rejects(
    world.pool.tradesAfter('uncrossable', '', 0n as EpochNs),
    refusedAs('failed'),
  );
  assert.match(world.faults[1]!, /could not be cloned. -$/);
});

test('a thread that dies takes its reads with it and is replaced, the more slowly the sooner it died', async () => {
  await using world = new World(2);
  world.slices = 1_000;
  const dying = await world.pool.read(request('a'));
  await using living = await world.pool.read(request('b', 'NQZ6'));
  const waiting = dying.next();
  await settle();
  world.threads[0]!.die();
  await assert.rejects(waiting, refusedAs('failed'));
  await assert.rejects(dying.next(), refusedAs('failed'));
  await dying[Symbol.asyncDispose]();
  assert.deepEqual(world.faults, ['out of memory -']);
  world.slices = 1;
  assert.equal(pageThread(await living.next()), 2);
  assert.equal(world.pool.counts.threads, 1);
  await replaceAfter(world, 1_000);
  world.threads[2]!.die();
  await replaceAfter(world, 2_000);
  world.threads[3]!.die();
  await replaceAfter(world, 4_000);
  assert.equal(world.pool.counts.threadsLost, 3);
  await using again = await world.pool.read(request('a'));
  assert.equal(pageThread(await again.next()), 5);
});

async function replaceAfter(world: World, ms: number): Promise<void> {
  const count = world.threads.length;
  world.clock.advance(ms - 1);
  assert.equal(world.threads.length, count);
  world.clock.advance(1);
  assert.equal(world.threads.length, count + 1);
}

test('a read that was idle when its thread died goes on in another', async () => {
  await using world = new World(2);
  await using read = await world.pool.read(request('a'));
  const before = pageThread(await read.next());
  world.threads[before - 1]!.die();
  assert.equal(pageThread(await read.next()), 3 - before);
  assert.equal(world.pool.counts.open, 1);
  assert.equal(world.opened.at(-1)?.day, DAY);
});

test('without a living thread questions are refused for now and reads wait', async () => {
  await using world = new World(1);
  world.threads[0]!.die();
  await assert.rejects(world.pool.locate('ESZ6', '20261112.1.1', null), refusedAs('full'));
  const waiting = world.pool.read(request('a'));
  world.clock.advance(1_000);
  await using read = await waiting;
  assert.equal(pageThread(await read.next()), 2);
});

test('after the end everything is refused, also what waits', async () => {
  const world = new World(1, { workingPerThread: 1 });
  const read = await world.pool.read(request('a'));
  const asked = read.next();
  const waiting = world.pool.read(request('b'));
  await Promise.all([
    assert.rejects(asked, refusedAs('shut-down')),
    assert.rejects(waiting, refusedAs('shut-down')),
    world.pool[Symbol.asyncDispose](),
  ]);
  await assert.rejects(
    world.pool.coverage('ESZ6', 0n as EpochNs, 1n as EpochNs),
    refusedAs('shut-down'),
  );
  await assert.rejects(world.pool.read(request('a')), refusedAs('shut-down'));
  await read[Symbol.asyncDispose]();
  assert.deepEqual(world.faults, []);
});

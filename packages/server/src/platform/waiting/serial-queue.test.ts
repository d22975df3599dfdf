import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ManualClock } from '../../../../../simulation/clock/manual-clock.ts';
import { SerialQueue, SerialQueues } from './serial-queue.ts';
import { sleep } from './sleep.ts';

/** Runs everything that waits for no timer. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

const works = fc.array(
  fc.record({
    holder: fc.constantFrom('a', 'b', 'c'),
    queuedMs: fc.nat(50),
    takesMs: fc.nat(20),
    fails: fc.boolean(),
  }),
  { maxLength: 20 },
);

type Work = (typeof works extends fc.Arbitrary<infer All> ? All : never)[number];

/** The start and end of each work, in order of time. */
async function happened(
  all: readonly Work[],
  run: (work: Work, task: () => Promise<number>) => Promise<number>,
) {
  const clock = new ManualClock(0n);
  const events: { readonly index: number; readonly t: 'begun' | 'over' }[] = [];
  const outcomes: Promise<unknown>[] = [];
  const inOrder = [...all.entries()].sort(([, a], [, b]) => a.queuedMs - b.queuedMs);
  for (const [index, work] of inOrder) {
    clock.after(work.queuedMs, () => {
      const done = run(work, async () => {
        events.push({ index, t: 'begun' });
        await sleep(clock, work.takesMs);
        events.push({ index, t: 'over' });
        if (work.fails) throw new Error(`work ${index}`);
        return index;
      });
      outcomes.push(
        done.then(
          (value) => assert.ok(value === index && !work.fails),
          (error: Error) => assert.ok(error.message === `work ${index}` && work.fails),
        ),
      );
    });
  }
  for (let ms = 0; ms <= 500; ms += 1) {
    clock.advance(1);
    await settle();
  }
  await Promise.all(outcomes);
  return { events, order: inOrder.map(([index]) => index) };
}

const oneByOne = (order: readonly number[]) =>
  order.flatMap((index) => [
    { index, t: 'begun' },
    { index, t: 'over' },
  ]);

test('work of a queue is done one by one, in order, and ends as it would alone', async () => {
  await fc.assert(
    fc.asyncProperty(works, async (all) => {
      const queue = new SerialQueue();
      const { events, order } = await happened(all, (_, task) => queue.run(task));
      assert.deepEqual(events, oneByOne(order));
    }),
    { numRuns: 10 },
  );
});

test('work of one holder is done one by one, in order, and waits for nobody else', async () => {
  await fc.assert(
    fc.asyncProperty(works, async (all) => {
      const queues = new SerialQueues();
      const { events, order } = await happened(all, ({ holder }, task) => queues.run(holder, task));
      for (const holder of ['a', 'b', 'c']) {
        const isOf = (index: number) => all[index]!.holder === holder;
        const of = events.filter(({ index }) => isOf(index));
        assert.deepEqual(of, oneByOne(order.filter(isOf)));
      }
    }),
    { numRuns: 10 },
  );
});

test('a holder whose queue is busy holds up no other', async () => {
  const queues = new SerialQueues();
  const { promise, resolve } = Promise.withResolvers<string>();
  const first = queues.run('a', () => promise);
  const second = queues.run('a', async () => 'second');
  assert.equal(await queues.run('b', async () => 'other'), 'other');
  resolve('first');
  assert.deepEqual(await Promise.all([first, second]), ['first', 'second']);
});

test('a queue is idle once all that was queued before is over, also where it failed', async () => {
  const queue = new SerialQueue();
  await queue.idle;
  const { promise, reject } = Promise.withResolvers<void>();
  const failed = assert.rejects(
    queue.run(() => promise),
    /broken/,
  );
  let isIdle = false;
  void queue.idle.then(() => {
    isIdle = true;
  });
  await settle();
  assert.equal(isIdle, false);
  reject(new Error('broken'));
  await failed;
  await settle();
  assert.equal(isIdle, true);
});

test('work that fails before it waits fails alone', async () => {
  const queue = new SerialQueue();
  const failed = queue.run(() => {
    throw new Error('at once');
  });
  await assert.rejects(failed, /at once/);
  assert.equal(await queue.run(() => 7), 7);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { FairCalls } from './fair-calls.ts';

/** A thread that finishes one call on request, in the order of their arrival. */
class SlowThread {
  readonly #reached: { readonly name: string; answer(): void }[] = [];
  readonly answered: string[] = [];
  most = 0;

  readonly call = (name: string): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#reached.push({ name, answer: resolve });
    this.most = Math.max(this.most, this.#reached.length);
    return promise;
  };

  async answerOne(): Promise<void> {
    const { name, answer } = this.#reached.shift()!;
    this.answered.push(name);
    answer();
    await turn();
  }

  async answerAll(): Promise<void> {
    while (this.#reached.length > 0) await this.answerOne();
  }
}

const LIMITS = { atOnce: 4, eachMax: 600, allMax: 1_000, keptForNew: 100 };

function rig(limits = LIMITS) {
  const line = new FairCalls(limits);
  const thread = new SlowThread();
  const ask = (holder: string) => line.run(holder, () => thread.call(holder));
  return { line, thread, ask };
}

test('one call of another is answered within a turn, however many one holder has waiting [SEC-37]', async () => {
  const { line, thread, ask } = rig();
  const flood = Array.from({ length: 500 }, () => ask('a'));
  const other = ask('b');
  await thread.answerAll();
  await Promise.all([...flood, other]);
  assert.ok(thread.answered.indexOf('b') <= LIMITS.atOnce + 1, thread.answered.join(''));
  assert.equal(thread.answered.length, 501);
  assert.equal(thread.most, LIMITS.atOnce);
  assert.equal(line.count, 0);
});

test('holders that all want more are served alike, each in the order of its own calls', async () => {
  const { thread, line } = rig();
  const calls = ['a', 'b', 'c'].flatMap((holder) =>
    Array.from({ length: 50 }, (_, index) =>
      line.run(holder, () => thread.call(`${holder}${index}`)),
    ),
  );
  await thread.answerAll();
  await Promise.all(calls);
  for (const holder of ['a', 'b', 'c']) {
    const own = thread.answered.filter((name) => name.startsWith(holder));
    assert.deepEqual(
      own,
      Array.from({ length: 50 }, (_, index) => `${holder}${index}`),
    );
    const early = thread.answered.slice(0, 64).filter((name) => name.startsWith(holder));
    assert.ok(early.length >= 20, `${holder} had ${early.length} of the first 64`);
  }
});

test('what goes first passes everybody, is never refused, and takes nobody a place', async () => {
  const { line, thread, ask } = rig({ atOnce: 1, eachMax: 2, allMax: 2, keptForNew: 0 });
  const calls = [ask('a'), ask('a')];
  const firsts = ['1', '2', '3'].map((name) => line.runFirst(() => thread.call(name)));
  assert.equal(ask('b'), null);
  assert.equal(line.count, 5);
  await thread.answerAll();
  await Promise.all([...calls, ...firsts]);
  assert.deepEqual(thread.answered, ['a', '1', '2', '3', 'a']);
});

test('who has had a share is refused, and a newcomer is not [SEC-36][SEC-37]', async () => {
  const { line, thread, ask } = rig({ atOnce: 1, eachMax: 6, allMax: 10, keptForNew: 2 });
  const first = Array.from({ length: 7 }, () => ask('a'));
  assert.deepEqual(
    first.map((call) => call === null),
    [false, false, false, false, false, false, true],
  );
  const second = Array.from({ length: 3 }, () => ask('b'));
  assert.deepEqual(
    second.map((call) => call === null),
    [false, false, true],
  );
  const others = [ask('c'), ask('d'), ask('e')];
  assert.deepEqual(
    others.map((call) => call === null),
    [false, false, true],
  );
  assert.equal(line.refusedTotal, 3);
  await thread.answerAll();
  await Promise.all([...first, ...second, ...others]);
  assert.notEqual(ask('e'), null);
});

test('a call that fails hands its turn on, and idle waits for all', async () => {
  const line = new FairCalls({ ...LIMITS, atOnce: 1 });
  const order: string[] = [];
  const failing = line.run('a', () => Promise.reject(new Error('no')))!;
  const thrown = line.run('a', () => {
    throw new TypeError('sync');
  })!;
  const good = line.run('a', async () => void order.push('good'))!;
  const idle = line.idle().then(() => order.push('idle'));
  await assert.rejects(failing, /no/);
  await assert.rejects(thrown, TypeError);
  await good;
  await idle;
  assert.deepEqual(order, ['good', 'idle']);
  await line.idle();
});

test('of 10,000 holders none is remembered once it is served', async () => {
  const line = new FairCalls({ atOnce: 16, eachMax: 10, allMax: 1_000 });
  const calls = Array.from({ length: 10_000 }, (_, index) =>
    line.run(`holder ${index}`, () => Promise.resolve()),
  );
  assert.equal(line.count, 1_000);
  assert.equal(line.refusedTotal, 9_000);
  await Promise.all(calls);
  assert.equal(line.count, 0);
});

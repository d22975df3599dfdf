import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { LoopbackPort } from '../../../testing/platform/loopback-port.ts';
import { memoryOf, Thread, type ThreadOptions } from './thread.ts';
import type { DeskOptions } from './thread-desk.ts';

/** The interface of the test threads; the real one is `testing/platform/thread-worker.ts`. */
interface Shape {
  readonly calls: {
    double(value: number): number;
    bytes(length: number): { readonly all: Uint8Array<ArrayBuffer> };
    refuse(why: string): never;
    fail(): never;
    wait(): void;
  };
  readonly orders: { readonly t: 'say' | 'release'; readonly text?: string };
  readonly news: string;
  readonly refusal: { readonly why: string };
}

class Refused extends Error {}

function start(
  options: Partial<ThreadOptions<Shape>> = {},
  rest: Partial<DeskOptions<Shape>> = {},
) {
  const port = new LoopbackPort<Shape>();
  const heard: string[] = [];
  const gone: Error[] = [];
  let release = Promise.withResolvers<void>();
  port.desk.open({
    calls: {
      double: (value) => 2 * value,
      bytes: (length) => ({ all: new Uint8Array(length).fill(7) }),
      refuse: (why) => {
        throw new Refused(why);
      },
      fail: () => {
        throw new TypeError('a secret of the house');
      },
      wait: () => release.promise,
    },
    obey: ({ t, text }) => {
      if (t === 'say') port.desk.tell(text!);
      else {
        release.resolve();
        release = Promise.withResolvers();
      }
    },
    refusalOf: (error) => ({ why: error instanceof Refused ? error.message : 'failed' }),
    ...rest,
  });
  const thread = new Thread<Shape>(port, {
    name: 'the thread',
    hear: (news) => heard.push(news),
    onGone: (cause) => gone.push(cause),
    errorOf: ({ why }) => new Refused(why),
    goneError: (cause) => new Error('gone', { cause }),
    closedError: () => new Error('closed'),
    ...options,
  });
  return { port, thread, heard, gone };
}

test('calls are answered each by its own answer, whatever order they end in', async () => {
  const { thread } = start();
  const waiting = thread.call('wait');
  assert.deepEqual(await Promise.all([thread.call('double', 2), thread.call('double', 3)]), [4, 6]);
  assert.equal(thread.callCount, 1);
  thread.tell({ t: 'release' });
  await waiting;
  assert.equal(thread.callCount, 0);
});

test('what is refused crosses as data, and anything else without its cause', async () => {
  const { thread, gone } = start();
  await assert.rejects(thread.call('refuse', 'full'), (error) => {
    return error instanceof Refused && error.message === 'full';
  });
  await assert.rejects(thread.call('fail'), (error) => {
    return error instanceof Refused && error.message === 'failed' && error.cause === undefined;
  });
  assert.equal(await thread.call('double', 1), 2);
  assert.deepEqual(gone, []);
});

test('a call that cannot cross rejects alone, and nobody waits for it', async () => {
  const { thread } = start();
  await assert.rejects(thread.call('double', (() => 1) as never), { name: 'DataCloneError' });
  assert.equal(thread.callCount, 0);
  assert.equal(await thread.call('double', 4), 8);
});

test('orders and news keep their order', async () => {
  const { thread, heard } = start();
  for (const text of ['a', 'b', 'c']) thread.tell({ t: 'say', text });
  await thread.call('double', 1);
  assert.deepEqual(heard, ['a', 'b', 'c']);
});

test('memory of answers moves where that was said, and is copied elsewhere', async () => {
  const copying = start();
  assert.equal((await copying.thread.call('bytes', 3)).all.length, 3);
  assert.deepEqual(copying.port.moved, []);
  const moving = start({}, { movesMemory: true });
  assert.deepEqual([...(await moving.thread.call('bytes', 3)).all], [7, 7, 7]);
  assert.equal(moving.port.moved.length, 1);
});

test('memory that moves: buffers, and columns that are all of theirs, each once', () => {
  const block = new ArrayBuffer(16);
  const whole = new Float64Array(2);
  const parts = { first: new Uint8Array(block, 0, 8), second: new Uint8Array(block, 8) };
  assert.deepEqual(memoryOf({ block, ...parts, list: [whole, whole] }), [block, whole.buffer]);
  assert.deepEqual(memoryOf(parts), []);
  // Empty and shared buffers, and other values, are not transferred.
  const shared = new SharedArrayBuffer(8);
  const others = { none: new Uint8Array(0), shared, seen: new Uint8Array(shared), text: 'a' };
  assert.deepEqual(memoryOf([others, null, 1n]), []);
});

test('a thread that is gone is told once, after what it was asked has been rejected, as all is from then on', async () => {
  const gone: string[] = [];
  const rejected: unknown[] = [];
  const { port, thread } = start({
    onGone: (cause) => gone.push(`${cause.message}, ${thread.callCount} calls`),
  });
  const waiting = [thread.call('wait'), thread.call('wait')];
  for (const call of waiting) call.catch((error: Error) => rejected.push(error.cause));
  const cause = new Error('out of memory');
  port.fail(cause);
  await Promise.allSettled(waiting);
  await assert.rejects(thread.call('double', 1), { message: 'gone', cause });
  assert.deepEqual([rejected, gone], [[cause, cause], ['out of memory, 0 calls']]);
  thread.tell({ t: 'release' });
  assert.equal(await thread.stop(60_000), true);
});

test('a thread that ends in silence, or fails by what is no error, is told in words', async () => {
  const silent = start();
  silent.port.exit(3);
  const odd = start();
  odd.port.fail('a text');
  const told = [...silent.gone, ...odd.gone].map(({ message }) => message);
  assert.deepEqual(told, ['the thread ended with code 3', 'the thread failed']);
  assert.equal(odd.gone[0]!.cause, 'a text');
});

test('asked to stop, it answers what is under way, closes what is open, and is no fault', async () => {
  const underWay: number[] = [];
  const stop = async () => void underWay.push(port.desk.callCount);
  const { port, thread, gone } = start({}, { stop });
  const waiting = thread.call('wait');
  thread.tell({ t: 'release' });
  assert.equal(await thread.stop(60_000), true);
  await waiting;
  assert.deepEqual(underWay, [0]);
  await assert.rejects(thread.call('double', 1), { message: 'closed' });
  await thread[Symbol.asyncDispose]();
  assert.deepEqual([gone, port.terminated], [[], 2]);
});

test('one that does not stop in time is ended, and what it was asked is rejected', async (context: TestContext) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const { port, thread, gone } = start();
  const waiting = assert.rejects(thread.call('wait'), { message: 'closed' });
  const stopped = thread.stop(1_500);
  context.mock.timers.tick(1_499);
  await turn();
  assert.equal(port.terminated, 0);
  context.mock.timers.tick(1);
  assert.equal(await stopped, false);
  await waiting;
  assert.deepEqual([gone, port.terminated], [[], 1]);
});

test('a real thread: calls, orders, moved memory, and a clean end', async () => {
  const { thread, heard, gone } = startReal();
  assert.equal(await thread.call('double', 21), 42);
  assert.deepEqual([...(await thread.call('bytes', 2)).all], [7, 7]);
  thread.tell({ t: 'say', text: 'hello' });
  await assert.rejects(thread.call('refuse', 'full'), { message: 'full' });
  assert.deepEqual(heard, ['hello']);
  assert.equal(await thread.stop(10_000), true);
  assert.deepEqual(gone, []);
});

test('a real thread that meets what it does not know ends, and its holder hears the cause', async () => {
  const { thread, gone } = startReal();
  const cause = { name: 'TypeError', message: 'a fault of ours' };
  await assert.rejects(thread.call('fail'), cause);
  assert.deepEqual(
    gone.map(({ name, message }) => ({ name, message })),
    [cause],
  );
  await thread[Symbol.asyncDispose]();
});

test('a real thread that can do nothing any more is ended all the same', async () => {
  const { thread, gone } = startReal();
  const waiting = assert.rejects(thread.call('wait'), { message: 'the thread is closed' });
  assert.equal(await thread.stop(200), false);
  await waiting;
  assert.deepEqual(gone, []);
});

function startReal() {
  const heard: string[] = [];
  const gone: Error[] = [];
  const url = new URL('../../../testing/platform/thread-worker.ts', import.meta.url);
  const thread = new Thread<Shape>(new Worker(url), {
    name: 'the thread',
    hear: (news) => heard.push(news),
    onGone: (cause) => gone.push(cause),
    errorOf: ({ why }) => new Refused(why),
  });
  return { thread, heard, gone };
}

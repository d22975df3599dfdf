import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { type Transferable, Worker } from 'node:worker_threads';
import { refusedAs } from '../../testing/refused-as.ts';
import { DigestThread } from './digest-thread.ts';

const MIB = 1_024 * 1_024;

/** A thread whose faults are recorded, and which the test can kill. */
function startThread() {
  const faults: unknown[] = [];
  const workers: Worker[] = [];
  const digests = new DigestThread({
    onFault: (error) => faults.push(error),
    startThread: () => {
      const worker = new Worker(new URL('./digest-worker.ts', import.meta.url));
      workers.push(worker);
      return worker;
    },
  });
  return { digests, faults, workers };
}

function digestOf(parts: readonly Uint8Array[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('base64');
}

test('bodies are digested side by side as each alone, by one thread that starts with the first', async () => {
  const { digests, faults, workers } = startThread();
  await using _ended = digests;
  assert.equal(workers.length, 0);
  const sizes = [300, 0, 200_000, 1, 65_536, 20, 16_384, 7];
  const bodies = [1, 2, 3].map((number) => {
    return sizes.map((size) => new Uint8Array(size).fill(number));
  });
  const expected = bodies.map(digestOf);
  const running = bodies.map(() => digests.begin());
  for (const at of sizes.keys()) {
    for (const [body, digest] of running.entries()) {
      await digest.room();
      digest.add(bodies[body]![at]!);
    }
  }
  assert.deepEqual(await Promise.all(running.map((digest) => digest.end())), expected);
  for (const digest of running) digest[Symbol.dispose]();
  assert.deepEqual([workers.length, digests.bytes, faults], [1, 0, []]);
});

test('however small its parts are, no more than 16 KiB of a body wait to be handed over', async () => {
  const { digests, workers } = startThread();
  await using _ended = digests;
  using digest = digests.begin();
  let handedOver = 0;
  const post = workers[0]!.postMessage.bind(workers[0]);
  workers[0]!.postMessage = (message: unknown, moved?: readonly Transferable[]) => {
    for (const memory of moved ?? []) handedOver += (memory as ArrayBuffer).byteLength;
    post(message, moved as never);
  };
  const parts = Array.from({ length: 5_000 }, (_, index) =>
    new Uint8Array(1 + (index % 400)).fill(index),
  );
  const expected = digestOf(parts);
  let added = 0;
  for (const part of parts) {
    added += part.length;
    await digest.room();
    digest.add(part);
    assert.ok(added - handedOver <= 16 * 1_024, `${added - handedOver} bytes wait`);
  }
  assert.equal(await digest.end(), expected);
});

test('memory moves there; what shares its memory with others is left to them', async () => {
  await using digests = startThread().digests;
  using digest = digests.begin();
  const whole = new Uint8Array(100_000).fill(7);
  const shared = Buffer.alloc(100_000, 9);
  const pooled = Buffer.from('a little text');
  const expected = digestOf([whole, shared.subarray(10, 50_000), pooled]);
  for (const part of [whole, shared.subarray(10, 50_000), pooled]) {
    await digest.room();
    digest.add(part);
  }
  assert.equal(whole.byteLength, 0);
  assert.equal(shared.byteLength, 100_000);
  assert.equal(pooled.toString(), 'a little text');
  assert.equal(await digest.end(), expected);
});

test('who hands over faster than it is digested waits, and nobody else does [SEC-38]', async () => {
  await using digests = startThread().digests;
  using digest = digests.begin();
  using other = digests.begin();
  for (let part = 0; part < 3; part += 1) {
    await digest.room();
    digest.add(new Uint8Array(MIB));
  }
  let hasRoom = false;
  const room = digest.room().then(() => {
    hasRoom = true;
  });
  await other.room();
  assert.equal(hasRoom, false, 'the thread cannot have answered yet');
  await room;
  assert.ok(digests.bytes < 3 * MIB);
  assert.equal(await digest.end(), digestOf([new Uint8Array(3 * MIB)]));
});

test('a body that is given up holds nothing', async () => {
  await using digests = startThread().digests;
  {
    using digest = digests.begin();
    await digest.room();
    digest.add(new Uint8Array(MIB));
    await digest.room();
  }
  while (digests.bytes > 0) await turn();
});

test('a thread that dies takes its digests with it, and the next body starts another', async () => {
  const { digests, faults, workers } = startThread();
  await using _ended = digests;
  using digest = digests.begin();
  await digest.room();
  digest.add(new Uint8Array(MIB));
  await workers[0]!.terminate();
  await digest.room();
  digest.add(new Uint8Array(MIB));
  await assert.rejects(digest.end(), refusedAs('failed'));
  assert.equal(faults.length, 1);
  assert.equal(digests.lostCount, 1);
  using next = digests.begin();
  await next.room();
  next.add(new Uint8Array(MIB));
  assert.equal(await next.end(), digestOf([new Uint8Array(MIB)]));
  assert.deepEqual([workers.length, digests.bytes], [2, 0]);
});

test('once it is closed nothing begins, and what runs is refused', async () => {
  const { digests, faults } = startThread();
  using digest = digests.begin();
  await digests[Symbol.asyncDispose]();
  await assert.rejects(digest.end(), refusedAs('shut-down'));
  assert.throws(() => digests.begin(), refusedAs('shut-down'));
  assert.deepEqual(faults, []);
});

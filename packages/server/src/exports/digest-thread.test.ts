import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { DigestThread } from './digest-thread.ts';

/** In memory of its own, filled with a number. */
function piece(bytes: number, value: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes).fill(value);
}

function sha256(pieces: readonly Uint8Array[]): string {
  const hash = createHash('sha256');
  for (const one of pieces) hash.update(one);
  return hash.digest('base64');
}

test('the digest is that of all pieces in their order, of bodies side by side, and their memory is given away', async () => {
  await using digests = new DigestThread({ onFault: (error) => assert.fail(String(error)) });
  const sizes = [1, 65_536, 300_000, 700_000, 0, 900_000, 7];
  const bodies = [1, 2, 3].map((of) => sizes.map((bytes) => piece(bytes, of)));
  const expected = bodies.map(sha256);
  const made = bodies.map(() => digests.begin());
  for (let at = 0; at < sizes.length; at += 1) {
    for (const [of, body] of made.entries()) {
      body.add(bodies[of]![at]!);
      await body.room();
    }
  }
  assert.deepEqual(await Promise.all(made.map((body) => body.end())), expected);
  assert.ok(bodies.flat().every(({ byteLength }) => byteLength === 0));
});

test('a part of other memory is copied, and a body of nothing has a digest', async () => {
  await using digests = new DigestThread({ onFault: (error) => assert.fail(String(error)) });
  const memory = piece(100, 5);
  const part = digests.begin();
  part.add(memory.subarray(10, 60));
  assert.equal(await part.end(), sha256([memory.subarray(10, 60)]));
  assert.equal(memory.byteLength, 100);
  assert.equal(await digests.begin().end(), sha256([]));
});

test('a thread that dies takes its digests with it, and the next body has another', async () => {
  const faults: unknown[] = [];
  const workers: Worker[] = [];
  await using digests = new DigestThread({
    onFault: (error) => faults.push(error),
    startThread: () => {
      const worker = new Worker(new URL('./digest-worker.ts', import.meta.url));
      workers.push(worker);
      return worker;
    },
  });
  const lost = digests.begin();
  await workers[0]!.terminate();
  lost.add(piece(1_000_000, 1));
  await assert.rejects(lost.end(), /the thread of digests ended/);
  assert.equal(faults.length, 1);
  const next = digests.begin();
  next.add(piece(10, 1));
  assert.equal(await next.end(), sha256([piece(10, 1)]));
  assert.equal(workers.length, 2);
});

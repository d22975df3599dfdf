import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LaterPart } from './later-part.ts';

function rig() {
  const loads: PromiseWithResolvers<string>[] = [];
  const told: string[] = [];
  const part = new LaterPart(
    () => {
      loads.push(Promise.withResolvers<string>());
      return loads.at(-1)!.promise;
    },
    { loaded: () => told.push('loaded'), failed: () => told.push('failed') },
  );
  const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
  return { part, loads, told, settled };
}

test('what needs a part waits for it, in its order, and loads it once', async () => {
  const { part, loads, told, settled } = rig();
  part.need();
  part.use((it) => told.push(`first ${it}`));
  part.use((it) => told.push(`second ${it}`));
  assert.deepEqual([part.now, loads.length, told], [null, 1, []]);
  loads[0]!.resolve('part');
  await settled();
  assert.deepEqual(told, ['loaded', 'first part', 'second part']);
  part.use((it) => told.push(`third ${it}`));
  assert.equal(told.at(-1), 'third part');
  assert.equal(loads.length, 1);
});

test('a part that could not be loaded is told once, and loaded again only when somebody asks', async () => {
  const { part, loads, told, settled } = rig();
  part.need();
  loads[0]!.reject(new Error('offline'));
  await settled();
  part.need();
  assert.deepEqual([told, loads.length], [['failed'], 1]);
  part.again();
  assert.equal(loads.length, 2);
  loads[1]!.reject(new Error('offline'));
  await settled();
  part.use((it) => told.push(it));
  loads[2]!.resolve('part');
  await settled();
  assert.deepEqual(told, ['failed', 'failed', 'loaded', 'part']);
});

test('a view that has ended is not called any more', async () => {
  const { part, loads, told, settled } = rig();
  part.use((it) => told.push(it));
  part.forget();
  loads[0]!.resolve('part');
  await settled();
  assert.deepEqual(told, ['loaded']);
});

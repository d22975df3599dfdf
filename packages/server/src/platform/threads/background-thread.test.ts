import assert from 'node:assert/strict';
import { once } from 'node:events';
import { getPriority } from 'node:os';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';

const linuxMissing = process.platform !== 'linux' && 'only Linux has priorities of threads';

test('a background thread lowers its own priority and nobody else’s', {
  skip: linuxMissing,
}, async () => {
  const before = getPriority();
  const code = `
    const { runInBackground } = await import(${JSON.stringify(new URL('./background-thread.ts', import.meta.url))});
    runInBackground();
    const [{ getPriority }, { parentPort }] = await Promise.all([import('node:os'), import('node:worker_threads')]);
    parentPort.postMessage(getPriority());`;
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`));
  const [lowered] = (await once(worker, 'message')) as [number];
  assert.equal(lowered, Math.min(19, before + 5));
  assert.equal(getPriority(), before);
  await worker.terminate();
});

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

const MODULE = join(import.meta.dirname, 'returned-memory.ts');

test('the allocator is told to return large pieces, or nothing happens; nobody is warned', async () => {
  const script = `import(${JSON.stringify(MODULE)}).then(async (it) => console.log(await it.returnLargeAllocations()))`;
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['-e', script]);
  assert.match(stdout, /^(?:true|false)\n$/);
  assert.equal(stderr, '');
});

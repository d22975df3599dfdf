import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

/** How a process with these tests ends. */
function ranWith(tests: string) {
  const program = `import { describe, it, test } from 'node:test';\n${tests}`;
  const args = ['--input-type=module', '--import', import.meta.resolve('./untracked-promises.ts')];
  const { status, stdout, stderr } = spawnSync(process.execPath, [...args, '-e', program], {
    encoding: 'utf8',
    env: { ...process.env, NODE_TEST_CONTEXT: undefined },
    timeout: 180_000,
  });
  return { status, stdout, stderr };
}

test('what nobody caught ends the process with the error, also where a test would wait for ever', () => {
  for (const fault of [
    `Promise.reject(new Error('lost'))`,
    `setTimeout(() => { throw new Error('lost'); })`,
  ]) {
    const { status, stderr } = ranWith(
      `test('a', async () => { await null; ${fault}; await new Promise(() => {}); });`,
    );
    assert.equal(status, 1);
    assert.match(stderr, /an error that nobody caught: Error: lost\n +at /);
  }
});

test('tests that fail are told by their names, those of groups too, and others go on', () => {
  const { status, stdout } = ranWith(`
    describe('group', () => {
      it('one', async () => { await null; throw new Error('no'); });
      it('other', async () => { await null; });
    });`);
  assert.equal(status, 1);
  assert.match(stdout, /▶ group\n +✖ one .*\n +✔ other /);
});

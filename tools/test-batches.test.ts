import assert from 'node:assert/strict';
import { test } from 'node:test';
import { batchModule, testBatches } from './test-batches.ts';

const files = (folder: string, count: number) =>
  Array.from({ length: count }, (_, index) => `/house/${folder}/${index}.test.ts`);

test('every test file is in exactly one batch, of its own folder', () => {
  const all = [
    ...files('packages/server/src/http', 19),
    ...files('packages/core/src', 3),
    ...files('tests', 4),
    ...files('packages/cli/src/commands', 2),
  ];
  const batches = testBatches(all, '/house');
  assert.deepEqual(batches.flatMap((batch) => batch.files).sort(), all.sort());
  assert.deepEqual(
    batches.map(({ name, files: { length } }) => [name, length]),
    [
      ['packages/server/src/http 1', 7],
      ['packages/server/src/http 2', 6],
      ['packages/server/src/http 3', 6],
      ['packages/core/src', 3],
      ...[1, 2, 3, 4].map((part) => [`tests ${part}`, 1]),
      ['packages/cli/src/commands 1', 1],
      ['packages/cli/src/commands 2', 1],
    ],
  );
});

test('the module of a batch runs its files, whatever they are called', () => {
  const module = batchModule({ name: 'x', files: ["/house/it's a #1.test.ts"] });
  assert.equal(module, `import "file:///house/it's%20a%20%231.test.ts";\n`);
});

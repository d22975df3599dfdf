import assert from 'node:assert/strict';
import { test } from 'node:test';
import { batchModule, testBatches } from './test-batches.ts';

const files = (folder: string, count: number) =>
  Array.from({ length: count }, (_, index) => `/house/${folder}/${index}.test.ts`);

test('every test file is in exactly one batch, with neighbours of its own package', () => {
  const all = [
    ...files('tests', 2),
    ...files('packages/core/src', 3),
    ...files('packages/server/src/http', 28),
    ...files('packages/server/src/mail', 23),
    ...files('tools', 1),
  ];
  const batches = testBatches(all, '/house');
  assert.deepEqual(
    batches.flatMap((batch) => batch.files),
    all,
  );
  assert.deepEqual(
    batches.map(({ name, files: { length } }) => [name, length]),
    [
      ['tests', 1],
      ['tests', 1],
      ['packages/core/src', 3],
      ['packages/server/src/http', 17],
      ['packages/server/src/http to packages/server/src/mail', 17],
      ['packages/server/src/mail', 17],
      ['tools', 1],
    ],
  );
});

test('the module of a batch runs its files, whatever they are called', () => {
  const module = batchModule({ name: 'x', files: ["/house/it's a #1.test.ts"] });
  assert.equal(module, `import "file:///house/it's%20a%20%231.test.ts";\n`);
});

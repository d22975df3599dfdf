import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StreamState } from './stream-state.ts';

test('a stream that is watched for very long forgets its oldest final objects, and none that can change [SEC-36]', () => {
  const state = new StreamState();
  const upsert = (index: number, final: boolean) =>
    state.take({
      t: 'upsert',
      sub: 'a',
      cursor: `20261102.${index + 1}.0`,
      id: `object ${index}`,
      final,
      ts: '1',
      data: {},
    } as never);
  upsert(0, false);
  for (let index = 1; index <= 25_000; index += 1) upsert(index, true);
  assert.equal(state.objects.size, 20_000);
  assert.deepEqual(
    [0, 1, 5_001, 5_002, 25_000].map((index) => state.objects.has(`object ${index}`)),
    [true, false, false, true, true],
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Store } from './store.ts';

test('listeners hear each change once, and nothing of an equal value or after they left', () => {
  const store = new Store(1);
  const heard: number[] = [];
  const leave = store.listen(() => heard.push(store.value));
  store.set(1);
  store.set(2);
  store.change((value) => value + 1);
  leave();
  store.set(9);
  assert.deepEqual(heard, [2, 3]);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { SendPermit } from './send-permit.ts';

/** Counts how often it got the permit, and gives it back at once or on demand. */
class Counting {
  grants = 0;
  readonly #onGrant: () => void;

  constructor(onGrant: () => void = () => {}) {
    this.#onGrant = onGrant;
  }

  permitted(): void {
    this.grants += 1;
    this.#onGrant();
  }
}

test('one sender at a time, in the order of asking, and only while pieces may be sent', () => {
  let isOpen = false;
  const permit = new SendPermit(() => isOpen);
  const [a, b] = [new Counting(), new Counting()];
  permit.request(a);
  permit.request(b);
  assert.deepEqual([a.grants, b.grants], [0, 0]);
  isOpen = true;
  permit.grant();
  assert.deepEqual([a.grants, b.grants], [1, 0]);
  permit.giveBack(b);
  assert.deepEqual([a.grants, b.grants], [1, 0]);
  permit.giveBack(a);
  assert.deepEqual([a.grants, b.grants], [1, 1]);
  permit.request(a);
  permit.leave(b);
  assert.deepEqual([a.grants, b.grants], [2, 1]);
  isOpen = false;
  permit.giveBack(a);
  permit.request(b);
  assert.deepEqual([a.grants, b.grants], [2, 1]);
});

test('many short grants neither nest nor keep the process from other work', async () => {
  const permit = new SendPermit(() => true);
  let [depth, deepest] = [0, 0];
  const one: Counting = new Counting(() => {
    depth += 1;
    deepest = Math.max(deepest, depth);
    permit.giveBack(one);
    if (one.grants < 1_000) permit.request(one);
    depth -= 1;
  });
  permit.request(one);
  assert.ok(one.grants < 20);
  while (one.grants < 1_000) await turn();
  assert.equal(deepest, 1);
});

test('a sender that throws loses the permit, and others get it', async () => {
  const permit = new SendPermit(() => true);
  const fault = new Error('on purpose');
  const bad = new Counting(() => {
    throw fault;
  });
  const good = new Counting();
  let hasThrown = false;
  const first: Counting = new Counting(() => {
    permit.request(bad);
    permit.request(good);
    permit.giveBack(first);
  });
  try {
    permit.request(first);
  } catch (error) {
    hasThrown = error === fault;
  }
  assert.ok(hasThrown);
  await turn();
  assert.deepEqual([bad.grants, good.grants], [1, 1]);
  permit.giveBack(good);
  const last = new Counting();
  permit.request(last);
  assert.equal(last.grants, 1);
});

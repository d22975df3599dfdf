import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { PagesAhead, PullTurns } from './pull-turns.ts';

/** Somebody who notes its turns, and ends each at once or when told. */
class Counting {
  turns = 0;
  readonly #onTurn: () => void;

  constructor(onTurn: () => void = () => {}) {
    this.#onTurn = onTurn;
  }

  turn(): void {
    this.turns += 1;
    this.#onTurn();
  }
}

test('one turn at a time, in the order of asking, and only while there is room', () => {
  let hasRoom = false;
  const turns = new PullTurns(() => hasRoom);
  const [a, b] = [new Counting(), new Counting()];
  turns.want(a);
  turns.want(b);
  assert.deepEqual([a.turns, b.turns], [0, 0]);
  hasRoom = true;
  turns.give();
  assert.deepEqual([a.turns, b.turns], [1, 0]);
  turns.end(b);
  assert.deepEqual([a.turns, b.turns], [1, 0]);
  turns.end(a);
  assert.deepEqual([a.turns, b.turns], [1, 1]);
  turns.want(a);
  turns.leave(b);
  assert.deepEqual([a.turns, b.turns], [2, 1]);
  turns.stop();
  turns.end(a);
  turns.want(b);
  assert.deepEqual([a.turns, b.turns], [2, 1]);
});

test('many short turns neither nest nor keep the process from other work', async () => {
  const turns = new PullTurns(() => true);
  let [depth, deepest] = [0, 0];
  const one: Counting = new Counting(() => {
    depth += 1;
    deepest = Math.max(deepest, depth);
    turns.end(one);
    if (one.turns < 1_000) turns.want(one);
    depth -= 1;
  });
  turns.want(one);
  assert.ok(one.turns < 20);
  while (one.turns < 1_000) await turn();
  assert.equal(deepest, 1);
});

test('a turn that throws is over, and others get theirs', async () => {
  const turns = new PullTurns(() => true);
  const fault = new Error('on purpose');
  const bad = new Counting(() => {
    throw fault;
  });
  const good = new Counting();
  let hasThrown = false;
  const first: Counting = new Counting(() => {
    turns.want(bad);
    turns.want(good);
    turns.end(first);
  });
  try {
    turns.want(first);
  } catch (error) {
    hasThrown = error === fault;
  }
  assert.ok(hasThrown);
  await turn();
  assert.deepEqual([bad.turns, good.turns], [1, 1]);
  turns.end(good);
  const last = new Counting();
  turns.want(last);
  assert.equal(last.turns, 1);
});

test('few pages are made ahead, the others when one is written or given up', () => {
  const pages = new PagesAhead();
  const pullers = Array.from({ length: 7 }, () => new Counting());
  const made: number[] = [];
  for (const [index, puller] of pullers.entries()) pages.take(puller, () => made.push(index));
  assert.deepEqual(made, [0, 1, 2, 3]);
  pages.free(pullers[5]!);
  assert.deepEqual(made, [0, 1, 2, 3]);
  pages.free(pullers[1]!);
  pages.free(pullers[0]!);
  assert.deepEqual(made, [0, 1, 2, 3, 4, 6]);
  for (const puller of pullers) pages.free(puller);
  pages.take(pullers[0]!, () => made.push(0));
  assert.equal(made.at(-1), 0);
});

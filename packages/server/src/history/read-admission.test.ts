import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as settle } from 'node:timers/promises';
import { ComputeFullError } from './compute-errors.ts';
import { ReadAdmission } from './read-admission.ts';

const LIMITS = { openPerAccount: 2, waiting: 4, waitingPerAccount: 3, waitMs: 10_000 };

/** So many places, each with a number. */
class Hall {
  readonly free: number[];
  readonly admission: ReadAdmission<number>;
  readonly let: string[] = [];

  constructor(places: number, limits = LIMITS) {
    this.free = Array.from({ length: places }, (_, place) => place);
    this.admission = new ReadAdmission(limits, () => this.free.shift() ?? null);
  }

  async enter(account: string, signal?: AbortSignal): Promise<number> {
    const place = await this.admission.admit(account, signal);
    this.let.push(account);
    return place;
  }

  leave(account: string, place: number): void {
    this.free.push(place);
    this.admission.leave(account);
  }
}

test('no account has more than its share, and another still finds room', async () => {
  const hall = new Hall(3);
  const first = await hall.enter('a');
  await hall.enter('a');
  const third = hall.enter('a');
  await hall.enter('b');
  assert.deepEqual(hall.let, ['a', 'a', 'b']);
  hall.leave('a', first);
  assert.equal(await third, first);
});

test('who has the fewest open goes first, of those who waits longest', async () => {
  const hall = new Hall(2);
  const places = [await hall.enter('a'), await hall.enter('b')];
  const waiting = [hall.enter('a'), hall.enter('c'), hall.enter('d')];
  await settle();
  hall.leave('b', places[1]!);
  const c = await waiting[1]!;
  hall.leave('c', c);
  await waiting[2]!;
  hall.leave('a', places[0]!);
  await waiting[0]!;
  assert.deepEqual(hall.let, ['a', 'b', 'c', 'd', 'a']);
});

test('more than may wait are refused at once, one account earlier than all', async () => {
  const hall = new Hall(1);
  await hall.enter('a');
  const waiting = [hall.enter('b'), hall.enter('b'), hall.enter('b')];
  await assert.rejects(hall.enter('b'), ComputeFullError);
  waiting.push(hall.enter('c'));
  await assert.rejects(hall.enter('d'), (error) => {
    assert.ok(error instanceof ComputeFullError);
    assert.ok(error.retryAfterSeconds > 0);
    return true;
  });
  hall.admission.close(new Error('over'));
  for (const one of waiting) await assert.rejects(one, /over/);
  assert.equal(hall.admission.waitingCount, 0);
});

test('waiting ends after its time, and at once when it is given up', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const hall = new Hall(1);
  const place = await hall.enter('a');
  const late = hall.enter('b');
  context.mock.timers.tick(10_000);
  await assert.rejects(late, ComputeFullError);

  const controller = new AbortController();
  const aborted = hall.enter('c', controller.signal);
  controller.abort(new Error('gone'));
  // A place that becomes free in the same moment is not lost on it.
  hall.leave('a', place);
  await assert.rejects(aborted, /gone/);
  assert.equal(await hall.enter('d'), place);
  await assert.rejects(hall.enter('e', AbortSignal.abort(new Error('before'))), /before/);
});

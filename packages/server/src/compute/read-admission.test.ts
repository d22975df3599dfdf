import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as settle } from 'node:timers/promises';
import { ManualClock } from '../../../../simulation/clock/manual-clock.ts';
import { refusedAs } from '../../testing/refused-as.ts';
import type { Scarce } from '../platform/refusal.ts';
import { type AdmissionLimits, type Entering, ReadAdmission } from './read-admission.ts';

const LIMITS: AdmissionLimits = {
  workingPerAccount: 2,
  keptForNewPercent: 0,
  waiting: 4,
  waitingPerAccount: 3,
  waitingKeptForNew: 0,
  waitMs: 10_000,
};
const NEVER = new AbortController().signal;

/** The number of slots. */
class Hall {
  readonly admission: ReadAdmission;
  readonly clock = new ManualClock(0n);
  readonly let: string[] = [];
  places: number;
  placesOfAccount = Number.POSITIVE_INFINITY;

  constructor(places: number, limits: Partial<AdmissionLimits> = {}) {
    this.places = places;
    this.admission = new ReadAdmission({ ...LIMITS, ...limits }, () => this.#placesNow, this.clock);
  }

  get #placesNow() {
    return { all: this.places, ofAccount: this.placesOfAccount };
  }

  async enter(account: string, rest: Partial<Entering> = {}): Promise<void> {
    const entering = { account, hasBegun: false, isSeated: false, signal: NEVER };
    await this.admission.enter({ ...entering, ...rest });
    this.let.push(account);
  }

  leave(account: string, keepsSeat = false): void {
    this.admission.leave(account, keepsSeat);
  }
}

const refusedFor = (what: Scarce) => refusedAs('full', { what });

test('no account has more than its share at work, and another still finds room', async () => {
  const hall = new Hall(3);
  await hall.enter('a');
  await hall.enter('a');
  const third = hall.enter('a');
  await hall.enter('b');
  assert.deepEqual(hall.let, ['a', 'a', 'b']);
  hall.leave('a');
  await third;
  assert.deepEqual([hall.admission.workingCount, hall.admission.waitingCount], [3, 0]);
});

test('an account has no more at work than its threads compute for it, and more when there are more threads', async () => {
  const hall = new Hall(6, { workingPerAccount: 4 });
  hall.placesOfAccount = 1;
  const all = Array.from({ length: 3 }, () => hall.enter('a'));
  await all[0];
  await settle();
  assert.deepEqual(hall.let, ['a']);
  hall.placesOfAccount = 2;
  hall.admission.retry();
  await all[1];
  assert.deepEqual(hall.let, ['a', 'a']);
  hall.leave('a');
  await all[2];
});

test('who has the fewest at work goes first, of those who waits longest', async () => {
  const hall = new Hall(2);
  await hall.enter('a');
  await hall.enter('b');
  const waiting = [hall.enter('a'), hall.enter('c'), hall.enter('d')];
  await settle();
  hall.leave('b');
  await waiting[1]!;
  hall.leave('c');
  await waiting[2]!;
  hall.leave('a');
  await waiting[0]!;
  assert.deepEqual(hall.let, ['a', 'b', 'c', 'd', 'a']);
});

test('some places are for accounts that have nothing at work, whatever others ask for [SEC-37]', async () => {
  const hall = new Hall(6, { workingPerAccount: 8, keptForNewPercent: 34, waiting: 100 });
  const greedy = ['a', 'b'].flatMap((account) => [1, 2, 3].map(() => hall.enter(account)));
  for (const one of greedy) one.catch(() => {});
  await settle();
  assert.equal(hall.let.length, 4, 'of six places two are kept');
  await hall.enter('c');
  await hall.enter('d');
  assert.equal(hall.admission.workingCount, 6);
  // No slot is free; the next newcomer goes ahead of all reads that wait longer.
  const newcomer = hall.enter('e');
  hall.leave('a');
  await newcomer;
  assert.equal(hall.let.at(-1), 'e');
  hall.admission.close(new Error('over'));
});

test('a read that stays at work keeps its share between two places, and gives it up when it is over', async () => {
  const hall = new Hall(4);
  for (let count = 0; count < 2; count += 1) {
    await hall.enter('a');
    hall.leave('a', true);
  }
  const third = hall.enter('a');
  await settle();
  assert.deepEqual([hall.admission.workingCount, hall.admission.waitingCount], [0, 1]);
  await hall.enter('a', { hasBegun: true, isSeated: true });
  hall.leave('a', true);
  hall.admission.giveUpSeat('a');
  await third;
  assert.deepEqual([hall.admission.workingCount, hall.admission.waitingCount], [1, 0]);
});

test('more than may wait are refused at once, one account earlier than all', async () => {
  const hall = new Hall(1);
  await hall.enter('a');
  const waiting = [hall.enter('b'), hall.enter('b'), hall.enter('b')];
  await assert.rejects(hall.enter('b'), refusedFor('account'));
  waiting.push(hall.enter('c'));
  await assert.rejects(hall.enter('d'), refusedFor('queue'));
  hall.admission.close(new Error('over'));
  for (const one of waiting) await assert.rejects(one, /over/);
  assert.equal(hall.admission.waitingCount, 0);
});

test('some of those that may wait are for accounts of which none waits [SEC-37]', async () => {
  const hall = new Hall(1, { waitingKeptForNew: 2 });
  await hall.enter('a');
  const waiting = [hall.enter('b'), hall.enter('b')];
  await assert.rejects(hall.enter('b'), refusedFor('queue'));
  waiting.push(hall.enter('c'), hall.enter('d'));
  await assert.rejects(hall.enter('e'), refusedFor('queue'));
  hall.admission.close(new Error('over'));
  for (const one of waiting) await assert.rejects(one, /over/);
});

test('waiting ends after its time, and at once when it is given up; what has begun waits on', async () => {
  const hall = new Hall(1);
  await hall.enter('a');
  const late = hall.enter('b');
  const begun = hall.enter('b', { hasBegun: true });
  hall.clock.advance(10_000);
  await assert.rejects(late, refusedFor('late'));
  const controller = new AbortController();
  const given = hall.enter('c', { signal: controller.signal });
  controller.abort(new Error('gone'));
  await assert.rejects(given, /gone/);
  assert.equal(hall.admission.waitingCount, 1);
  hall.leave('a');
  await begun;
  hall.leave('b');
  await hall.enter('d');
  assert.deepEqual(hall.let, ['a', 'b', 'd']);
});

test('more places let in who waits', async () => {
  const hall = new Hall(0);
  const waits = hall.enter('a');
  await settle();
  hall.places = 1;
  hall.admission.retry();
  await waits;
});

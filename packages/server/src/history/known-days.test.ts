import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { InstrumentBook } from '@tapeloom/core/instrument/instrument-book';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { MINUTE_NS_BIG } from '@tapeloom/core/units';
import { KnownDays } from './known-days.ts';

/** One contract, whose days are what the test says. */
class Tape {
  days: readonly number[] = [20261112];
  now = 0n as EpochNs;
  asked = 0;
  isBroken = false;
  readonly known = new KnownDays({
    daysOf: async () => {
      this.asked += 1;
      if (this.isBroken) throw new Error('the threads are gone');
      return [
        this.days.map((day) => ({ day: day as UtcDay, trades: 1, state: 'sealed' })),
      ] as never;
    },
    book: () => ({ all: () => [{ symbol: 'ESZ6' }] }) as unknown as InstrumentBook,
    clock: { now: () => this.now },
  });

  async told(): Promise<readonly number[]> {
    return [...(await this.known.get()).get('ESZ6')!.keys()];
  }

  pass(minutes: bigint): void {
    this.now = (this.now + minutes * MINUTE_NS_BIG) as EpochNs;
  }
}

test('who asks after a minute is told what is known, the next one what is there', async () => {
  const tape = new Tape();
  assert.deepEqual(await tape.told(), [20261112]);
  tape.days = [20261112, 20261113];
  assert.deepEqual(await tape.told(), [20261112]);
  tape.pass(1n);
  assert.ok(!(tape.known.get() instanceof Promise));
  await new Promise(setImmediate);
  assert.deepEqual(await tape.told(), [20261112, 20261113]);
  assert.equal(tape.asked, 2);
});

test('the first who asks after a long silence is told the days of now', async () => {
  const tape = new Tape();
  await tape.told();
  tape.days = [20261112, 20261113];
  tape.pass(600n);
  assert.deepEqual(await tape.told(), [20261112, 20261113]);
});

test('what is old is better than nothing where the days cannot be had', async () => {
  const tape = new Tape();
  await tape.told();
  tape.isBroken = true;
  tape.pass(600n);
  assert.deepEqual(await tape.told(), [20261112]);
  assert.deepEqual(await tape.told(), [20261112]);
  assert.equal(tape.asked, 2);
});

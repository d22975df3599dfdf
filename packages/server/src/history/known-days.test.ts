import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { InstrumentBook } from '@tapeloom/core/instrument/instrument-book';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { SECOND_NS_BIG } from '@tapeloom/core/units';
import { KnownDays } from './known-days.ts';

/** Two contracts with days that the test sets. */
class Tape {
  readonly days = new Map<string, readonly number[]>([
    ['ESZ6', [20261112]],
    ['NQZ6', [20261112]],
  ]);
  now = 0n as EpochNs;
  readonly asked: string[] = [];
  isBroken = false;
  /** Whether versions show changes. */
  hasVersions = true;
  readonly known = new KnownDays({
    days: {
      daysVersions: async (contracts) => {
        if (this.isBroken) throw new Error('the threads are gone');
        return contracts.map((symbol) => (this.hasVersions ? `${this.days.get(symbol)}` : 'same'));
      },
      daysOf: async (contracts) => {
        this.asked.push(contracts.join());
        return contracts.map((symbol) =>
          this.days
            .get(symbol)!
            .map((day) => ({ day: day as UtcDay, trades: 1, state: 'sealed' as const })),
        );
      },
    },
    book: () =>
      ({
        all: () => [...this.days.keys()].map((symbol) => ({ symbol })),
      }) as unknown as InstrumentBook,
    clock: { now: () => this.now },
  });

  async told(symbol = 'ESZ6'): Promise<readonly number[]> {
    return [...(await this.known.get()).get(symbol)!.keys()];
  }

  pass(seconds: number): void {
    this.now = (this.now + (BigInt(seconds * 2) * SECOND_NS_BIG) / 2n) as EpochNs;
  }
}

test('a change is told within a second, and only the contract it is of is asked for', async () => {
  const tape = new Tape();
  assert.deepEqual(await tape.told(), [20261112]);
  const { revision } = tape.known;
  tape.days.set('ESZ6', [20261112, 20261113]);
  tape.pass(1);
  assert.deepEqual(await tape.told(), [20261112, 20261113]);
  assert.notEqual(tape.known.revision, revision);
  tape.days.set('NQZ6', []);
  tape.pass(1);
  assert.deepEqual(await tape.told('NQZ6'), []);
  tape.pass(1);
  const last = tape.known.revision;
  await tape.told();
  assert.deepEqual(tape.asked, ['ESZ6,NQZ6', 'ESZ6', 'NQZ6']);
  assert.equal(tape.known.revision, last);
});

test('requests of the same half second look once', async () => {
  const tape = new Tape();
  await Promise.all([tape.told(), tape.told()]);
  assert.ok(!(tape.known.get() instanceof Promise));
  assert.equal(tape.asked.length, 1);
});

test('a change that no version shows is told within a minute', async () => {
  const tape = new Tape();
  tape.hasVersions = false;
  await tape.told();
  tape.days.set('ESZ6', [20261113]);
  tape.pass(30);
  assert.deepEqual(await tape.told(), [20261112]);
  tape.pass(30);
  assert.deepEqual(await tape.told(), [20261113]);
});

test('contracts that are no longer listed go, new ones come', async () => {
  const tape = new Tape();
  await tape.told();
  tape.days.delete('ESZ6');
  tape.days.set('CLF7', [20261112]);
  tape.pass(1);
  assert.deepEqual([...(await tape.known.get()).keys()], ['NQZ6', 'CLF7']);
});

test('what is old is better than nothing where the days cannot be had', async () => {
  const tape = new Tape();
  await tape.told();
  tape.isBroken = true;
  tape.pass(600);
  assert.deepEqual(await tape.told(), [20261112]);
  assert.deepEqual(await tape.told(), [20261112]);
  tape.isBroken = false;
  tape.days.set('ESZ6', []);
  tape.pass(1);
  assert.deepEqual(await tape.told(), []);
});

test('while nothing is known, who asks is told why', async () => {
  const tape = new Tape();
  tape.isBroken = true;
  await assert.rejects(async () => await tape.known.get());
  tape.isBroken = false;
  tape.pass(1);
  assert.deepEqual(await tape.told(), [20261112]);
});

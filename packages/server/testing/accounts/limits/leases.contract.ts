/**
 * What every adapter of the lease port must do; `create` makes an empty one. Time advances at most a renewal interval
 * at a time, with a call at each step, as in a running process.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import fc from 'fast-check';
import {
  LEASE_KINDS,
  LEASE_SECONDS,
  type LeaseKind,
  type LeaseRequest,
  type Leases,
  RENEW_EVERY_SECONDS,
} from '../../../src/accounts/limits/leases.ts';

const SECOND_NS = 1_000_000_000n;

class Run {
  now = 1_800_000_000_000_000_000n as EpochNs;
  readonly leases: Leases;

  constructor(leases: Leases) {
    this.leases = leases;
  }

  take(holder: string, limit: number, more: Partial<LeaseRequest> = {}): Promise<boolean> {
    const request = { accountId: 'a', kind: 'connection', holder, thing: holder } as const;
    return this.leases.take(this.now, { ...request, limit, testLimit: null, ...more });
  }

  count(kind: LeaseKind = 'connection', accountId = 'a'): Promise<number> {
    return this.leases.count(this.now, accountId, kind);
  }

  testCount(kind: LeaseKind = 'connection', accountId = 'a'): Promise<number> {
    return this.leases.count(this.now, accountId, kind, 'tests');
  }

  async pass(seconds: number): Promise<void> {
    for (let left = seconds; left > 0; left -= RENEW_EVERY_SECONDS) {
      const step = Math.min(left, RENEW_EVERY_SECONDS);
      this.now = (this.now + BigInt(step) * SECOND_NS) as EpochNs;
      await this.count('connection', 'nobody');
    }
  }
}

export function testLeases(
  adapter: string,
  create: () => Leases | Promise<Leases>,
  walks = 200,
): void {
  test(`${adapter}: a limit is reached, never passed, and a release makes room`, async () => {
    const run = new Run(await create());
    assert.deepEqual([await run.take('1', 2), await run.take('2', 2)], [true, true]);
    assert.equal(await run.take('3', 2), false);
    assert.equal(await run.count(), 2);
    await run.leases.release('a', 'connection', '1');
    assert.equal(await run.take('3', 2), true);
    assert.equal(await run.take('4', 0), false);
    assert.equal(await run.count(), 2);
  });

  test(`${adapter}: taking again is granted and counts once, also past a lowered limit`, async () => {
    const run = new Run(await create());
    for (const holder of ['1', '2', '1', '2', '1']) assert.equal(await run.take(holder, 2), true);
    assert.equal(await run.count(), 2);
    assert.equal(await run.take('1', 1), true);
    assert.equal(await run.take('3', 1), false);
    await run.leases.release('a', 'connection', '1');
    assert.equal(await run.count(), 1);
  });

  test(`${adapter}: holders of one thing count once, and the last one frees it`, async () => {
    const run = new Run(await create());
    const shared = { kind: 'configuration', thing: 'x' } as const;
    assert.equal(await run.take('1', 1, shared), true);
    assert.equal(await run.take('2', 1, shared), true);
    assert.equal(await run.take('3', 1, { ...shared, thing: 'y' }), false);
    assert.equal(await run.count('configuration'), 1);
    await run.leases.release('a', 'configuration', '1');
    assert.equal(await run.take('3', 1, { ...shared, thing: 'y' }), false);
    await run.leases.release('a', 'configuration', '2');
    assert.equal(await run.count('configuration'), 0);
    assert.equal(await run.take('3', 1, { ...shared, thing: 'y' }), true);
  });

  test(`${adapter}: a holder changes its thing within the limit, or keeps the old one`, async () => {
    const run = new Run(await create());
    const thing = (name: string) => ({ kind: 'configuration', thing: name }) as const;
    assert.equal(await run.take('1', 1, thing('x')), true);
    assert.equal(await run.take('1', 1, thing('y')), true);
    assert.equal(await run.count('configuration'), 1);
    assert.equal(await run.take('2', 1, thing('y')), true);
    // x would be a second thing while 1 also holds y.
    assert.equal(await run.take('2', 1, thing('x')), false);
    await run.leases.release('a', 'configuration', '1');
    assert.equal(await run.count('configuration'), 1);
    await run.leases.release('a', 'configuration', '2');
    assert.equal(await run.count('configuration'), 0);
  });

  test(`${adapter}: accounts and kinds are counted apart`, async () => {
    const run = new Run(await create());
    for (const accountId of ['a', 'b', '', '__proto__', 'a b']) {
      for (const kind of LEASE_KINDS) {
        assert.equal(await run.take('1', 1, { accountId, kind }), true, `${kind} ${accountId}`);
        assert.equal(await run.take('2', 1, { accountId, kind }), false, `${kind} ${accountId}`);
      }
    }
    await run.leases.release('a', 'connection', '1');
    assert.equal(await run.count('connection', 'a'), 0);
    assert.equal(await run.count('subscription', 'a'), 1);
    assert.equal(await run.count('connection', 'b'), 1);
  });

  test(`${adapter}: test keys count at the account's limit and at their own, and are refused by either`, async () => {
    const run = new Run(await create());
    const byTest = { testLimit: 1 };
    assert.equal(await run.take('1', 3), true);
    assert.equal(await run.take('2', 3, byTest), true);
    assert.equal(await run.take('3', 3, byTest), false);
    assert.deepEqual([await run.count(), await run.testCount()], [2, 1]);
    assert.equal(await run.take('3', 3), true);
    assert.equal(await run.take('4', 3), false);
    await run.leases.release('a', 'connection', '2');
    assert.deepEqual([await run.count(), await run.testCount()], [2, 0]);
    assert.equal(await run.take('4', 3), true);
    // The account is full, so a test key gets no slot, and its own limit is not used either.
    assert.equal(await run.take('5', 3, byTest), false);
    assert.deepEqual([await run.count(), await run.testCount()], [3, 0]);
    // If the plan does not limit it, only the limit of test keys applies.
    assert.equal(await run.take('5', 3, { limit: null, ...byTest }), true);
    assert.equal(await run.take('6', 3, { limit: null, ...byTest }), false);
  });

  test(`${adapter}: a thing of live and test keys counts once for the account, and once for the test keys`, async () => {
    const run = new Run(await create());
    const thing = (name: string) => ({ kind: 'configuration', thing: name }) as const;
    const byTest = (name: string) => ({ ...thing(name), testLimit: 1 });
    assert.equal(await run.take('1', 2, thing('x')), true);
    assert.equal(await run.take('2', 2, byTest('x')), true);
    assert.deepEqual(
      [await run.count('configuration'), await run.testCount('configuration')],
      [1, 1],
    );
    assert.equal(await run.take('3', 2, byTest('y')), false);
    assert.equal(await run.take('4', 2, byTest('x')), true);
    await run.leases.release('a', 'configuration', '1');
    assert.equal(await run.count('configuration'), 1);
    await run.leases.release('a', 'configuration', '2');
    // A change of thing gives up the old one on both counts, or on neither.
    assert.equal(await run.take('4', 2, byTest('y')), true);
    assert.deepEqual(
      [await run.count('configuration'), await run.testCount('configuration')],
      [1, 1],
    );
    await run.pass(LEASE_SECONDS);
    assert.deepEqual(
      [await run.count('configuration'), await run.testCount('configuration')],
      [0, 0],
    );
  });

  test(`${adapter}: what is not renewed is free after 90 s, not before`, async () => {
    const run = new Run(await create());
    await run.take('1', 1);
    await run.pass(LEASE_SECONDS - 1);
    assert.equal(await run.take('2', 1), false);
    assert.equal(await run.count(), 1);
    await run.pass(1);
    assert.equal(await run.count(), 0);
    assert.equal(await run.take('2', 1), true);
    // The first holder has lost its slot, and its late release does not affect the second.
    assert.equal(await run.take('1', 1), false);
    await run.leases.release('a', 'connection', '1');
    assert.equal(await run.count(), 1);
  });

  test(`${adapter}: what is renewed stays, and so does what is taken again`, async () => {
    const run = new Run(await create());
    await run.take('1', 2);
    await run.pass(RENEW_EVERY_SECONDS);
    await run.take('2', 2);
    await run.leases.renew(run.now);
    for (let count = 0; count < 10; count += 1) {
      await run.pass(LEASE_SECONDS - 1);
      await run.leases.renew(run.now);
    }
    assert.equal(await run.count(), 2);
    await run.pass(LEASE_SECONDS - 1);
    await run.take('2', 2);
    await run.pass(1);
    assert.equal(await run.count(), 1);
  });

  test(`${adapter}: what has ended is not renewed`, async () => {
    const run = new Run(await create());
    await run.take('1', 1);
    await run.pass(LEASE_SECONDS);
    await run.leases.renew(run.now);
    assert.equal(await run.count(), 0);
  });

  test(`${adapter}: releasing what is not held does nothing`, async () => {
    const run = new Run(await create());
    await run.take('1', 1);
    await run.leases.release('a', 'connection', '2');
    await run.leases.release('b', 'connection', '1');
    await run.leases.release('a', 'subscription', '1');
    assert.equal(await run.count(), 1);
    await run.leases.release('a', 'connection', '1');
    await run.leases.release('a', 'connection', '1');
    assert.equal(await run.count(), 0);
  });

  test(`${adapter}: of many takers at once exactly the limit passes`, async () => {
    const run = new Run(await create());
    const taken = await Promise.all(
      Array.from({ length: 64 }, (_, index) => run.take(`${index}`, 50)),
    );
    assert.equal(taken.filter(Boolean).length, 50);
    assert.equal(await run.count(), 50);
  });

  test(`${adapter}: any walk agrees with a plain list, and nothing is left at its end`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (walk) => {
        const run = new Run(await create());
        const model = new Model();
        for (const it of walk) await walkOn(run, model, it);
        await run.pass(LEASE_SECONDS);
        for (const accountId of ACCOUNTS) {
          for (const kind of LEASE_KINDS) assert.equal(await run.count(kind, accountId), 0);
        }
      }),
      { numRuns: walks },
    );
  });
}

const ACCOUNTS = ['a', 'b'] as const;
const LIMIT = 3;
const TEST_LIMIT = 2;
const TESTERS: readonly string[] = ['4', '5', '6'];

type Step =
  | { readonly do: 'take'; readonly who: Who; readonly thing: string }
  | { readonly do: 'release'; readonly who: Who }
  | { readonly do: 'renew' }
  | { readonly do: 'pass'; readonly seconds: number };

interface Who {
  readonly accountId: string;
  readonly kind: LeaseKind;
  readonly holder: string;
}

const who: fc.Arbitrary<Who> = fc.record({
  accountId: fc.constantFrom(...ACCOUNTS),
  kind: fc.constantFrom(...LEASE_KINDS),
  holder: fc.constantFrom('1', '2', '3', '4', '5', '6'),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('take' as const),
      who,
      thing: fc.constantFrom('p', 'q', 'r', 's', 't'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('release' as const), who }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('renew' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('pass' as const),
      seconds: fc.integer({ min: 0, max: LEASE_SECONDS }),
    }),
  },
);

/** Leases as a plain list, searched linearly. */
class Model {
  leases: (Who & { readonly thing: string; readonly since: bigint })[] = [];

  expire(now: bigint): void {
    this.leases = this.leases.filter((it) => now - it.since < BigInt(LEASE_SECONDS) * SECOND_NS);
  }

  things(of: Who, except?: string): Set<string> {
    return new Set(this.#others(of, except).map((it) => it.thing));
  }

  testThings(of: Who, except?: string): Set<string> {
    const byTests = this.#others(of, except).filter((it) => TESTERS.includes(it.holder));
    return new Set(byTests.map((it) => it.thing));
  }

  take(now: bigint, of: Who, thing: string): boolean {
    const isHeld = this.leases.some((it) => isSame(it, of) && it.thing === thing);
    if (!isHeld && this.things(of, of.holder).add(thing).size > LIMIT) return false;
    const isTest = TESTERS.includes(of.holder);
    const byTests = this.testThings(of, of.holder).add(thing).size;
    if (!isHeld && isTest && byTests > TEST_LIMIT) return false;
    this.release(of);
    this.leases.push({ ...of, thing, since: now });
    return true;
  }

  release(of: Who): void {
    this.leases = this.leases.filter((it) => !isSame(it, of));
  }

  renew(now: bigint): void {
    this.leases = this.leases.map((it) => ({ ...it, since: now }));
  }

  #others(of: Who, except?: string) {
    return this.leases.filter(
      (it) => it.accountId === of.accountId && it.kind === of.kind && it.holder !== except,
    );
  }
}

function isSame(a: Who, b: Who): boolean {
  return a.accountId === b.accountId && a.kind === b.kind && a.holder === b.holder;
}

async function walkOn(run: Run, model: Model, it: Step): Promise<void> {
  const { leases } = run;
  if (it.do === 'pass') await run.pass(it.seconds);
  model.expire(run.now);
  if (it.do === 'take') {
    const testLimit = TESTERS.includes(it.who.holder) ? TEST_LIMIT : null;
    const request = { ...it.who, thing: it.thing, limit: LIMIT, testLimit };
    const granted = await leases.take(run.now, request);
    assert.equal(granted, model.take(run.now, it.who, it.thing));
  } else if (it.do === 'release') {
    await leases.release(it.who.accountId, it.who.kind, it.who.holder);
    model.release(it.who);
  } else if (it.do === 'renew') {
    await leases.renew(run.now);
    model.renew(run.now);
  }
  for (const accountId of ACCOUNTS) {
    for (const kind of LEASE_KINDS) {
      const count = await leases.count(run.now, accountId, kind);
      assert.equal(count, model.things({ accountId, kind, holder: '' }).size);
      assert.ok(count <= LIMIT);
      const byTests = await run.testCount(kind, accountId);
      assert.equal(byTests, model.testThings({ accountId, kind, holder: '' }).size);
      assert.ok(byTests <= TEST_LIMIT);
    }
  }
}

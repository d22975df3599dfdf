import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { EpochNs } from '../numbers.ts';
import { type ManagementCriterion, unmetCriterion } from './key-management.ts';
import { ENVIRONMENTS, type KeyRights, SCOPES, type Scope } from './key-rights.ts';

const EXPIRY = 1_800_000_000_000_000_000n as EpochNs;
const FREE: KeyRights = {
  environment: 'live',
  scopes: ['stream', 'history', 'export', 'keys'],
  instruments: null,
  allowedIps: null,
  expiresAt: null,
};
const BOUND: KeyRights = {
  environment: 'test',
  scopes: ['stream', 'keys'],
  instruments: ['ES.c.0', 'NQZ6'],
  allowedIps: ['10.0.0.0/24', '10.0.1.0/24', '2001:db8::/32'],
  expiresAt: EXPIRY,
};

const soundIps = fc.constantFrom('10.0.0.0/8', '10.0.0.0/24', '10.0.0.7', '::/0', '2001:db8::1');
const rights: fc.Arbitrary<KeyRights> = fc.record({
  environment: fc.constantFrom(...ENVIRONMENTS),
  scopes: fc.uniqueArray(fc.constantFrom(...SCOPES), { minLength: 1 }),
  instruments: fc.option(
    fc.uniqueArray(fc.constantFrom('ES.c.0', 'ESZ6', 'NQ.c.0', 'NQZ6'), { minLength: 1 }),
  ),
  allowedIps: fc.option(fc.uniqueArray(soundIps, { minLength: 1 })),
  expiresAt: fc.option(fc.constantFrom(1n, 2n, 3n).map((ns) => ns as EpochNs)),
});

test('a target with exactly the same rights is allowed', () => {
  assert.equal(unmetCriterion(FREE, FREE), null);
  assert.equal(unmetCriterion(BOUND, BOUND), null);
  fc.assert(fc.property(rights, (any) => assert.equal(unmetCriterion(any, any), null)));
});

test('each criterion is judged at its edge, and named', () => {
  type Case = readonly [Partial<KeyRights>, ManagementCriterion | null];
  const cases: readonly Case[] = [
    [{ environment: 'live' }, 'environment'],
    [{ scopes: ['stream'] }, null],
    [{ scopes: ['keys', 'stream'] }, null],
    [{ scopes: ['stream', 'history'] }, 'scopes'],
    [{ instruments: null }, 'instruments'],
    [{ instruments: ['NQZ6'] }, null],
    [{ instruments: ['NQZ6', 'ES.c.0'] }, null],
    [{ instruments: ['NQZ6', 'CLX6'] }, 'instruments'],
    // The contract of the alias, and the alias of the contract, are other entries.
    [{ instruments: ['ESZ6'] }, 'instruments'],
    [{ instruments: ['NQ.c.0'] }, 'instruments'],
    [{ instruments: ['nqz6'] }, 'instruments'],
    [{ allowedIps: null }, 'allowedIps'],
    [{ allowedIps: ['10.0.0.0/25'] }, null],
    [{ allowedIps: ['10.0.0.7', '10.0.1.128/25', '2001:db8:1::/48'] }, null],
    [{ allowedIps: ['::ffff:10.0.0.0/120'] }, null],
    [{ allowedIps: ['::ffff:10.0.0.0/119'] }, 'allowedIps'],
    // Covered by two ranges together, by none alone.
    [{ allowedIps: ['10.0.0.0/23'] }, 'allowedIps'],
    [{ allowedIps: ['10.0.0.7', '10.0.2.0'] }, 'allowedIps'],
    [{ allowedIps: ['::/0'] }, 'allowedIps'],
    [{ allowedIps: ['10.0.0'] }, 'allowedIps'],
    [{ expiresAt: null }, 'expiresAt'],
    [{ expiresAt: (EXPIRY - 1n) as EpochNs }, null],
    [{ expiresAt: (EXPIRY + 1n) as EpochNs }, 'expiresAt'],
  ];
  for (const [difference, expected] of cases) {
    const criterion = unmetCriterion(BOUND, { ...BOUND, ...difference });
    assert.equal(
      criterion,
      expected,
      JSON.stringify(difference, (_, it) => `${it}`),
    );
  }
});

test('a manager without restrictions manages any target of its environment', () => {
  fc.assert(
    fc.property(rights, (target) => {
      const manager = { ...FREE, environment: target.environment };
      assert.equal(unmetCriterion(manager, target), null);
    }),
  );
});

test('a range of the manager that cannot be read holds nothing', () => {
  const manager = { ...FREE, allowedIps: ['10.0.0', '10.0.0.0/33'] };
  assert.equal(unmetCriterion(manager, { ...FREE, allowedIps: ['10.0.0.1'] }), 'allowedIps');
});

test('whoever may manage may do at least as much as the target, and the first unmet is named', () => {
  fc.assert(
    fc.property(rights, rights, (manager, target) => {
      const unmet = new Set<ManagementCriterion>();
      if (manager.environment !== target.environment) unmet.add('environment');
      const extra = target.scopes.filter((scope: Scope) => !manager.scopes.includes(scope));
      if (extra.length > 0) unmet.add('scopes');
      const foreign = new Set(target.instruments ?? ['anything']).difference(
        new Set(manager.instruments ?? [...(target.instruments ?? []), 'anything']),
      );
      if (foreign.size > 0) unmet.add('instruments');
      if (!ipsWithin(manager.allowedIps, target.allowedIps)) unmet.add('allowedIps');
      if ((target.expiresAt ?? 9n) > (manager.expiresAt ?? 9n)) unmet.add('expiresAt');
      assert.equal(unmetCriterion(manager, target), [...unmet][0] ?? null);
    }),
    { numRuns: 3000 },
  );
});

test('rights are never gained through a chain of keys', () => {
  fc.assert(
    fc.property(rights, rights, rights, (first, second, third) => {
      if (unmetCriterion(first, second) !== null || unmetCriterion(second, third) !== null) return;
      assert.equal(unmetCriterion(first, third), null);
    }),
    { numRuns: 5000 },
  );
});

/** Which of the property's few ranges contain each other. */
const LIES_IN: Readonly<Record<string, readonly string[]>> = {
  '10.0.0.0/8': ['10.0.0.0/8', '::/0'],
  '10.0.0.0/24': ['10.0.0.0/24', '10.0.0.0/8', '::/0'],
  '10.0.0.7': ['10.0.0.7', '10.0.0.0/24', '10.0.0.0/8', '::/0'],
  '::/0': ['::/0'],
  '2001:db8::1': ['2001:db8::1', '::/0'],
};

function ipsWithin(own: readonly string[] | null, wanted: readonly string[] | null): boolean {
  if (own === null) return true;
  if (wanted === null) return false;
  return wanted.every((range) => LIES_IN[range]!.some((outer) => own.includes(outer)));
}

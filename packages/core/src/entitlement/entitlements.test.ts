import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { RIGHT_BOOK, RIGHT_CASES } from '../../../server/testing/accounts/right-cases.ts';
import type { Alias, Contract } from '../instrument/contract.ts';
import { InstrumentBook } from '../instrument/instrument-book.ts';
import type { EpochNs, UtcDay } from '../numbers.ts';
import { addDays, dayOf, epochNs, utcDay } from '../utc-day.ts';
import { Entitlements } from './entitlements.ts';
import { type KeyRights, SCOPES } from './key-rights.ts';
import { PLAN_LIMITS, PLANS, type Plan } from './plan.ts';

const NOW = epochNs(utcDay(20261113), 52_200_123_456_789);
const RIGHTS: KeyRights = {
  environment: 'live',
  scopes: ['stream'],
  instruments: null,
  allowedIps: null,
  expiresAt: null,
};
const liveKey = (plan: Plan) => Entitlements.of(RIGHTS, plan);
const testKey = (plan: Plan) => Entitlements.of({ ...RIGHTS, environment: 'test' }, plan);
const restrictedTo = (instruments: readonly string[] | null) =>
  Entitlements.of({ ...RIGHTS, instruments }, 'live_history');

test('every entry, name and moment has the verdict of the table', () => {
  for (const { entries, name, now, from, isAllowed, title } of RIGHT_CASES) {
    const contract = RIGHT_BOOK.resolve(name, dayOf(from ?? now));
    assert.ok(contract, title);
    const request = { name, contract, book: RIGHT_BOOK, today: dayOf(now), now };
    assert.equal(restrictedTo(entries).allowsInstrument(request), isAllowed, title);
  }
});

test('the table has refusals and permissions for every way of asking', () => {
  for (const isAllowed of [true, false]) {
    for (const isStream of [true, false]) {
      const some = RIGHT_CASES.filter(
        (it) => it.isAllowed === isAllowed && (it.from === null) === isStream,
      );
      assert.ok(some.length > 50, `${some.length}`);
    }
  }
});

test('at the instant of its expiry a contract leaves its alias, and only its own entry counts [INST-15]', () => {
  const contract = RIGHT_BOOK.contract('ESM7');
  assert.ok(contract);
  const { expiresAt } = contract;
  const allows = (entry: string, now: bigint) =>
    restrictedTo([entry]).allowsInstrument({
      name: 'ESM7',
      contract,
      book: RIGHT_BOOK,
      today: dayOf(expiresAt),
      now: now as EpochNs,
    });
  // On its last day the alias still means it.
  assert.equal(allows('ES.c.0', expiresAt - 1n), true);
  assert.equal(allows('ES.c.0', expiresAt), false);
  assert.equal(allows('ESM7', expiresAt), true);
});

test('an alias entry of its contract does not allow another alias of the same contract', () => {
  const contract = RIGHT_BOOK.contract('ESU6');
  assert.ok(contract);
  const now = epochNs(utcDay(20260905), 0);
  const request = { name: 'ES.v.0', contract, book: RIGHT_BOOK, today: dayOf(now), now };
  assert.equal(restrictedTo(['ES.c.0']).allowsInstrument(request), false);
});

test('the verdict is that of an obvious twin, for any book', () => {
  fc.assert(
    fc.property(books(), fc.array(fc.nat(9), { maxLength: 4 }), fc.nat(9), times(), (...args) => {
      const [book, entryPicks, namePick, { now, from }] = args;
      const known = [...book.all().map((it) => it.symbol), ...book.allAliases().map(aliasName)];
      const name = known[namePick % known.length]!;
      const entries = entryPicks.map((pick) => known[pick] ?? 'nothing');
      const contract = book.resolve(name, dayOf(from ?? now));
      if (contract === null) return;
      const request = { name, contract, book, today: dayOf(now), now };
      const expected = entries.some((entry) => entryAllows(entry, name, contract, book, now));
      assert.equal(restrictedTo(entries).allowsInstrument(request), expected);
    }),
    { numRuns: 3000 },
  );
});

/** The rules for one entry, written as separate conditions. */
function entryAllows(
  entry: string,
  name: string,
  meant: Contract,
  book: InstrumentBook,
  now: EpochNs,
): boolean {
  const entryIsAlias = book.alias(entry) !== null;
  const nameIsAlias = book.alias(name) !== null;
  if (entryIsAlias && nameIsAlias) return entry === name;
  if (!entryIsAlias && !nameIsAlias) return entry === name;
  if (!entryIsAlias) return entry === meant.symbol;
  const asked = book.contract(name)!;
  const rolls = book.alias(entry)!.rolls.filter((roll) => roll.from <= dayOf(now));
  return asked.expiresAt > now && rolls.at(-1)?.symbol === asked.symbol;
}

const DAY_0 = utcDay(20260101);
const aliasName = (alias: Alias) => alias.alias;

function times() {
  const instant = fc.integer({ min: 0, max: 60 * 24 }).map((hour) => {
    return (epochNs(DAY_0, 0) + BigInt(hour) * 3_600_000_000_000n) as EpochNs;
  });
  return fc.record({ now: instant, from: fc.option(instant) });
}

/** Up to five contracts that expire over two months, and two aliases that roll through them. */
function books(): fc.Arbitrary<InstrumentBook> {
  const expiries = fc.array(fc.integer({ min: 24, max: 60 * 24 }), { minLength: 1, maxLength: 5 });
  const rolls = fc.array(fc.tuple(fc.nat(59), fc.nat(4)), { minLength: 1, maxLength: 4 });
  return fc.tuple(expiries, rolls, rolls).map(([hours, one, two]) => {
    const template = RIGHT_BOOK.contract('ESZ6')!;
    const contracts = hours.map((hour, index) => ({
      ...template,
      symbol: `C${index}`,
      expiresAt: (epochNs(DAY_0, 0) + BigInt(hour) * 3_600_000_000_000n) as EpochNs,
    }));
    return new InstrumentBook(contracts, [
      { ...RIGHT_BOOK.alias('ES.c.0')!, alias: 'A0', rolls: soundRolls(contracts, one) },
      { ...RIGHT_BOOK.alias('ES.c.0')!, alias: 'A1', rolls: soundRolls(contracts, two) },
    ]);
  });
}

function soundRolls(contracts: readonly Contract[], picks: readonly [number, number][]) {
  const byDay = new Map<UtcDay, string>();
  for (const [offset, pick] of picks) {
    const from = addDays(DAY_0, offset);
    const contract = contracts[pick % contracts.length]!;
    if (contract.expiresAt > epochNs(from, 0)) byDay.set(from, contract.symbol);
  }
  return [...byDay].sort(([a], [b]) => a - b).map(([from, symbol]) => ({ from, symbol }));
}

test('a live key has the limits of the plan, a test key those of the sandbox whatever the plan', () => {
  for (const plan of PLANS) {
    assert.equal(liveKey(plan).plan, plan);
    assert.equal(liveKey(plan).limits, PLAN_LIMITS[plan]);
    assert.equal(testKey(plan).plan, plan);
    assert.equal(testKey(plan).limits, PLAN_LIMITS.sandbox);
  }
});

test('every key counts at the limits of its plan, a test key at those of the sandbox besides', () => {
  const fields = [
    'restPerMinute',
    'maxConnections',
    'maxSubscriptions',
    'maxCustomConfigs',
  ] as const;
  for (const plan of PLANS) {
    for (const field of [...fields, 'computeBudget', 'exportBytes'] as const) {
      const limit = PLAN_LIMITS[plan][field];
      assert.deepEqual(liveKey(plan).counted(field), { limit, testLimit: null });
      const testLimit = PLAN_LIMITS.sandbox[field];
      // If the plan does not include it, only the sandbox's limit applies to a test key.
      const ofTest = { limit: limit === 0 ? null : limit, testLimit };
      assert.deepEqual(testKey(plan).counted(field), ofTest);
    }
  }
  assert.deepEqual(testKey('live').counted('computeBudget'), {
    limit: null,
    testLimit: 50_000_000,
  });
});

test('what is visible ends ten minutes ago with a delay, and now without', () => {
  const tenMinutes = 600_000_000_000n;
  for (const entitlements of [liveKey('sandbox'), liveKey('history'), ...PLANS.map(testKey)]) {
    assert.equal(entitlements.delayNs, tenMinutes);
    assert.equal(entitlements.visibleUntil(NOW), NOW - tenMinutes);
    assert.equal(entitlements.visibleUntil(5n as EpochNs), 0n);
  }
  for (const plan of ['live', 'live_history'] as const) {
    assert.equal(liveKey(plan).delayNs, 0n);
    assert.equal(liveKey(plan).visibleUntil(NOW), NOW);
  }
});

test('history begins at midnight seven days ago, everywhere, or nowhere', () => {
  const weekAgo = epochNs(utcDay(20261106), 0);
  assert.equal(liveKey('sandbox').historyFrom(NOW), weekAgo);
  for (const plan of PLANS) assert.equal(testKey(plan).historyFrom(NOW), weekAgo);
  assert.equal(liveKey('live').historyFrom(NOW), null);
  assert.equal(liveKey('history').historyFrom(NOW), 0n);
  assert.equal(liveKey('live_history').historyFrom(NOW), 0n);
});

test('the seven days move at midnight, over month ends and leap days', () => {
  const cases: readonly [now: bigint, day: number][] = [
    [epochNs(utcDay(20261113), 0), 20261106],
    [epochNs(utcDay(20261114), 0) - 1n, 20261106],
    [epochNs(utcDay(20261114), 0), 20261107],
    [epochNs(utcDay(20280304), 0), 20280226],
    [epochNs(utcDay(20260304), 0), 20260225],
    [epochNs(utcDay(20270101), 0), 20261225],
  ];
  for (const [now, day] of cases) {
    assert.equal(liveKey('sandbox').historyFrom(now as EpochNs), epochNs(utcDay(day), 0), `${day}`);
  }
  assert.equal(liveKey('sandbox').historyFrom(0n as EpochNs), 0n);
});

test('a key has the scopes it lists and no others, on every plan', () => {
  for (const plan of PLANS) {
    for (const scope of SCOPES) {
      const entitlements = Entitlements.of({ ...RIGHTS, scopes: [scope] }, plan);
      for (const asked of SCOPES) assert.equal(entitlements.hasScope(asked), asked === scope);
    }
  }
});

test('an entry that is no range any more allows nothing, and the others go on', () => {
  const allowedIps = ['::ffff:10.0.0.1/8', '192.0.2.7'];
  const stored = Entitlements.of({ ...RIGHTS, allowedIps }, 'live');
  assert.equal(stored.allowsAddress('192.0.2.7'), true);
  for (const address of ['10.0.0.1', '203.0.113.7', '::1']) {
    assert.equal(stored.allowsAddress(address), false, address);
  }
});

test('a key is used from the addresses it lists, or from any when it lists none', () => {
  const limited = Entitlements.of(
    { ...RIGHTS, allowedIps: ['203.0.113.7', '10.0.0.0/8', '2001:db8::/32'] },
    'live',
  );
  const inside = [
    '203.0.113.7',
    '::ffff:203.0.113.7',
    '10.255.0.1',
    '::ffff:a01:203',
    '2001:db8::',
  ];
  const outside = [
    '203.0.113.8',
    '11.0.0.0',
    '2001:db9::',
    '::1',
    'unknown',
    '',
    '10.0.0',
    '010.0.0.1',
  ];
  for (const address of inside) {
    assert.equal(limited.allowsAddress(address), true, address);
    assert.equal(liveKey('live').allowsAddress(address), true, address);
  }
  for (const address of outside) {
    assert.equal(limited.allowsAddress(address), false, address);
    assert.equal(liveKey('live').allowsAddress(address), true, address);
  }
});

test('a stored restriction that cannot be read allows nobody', () => {
  const broken = Entitlements.of({ ...RIGHTS, allowedIps: ['10.0.0'] }, 'live');
  assert.equal(broken.allowsAddress('10.0.0.1'), false);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { EpochNs } from '../numbers.ts';
import {
  type AllowanceState,
  type AllowanceVerdict,
  isFull,
  takeFromAllowances,
} from './allowance.ts';

const START = 1_800_000_000_000_000_000n;
const SECOND_NS = 1_000_000_000n;
const MINUTE_NS = 60n * SECOND_NS;
const HOUR_NS = 60n * MINUTE_NS;

function takeFromAllowance(state: AllowanceState | null, now: EpochNs, perMinute: number) {
  const { states, verdict } = takeFromAllowances(now, [{ state, perMinute }]);
  return { state: states[0]!, verdict };
}

/** A caller with its state and time. */
class Asker {
  now = START;
  state: AllowanceState | null = null;

  take(perMinute: number): AllowanceVerdict {
    const { state, verdict } = takeFromAllowance(this.state, this.now as EpochNs, perMinute);
    this.state = state;
    return verdict;
  }

  /** How many requests would pass now, without taking any. */
  passing(perMinute: number): number {
    let { state } = this;
    for (let count = 0; ; count += 1) {
      const next = takeFromAllowance(state, this.now as EpochNs, perMinute);
      if (!next.verdict.granted) return count;
      state = next.state;
    }
  }

  spendAll(perMinute: number): number {
    let granted = 0;
    while (this.take(perMinute).granted) granted += 1;
    return granted;
  }
}

const limits = fc.oneof(fc.constantFrom(1, 7, 60, 300, 1_200), fc.integer({ min: 1, max: 2_000 }));
const pauses = fc.oneof(
  fc.constant(0n),
  fc.bigInt(0n, SECOND_NS),
  fc.bigInt(0n, MINUTE_NS),
  fc.bigInt(0n, HOUR_NS),
);

test('a full allowance passes at once, and the next request is refused', () => {
  for (const limit of [1, 7, 60, 300, 1_200]) {
    const asker = new Asker();
    assert.deepEqual(asker.take(limit), {
      granted: true,
      limit,
      remaining: limit - 1,
      resetSeconds: Math.ceil(60 / limit),
      retryAfterSeconds: 0,
    });
    for (let left = limit - 2; left >= 0; left -= 1) {
      assert.equal(asker.take(limit).remaining, left);
    }
    assert.deepEqual(asker.take(limit), {
      granted: false,
      limit,
      remaining: 0,
      resetSeconds: 60,
      retryAfterSeconds: Math.ceil(60 / limit),
    });
  }
});

test('the refill is continuous: one request after its share of the minute, to the nanosecond', () => {
  const asker = new Asker();
  asker.spendAll(300);
  asker.now += MINUTE_NS / 300n - 1n;
  assert.equal(asker.passing(300), 0);
  asker.now += 1n;
  assert.equal(asker.passing(300), 1);
  asker.now += MINUTE_NS / 4n;
  assert.equal(asker.passing(300), 76);
  asker.now += HOUR_NS;
  assert.equal(asker.passing(300), 300);
});

test('shares that are no whole nanoseconds add up without a loss, however often one asks', () => {
  const asker = new Asker();
  asker.spendAll(7);
  for (let nth = 1n; nth <= 70n; nth += 1n) {
    // A seventh of a minute has a fraction; the nth request is refilled in the nanosecond that completes it.
    const back = START + (nth * MINUTE_NS + 6n) / 7n;
    while (asker.now < back - 1n) {
      const halfway = (back - asker.now) / 2n;
      asker.now += halfway > 1n ? halfway : 1n;
      assert.equal(asker.take(7).granted, false);
    }
    asker.now = back;
    assert.equal(asker.take(7).granted, true);
  }
});

test('it never parts from an exact twin that counts in fractions', () => {
  const steps = fc.array(fc.tuple(pauses, fc.nat(30)), { maxLength: 40 });
  fc.assert(
    fc.property(limits, steps, (limit, walk) => {
      const asker = new Asker();
      // In requests times one minute in nanoseconds, so that a share is a whole number.
      const full = BigInt(limit) * MINUTE_NS;
      let level = full;
      for (const [pause, requests] of walk) {
        asker.now += pause;
        level += pause * BigInt(limit);
        if (level > full) level = full;
        for (let count = 0; count <= requests; count += 1) {
          const verdict = asker.take(limit);
          const isGranted = level >= MINUTE_NS;
          if (isGranted) level -= MINUTE_NS;
          assert.equal(verdict.granted, isGranted);
          assert.equal(verdict.remaining, Number(level / MINUTE_NS));
        }
      }
    }),
    { numRuns: 300 },
  );
});

test('remaining is what passes now, reset restores it all, retry-after lets one pass', () => {
  const steps = fc.array(fc.tuple(pauses, fc.nat(40)), { minLength: 1, maxLength: 10 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 90 }), steps, (limit, walk) => {
      const asker = new Asker();
      for (const [pause, requests] of walk) {
        asker.now += pause;
        for (let count = 0; count < requests; count += 1) asker.take(limit);
        const verdict = asker.take(limit);
        assert.equal(asker.passing(limit), verdict.remaining);
        const at = (seconds: number) => {
          const later = new Asker();
          later.state = asker.state;
          later.now = asker.now + BigInt(seconds) * SECOND_NS;
          return later.passing(limit);
        };
        assert.equal(at(verdict.resetSeconds), limit);
        assert.ok(at(verdict.resetSeconds - 1) < limit);
        assert.ok(verdict.resetSeconds >= 1 && verdict.resetSeconds <= 60);
        if (verdict.granted) {
          assert.equal(verdict.retryAfterSeconds, 0);
        } else {
          assert.ok(verdict.retryAfterSeconds >= 1);
          assert.ok(at(verdict.retryAfterSeconds) >= 1);
          if (verdict.retryAfterSeconds > 1) assert.equal(at(verdict.retryAfterSeconds - 1), 0);
        }
      }
    }),
    { numRuns: 200 },
  );
});

test('a clock that jumps an hour ahead gives one full allowance, and no more', () => {
  const asker = new Asker();
  asker.spendAll(60);
  asker.now += HOUR_NS;
  assert.equal(asker.spendAll(60), 60);
});

test('a clock that jumps an hour back locks nobody out for more than a minute', () => {
  const asker = new Asker();
  asker.spendAll(60);
  asker.now -= HOUR_NS;
  const { granted, retryAfterSeconds, resetSeconds } = asker.take(60);
  assert.deepEqual([granted, retryAfterSeconds, resetSeconds], [false, 1, 60]);
  asker.now += SECOND_NS;
  assert.equal(asker.passing(60), 1);
  asker.now += 59n * SECOND_NS;
  assert.equal(asker.passing(60), 60);
});

test('whatever the clock does, a jump never gives more than one full allowance', () => {
  const walk = fc.array(fc.bigInt(-HOUR_NS, HOUR_NS), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100 }), walk, (limit, jumps) => {
      const asker = new Asker();
      asker.spendAll(limit);
      for (const jump of jumps) {
        asker.now += jump;
        const granted = asker.spendAll(limit);
        assert.ok(granted <= limit);
        if (jump <= 0n) assert.equal(granted, 0);
      }
      asker.now += MINUTE_NS;
      assert.equal(asker.spendAll(limit), limit);
    }),
  );
});

test('an allowance whose limit changes goes on with what was spent of it', () => {
  const asker = new Asker();
  assert.equal(asker.spendAll(60), 60);
  assert.equal(asker.take(1_200).remaining, 1_200 - 61);
  assert.equal(asker.passing(60), 0);
  assert.equal(asker.spendAll(1_200), 1_200 - 61);
  // The debt is capped at the smaller limit: it is refilled within a minute.
  asker.take(60);
  asker.now += SECOND_NS;
  assert.equal(asker.passing(60), 1);
  asker.now += 59n * SECOND_NS;
  assert.equal(asker.passing(60), 60);
});

test('a limit that is lowered or raised between calls neither locks out nor overflows', () => {
  const steps = fc.array(fc.tuple(pauses, limits, fc.nat(50)), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(steps, limits, (walk, last) => {
      const asker = new Asker();
      for (const [pause, limit, requests] of walk) {
        asker.now += pause;
        for (let count = 0; count <= requests; count += 1) {
          const verdict = asker.take(limit);
          assert.ok(verdict.remaining >= 0 && verdict.remaining < limit);
          assert.ok(verdict.resetSeconds <= 60 && verdict.retryAfterSeconds <= 60);
        }
      }
      asker.now += MINUTE_NS;
      assert.equal(asker.passing(last), last);
    }),
    { numRuns: 100 },
  );
});

/** Live and test keys of one account. */
class Account {
  now = START;
  all: AllowanceState | null = null;
  byTests: AllowanceState | null = null;

  take(isTest: boolean, limit: number, testLimit: number): AllowanceVerdict {
    const counted = [{ state: this.all, perMinute: limit }];
    if (isTest) counted.push({ state: this.byTests, perMinute: testLimit });
    const { states, verdict } = takeFromAllowances(this.now as EpochNs, counted);
    this.all = states[0]!;
    if (isTest) this.byTests = states[1]!;
    return verdict;
  }
}

test('a request at two allowances passes where both have room, and else takes from neither', () => {
  const account = new Account();
  for (let count = 0; count < 10; count += 1) {
    assert.equal(account.take(true, 100, 10).granted, true);
  }
  const full = account.take(true, 100, 10);
  assert.deepEqual([full.granted, full.limit, full.remaining], [false, 10, 0]);
  assert.deepEqual([full.resetSeconds, full.retryAfterSeconds], [60, 6]);
  // Live keys have what the test keys did not take.
  assert.equal(account.take(false, 100, 10).remaining, 89);
  while (account.take(false, 100, 10).granted);
  account.now += 30n * SECOND_NS;
  for (let count = 0; count < 47; count += 1) account.take(false, 100, 10);
  const both = account.take(true, 100, 10);
  // Five were refilled for the test keys, fifty for the account, which now has the least.
  assert.deepEqual([both.granted, both.remaining, both.resetSeconds], [true, 2, 59]);
  account.take(false, 100, 10);
  account.take(false, 100, 10);
  const refused = account.take(true, 100, 10);
  assert.deepEqual([refused.granted, refused.limit, refused.remaining], [false, 10, 0]);
  assert.equal(refused.retryAfterSeconds, 1);
  account.now += MINUTE_NS;
  assert.equal(account.take(true, 100, 10).remaining, 9);
});

test('of two allowances each is held as if it were alone, whoever asks', () => {
  const steps = fc.array(fc.tuple(fc.bigInt(0n, 5n * SECOND_NS), fc.boolean()), { maxLength: 200 });
  fc.assert(
    fc.property(steps, (walk) => {
      const account = new Account();
      const [all, tests] = [new Asker(), new Asker()];
      for (const [pause, isTest] of walk) {
        for (const one of [account, all, tests]) one.now += pause;
        const hasRoom = all.passing(30) > 0 && (!isTest || tests.passing(10) > 0);
        const verdict = account.take(isTest, 30, 10);
        assert.equal(verdict.granted, hasRoom);
        if (hasRoom) {
          all.take(30);
          if (isTest) tests.take(10);
        }
        const left = isTest ? Math.min(all.passing(30), tests.passing(10)) : all.passing(30);
        assert.equal(verdict.remaining, left);
        if (!verdict.granted) assert.ok(verdict.retryAfterSeconds >= 1);
      }
    }),
  );
});

test('a state is full once everything has come back, which is never later than a minute', () => {
  fc.assert(
    fc.property(limits, fc.integer({ min: 1, max: 50 }), (limit, requests) => {
      const asker = new Asker();
      let verdict = asker.take(limit);
      for (let count = 1; count < requests; count += 1) verdict = asker.take(limit);
      const { state } = asker;
      assert.ok(state);
      assert.equal(isFull(state, asker.now as EpochNs), false);
      const later = (seconds: number) => (asker.now + BigInt(seconds) * SECOND_NS) as EpochNs;
      assert.equal(isFull(state, later(verdict.resetSeconds)), true);
      assert.equal(isFull(state, later(verdict.resetSeconds - 1)), false);
    }),
  );
});

test('a limit that is no whole number from 1 on is refused as our own fault', () => {
  for (const limit of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
    assert.throws(() => takeFromAllowance(null, START as EpochNs, limit), RangeError);
  }
});

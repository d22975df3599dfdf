import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CostRefusedError, Spending } from './spending.ts';

test('a call that costs more than the user allows per call is refused with both numbers', () => {
  const spending = new Spending({ perCall: 1_000, total: 5_000 });
  assert.throws(() => spending.reserve(1_001), {
    name: 'Error',
    message: /1,001 compute units; the user allows 1,000 compute units per call/,
  });
  assert.equal(spending.left, 5_000);
  assert.equal(spending.refusal(1_000), null);
});

test('calls side by side cannot exceed together what the user allows in all', () => {
  const spending = new Spending({ perCall: 1_000, total: 1_500 });
  const first = spending.reserve(900);
  assert.throws(() => spending.reserve(900), CostRefusedError);
  first.spend(100);
  first[Symbol.dispose]();
  assert.equal(spending.spent, 100);
  assert.equal(spending.left, 1_400);
  using second = spending.reserve(900);
  second.spend(900);
  assert.equal(spending.left, 500);
});

test('what cost more than was estimated counts in full', () => {
  const spending = new Spending({ perCall: 100, total: 100 });
  {
    using reservation = spending.reserve(50);
    reservation.spend(30);
    reservation.spend(45);
  }
  assert.equal(spending.spent, 75);
  assert.equal(spending.left, 25);
});

test('limits of 0 allow what is free, and nothing else', () => {
  const spending = new Spending({ perCall: 0, total: 0 });
  assert.equal(spending.refusal(0), null);
  assert.throws(() => spending.reserve(1), CostRefusedError);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import { testAllowances } from '../../../testing/accounts/limits/allowances.contract.ts';
import { MemoryAllowances } from './memory-allowances.ts';

const START = 1_800_000_000_000_000_000n;
const SECOND_NS = 1_000_000_000n;

const SIXTY = { limit: 60, testLimit: null };

testAllowances('memory', () => new MemoryAllowances());

test('whoever has everything back is forgotten', () => {
  const allowances = new MemoryAllowances();
  for (let who = 0; who < 1_000; who += 1) {
    allowances.take(START as EpochNs, `account ${who}`, SIXTY);
  }
  assert.equal(allowances.size, 1_000);
  for (let count = 0; count < 600; count += 1) {
    allowances.take((START + 61n * SECOND_NS) as EpochNs, 'one', SIXTY);
  }
  assert.equal(allowances.size, 1);
});

test('whoever has something to come back is remembered while there is room', () => {
  const allowances = new MemoryAllowances();
  for (let count = 0; count < 60; count += 1) allowances.take(START as EpochNs, 'a', SIXTY);
  const soon = (START + 30n * SECOND_NS) as EpochNs;
  for (let count = 0; count < 100; count += 1) allowances.take(soon, `other ${count}`, SIXTY);
  assert.equal(allowances.take(soon, 'a', SIXTY).remaining, 29);
});

test('no more are remembered than there is room for: the one who asked longest ago goes', () => {
  const allowances = new MemoryAllowances(100);
  const now = START as EpochNs;
  for (let who = 0; who < 100; who += 1) allowances.take(now, `${who}`, SIXTY);
  // 0 requests again, so 1 is the least recently active.
  assert.equal(allowances.take(now, '0', SIXTY).remaining, 58);
  allowances.take(now, 'new', SIXTY);
  assert.equal(allowances.size, 100);
  assert.equal(allowances.take(now, '0', SIXTY).remaining, 57);
  assert.equal(allowances.take(now, '1', SIXTY).remaining, 59);
  for (let who = 0; who < 5_000; who += 1) allowances.take(now, `crowd ${who}`, SIXTY);
  assert.equal(allowances.size, 100);
});

test('a clock set back keeps memory within its bound, and nobody is locked out', () => {
  const allowances = new MemoryAllowances(100);
  for (let count = 0; count < 61; count += 1) allowances.take(START as EpochNs, 'a', SIXTY);
  const back = START - 3_600n * SECOND_NS;
  for (let who = 0; who < 50; who += 1) allowances.take(back as EpochNs, `${who}`, SIXTY);
  assert.equal(allowances.take(back as EpochNs, 'a', SIXTY).granted, false);
  assert.equal(allowances.take((back + SECOND_NS) as EpochNs, 'a', SIXTY).granted, true);
  for (let who = 0; who < 500; who += 1) allowances.take(back as EpochNs, `more ${who}`, SIXTY);
  assert.equal(allowances.size, 100);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChartBar } from '../series/chart-bar.ts';
import { countdownText } from './countdown.ts';

const BAR = {
  ...{ kind: 'bar', id: '1', isFinal: false, fromNs: 1_000_000_000_000n, endNs: 0n },
  ...{ open: 1, high: 1, low: 1, close: 1, volume: 400, bid: 0, ask: 0, unknown: 0 },
  ...{ trades: 12, delta: 0, deltaMin: 0, deltaMax: 0, levels: null },
} as ChartBar;

function time(size: number, second: number, closeSecond: number | null = null) {
  const close = closeSecond === null ? null : BigInt(closeSecond) * 1_000_000_000n;
  const choice = { kind: 'time', size, session: 'full' } as const;
  return countdownText(choice, BAR, BigInt(second) * 1_000_000_000n, close);
}

test('a bar of time counts its seconds', () => {
  assert.equal(time(300, 1200), '1:40');
  assert.equal(time(300, 1300), '0:00');
  assert.equal(time(7200, 1001), '1:59:59');
});

test('the end of the session shortens the last bar', () => {
  assert.equal(time(300, 1200, 1210), '0:10');
});

test('a bar that should have ended long ago counts nothing', () => {
  assert.equal(time(300, 1400), null);
  assert.equal(time(300, 900), null);
});

test('bars of trades and lots count what is left', () => {
  const left = (kind: 'tick' | 'volume' | 'range', size: number) =>
    countdownText({ kind, size, session: 'full' }, BAR, null, null);
  assert.equal(left('tick', 1500), '1,488 left');
  assert.equal(left('volume', 1000), '600 left');
  assert.equal(left('range', 10), null);
});

test('a finished bar counts nothing', () => {
  const choice = { kind: 'tick', size: 100, session: 'full' } as const;
  assert.equal(countdownText(choice, { ...BAR, isFinal: true }, null, null), null);
  assert.equal(countdownText(choice, null, null, null), null);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TimeAxis } from './time-axis.ts';

const at = (text: string) => BigInt(Date.parse(`${text}Z`)) * 1_000_000n;

/** Adjacent hours of trading. */
function hours(day: string, first: number, last: number) {
  return Array.from({ length: last - first }, (_, index) => {
    const hour = String(first + index).padStart(2, '0');
    const startNs = at(`${day}T${hour}:00:00`);
    return { startNs, endNs: startNs + 3_600_000_000_000n };
  });
}

test('time runs evenly inside a candle, and what is outside of all lies on the edges', () => {
  const axis = new TimeAxis(hours('2026-11-10', 14, 18), 100, 500);
  assert.equal(axis.slotWidth, 100);
  assert.equal(axis.x(at('2026-11-10T14:30:00')), 150);
  assert.equal(axis.x(at('2026-11-10T17:00:00')), 400);
  assert.equal(axis.x(at('2026-11-09T00:00:00')), 100);
  assert.equal(axis.x(at('2026-11-11T00:00:00')), 500);
});

test('hours in which nothing traded take no room, and the date is written where the day changes', () => {
  const slots = [...hours('2026-11-10', 14, 18), ...hours('2026-11-12', 14, 18)];
  const axis = new TimeAxis(slots, 0, 800);
  assert.equal(axis.x(at('2026-11-11T08:00:00')), 400);
  assert.equal(axis.x(at('2026-11-12T14:00:00')), 400);
  const words = axis.labels().map((label) => label.words);
  assert.deepEqual(words.slice(0, 5), ['14:00', '15:00', '16:00', '17:00', '11-12']);
});

test('candles that begin at the same time have places of their own', () => {
  const startNs = at('2026-11-10T14:00:00');
  const axis = new TimeAxis(
    [startNs, startNs, startNs].map((ns) => ({ startNs: ns, endNs: ns })),
    0,
    300,
  );
  assert.equal(axis.slotWidth, 100);
  assert.equal(axis.x(startNs), 200);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChartContent } from '@tapeloom/charts/series/chart-content';
import { sessionChange } from './session-change.ts';

const MINUTE = 60_000_000_000n;

function contentWith(bars: readonly (readonly [minute: bigint, open: number, close: number])[]) {
  const content = new ChartContent();
  content.instrument = {
    ...{ name: 'ES.c.0', contract: 'ESZ6', title: '', tickSizeNanos: 250_000_000 },
    timeZone: null,
  };
  const day = { date: 1, openNs: 100n * MINUTE, closeNs: 1_000n * MINUTE, regular: null };
  content.sessions = [day];
  for (const [minute, open, close] of bars) {
    const ts = minute * MINUTE;
    const data = { open, close, high: close, low: open, end: String(ts) };
    content.bars.put({ id: `1.${minute}`, ts, final: true, data } as never);
  }
  return content;
}

test('the change counts since the open if the session is whole', () => {
  const whole = contentWith([
    [100n, 22_290, 22_200],
    [105n, 22_200, 22_180],
  ]);
  assert.deepEqual(sessionChange(whole), { last: '5545.00', change: '−27.50', sinceNs: null });
  const after = contentWith([
    [90n, 1, 2],
    [110n, 22_180, 22_180],
  ]);
  assert.deepEqual(sessionChange(after), { last: '5545.00', change: '±0.00', sinceNs: null });
});

test('else it says since when, and without bars nothing', () => {
  const part = contentWith([[300n, 22_000, 22_180]]);
  assert.deepEqual(sessionChange(part), {
    last: '5545.00',
    change: '+45.00',
    sinceNs: 300n * MINUTE,
  });
  assert.equal(sessionChange(contentWith([])), null);
});

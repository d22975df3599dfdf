import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { parseRecording } from '@tapeloom/charts/feed/recording';
import { rowsOf } from '@tapeloom/charts/series/rows';
import type { FootprintData } from '@tapeloom/protocol/indicators';
import type { SnapshotMessage } from '@tapeloom/protocol/server-messages';
import { firstChart, firstFrames } from './first-frame.ts';

const packed = readFileSync(new URL('../../../recording/session.gz', import.meta.url));
const recording = parseRecording(gunzipSync(packed).toString());

test('the first frames are in the page without any style attribute or script', () => {
  const html = firstFrames(recording);
  assert.equal(html.match(/class="still /g)?.length, 2);
  assert.ok(!/style=|<style|<script|NaN|undefined/.test(html));
  assert.ok(html.includes('5705'));
  assert.ok(html.length < 80_000, `${html.length} characters`);
});

test('the chart has the marks of the service’s own objects', () => {
  const chart = firstChart(recording);
  const { text } = recording.frames.find(({ sub, t }) => sub === 's1' && t === 'snapshot')!;
  for (const { id, data } of (JSON.parse(text) as SnapshotMessage).items) {
    const { poc, vah, val, imbalances } = data as FootprintData;
    const rows = rowsOf(chart.content.bars.get(id)!, chart.content.bars.group, chart.spec.rules);
    const priceOf = (row: number) => rows.first + row * rows.group;
    assert.deepEqual([poc, vah, val], [rows.poc, rows.vah, rows.val].map(priceOf));
    const marks = [...rows.imbalance].reduce((sum, mark) => sum + (mark & 1) + (mark >> 1), 0);
    assert.equal(marks, imbalances.length);
  }
});

test('the session has its profile, its value area and its sum of deltas', () => {
  const { content } = firstChart(recording);
  const bars = content.bars.columns.filter((column) => column.kind === 'bar');
  const delta = content.layers.get('delta')!.objects.all.at(-1)!.data as { close: number };
  assert.equal(
    delta.close,
    bars.reduce((sum, bar) => sum + bar.delta, 0),
  );
  const [profile] = content.layers.get('volume-profile')!.objects.all;
  const { levels, vah, val } = profile!.data as {
    levels: [number, number, number][];
    vah: number;
    val: number;
  };
  const volume = bars.reduce((sum, bar) => sum + bar.bid + bar.ask, 0);
  const lots = (rows: typeof levels) => rows.reduce((sum, [, bid, ask]) => sum + bid + ask, 0);
  assert.equal(lots(levels), volume);
  assert.ok(lots(levels.filter(([price]) => price >= val && price <= vah)) >= 0.7 * volume);
  assert.ok(content.layers.get('large-trades')!.objects.size > 0);
  // The recording's session began with its first bar.
  assert.equal(new Date(Number(bars[0]!.fromNs / 1_000_000n)).toISOString().slice(11, 16), '14:30');
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_CHART } from '@tapeloom/charts/spec/chart-spec';
import {
  chartInUse,
  layoutOf,
  linkedTo,
  neighbour,
  nextLink,
  specOf,
  withChart,
  withInstrument,
  withoutChart,
  withSpec,
  workspaceOf,
} from './workspace.ts';

const LAYOUT = { version: 1, charts: [DEFAULT_CHART], sharesInstrument: true };
const line = { kind: 'line', key: 'd1', text: '', ticks: 22_000 } as const;

test('a layout becomes a workspace and the same layout again', () => {
  assert.deepEqual(layoutOf(workspaceOf(LAYOUT)), LAYOUT);
});

test('a fifth chart does not open, and the last one does not close', () => {
  let workspace = workspaceOf(LAYOUT);
  for (let count = 0; count < 6; count += 1) workspace = withChart(workspace);
  assert.equal(workspace.charts.length, 4);
  for (const { key } of workspace.charts) workspace = withoutChart(workspace, key);
  assert.equal(workspace.charts.length, 1);
  assert.equal(workspace.inUse, workspace.charts[0]!.key);
});

test('a new chart is like the one in use without its drawings, and gets a key that no chart had', () => {
  const first = withSpec(workspaceOf(LAYOUT), 'c1', { ...DEFAULT_CHART, drawings: [line] });
  const three = withChart(withChart(first));
  const again = withChart(withoutChart(three, 'c2'));
  assert.deepEqual(
    again.charts.map(({ key }) => key),
    ['c1', 'c3', 'c4'],
  );
  assert.deepEqual(chartInUse(again).spec.drawings, []);
});

test('Tab goes around the charts, both ways', () => {
  const two = withChart(workspaceOf(LAYOUT));
  assert.equal(neighbour(two, 1), 'c1');
  assert.equal(neighbour(two, -1), 'c1');
});

test('charts of one group change the instrument together if the layout says so', () => {
  const two = withChart(workspaceOf(LAYOUT));
  const instruments = (workspace: typeof two) =>
    layoutOf(workspace).charts.map((it) => it.instrument);
  assert.deepEqual(instruments(withInstrument(two, 'c1', 'NQ.c.0')), ['NQ.c.0', 'NQ.c.0']);
  const apart = { ...two, sharesInstrument: false };
  assert.deepEqual(instruments(withInstrument(apart, 'c1', 'NQ.c.0')), ['NQ.c.0', 'ES.c.0']);
  const unlinked = withSpec(two, 'c2', { ...DEFAULT_CHART, link: null });
  assert.deepEqual(instruments(withInstrument(unlinked, 'c2', 'NQ.c.0')), ['ES.c.0', 'NQ.c.0']);
  assert.deepEqual(linkedTo(unlinked, 'c1'), []);
  assert.deepEqual(
    linkedTo(two, 'c1').map(({ key }) => key),
    ['c2'],
  );
});

test('drawings stay with their instrument while the page is open', () => {
  const drawn = withSpec(workspaceOf(LAYOUT), 'c1', { ...DEFAULT_CHART, drawings: [line] });
  const other = withInstrument(drawn, 'c1', 'NQ.c.0');
  assert.deepEqual(specOf(other, 'c1')!.drawings, []);
  assert.deepEqual(specOf(withInstrument(other, 'c1', 'ES.c.0'), 'c1')!.drawings, [line]);
});

test('link groups follow each other', () => {
  assert.deepEqual([nextLink('A'), nextLink('B'), nextLink(null)], ['B', null, 'A']);
});

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { exposedMetrics, listedMetrics } from '../../../testing/metrics/exposed-metrics.ts';

const ROOT = join(import.meta.dirname, '../../../../..');
const TABLE = '## What can fill up';
const COLUMNS = 5;

function operatingPage(): string {
  return readFileSync(join(ROOT, 'docs/operating.md'), 'utf8');
}

test('every metric that the page for operators names is there', () => {
  const exposed = exposedMetrics();
  const named = new Set(operatingPage().match(/tapeloom_[a-z_]+/g));
  assert.ok(named.size > 40, `only ${named.size} are named`);
  const isThere = (name: string) => exposed.has(name) || exposed.has(`${name}_bucket`);
  assert.deepEqual(
    [...named].filter((name) => !isThere(name)),
    [],
  );
});

test('whatever can fill up has a limit, a share, a behaviour and a metric on the page for operators [SEC-36]', () => {
  const page = operatingPage();
  const section = page.slice(page.indexOf(TABLE)).split('\n## ')[0]!;
  const lines = section.split('\n').filter((line) => line.startsWith('|'));
  assert.ok(lines.length > 20, `only ${lines.length} lines`);
  for (const [index, line] of lines.entries()) {
    const cells = line.split('|').slice(1, -1);
    assert.equal(cells.length, COLUMNS, line);
    for (const cell of cells) assert.notEqual(cell.trim(), '', line);
    const isRow = index > 1;
    if (isRow) assert.match(cells.at(-1)!, /`(?:tapeloom|process)_\w+`/, line);
  }
});

test('names and labels of metrics agree with their kinds, as Prometheus wants them', () => {
  for (const { name, help, type, labels } of listedMetrics()) {
    assert.notEqual(help, '', name);
    assert.equal(name.endsWith('_total'), type === 'counter', `${name} is a ${type}`);
    if (type === 'histogram') continue;
    assert.doesNotMatch(name, /_(?:bucket|sum|count)$/);
    assert.ok(!labels.includes('le'), name);
  }
});

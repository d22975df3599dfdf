/** The real promtool over the files of `deploy/alerts/`, and over every query of `deploy/grafana/`. */

import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import {
  type ExposedMetric,
  listedMetrics,
} from '../packages/server/testing/metrics/exposed-metrics.ts';
import { neighbourMissing, neighbourProgram } from './neighbour-program.ts';

const root = join(import.meta.dirname, '..');
const promtoolMissing = neighbourMissing('promtool');

/** Rejects with promtool's output when it reports a fault. */
async function promtool(...words: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(neighbourProgram('promtool')!, words, { cwd: root });
  return stdout;
}

test('the alert rules are rules, and say what they should to series as they come', {
  skip: promtoolMissing,
}, async () => {
  const files = globSync('deploy/alerts/*.yaml', { cwd: root });
  assert.match(await promtool('check', 'rules', ...files), /SUCCESS/);
  assert.match(await promtool('test', 'rules', 'tests/alert-rules.yaml'), /SUCCESS/);
});

test('every query of the dashboards is one that Prometheus takes', {
  skip: promtoolMissing,
}, async () => {
  const paths = globSync('deploy/grafana/*.json', { cwd: root });
  const queries = paths.flatMap((path) => queriesOf(readFileSync(join(root, path), 'utf8')));
  assert.ok(queries.length > 80);
  const rules = queries.map((expr, index) => ({
    record: `query_${index}`,
    expr: expr
      .replaceAll('$__rate_interval', '1m')
      .replaceAll('$instance', '.*')
      .replaceAll('$dataset', 'FEED'),
  }));
  const directory = mkdtempSync(join(tmpdir(), 'tapeloom-queries-'));
  try {
    const path = join(directory, 'queries.yaml');
    writeFileSync(path, JSON.stringify({ groups: [{ name: 'queries', rules }] }));
    assert.match(await promtool('check', 'rules', path), /SUCCESS/);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});

test('promtool finds nothing to say of the metrics but that some count days', {
  skip: promtoolMissing,
}, async () => {
  const text = listedMetrics().map(sampleOf).join('');
  const run = spawnSync(neighbourProgram('promtool')!, ['check', 'metrics'], { input: text });
  const findings = `${run.stdout}${run.stderr}`.split('\n').filter((line) => line !== '');
  // These metrics count trading days, which cannot be converted to seconds.
  const days = /^tapeloom_\w*days\w* use base unit "seconds" instead of "days"$/;
  assert.deepEqual(
    findings.filter((line) => !days.test(line)),
    [],
  );
});

function sampleOf({ name, help, type, labels }: ExposedMetric): string {
  const head = `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
  const values = labels.filter((label) => label !== 'le').map((label) => `${label}="x"`);
  const sample = (end: string, value: number, ...more: readonly string[]) =>
    `${name}${end}{${[...values, ...more].join(',')}} ${value}\n`;
  if (type !== 'histogram') return head + sample('', 1);
  return head + sample('_bucket', 1, 'le="+Inf"') + sample('_sum', 1) + sample('_count', 1);
}

function queriesOf(dashboard: string): readonly string[] {
  const { panels } = JSON.parse(dashboard) as {
    panels: readonly { targets?: readonly { expr: string }[] }[];
  };
  return panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
}

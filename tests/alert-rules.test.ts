/** The real promtool over the files of `deploy/alerts/`, and over every query of `deploy/grafana/`. */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { neighbourMissing, neighbourProgram } from './neighbour-program.ts';

const root = join(import.meta.dirname, '..');
const promtoolMissing = neighbourMissing('promtool');

/** Rejects with its words where it finds a fault. */
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
    expr: expr.replaceAll('$__rate_interval', '1m').replaceAll('$instance', '.*'),
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

function queriesOf(dashboard: string): readonly string[] {
  const { panels } = JSON.parse(dashboard) as {
    panels: readonly { targets?: readonly { expr: string }[] }[];
  };
  return panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
}

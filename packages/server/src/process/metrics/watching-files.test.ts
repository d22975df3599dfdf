/** Checks the dashboards of `deploy/grafana/` and the alert rules of `deploy/alerts/` against the exposed metrics. */

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { exposedMetrics } from '../../../testing/metrics/exposed-metrics.ts';

const ROOT = join(import.meta.dirname, '../../../../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
/** The labels that Prometheus adds to every series, and to those of a histogram. */
const LABELS_OF_PROMETHEUS = ['instance', 'job', 'le'];
const PARTS_OF_A_HISTOGRAM = /_(?:bucket|sum|count)$/;
const GRID_COLUMNS = 24;

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string };
}

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly gridPos: Readonly<Record<'x' | 'y' | 'w' | 'h', number>>;
  readonly targets?: readonly { readonly expr: string }[];
}

const rulesOf = (path: string) =>
  (parse(read(path)) as { groups: readonly { rules: readonly Rule[] }[] }).groups.flatMap(
    ({ rules }) => rules,
  );
const panelsOf = (path: string) => (JSON.parse(read(path)) as { panels: readonly Panel[] }).panels;

const ruleFiles = globSync('deploy/alerts/*.yaml', { cwd: ROOT });
const dashboards = globSync('deploy/grafana/*.json', { cwd: ROOT });
const queries = [
  ...ruleFiles.flatMap((path) => rulesOf(path).map(({ expr }) => [path, expr] as const)),
  ...dashboards.flatMap((path) =>
    panelsOf(path).flatMap(({ targets = [] }) => targets.map(({ expr }) => [path, expr] as const)),
  ),
];

test('every metric and label of dashboards and alerts is there', () => {
  const exposed = exposedMetrics();
  assert.ok(queries.length > 100, `only ${queries.length}`);
  const found = queries.flatMap(([path, expr]) =>
    [...expr.matchAll(/\b((?:tapeloom|process|nodejs)_\w+)(?:\{([^}]*)\})?/g)].map(
      ([, name, selector]) => ({ path, name: name!, selector: selector ?? '' }),
    ),
  );
  assert.ok(found.length > queries.length / 2);
  for (const { path, name, selector } of found) {
    const labels = exposed.get(name) ?? exposed.get(name.replace(PARTS_OF_A_HISTOGRAM, ''));
    assert.ok(labels !== undefined, `${path}: there is no ${name}`);
    for (const [, label] of selector.matchAll(/(\w+)(?:=~|!~|!=|=)"/g)) {
      const known: readonly string[] = [...labels, ...LABELS_OF_PROMETHEUS];
      assert.ok(known.includes(label!), `${path}: ${name} has no label ${label}`);
    }
  }
});

test('every value of a label in dashboards and alerts stands on the page for operators', () => {
  const page = read('docs/operating.md');
  const values = queries.flatMap(([path, expr]) =>
    [...expr.matchAll(/\b(?!job|instance|status)\w+(?:=~|!~|!=|=)"([\w|]+)"/g)].flatMap(
      ([, value]) => value!.split('|').map((word) => [path, word] as const),
    ),
  );
  assert.ok(values.length > 10);
  for (const [path, word] of values) {
    const isNamed = page.includes(`\`${word}\``) || page.includes(`="${word}"`);
    assert.ok(isNamed, `${path}: ${word}`);
  }
});

test('every alert has a name of its own, a severity and a sentence', () => {
  const rules = ruleFiles.flatMap(rulesOf);
  assert.equal(new Set(rules.map(({ alert }) => alert)).size, rules.length);
  for (const { alert, labels, annotations } of rules) {
    assert.match(alert, /^Tapeloom[A-Z]\w+$/);
    assert.match(labels.severity, /^(?:critical|warning)$/, alert);
    assert.ok(annotations.summary.length > 20, alert);
  }
});

for (const path of dashboards) {
  test(`${path}: panels have ids of their own and lie side by side`, () => {
    const panels = panelsOf(path);
    assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length);
    const taken = new Map<string, string>();
    for (const { title, type, gridPos, targets = [] } of panels) {
      assert.ok(type === 'row' || targets.length > 0, title);
      const { x, y, w, h } = gridPos;
      assert.ok(x + w <= GRID_COLUMNS, title);
      for (let cell = 0; cell < w * h; cell += 1) {
        const place = `${x + (cell % w)},${y + Math.floor(cell / w)}`;
        assert.equal(taken.get(place), undefined, title);
        taken.set(place, title);
      }
    }
  });
}

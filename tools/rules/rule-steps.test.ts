import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { stepNow, stepOfRules, stepTitles } from '../rules-waiting.ts';
import { designRulesPath, parseRules, rulesPath } from './rule-list.ts';
import { RuleTableError, stepsOf } from './rule-steps.ts';

const { rules } = parseRules('KEY-01\tone\nKEY-02\ttwo\nKEY-03\tthree\nWS-01\tfour\n');

test('an id or a range is stronger than its area, and the rest belongs to the first step', () => {
  assert.deepEqual(
    [...stepsOf(rules, { 'KEY-02..03': 4, KEY: 3 })],
    [
      ['KEY-01', 3],
      ['KEY-02', 4],
      ['KEY-03', 4],
      ['WS-01', 1],
    ],
  );
});

test('a table that names what is not there, or one rule twice, is refused', () => {
  for (const table of [
    { ABC: 2 },
    { 'KEY-04': 2 },
    { 'KEY-02..04': 2 },
    { 'KEY-03..02': 2 },
    { 'KEY-02': 2, 'KEY-01..02': 3 },
    { 'key-02': 2 },
  ]) {
    assert.throws(() => stepsOf(rules, table), RuleTableError, JSON.stringify(table));
  }
});

test('the table of this house fits its rules and its steps', () => {
  const root = join(import.meta.dirname, '../..');
  const all = [rulesPath, designRulesPath].flatMap(
    (path) => parseRules(readFileSync(join(root, path), 'utf8')).rules,
  );
  const steps = stepsOf(all, stepOfRules);
  assert.equal(steps.size, 421 + 24 + 42);
  for (const [id, step] of steps) assert.ok(stepTitles[step], `${id} waits for step ${step}`);
  assert.ok(stepTitles[stepNow]);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coverageOf, requiredRules, tagsOf } from './coverage.ts';
import { printedCoverage } from './report.ts';
import { parseRules } from './rule-list.ts';
import { stepsOf } from './rule-steps.ts';

const { rules } = parseRules('KEY-01\tone\nKEY-02\ttwo\nKEY-03\tthree\nWS-01\tfour\n');
const steps = stepsOf(rules, { 'KEY-03': 2 });

function coverage(...tests: readonly (readonly [name: string, passed: boolean])[]) {
  const records = tests.map(([name, passed]) => ({ name, passed, file: 'x.test.ts' }));
  return coverageOf(rules, steps, 1, records);
}

function statesOf(result: ReturnType<typeof coverage>) {
  return Object.fromEntries(result.rules.map(({ id, state }) => [id, state]));
}

test('ids stand in brackets, alone or several', () => {
  assert.deepEqual(tagsOf('closes at once [KEY-13]'), ['KEY-13']);
  assert.deepEqual(tagsOf('closes [KEY-13] [ERR-09]'), ['KEY-13', 'ERR-09']);
  assert.deepEqual(tagsOf('closes [KEY-13, ERR-09]'), ['KEY-13', 'ERR-09']);
  assert.deepEqual(tagsOf('sorts [3, 1, 2] and [a-1]'), []);
});

test('a rule is proven by a test that passed, waits for its step, or is open', () => {
  assert.deepEqual(statesOf(coverage(['a [KEY-01]', true])), {
    'KEY-01': 'proven',
    'KEY-02': 'open',
    'KEY-03': 'waiting',
    'WS-01': 'open',
  });
});

test('a rule of a later step that is proven early counts as proven', () => {
  assert.equal(statesOf(coverage(['a [KEY-03]', true]))['KEY-03'], 'proven');
});

test('one failing test opens its rule again, even one of a later step', () => {
  const states = statesOf(
    coverage(['a [KEY-01]', true], ['b [KEY-01]', false], ['c [KEY-03]', false]),
  );
  assert.equal(states['KEY-01'], 'open');
  assert.equal(states['KEY-03'], 'open');
});

test('an id that no list knows is reported with its test', () => {
  assert.deepEqual(coverage(['a [KEY-1]', true], ['b [KEYS-01]', true]).unknown, [
    { id: 'KEY-1', test: 'a [KEY-1]' },
    { id: 'KEYS-01', test: 'b [KEYS-01]' },
  ]);
});

test('a requirement names areas, ids, or everything whose step has come', () => {
  const ids = (...names: string[]) =>
    requiredRules(coverage(), names, 1).rules.map((rule) => rule.id);
  assert.deepEqual(ids('KEY'), ['KEY-01', 'KEY-02', 'KEY-03']);
  assert.deepEqual(ids('WS', 'KEY-02'), ['KEY-02', 'WS-01']);
  assert.deepEqual(ids('now'), ['KEY-01', 'KEY-02', 'WS-01']);
  assert.deepEqual(requiredRules(coverage(), ['KEY-09', 'now'], 1).unknown, ['KEY-09']);
});

test('the report names open rules, failing tests and waiting steps', () => {
  const text = printedCoverage(coverage(['a [KEY-01]', true], ['b [KEY-02]', false]), {
    2: 'soon',
  });
  assert.match(text, /^KEY +1 +1 +1 {3}█+░+·+$/m);
  assert.match(text, /^1 rules wait for step 2 \(soon\)$/m);
  assert.match(text, /^ {2}KEY-02 +two \(fails: b \[KEY-02\]\)$/m);
  assert.match(text, /^ {2}WS-01 +four$/m);
});

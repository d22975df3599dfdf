import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkContractDrift } from './contract-drift.ts';
import { treeWith } from './sample-tree.ts';

const two = (value: number) => String(value).padStart(2, '0');
const rows = (area: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${area}-${two(index + 1)}\ttitle\n`).join('');
const rules = `${rows('A', 99)}${rows('B', 99)}${rows('C', 99)}${rows('D', 99)}${rows('E', 25)}`;
const design = `${rows('DET', 24)}${rows('SEC', 36)}`;

function saidOf(interfaceRules: string | null, designRules: string | null, shared?: string) {
  const tree = treeWith({
    ...(interfaceRules === null ? {} : { 'contract/rules.tsv': interfaceRules }),
    ...(designRules === null ? {} : { 'contract/design-rules.tsv': designRules }),
  });
  const found = checkContractDrift({ ...tree, sharedRules: shared ?? null });
  return found.map(({ path, line, message }) => `${path}:${line}: ${message}`);
}

test('whole lists have no finding', () => {
  assert.deepEqual(saidOf(rules, design, rules), []);
});

test('missing lists are found', () => {
  assert.deepEqual(saidOf(null, null), [
    'contract/rules.tsv:1: the file is missing',
    'contract/design-rules.tsv:1: the file is missing',
  ]);
});

test('a missing, doubled or malformed rule is found', () => {
  assert.match(saidOf(rules.replace('A-07\ttitle\n', ''), design)[0]!, /420 rules, expected 421/);
  assert.match(saidOf(rules.replace('A-07', 'A-06'), design)[0]!, /tsv:7: A-06 stands here twice/);
  assert.match(saidOf(rules.replace('A-07\t', 'A-7 '), design)[0]!, /tsv:7: not "AREA-nn/);
  assert.match(saidOf(rules, design.replace('DET-24\ttitle\n', ''))[0]!, /DET-24 is missing/);
});

test('a list that differs from the interface beside the checkout is found', () => {
  assert.match(saidOf(rules, design, `${rules} `)[0]!, /differs from shared/);
});

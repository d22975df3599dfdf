/**
 * The committed lists of rules are complete: `contract/rules.tsv` has every rule of the interface, word for word if the
 * interface's own list is available, and `contract/design-rules.tsv` every rule of the design.
 */

import { designRulesPath, parseRules, rulesPath } from '../rules/rule-list.ts';
import type { Finding, Tree } from './tree.ts';

const rulesCount = 421;
const designRulesCounts = { DET: 24, SEC: 36 } as const;

export function checkContractDrift(tree: Tree): readonly Finding[] {
  return [...interfaceRules(tree), ...designRules(tree)];
}

function* interfaceRules(tree: Tree): Iterable<Finding> {
  const text = tree.texts.get(rulesPath);
  if (text === undefined) return yield finding(rulesPath, 1, 'the file is missing');
  const { rules, problems } = parseRules(text);
  for (const { line, message } of problems) yield finding(rulesPath, line, message);
  if (rules.length !== rulesCount) {
    yield finding(rulesPath, 1, `${rules.length} rules, expected ${rulesCount}`);
  }
  if (tree.sharedRules !== null && tree.sharedRules !== text) {
    yield finding(rulesPath, 1, 'differs from shared/spec/rules.tsv');
  }
}

function* designRules(tree: Tree): Iterable<Finding> {
  const text = tree.texts.get(designRulesPath);
  if (text === undefined) return yield finding(designRulesPath, 1, 'the file is missing');
  const { rules, problems } = parseRules(text);
  for (const { line, message } of problems) yield finding(designRulesPath, line, message);
  for (const [area, count] of Object.entries(designRulesCounts)) {
    const present = new Set(rules.map(({ id }) => id));
    for (let number = 1; number <= count; number += 1) {
      const id = `${area}-${String(number).padStart(2, '0')}`;
      if (!present.has(id)) yield finding(designRulesPath, 1, `${id} is missing`);
    }
  }
}

function finding(path: string, line: number, message: string): Finding {
  return { path, line, message, level: 'error' };
}

/**
 * Which rules are proven. A rule is proven when at least one test with its id passed and none failed. It waits until
 * its step has come; otherwise it is open. A failing test always makes its rule open. An unknown id is an error: a
 * mistyped tag must never count as proof.
 */

import type { TestRecord } from '../test-results.ts';
import type { Rule } from './rule-list.ts';

export type RuleState = 'proven' | 'waiting' | 'open';

export interface RuleCoverage extends Rule {
  readonly state: RuleState;
  readonly step: number;
  readonly passed: readonly string[];
  readonly failed: readonly string[];
}

export interface Coverage {
  readonly rules: readonly RuleCoverage[];
  /** Tags that name no rule, each with its test. */
  readonly unknown: readonly { readonly id: string; readonly test: string }[];
}

export function coverageOf(
  rules: readonly Rule[],
  steps: ReadonlyMap<string, number>,
  stepNow: number,
  records: readonly TestRecord[],
): Coverage {
  const passed = new Map<string, string[]>(rules.map(({ id }) => [id, []]));
  const failed = new Map<string, string[]>(rules.map(({ id }) => [id, []]));
  const unknown: { id: string; test: string }[] = [];
  for (const record of records) {
    for (const id of tagsOf(record.name)) {
      const names = (record.passed ? passed : failed).get(id);
      if (names === undefined) unknown.push({ id, test: record.name });
      else names.push(record.name);
    }
  }
  return {
    unknown,
    rules: rules.map((rule) => {
      const step = steps.get(rule.id) ?? 1;
      const passes = passed.get(rule.id)!;
      const failures = failed.get(rule.id)!;
      const state = stateOf(passes.length, failures.length, step > stepNow);
      return { ...rule, step, state, passed: passes, failed: failures };
    }),
  };
}

function stateOf(passes: number, failures: number, isLater: boolean): RuleState {
  if (failures > 0) return 'open';
  if (passes > 0) return 'proven';
  return isLater ? 'waiting' : 'open';
}

/** Ids in square brackets: `[KEY-13]`, `[KEY-13] [ERR-09]` or `[KEY-13, ERR-09]`. */
export function tagsOf(testName: string): readonly string[] {
  return [...testName.matchAll(/\[([A-Z]+-\d+(?:\s*,\s*[A-Z]+-\d+)*)\]/g)].flatMap((match) =>
    match[1]!.split(',').map((id) => id.trim()),
  );
}

/** The rules that a requirement names: an area, an id, or `now` for all whose step has come. */
export function requiredRules(
  coverage: Coverage,
  names: readonly string[],
  stepNow: number,
): { readonly rules: readonly RuleCoverage[]; readonly unknown: readonly string[] } {
  const isNamed = (rule: RuleCoverage, name: string) =>
    name === 'now' ? rule.step <= stepNow : rule.area === name || rule.id === name;
  return {
    rules: coverage.rules.filter((rule) => names.some((name) => isNamed(rule, name))),
    unknown: names.filter(
      (name) => name !== 'now' && !coverage.rules.some((rule) => isNamed(rule, name)),
    ),
  };
}

/**
 * Resolves the table of `rules-waiting.ts`: every rule gets exactly one step, from its most specific key. Rejects a key
 * without rules, and a range that overlaps another key.
 */

import type { Rule } from './rule-list.ts';

export class RuleTableError extends Error {}

export function stepsOf(
  rules: readonly Rule[],
  table: Readonly<Record<string, number>>,
): ReadonlyMap<string, number> {
  const byArea = new Map<string, number>();
  const byId = new Map<string, number>();
  const ids = new Set(rules.map(({ id }) => id));
  for (const [key, step] of Object.entries(table)) {
    if (/^[A-Z]+$/.test(key)) {
      if (!rules.some(({ area }) => area === key)) throw new RuleTableError(`no area ${key}`);
      byArea.set(key, step);
      continue;
    }
    for (const id of idsOf(key)) {
      if (!ids.has(id)) throw new RuleTableError(`${key}: there is no rule ${id}`);
      if (byId.has(id)) throw new RuleTableError(`${key}: ${id} is named by two keys`);
      byId.set(id, step);
    }
  }
  return new Map(rules.map(({ id, area }) => [id, byId.get(id) ?? byArea.get(area) ?? 1]));
}

/** `PLAN-08` stands for itself, `PLAN-08..15` for all ids from the first to the last. */
function idsOf(key: string): readonly string[] {
  const match = /^([A-Z]+)-(\d{2})(?:\.\.(\d{2}))?$/.exec(key);
  if (match === null) throw new RuleTableError(`${key} is neither an area, an id nor a range`);
  const first = Number(match[2]);
  const last = Number(match[3] ?? match[2]);
  if (last < first) throw new RuleTableError(`${key} is an empty range`);
  return Array.from(
    { length: last - first + 1 },
    (_, index) => `${match[1]}-${String(first + index).padStart(2, '0')}`,
  );
}

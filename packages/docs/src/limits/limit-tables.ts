/** Tables of limits on other pages, between two marks, rendered from the rows of the limits page. */

import { PLAN_LIMITS, PLANS, type PlanLimits } from '@tapeloom/core/entitlement/plan';
import { docsPath } from '../docs-path.ts';
import { table } from '../markdown-table.ts';
import { KEYS } from './account-limit-sections.ts';
import type { LimitRow } from './limit-section.ts';
import { count, size } from './limit-words.ts';
import { CONNECTING, SENDING } from './stream-limit-sections.ts';

export interface TablePlace {
  readonly path: string;
  readonly name: string;
  readonly text: string;
}

export const TABLE_PLACES: readonly TablePlace[] = [
  { path: docsPath('protocol.md'), name: 'limits', text: streamTable() },
  { path: docsPath('keys.md'), name: 'counted', text: countedTable() },
  { path: docsPath('keys.md'), name: 'keys', text: limitTable(KEYS.rows) },
];

export function withTable(page: string, { name, text, path }: TablePlace): string {
  const [opening, closing] = [`<!-- begin ${name} -->`, `<!-- end ${name} -->`];
  const start = page.indexOf(opening);
  const end = page.indexOf(closing);
  if (start === -1 || end < start) throw new Error(`${path} has no marks for ${name}`);
  return `${page.slice(0, start)}${opening}\n\n${text}\n\n${page.slice(end)}`;
}

export function limitTable(rows: readonly LimitRow[]): string {
  return table(['', 'limit', 'beyond it'], rows);
}

function streamTable(): string {
  return limitTable([...CONNECTING.rows, ...SENDING.rows]);
}

/** The budgets shared by an account's keys, from the smallest plan to the largest, and by its test keys. */
function countedTable(): string {
  const bytesOf = (bytes: number) => (bytes === 0 ? 'none' : size(bytes));
  const unitsOf = (units: number) => (units === 0 ? 'none' : count(units));
  const rows: readonly [string, keyof PlanLimits, (value: number) => string][] = [
    ['connections at a time', 'maxConnections', count],
    ['subscriptions at a time', 'maxSubscriptions', count],
    ['custom configurations at a time', 'maxCustomConfigs', count],
    ['requests a minute', 'restPerMinute', count],
    ['compute units a month', 'computeBudget', unitsOf],
    ['export volume a month', 'exportBytes', bytesOf],
  ];
  const cells = rows.map(([what, field, words]) => {
    const values = PLANS.map((plan) => Number(PLAN_LIMITS[plan][field]));
    const distinct = [...new Set(values)].sort((a, b) => a - b).map(words);
    return [what, `by plan: ${distinct.join(' or ')}`, words(Number(PLAN_LIMITS.sandbox[field]))];
  });
  return table(['', 'all keys of the account', 'of those, test keys together'], cells);
}

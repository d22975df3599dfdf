/** Prints the coverage: one line per area with a bar, then every open rule by name. */

import type { Coverage, RuleCoverage, RuleState } from './coverage.ts';

const barWidth = 24;
const marks: Readonly<Record<RuleState, string>> = { proven: '█', waiting: '░', open: '·' };

export function printedCoverage(coverage: Coverage, stepTitles: Readonly<Record<number, string>>) {
  const areas = [...new Set(coverage.rules.map(({ area }) => area))];
  const lines = [
    `area    proven  waiting  open   ${marks.proven} proven  ${marks.waiting} waiting  ${marks.open} open`,
    ...areas.map((area) => areaLine(area, coverage.rules)),
    areaLine('all', coverage.rules),
  ];
  const waiting = coverage.rules.filter(({ state }) => state === 'waiting');
  for (const step of [...new Set(waiting.map((rule) => rule.step))].sort((a, b) => a - b)) {
    const count = waiting.filter((rule) => rule.step === step).length;
    lines.push(`${count} rules wait for step ${step} (${stepTitles[step] ?? 'not named'})`);
  }
  const open = coverage.rules.filter(({ state }) => state === 'open');
  if (open.length > 0) lines.push('', `Open (${open.length}):`, ...open.map(openLine));
  for (const { id, test } of coverage.unknown) lines.push(`Unknown rule [${id}] in test "${test}"`);
  return `${lines.join('\n')}\n`;
}

export function openLine(rule: RuleCoverage): string {
  const why = rule.failed.length > 0 ? ` (fails: ${rule.failed.join('; ')})` : '';
  return `  ${rule.id.padEnd(9)} ${rule.title}${why}`;
}

function areaLine(area: string, all: readonly RuleCoverage[]): string {
  const rules = area === 'all' ? all : all.filter((rule) => rule.area === area);
  const count = (state: RuleState) => rules.filter((rule) => rule.state === state).length;
  const [proven, waiting, open] = [count('proven'), count('waiting'), count('open')];
  const cells = [proven, waiting, open].map((value) => String(value));
  return (
    `${area.padEnd(6)}  ${cells[0]!.padStart(6)}  ${cells[1]!.padStart(7)}  ` +
    `${cells[2]!.padStart(4)}   ${bar(proven, waiting, open)}`
  );
}

/** A nonzero share is never rounded to nothing, so that one open rule is always visible. */
function bar(proven: number, waiting: number, open: number): string {
  const total = Math.max(1, proven + waiting + open);
  const width = (count: number) =>
    count === 0 ? 0 : Math.max(1, Math.floor((count / total) * barWidth));
  const openWidth = width(open);
  const waitingWidth = proven === 0 && open === 0 ? barWidth : width(waiting);
  const provenWidth = proven === 0 ? 0 : barWidth - openWidth - waitingWidth;
  return (
    marks.proven.repeat(provenWidth) +
    marks.waiting.repeat(waitingWidth) +
    marks.open.repeat(barWidth - provenWidth - waitingWidth)
  );
}

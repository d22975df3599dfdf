/**
 * `npm run torture -- <name> [rounds] [more]`: a long run of faults from `tests/torture/<name>.ts`.
 * It exits with 0 only when every round held, and prints the first violation with its stack. A run
 * that measures lists all violations, and prints its numbers as one JSON object on the last line.
 */

import { join } from 'node:path';
import { loadRun } from '../../tools/named-module.ts';

const roundsDefault = 200;
/** Other defaults, where a round is small. */
const roundsDefaults: Readonly<Record<string, number>> = {
  rest: 100_000,
  frames: 1_000_000,
  resume: 1_000,
  export: 1_000,
  stalled: 2_000,
  'soak-export': 100,
  hostile: 100,
  upgrades: 7,
  installed: 1,
};
const [name, roundsText, ...moreTexts] = process.argv.slice(2);
const rounds =
  roundsText === undefined ? (roundsDefaults[name ?? ''] ?? roundsDefault) : Number(roundsText);
if (!Number.isSafeInteger(rounds) || rounds < 1) {
  console.error(`rounds must be a whole number from 1; read "${roundsText}"`);
  process.exit(2);
}

interface TortureOptions {
  readonly rounds: number;
  /** Further numbers, with a meaning of each run's own. */
  readonly more: readonly number[];
  /** The same as text, and further words. */
  readonly words: readonly string[];
}

/** The result of a run that measures. */
export interface TortureReport {
  /** A sentence for each violation. */
  readonly broken: readonly string[];
  readonly json: Readonly<Record<string, unknown>>;
}

const run = await loadRun<(options: TortureOptions) => Promise<TortureReport | undefined>>(
  {
    folder: join(import.meta.dirname),
    ending: '.ts',
    usage: 'npm run torture -- <name> [rounds]',
  },
  name,
);
const startMs = performance.now();
try {
  const report = await run({ rounds, more: moreTexts.map(Number), words: moreTexts });
  const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
  const broken = report?.broken ?? [];
  for (const sentence of broken) console.log(`broken: ${sentence}`);
  if (broken.length > 0) process.exitCode = 1;
  const verdict =
    broken.length > 0 ? `${broken.length} promises were broken` : `${rounds} rounds held`;
  console.log(`${name}: ${verdict} in ${seconds} s`);
  if (report !== undefined) console.log(JSON.stringify({ torture: name, ...report.json }));
} catch (error) {
  console.error(`${name}: a promise was broken`);
  console.error(error);
  process.exitCode = 1;
}

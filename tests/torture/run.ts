/**
 * `npm run torture -- <name> [rounds] [more]`: a long run of faults from `tests/torture/<name>.ts`. It
 * ends with exit code 0 only when every round held; the first broken promise is printed with its stack. A
 * run that measures tells all that was broken, and its numbers as one JSON object on the very last line.
 */

import { join } from 'node:path';
import { loadRun } from '../../tools/named-module.ts';

const roundsDefault = 200;
/** Where a round is a small thing. */
const roundsDefaults: Readonly<Record<string, number>> = {
  rest: 100_000,
  frames: 1_000_000,
  resume: 1_000,
  export: 1_000,
  stalled: 2_000,
  'soak-export': 100,
  hostile: 100,
  upgrades: 5,
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
  /** Further numbers; what they mean is each run's own. */
  readonly more: readonly number[];
  /** The same as they were written, and words behind them. */
  readonly words: readonly string[];
}

/** Of a run that measures. */
export interface TortureReport {
  /** A sentence for each promise that was broken. */
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

/**
 * `npm run torture -- <name> [rounds] [more]`: a long run of faults from `tests/torture/<name>.ts`. It
 * ends with exit code 0 only when every round held; the first broken promise is printed with its stack.
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
}

const run = await loadRun<(options: TortureOptions) => Promise<void>>(
  {
    folder: join(import.meta.dirname),
    ending: '.ts',
    usage: 'npm run torture -- <name> [rounds]',
  },
  name,
);
const startMs = performance.now();
try {
  await run({ rounds, more: moreTexts.map(Number) });
  const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
  console.log(`${name}: ${rounds} rounds held in ${seconds} s`);
} catch (error) {
  console.error(`${name}: a promise was broken`);
  console.error(error);
  process.exitCode = 1;
}

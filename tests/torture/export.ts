/**
 * `npm run torture -- export [exports] [seed]`: cuts exports of a real service at random points and
 * resumes them. Meanwhile the service is killed and restarted, and its result cache deleted,
 * damaged and full. Each joined file equals the undisturbed one, and every charge is exact.
 */

import { assertExportsHeld, exportRun } from './export-run.ts';

const CUTS_MAX = 5;
const CLIENTS = 8;
const QUERIES = 45;
const DAYS = 9;
const KILLS = 8;
const PROGRESS_STEPS = 20;

export async function run({
  rounds: exports,
  more: [seed = Date.now() % 1_000_000] = [],
}: {
  readonly rounds: number;
  readonly more?: readonly number[];
}): Promise<void> {
  console.log(`${exports} exports, up to ${CUTS_MAX} cuts each, ${KILLS} kills, seed ${seed}`);
  const every = Math.ceil(exports / PROGRESS_STEPS);
  const startMs = performance.now();
  const report = await exportRun({
    exports,
    cutsMax: CUTS_MAX,
    clients: CLIENTS,
    queries: QUERIES,
    days: DAYS,
    kills: KILLS,
    spoilsCache: true,
    seed,
    onProgress: (done) => {
      if (done % every !== 0) return;
      const seconds = ((performance.now() - startMs) / 1_000).toFixed(0);
      console.log(`${done} of ${exports} exports, ${seconds} s`);
    },
  });
  const { problems, ...counts } = report;
  console.log(counts);
  console.log(`${problems.length} problems`);
  assertExportsHeld(report);
}

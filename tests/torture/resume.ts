/**
 * `npm run torture -- resume [clients] [cuts]`: clients of a real service are cut at random, also in the
 * middle of a frame, and the service is killed and started again meanwhile, its cache of results deleted,
 * damaged and full. Each must end with exactly the state of one that was never disturbed; an expired cursor gets one `reset`, a good one none.
 */

import { assertHeld, resumeRun } from './resume-run.ts';

const CUTS = 100;
const KILLS = 3;
/** 15 minutes of the service's time are nine seconds. */
const SPEED = 100;

export async function run({
  rounds: clients,
  more: [cuts = CUTS] = [],
}: {
  readonly rounds: number;
  readonly more?: readonly number[];
}): Promise<void> {
  const seed = Date.now() % 1_000_000;
  console.log(`${clients} clients, ${cuts} cuts each, ${KILLS} kills, seed ${seed}`);
  const onProgress = (sentence: string) => console.log(sentence);
  const report = await resumeRun({
    clients,
    cuts,
    kills: KILLS,
    spoilsCache: true,
    seed,
    speed: SPEED,
    onProgress,
  });
  const { problems, refused, ...counts } = report;
  console.log(counts);
  console.log('connections that came to nothing:', refused);
  console.log(`${problems.length} problems`);
  assertHeld(report);
}

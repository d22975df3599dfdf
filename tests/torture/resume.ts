/**
 * `npm run torture -- resume [clients] [cuts]`: cuts clients of a real service at random, also
 * inside a frame, while the service is killed and restarted and its result cache damaged. Each
 * client must end with the undisturbed state. An expired cursor gets one `reset`, a good one none.
 */

import { assertHeld, resumeRun } from './resume-run.ts';

const CUTS = 100;
const KILLS = 3;
/** 15 minutes of the service's time take nine seconds. */
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

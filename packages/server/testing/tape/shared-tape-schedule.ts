/** A random history of nodes that share a tape: all events and times come from one seed. */

import { seededRandom } from '../../../../simulation/clock/seeded-random.ts';
import { PLAIN, type PublishPlan } from '../../../../simulation/stream-storage/memory-stream.ts';
import { type SharedTapeNode, SharedTapeRun } from './shared-tape-run.ts';

const EVENTS = 14;
const BETWEEN_MS_MAX = 4_000;

/** Rejects if a record was lost, doubled or moved, or if no node appends although all are healthy. */
export async function runSchedule(seed: number): Promise<SharedTapeRun> {
  const random = seededRandom(seed);
  await using run = new SharedTapeRun(random);
  for (const name of ['a', 'b', 'c']) run.add(name, name !== 'c' || random() < 0.7);
  await run.time.pass(3_000 * random());
  for (let event = 0; event < EVENTS; event++) {
    const node = run.nodes[Math.floor(random() * run.nodes.length)]!;
    await happen(run, node, random);
    await run.time.pass(BETWEEN_MS_MAX * random() * random());
    run.check();
  }
  await run.settle();
  return run;
}

async function happen(
  run: SharedTapeRun,
  node: SharedTapeNode,
  random: () => number,
): Promise<void> {
  const { line } = node.stream;
  const kinds: readonly (() => void | Promise<void>)[] = [
    () => {
      line.isCut = true;
    },
    () => {
      line.isSilent = true;
    },
    () => {
      line.oldEnd = Math.max(run.keeper.first, run.keeper.last - Math.floor(20 * random()));
    },
    () => {
      line.plan = () => badPlan(random);
    },
    () => {
      line.plan = () => PLAIN;
    },
    () => node.clock.pause(),
    () => node.clock.goOn(),
    () => node.heal(random() < 0.5),
    () => node.heal(true),
    () => node.stream.cutReadings(),
    () => run.time.pass(12_000 * random()),
    () => killed(run, node),
  ];
  await kinds[Math.floor(random() * kinds.length)]!();
}

/** The node dies during any work, and restarts with what it has. */
async function killed(run: SharedTapeRun, node: SharedTapeNode): Promise<void> {
  node.clock.goOn();
  await run.time.until(node.stop());
  node.start();
}

function badPlan(random: () => number): PublishPlan {
  return {
    arriveMs: random() < 0.2 ? 15_000 * random() : 5 * random(),
    storeMs: random() < 0.2 ? 3_000 * random() : 5 * random(),
    answerMs: random() < 0.2 ? 2_000 * random() : 5 * random(),
    isAnswered: random() < 0.7,
    isForgotten: random() < 0.2,
  };
}

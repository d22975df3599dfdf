/** A chart that receives a stream of updates: its frames, and the heap before and after. */

import { percentile } from '../shared/machine-load.ts';
import type { ChartStage } from './chart-stage.ts';
import { sceneOf, show } from './gesture-costs.ts';

const PER_SECOND = 100;
const WARM_SECONDS = 5;
const UPDATES_A_BAR = 500;

export interface UpdateCost {
  readonly seconds: number;
  readonly perSecond: number;
  readonly medianMs: number;
  readonly p95Ms: number;
  readonly clockP95Ms: number;
  readonly longestMs: number;
  readonly longestClockMs: number;
  readonly heapBeforeBytes: number;
  readonly heapAfterBytes: number;
  readonly newBars: number;
}

export async function updateCost(stage: ChartStage, seconds: number): Promise<UpdateCost> {
  await show(stage, sceneOf('updates', { columnWidth: 20 }));
  await stage.call('update', WARM_SECONDS, PER_SECOND);
  const before = await stage.heap();
  let updates = 0;
  const frames = await stage.traced(async () => {
    updates = await stage.call<number>('update', seconds, PER_SECOND);
  });
  const after = await stage.heap();
  const cpu = frames.map(({ cpuMs }) => cpuMs).sort((a, b) => a - b);
  const clock = frames.map(({ clockMs }) => clockMs).sort((a, b) => a - b);
  return {
    seconds,
    perSecond: updates / seconds,
    medianMs: percentile(cpu, 0.5),
    p95Ms: percentile(cpu, 0.95),
    clockP95Ms: percentile(clock, 0.95),
    longestMs: cpu.at(-1)!,
    longestClockMs: clock.at(-1)!,
    heapBeforeBytes: before.usedBytes + before.outsideBytes,
    heapAfterBytes: after.usedBytes + after.outsideBytes,
    newBars: Math.floor(updates / UPDATES_A_BAR),
  };
}

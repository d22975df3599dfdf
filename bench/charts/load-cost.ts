/** The time from the last byte of a long history to its first picture. */

import { historyPages, madeFootprints } from '../../packages/charts/testing/made-market.ts';
import { median } from '../shared/machine-load.ts';
import type { ChartStage } from './chart-stage.ts';

const BARS = 5_000;
const BARS_A_PAGE = 1_000;

export interface LoadCost {
  /** Processor time of the page's main thread. */
  readonly cpuMs: number;
  readonly clockMs: number;
}

export async function loadCost(stage: ChartStage, rounds: number): Promise<LoadCost> {
  await stage.page.setViewportSize({ width: 1_440, height: 900 });
  const pages = historyPages(madeFootprints(BARS), BARS_A_PAGE);
  await stage.page.evaluate(`globalThis.pages = ${JSON.stringify(pages)}`);
  const times: LoadCost[] = [];
  for (let round = 0; round < rounds; round += 1) times.push(await stage.load());
  return {
    cpuMs: median(times.map(({ cpuMs }) => cpuMs)),
    clockMs: median(times.map(({ clockMs }) => clockMs)),
  };
}

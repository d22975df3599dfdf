/** What panning and zooming cost, a frame each: medians of rounds in which all scenes take turns. */

import { median, percentile } from '../shared/machine-load.ts';
import type { ChartStage } from './chart-stage.ts';
import type { FrameScript } from './frame-scripts.ts';

export interface BenchScene {
  readonly name: string;
  readonly width: number;
  readonly height: number;
  readonly gestures: readonly ('pan' | 'zoom' | 'crosshair' | 'across')[];
  readonly kind: 'ours' | 'bare';
  readonly bars: number;
  readonly charts: 1 | 4;
  readonly columnWidth: number;
  /** Parts of the chart's spec that differ from a first visit's. */
  readonly spec: Readonly<Record<string, unknown>>;
}

export interface GestureCost {
  readonly name: string;
  readonly frames: number;
  readonly medianMs: number;
  readonly p95Ms: number;
  readonly clockP95Ms: number;
}

const WARM_FRAMES = 30;
const FRAMES = 120;

/** A scene with the values of the first visit wherever nothing else is said. */
export function sceneOf(name: string, part: Partial<BenchScene>): BenchScene {
  return {
    ...{ name, width: 1_440, height: 900, gestures: ['pan', 'zoom'], kind: 'ours' },
    ...{ bars: 1_000, charts: 1, columnWidth: 20, spec: {} },
    ...part,
  };
}

export async function show(stage: ChartStage, scene: BenchScene): Promise<void> {
  await stage.page.setViewportSize({ width: scene.width, height: scene.height });
  await stage.call('show', scene);
}

/** Of each scene, in the order given. */
export async function gestureCosts(
  stage: ChartStage,
  scenes: readonly BenchScene[],
  rounds: number,
): Promise<readonly GestureCost[]> {
  const turns = scenes.map((): FrameScript[][] => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [at, scene] of scenes.entries()) turns[at]!.push(await framesOf(stage, scene));
  }
  return scenes.map(({ name }, at) => costOf(name, turns[at]!));
}

async function framesOf(stage: ChartStage, scene: BenchScene): Promise<FrameScript[]> {
  const frames: FrameScript[] = [];
  for (const gesture of scene.gestures) {
    await show(stage, scene);
    await stage.call('move', gesture, WARM_FRAMES);
    frames.push(...(await stage.traced(() => stage.call('move', gesture, FRAMES))));
  }
  return frames;
}

function costOf(name: string, rounds: readonly (readonly FrameScript[])[]): GestureCost {
  const at = (share: number, of: (frame: FrameScript) => number) =>
    median(
      rounds.map((frames) =>
        percentile(
          frames.map(of).sort((a, b) => a - b),
          share,
        ),
      ),
    );
  return {
    name,
    frames: rounds.reduce((sum, { length }) => sum + length, 0),
    medianMs: at(0.5, ({ cpuMs }) => cpuMs),
    p95Ms: at(0.95, ({ cpuMs }) => cpuMs),
    clockP95Ms: at(0.95, ({ clockMs }) => clockMs),
  };
}

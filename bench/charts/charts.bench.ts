/**
 * The chart in headless Chromium with software rendering: script of a frame while panning and zooming, a stream of
 * updates, the first picture of a long history, four charts, candles beside bare lightweight-charts, and sizes. Words:
 * `full` streams for a minute, `beyond` also weaves 500 bars on 10,240 px, `gestures`, `updates`, `load` and `sizes` choose parts, `profile` names the busiest
 * functions of the gestures.
 */

import { loadAverage } from '../shared/machine-load.ts';
import type { Bench } from '../shared/report.ts';
import { ChartStage } from './chart-stage.ts';
import { type BenchScene, type GestureCost, gestureCosts, sceneOf, show } from './gesture-costs.ts';
import { type LoadCost, loadCost } from './load-cost.ts';
import { type ScriptSize, scriptSizes } from './script-sizes.ts';
import { type UpdateCost, updateCost } from './update-cost.ts';

const ROUNDS = 3;
const UPDATE_SECONDS = 15;
const UPDATE_SECONDS_FULL = 60;
const FRAME_MS_MAX = 8;
const UPDATE_FRAME_MS_MAX = 50;
const FIRST_PICTURE_MS_MAX = 300;
const FOUR_CHARTS_MAX = 3;
const CANDLES_MAX = 1.5;
/** Growth of the heap that a minute may leave behind. */
const HEAP_GROWTH_MAX = 0.05;

const NO_EXTRAS = { look: 'candles', stripRows: 0, panes: [], side: 'none', layers: [] };
/** The shown bars are 500 wherever the name says so; a scene of several hundred pixels a bar shows fewer. */
const SCENES: readonly BenchScene[] = [
  sceneOf('500 bars, candles', { columnWidth: 2.5 }),
  sceneOf('500 bars, candles, 3,840 px', { columnWidth: 7, width: 3_840, height: 1_600 }),
  sceneOf('weave, 20 px a bar', { columnWidth: 20 }),
  sceneOf('weave, 40 px a bar, rows of 1 tick', { columnWidth: 40, spec: { group: 1 } }),
  sceneOf('weave, 3,840 px', { columnWidth: 20, width: 3_840, height: 1_600 }),
  sceneOf('numbers, 84 px a bar', { columnWidth: 84 }),
  sceneOf('numbers, 3,840 px', { columnWidth: 84, width: 3_840, height: 1_600 }),
  sceneOf('from candles to numbers and back', { columnWidth: 2.5, gestures: ['across'] }),
];
/** No screen is as wide, and its pixels need gigabytes: what 500 woven bars would cost. */
const BEYOND = sceneOf('500 bars, weave, 10,240 px', { columnWidth: 20, width: 10_240 });
const CROSSHAIR = sceneOf('crosshair over weave', { columnWidth: 20, gestures: ['crosshair'] });
const ONE = sceneOf('one chart', { width: 1_920, height: 1_080, columnWidth: 24 });
const FOUR = { ...ONE, name: 'four charts', charts: 4 } as const;
const PEERS = [500, 5_000].flatMap((bars) => {
  const columnWidth = (1_440 - 70) / bars;
  const label = bars.toLocaleString('en');
  return [
    sceneOf(`${label} candles, ours`, { bars, columnWidth, spec: NO_EXTRAS }),
    sceneOf(`${label} candles, lightweight-charts`, { bars, columnWidth, kind: 'bare' }),
  ];
});

interface Measured {
  readonly gestures: readonly GestureCost[];
  readonly updates: UpdateCost | null;
  readonly firstPicture: LoadCost | null;
  readonly sizes: readonly ScriptSize[];
}

export const run: Bench = async (words) => {
  const wants = (part: string) => {
    const parts = words.filter((word) => word !== 'full' && word !== 'beyond');
    return parts.length === 0 || parts.includes(part);
  };
  const loadBefore = loadAverage();
  const seconds = words.includes('full') ? UPDATE_SECONDS_FULL : UPDATE_SECONDS;
  await using stage = await ChartStage.start();
  if (words.includes('profile')) await profile(stage);
  const measured: Measured = {
    gestures: wants('gestures')
      ? await gestureCosts(
          stage,
          [
            ...SCENES,
            ...(words.includes('beyond') ? [BEYOND] : []),
            CROSSHAIR,
            ONE,
            FOUR,
            ...PEERS,
          ],
          ROUNDS,
        )
      : [],
    updates: wants('updates') ? await updateCost(stage, seconds) : null,
    firstPicture: wants('load') ? await loadCost(stage, ROUNDS) : null,
    sizes: wants('sizes') ? await scriptSizes() : [],
  };
  return {
    title: 'Charts in headless Chromium, software rendering',
    columns: ['what', 'median ms', '95th ms', '95th ms on the clock', 'limit', 'verdict'],
    rows: rowsOf(measured),
    notes: [
      ...howMeasured(seconds),
      ...goals(measured),
      `Load average ${loadBefore} before, ${loadAverage()} after.`,
    ],
    json: { ...measured, loadAverage: [loadBefore, loadAverage()] },
  };
};

async function profile(stage: ChartStage): Promise<void> {
  for (const scene of [...SCENES, BEYOND, FOUR, ...PEERS]) {
    for (const gesture of scene.gestures) {
      await show(stage, scene);
      console.log(`\n${scene.name}, ${gesture}`);
      for (const line of await stage.profiled('move', gesture, 240)) console.log(line);
    }
  }
}

function rowsOf({ gestures, updates, firstPicture, sizes }: Measured): (string | number)[][] {
  const fixed = (value: number) => value.toFixed(1);
  const rows: (string | number)[][] = gestures.map((cost) => {
    const isLimited = SCENES.some(({ name }) => name === cost.name);
    const limit = isLimited ? `${FRAME_MS_MAX} ms` : '-';
    const numbers = [cost.medianMs, cost.p95Ms, cost.clockP95Ms].map(fixed);
    return [cost.name, ...numbers, limit, isLimited ? met(cost.p95Ms <= FRAME_MS_MAX) : '-'];
  });
  if (updates !== null) {
    const name = `${updates.perSecond.toFixed(0)} updates/s for ${updates.seconds} s`;
    const numbers = [updates.medianMs, updates.p95Ms, updates.clockP95Ms].map(fixed);
    rows.push([name, ...numbers, '-', '-']);
    const longest = [fixed(updates.longestMs), fixed(updates.longestClockMs)];
    const verdict = met(updates.longestMs <= UPDATE_FRAME_MS_MAX);
    rows.push(['  its longest frame', '-', ...longest, `${UPDATE_FRAME_MS_MAX} ms`, verdict]);
  }
  if (firstPicture !== null) {
    const { cpuMs, clockMs } = firstPicture;
    const numbers = [fixed(cpuMs), '-', fixed(clockMs)];
    const verdict = met(cpuMs <= FIRST_PICTURE_MS_MAX);
    const name = '5,000 bars, last byte to first picture';
    rows.push([name, ...numbers, `${FIRST_PICTURE_MS_MAX} ms`, verdict]);
  }
  for (const { name, bytes, limit } of sizes) {
    const most = limit === null ? '-' : `${limit / 1_000} kB`;
    const verdict = limit === null ? '-' : met(bytes <= limit);
    rows.push([`script of ${name}, gzipped`, '-', '-', kilobytes(bytes), most, verdict]);
  }
  return rows;
}

function howMeasured(seconds: number): readonly string[] {
  return [
    `Script of a frame: processor time of the page's main thread from the frame's first callback to the next frame's, in callbacks of frames, events, timers and microtasks and in collections of garbage, from a CDP trace (\`tdur\`). The column of the clock also has what other programs of this machine took. Medians of ${ROUNDS} rounds in which all scenes take turns, 120 frames a gesture, after 60 of warming up.`,
    'Gestures are wheel events, one a frame and chart: sideways pans, upright zooms; both libraries get the same events at the same place. lightweight-charts 5.2.1 has one candlestick series and its defaults; ours has candles with no pane, strip, side or layer.',
    'The charts show what a first visit shows: bid × ask, VWAP, profile at the side, two panes, four rows of the strip; 1,000 bars of 40 levels are loaded. The look follows the width of a bar, so 500 bars are candles on any screen up to 3,840 px; 500 woven bars would need 10,240 px.',
    `Updates: a new version of the newest footprint bar each, ${seconds} s, a new bar after every 500. The first picture: five pages of history of 1,000 bars each lie in memory as bytes; the client parses them, and sums, scene and canvas are made.`,
  ];
}

function goals({ gestures, updates, firstPicture, sizes }: Measured): readonly string[] {
  const p95 = (name: string) => gestures.find((cost) => cost.name === name)?.p95Ms ?? Number.NaN;
  const lines: string[] = [];
  if (gestures.length > 0) {
    const limited = gestures.filter(({ name }) => SCENES.some((scene) => scene.name === name));
    const slow = limited.filter(({ p95Ms }) => p95Ms > FRAME_MS_MAX).map(({ name }) => name);
    const which = slow.length === 0 ? '' : ` by ${slow.join('; ')}`;
    lines.push(
      `Target: a pan or zoom of 500 footprint bars of 40 levels takes at most ${FRAME_MS_MAX} ms of script a frame at the 95th percentile: ${met(slow.length === 0)}${which}.`,
    );
    const four = p95(FOUR.name) / p95(ONE.name);
    lines.push(
      `Target: four charts cost at most ${FOUR_CHARTS_MAX} × one: ${met(four <= FOUR_CHARTS_MAX)} (${four.toFixed(2)} ×).`,
    );
    for (let at = 0; at < PEERS.length; at += 2) {
      const [ours, bare] = [PEERS[at]!, PEERS[at + 1]!];
      const ratio = p95(ours.name) / p95(bare.name);
      const typical =
        gestures.find(({ name }) => name === ours.name)!.medianMs /
        gestures.find(({ name }) => name === bare.name)!.medianMs;
      lines.push(
        `Target: ${ours.bars.toLocaleString('en')} candles take at most ${CANDLES_MAX} × the frame of bare lightweight-charts: ${met(ratio <= CANDLES_MAX)} (${ratio.toFixed(2)} × at the 95th percentile, ${typical.toFixed(2)} × at the median).`,
      );
    }
  }
  if (updates !== null) {
    const growth = updates.heapAfterBytes / updates.heapBeforeBytes - 1;
    const [before, after] = [updates.heapBeforeBytes, updates.heapAfterBytes].map((bytes) =>
      (bytes / 1e6).toFixed(2),
    );
    lines.push(
      `Target: with 100 updates/s no frame takes more than ${UPDATE_FRAME_MS_MAX} ms of script: ${met(updates.longestMs <= UPDATE_FRAME_MS_MAX)} (${updates.longestMs.toFixed(1)} ms).`,
      `Target: the heap stays flat after collection: ${met(growth <= HEAP_GROWTH_MAX)} (${before} MB before, ${after} MB after, with ${updates.newBars} bars more).`,
    );
  }
  if (firstPicture !== null) {
    const { cpuMs, clockMs } = firstPicture;
    lines.push(
      `Target: 5,000 bars have their first picture within ${FIRST_PICTURE_MS_MAX} ms after the last byte: ${met(cpuMs <= FIRST_PICTURE_MS_MAX)} (${cpuMs.toFixed(0)} ms of the main thread, ${clockMs.toFixed(0)} ms on the clock).`,
    );
  }
  for (const { name, bytes, limit } of sizes) {
    if (limit === null) continue;
    lines.push(
      `Target: the script of ${name} has at most ${limit / 1_000} kB gzipped: ${met(bytes <= limit)} (${kilobytes(bytes)}).`,
    );
  }
  return lines;
}

function met(isMet: boolean): string {
  return isMet ? 'met' : 'missed';
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1_000).toFixed(1)} kB`;
}

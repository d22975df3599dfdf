/**
 * The page of `npm run bench -- charts`: our charts, and bare lightweight-charts, over the same bars. The bench calls
 * these functions; each frame of a gesture begins with the mark `bench-frame`, by which a trace is cut into frames.
 */

import { RestClient } from '@tapeloom/client';
import { BarSeries } from '../src/series/bar-series.ts';
import { ChartContent } from '../src/series/chart-content.ts';
import { type LoadedExtent, SessionSums } from '../src/series/sums.ts';
import { type ChartSpec, DEFAULT_CHART } from '../src/spec/chart-spec.ts';
import { ChartView } from '../src/view/chart-view.ts';
import { BareChart } from './bare-chart.ts';
import { afterTrades, type Footprint, madeFootprints, madeSessions } from './made-market.ts';

const FRAME_MARK = 'bench-frame';
const WARM_FRAMES = 30;
/** A bar ends after this many updates. */
const UPDATES_A_BAR = 500;

export interface Scene {
  readonly kind: 'ours' | 'bare';
  readonly bars: number;
  readonly charts: 1 | 4;
  readonly columnWidth: number;
  readonly spec: Partial<ChartSpec>;
}

export type Gesture = 'pan' | 'zoom' | 'crosshair' | 'across';

interface Shown {
  readonly content: ChartContent;
  readonly sums: SessionSums;
  readonly view: ChartView;
}

let made: readonly Footprint[] = [];
let shown: readonly Shown[] = [];
let bare: BareChart | null = null;

const clock = {
  now: () => performance.now(),
  after: (ms: number, call: () => void) => {
    const timer = setTimeout(call, ms);
    return { cancel: () => clearTimeout(timer) };
  },
};

/** Removes what was there and shows this. Resolves after the first frames. */
export async function show(scene: Scene): Promise<void> {
  clear();
  if (made.length < scene.bars) made = madeFootprints(scene.bars);
  const bars = made.slice(-scene.bars);
  document.body.className = scene.charts === 4 ? 'four' : 'one';
  const places = Array.from({ length: scene.charts }, place);
  if (scene.kind === 'bare') {
    bare = new BareChart(places[0]!, bars, scene.columnWidth);
  } else {
    shown = places.map((root) => chartOf(root, bars, scene.spec));
    for (const { view } of shown) view.zoomTo(scene.columnWidth);
  }
  await frames(
    (frame) => frame === WARM_FRAMES,
    () => {},
  );
}

export function clear(): void {
  for (const { view } of shown) view.destroy();
  bare?.remove();
  shown = [];
  bare = null;
  document.body.replaceChildren();
}

/** One event a frame, at every chart; a trace of it has the costs. */
export async function move(gesture: Gesture, count: number): Promise<void> {
  const targets = pointTargets();
  const act = (frame: number) => {
    for (const target of targets) target.element.dispatchEvent(eventOf(gesture, frame, target));
  };
  await frames((frame) => frame === count, act);
}

/** So many updates of the newest bar each second. Resolves to how many there were. */
export async function update(seconds: number, perSecond: number): Promise<number> {
  const { content, sums } = shown[0]!;
  let bar = made.at(-1)!;
  let done = 0;
  const start = performance.now();
  const act = () => {
    const wanted = Math.floor(((performance.now() - start) / 1_000) * perSecond);
    for (; done < wanted; done += 1) {
      bar = done % UPDATES_A_BAR === UPDATES_A_BAR - 1 ? nextBar(bar) : afterTrades(bar, done);
      content.bars.put(bar);
      content.changed();
    }
    sums.update(content.bars, content.sessions, extentOf(content));
  };
  const timer = setInterval(act, 1_000 / perSecond);
  const isOver = () => performance.now() - start >= seconds * 1_000;
  await frames(isOver, () => {});
  clearInterval(timer);
  return done;
}

/**
 * Milliseconds from the last byte of these pages to the end of the first frame with their bars: the client reads them,
 * the series take them, sums and scene are made, and the canvas is painted.
 */
export async function load(pages: readonly string[]): Promise<number> {
  clear();
  document.body.className = 'one';
  const root = place();
  let next = 0;
  const client = new RestClient({
    url: 'http://bench.localhost',
    fetch: async () =>
      new Response(pages[next++], { headers: { 'content-type': 'application/json' } }),
  });
  const start = performance.now();
  const request = { indicator: 'footprint', instrument: 'ES.c.0', from: 0n } as const;
  const objects: Footprint[] = [];
  for await (const { items } of client.history(request).pages()) {
    for (const item of items) if (item.t === 'upsert') objects.push(item.object);
  }
  shown = [chartOf(root, objects, {})];
  await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  return performance.now() - start;
}

/** What the chart says about itself, for the report and for pictures. */
export function state(): unknown {
  const view = shown[0]?.view;
  return view === undefined ? null : view.state;
}

function chartOf(root: HTMLElement, bars: readonly Footprint[], part: Partial<ChartSpec>): Shown {
  const content = new ChartContent(new BarSeries());
  content.instrument = {
    ...{ name: 'ES.c.0', contract: 'ESH6', title: 'E-mini S&P 500 March 2026' },
    ...{ tickSizeNanos: 250_000_000, timeZone: 'America/Chicago' },
  };
  content.sessions = madeSessions(Math.max(made.length, bars.length));
  content.edge = { t: 'hem', why: 'start' };
  content.live = 'live';
  content.bars.putAll(bars);
  content.tapeNs = BigInt(bars.at(-1)!.data.end);
  const spec = { ...DEFAULT_CHART, ...part };
  const sums = new SessionSums({ bar: spec.bar });
  sums.update(content.bars, content.sessions, extentOf(content));
  const view = new ChartView(root, { content, spec, clock });
  view.setSums(sums);
  return { content, sums, view };
}

function extentOf({ bars, tapeNs }: ChartContent): LoadedExtent {
  return { fromNs: bars.columns[0]?.fromNs ?? null, tapeNs };
}

function place(): HTMLElement {
  const element = document.createElement('div');
  element.className = 'chart';
  document.body.append(element);
  return element;
}

interface Target {
  readonly element: Element;
  readonly x: number;
  readonly y: number;
}

/** The middle of each chart, and what lies there. */
function pointTargets(): readonly Target[] {
  return [...document.querySelectorAll('.chart')].map((chart) => {
    const { left, top, width, height } = chart.getBoundingClientRect();
    const [x, y] = [left + width * 0.45, top + height * 0.4];
    return { element: document.elementFromPoint(x, y) ?? chart, x, y };
  });
}

function eventOf(gesture: Gesture, frame: number, { x, y }: Target): Event {
  const base = { bubbles: true, cancelable: true, clientX: x, clientY: y };
  const isBack = Math.floor(frame / 30) % 2 === 1;
  switch (gesture) {
    case 'pan':
      return new WheelEvent('wheel', { ...base, deltaX: isBack ? 24 : -24 });
    case 'zoom':
      return new WheelEvent('wheel', { ...base, deltaY: isBack ? 12 : -12 });
    case 'across':
      return new WheelEvent('wheel', { ...base, deltaY: Math.floor(frame / 120) % 2 ? 60 : -60 });
    case 'crosshair': {
      const at = { clientX: x + ((frame * 11) % 300), clientY: y + ((frame * 5) % 120) };
      return new PointerEvent('pointermove', {
        ...base,
        ...at,
        pointerType: 'mouse',
        isPrimary: true,
      });
    }
    default:
      throw new RangeError(`no gesture ${gesture satisfies never}`);
  }
}

function nextBar(bar: Footprint): Footprint {
  const ts = BigInt(bar.data.end);
  const [day, rank] = bar.id.split('.');
  return {
    ...{ id: `${day}.${Number(rank) + 4_000}`, final: false, ts },
    data: { ...bar.data, end: `${ts + 300_000_000_000n}` },
  };
}

/**
 * Calls `act` once for each frame until it is over, before its callbacks, as a browser delivers the events of a pointer. An
 * event inside a callback would meet a chart that waits for its own one, which would then draw every other frame.
 */
function frames(isOver: (frame: number) => boolean, act: (frame: number) => void): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    let frame = 0;
    port1.onmessage = () => act(frame - 1);
    const next = () => {
      if (isOver(frame)) {
        port1.close();
        resolve();
        return;
      }
      frame += 1;
      requestAnimationFrame(next);
      performance.mark(FRAME_MARK);
      port2.postMessage(null);
    };
    requestAnimationFrame(next);
  });
}

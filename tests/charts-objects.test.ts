/**
 * What a chart draws of every indicator, read back from its scene, equals the objects that a stream publishes of it: the
 * studies run here over a small tape from a fixed recipe, and the numbers of each mark are those of its object.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chartLayout } from '@tapeloom/charts/scene/chart-layout';
import { chartScene } from '@tapeloom/charts/scene/chart-scene';
import * as objects from '@tapeloom/charts/scene/object-painters';
import type { ChartScene, Mark, SceneInput } from '@tapeloom/charts/scene/scene-types';
import { timeTexts } from '@tapeloom/charts/scene/time-text';
import { fitted, openingWindow, ticksAtY } from '@tapeloom/charts/scene/window';
import { ChartContent, type LayerContent } from '@tapeloom/charts/series/chart-content';
import { type KeptObject, ObjectSeries } from '@tapeloom/charts/series/object-series';
import { type ChartSpec, DEFAULT_CHART, DEFAULT_RULES } from '@tapeloom/charts/spec/chart-spec';
import type { IndicatorObject } from '@tapeloom/client/stream';
import { createSessionTable } from '@tapeloom/core/calendar/session-table';
import type { Rank } from '@tapeloom/core/numbers';
import { INDICATORS, indicatorNamed } from '@tapeloom/core/studies/catalogue';
import { FLUSH_STEP_NS } from '@tapeloom/core/studies/flush-step';
import type { GivenParams } from '@tapeloom/core/studies/indicator';
import { parseParams } from '@tapeloom/core/studies/params';
import { StudyRun } from '@tapeloom/core/studies/run';
import type { ObjectVersion } from '@tapeloom/core/studies/study';
import { allocateBatch, type TradeBatch } from '@tapeloom/core/trade-batch';
import { addDays, epochNs, utcDay } from '@tapeloom/core/utc-day';

const FIRST_DAY = utcDay(20_261_109);
const DAYS = [0, 1, 2].map((days) => addDays(FIRST_DAY, days));
const OPEN_NS = 14 * 3_600e9;
const CLOSE_NS = 16 * 3_600e9;
const TRADES_PER_SESSION = 9_000;
const BAR = { kind: 'time', size: 300, session: 'full' } as const;
const BAR_PARAMS = { bar: BAR.kind, size: BAR.size, session: BAR.session };

/** Parameters that differ from the defaults, so that a small tape has objects of every indicator. */
const PARAMS: Readonly<Record<string, GivenParams>> = {
  bars: BAR_PARAMS,
  footprint: BAR_PARAMS,
  delta: BAR_PARAMS,
  vwap: BAR_PARAMS,
  'large-trades': { minSize: 300 },
  sweeps: { levels: 4, minSize: 60, gapMs: 200 },
  absorption: { minSize: 260, windowMs: 5_000, holdMs: 2_000, slip: 1 },
  imbalances: { ...BAR_PARAMS, ratio: 2, stack: 2 },
  'unfinished-auctions': { ...BAR_PARAMS, minVolume: 1 },
};
const LAYERS = INDICATORS.map(({ id }) => id).filter((id) => id !== 'bars' && id !== 'footprint');

const WIDTHS = { candles: 8, weave: 36, numbers: 110 };

const studies = new Map(INDICATORS.map(({ id }) => [id, seriesOf(id)]));

for (const [kind, columnWidth] of Object.entries(WIDTHS)) {
  test(`at the width of ${kind} every drawn number is that of its object`, () => {
    const { scene, content } = sceneAt(columnWidth, 'profile');
    assert.equal(scene.cell.kind, kind);
    const found = new Set<string>();
    for (const mark of scene.marks) {
      const object = objectOf(mark);
      if (object === null) continue;
      assertNumbers(mark, object.data as Data);
      found.add(`${mark.of} ${mark.shape}`);
    }
    assert.ok(content.bars.columns.length > 60);
    for (const layer of ['large-trades', 'sweeps', 'absorption', 'vwap', 'delta']) {
      assert.ok(
        [...found].some((it) => it.startsWith(layer)),
        `nothing of ${layer} was drawn`,
      );
    }
  });
}

test('every bar of the screen is a candle with its numbers, at its prices', () => {
  const { scene, content } = sceneAt(WIDTHS.candles, 'profile');
  const candles = scene.marks.filter(({ shape }) => shape === 'candle');
  const bars = content.bars.columns.slice(...scene.shown);
  assert.deepEqual(
    candles.map(({ id }) => id),
    bars.map((bar) => bar.kind === 'bar' && bar.id),
  );
  for (const { id, y } of candles) {
    const { high } = dataOf('footprint', id);
    assert.ok(Math.abs(ticksAtY(scene.window, scene.layout, y) - (Number(high) + 1)) < 1e-6);
  }
});

test('the cells of a bar are the levels of its footprint, with its POC, value area and imbalances', () => {
  const { scene } = sceneAt(WIDTHS.numbers, 'profile', { group: 1 });
  const byBar = Map.groupBy(
    scene.marks.filter(({ of }) => of === 'bars'),
    ({ id }) => id,
  );
  assert.ok(byBar.size >= 8);
  for (const [id, marks] of byBar) {
    const data = dataOf('footprint', id) as unknown as FootprintNumbers;
    const cells = marks.filter(({ shape }) => shape === 'cell');
    const [low, high] = edgesOf(cells);
    const levels = data.levels.filter(([price]) => price >= low && price <= high);
    const traded = cells.filter(
      ({ numbers }) => numbers.bid! + numbers.ask! + numbers.unknown! > 0,
    );
    assert.deepEqual(
      traded.map(({ numbers: { price, bid, ask, unknown } }) => [price, bid, ask, unknown]),
      levels.map(([price, bid, ask, unknown = 0]) => [price, bid, ask, unknown]),
    );
    assert.deepEqual(
      cells.flatMap(({ numbers: { price, imbalance } }) => [
        ...(imbalance! & 2 ? [[price, -1]] : []),
        ...(imbalance! & 1 ? [[price, 1]] : []),
      ]),
      data.imbalances.filter(([price]) => price >= low && price <= high),
    );
    const poc = marks.find(({ shape }) => shape === 'poc');
    if (data.poc >= low && data.poc <= high) assert.equal(poc?.numbers.poc, data.poc);
    const area = marks.find(({ shape }) => shape === 'value-area');
    if (area !== undefined) assert.deepEqual(area.numbers, { vah: data.vah, val: data.val });
  }
});

test('the side is the profile of the session, row by row', () => {
  const { scene } = sceneAt(WIDTHS.candles, 'profile', { layers: [layerSpec('volume-profile')] });
  const rows = scene.marks.filter(({ of, shape }) => of === 'volume-profile' && /row/.test(shape));
  const [low, high] = edgesOf(rows);
  const { levels, poc } = newest('volume-profile') as unknown as FootprintNumbers;
  const shown = levels.filter(([price]) => price >= low && price <= high);
  assert.ok(shown.length > 20);
  assert.deepEqual(
    rows.map(({ numbers: { price, bid, ask, unknown } }) => [price, bid, ask, unknown]),
    shown.map(([price, bid, ask, unknown = 0]) => [price, bid, ask, unknown]),
  );
  assert.equal(rows.find(({ shape }) => shape === 'poc-row')?.numbers.price, poc);
});

test('the letters of the side are the rows of the TPO profile', () => {
  const { scene } = sceneAt(WIDTHS.candles, 'tpo', { layers: [layerSpec('tpo')] });
  const rows = scene.marks.filter(({ shape }) => shape === 'letters');
  const [low, high] = edgesOf(rows);
  const { rows: written } = newest('tpo') as { rows: readonly (readonly [number, string])[] };
  const shown = written.filter(([price]) => price >= low && price <= high);
  assert.ok(shown.length > 20);
  assert.deepEqual(
    rows.map(({ numbers, texts }) => [numbers.price, texts[0]]),
    shown.map((row) => [...row]),
  );
});

test('lines and zones are drawn at the prices of their objects, and end where these were removed', () => {
  const lines = ['naked-levels', 'session-levels', 'unfinished-auctions', 'imbalances'];
  const { scene } = sceneAt(WIDTHS.candles, 'none', { layers: lines.map(layerSpec) });
  for (const of of lines) {
    const marks = scene.marks.filter((mark) => mark.of === of);
    assert.ok(marks.length > 0, `no mark of ${of}`);
    for (const mark of marks) {
      const object = objectOf(mark);
      assert.ok(object !== null, `${of} drew ${mark.id}, which the stream does not have`);
      assertNumbers(mark, object.data as Data);
      if (mark.shape !== 'line') continue;
      const price = Math.floor(ticksAtY(scene.window, scene.layout, mark.y));
      assert.ok(Math.abs(price - mark.numbers.price!) <= 1, `${mark.id} at ${price}`);
    }
  }
  const removed = scene.targets.filter(
    ({ layerKey, id }) => studies.get(layerKey)?.get(id)?.removedNs !== null,
  );
  assert.ok(removed.some(({ x, width }) => x + width < scene.layout.plotWidth - 1));
});

test('the speed of the tape in a pane is the fastest second of each bar', () => {
  const { scene, content } = sceneAt(WIDTHS.candles, 'none', { panes: ['tape-speed'] });
  const seconds = studies.get('tape-speed')!.all as readonly KeptObject<'tape-speed'>[];
  const marks = scene.marks.filter(({ shape }) => shape === 'speed');
  assert.ok(marks.length > 20);
  for (const { id, numbers } of marks) {
    const column = content.bars.indexOf(id);
    const from = content.bars.columns[column]!.fromNs;
    const to = content.bars.columns[column + 1]?.fromNs;
    const own = seconds.filter(({ ts }) => ts >= from && (to === undefined || ts < to));
    assert.equal(numbers.rate, Math.max(...own.map(({ data }) => data.rate)), id);
    const bursts = own.filter(({ data }) => data.burst).length;
    assert.equal(numbers.burst, bursts > own.length / 4 ? 1 : 0, id);
  }
});

type Data = Readonly<Record<string, unknown>>;
interface FootprintNumbers {
  readonly levels: readonly (readonly [number, number, number, number?])[];
  readonly poc: number;
  readonly vah: number;
  readonly val: number;
  readonly imbalances: readonly (readonly [number, number])[];
}

/** Numbers with the name of a field have its value. */
function assertNumbers({ of, shape, id, numbers }: Mark, data: Data): void {
  for (const [name, value] of Object.entries(numbers)) {
    if (typeof data[name] !== 'number') continue;
    assert.equal(value, data[name], `${name} of ${of} ${shape} ${id}`);
  }
}

/** Null: a mark of no object, such as a price on the axis, or of some rows of a bar. */
function objectOf({ of, shape, id }: Mark): KeptObject | null {
  const isOfBar = shape === 'candle' || of === 'strip' || (of === 'pane' && shape === 'delta');
  if (of === 'bars' && !isOfBar) return null;
  return studies.get(isOfBar ? 'footprint' : of)?.get(id) ?? null;
}

function dataOf(indicator: string, id: string): Data {
  return studies.get(indicator)!.get(id)!.data as Data;
}

function newest(indicator: string): Data {
  return studies.get(indicator)!.all.at(-1)!.data as Data;
}

function edgesOf(marks: readonly Mark[]): readonly [number, number] {
  const prices = marks.map(({ numbers }) => numbers.price!);
  return [Math.min(...prices), Math.max(...prices)];
}

function layerSpec(indicator: string): ChartSpec['layers'][number] {
  return { key: indicator, indicator, params: PARAMS[indicator] ?? {}, isHidden: false };
}

function sceneAt(
  columnWidth: number,
  side: ChartSpec['side'],
  part: Partial<ChartSpec> = {},
): { readonly scene: ChartScene; readonly content: ChartContent } {
  const content = contentOf();
  const spec: ChartSpec = {
    ...DEFAULT_CHART,
    ...{ bar: BAR, side, rules: DEFAULT_RULES, layers: LAYERS.map(layerSpec), ...part },
  };
  const size = { width: 1_440, height: 900 };
  const layout = chartLayout(size, spec, content, 1);
  const opening = openingWindow(content.bars.columns.length, columnWidth);
  const input: SceneInput = {
    ...{ content, spec, size, sums: null, range: null, drawings: [], isStale: false },
    window: fitted(opening, layout, content, spec),
    timeText: timeTexts('utc', null),
    ...{ countdownText: null, textScale: 1, wantsMarks: true },
  };
  return { scene: chartScene(input, { objects }), content };
}

function contentOf(): ChartContent {
  const content = new ChartContent();
  content.instrument = {
    ...{ name: 'ES.c.0', contract: 'ESZ6', title: 'E-mini S&P 500 December 2026' },
    ...{ tickSizeNanos: 250_000_000, timeZone: 'America/Chicago' },
  };
  content.sessions = DAYS.map((date) => {
    return {
      date,
      openNs: epochNs(date, OPEN_NS),
      closeNs: epochNs(date, CLOSE_NS),
      regular: null,
    };
  });
  content.bars.putAll(studies.get('footprint')!.all as readonly KeptObject<'footprint'>[]);
  for (const id of LAYERS) {
    const layer: LayerContent = {
      ...{ objects: studies.get(id)!, state: { t: 'ready' }, isSummedHere: false },
    };
    content.layers.set(id, layer);
  }
  return content;
}

/** What a client has after the whole tape: the last version of each object, and removed ones with their time. */
function seriesOf(id: string): ObjectSeries {
  const indicator = indicatorNamed(id)!;
  const parsed = parseParams(indicator, PARAMS[id] ?? {});
  if (!('params' in parsed)) throw new Error(`${id}: ${JSON.stringify(parsed)}`);
  const series = new ObjectSeries();
  const output = {
    upsert: (version: ObjectVersion) => series.put(received(version)),
    remove: (removed: string, _final: boolean, ts: string) => series.remove(removed, BigInt(ts)),
    openSession: () => {},
    flushed: () => {},
  };
  const sessions = DAYS.map((date) => {
    return { date, open: epochNs(date, OPEN_NS), close: epochNs(date, CLOSE_NS) };
  });
  const run = new StudyRun(
    indicator.create(parsed.params),
    createSessionTable(sessions),
    { at: epochNs(FIRST_DAY, 0), rank: 0 as Rank },
    { output, stepNs: FLUSH_STEP_NS },
  );
  for (const day of DAYS) run.apply(tradesOf(day));
  run.advance(epochNs(DAYS.at(-1)!, CLOSE_NS - 1));
  return series;
}

/** As the client gives it: through JSON. */
function received({ id, final, ts, data }: ObjectVersion): IndicatorObject<string> {
  return { id, final, ts: BigInt(ts), data: JSON.parse(JSON.stringify(data)) };
}

/** A random walk of prices in bursts, from a generator whose products are exact in doubles. */
function tradesOf(day: typeof FIRST_DAY): TradeBatch {
  const batch = allocateBatch(day, 1 as Rank, TRADES_PER_SESSION);
  let state = day % 2_147_483_647;
  const next = (count: number) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % count;
  };
  let ns = OPEN_NS;
  let price = 27_000 + (day % 7);
  let side = 1;
  for (let row = 0; row < TRADES_PER_SESSION; row += 1) {
    if (next(3) > 0) ns += next(2_000) * 1_000_000 + next(1_000_000);
    else if (next(4) > 0) price += side;
    else price += next(3) - 1;
    if (next(6) === 0) side = -side;
    batch.ts[row] = Math.min(ns, CLOSE_NS - 2);
    batch.price[row] = price;
    batch.size[row] = 1 + next(next(20) === 0 ? 400 : 12);
    batch.side[row] = next(30) === 0 ? 0 : side;
  }
  batch.count = TRADES_PER_SESSION;
  return batch;
}

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { madeFootprints } from '../../testing/made-market.ts';
import {
  footprintOf,
  layerOf,
  madeContent,
  madeInput,
  madeScene,
  wholeScene,
} from '../../testing/made-scene.ts';
import { rowsOf } from '../series/rows.ts';
import type { Batch } from './batch.ts';
import { crosshairScene } from './crosshair-scene.ts';
import type { ChartScene, Mark, SceneInput } from './scene-types.ts';
import { ShapePool } from './shapes.ts';
import { textWidth } from './text-width.ts';
import { ticksAtY, xOf } from './window.ts';

const OPEN = 1_794_852_000_000_000_000n;
const WIDTHS = [2, 7, 16, 18.5, 20, 30, 48, 75, 90, 110, 200];

function numbersIn(batch: Batch): number[] {
  if (batch.kind === 'clip' || batch.kind === 'unclip') return [];
  if (batch.kind === 'words') return batch.places.toArray();
  if (batch.kind === 'lines' || batch.kind === 'areas') return batch.points.toArray();
  return batch.kind === 'discs' ? batch.discs.toArray() : batch.rects.toArray();
}

/** All shapes are finite, all clips are closed, and all texts are of words. */
function assertSound({ batches }: ChartScene): void {
  let depth = 0;
  for (const batch of batches) {
    if (batch.kind === 'clip') depth += 1;
    if (batch.kind === 'unclip') depth -= 1;
    assert.ok(depth >= 0);
    for (const value of numbersIn(batch)) assert.ok(Number.isFinite(value), batch.kind);
    if (batch.kind !== 'words') continue;
    assert.equal(batch.places.count, batch.texts.length * 2);
    for (const text of batch.texts) assert.doesNotMatch(text, /NaN|undefined|Infinity|null/);
  }
  assert.equal(depth, 0);
}

function marksOf({ marks }: ChartScene, shape: string, of = 'bars'): readonly Mark[] {
  return marks.filter((mark) => mark.of === of && mark.shape === shape);
}

function textsOf({ batches }: ChartScene): readonly string[] {
  return batches.flatMap((batch) => (batch.kind === 'words' ? batch.texts : []));
}

test('a chart is sound at every width and in every look', () => {
  for (const columnWidth of WIDTHS) {
    for (const look of ['bidask', 'delta', 'volume', 'two', 'candles'] as const) {
      assertSound(wholeScene(madeScene(120, { columnWidth, spec: { look } })));
    }
  }
});

test('a chart without bars, without an instrument or with one bar is sound', () => {
  assertSound(wholeScene(madeScene(0)));
  const content = madeContent([]);
  content.instrument = null;
  assertSound(wholeScene(madeInput(content)));
  for (const columnWidth of WIDTHS) assertSound(wholeScene(madeScene(1, { columnWidth })));
});

test('a chart is sound from 320 to 3,840 px and with large text', () => {
  for (const width of [320, 390, 690, 1396, 3840]) {
    for (const textScale of [1, 2]) {
      assertSound(wholeScene(madeScene(60, { width, height: 500, input: { textScale } })));
    }
  }
});

test('the same input gives the same scene', () => {
  const input = madeScene(60, { columnWidth: 24 });
  assert.deepEqual(wholeScene(input), wholeScene(input));
});

test('a pool of memory changes nothing, and a scene without one stays valid', () => {
  const pool = new ShapePool();
  const wide = madeScene(60, { columnWidth: 110 });
  const kept = wholeScene(wide);
  const pooled = { ...wide, pool };
  wholeScene({ ...madeScene(200, { columnWidth: 4 }), pool });
  const again = wholeScene(pooled);
  const plain = (scene: ChartScene) => scene.batches.map((batch) => [batch.kind, numbersIn(batch)]);
  assert.deepEqual(plain(again), plain(kept));
});

test('candles are the bars: their numbers, their prices in height', () => {
  for (const columnWidth of [8, 40, 110]) {
    const input = madeScene(60, { columnWidth });
    const scene = wholeScene(input);
    const [from, to] = scene.shown;
    const candles = marksOf(scene, 'candle');
    assert.equal(candles.length, to - from);
    for (const { id, numbers, y } of candles) {
      const bar = input.content.bars.get(id)!;
      const { open, high, low, close, volume, bid, ask, delta } = bar;
      assert.deepEqual(numbers, { open, high, low, close, volume, bid, ask, delta });
      assert.ok(Math.abs(ticksAtY(scene.window, scene.layout, y) - (high + 1)) < 1e-9);
    }
  }
});

test('cells are the rows of the footprint, as numbers and as texts', () => {
  const input = madeScene(30, { columnWidth: 110, spec: { group: 4 } });
  const scene = wholeScene(input);
  assert.deepEqual([scene.cell.kind, scene.cell.group], ['numbers', 4]);
  const cells = marksOf(scene, 'cell');
  assert.ok(cells.length > 50);
  for (const { id, numbers, texts, y } of cells) {
    const rows = rowsOf(input.content.bars.get(id)!, 4, input.spec.rules);
    const row = (numbers.price! - rows.first) / 4;
    assert.deepEqual(
      [numbers.bid, numbers.ask, numbers.imbalance],
      [rows.bid[row], rows.ask[row], rows.imbalance[row]],
    );
    assert.deepEqual(texts.map(Number), [rows.bid[row], rows.ask[row]]);
    const price = ticksAtY(scene.window, scene.layout, y);
    assert.ok(price > numbers.price! && price < numbers.price! + 4);
  }
  const written = textsOf(scene);
  for (const { texts } of cells) for (const text of texts) assert.ok(written.includes(text));
});

test('point of control and value area of one tick are those of the service’s objects', () => {
  const bars = madeFootprints(12, 12);
  const input = madeScene(0, { bars, columnWidth: 110 });
  const scene = wholeScene(input);
  assert.equal(scene.cell.group, 1);
  const byId = new Map(bars.map((bar) => [bar.id, bar.data]));
  const pocs = marksOf(scene, 'poc');
  assert.ok(pocs.length >= 10);
  for (const { id, numbers } of pocs) assert.equal(numbers.poc, byId.get(id)!.poc);
  for (const { id, numbers } of marksOf(scene, 'value-area')) {
    assert.deepEqual([numbers.vah, numbers.val], [byId.get(id)!.vah, byId.get(id)!.val]);
  }
  for (const { id, numbers } of marksOf(scene, 'cell')) {
    const sides = byId.get(id)!.imbalances.filter(([price]) => price === numbers.price);
    const bits = sides.reduce((sum, [, side]) => sum + (side > 0 ? 1 : 2), 0);
    assert.equal(numbers.imbalance, bits);
  }
});

test('strip and panes have the bars’ numbers', () => {
  const input = madeScene(30, { columnWidth: 110 });
  const scene = wholeScene(input);
  const { bars } = input.content;
  for (const row of ['delta', 'volume', 'bid', 'ask'] as const) {
    const marks = marksOf(scene, row, 'strip');
    assert.ok(marks.length > 5);
    for (const { id, numbers } of marks) assert.equal(numbers[row], bars.get(id)![row]);
  }
  for (const { id, numbers } of marksOf(scene, 'delta', 'pane')) {
    const { delta, deltaMin, deltaMax } = bars.get(id)!;
    assert.deepEqual(numbers, { delta, deltaMin, deltaMax });
  }
});

test('prices of six decimals, negative ones and zero are written as they are', () => {
  const levels = Array.from({ length: 9 }, (_, at) => [at - 4, 20 + at, 30 - at] as const);
  const negative = wholeScene(
    madeScene(0, { bars: [footprintOf('20261117.1', OPEN, levels)], tickSizeNanos: 250_000_000 }),
  );
  assertSound(negative);
  const prices = marksOf(negative, 'price', 'axis').flatMap(({ texts }) => texts);
  assert.ok(prices.includes('0.00'), prices.join());
  assert.ok(
    prices.some((text) => text.startsWith('−')),
    prices.join(),
  );
  assert.deepEqual(marksOf(negative, 'last', 'axis')[0]!.texts, ['1.00']);
  const tiny = wholeScene(
    madeScene(0, { bars: [footprintOf('20261117.1', OPEN, levels)], tickSizeNanos: 1_000 }),
  );
  assert.deepEqual(marksOf(tiny, 'last', 'axis')[0]!.texts, ['0.000004']);
  assertSound(tiny);
});

test('prices at a round distance are on the axis', () => {
  const scene = wholeScene(madeScene(40));
  const prices = marksOf(scene, 'price', 'axis');
  assert.ok(prices.length > 4);
  for (const { numbers, y } of prices) {
    const ticks = ticksAtY(scene.window, scene.layout, y);
    assert.ok(Math.abs(ticks - (numbers.price! + 0.5)) < 1e-9);
  }
});

test('a bar of 4,000 levels is drawn in rows that can be seen, and only those on screen', () => {
  const levels = Array.from({ length: 4_000 }, (_, at) => [at, at % 97, at % 89] as const);
  const bars = [footprintOf('20261117.1', OPEN, levels)];
  for (const columnWidth of [24, 110]) {
    const whole = wholeScene(madeScene(0, { bars, columnWidth }));
    assertSound(whole);
    const cells = marksOf(whole, 'cell');
    assert.ok(cells.length >= 15 && cells.length < 400, String(cells.length));
    assert.equal(
      cells.reduce((sum, { numbers }) => sum + numbers.bid! + numbers.ask!, 0),
      levels.reduce((sum, [, bid, ask]) => sum + bid + ask, 0),
    );
  }
  const input = madeScene(0, { bars, columnWidth: 110 });
  const window = { ...input.window, tickHeight: 16, middle: 2_000, isAuto: false };
  const near = marksOf(wholeScene({ ...input, window }), 'cell');
  assert.ok(near.length < 60, String(near.length));
});

test('a gap is a hatched column with words, and no line bridges it', () => {
  const bars = madeFootprints(12);
  const input = madeScene(0, { bars: bars.filter((_, at) => at !== 9), columnWidth: 110 });
  const [fromNs, endNs] = [bars[9]!.ts, bars[10]!.ts];
  input.content.bars.putGap({ kind: 'gap', fromNs, endNs, why: 'missing' });
  const scene = wholeScene({ ...input, window: { ...input.window, right: 12.25 } });
  assertSound(scene);
  const [gap] = marksOf(scene, 'gap');
  assert.deepEqual(gap!.texts, ['Gap', '23:45 to 23:50', 'no feed']);
  for (const text of gap!.texts) assert.ok(textsOf(scene).includes(text));
});

test('a roll is a double line of ink with both contracts', () => {
  const input = madeScene(12, { columnWidth: 110 });
  const bar = input.content.bars.columns[8]!;
  input.content.rolls = [{ atNs: bar.fromNs - 5n, from: 'ESZ5', to: 'ESH6' }];
  const [roll] = marksOf(wholeScene(input), 'roll', 'session');
  assert.deepEqual(roll!.texts, ['ESZ5 → ESH6']);
  input.content.rolls = [{ atNs: 1n, from: 'A', to: 'B' }];
  assert.equal(marksOf(wholeScene(input), 'roll', 'session').length, 0);
});

test('the start of a session is marked with its trading date, and regular hours with their name', () => {
  const scene = wholeScene(madeScene(600, { columnWidth: 4.6, width: 2400 }));
  const starts = marksOf(scene, 'start', 'session');
  assert.deepEqual(
    starts.map(({ texts }) => texts[0]),
    ['Tue 6 Jan', 'Wed 7 Jan'],
  );
  assert.deepEqual(marksOf(scene, 'regular', 'session')[0]!.texts, ['Regular hours']);
});

test('the hem is where nothing more comes, ghosts where bars are loading', () => {
  const input = madeScene(8, { columnWidth: 60 });
  assert.equal(wholeScene(input).hem, null);
  input.content.edge = { t: 'hem', why: 'budget' };
  const { hem } = wholeScene(input);
  assert.ok(hem !== null && hem.width > 400);
  input.content.edge = { t: 'loading' };
  const shapes = (part: Partial<SceneInput>) =>
    wholeScene({ ...input, ...part }).batches.filter(
      (batch) => batch.kind === 'rects' && batch.darkAlpha === 0.13 && batch.rects.count > 0,
    ).length;
  assert.equal(shapes({}), 1);
  assert.equal(shapes({ hasGhosts: false }), 0);
});

test('the last price is an ink tag with the time left; while prices stand still it is grey, without time', () => {
  const [live] = marksOf(
    wholeScene(madeScene(20, { input: { countdownText: '1:40' } })),
    'last',
    'axis',
  );
  assert.equal(live!.texts[1], '1:40');
  const stale = wholeScene(madeScene(20, { input: { countdownText: '1:40', isStale: true } }));
  assert.equal(marksOf(stale, 'last', 'axis')[0]!.texts.length, 1);
});

test('a delayed stream names its live edge on the time axis', () => {
  const input = madeScene(20, { input: { edgeText: '14:03, 10 min ago' } });
  const [edge] = marksOf(wholeScene(input), 'edge', 'axis');
  assert.deepEqual(edge!.texts, ['14:03, 10 min ago']);
  const back = { ...input, window: { ...input.window, right: 8 } };
  assert.equal(marksOf(wholeScene(back), 'edge', 'axis').length, 0);
});

test('the crosshair’s time covers the name of the live edge whole or not at all', () => {
  const input = madeScene(20, { columnWidth: 80, input: { edgeText: '14:03, 10 min ago' } });
  const scene = wholeScene(input);
  const [edge] = marksOf(scene, 'edge', 'axis');
  const right = edge!.x;
  const left = right - textWidth(edge!.texts[0]!, 11.5, 600);
  const wholes = [];
  for (let column = 12; column < 20; column += 1) {
    const batches = crosshairScene(scene, input, { column, y: 100, isLinked: false });
    const cover = batches.findLast((batch) => batch.kind === 'rects' && batch.dye === 'ground')!;
    assert.ok(cover.kind === 'rects');
    const [x, , width] = cover.rects.toArray() as [number, number, number];
    const isWhole = x <= left && x + width >= right;
    assert.ok(isWhole || x + width < left || x > right, String(column));
    wholes.push(isWhole);
  }
  assert.ok(wholes.includes(true) && wholes.includes(false));
});

test('what lies below the numbers of the look Volume has the ground’s colour, also at night', () => {
  const input = madeScene(6, { columnWidth: 110, spec: { look: 'volume' } });
  const nights = (scene: ChartScene) =>
    scene.batches.filter((batch) => batch.kind === 'rects' && batch.dye === 'sunken');
  const columns = input.content.bars.columns;
  const at = columns[3]!.fromNs;
  const [session] = input.content.sessions;
  const span = { ...session!, openNs: columns[0]!.fromNs, closeNs: columns[5]!.endNs };
  input.content.sessions = [{ ...span, regular: { openNs: at, closeNs: span.closeNs } }];
  const scene = wholeScene(input);
  const [ground, plates] = nights(scene);
  assert.ok(ground?.kind === 'rects' && plates?.kind === 'rects');
  const edge = xOf(scene.window, scene.layout, 3);
  const lefts = plates.rects.toArray().filter((_, index) => index % 4 === 0);
  assert.ok(lefts.length > 3 && lefts.every((x) => x < edge));
});

test('the night that the newest bar is in goes on beside it, until regular hours', () => {
  const input = madeScene(6, { columnWidth: 110 });
  const columns = input.content.bars.columns;
  const { fromNs, endNs } = columns[5]!;
  const [made] = input.content.sessions;
  const nightEnd = (openNs: bigint) => {
    const closeNs = openNs + 10n * (endNs - fromNs);
    const regular = { openNs, closeNs };
    input.content.sessions = [{ ...made!, openNs: columns[0]!.fromNs, closeNs, regular }];
    const scene = wholeScene({ ...input, window: { ...input.window, right: 10 } });
    const night = scene.batches.find((batch) => batch.kind === 'rects' && batch.dye === 'sunken');
    const [x, , width] = night?.kind === 'rects' ? night.rects.toArray() : [];
    return [Math.round(x! + width!), scene] as const;
  };
  const [far, scene] = nightEnd(fromNs + 400n * (endNs - fromNs));
  assert.equal(far, scene.layout.plotWidth);
  const [near] = nightEnd(fromNs + 3n * (endNs - fromNs));
  assert.ok(Math.abs(near - xOf(scene.window, scene.layout, 8)) < 2, `${near}`);
});

test('without bars no price is named', () => {
  assert.equal(marksOf(wholeScene(madeScene(0)), 'price', 'axis').length, 0);
});

test('trades that are missing before an instant are told', () => {
  const input = madeScene(12, { columnWidth: 110 });
  input.content.partialSince = input.content.bars.columns[8]!.fromNs;
  const [partial] = marksOf(wholeScene(input), 'partial', 'session');
  assert.deepEqual(partial!.texts, ['Trades missing before 23:40']);
});

test('values beside strip and panes are those of the newest bar on screen, or of the one asked for', () => {
  const input = madeScene(30, { columnWidth: 110 });
  const volumeOf = (column: number) => {
    const bar = input.content.bars.columns[column]!;
    return bar.kind === 'bar' ? bar.volume.toLocaleString('en') : '';
  };
  const inNames = (scene: ChartScene) =>
    scene.batches.flatMap((batch) =>
      batch.kind === 'words' && batch.align === 'right' && batch.weight === 560 ? batch.texts : [],
    );
  assert.ok(inNames(wholeScene(input)).includes(volumeOf(29)));
  const back = { ...input, window: { ...input.window, right: 20 } };
  assert.ok(inNames(wholeScene(back)).includes(volumeOf(19)));
  assert.ok(inNames(wholeScene({ ...back, focusColumn: 15 })).includes(volumeOf(15)));
});

test('an indicator that this page does not know draws nothing', () => {
  const unknown = madeScene(30, { spec: { layers: [layerOf('moon-phase')] } });
  assert.deepEqual(wholeScene(unknown).marks, wholeScene(madeScene(30)).marks);
});

test('half cells that have just traded glow, in the forming bar only', () => {
  const bars = madeFootprints(6, 12).map((bar, at) => ({ ...bar, final: at < 5 }));
  const glow = (ticks: number, side: -1 | 1) => (ticks === bars[5]!.data.low && side > 0 ? 1 : 0);
  const lit = (part: Partial<SceneInput>) =>
    wholeScene(madeScene(0, { bars, columnWidth: 110, input: part })).batches.filter(
      (batch) =>
        batch.kind === 'rects' &&
        batch.alpha === 0.55 &&
        batch.dye === 'ask' &&
        batch.rects.count > 0,
    ).length;
  assert.equal(lit({ glow }), 1);
  assert.equal(lit({}), 0);
  const done = madeScene(0, { bars: madeFootprints(6, 12), columnWidth: 110, input: { glow } });
  assert.ok(
    !wholeScene(done).batches.some(
      (b) => b.kind === 'rects' && b.alpha === 0.55 && b.dye === 'ask',
    ),
  );
});

test('where the system decides on colours every cell has a border', () => {
  const scene = wholeScene(madeScene(20, { columnWidth: 110, input: { hasForcedColours: true } }));
  assertSound(scene);
  const borders = scene.batches.find((batch) => batch.kind === 'frames' && batch.dye === 'muted');
  assert.ok(borders?.kind === 'frames' && borders.rects.count > 100);
});

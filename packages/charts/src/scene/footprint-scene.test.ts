import assert from 'node:assert/strict';
import { test } from 'node:test';
import { madeFootprints } from '../../testing/made-market.ts';
import {
  footprintOf,
  layerOf,
  madeContent,
  madeInput,
  putLayer,
  wholeScene,
} from '../../testing/made-scene.ts';
import type { ChartContent } from '../series/chart-content.ts';
import { DEFAULT_CHART } from '../spec/chart-spec.ts';
import type { Batch, Dye, ShapeBatch } from './batch.ts';
import type { ChartSize } from './chart-layout.ts';
import { type FootprintForm, footprintLayout, RowFollower } from './footprint-layout.ts';
import { footprintScene } from './footprint-scene.ts';
import type { ChartScene, SceneInput } from './scene-types.ts';
import { yOf } from './window.ts';

const WIDE = { width: 892, height: 560 };
const PHONE = { width: 390, height: 470 };
const OPEN = 1_794_852_000_000_000_000n;
const PARTS = { side: 'profile', stripRows: 2, panes: ['cumulative-delta'] } as const;
/** Sold at the bid, bought at the ask: an imbalance at 102 and 104, and the point of control at 102. */
const LEVELS = [
  [100, 36, 0],
  [101, 3, 3],
  [102, 9, 90],
  [103, 7, 60],
  [104, 7, 36],
] as const;

function inputOf(content: ChartContent, size: ChartSize = WIDE): SceneInput {
  const spec = { ...DEFAULT_CHART, ...PARTS, group: 1, layers: [layerOf('large-trades')] };
  return { ...madeInput(content), spec, size };
}

function sceneOf(
  content: ChartContent,
  size: ChartSize = WIDE,
  form: FootprintForm = 'wide',
  rows = new RowFollower(),
): ChartScene {
  const input = inputOf(content, size);
  const layout = footprintLayout(size, input.spec, form);
  return footprintScene({ ...input, window: rows.next(layout, content) }, layout);
}

function oneBar(part: Parameters<typeof footprintOf>[3] = {}): ChartContent {
  return madeContent([footprintOf('20261117.1', OPEN, LEVELS, { open: 100, close: 104, ...part })]);
}

function kind<K extends ShapeBatch['kind']>(batches: readonly Batch[], wanted: K, dye?: Dye) {
  return batches.filter(
    (batch): batch is Extract<ShapeBatch, { kind: K }> =>
      batch.kind === wanted && (dye === undefined || batch.dye === dye),
  );
}

function wordAt({ batches }: ChartScene, text: string) {
  for (const batch of kind(batches, 'words')) {
    const at = batch.texts.indexOf(text);
    if (at < 0) continue;
    const [x, y] = batch.places.toArray().slice(2 * at);
    return { x: x!, y: y!, batch };
  }
  throw new RangeError(`"${text}" is not written`);
}

test('what it draws of bars and layers is what the workspace draws of them', () => {
  const content = madeContent(madeFootprints(12));
  const large = { id: '20260104.9', final: true, ts: content.bars.last!.fromNs };
  putLayer(content, 'the-large-trades', [
    { ...large, data: { side: 1, size: 400, last: content.bars.last!.close } },
  ]);
  const input = inputOf(content);
  const layout = footprintLayout(WIDE, input.spec, 'wide');
  const shared = { ...input, window: new RowFollower().next(layout, content) };
  const marks = ({ marks }: ChartScene) =>
    marks
      .filter(({ of, shape }) => of === 'bars' || of === 'strip' || shape === 'disc')
      .map(({ of, shape, id, numbers, texts }) => ({ of, shape, id, numbers, texts }));
  const small = marks(footprintScene(shared, layout));
  const whole = marks(wholeScene({ ...shared, size: { width: 1_400, height: 1_200 } }));
  const known = new Set(whole.map((mark) => JSON.stringify(mark)));
  assert.ok(small.length > 100 && small.some(({ shape }) => shape === 'disc'));
  for (const mark of small) assert.ok(known.has(JSON.stringify(mark)), JSON.stringify(mark));
});

test('bid stands left of the spine and ask right of it, leaning on it', () => {
  const scene = sceneOf(oneBar());
  const [bid, ask] = [wordAt(scene, '9'), wordAt(scene, '90')];
  assert.equal(bid.y, ask.y);
  assert.equal(ask.x - bid.x, 11);
  assert.deepEqual([bid.batch.align, ask.batch.align], ['right', 'left']);
});

test('an imbalance is solid and bold, and its number is readable on it', () => {
  const scene = sceneOf(oneBar());
  const { batch } = wordAt(scene, '90');
  assert.deepEqual([batch.dye, batch.weight], ['on-ask', 680]);
  const solid = kind(scene.batches, 'rects', 'ask').filter(({ alpha }) => alpha === 1);
  assert.ok(solid.some(({ rects }) => rects.count === 4 * batch.texts.length));
});

test('a tone is the root of the share of the largest volume, weaker outside of the value area', () => {
  const levels = [
    [100, 100, 0],
    [101, 25, 100],
    [102, 100, 100],
    [103, 100, 0],
  ] as const;
  const scene = sceneOf(madeContent([footprintOf('20261117.1', OPEN, levels)]));
  const alphaOf = (text: string, row: number) => {
    const y = yOf(scene.window, scene.layout, row + 1);
    const found = kind(scene.batches, 'rects', 'bid').find(({ rects }) => {
      const [, top, width, height] = rects.toArray();
      return rects.count >= 4 && height === 16 && width! > 20 && Math.abs(top! - y) < 1;
    });
    return found?.alpha ?? assert.fail(`no cell of ${text}`);
  };
  const quarter = alphaOf('25', 101);
  assert.ok(Math.abs(quarter - (0.04 + 0.36 * 0.5)) < 0.02, `${quarter}`);
});

test('the point of control has an outline and a wedge at the right edge', () => {
  const scene = sceneOf(oneBar());
  const outline = kind(scene.batches, 'frames', 'ink').find(({ rects }) => rects.count === 4)!;
  const [left, , width] = outline.rects.toArray();
  const wedge = kind(scene.batches, 'areas', 'ink').find(({ points }) => points.count === 6)!;
  assert.ok(wedge.points.values[0]! > left! + width!);
});

test('a candle is hollow when it rose and filled when it fell', () => {
  const bodies = (content: ChartContent) =>
    kind(sceneOf(content).batches, 'frames', 'ask').filter(
      ({ rects, radius }) => rects.count === 4 && radius === 0,
    ).length;
  assert.equal(bodies(oneBar()), 1);
  assert.equal(bodies(oneBar({ open: 104, close: 100 })), 0);
});

test('a wider picture shows more bars and moves nothing', () => {
  const content = madeContent(madeFootprints(30));
  const rightOf = (width: number) => {
    const { marks, shown } = sceneOf(content, { width, height: 560 });
    const candles = marks.filter(({ shape }) => shape === 'candle');
    const places = candles.slice(-3).map(({ x, y }) => [width - x, y]);
    return { places, count: shown[1] - shown[0] };
  };
  const [narrow, wide] = [rightOf(700), rightOf(900)];
  assert.deepEqual(wide.places, narrow.places);
  assert.ok(wide.count > narrow.count);
  const phone = sceneOf(content, PHONE, 'narrow');
  assert.ok(phone.shown[1] - phone.shown[0] >= 3);
  assert.equal(phone.cell.kind, 'numbers');
});

test('rows begin at whole pixels at every height and group', () => {
  for (const height of [470, 471, 560]) {
    const content = madeContent(madeFootprints(12));
    const scene = sceneOf(content, { width: 900, height });
    assert.equal(scene.cell.rowHeight, 17);
    const last = content.bars.last!.close;
    const y = yOf(scene.window, scene.layout, last);
    assert.ok(Math.abs(y - Math.round(y)) < 1e-6, `${y}`);
  }
});

test('the picture follows the price a row at a time, and stays while the price is well inside', () => {
  const rows = new RowFollower();
  const layout = footprintLayout(WIDE, PARTS, 'wide');
  const at = (price: number) => {
    const bar = footprintOf('20261117.1', OPEN, [[price, 1, 1]]);
    return Math.floor(rows.next(layout, madeContent([bar])).middle);
  };
  const first = at(1_000);
  assert.equal(at(1_005), first);
  assert.equal(at(1_040), first + 1);
  for (let i = 0; i < 60; i += 1) at(1_040);
  assert.equal(at(1_040), first + 40);
});

test('few batches paint all cells, and a page without bars has its axes', () => {
  const scene = sceneOf(madeContent(madeFootprints(30)));
  assert.ok(scene.batches.length < 160, `${scene.batches.length} batches`);
  const empty = sceneOf(madeContent([]));
  assert.ok(empty.batches.length > 5);
});

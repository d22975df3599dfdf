import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { firstFrames, firstModel } from '../pages/landing/first-frame.ts';
import { CellGlow } from './cell-glow.ts';
import type { Batch, Dye } from './chart-batch.ts';
import {
  barsSeen,
  chartGeometry,
  columnLeft,
  PriceFollower,
  priceScale,
} from './chart-geometry.ts';
import type { ChartBar, ChartModel } from './chart-model.ts';
import { chartScene } from './chart-scene.ts';
import { signedRuns } from './cumulative-pane.ts';
import { parseRecording } from './recording.ts';

const packed = readFileSync(new URL('../../recording/session.gz', import.meta.url));
const recording = parseRecording(gunzipSync(packed).toString());
const recorded = firstModel(recording);
const WIDE = { width: 892, height: 560 };

function bar(change: Partial<ChartBar> = {}): ChartBar {
  return {
    id: '20261110.1',
    isFinal: false,
    openMs: Date.UTC(2026, 10, 10, 14, 43, 30),
    open: 100,
    high: 105,
    low: 100,
    close: 104,
    volume: 60,
    delta: 20,
    poc: 102,
    vah: 104,
    val: 102,
    levels: [level(100, 4, 0), level(102, 9, 36, true), level(104, 7, 4)],
    large: [],
    cumulativeDelta: 20,
    ...change,
  };
}

function level(row: number, bid: number, ask: number, isAskStrong = false) {
  return { row, bid, ask, isBidStrong: false, isAskStrong };
}

function sceneOf(bars: readonly ChartBar[], size = WIDE, glow = (_: number, __: -1 | 1) => 0) {
  const geometry = chartGeometry(size);
  const model: ChartModel = { bars, profile: null, group: 2 };
  const middleRow = new PriceFollower().next(geometry, model);
  return chartScene({ geometry, model, middleRow, priceText: String, glow });
}

function kind<K extends Batch['kind']>(batches: readonly Batch[], wanted: K, dye?: Dye) {
  return batches.filter(
    (batch): batch is Extract<Batch, { kind: K }> =>
      batch.kind === wanted && (dye === undefined || batch.dye === dye),
  );
}

const wordsIn = (batches: readonly Batch[], dye?: Dye) =>
  kind(batches, 'words', dye).flatMap(({ words }) => words);
const wordAt = (batches: readonly Batch[], text: string) =>
  wordsIn(batches).find((word) => word[2] === text)!;

test('bid stands left of the spine and ask right of it, leaning on it', () => {
  const scene = sceneOf([bar()]);
  const [bidX, bidY] = wordAt(scene, '9');
  const [askX, askY] = wordAt(scene, '36');
  assert.equal(bidY, askY);
  assert.equal(askX - bidX, 12);
  const rights = kind(scene, 'words').filter(({ align }) => align === 'right');
  assert.ok(rights.some(({ words }) => words.some(([, , text]) => text === '9')));
});

test('an imbalance is solid and bold, and its number is readable on it', () => {
  const scene = sceneOf([bar()]);
  const [solid] = kind(scene, 'cells', 'ask').filter((cells) => 'alpha' in cells);
  assert.equal(solid!.rects.length, 4);
  const [bold] = kind(scene, 'words', 'on-ask');
  assert.deepEqual([bold!.weight, bold!.words.map(([, , text]) => text)], [680, ['36']]);
});

test('a tone is the root of the share of the largest volume, weaker outside of the value area', () => {
  const scene = sceneOf([
    bar({ levels: [level(100, 36, 0), level(102, 9, 36), level(104, 36, 0)] }),
  ]);
  const heats = kind(scene, 'cells', 'bid').flatMap((cells) =>
    'heat' in cells && cells.rects[3] === 16 ? [[cells.heat, cells.rects.length / 4]] : [],
  );
  assert.deepEqual(
    new Map(heats as [number, number][]),
    new Map([
      [0.4375, 1],
      [0.5, 1],
      [1, 1],
    ]),
  );
});

test('the point of control has an outline and a wedge at the right edge', () => {
  const scene = sceneOf([bar()]);
  const [outline] = kind(scene, 'outlines', 'ink');
  const [left, , width] = outline!.rects as [number, number, number];
  const [wedge] = kind(scene, 'shapes', 'ink');
  assert.ok(wedge!.shapes[0]![0]! > left + width);
  assert.ok(
    !kind(sceneOf([bar({ poc: null, vah: null, val: null, levels: [] })]), 'outlines', 'ink')[0]!
      .rects.length,
  );
});

test('a candle is hollow when it rose and filled when it fell', () => {
  const rose = sceneOf([bar()]);
  const fell = sceneOf([bar({ open: 104, close: 100 })]);
  const bodies = (scene: readonly Batch[], dye: Dye) =>
    kind(scene, 'cells', dye).filter(({ rects }) => rects[2] === 5).length;
  assert.deepEqual([bodies(rose, 'ground'), bodies(rose, 'bid')], [1, 0]);
  assert.deepEqual([bodies(fell, 'ground'), bodies(fell, 'bid')], [0, 1]);
});

test('the area of a disc is the size of the trade up to a limit, and large ones have their number', () => {
  const large = [
    { side: 1 as const, size: 100, ticks: 102 },
    { side: -1 as const, size: 400, ticks: 104 },
    { side: 1 as const, size: 9_000, ticks: 101 },
  ];
  const scene = sceneOf([bar({ large })]);
  const radii = kind(scene, 'discs').map(({ discs }) => discs[2]!);
  assert.deepEqual(radii, [13, 9.6, 4.8], 'the largest first');
  const numbers = wordsIn(scene, 'ink').map(([, , text]) => text);
  assert.ok(numbers.includes('9000') && numbers.includes('400') && !numbers.includes('100'));
});

test('the delta is signed with a true minus, and the volume has its thousands', () => {
  const texts = wordsIn(sceneOf([bar({ delta: -1_234, volume: 12_345 })])).map(
    ([, , text]) => text,
  );
  assert.ok(texts.includes('−1,234') && texts.includes('12,345'));
  assert.ok(texts.includes('14:43:30') && texts.includes('UTC'));
});

test('a wider picture shows more bars and moves nothing', () => {
  const narrow = chartGeometry({ width: 700, height: 560 });
  const wide = chartGeometry({ width: 900, height: 560 });
  assert.ok(barsSeen(wide) > barsSeen(narrow));
  for (const back of [1, 2, 3]) {
    const left = (geometry: typeof wide) =>
      geometry.width - columnLeft(geometry, barsSeen(geometry) - back, barsSeen(geometry));
    assert.equal(left(wide), left(narrow));
  }
  assert.ok(barsSeen(chartGeometry({ width: 360, height: 470 })) >= 3);
});

test('prices stand in their rows', () => {
  const geometry = chartGeometry(WIDE);
  const scale = priceScale(geometry, 100, 2);
  for (const ticks of [96, 97, 100, 101, 110]) {
    const top = scale.rowTop(Math.floor(ticks / 2) * 2);
    const y = scale.priceY(ticks);
    assert.ok(y > top && y < top + geometry.rowHeight, `${ticks}`);
  }
  assert.ok(scale.priceY(101) < scale.priceY(100), 'up is up');
  assert.ok(scale.rowTop(scale.rows[0]!) >= geometry.mainHeight - geometry.rowHeight);
  assert.ok(scale.rowTop(scale.rows.at(-1)!) <= 0);
});

test('the picture follows the price a row at a time, and stays while the price is well inside', () => {
  const geometry = chartGeometry(WIDE);
  const follower = new PriceFollower();
  const at = (close: number) =>
    follower.next(geometry, {
      bars: [bar({ open: close, high: close, low: close, close })],
      profile: null,
      group: 2,
    });
  assert.equal(at(1_000), 1_000);
  assert.equal(at(1_010), 1_000);
  assert.equal(at(1_040), 1_002);
  for (let i = 0; i < 30; i += 1) at(1_040);
  assert.equal(at(1_040), 1_040);
});

test('the cumulative delta is cut where it crosses zero', () => {
  const runs = signedRuns([
    [0, 10],
    [10, -10],
    [20, -5],
    [30, 5],
  ]);
  assert.deepEqual(runs, [
    {
      side: 1,
      run: [
        [0, 10],
        [5, 0],
      ],
    },
    {
      side: -1,
      run: [
        [5, 0],
        [10, -10],
        [20, -5],
        [25, 0],
      ],
    },
    {
      side: 1,
      run: [
        [25, 0],
        [30, 5],
      ],
    },
  ]);
  assert.deepEqual(
    signedRuns([
      [0, 0],
      [1, 0],
    ]),
    [
      {
        side: 1,
        run: [
          [0, 0],
          [1, 0],
        ],
      },
    ],
  );
});

test('cells that have just traded glow for 300 ms, a new or final bar does not', () => {
  const glow = new CellGlow();
  glow.note(bar(), 0);
  assert.ok(!glow.isGlowing);
  glow.note(bar({ levels: [level(100, 4, 0), level(102, 9, 40, true), level(104, 7, 4)] }), 100);
  assert.deepEqual([glow.of(102, 1), glow.of(102, -1)], [1, 0]);
  glow.note(bar({ levels: [level(100, 4, 0), level(102, 9, 40, true), level(104, 7, 4)] }), 250);
  assert.equal(glow.of(102, 1), 0.5);
  glow.note(bar({ levels: [level(100, 4, 0), level(102, 9, 40, true), level(104, 7, 4)] }), 400);
  assert.ok(!glow.isGlowing);
  glow.note(bar({ isFinal: true, levels: [level(102, 10, 41)] }), 450);
  glow.note(bar({ id: '20261110.2', levels: [level(102, 1, 1)] }), 500);
  assert.ok(!glow.isGlowing);
});

test('the session has its profile, its value area and its sum of deltas', () => {
  const { bars, profile } = recorded;
  const volume = bars
    .flatMap(({ levels }) => levels)
    .reduce((sum, { bid, ask }) => sum + bid + ask, 0);
  assert.equal(
    [...profile!.rows.values()].reduce((sum, lots) => sum + lots, 0),
    volume,
  );
  const inside = [...profile!.rows].filter(([row]) => row >= profile!.val && row <= profile!.vah);
  assert.ok(inside.reduce((sum, [, lots]) => sum + lots, 0) >= 0.7 * volume);
  assert.equal(
    bars.at(-1)!.cumulativeDelta,
    bars.reduce((sum, { delta }) => sum + delta, 0),
  );
  assert.ok(bars.some(({ large }) => large.length > 0));
});

test('few batches paint all cells, and nothing of them is out of its pane', () => {
  const geometry = chartGeometry(WIDE);
  const middleRow = new PriceFollower().next(geometry, recorded);
  const scene = chartScene({
    geometry,
    model: recorded,
    middleRow,
    priceText: String,
    glow: () => 0,
  });
  const cells = kind(scene, 'cells').filter(({ rects }) => rects[3] === geometry.rowHeight - 1);
  assert.ok(cells.length <= 36, `${cells.length} batches`);
  assert.ok(cells.reduce((sum, { rects }) => sum + rects.length / 4, 0) > 100);
});

test('the first frames are in the page without any style attribute or script', () => {
  const html = firstFrames(recording);
  assert.equal(html.match(/<svg /g)?.length, 2);
  assert.ok(!/style=|<script|NaN|undefined/.test(html));
  assert.ok(html.includes('5705'));
  assert.ok(html.length < 80_000);
});

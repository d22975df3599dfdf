import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  footprintOf,
  layerOf,
  madeContent,
  madeInput,
  putLayer,
  wholeScene,
} from '../../testing/made-scene.ts';
import { rowsOf } from '../series/rows.ts';
import { DEFAULT_RULES } from '../spec/chart-spec.ts';
import { crosshairScene } from './crosshair-scene.ts';
import { Frame } from './frame.ts';
import { cellAt, objectAt } from './hit.ts';
import { lastTag } from './price-axis.ts';
import { whyMarked } from './why.ts';
import { xOf, yOf } from './window.ts';

const OPEN = 1_794_852_000_000_000_000n;
const LEVELS = [
  [22_000, 4, 3],
  [22_001, 488, 20],
  [22_002, 60, 1883],
  [22_003, 300, 90],
  [22_004, 12, 2],
  [22_005, 0, 16],
] as const;
const BAR = footprintOf('20261117.1', OPEN, LEVELS, { trades: 50 });

function rig() {
  const content = madeContent([BAR]);
  const input = madeInput(content);
  const scene = wholeScene(input);
  const { window, layout } = scene;
  const at = (price: number) =>
    [xOf(window, layout, 0) + 60, yOf(window, layout, price + 0.5)] as const;
  return { content, input, scene, at };
}

test('a cell has every number of its row', () => {
  const { scene, input, at } = rig();
  assert.equal(scene.cell.group, 1);
  const hit = cellAt(scene, input, ...at(22_002))!;
  const { low, high, bid, ask, volume, delta, column } = hit;
  assert.deepEqual(
    [low, high, bid, ask, volume, delta, column],
    [22_002, 22_002, 60, 1883, 1943, 1823, 0],
  );
  assert.ok(Math.abs(hit.share - 1943 / BAR.data.volume) < 1e-12);
});

test('the crosshair says why a cell is marked, with the numbers of the rule', () => {
  const { scene, input, at } = rig();
  const why = cellAt(scene, input, ...at(22_002))!.why;
  assert.ok(
    why.includes('Buy imbalance. Ask 1,883 is 3.9 × the bid 488 one row lower.'),
    why.join(),
  );
  assert.ok(why.includes('Point of control of this bar. No row traded more than 1,943.'));
  assert.deepEqual(cellAt(scene, input, ...at(22_004))!.why, []);
});

test('stacks, edges of the value area and unfinished auctions have their sentence', () => {
  const levels = [0, 1, 2, 3, 4].map((at) => [100 + at, at === 4 ? 1 : 10, 40] as const);
  const content = madeContent([footprintOf('20261117.1', OPEN, levels)]);
  const bar = content.bars.last!;
  const rows = rowsOf(bar, 1, DEFAULT_RULES);
  const top = whyMarked(rows, rows.count - 1, DEFAULT_RULES);
  assert.ok(top.includes('Stacked. 4 buy imbalances in a row; 3 make a stack.'), top.join());
  assert.ok(top.includes('Unfinished auction. Both sides traded at the high.'));
  const edge = whyMarked(rows, rows.vah, DEFAULT_RULES);
  assert.ok(
    edge.includes("Upper edge of the value area. It holds at least 70 % of the bar's volume."),
  );
});

test('an opposite side of zero is told without a multiple', () => {
  const rules = { ...DEFAULT_RULES, zero: 'count' } as const;
  const content = madeContent([
    footprintOf('20261117.1', OPEN, [
      [100, 0, 5],
      [101, 3, 60],
    ]),
  ]);
  const why = whyMarked(rowsOf(content.bars.last!, 1, rules), 1, rules);
  assert.ok(
    why.includes('Buy imbalance. Ask 60, and no bid one row lower; at least 10 are needed.'),
    why.join(),
  );
});

test('beside the bar and outside of the plot there is no cell', () => {
  const { scene, input, at } = rig();
  assert.equal(cellAt(scene, input, ...at(22_009)), null);
  assert.equal(cellAt(scene, input, at(22_002)[0] - 400, at(22_002)[1]), null);
  assert.equal(cellAt(scene, input, scene.layout.plotWidth + 20, 100), null);
  assert.equal(cellAt(scene, input, at(22_002)[0], scene.layout.main.height + 5), null);
});

test('an object under the pointer is found, the smallest one first', () => {
  const content = madeContent([BAR]);
  const [zones, large] = [layerOf('imbalances'), layerOf('large-trades')];
  putLayer(content, zones.key, [
    {
      id: '4.1',
      final: true,
      ts: OPEN,
      data: { side: 1, low: 22_001, high: 22_004, rows: 3, volume: 9, barId: 'none' },
    },
  ]);
  putLayer(content, large.key, [
    {
      id: '1.1',
      final: true,
      ts: OPEN,
      data: {
        side: 1,
        size: 400,
        trades: 3,
        first: 22_002,
        last: 22_002,
        high: 22_002,
        low: 22_002,
        threshold: 9,
        end: '',
      },
    },
  ]);
  const input = madeInput(content, { spec: { layers: [zones, large] } });
  const scene = wholeScene(input);
  const disc = scene.targets.find(({ id }) => id === '1.1')!;
  const hit = objectAt(scene, input, disc.x + 4, disc.y + 4);
  assert.deepEqual([hit?.layerKey, hit?.object.id], [large.key, '1.1']);
  assert.equal(objectAt(scene, input, 2, 2), null);
});

test('the crosshair frames the cell at numbers, and is a cross of lines elsewhere', () => {
  const { scene, input, at } = rig();
  const [, y] = at(22_002);
  const near = crosshairScene(scene, input, { column: 0, y, isLinked: false });
  assert.ok(
    near.some(
      (batch) => batch.kind === 'frames' && batch.dye === 'accent' && batch.rects.count === 4,
    ),
  );
  const texts = near.flatMap((batch) => (batch.kind === 'words' ? batch.texts : []));
  for (const text of ['5500.50', '18:00']) assert.ok(texts.includes(text), texts.join());
  const linked = crosshairScene(scene, input, { column: 0, y, isLinked: true });
  const lines = linked.find((batch) => batch.kind === 'lines')!;
  assert.ok(lines.kind === 'lines' && lines.ends.count === 2);
  assert.deepEqual(crosshairScene(scene, input, { column: 7, y, isLinked: false }), []);
});

test('a price that touches the last price’s tag hides it whole, with its time', () => {
  const { scene, input } = rig();
  const own = { ...input, countdownText: '1:40' };
  const { main, priceAxis } = scene.layout;
  const tag = lastTag(new Frame(own, scene.layout), BAR.data.close);
  const coversAt = (y: number) =>
    crosshairScene(scene, own, { column: 0, y, isLinked: false })
      .flatMap((batch) => (batch.kind === 'rects' && batch.dye === 'ground' ? [batch.rects] : []))
      .some((rects) => rects.toArray().includes(tag.height + 2));
  assert.ok(priceAxis.width > 0 && coversAt(tag.y + 18));
  assert.ok(!coversAt(main.height - 4));
});

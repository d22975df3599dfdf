import assert from 'node:assert/strict';
import { test } from 'node:test';
import { madeFootprints } from '../../testing/made-market.ts';
import { layerOf, madeContent, madeInput, putLayer, wholeScene } from '../../testing/made-scene.ts';
import type { ChartSpec } from '../spec/chart-spec.ts';
import type { Batch } from './batch.ts';
import { signedParts } from './cumulative-pane.ts';
import { sharedName } from './level-lines.ts';
import type { ChartScene, Mark } from './scene-types.ts';
import { xOf, xOfNs, yOf } from './window.ts';

const BARS = madeFootprints(40, 24);
const MIDDLE = BARS[36]!.data.low + 8;

interface Given {
  readonly id: string;
  readonly ts: bigint;
  readonly data: unknown;
}

function drawn(
  indicator: string,
  objects: readonly Given[],
  options: {
    columnWidth?: number;
    spec?: Partial<ChartSpec>;
    params?: Record<string, number | string>;
    removed?: readonly (readonly [string, bigint])[];
    textScale?: number;
  } = {},
) {
  const content = madeContent(BARS);
  const layer = { ...layerOf(indicator), params: options.params ?? {} };
  const series = putLayer(
    content,
    layer.key,
    objects.map((object) => ({ final: true, ...object })),
  );
  for (const [id, ns] of options.removed ?? []) series.remove(id, ns);
  const { columnWidth = 110, textScale = 1 } = options;
  const spec = { layers: [layer], ...options.spec };
  const input = madeInput(content, { columnWidth, spec, input: { textScale } });
  const scene = wholeScene(input);
  const marks = scene.marks.filter(({ of }) => of === layer.key);
  return { scene, marks, input, content };
}

/** In every bar one object of such data. */
function perBar(data: (at: number) => unknown): readonly Given[] {
  return BARS.map(({ id, ts }, at) => ({ id, ts, data: data(at) }));
}

function onlyShape(marks: readonly Mark[], shape: string): readonly Mark[] {
  return marks.filter((mark) => mark.shape === shape);
}

function dashOf({ batches }: ChartScene, dye: string): readonly (readonly number[])[] {
  return batches.flatMap((batch) =>
    batch.kind === 'lines' && batch.dye === dye && batch.ends.count > 0 ? [batch.dash] : [],
  );
}

test('VWAP and its bands are the objects, at the right edge of their bars', () => {
  const data = (at: number) => ({
    ...{ vwap: MIDDLE + at / 8, deviation: 2.5, volume: 100 + at },
    ...{ upper1: MIDDLE + 2.5, lower1: MIDDLE - 2.5, upper2: MIDDLE + 5, lower2: MIDDLE - 5 },
    ...{ upper3: MIDDLE + 7.5, lower3: MIDDLE - 7.5 },
  });
  const { scene, marks } = drawn('vwap', perBar(data));
  assert.ok(marks.length >= 10);
  for (const { id, numbers, x, y } of marks) {
    const at = BARS.findIndex((bar) => bar.id === id);
    assert.deepEqual(numbers, data(at));
    assert.ok(Math.abs(x - xOf(scene.window, scene.layout, at + 1)) < 1e-6);
    assert.ok(Math.abs(y - yOf(scene.window, scene.layout, numbers.vwap! + 0.5)) < 1e-6);
  }
  assert.ok(dashOf(scene, 'neutral').length >= 2);
});

test('large trades are discs whose area is their size; the largest wins a place', () => {
  const at = BARS[37]!;
  const trade = (id: string, size: number, last: number) => ({
    ...{ id, ts: at.ts + 5n },
    data: {
      side: 1,
      size,
      trades: 3,
      first: last,
      last,
      high: last,
      low: last,
      threshold: 9,
      end: '',
    },
  });
  const objects = [
    trade('1.1', 400, MIDDLE),
    trade('1.2', 100, MIDDLE + 12),
    trade('1.3', 90, MIDDLE),
  ];
  const { marks, scene } = drawn('large-trades', objects);
  const discs = onlyShape(marks, 'disc');
  assert.deepEqual(
    discs.map(({ id, numbers }) => [id, numbers.size]),
    [
      ['1.1', 400],
      ['1.2', 100],
    ],
  );
  const radii = scene.targets.map(({ width }) => width / 2);
  assert.ok(Math.abs(radii[0]! / radii[1]! - 2) < 1e-9, radii.join());
  assert.deepEqual(discs[0]!.texts, ['400']);
});

test('absorption steps aside for a disc', () => {
  const { content, input } = drawn('absorption', [
    {
      id: '2.1',
      ts: BARS[37]!.ts + 5n,
      data: { side: 1, price: MIDDLE, volume: 352, trades: 36, maxSlip: 0, threshold: 3, end: '' },
    },
  ]);
  const large = layerOf('large-trades');
  putLayer(content, large.key, [
    {
      id: '1.1',
      final: true,
      ts: BARS[37]!.ts + 5n,
      data: {
        side: 1,
        size: 400,
        trades: 3,
        first: MIDDLE,
        last: MIDDLE,
        high: MIDDLE,
        low: MIDDLE,
        threshold: 9,
        end: '',
      },
    },
  ]);
  const alone = wholeScene(input).marks.find(({ shape }) => shape === 'diamond')!;
  const both = { ...input, spec: { ...input.spec, layers: [...input.spec.layers, large] } };
  const aside = wholeScene(both).marks.find(({ shape }) => shape === 'diamond')!;
  assert.equal(alone.numbers.volume, 352);
  assert.ok(aside.y < alone.y - 5);
});

test('sweeps are arrows from their first to their last price', () => {
  const objects = [
    {
      id: '3.1',
      ts: BARS[37]!.ts + 5n,
      data: { side: -1, size: 42, trades: 12, first: MIDDLE + 4, last: MIDDLE, levels: 5, end: '' },
    },
  ];
  const { marks, scene } = drawn('sweeps', objects);
  assert.deepEqual(marks[0]!.numbers, { side: -1, size: 42, first: MIDDLE + 4, last: MIDDLE });
  const [target] = scene.targets;
  const { tickHeight } = scene.window;
  assert.ok(Math.abs(target!.height - 6 - 4 * tickHeight) < 1e-6);
});

test('zones begin after their bar and end where they were removed', () => {
  const zone = (id: string, at: number) => ({
    ...{ id, ts: BARS[at]!.ts },
    data: { side: 1, low: MIDDLE, high: MIDDLE + 3, rows: 4, volume: 90, barId: BARS[at]!.id },
  });
  const removedNs = BARS[37]!.ts + 150_000_000_000n;
  const { marks, scene, content } = drawn('imbalances', [zone('4.1', 33), zone('4.2', 36)], {
    removed: [['4.1', removedNs]],
  });
  assert.deepEqual(
    marks.map(({ id }) => id),
    ['4.1', '4.2'],
  );
  const [first, second] = scene.targets;
  const { window, layout } = scene;
  assert.ok(Math.abs(first!.x - xOf(window, layout, 34)) < 1e-6);
  assert.ok(
    Math.abs(first!.x + first!.width - xOfNs(window, layout, content.bars, removedNs)) < 1e-6,
  );
  assert.ok(Math.abs(second!.x + second!.width - layout.plotWidth) < 1e-6);
  assert.deepEqual(marks[0]!.numbers, {
    side: 1,
    low: MIDDLE,
    high: MIDDLE + 3,
    rows: 4,
    volume: 90,
  });
});

test('a zone that was removed before the screen is not drawn', () => {
  const objects = [
    {
      id: '4.1',
      ts: BARS[2]!.ts,
      data: { side: 1, low: MIDDLE, high: MIDDLE + 3, rows: 4, volume: 90, barId: BARS[2]!.id },
    },
  ];
  const { marks } = drawn('imbalances', objects, { removed: [['4.1', BARS[3]!.ts]] });
  assert.deepEqual(marks, []);
});

test('unfinished auctions are lines until they are traded', () => {
  const objects = [
    {
      id: '5.1',
      ts: BARS[35]!.ts,
      data: { kind: 'high', price: MIDDLE, bid: 16, ask: 18, barId: BARS[35]!.id },
    },
  ];
  const { marks } = drawn('unfinished-auctions', objects);
  assert.deepEqual(
    marks.map(({ numbers }) => numbers),
    [{ price: MIDDLE, bid: 16, ask: 18 }],
  );
});

test('naked levels have their name and date until they are traded', () => {
  const level = (id: string, price: number) => ({
    ...{ id, ts: BARS[30]!.ts },
    data: { kind: 'poc', price, sessionDate: 20_261_116 },
  });
  const { marks, scene } = drawn('naked-levels', [level('6.1', MIDDLE), level('6.2', MIDDLE + 5)], {
    removed: [['6.2', BARS[38]!.ts]],
  });
  assert.deepEqual(
    marks.map(({ numbers }) => numbers.price),
    [MIDDLE, MIDDLE + 5],
  );
  const words = scene.batches.flatMap((batch) => (batch.kind === 'words' ? batch.texts : []));
  assert.equal(words.filter((text) => text === 'Naked POC 16 Nov').length, 1);
});

test('session levels of one price share a name', () => {
  const kinds = ['high', 'initialBalanceHigh', 'open'] as const;
  const objects = kinds.map((kind, at) => ({
    ...{ id: `7.${at}`, ts: BARS[20]!.ts },
    data: { kind, price: kind === 'open' ? MIDDLE : MIDDLE + 6 },
  }));
  const { scene } = drawn('session-levels', objects, { params: { session: 'rth' } });
  const words = scene.batches.flatMap((batch) => (batch.kind === 'words' ? batch.texts : []));
  assert.ok(words.includes('Day high = IB'));
  assert.ok(words.includes('RTH open'));
});

test('names of equal prices read as one', () => {
  assert.equal(sharedName(['Low', 'IB low']), 'Day low = IB');
  assert.equal(sharedName(['IB high', 'Overnight high']), 'IB high, overnight high');
  assert.equal(sharedName(['Prior low']), 'Prior low');
  assert.equal(sharedName(['Naked POC 16 Nov', 'Prior close']), 'Naked POC 16 Nov, prior close');
});

test('the profile at the side is the object; its point of control and value area are named', () => {
  const levels = Array.from({ length: 30 }, (_, at) => [MIDDLE - 15 + at, 10 + at, 40 - at]);
  const data = {
    levels,
    poc: MIDDLE,
    vah: MIDDLE + 6,
    val: MIDDLE - 6,
    volume: 1500,
    delta: 0,
    high: 0,
    low: 0,
    end: '',
  };
  const { marks } = drawn('volume-profile', [{ id: '8.1', ts: BARS[0]!.ts, data }]);
  const rows = marks.filter(({ shape }) => shape.endsWith('row'));
  assert.deepEqual(
    rows.map(({ numbers }) => [numbers.price, numbers.bid, numbers.ask]),
    levels.filter(([price]) => rows.some(({ numbers }) => numbers.price === price)),
  );
  assert.ok(rows.length > 10);
  for (const [name, price] of [
    ['POC', data.poc],
    ['VAH', data.vah],
    ['VAL', data.val],
  ] as const) {
    assert.equal(onlyShape(marks, name)[0]?.numbers.price, price);
  }
});

test('the longest row of the profile begins right of the name of its point of control', () => {
  for (const textScale of [1, 1.5]) {
    const levels = Array.from({ length: 30 }, (_, at) => [MIDDLE - 15 + at, 10, 40]);
    levels[15] = [MIDDLE, 900, 900];
    const data = { ...{ levels, poc: MIDDLE, vah: MIDDLE + 1, val: MIDDLE - 1 }, volume: 3250 };
    const { scene } = drawn(
      'volume-profile',
      [{ id: '8.1', ts: BARS[0]!.ts, data: { ...data, delta: 0, high: 0, low: 0, end: '' } }],
      { textScale },
    );
    const { plotWidth, side } = scene.layout;
    const isAtPoc = (batch: Batch) => batch.kind === 'words' && batch.texts.includes('POC');
    const name = scene.batches.find(isAtPoc)!;
    assert.ok(name.kind === 'words' && side !== null);
    const plates = scene.batches.filter(
      (batch) => batch.kind === 'rects' && batch.rects.toArray()[0] === plotWidth + 3,
    );
    const ends = plates.map((batch) => {
      const [x, , width] = (batch.kind === 'rects' ? batch.rects : null)!.toArray();
      return x! + width!;
    });
    const rows = scene.batches.flatMap((batch) =>
      batch.kind === 'rects' && batch.dye === 'neutral' ? batch.rects.toArray() : [],
    );
    const longest = Math.min(...rows.filter((x, at) => at % 4 === 0 && x > plotWidth));
    assert.ok(longest > Math.max(...ends), `${longest} after ${ends}`);
    assert.ok(longest < plotWidth + side.width * 0.6);
  }
});

test('profiles of periods stand on the chart', () => {
  const data = {
    levels: [[MIDDLE, 5, 6]],
    poc: MIDDLE,
    vah: MIDDLE,
    val: MIDDLE,
    volume: 11,
    delta: 1,
    high: MIDDLE,
    low: MIDDLE,
    end: String(BARS[37]!.ts),
  };
  const { marks, scene } = drawn('volume-profile', [{ id: '8.1', ts: BARS[34]!.ts, data }], {
    params: { period: 900 },
  });
  assert.deepEqual(
    marks.map(({ shape, x }) => [shape, Math.round(x)]),
    [['poc-row', Math.round(xOf(scene.window, scene.layout, 34))]],
  );
});

test('letters at the side are the rows of the object', () => {
  const rows = Array.from({ length: 20 }, (_, at) => [
    MIDDLE - 10 + at,
    'ABC'.slice(0, 1 + (at % 3)),
  ]);
  const data = {
    rows,
    poc: MIDDLE,
    vah: MIDDLE + 4,
    val: MIDDLE - 4,
    ibHigh: null,
    ibLow: null,
    singles: [],
    high: 0,
    low: 0,
  };
  const { marks, scene } = drawn('tpo', [{ id: '9.1', ts: BARS[0]!.ts, data }], {
    spec: { side: 'tpo' },
  });
  const letters = onlyShape(marks, 'letters');
  assert.ok(letters.length > 10);
  for (const { numbers, texts } of letters) {
    assert.deepEqual(
      [numbers.price, texts[0]],
      rows.find(([price]) => price === numbers.price),
    );
  }
  const mono = scene.batches.some(
    (batch) => batch.kind === 'words' && batch.family === 'mono' && batch.texts.includes('C'),
  );
  assert.ok(mono);
});

test('cumulative delta is the objects, cut at zero, at sessions and at gaps', () => {
  const data = (at: number) => ({
    open: at - 38,
    high: at,
    low: at - 40,
    close: at - 37,
    volume: 5,
  });
  const { marks } = drawn('delta', perBar(data), { spec: { panes: ['cumulative-delta'] } });
  assert.ok(marks.length >= 10);
  for (const { id, numbers } of marks) {
    const { open, high, low, close } = data(BARS.findIndex((bar) => bar.id === id));
    assert.deepEqual(numbers, { open, high, low, close });
  }
  assert.deepEqual(signedParts([0, -2, 10, 2, 20, 4]), [
    { isPositive: false, points: [0, -2, 5, 0] },
    { isPositive: true, points: [5, 0, 10, 2, 20, 4] },
  ]);
  assert.deepEqual(signedParts([0, 0, 10, 5]), [{ isPositive: true, points: [0, 0, 10, 5] }]);
});

test('tape speed shows the highest rate of a bar and the newest average', () => {
  const { id, ts } = BARS[38]!;
  const second = (at: number, rate: number, burst: boolean) => ({
    ...{ id: `${id}.${at}`, ts: ts + BigInt(at) * 1_000_000_000n },
    data: { trades: 3, volume: 9, rate, average: 2 + at / 10, burst },
  });
  const objects = [
    second(1, 4, false),
    second(2, 9, true),
    second(3, 5, false),
    second(9, 2, false),
    second(11, 1, false),
  ];
  const { scene } = drawn('tape-speed', objects, { spec: { panes: ['tape-speed'] } });
  const speeds = scene.marks.filter(({ shape }) => shape === 'speed');
  assert.deepEqual(
    speeds.map(({ numbers }) => numbers),
    [{ rate: 9, average: 3.1, burst: 0 }],
  );
});

test('a hidden layer draws nothing', () => {
  const { input } = drawn('naked-levels', [
    { id: '6.1', ts: BARS[30]!.ts, data: { kind: 'poc', price: MIDDLE, sessionDate: 20_261_116 } },
  ]);
  const layers = input.spec.layers.map((layer) => ({ ...layer, isHidden: true }));
  const scene = wholeScene({ ...input, spec: { ...input.spec, layers } });
  assert.equal(scene.marks.filter(({ of }) => of === 'the-naked-levels').length, 0);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { BAR_KINDS, type ChartSpec, DEFAULT_CHART, LOOKS, PANES } from './chart-spec.ts';
import type { Drawing } from './drawing.ts';
import type { Layout } from './layout.ts';
import { DRAWINGS_MAX, LAYERS_MAX, layoutBytes, parseLayout } from './parse-layout.ts';

const MARKUP = '<img src=x onerror=alert(1)>';
const word = fc.stringMatching(/^[A-Za-z0-9.]{1,12}$/);
const ns = fc.bigInt({ min: 0n, max: 10n ** 19n }).map(String);
const point = fc.record({ ns, ticks: fc.integer() });
const params = fc.dictionary(
  fc.stringMatching(/^[a-z][A-Za-z]{0,8}$/),
  fc.oneof(fc.integer(), fc.boolean(), word, fc.array(fc.integer(), { maxLength: 5 })),
  { maxKeys: 6, noNullPrototype: true },
);

const drawings = fc.uniqueArray(
  fc.oneof(
    fc.record({ key: word, text: word, kind: fc.constant('line' as const), ticks: fc.integer() }),
    fc.record({ key: word, text: word, kind: fc.constant('text' as const), at: point }),
    fc.record({
      key: word,
      text: word,
      kind: fc.constantFrom('trend' as const, 'rectangle' as const, 'range' as const),
      from: point,
      to: point,
    }),
  ) as fc.Arbitrary<Drawing>,
  { maxLength: 6, selector: ({ key }) => key },
);

const charts: fc.Arbitrary<ChartSpec> = fc.record({
  instrument: word,
  bar: fc.record({
    kind: fc.constantFrom(...BAR_KINDS),
    size: fc.integer({ min: 1, max: 100_000 }),
    session: fc.constantFrom('full' as const, 'rth' as const, 'utc' as const),
  }),
  look: fc.constantFrom(...LOOKS),
  group: fc.oneof(fc.constant('auto' as const), fc.integer({ min: 1, max: 100 })),
  rules: fc.record({
    ratio: fc.integer({ min: 100, max: 1_000 }).map((hundredths) => hundredths / 100),
    minVolume: fc.integer({ min: 1, max: 1_000 }),
    zero: fc.constantFrom('ignore' as const, 'count' as const),
    valueArea: fc.integer({ min: 1, max: 100 }),
    pocTie: fc.constantFrom('centre' as const, 'lowest' as const, 'first' as const),
    stack: fc.integer({ min: 1, max: 9 }),
  }),
  stripRows: fc.integer({ min: 0, max: 4 }),
  panes: fc.uniqueArray(fc.constantFrom(...PANES)),
  side: fc.constantFrom('profile' as const, 'tpo' as const, 'none' as const),
  layers: fc.uniqueArray(
    fc.record({
      key: word,
      indicator: fc.constantFrom('vwap', 'large-trades', 'from-tomorrow'),
      params,
      isHidden: fc.boolean(),
    }),
    { maxLength: 5, selector: ({ key }) => key },
  ),
  drawings,
  zone: fc.constantFrom('exchange' as const, 'utc' as const, 'local' as const),
  link: fc.constantFrom('A' as const, 'B' as const, null),
});

const layouts: fc.Arbitrary<Layout> = fc.record({
  version: fc.constant(1),
  charts: fc.array(charts, { minLength: 1, maxLength: 4 }),
  sharesInstrument: fc.boolean(),
});

function chartOf(more: object): ChartSpec {
  const read = parseLayout({ version: 1, charts: [{ ...DEFAULT_CHART, ...more }] });
  assert.ok('layout' in read);
  return read.layout.charts[0]!;
}

test('a layout that this page wrote is read as it was written', () => {
  fc.assert(
    fc.property(layouts, (layout) => {
      const read = parseLayout(JSON.parse(JSON.stringify(layout)));
      assert.ok('layout' in read);
      assert.equal(JSON.stringify(read.layout), JSON.stringify(layout));
    }),
  );
});

test('anything at all is read or refused, never thrown at, and what is read is read again the same', () => {
  const field = fc.oneof(fc.anything({ maxDepth: 3 }), fc.string(), fc.constant(MARKUP));
  const forged = fc.record(
    {
      version: fc.constantFrom(1, 2, 0, '1', null),
      charts: fc.oneof(
        field,
        fc.array(
          fc.record(
            Object.fromEntries(Object.keys(DEFAULT_CHART).map((name) => [name, field])) as Record<
              string,
              fc.Arbitrary<unknown>
            >,
            { requiredKeys: ['instrument'] },
          ),
          { maxLength: 6 },
        ),
      ),
      sharesInstrument: field,
    },
    { requiredKeys: ['version'] },
  );
  fc.assert(
    fc.property(fc.oneof(fc.anything(), forged), (value) => {
      const read = parseLayout(value);
      if ('fault' in read) {
        assert.match(read.text, /^This layout .+\.$/);
        return;
      }
      assert.ok(read.layout.charts.length >= 1 && read.layout.charts.length <= 4);
      assert.deepEqual(parseLayout(JSON.parse(JSON.stringify(read.layout))), read);
      assert.equal(parseLayout(structuredClone(read.layout)) instanceof Object, true);
    }),
    { numRuns: 500 },
  );
});

test('a layout of a newer page is not touched, and says to reload', () => {
  assert.deepEqual(parseLayout({ version: 2, charts: 'whatever' }), {
    fault: 'newer',
    text: 'This layout was saved by a newer page. Reload to open it.',
  });
});

test('what is no layout is unreadable', () => {
  const throwing = {
    get version(): number {
      throw new Error('on purpose');
    },
  };
  const cases: readonly unknown[] = [
    null,
    'text',
    [],
    {},
    { version: 1 },
    { version: 1, charts: [] },
    { version: 1, charts: [{ instrument: '' }] },
    { version: 1.5, charts: [DEFAULT_CHART] },
    throwing,
  ];
  for (const value of cases) assert.ok('fault' in parseLayout(value));
});

test('counts are bounded: four charts, twenty layers, two hundred drawings, each with a key of its own', () => {
  const layer = { key: 'a', indicator: 'vwap', params: {}, isHidden: false };
  const line = { key: 'a', kind: 'line', text: '', ticks: 1 };
  const chart = {
    ...DEFAULT_CHART,
    layers: Array.from({ length: 50 }, () => layer),
    drawings: Array.from({ length: 900 }, () => line),
  };
  const read = parseLayout({ version: 1, charts: Array.from({ length: 9 }, () => chart) });
  assert.ok('layout' in read);
  assert.equal(read.layout.charts.length, 4);
  for (const { layers, drawings: drawn } of read.layout.charts) {
    assert.equal(new Set(layers.map(({ key }) => key)).size, LAYERS_MAX);
    assert.equal(new Set(drawn.map(({ key }) => key)).size, DRAWINGS_MAX);
  }
});

test('texts lose controls and marks that reorder them, and end after 200 characters', () => {
  const text = `a\u0000b\u202ec\nd${'x'.repeat(900)}😀`;
  const [drawing] = chartOf({ drawings: [{ key: 'd', kind: 'line', ticks: 5, text }] }).drawings;
  assert.equal(drawing!.text.length, 200);
  assert.match(drawing!.text, /^a b c d(?:x+)$/);
  const markup = chartOf({ drawings: [{ key: 'd', kind: 'line', ticks: 5, text: MARKUP }] });
  assert.equal(markup.drawings[0]!.text, MARKUP, 'markup is text; whoever shows it writes text');
  const half = chartOf({
    drawings: [{ key: 'd', kind: 'line', ticks: 1, text: `${'y'.repeat(199)}😀` }],
  });
  assert.ok(half.drawings[0]!.text.isWellFormed());
});

test('a name of an instrument or an indicator that cannot be one is not guessed', () => {
  for (const instrument of ['a\u0000b', ' ES', 'x'.repeat(65), 5, null, {}]) {
    assert.ok('fault' in parseLayout({ version: 1, charts: [{ ...DEFAULT_CHART, instrument }] }));
  }
  const layers = [MARKUP, '../keys', '__proto__', '', 7].map((indicator) => ({
    key: 'k',
    indicator,
    params: {},
  }));
  assert.deepEqual(chartOf({ layers }).layers, []);
});

test('parameters of any indicator are plain values under plain names', () => {
  const hostile = JSON.parse(
    '{"__proto__":{"isAdmin":true},"size":5,"deep":{"a":1},"list":[1,2],"bad":[1,"x"],"a b":1,"on":true,"word":"x\\u0000y"}',
  );
  const layers = [{ key: 'k', indicator: 'vwap', params: hostile, isHidden: 1 }];
  const [layer] = chartOf({ layers }).layers;
  assert.deepEqual(layer!.params, { size: 5, list: [1, 2], on: true, word: 'x y' });
  assert.equal((layer!.params as { isAdmin?: boolean }).isAdmin, undefined);
  assert.equal(layer!.isHidden, false);
});

test('a layer cannot take the key under which a pane or the side looks for its own', () => {
  const layers = [
    { key: 'tpo', indicator: 'sweeps', params: {}, isHidden: false },
    { key: 'delta', indicator: 'delta', params: {}, isHidden: false },
  ];
  const keys = chartOf({ layers }).layers.map(({ key }) => key);
  assert.deepEqual(keys, ['k1', 'delta']);
});

test('numbers out of bounds have the value of a new chart', () => {
  const chart = chartOf({
    bar: { kind: 'range', size: -3, session: 'lunch' },
    group: 0,
    stripRows: 9,
    rules: { ratio: Number.NaN, minVolume: 1e30, valueArea: 101, stack: 0, zero: 1, pocTie: [] },
    drawings: [
      { key: 'a', kind: 'line', ticks: Number.POSITIVE_INFINITY, text: '' },
      {
        key: 'b',
        kind: 'trend',
        from: { ns: '-1', ticks: 1 },
        to: { ns: '1', ticks: 1 },
        text: '',
      },
      { key: 'c', kind: 'text', at: { ns: '1', ticks: -0 }, text: 7 },
    ],
  });
  assert.deepEqual(chart.bar, { kind: 'range', size: 8, session: 'full' });
  assert.deepEqual([chart.group, chart.stripRows], ['auto', 4]);
  assert.deepEqual(chart.rules, DEFAULT_CHART.rules);
  assert.deepEqual(chart.drawings, [
    { key: 'c', kind: 'text', at: { ns: '1', ticks: 0 }, text: '' },
  ]);
});

test('the size of a layout counts UTF-8', () => {
  const layout: Layout = { version: 1, charts: [DEFAULT_CHART], sharesInstrument: false };
  const line: Drawing = { key: 'd', kind: 'line', ticks: 1, text: 'äö' };
  const drawn = { ...layout, charts: [{ ...DEFAULT_CHART, drawings: [line] }] };
  assert.equal(layoutBytes(drawn), JSON.stringify(drawn).length + 2);
});

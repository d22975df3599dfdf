import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { IndicatorObject } from '@tapeloom/client/stream';
import { indicatorNamed } from '@tapeloom/core/studies/catalogue';
import fc from 'fast-check';
import { randomTape } from '../../../core/testing/twins/random-tape.ts';
import { stepsOf } from '../../testing/study-steps.ts';
import { type CellRules, DEFAULT_RULES } from '../spec/chart-spec.ts';
import { BarSeries } from './bar-series.ts';
import type { ChartBar } from './chart-bar.ts';
import { BUY, groupOver, ROWS_MAX, type Rows, rowsOf, SELL } from './rows.ts';

const RUNS = 60;

const cellRules: fc.Arbitrary<CellRules> = fc.record({
  ratio: fc.constantFrom(1, 1.15, 2.5, 3),
  minVolume: fc.constantFrom(1, 5, 10),
  zero: fc.constantFrom('ignore', 'count'),
  valueArea: fc.constantFrom(1, 50, 70, 100),
  pocTie: fc.constantFrom('centre', 'lowest', 'highest', 'first'),
  stack: fc.constantFrom(1, 2, 3),
}) as fc.Arbitrary<CellRules>;

const barParams = fc.record({
  bar: fc.constantFrom('time', 'tick', 'volume', 'range', 'delta', 'renko'),
  size: fc.constantFrom(1, 3, 8, 20, 3_600),
});

/** The data of a footprint as the rows tell it. */
function footprintOf(rows: Rows) {
  const levels: number[][] = [];
  const imbalances: number[][] = [];
  const priceOf = (row: number) => (row < 0 ? null : rows.first + row * rows.group);
  for (let row = 0; row < rows.count; row += 1) {
    const [bid, ask, unknown] = [rows.bid[row]!, rows.ask[row]!, rows.unknown[row]!];
    if (bid + ask + unknown === 0) continue;
    levels.push([priceOf(row)!, bid, ask, ...(unknown === 0 ? [] : [unknown])]);
    if (rows.imbalance[row]! & SELL) imbalances.push([priceOf(row)!, -1]);
    if (rows.imbalance[row]! & BUY) imbalances.push([priceOf(row)!, 1]);
  }
  const [poc, vah, val] = [priceOf(rows.poc), priceOf(rows.vah), priceOf(rows.val)];
  return { levels, poc, vah, val, imbalances };
}

describe('rows of a bar', () => {
  it('equal the service’s footprint of that group, summed from rows of one tick or more', () => {
    const groups = fc.constantFrom<[number, number]>(
      [1, 1],
      [1, 2],
      [1, 5],
      [2, 4],
      [5, 10],
      [3, 3],
    );
    const property = fc.property(
      randomTape,
      barParams,
      cellRules,
      groups,
      (tape, bar, rules, [from, group]) => {
        const { stack: _, ...given } = rules;
        const steps = (group: number) =>
          stepsOf<'footprint'>(indicatorNamed('footprint')!, { ...bar, ...given, group }, tape);
        const expected = steps(group);
        steps(from).forEach(({ upserts }, at) => {
          const bars = new BarSeries(from);
          bars.putAll(upserts);
          for (const { id, data } of expected[at]!.upserts) {
            const rows = rowsOf(bars.get(id)!, group, rules);
            const { levels, poc, vah, val, imbalances } = data;
            const made = footprintOf(rows);
            assert.equal(rows.group, group);
            assert.deepEqual([made.levels, made.imbalances], [levels, imbalances]);
            if (rows.isPocSure) assert.deepEqual([made.poc, made.vah, made.val], [poc, vah, val]);
            else assert.ok(rules.pocTie === 'first' && group !== from);
          }
        });
      },
    );
    fc.assert(property, { numRuns: RUNS });
  });

  it('stacks are those of the indicator of imbalances', () => {
    const property = fc.property(randomTape, barParams, cellRules, (tape, bar, rules) => {
      const { ratio, minVolume, zero, stack } = rules;
      const given = { ...bar, ratio, minVolume, zero, stack };
      const bars = barsOf(tape, bar);
      const rowsById = new Map(bars.map((it) => [it.id, rowsOf(it, 1, rules)]));
      const stacks = stepsOf<'imbalances'>(indicatorNamed('imbalances')!, given, tape)
        .flatMap(({ upserts }) => upserts)
        .map(({ data: { barId, side, low, high } }) => `${barId} ${side} ${low} ${high}`);
      const made = bars
        .filter(({ isFinal }) => isFinal)
        .flatMap(({ id }) => {
          const { stacks, first } = rowsById.get(id)!;
          return stacks.map(({ side, from, to }) => `${id} ${side} ${first + from} ${first + to}`);
        });
      assert.deepEqual(made.sort(), stacks.sort());
    });
    fc.assert(property, { numRuns: RUNS });
  });

  it('unfinished ends are those of the indicator', () => {
    const property = fc.property(randomTape, barParams, (tape, bar) => {
      const ids = stepsOf<'unfinished-auctions'>(indicatorNamed('unfinished-auctions')!, bar, tape)
        .flatMap(({ upserts }) => upserts)
        .map(({ id }) => id);
      const made = barsOf(tape, bar).flatMap((it) => {
        const { isUnfinishedHigh, isUnfinishedLow } = rowsOf(it, 4, DEFAULT_RULES);
        return [isUnfinishedHigh ? [`${it.id}.1`] : [], isUnfinishedLow ? [`${it.id}.2`] : []];
      });
      assert.deepEqual(made.flat(2).sort(), ids.sort());
    });
    fc.assert(property, { numRuns: RUNS });
  });

  it('are computed once per bar, group and rules', () => {
    const bar = barWith([[100, 5, 9]]);
    const rows = rowsOf(bar, 1, DEFAULT_RULES);
    assert.equal(rowsOf(bar, 1, { ...DEFAULT_RULES }), rows);
    assert.notEqual(rowsOf(bar, 2, DEFAULT_RULES), rows);
    assert.equal(rowsOf(bar, 1, DEFAULT_RULES), rows);
  });

  it('know their extremes, at prices below zero too', () => {
    const rows = rowsOf(
      barWith([
        [-7, 5, 9, 1],
        [-5, 0, 20],
        [2, 12, 0],
      ]),
      2,
      DEFAULT_RULES,
    );
    assert.deepEqual([rows.first, rows.count], [-8, 6]);
    assert.deepEqual([...rows.bid], [5, 0, 0, 0, 0, 12]);
    assert.deepEqual([...rows.ask], [9, 20, 0, 0, 0, 0]);
    assert.deepEqual([rows.total, rows.maxSide, rows.maxVolume, rows.maxDelta], [47, 20, 20, 20]);
  });

  it('of a bar without levels are none', () => {
    const empty = rowsOf(barWith([]), 4, DEFAULT_RULES);
    const none = rowsOf({ ...barWith([]), levels: null }, 4, DEFAULT_RULES);
    for (const { count, poc, vah, val, stacks, total } of [empty, none]) {
      assert.deepEqual([count, poc, vah, val, stacks.length, total], [0, -1, -1, -1, 0, 0]);
    }
  });

  it('say so if the service’s rows do not permit the group', () => {
    const bar = barWith(
      [
        [0, 1, 1],
        [4, 2, 2],
        [8, 1, 1],
      ],
      4,
    );
    assert.equal(rowsOf(bar, 6, DEFAULT_RULES).group, 8);
    assert.equal(rowsOf(bar, 1, DEFAULT_RULES).group, 4);
    assert.equal(rowsOf(bar, 1, DEFAULT_RULES).isUnfinishedHigh, false);
  });

  it('stay few, however far the price jumps', () => {
    const rows = rowsOf(
      barWith([
        [-2_147_483_648, 1, 0],
        [2_147_483_647, 0, 1],
      ]),
      1,
      DEFAULT_RULES,
    );
    assert.ok(rows.count <= ROWS_MAX + 1);
    assert.equal(rows.total, 2);
    assert.equal(groupOver(1, 5, 100), 5);
  });
});

function barsOf(tape: Parameters<typeof stepsOf>[2], bar: { bar: string; size: number }) {
  const bars = new BarSeries();
  for (const { upserts } of stepsOf<'footprint'>(indicatorNamed('footprint')!, bar, tape)) {
    bars.putAll(upserts);
  }
  return bars.columns.filter((it): it is ChartBar => it.kind === 'bar');
}

function barWith(levels: readonly (readonly [number, number, number, number?])[], group = 1) {
  const sums = { volume: 1, bid: 0, ask: 1, unknown: 0, trades: 1, delta: 1 };
  const prices = { open: 0, high: 8, low: 0, close: 8, poc: null, vah: null, val: null };
  const object: IndicatorObject<'footprint'> = {
    ...{ id: '20260105.1', final: true, ts: 0n },
    data: {
      ...{ ...sums, ...prices, deltaMin: 0, deltaMax: 1, end: '1' },
      ...{ levels, imbalances: [] },
    },
  };
  const bars = new BarSeries(group);
  bars.put(object);
  return bars.last!;
}

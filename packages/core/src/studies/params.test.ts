import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { anyShares, LIST_DEFINITION } from '../../testing/list-definition.ts';
import { configurationOf } from '../entitlement/custom-configuration.ts';
import { bars } from './bars.ts';
import { footprint } from './footprint.ts';
import type { IndicatorDefinition, Params } from './indicator.ts';
import { largeTrades } from './large-trades.ts';
import { canonicalText, isCustom, parseParams } from './params.ts';
import { volumeProfile } from './volume-profile.ts';

function accepted(input: unknown, indicator: IndicatorDefinition = bars): Params {
  const parsed = parseParams(indicator, input);
  assert.ok('params' in parsed, JSON.stringify(parsed));
  return parsed.params;
}

function refused(input: unknown, indicator: IndicatorDefinition = bars) {
  const parsed = parseParams(indicator, input);
  assert.ok('faults' in parsed, JSON.stringify(parsed));
  return parsed.faults;
}

describe('parameters', () => {
  it('are filled up with defaults, sorted by name', () => {
    const params = accepted({});
    assert.deepEqual(params, { bar: 'time', depth: 500, session: 'full', size: 60 });
    assert.deepEqual(Object.keys(params), ['bar', 'depth', 'session', 'size']);
  });

  it('take the default size of their kind of bar', () => {
    const sizes = ['time', 'tick', 'volume', 'range', 'delta', 'renko'].map(
      (bar) => accepted({ bar }).size,
    );
    assert.deepEqual(sizes, [60, 1000, 1000, 8, 500, 8]);
    assert.equal(accepted({ bar: 'tick', size: 5 }).size, 5);
  });

  it('read 1.0 as 1 and a negative zero as zero', () => {
    assert.deepEqual(accepted(JSON.parse('{"size": 1.0}')), accepted({ size: 1 }));
    assert.ok(Object.is(accepted({ minSize: -0 }, largeTrades).minSize, 0));
  });

  it('are refused by pointer, each with a sentence that says what is accepted', () => {
    assert.deepEqual(refused({ size: 0, bar: 'seconds', depth: '5', 'a/b~c': 1 }), [
      {
        path: '/a~1b~0c',
        message: '"bars" has no parameter "a/b~c"; it has bar, size, session, depth.',
      },
      {
        path: '/bar',
        message: 'Must be one of "time", "tick", "volume", "range", "delta", "renko".',
      },
      {
        path: '/size',
        message: 'Must be a whole number from 1 to 1000000000 (seconds, trades, lots or ticks).',
      },
      { path: '/depth', message: 'Must be a whole number from 1 to 5000 (objects).' },
    ]);
    assert.deepEqual(refused({ ratio: 2.005 }, footprint), [
      { path: '/ratio', message: 'Must be a number from 1 to 1000, a multiple of 0.01.' },
    ]);
  });

  it('are refused when not an object, not finite, not whole, or named as something inherited', () => {
    for (const input of [null, [], 5, 'x', undefined]) {
      assert.deepEqual(refused(input), [{ path: '', message: 'Parameters must be an object.' }]);
    }
    for (const size of [
      1.5,
      Number.NaN,
      Number.POSITIVE_INFINITY,
      '60',
      true,
      null,
      [60],
      2 ** 60,
    ]) {
      assert.deepEqual(
        refused({ size }).map(({ path }) => path),
        ['/size'],
      );
    }
    for (const name of ['__proto__', 'constructor', 'toString', '']) {
      const input = JSON.parse(`{${JSON.stringify(name)}: 1}`);
      assert.deepEqual(
        refused(input).map(({ path }) => path),
        [`/${name}`],
      );
    }
  });

  it('take a word in place of a number where the definition names one', () => {
    assert.equal(accepted({}, volumeProfile).period, 'session');
    assert.equal(accepted({ period: 'session' }, volumeProfile).period, 'session');
    assert.equal(accepted({ period: 1_800 }, volumeProfile).period, 1_800);
    for (const period of ['hour', '1800', 0, 1.5, 86_401, null, ['session']]) {
      const message = 'Must be "session" or a whole number from 1 to 86400 (seconds).';
      assert.deepEqual(refused({ period }, volumeProfile), [{ path: '/period', message }]);
    }
  });

  it('accept every multiple of the grid as it is written', () => {
    for (let hundredths = 100; hundredths <= 1_000; hundredths += 1) {
      accepted({ ratio: Number((hundredths / 100).toFixed(2)) }, footprint);
    }
  });

  it('never report more than 32 faults, nor repeat an endless name', () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`x${n}`, n]));
    assert.equal(refused({ ...many, size: 0 }).length, 32);
    const [fault] = refused({ ['y'.repeat(10_000)]: 1 });
    assert.ok(fault!.path.length < 100 && fault!.message.length < 200);
  });

  it('have one canonical text whatever the order and spelling, without view parameters', () => {
    const text = canonicalText(bars, accepted({ size: 60, bar: 'time', depth: 7 }));
    assert.equal(text, '{"bar":"time","session":"full","size":60}');
    assert.equal(canonicalText(bars, accepted({ depth: 9 })), text);
    const values = {
      bar: fc.constantFrom('time', 'tick', 'renko'),
      size: fc.integer({ min: 1, max: 100 }),
      session: fc.constantFrom('full', 'rth', 'utc'),
    };
    const property = fc.property(
      fc.record(values, { requiredKeys: [] }),
      fc.nat(),
      (some, depth) => {
        const params = accepted(some);
        const reversed = Object.fromEntries(Object.entries(some).reverse());
        const again = accepted({ ...reversed, depth: 1 + (depth % 5_000) });
        assert.equal(canonicalText(bars, again), canonicalText(bars, params));
        assert.deepEqual(accepted(params), params);
      },
    );
    fc.assert(property, { numRuns: 200 });
  });

  it('are custom when any of them, view ones included, differs from the defaults', () => {
    assert.equal(isCustom(bars, accepted({})), false);
    assert.equal(isCustom(bars, accepted({ bar: 'time', size: 60, session: 'full' })), false);
    assert.equal(isCustom(bars, accepted({ depth: 501 })), true);
    assert.equal(isCustom(bars, accepted({ bar: 'tick' })), true);
  });
});

describe('lists of integers', () => {
  const list = (shares: unknown) => accepted({ shares }, LIST_DEFINITION).shares;

  it('are ascending, whatever order they are given in', () => {
    assert.deepEqual(list([90, 5, 70]), [5, 70, 90]);
    assert.deepEqual(list([10, 9]), [9, 10]);
    const { offsets } = accepted({ offsets: [3, -0, -5] }, LIST_DEFINITION);
    assert.deepEqual(offsets, [-5, 0, 3]);
    assert.deepEqual(accepted({ offsets: [] }, LIST_DEFINITION).offsets, []);
  });

  it('have one canonical text, are one configuration and survive their own JSON', () => {
    const property = fc.property(anyShares, anyShares, (one, other) => {
      const [a, b] = [one, other].map((shares) => accepted({ shares }, LIST_DEFINITION));
      const reversed = accepted({ shares: [...one].reverse() }, LIST_DEFINITION);
      assert.deepEqual(reversed, a);
      assert.deepEqual(accepted(JSON.parse(JSON.stringify(a)), LIST_DEFINITION), a);
      const isSame = JSON.stringify([...one].sort()) === JSON.stringify([...other].sort());
      const texts = [a!, b!].map((params) => canonicalText(LIST_DEFINITION, params));
      assert.equal(texts[0] === texts[1], isSame);
      const names = [a!, b!].map((params) => configurationOf('ESZ6', LIST_DEFINITION, params));
      assert.equal(names[0] === names[1], isSame);
    });
    fc.assert(property, { numRuns: 500 });
    const params = accepted({ shares: [70, 50, 90], offsets: [1] }, LIST_DEFINITION);
    assert.equal(canonicalText(LIST_DEFINITION, params), '{"of":"bar","shares":[50,70,90]}');
  });

  it('leave what was given as it was', () => {
    const given = [90, 5];
    list(given);
    assert.deepEqual(given, [90, 5]);
  });

  it('take their default, that of another value too, and are not custom when spelled out', () => {
    assert.deepEqual(accepted({}, LIST_DEFINITION).shares, [50, 70]);
    assert.deepEqual(accepted({ of: 'session' }, LIST_DEFINITION).shares, [70]);
    const isCustomOf = (input: unknown) =>
      isCustom(LIST_DEFINITION, accepted(input, LIST_DEFINITION));
    assert.equal(isCustomOf({ shares: [70, 50], offsets: [] }), false);
    assert.equal(isCustomOf({ shares: [50] }), true);
    assert.equal(isCustomOf({ shares: [50, 71] }), true);
    assert.equal(isCustomOf({ offsets: [0] }), true);
  });

  it('are refused whole unless they are lists of as many numbers as there may be', () => {
    const message = 'Must be a list of 1 to 4 different whole numbers from 1 to 100 (percent).';
    for (const shares of [50, '50,70', '[50]', null, true, {}, [], [1, 2, 3, 4, 5], { 0: 1 }]) {
      assert.deepEqual(refused({ shares }, LIST_DEFINITION), [{ path: '/shares', message }]);
    }
    const many = Array.from({ length: 10_000 }, (_, at) => at);
    assert.equal(refused({ shares: many }, LIST_DEFINITION).length, 1);
    assert.deepEqual(refused({ offsets: [1, 2, 3, 4] }, LIST_DEFINITION), [
      {
        path: '/offsets',
        message: 'Must be a list of up to 3 different whole numbers from -5 to 5.',
      },
    ]);
  });

  it('are refused number by number, by pointer', () => {
    const number = 'Must be a whole number from 1 to 100 (percent).';
    const again = 'Must not be in the list twice.';
    assert.deepEqual(refused({ shares: [0, 50, 1.5, 50] }, LIST_DEFINITION), [
      { path: '/shares/0', message: number },
      { path: '/shares/2', message: number },
      { path: '/shares/3', message: again },
    ]);
    for (const item of [101, '50', null, true, [50], Number.NaN, 2 ** 60, undefined]) {
      const faults = refused({ shares: [50, item] }, LIST_DEFINITION);
      assert.deepEqual(faults, [{ path: '/shares/1', message: number }]);
    }
    assert.deepEqual(refused({ offsets: [0, -0] }, LIST_DEFINITION), [
      { path: '/offsets/1', message: again },
    ]);
    const [hole] = refused({ shares: new Array(2) }, LIST_DEFINITION);
    assert.equal(hole?.path, '/shares/0');
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { bars } from './bars.ts';
import { footprint } from './footprint.ts';
import type { Params } from './indicator.ts';
import { largeTrades } from './large-trades.ts';
import { canonicalText, isCustom, parseParams } from './params.ts';
import { volumeProfile } from './volume-profile.ts';

function accepted(input: unknown, indicator = bars): Params {
  const parsed = parseParams(indicator, input);
  assert.ok('params' in parsed, JSON.stringify(parsed));
  return parsed.params;
}

function refused(input: unknown, indicator = bars) {
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

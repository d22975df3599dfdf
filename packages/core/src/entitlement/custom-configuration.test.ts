import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { INDICATORS, indicatorNamed } from '../studies/catalogue.ts';
import type { Indicator, ParameterDefinition, ParamValue } from '../studies/indicator.ts';
import { parseParams } from '../studies/params.ts';
import { configurationOf } from './custom-configuration.ts';

function indicator(id: string): Indicator {
  const found = indicatorNamed(id);
  assert.ok(found, id);
  return found;
}

function configuration(contract: string, of: Indicator, given: unknown): string | null {
  const parsed = parseParams(of, given);
  assert.ok('params' in parsed, JSON.stringify(parsed));
  return configurationOf(contract, of, parsed.params);
}

const bars = indicator('bars');

test('defaults count as none, left out or spelled out, for every indicator', () => {
  for (const of of INDICATORS) {
    assert.equal(configuration('ESZ6', of, {}), null, of.id);
    const spelledOut = Object.fromEntries(of.parameters.map((it) => [it.name, it.default]));
    assert.equal(configuration('ESZ6', of, spelledOut), null, of.id);
    for (const { name, default: value } of of.parameters) {
      assert.equal(configuration('ESZ6', of, { [name]: value }), null, `${of.id} ${name}`);
    }
  }
});

test('one differing value counts, of the view as well', () => {
  for (const of of INDICATORS) {
    for (const parameter of of.parameters) {
      const given = { [parameter.name]: otherValue(parameter) };
      assert.notEqual(configuration('ESZ6', of, given), null, `${of.id} ${parameter.name}`);
    }
  }
  assert.notEqual(configuration('ESZ6', bars, { depth: 499 }), null);
});

test('the same contract, indicator and parameters are one configuration, however written', () => {
  const name = configuration('ESZ6', bars, { bar: 'tick', size: 500 });
  assert.equal(configuration('ESZ6', bars, { size: 500, bar: 'tick' }), name);
  assert.equal(configuration('ESZ6', bars, JSON.parse('{"size":5e2,"bar":"tick"}')), name);
  assert.equal(configuration('ESZ6', bars, JSON.parse('{"size":500.0,"bar":"tick"}')), name);
  assert.equal(configuration('ESZ6', bars, { size: 500, bar: 'tick', depth: 500 }), name);
});

test('a default that follows from another parameter is the same left out or spelled out', () => {
  const size = bars.parameters.find((it) => it.name === 'size')?.defaultBy?.values.tick;
  assert.ok(size !== undefined);
  const name = configuration('ESZ6', bars, { bar: 'tick' });
  assert.equal(configuration('ESZ6', bars, { bar: 'tick', size }), name);
});

test('another contract, indicator or value is another configuration', () => {
  const names = [
    configuration('ESZ6', bars, { size: 30 }),
    configuration('ESH7', bars, { size: 30 }),
    configuration('ESZ6', bars, { size: 31 }),
    configuration('ESZ6', bars, { size: 30, depth: 10 }),
    configuration('ESZ6', bars, { size: 30, depth: 11 }),
    configuration('ESZ6', indicator('footprint'), { size: 30 }),
  ];
  assert.ok(!names.includes(null));
  assert.equal(new Set(names).size, names.length);
});

test('names are equal exactly when contract, indicator and canonical parameters are', () => {
  const wanted = fc.record({
    contract: fc.constantFrom('ESZ6', 'ESH7', 'ESZ6","bars'),
    of: fc.constantFrom(...INDICATORS),
    picks: fc.array(fc.boolean(), { minLength: 16, maxLength: 16 }),
  });
  const paramsOf = ({ of, picks }: { of: Indicator; picks: readonly boolean[] }) => {
    const given = of.parameters.map((it, index) => {
      return [it.name, picks[index] ? otherValue(it) : it.default] as const;
    });
    const parsed = parseParams(of, Object.fromEntries(given));
    assert.ok('params' in parsed);
    return parsed.params;
  };
  fc.assert(
    fc.property(wanted, fc.option(wanted), (a, another) => {
      const b = another ?? a;
      const [one, two] = [paramsOf(a), paramsOf(b)];
      const isSame =
        a.contract === b.contract &&
        a.of.id === b.of.id &&
        JSON.stringify(one) === JSON.stringify(two);
      const [name, other] = [
        configurationOf(a.contract, a.of, one),
        configurationOf(b.contract, b.of, two),
      ];
      if (name === null || other === null) return;
      assert.equal(name === other, isSame);
    }),
    { numRuns: 2000 },
  );
});

/** A value that the parameter accepts and that is not its default. */
function otherValue(parameter: ParameterDefinition): ParamValue {
  const word = parameter.values?.find((value) => value !== parameter.default);
  switch (parameter.type) {
    case 'boolean':
      return !parameter.default;
    case 'string':
      assert.ok(word !== undefined, parameter.name);
      return word;
    case 'integer':
    case 'number':
      return parameter.default === parameter.minimum ? parameter.maximum! : parameter.minimum!;
    case 'integers':
      return [parameter.minimum, parameter.maximum].slice(0, parameter.maxItems);
    default:
      throw new RangeError(`unknown parameter type: ${parameter satisfies never}`);
  }
}

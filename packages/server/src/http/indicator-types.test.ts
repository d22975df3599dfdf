import assert from 'node:assert/strict';
import { test } from 'node:test';
import { publishedDefinitions } from '@tapeloom/core/studies/catalogue';
import type { IndicatorDefinition, JsonSchema } from '@tapeloom/core/studies/indicator';
import type { IndicatorId, IndicatorTypes } from '@tapeloom/protocol/indicators';
import { indicatorTypesText } from './indicator-types.ts';

const [bars] = publishedDefinitions();

function withData(properties: Readonly<Record<string, unknown>>): IndicatorDefinition {
  const required = Object.keys(properties).filter((name) => name !== 'maybe');
  const data = { type: 'object', properties, required, additionalProperties: false };
  return { ...bars!, id: 'some-thing', name: 'Some thing', data };
}

/** The type that a schema gets. */
function typeOf(schema: JsonSchema): string {
  const text = indicatorTypesText([withData({ it: schema })]);
  return /export interface SomeThingData \{\n {2}readonly it: (.+);\n\}/.exec(text)![1]!;
}

test('every indicator has parameters, data and a place in the map', () => {
  const text = indicatorTypesText(publishedDefinitions());
  for (const { id, parameters, data } of publishedDefinitions()) {
    const name = id.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
    const members = (what: string) => {
      const body = new RegExp(`export interface ${name}${what} \\{\\n(.*?)\\n\\}`, 's').exec(
        text,
      )![1]!;
      return [...body.matchAll(/^ {2}readonly (\w+)\??:/gm)].map(([, member]) => member);
    };
    assert.deepEqual(
      members('Params'),
      parameters.map((parameter) => parameter.name),
    );
    assert.deepEqual(members('Data'), Object.keys(data.properties as object));
    assert.match(text, new RegExp(`readonly '?${id}'?: \\{\\n {4}readonly params: ${name}Params;`));
  }
});

test('a schema becomes the type that says the same', () => {
  const integer = { type: 'integer' };
  assert.equal(typeOf(integer), 'number');
  assert.equal(typeOf({ type: ['integer', 'null'] }), 'number | null');
  assert.equal(typeOf({ type: 'integer', enum: [-1, 1] }), '-1 | 1');
  assert.equal(typeOf({ type: 'string', enum: ['open', "o'clock"] }), "'open' | 'o\\'clock'");
  assert.equal(typeOf({ const: 'poc' }), "'poc'");
  assert.equal(typeOf({ oneOf: [{ type: 'string' }, integer] }), 'string | number');
  assert.equal(typeOf({ type: 'array', items: { type: 'string' } }), 'readonly string[]');
  assert.equal(
    typeOf({ type: 'array', items: { type: ['integer', 'null'] } }),
    'readonly (number | null)[]',
  );
  assert.equal(
    typeOf({ type: 'array', items: integer, minItems: 3, maxItems: 4 }),
    'readonly [number, number, number, number?]',
  );
  assert.equal(
    typeOf({ type: 'array', prefixItems: [integer, { type: 'string' }], minItems: 2 }),
    'readonly [number, string]',
  );
  assert.equal(
    typeOf({
      type: 'object',
      properties: { low: integer, maybe: integer },
      required: ['low'],
      additionalProperties: false,
    }),
    '{ readonly low: number; readonly maybe?: number }',
  );
});

test('a member that is not required may be missing', () => {
  assert.match(
    indicatorTypesText([withData({ maybe: { type: 'integer' } })]),
    /readonly maybe\?: number;/,
  );
});

test('a schema that no type can say is refused with its place', () => {
  assert.throws(() => typeOf({}), /some-thing data\/it has no type/);
  assert.throws(() => typeOf({ type: 'object' }), /some-thing data\/it is not a closed object/);
  assert.throws(() => typeOf({ type: 'array' }), /some-thing data\/it\/items is not a schema/);
  assert.throws(() => typeOf({ type: 'date' }), /type date/);
});

test('another catalogue gives other types', () => {
  const changed = publishedDefinitions().map((definition) => ({
    ...definition,
    parameters: definition.parameters.map((parameter) => ({
      ...parameter,
      name: `${parameter.name}2`,
    })),
  }));
  assert.notEqual(indicatorTypesText(changed), indicatorTypesText(publishedDefinitions()));
  assert.notEqual(indicatorTypesText([bars!]), indicatorTypesText(publishedDefinitions()));
});

test('the types check what a client writes', () => {
  type ParamsOf<Id extends IndicatorId> = IndicatorTypes[Id]['params'];
  const params: ParamsOf<'footprint'> = { bar: 'tick', size: 500, ratio: 2.5 };
  const empty: ParamsOf<'large-trades'> = {};
  const level: IndicatorTypes['footprint']['data']['levels'][number] = [27_001, 12, 10];
  assert.deepEqual([params.bar, empty.minSize, level[3]], ['tick', undefined, undefined]);
});

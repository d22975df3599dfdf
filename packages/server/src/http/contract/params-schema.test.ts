import assert from 'node:assert/strict';
import { test } from 'node:test';
import { publishedDefinitions } from '@tapeloom/core/studies/catalogue';
import { parseParams } from '@tapeloom/core/studies/params';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { LIST_DEFINITION } from '../../../../core/testing/list-definition.ts';
import { catalogueFacts } from '../routes/indicators-route.ts';
import { contractRoutes } from './contract.ts';
import { openapiText } from './interface-documents.ts';
import { paramsSchema } from './params-schema.ts';

type Schema = Readonly<Record<string, unknown>>;
const ajv = new Ajv({ strict: true, allowUnionTypes: true });

test('a list of integers is an array without an order, with bounds for its length and its items', () => {
  const { properties } = paramsSchema(LIST_DEFINITION.parameters) as {
    properties: Record<string, Schema>;
  };
  assert.deepEqual(properties.offsets, {
    type: 'array',
    items: { type: 'integer', minimum: -5, maximum: 5 },
    minItems: 0,
    maxItems: 3,
    uniqueItems: true,
    default: [],
    description: 'Which offsets a snapshot has.',
  });
  assert.ok(!('default' in properties.shares!));
});

test('the schema takes exactly the lists that the service takes', () => {
  const takes = ajv.compile(paramsSchema(LIST_DEFINITION.parameters));
  const item = fc.oneof(
    { weight: 9, arbitrary: fc.integer({ min: -1, max: 102 }) },
    fc.constantFrom(1.5, '50', null, true, [50]),
  );
  const given = fc.record(
    {
      of: fc.constantFrom('bar', 'session', 'day'),
      shares: fc.oneof(fc.array(item, { maxLength: 5 }), fc.constantFrom(50, '50,70', {})),
      offsets: fc.array(fc.integer({ min: -6, max: 6 }), { maxLength: 4 }),
    },
    { requiredKeys: [] },
  );
  let taken = 0;
  const property = fc.property(given, (params) => {
    const isTaken = 'params' in parseParams(LIST_DEFINITION, params);
    if (isTaken) taken += 1;
    assert.equal(takes(params), isTaken, JSON.stringify(params));
  });
  fc.assert(property, { numRuns: 2_000 });
  assert.ok(taken > 100, String(taken));
});

test('the document describes a catalogue with an indicator that has a list', () => {
  const published = publishedDefinitions();
  const { example } = published[0]!;
  const facts = catalogueFacts([...published, { ...LIST_DEFINITION, example }]);
  const document = JSON.parse(openapiText(contractRoutes())) as Schema;
  const judge = new Ajv({ strict: false, validateFormats: false });
  judge.addSchema(document, 'document');
  const fits = judge.getSchema('document#/components/schemas/IndicatorCatalogue')!;
  assert.ok(fits(JSON.parse(JSON.stringify(facts))), JSON.stringify(fits.errors));
  const [types] = [...openapiText(contractRoutes()).matchAll(/"ParameterType": \{[^}]*\}/g)];
  assert.match(types![0], /"integers"/);
});

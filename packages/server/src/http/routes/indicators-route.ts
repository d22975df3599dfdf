/** `GET /v1/indicators`, public: exactly the definitions the studies are built from, and the engine's fingerprint. */

import type { IndicatorDefinition, JsonSchema } from '@tapeloom/core/studies/indicator';
import { catalogueVersion, engineFingerprint } from '../../engine/engine-fingerprint.ts';
import { IndicatorId, IndicatorObject } from '../contract/indicator-schemas.ts';
import { paramsSchema } from '../contract/params-schema.ts';
import { namedObject, Type } from '../contract/schema.ts';
import { defineRoute, EncodedJson, PUBLIC_CACHE_CONTROL, type Route } from '../server/route.ts';

const ParamValue = Type.Union([
  Type.Number(),
  Type.String(),
  Type.Boolean(),
  Type.Array(Type.Integer()),
]);

const Parameter = namedObject('IndicatorParameter', {
  name: Type.String(),
  type: Type.Enum(['integer', 'number', 'string', 'boolean', 'integers'], {
    title: 'ParameterType',
  }),
  default: ParamValue,
  defaultBy: Type.Optional(
    namedObject(
      'DependentDefault',
      { by: Type.String(), values: Type.Record(Type.String(), ParamValue) },
      { description: 'Present if the default depends on another parameter.' },
    ),
  ),
  minimum: Type.Optional(Type.Number()),
  maximum: Type.Optional(Type.Number()),
  multipleOf: Type.Optional(Type.Number()),
  minItems: Type.Optional(
    Type.Integer({ description: 'With the type `integers`: the least number of values.' }),
  ),
  maxItems: Type.Optional(Type.Integer()),
  values: Type.Optional(Type.Array(Type.String())),
  unit: Type.Optional(Type.String()),
  category: Type.Optional(
    Type.Literal('view', { description: 'The parameter changes snapshots, not the computation.' }),
  ),
  description: Type.String(),
});

const Indicator = namedObject('Indicator', {
  id: IndicatorId('The id that a query or a subscription names as `indicator`.'),
  version: Type.Integer({
    minimum: 1,
    description: 'Rises when the results of this indicator change. Its older cursors then expire.',
  }),
  name: Type.String({ description: 'The name, for people.' }),
  description: Type.String({ description: 'The exact definition.' }),
  parameters: Type.Array(Parameter, { description: 'The parameters in `params`.' }),
  paramsSchema: Type.Record(Type.String(), Type.Unknown(), {
    description: 'JSON Schema of `params`.',
  }),
  data: Type.Record(Type.String(), Type.Unknown(), {
    description: "JSON Schema of an object's `data`.",
  }),
  computeUnitsPerTrade: Type.Integer({
    minimum: 0,
    description: 'The cost of one trade of the past.',
  }),
  deprecated: Type.Optional(
    namedObject(
      'Deprecation',
      {
        since: Type.String({ format: 'date', description: 'The day of the announcement.' }),
        until: Type.String({
          format: 'date',
          description: 'The first day on which the indicator may be removed.',
        }),
      },
      { description: 'Present if the indicator is deprecated.' },
    ),
  ),
  presets: Type.Array(
    namedObject('IndicatorPreset', {
      id: Type.String(),
      name: Type.String(),
      params: Type.Record(Type.String(), ParamValue),
    }),
    { description: 'Common choices of parameters.' },
  ),
  example: IndicatorObject,
});

const IndicatorCatalogue = namedObject('IndicatorCatalogue', {
  version: Type.String({ description: 'Version of the catalogue.' }),
  engineFingerprint: Type.String({
    description: 'The fingerprint of the computation. It changes when the computation changes.',
  }),
  indicators: Type.Array(Indicator),
});

export interface CatalogueFacts {
  readonly version: string;
  readonly engineFingerprint: string;
  readonly indicators: readonly PublishedIndicator[];
}

interface PublishedIndicator extends IndicatorDefinition {
  readonly paramsSchema: JsonSchema;
}

export function catalogueFacts(definitions: readonly IndicatorDefinition[]): CatalogueFacts {
  return {
    version: catalogueVersion(definitions),
    engineFingerprint: engineFingerprint(definitions),
    indicators: definitions.map((definition) => ({
      ...definition,
      paramsSchema: paramsSchema(definition.parameters),
    })),
  };
}

export function indicatorsRoute(facts: () => CatalogueFacts): Route {
  // Large and requested without a key, so it is encoded once.
  let encoded: { readonly of: CatalogueFacts; readonly json: EncodedJson } | null = null;
  const answer = () => {
    const of = facts();
    if (encoded?.of !== of) encoded = { of, json: new EncodedJson(JSON.stringify(of)) };
    return encoded.json;
  };
  return defineRoute({
    method: 'GET',
    path: '/v1/indicators',
    operationId: 'listIndicators',
    summary: 'The indicator catalogue.',
    description:
      'Every indicator with its parameters, the schema of its data, its price in compute units per trade, presets and an example.',
    access: 'public',
    cacheControl: PUBLIC_CACHE_CONTROL,
    answer: Type.Unsafe<CatalogueFacts>(IndicatorCatalogue),
    handle: answer,
  });
}

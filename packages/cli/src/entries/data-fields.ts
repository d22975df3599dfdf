/** What the members of an indicator's `data` are, as its schema tells: prices, times, numbers, lists. */

import type { IndicatorDefinition, JsonSchema } from '@tapeloom/core/studies/indicator';

/** How the description of a price begins: "Price of …", "Highest price, …", "vwap + deviation". */
const PRICE = /^(?:the |[a-z]+ |volume-weighted average )?price\b|^vwap\b/i;

export type FieldKind = 'price' | 'time' | 'number' | 'text' | 'nested';

export interface DataField {
  readonly name: string;
  readonly kind: FieldKind;
}

/** In the order of the schema. */
export function dataFields(definition: Pick<IndicatorDefinition, 'data'>): readonly DataField[] {
  const properties = definition.data.properties as Readonly<Record<string, JsonSchema>>;
  return Object.entries(properties).map(([name, schema]) => ({ name, kind: kindOf(schema) }));
}

function kindOf(schema: JsonSchema): FieldKind {
  const types = [schema.type].flat();
  const told = typeof schema.description === 'string' ? schema.description : '';
  if (types.includes('integer') || types.includes('number')) {
    return PRICE.test(told) ? 'price' : 'number';
  }
  if (types.includes('string')) return schema.pattern === '^[0-9]+$' ? 'time' : 'text';
  return types.includes('array') || types.includes('object') ? 'nested' : 'text';
}

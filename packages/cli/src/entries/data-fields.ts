/** The fields of an indicator's `data` and their kinds, read from its schema: prices, times, numbers, lists. */

import type { IndicatorDefinition, JsonSchema } from '@tapeloom/core/studies/indicator';

/** `price`: a price or a price distance in ticks; times the tick size, it is currency. */
export type FieldKind = 'price' | 'time' | 'number' | 'text' | 'nested';

export interface DataField {
  readonly name: string;
  readonly kind: FieldKind;
  /** For a list: whether it contains prices, or rows that begin with a price. */
  readonly has: 'prices' | 'priced-rows' | null;
}

/** In the order of the schema. */
export function dataFields(definition: Pick<IndicatorDefinition, 'data'>): readonly DataField[] {
  const properties = definition.data.properties as Readonly<Record<string, JsonSchema>>;
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    kind: kindOf(schema),
    has: contentOf(schema),
  }));
}

function kindOf(schema: JsonSchema): FieldKind {
  const types = [schema.type].flat();
  if (types.includes('integer') || types.includes('number')) {
    return isInTicks(schema) ? 'price' : 'number';
  }
  if (types.includes('string')) return schema.pattern === '^[0-9]+$' ? 'time' : 'text';
  return types.includes('array') || types.includes('object') ? 'nested' : 'text';
}

function contentOf({ items }: JsonSchema): DataField['has'] {
  const of = (items ?? {}) as JsonSchema;
  if (isInTicks(of)) return 'prices';
  const [first] = (of.prefixItems ?? []) as readonly JsonSchema[];
  return first !== undefined && isInTicks(first) ? 'priced-rows' : null;
}

function isInTicks(schema: JsonSchema): boolean {
  return schema['x-unit'] === 'price' || schema['x-unit'] === 'ticks';
}

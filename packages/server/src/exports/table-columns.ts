/**
 * The columns of an indicator's results as a table, from its published definition: the fields of every update, then one
 * column for each field of its data. A list becomes a list of values or, if its items are arrays of named places, of
 * rows with those names. A removed object has no data, so every data column may be null.
 */

import { INDICATORS, indicatorNamed } from '@tapeloom/core/studies/catalogue';
import type { IndicatorDefinition, JsonSchema } from '@tapeloom/core/studies/indicator';
import type { TableFormat } from '../history/history-fields.ts';

/** The catalogue's pattern for a time in nanoseconds. */
const TIME_PATTERN = '^[0-9]+$';

/** `whole` is a whole number of 64 bits, `time` one that counts nanoseconds since 1970 in UTC. */
export type ValueType = 'text' | 'whole' | 'number' | 'flag' | 'time';

/** A place of an array that is an item of a list. */
export interface ItemPlace {
  readonly name: string;
  readonly type: ValueType;
  /** The value that a missing place means; null: it is never missing. */
  readonly whenMissing: number | null;
}

export type ColumnType =
  | ValueType
  | { readonly listOf: ValueType }
  | { readonly rowsOf: readonly ItemPlace[] };

export interface TableColumn {
  readonly name: string;
  readonly type: ColumnType;
  /** A field of the data, which may be missing. */
  readonly isData: boolean;
}

const OF_EVERY_UPDATE: readonly TableColumn[] = [
  { name: 't', type: 'text', isData: false },
  { name: 'cursor', type: 'text', isData: false },
  { name: 'id', type: 'text', isData: false },
  { name: 'final', type: 'flag', isData: false },
  { name: 'ts', type: 'time', isData: false },
];

/** Null when the data cannot be columns: a field has several types, parts without names, or a name that is taken. */
export function tableColumns({
  data,
}: Pick<IndicatorDefinition, 'data'>): readonly TableColumn[] | null {
  const { properties, additionalProperties } = data;
  if (properties === undefined || additionalProperties !== false) return null;
  const columns = [...OF_EVERY_UPDATE];
  for (const [name, schema] of Object.entries(properties as Record<string, JsonSchema>)) {
    const type = columnType(schema);
    if (type === null || columns.some((column) => column.name === name)) return null;
    columns.push({ name, type, isData: true });
  }
  return columns;
}

function isFlat(columns: readonly TableColumn[]): boolean {
  return columns.every(({ type }) => typeof type === 'string');
}

function columnType(schema: JsonSchema): ColumnType | null {
  if (schema.type !== 'array') return valueType(schema);
  const items = schema.items as JsonSchema | undefined;
  if (items === undefined) return null;
  if (items.type !== 'array') {
    const type = valueType(items);
    return type === null ? null : { listOf: type };
  }
  const places = itemPlaces(items);
  return places === null ? null : { rowsOf: places };
}

function itemPlaces({ prefixItems, items, minItems = 0 }: JsonSchema): readonly ItemPlace[] | null {
  if (!Array.isArray(prefixItems) || items !== false) return null;
  const places: ItemPlace[] = [];
  for (const [at, schema] of (prefixItems as readonly JsonSchema[]).entries()) {
    const { title: name, default: whenMissing = null } = schema;
    const type = valueType(schema);
    const mayBeMissing = at >= Number(minItems);
    if (type === null || typeof name !== 'string') return null;
    if (mayBeMissing && typeof whenMissing !== 'number') return null;
    places.push({ name, type, whenMissing: mayBeMissing ? (whenMissing as number) : null });
  }
  return places;
}

function valueType({ type, pattern }: JsonSchema): ValueType | null {
  const types = [type].flat().filter((one) => one !== 'null');
  if (types.length !== 1) return null;
  switch (types[0]) {
    case 'integer':
      return 'whole';
    case 'number':
      return 'number';
    case 'boolean':
      return 'flag';
    case 'string':
      return pattern === TIME_PATTERN ? 'time' : 'text';
    default:
      return null;
  }
}

/** The indicators that a table of this format can hold, by id: CSV has no lists. */
export const TABLE_INDICATORS: Readonly<Record<TableFormat, readonly string[]>> = {
  parquet: indicatorsWith(() => true),
  arrow: indicatorsWith(() => true),
  csv: indicatorsWith(isFlat),
};

function indicatorsWith(fits: (columns: readonly TableColumn[]) => boolean): readonly string[] {
  return INDICATORS.filter((indicator) => {
    const columns = tableColumns(indicator);
    return columns !== null && fits(columns);
  }).map(({ id }) => id);
}

/** Throws for an unknown indicator, or one without columns. */
export function columnsOf(indicator: string): readonly TableColumn[] {
  const definition = indicatorNamed(indicator);
  const columns = definition === null ? null : tableColumns(definition);
  if (columns === null) throw new RangeError(`${indicator} has no columns`);
  return columns;
}

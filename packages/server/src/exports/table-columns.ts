/**
 * The columns of an indicator's results as a table, from its published definition: what every update has,
 * then one column for each field of its data. Only flat data has columns; a removed object has none of it,
 * so every such column may be null.
 */

import { INDICATORS } from '@tapeloom/core/studies/catalogue';
import type { IndicatorDefinition, JsonSchema } from '@tapeloom/core/studies/indicator';

/** How the catalogue says that a text is a time in nanoseconds. */
const TIME_PATTERN = '^[0-9]+$';

/** `whole` is a whole number of 64 bits, `time` one that counts nanoseconds since 1970 in UTC. */
export type ColumnType = 'text' | 'whole' | 'number' | 'flag' | 'time';

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

/** Null when the data cannot be columns: a field has parts, several types, or a name that is taken. */
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

function columnType({ type, pattern }: JsonSchema): ColumnType | null {
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

/** The indicators that have columns, by id. */
export const FLAT_INDICATORS: readonly string[] = INDICATORS.filter(
  (indicator) => tableColumns(indicator) !== null,
).map(({ id }) => id);

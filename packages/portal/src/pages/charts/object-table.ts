/** Objects of an indicator that this page cannot draw, as a table from its schema. All of it is text. */

import type { KeptObject } from '@tapeloom/charts/series/object-series';
import type { IndicatorDefinition } from '@tapeloom/core/studies/indicator';

const ROWS_MAX = 100;
const COLUMNS_MAX = 12;
const TEXT_MAX = 120;

export interface ObjectTable {
  readonly columns: readonly { readonly name: string; readonly title: string }[];
  /** Newest first. */
  readonly rows: readonly {
    readonly id: string;
    readonly ns: bigint;
    readonly isRemoved: boolean;
    readonly cells: readonly string[];
  }[];
  readonly left: number;
}

export function objectTable(
  definition: Pick<IndicatorDefinition, 'data'>,
  objects: readonly KeptObject[],
): ObjectTable {
  const columns = columnsOf(definition.data);
  const rows = objects
    .slice(-ROWS_MAX)
    .toReversed()
    .map(({ id, ts, removedNs, data }) => ({
      id,
      ns: ts,
      isRemoved: removedNs !== null,
      cells: columns.map(({ name }) => cellText((data as Record<string, unknown>)[name])),
    }));
  return { columns, rows, left: Math.max(0, objects.length - ROWS_MAX) };
}

function columnsOf(schema: IndicatorDefinition['data']): ObjectTable['columns'] {
  const properties = schema.properties;
  if (typeof properties !== 'object' || properties === null) return [];
  return Object.entries(properties)
    .slice(0, COLUMNS_MAX)
    .map(([name, property]) => ({ name, title: titleOf(property) }));
}

function titleOf(property: unknown): string {
  if (typeof property !== 'object' || property === null) return '';
  const { description } = property as { description?: unknown };
  return typeof description === 'string' ? description : '';
}

function cellText(value: unknown): string {
  if (value === undefined || value === null) return '';
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}…` : text;
}

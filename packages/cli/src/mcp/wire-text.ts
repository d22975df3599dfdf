/**
 * Renders results for a model: times as ISO text, prices in currency instead of ticks, and one line of names for all
 * rows. The indicator's own schema tells which fields are prices and times.
 */

import type { CatalogueIndicator, HistoryEntry } from '@tapeloom/client';
import { dataFields } from '../entries/data-fields.ts';

const NANOS = 1e9;

export function isoText(ns: string | bigint): string {
  return Temporal.Instant.fromEpochNanoseconds(BigInt(ns)).toString();
}

export type Cell = unknown;

export interface RowWriter {
  readonly columns: readonly string[];
  row(entry: HistoryEntry<string>): readonly Cell[];
}

/** Rows of `t`, `time`, `id`, `final` and the data; a removed object has nulls for its data. */
export function rowWriter(indicator: CatalogueIndicator, tickSizeNanos: number): RowWriter {
  const price = (ticks: number) => Math.round(ticks * tickSizeNanos) / NANOS;
  const fields = dataFields(indicator).map(({ name, kind, has }) => {
    const write =
      kind === 'price'
        ? onNumbers(price)
        : kind === 'time'
          ? (value: unknown) => (typeof value === 'string' ? isoText(value) : value)
          : has === 'priced-rows'
            ? onEach((row) =>
                Array.isArray(row) ? [onNumbers(price)(row[0]), ...row.slice(1)] : row,
              )
            : has === 'prices'
              ? onEach(onNumbers(price))
              : (value: unknown) => value;
    return { name, write };
  });
  return {
    columns: ['t', 'time', 'id', 'final', ...fields.map(({ name }) => name)],
    row(entry) {
      if (entry.t === 'snapshot') throw new TypeError('a snapshot is no row');
      const { t } = entry;
      const { id, final, ts } = t === 'upsert' ? entry.object : entry;
      const data = t === 'upsert' ? (entry.object.data as Readonly<Record<string, unknown>>) : null;
      const values = fields.map(({ name, write }) =>
        data === null ? null : write(data[name] ?? null),
      );
      return [t, isoText(ts), id, final, ...values];
    },
  };
}

function onNumbers(change: (value: number) => number): (value: unknown) => unknown {
  return (value) => (typeof value === 'number' ? change(value) : value);
}

function onEach(change: (value: unknown) => unknown): (value: unknown) => unknown {
  return (value) => (Array.isArray(value) ? value.map(change) : value);
}

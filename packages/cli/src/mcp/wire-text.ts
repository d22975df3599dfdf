/**
 * Results as a model reads them best: times as ISO text, prices as prices instead of ticks, and one line of
 * names for all rows. Which fields are prices and times is told by the indicator's own schema.
 */

import type { CatalogueIndicator, HistoryEntry } from '@tapeloom/client';
import { dataFields } from '../entries/data-fields.ts';

const NANOS = 1e9;
/** Of a distance between prices, such as a deviation. */
const IN_TICKS = /, in ticks\b/;
/** How the description of a list begins whose rows begin with a price, and of one that has only prices. */
const PRICED_ROWS = /^\[price\b/i;
const PRICES = /^prices\b/i;

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
  const fields = dataFields(indicator).map(({ name, kind }) => {
    const told = toldOf(indicator, name);
    const write =
      kind === 'price' || IN_TICKS.test(told)
        ? onNumbers(price)
        : kind === 'time'
          ? (value: unknown) => (typeof value === 'string' ? isoText(value) : value)
          : kind === 'nested' && PRICED_ROWS.test(told)
            ? onEach((row) =>
                Array.isArray(row) ? [onNumbers(price)(row[0]), ...row.slice(1)] : row,
              )
            : kind === 'nested' && PRICES.test(told)
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

function toldOf({ data }: CatalogueIndicator, name: string): string {
  const properties = data.properties as Readonly<Record<string, { readonly description?: string }>>;
  return properties[name]?.description ?? '';
}

function onNumbers(change: (value: number) => number): (value: unknown) => unknown {
  return (value) => (typeof value === 'number' ? change(value) : value);
}

function onEach(change: (value: unknown) => unknown): (value: unknown) => unknown {
  return (value) => (Array.isArray(value) ? value.map(change) : value);
}

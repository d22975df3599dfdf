/**
 * Renders an indicator's log as JSON lines, CSV or an aligned table. Output is written as entries arrive, so memory
 * does not grow with the log. Only a table buffers its first rows, to measure its columns. In CSV and tables, a
 * snapshot is one row per object.
 */

import { formatPrice } from '@tapeloom/core/price';
import { MS_NS_BIG } from '@tapeloom/core/units';
import type { DataField } from './data-fields.ts';
import type { Entry, RemoveEntry, UpsertEntry } from './entry.ts';
import type { EntryFormat } from './entry-format.ts';

/** Rows that are measured for a table's column widths. */
const TABLE_ROWS_MEASURED = 100;
const CSV_SPECIAL = /[",\r\n]/;
/** Shared: creating a format for every cell takes longer than all else. */
const NUMBER = new Intl.NumberFormat('en', { maximumFractionDigits: 6 });

export interface EntryText {
  /** Returns the text to write now, possibly empty. */
  add(entry: Entry): string;
  /** Returns the text still buffered. */
  end(): string;
}

export function entryText(
  format: EntryFormat,
  fields: readonly DataField[],
  tickSizeNanos: number,
): EntryText {
  switch (format) {
    case 'ndjson':
      return { add: (entry) => `${JSON.stringify(entry)}\n`, end: () => '' };
    case 'csv':
      return new CsvText(fields);
    case 'table':
      return new TableText(fields, tickSizeNanos);
    default:
      throw new RangeError(`unknown format: ${format satisfies never}`);
  }
}

/** RFC 4180 with line feeds. Lists and objects are JSON. A removal has no data. */
class CsvText implements EntryText {
  readonly #fields: readonly DataField[];
  #isStarted = false;

  constructor(fields: readonly DataField[]) {
    this.#fields = fields;
  }

  add(entry: Entry): string {
    return rowsOf(entry).reduce((text, row) => `${text}${this.#line(row)}`, this.#header());
  }

  end(): string {
    return this.#header();
  }

  #line(row: EntryRow): string {
    const { t, cursor, id, final, ts } = row;
    const cells = [t, cursor, id, final, ts, ...valuesOf(row, this.#fields)];
    return `${cells.map(csvCell).join(',')}\n`;
  }

  #header(): string {
    if (this.#isStarted) return '';
    this.#isStarted = true;
    const names = this.#fields.map(({ name }) => name);
    return `${['t', 'cursor', 'id', 'final', 'ts', ...names].map(csvCell).join(',')}\n`;
  }
}

class TableText implements EntryText {
  readonly #fields: readonly DataField[];
  readonly #tickSizeNanos: number;
  readonly #held: (readonly string[])[] = [];
  #widths: readonly number[] | null = null;

  constructor(fields: readonly DataField[], tickSizeNanos: number) {
    this.#fields = fields;
    this.#tickSizeNanos = tickSizeNanos;
  }

  add(entry: Entry): string {
    return rowsOf(entry).reduce((text, row) => `${text}${this.#add(this.#row(row))}`, '');
  }

  end(): string {
    if (this.#widths !== null) return '';
    const titles = ['', 'time (UTC)', ...this.#fields.map(({ name }) => name)];
    const rows = [titles, ...this.#held.splice(0)];
    const widths = titles.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
    this.#widths = widths;
    return rows.map((row) => line(row, widths)).join('');
  }

  #add(row: readonly string[]): string {
    if (this.#widths !== null) return line(row, this.#widths);
    this.#held.push(row);
    return this.#held.length < TABLE_ROWS_MEASURED ? '' : this.end();
  }

  #row(row: EntryRow): readonly string[] {
    const mark = row.t === 'remove' ? '×' : row.final ? ' ' : '▸';
    const values = valuesOf(row, this.#fields);
    return [mark, timeText(row.ts), ...this.#fields.map((it, at) => this.#cell(it, values[at]))];
  }

  #cell({ kind }: DataField, value: unknown): string {
    if (value === undefined || value === null) return '-';
    switch (kind) {
      case 'price':
        return this.#price(value as number);
      case 'number':
        return NUMBER.format(value as number);
      case 'time':
        return timeText(value as string);
      case 'nested':
        return Array.isArray(value) ? `[${value.length}]` : JSON.stringify(value);
      case 'text':
        return String(value);
      default:
        throw new RangeError(`unknown kind of field: ${kind satisfies never}`);
    }
  }

  /** An average lies between ticks, so it is shown as a decimal. */
  #price(ticks: number): string {
    if (Number.isInteger(ticks)) return formatPrice(ticks, this.#tickSizeNanos);
    return ((ticks * this.#tickSizeNanos) / 1e9).toFixed(4);
  }
}

/** An object of a snapshot carries the snapshot's cursor. */
type EntryRow = UpsertEntry | RemoveEntry | (Omit<UpsertEntry, 't'> & { readonly t: 'snapshot' });

function rowsOf(entry: Entry): readonly EntryRow[] {
  if (entry.t !== 'snapshot') return [entry];
  const { t, cursor, items } = entry;
  return items.map((item) => ({ t, cursor, ...item }));
}

function valuesOf(row: EntryRow, fields: readonly DataField[]): readonly unknown[] {
  const data = row.t === 'remove' ? {} : (row.data as Readonly<Record<string, unknown>>);
  return fields.map(({ name }) => data[name]);
}

function csvCell(value: unknown): string {
  if (value === undefined || value === null) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return CSV_SPECIAL.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function line(row: readonly string[], widths: readonly number[]): string {
  const cells = row.map((cell, column) => cell.padStart(widths[column]!));
  return `${cells.join('  ').trimEnd()}\n`;
}

/** Nanoseconds since 1970 → "2026-09-01 13:30:00.000". */
function timeText(ns: string): string {
  return new Date(Number(BigInt(ns) / MS_NS_BIG)).toISOString().replace('T', ' ').replace('Z', '');
}

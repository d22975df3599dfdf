/**
 * A study's log as text: lines of JSON, CSV or an aligned table. Each is written as it comes, so a
 * year of bars needs no more memory than a minute of them; only a table holds its first rows back, to
 * see how wide its columns are.
 */

import { formatPrice } from '@tapeloom/core/price';
import type { DataField } from './data-fields.ts';
import type { LogEntry } from './settled-study.ts';

export const ENTRY_FORMATS = ['ndjson', 'csv', 'table'] as const;
export type EntryFormat = (typeof ENTRY_FORMATS)[number];

/** Rows that decide how wide a table's columns are. */
const TABLE_ROWS_MEASURED = 100;
const NS_PER_MS = 1_000_000n;
const CSV_SPECIAL = /[",\r\n]/;

export interface EntryText {
  /** The text to write now; may be empty. */
  add(entry: LogEntry): string;
  /** What is still held back. */
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

/** RFC 4180 with line feeds; values that are lists or objects are JSON. A remove has no data. */
class CsvText implements EntryText {
  readonly #fields: readonly DataField[];
  #isStarted = false;

  constructor(fields: readonly DataField[]) {
    this.#fields = fields;
  }

  add(entry: LogEntry): string {
    const { t, cursor, id, final, ts } = entry;
    const cells = [t, cursor, id, final, ts, ...valuesOf(entry, this.#fields)];
    return `${this.#header()}${cells.map(csvCell).join(',')}\n`;
  }

  end(): string {
    return this.#header();
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

  add(entry: LogEntry): string {
    const row = this.#row(entry);
    if (this.#widths !== null) return line(row, this.#widths);
    this.#held.push(row);
    return this.#held.length < TABLE_ROWS_MEASURED ? '' : this.end();
  }

  end(): string {
    if (this.#widths !== null) return '';
    const titles = ['', 'time (UTC)', ...this.#fields.map(({ name }) => name)];
    const rows = [titles, ...this.#held.splice(0)];
    const widths = titles.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
    this.#widths = widths;
    return rows.map((row) => line(row, widths)).join('');
  }

  #row(entry: LogEntry): readonly string[] {
    const mark = entry.t === 'remove' ? '×' : entry.final ? ' ' : '▸';
    const values = valuesOf(entry, this.#fields);
    return [mark, timeText(entry.ts), ...this.#fields.map((it, at) => this.#cell(it, values[at]))];
  }

  #cell({ kind }: DataField, value: unknown): string {
    if (value === undefined || value === null) return '-';
    switch (kind) {
      case 'price':
        return this.#price(value as number);
      case 'number':
        return (value as number).toLocaleString('en', { maximumFractionDigits: 6 });
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

  /** An average lies between two ticks, so it is shown as a decimal of its own. */
  #price(ticks: number): string {
    if (Number.isInteger(ticks)) return formatPrice(ticks, this.#tickSizeNanos);
    return ((ticks * this.#tickSizeNanos) / 1e9).toFixed(4);
  }
}

function valuesOf(entry: LogEntry, fields: readonly DataField[]): readonly unknown[] {
  const data = entry.t === 'remove' ? {} : (entry.data as Readonly<Record<string, unknown>>);
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
  return new Date(Number(BigInt(ns) / NS_PER_MS)).toISOString().replace('T', ' ').replace('Z', '');
}

/** A first look at a text: its delimiter, whether it has a header, and its first rows as fields. */

import { DELIMITERS } from '../feed-mapping.ts';
import { splitLine } from './split-line.ts';

const ROWS_MAX = 200;
const NUMERIC = /^[+-]?\d[\d.,:/ TZ+-]*$/;

export interface CsvSample {
  /** The known part of the path, with `/`. */
  readonly path: string;
  readonly fileName: string;
  readonly delimiter: (typeof DELIMITERS)[number];
  /** Null if the first row has values. */
  readonly header: readonly string[] | null;
  /** Complete rows, all with the same number of fields. */
  readonly rows: readonly (readonly string[])[];
}

/** Null if the first bytes are not rows of several columns. */
export function sampleOf(firstBytes: Uint8Array, path: string): CsvSample | null {
  const text = new TextDecoder().decode(firstBytes);
  const lines = text.split('\n');
  // The last line may be incomplete.
  if (lines.length > 1) lines.pop();
  const full = lines.filter((line) => line.trim() !== '').slice(0, ROWS_MAX + 1);
  let best: { delimiter: (typeof DELIMITERS)[number]; rows: (readonly string[])[] } | null = null;
  for (const delimiter of DELIMITERS) {
    const rows = full.map((line) => splitLine(line, delimiter));
    const columns = rows[0]?.length ?? 0;
    if (columns < 2 || rows.some((row) => row.length !== columns)) continue;
    if (best === null || columns > best.rows[0]!.length) best = { delimiter, rows };
  }
  if (best === null) return null;
  const { delimiter, rows } = best;
  const isHeader = !rows[0]!.some((field) => NUMERIC.test(field));
  return {
    path,
    fileName: path.slice(path.lastIndexOf('/') + 1),
    delimiter,
    header: isHeader ? rows[0]! : null,
    rows: isHeader ? rows.slice(1) : rows,
  };
}

/** The non-empty values of a column, numbered from 1. */
export function valuesOf({ rows }: CsvSample, column: number): readonly string[] {
  return rows.map((row) => row[column - 1] ?? '').filter((value) => value !== '');
}

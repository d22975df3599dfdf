/** Aligned columns, each as wide as its widest cell. */

import { type Ink, padStartSeen, seenWidth } from './ink.ts';

export type Row = readonly string[];

/** Right-aligned cells below their title, two spaces apart. */
export function tableLines(titles: Row, rows: readonly Row[], ink: Ink): string[] {
  const widths = titles.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => seenWidth(row[column] ?? ''))),
  );
  const line = (row: Row) =>
    row.map((cell, column) => padStartSeen(cell, widths[column]!)).join('  ');
  return [ink.faint(line(titles)), ...rows.map(line)];
}

/** Lines of aligned columns: as wide as their widest cell, so that nothing jumps more than it must. */

import { type Ink, padStartSeen, seenWidth } from './ink.ts';

export type Row = readonly string[];

/** Every cell right-aligned below its title, two spaces between. */
export function tableLines(titles: Row, rows: readonly Row[], ink: Ink): string[] {
  const widths = titles.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => seenWidth(row[column] ?? ''))),
  );
  const line = (row: Row) =>
    row.map((cell, column) => padStartSeen(cell, widths[column]!)).join('  ');
  return [ink.faint(line(titles)), ...rows.map(line)];
}

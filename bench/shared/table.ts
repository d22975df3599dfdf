/** Text tables: every column as wide as its widest cell, columns of numbers aligned to the right. */

type Cell = string | number;

export function alignedTable(
  columns: readonly string[],
  rows: readonly (readonly Cell[])[],
): string {
  const text = rows.map((row) => row.map(printed));
  const widths = columns.map((title, column) =>
    Math.max(title.length, ...text.map((row) => (row[column] ?? '').length)),
  );
  const isRight = columns.map(
    (_, column) =>
      rows.length > 0 &&
      rows.every((row) => looksNumeric(row[column] ?? '') || row[column] === '-'),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) =>
        isRight[column] ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!),
      )
      .join('  ')
      .trimEnd();
  const rule = widths.map((width) => '─'.repeat(width)).join('  ');
  return [line(columns), rule, ...text.map(line)].join('\n');
}

/** Whole numbers get thousands separators; fractions keep three significant digits. */
function printed(cell: Cell): string {
  if (typeof cell === 'string') return cell;
  if (Number.isInteger(cell)) return cell.toLocaleString('en-US');
  return Math.abs(cell) >= 100 ? Math.round(cell).toLocaleString('en-US') : cell.toPrecision(3);
}

function looksNumeric(cell: Cell): boolean {
  return typeof cell === 'number' || /^[-+~<>≈]?\d/.test(cell);
}

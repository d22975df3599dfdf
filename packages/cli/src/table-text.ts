/** Renders rows in aligned columns: words flush left, numbers flush right. */

export interface Column {
  readonly title: string;
  readonly isNumber?: boolean;
}

export function tableText(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
): string {
  const lines = [columns.map(({ title }) => title), ...rows];
  const widths = columns.map((_, index) => Math.max(...lines.map((line) => line[index]!.length)));
  const cell = (text: string, index: number) =>
    columns[index]!.isNumber === true ? text.padStart(widths[index]!) : text.padEnd(widths[index]!);
  return lines.map((line) => `${line.map(cell).join('  ').trimEnd()}\n`).join('');
}

/** Names and values, one pair a line, with aligned values. */
export function factsText(facts: readonly (readonly [name: string, value: string])[]): string {
  const width = Math.max(...facts.map(([name]) => name.length));
  return facts.map(([name, value]) => `${name.padEnd(width)}  ${value}\n`).join('');
}

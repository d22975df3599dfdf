/** Renders Markdown tables. */

/** `right`: indexes of numeric columns. */
export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  right: readonly number[] = [],
): string {
  const line = head.map((_, index) => (right.includes(index) ? '---:' : '---'));
  return [head, line, ...rows].map(row).join('\n');
}

export function code(text: string): string {
  return `\`${text}\``;
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

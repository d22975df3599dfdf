/** Wraps text at a width that reads well. */

const COLUMNS = 100;

/** Lines after the first may be indented further. */
export function wrappedText(text: string, indent: string, restIndent = indent): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/)) {
    if (line !== '' && restIndent.length + line.length + 1 + word.length > COLUMNS) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line]
    .map((each, index) => `${index === 0 ? indent : restIndent}${each}\n`)
    .join('');
}

/** Splits one line of a text into fields, for headers and samples; `field-index.ts` reads rows in bulk. */

export function splitLine(line: string, delimiter: string): readonly string[] {
  const fields: string[] = [];
  const text = line.replace(/\r$/, '');
  for (let at = 0; at <= text.length; ) {
    while (text[at] === ' ') at += 1;
    const quoted = text[at] === '"' ? /^"((?:[^"]|"")*)" */.exec(text.slice(at)) : null;
    const rest = at + (quoted?.[0].length ?? 0);
    const next = text.indexOf(delimiter, rest);
    const end = next === -1 ? text.length : next;
    fields.push(quoted === null ? text.slice(at, end).trimEnd() : quoted[1]!.replaceAll('""', '"'));
    at = end + 1;
  }
  return fields;
}

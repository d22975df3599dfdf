/**
 * Adds an entry to a map or list in a YAML text. Where the collection is written line by line, only lines are added and
 * every other byte stays. One in braces, or an empty one, is written anew, which keeps comments and may change spaces.
 */

import {
  type Document,
  isCollection,
  isMap,
  isSeq,
  parseDocument,
  stringify,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';

/** Texts stay texts, so that no decimal is rounded. */
const PLAIN = { schema: 'failsafe' } as const;
/** Without line folding and YAML anchors. */
const WRITTEN = { lineWidth: 0, aliasDuplicateObjects: false } as const;

/** `key`: null adds to a list. The collection at `path` must exist. */
export function withEntry(
  text: string,
  path: readonly string[],
  key: string | null,
  value: unknown,
): string {
  const document = parseDocument(text, PLAIN);
  const above = document.getIn(path);
  if (!isMap(above) && !isSeq(above)) throw new Error(`there is nothing at ${path.join('.')}`);
  const lines = stringify(key === null ? [value] : { [key]: value }, WRITTEN);
  const end = above.flow === true ? null : lastContent(above);
  return end === null
    ? rewritten(document, above, key, value)
    : inserted(text, above.range![0], end, lines);
}

function inserted(text: string, start: number, end: number, lines: string): string {
  const column = start - (text.lastIndexOf('\n', start - 1) + 1);
  const block = lines.replaceAll(/^(?=.)/gm, ' '.repeat(column));
  // A block of text ends behind its line.
  const lineEnd = text[end - 1] === '\n' ? end - 1 : text.indexOf('\n', end);
  if (lineEnd === -1) return `${text}\n${block}`;
  return `${text.slice(0, lineEnd + 1)}${block}${text.slice(lineEnd + 1)}`;
}

/** Where the last value ends; null: there is none to append to. */
function lastContent(above: YAMLMap | YAMLSeq): number | null {
  const last = above.items.at(-1);
  if (last === undefined) return null;
  const node = isMap(above) ? (last as YAMLMap['items'][number]).value : last;
  if (!hasRange(node)) return null;
  if (!isCollection(node) || node.flow === true) return node.range[1];
  return lastContent(node as YAMLMap | YAMLSeq);
}

function hasRange(node: unknown): node is { readonly range: readonly [number, number, number] } {
  return typeof node === 'object' && node !== null && 'range' in node && Array.isArray(node.range);
}

function rewritten(
  document: Document.Parsed,
  above: YAMLMap | YAMLSeq,
  key: string | null,
  value: unknown,
): string {
  const node = parseDocument(stringify(value, WRITTEN), PLAIN).contents;
  // An empty map is written as `{}`, and its first entry would stay in braces.
  if (above.items.length === 0) above.flow = false;
  if (isSeq(above)) above.add(node);
  else above.add(document.createPair(key, node));
  return document.toString(WRITTEN);
}

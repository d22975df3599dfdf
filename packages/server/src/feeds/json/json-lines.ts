/**
 * Reads trades as JSON, one object per line, as a text of columns with a header. So everything for texts applies:
 * presets, guesses, mappings by name. Numbers keep their digits. A nested field is named with dots: `data.price`.
 */

import { FeedError } from '../feed-trades.ts';
import type { PackedFile } from '../packed/packing.ts';
import { printedText } from '../printed-text.ts';

const LINE_BYTES_MAX = 64 * 1_024;
const PIECE_CHARACTERS = 256 * 1_024;
const FIELDS_MAX = 1_000;
const DEPTH_MAX = 8;
const LINE_FEED = 0x0a;
const BOM = [0xef, 0xbb, 0xbf];
const SHOWN_CHARACTERS = 120;

/** Whether a text starts as JSON: with an object or a list. */
export function beginsAsJson(first: Uint8Array): boolean {
  return /^\s*(?:\{\s*["}]|\[\s*[[{\]])/.test(textOf(withoutMark(first).subarray(0, 256)));
}

/** All field names in the first lines, in order of appearance. */
export function jsonFields(first: Uint8Array): readonly string[] {
  const lines = textOf(withoutMark(first)).split('\n');
  // The last line may be incomplete.
  if (lines.length > 1) lines.pop();
  const names = new Set<string>();
  for (const [index, line] of lines.entries()) {
    for (const name of fieldsOf(line, index + 1).keys()) names.add(name);
  }
  if (names.size > FIELDS_MAX) throw new FeedError(`An object has more than ${FIELDS_MAX} fields.`);
  return [...names];
}

/** The file as comma-separated text with these columns. */
export function jsonAsText({ name, bytes }: PackedFile, fields: readonly string[]): PackedFile {
  return { name, bytes: () => rowsOf(bytes(), fields) };
}

async function* rowsOf(
  pieces: AsyncIterable<Uint8Array>,
  fields: readonly string[],
): AsyncGenerator<Uint8Array> {
  let text = `${fields.map(quoted).join(',')}\n`;
  let row = 0;
  for await (const line of linesOf(pieces)) {
    row += 1;
    const values = fieldsOf(line, row);
    // An empty line stays empty, so that row numbers stay right.
    if (values.size > 0) text += fields.map((field) => quoted(values.get(field) ?? '')).join(',');
    text += '\n';
    if (text.length < PIECE_CHARACTERS) continue;
    yield Buffer.from(text);
    text = '';
  }
  if (text !== '') yield Buffer.from(text);
}

async function* linesOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let rest = Buffer.alloc(0);
  let isFirst = true;
  for await (const piece of pieces) {
    let bytes = Buffer.concat([rest, piece]);
    if (isFirst && bytes.length >= BOM.length) {
      bytes = bytes.subarray(bytes.length - withoutMark(bytes).length);
      isFirst = false;
    }
    let from = 0;
    for (let end = bytes.indexOf(LINE_FEED); end !== -1; end = bytes.indexOf(LINE_FEED, from)) {
      if (end - from > LINE_BYTES_MAX) throw tooLong();
      yield bytes.toString('utf8', from, end);
      from = end + 1;
    }
    rest = Buffer.from(bytes.subarray(from));
    if (rest.length > LINE_BYTES_MAX) throw tooLong();
  }
  if (rest.length > 0) yield rest.toString('utf8');
}

/** No fields for an empty line. */
function fieldsOf(line: string, row: number): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  if (line.trim() === '') return fields;
  let value: unknown;
  try {
    value = JSON.parse(line, asWritten);
  } catch {
    throw noObject(line, row);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw noObject(line, row);
  }
  addFields(fields, '', value, 0);
  return fields;
}

/** Keeps a number's text: a double would lose digits of long ones. */
function asWritten(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  return typeof value === 'number' ? (context?.source ?? String(value)) : value;
}

function addFields(fields: Map<string, string>, prefix: string, value: object, depth: number) {
  for (const [key, inner] of Object.entries(value)) {
    const name = prefix + key;
    if (inner === null) fields.set(name, '');
    else if (Array.isArray(inner)) continue;
    else if (typeof inner !== 'object') fields.set(name, String(inner));
    else if (depth < DEPTH_MAX) addFields(fields, `${name}.`, inner, depth + 1);
  }
}

function quoted(text: string): string {
  if (!/[",\r\n]|^\s|\s$/.test(text)) return text;
  return `"${text.replaceAll('"', '""').replaceAll(/[\r\n]+/g, ' ')}"`;
}

function withoutMark(bytes: Uint8Array): Uint8Array {
  return BOM.every((byte, at) => bytes[at] === byte) ? bytes.subarray(BOM.length) : bytes;
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
}

function noObject(line: string, row: number): FeedError {
  const shown = printedText(line.slice(0, SHOWN_CHARACTERS));
  // freqtrade writes trades this way: their fields have no names.
  const isOfLists = /^\s*\[\s*\[/.test(line);
  const help = isOfLists
    ? `"jq -r '.[] | @csv'" writes lists as a CSV without a header.`
    : `"jq -c '.[]'" writes a list so.`;
  return new FeedError(
    `Row ${row} is no JSON object: ${shown}. JSON is read with one object a line: ${help}`,
    row,
  );
}

function tooLong(): FeedError {
  return new FeedError(
    `A line has more than ${LINE_BYTES_MAX} bytes: JSON is read with one object a line. "jq -c '.[]'" writes a list so.`,
  );
}

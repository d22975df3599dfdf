/** A YAML or JSON file as texts, lists and maps with their places. Numbers stay text, so no decimal is rounded. */

import { MIB } from '@tapeloom/core/units';
import { isMap, isScalar, isSeq, LineCounter, type ParsedNode, parseDocument } from 'yaml';
import { refusalOf } from './plain-yaml.ts';

export const ENTRY_BYTES_MAX = MIB;
const DEPTH_MAX = 12;

/** From 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

export type Entry =
  | { readonly kind: 'text'; readonly place: Place; readonly text: string }
  | { readonly kind: 'list'; readonly place: Place; readonly items: readonly Entry[] }
  | { readonly kind: 'map'; readonly place: Place; readonly fields: ReadonlyMap<string, Entry> };

/** The text cannot be parsed, or has constructs that entries do not have. */
export class EntryError extends Error {
  override readonly name = 'EntryError';
  readonly place: Place;

  constructor(message: string, place: Place) {
    super(message);
    this.place = place;
  }
}

const BEGINNING: Place = { line: 1, column: 1 };

/** Throws an `EntryError` with reason and place. */
export function parseEntries(text: string): Entry {
  if (Buffer.byteLength(text) > ENTRY_BYTES_MAX) {
    throw new EntryError(`it has more than ${ENTRY_BYTES_MAX} bytes`, BEGINNING);
  }
  const refusal = refusalOf(text);
  if (refusal !== null) throw new EntryError(refusal.message, placeIn(text, refusal.offset));
  const lines = new LineCounter();
  const placeAt = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const document = parseDocument(text, {
    lineCounter: lines,
    // The schema has texts, lists and maps only.
    schema: 'failsafe',
    prettyErrors: false,
    // The parser's check compares every pair of names; a lookup below is faster.
    uniqueKeys: false,
  });
  const [fault] = [...document.errors, ...document.warnings];
  if (fault !== undefined)
    throw new EntryError(fault.message.split('\n')[0]!, placeAt(fault.pos[0]));
  if (document.contents === null) throw new EntryError('it is empty', BEGINNING);
  return entryOfNode(document.contents, placeAt, DEPTH_MAX);
}

/** Entries from a value instead of a file: a template, or instruments from definitions. */
export function entryOf(value: unknown, place: Place = BEGINNING): Entry {
  if (Array.isArray(value)) {
    return { kind: 'list', place, items: value.map((item) => entryOf(item, place)) };
  }
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value).map(([key, it]) => [key, entryOf(it, place)] as const);
    return { kind: 'map', place, fields: new Map(fields) };
  }
  return { kind: 'text', place, text: String(value) };
}

function placeIn(text: string, offset: number): Place {
  const lines = text.slice(0, offset).split('\n');
  return { line: lines.length, column: lines.at(-1)!.length + 1 };
}

function entryOfNode(
  node: ParsedNode | null,
  placeAt: (offset: number) => Place,
  depthLeft: number,
): Entry {
  const place = placeAt(node?.range[0] ?? 0);
  if (depthLeft === 0) throw new EntryError('it is nested too deeply', place);
  if (node === null) return { kind: 'text', place, text: '' };
  if (isScalar(node)) return { kind: 'text', place, text: String(node.value ?? '') };
  const below = (it: ParsedNode | null) => entryOfNode(it, placeAt, depthLeft - 1);
  if (isSeq(node)) return { kind: 'list', place, items: node.items.map((item) => below(item)) };
  if (!isMap(node)) throw new EntryError('this is neither text, list nor map', place);
  const fields = new Map<string, Entry>();
  for (const { key, value } of node.items) {
    const name = below(key);
    if (name.kind !== 'text') throw new EntryError('a name must be a text', name.place);
    if (fields.has(name.text)) throw new EntryError('this name is there twice', name.place);
    const entry = below(value);
    // The place of a faulty field is the begin of its line.
    fields.set(name.text, { ...entry, place: name.place });
  }
  return { kind: 'map', place, fields };
}

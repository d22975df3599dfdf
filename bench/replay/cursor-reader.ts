/**
 * Takes the cursor out of every `upsert` on one connection, without parsing the rest. The
 * subscription's name has one letter, so the cursor is always at the same offset.
 */

const OPENING = '{"t":"upsert","sub":"a","cursor":"';
const CURSOR_BYTES_MAX = 32;
const QUOTE = 0x22;

export class CursorReader {
  /** The name to subscribe with. */
  static readonly SUB = 'a';
  hasSnapshot = false;
  readonly #onCursor: (cursor: string) => void;
  #rest: Buffer | null = null;

  constructor(onCursor: (cursor: string) => void) {
    this.#onCursor = onCursor;
  }

  readonly take = (chunk: Buffer): void => {
    const bytes = this.#rest === null ? chunk : Buffer.concat([this.#rest, chunk]);
    let at = 0;
    while (at + 2 <= bytes.length) {
      const short = bytes[at + 1]!;
      const header = short < 126 ? 2 : short === 126 ? 4 : 10;
      if (at + header > bytes.length) break;
      const start = at + header;
      const end = start + payloadBytes(bytes, at, header);
      if (end > bytes.length) break;
      this.#text(bytes, start, end);
      at = end;
    }
    this.#rest = at === bytes.length ? null : Buffer.from(bytes.subarray(at));
  };

  #text(bytes: Buffer, start: number, end: number): void {
    if (bytes[start + 6] === 0x75 && end - start > OPENING.length) {
      const from = start + OPENING.length;
      const to = bytes.indexOf(QUOTE, from);
      if (to - from > CURSOR_BYTES_MAX) throw new Error('no cursor at its place');
      this.#onCursor(bytes.toString('latin1', from, to));
    } else if (bytes[start + 6] === 0x73 && bytes[start + 7] === 0x6e) this.hasSnapshot = true;
  }
}

function payloadBytes(bytes: Buffer, at: number, header: number): number {
  if (header === 2) return bytes[at + 1]!;
  return header === 4 ? bytes.readUInt16BE(at + 2) : Number(bytes.readBigUInt64BE(at + 2));
}

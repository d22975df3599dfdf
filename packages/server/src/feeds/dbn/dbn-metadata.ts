/**
 * The head of a DBN file: 8 bytes with the version and the length, and the metadata. Every count is checked against the
 * available bytes before memory is allocated, so memory follows the file's true size.
 */

import { MIB } from '@tapeloom/core/units';
import { FeedError } from '../feed-trades.ts';
import { HEADER_BYTES, recordName, schemaName } from './dbn-kinds.ts';
import { DbnMappings } from './dbn-mappings.ts';
import { textAt } from './dbn-text.ts';

export const PRELUDE_BYTES = 8;
/** A parent with all its children takes megabytes, all symbols of a venue a hundred of them. */
const METADATA_BYTES_MAX = 256 * MIB;
const METADATA_BYTES_MIN = 100;
const FIXED_END = 112;
const LENGTHS_AT = 108;
/** Version 1 does not state it. */
const SYMBOL_BYTES_V1 = 22;
const SYMBOL_BYTES_MAX = 1_024;
const NO_TIME = 0xffff_ffff_ffff_ffffn;
const ZSTD_MAGIC = 0xfd2f_b528;
const SKIPPABLE_MAGIC = 0x184d_2a50;

export type DbnVersion = 1 | 2 | 3;

export interface DbnMetadata {
  readonly version: DbnVersion;
  /** `GLBX.MDP3` */
  readonly dataset: string;
  /** The schema's number, and its name for messages. */
  readonly schema: number;
  readonly schemaName: string;
  /** The requested range by time of capture, in nanoseconds since 1970. */
  readonly start: bigint;
  readonly end: bigint | null;
  /** The limit of requested records: the file may end before its range. */
  readonly limit: bigint | null;
  readonly nameKindIn: number;
  readonly nameKindOut: number;
  /** Every record has its time of sending in 8 additional bytes. */
  readonly hasSent: boolean;
  readonly symbolBytes: number;
  readonly symbols: readonly string[];
  readonly partial: readonly string[];
  readonly notFound: readonly string[];
  readonly mappings: DbnMappings;
}

/** Checks the first 8 bytes; returns the number of metadata bytes that follow. */
export function readPrelude(bytes: Uint8Array, bytesMax = METADATA_BYTES_MAX): number {
  refuseOthers(bytes);
  const version = bytes[3]!;
  if (version < 1 || version > 3) {
    throw new FeedError(
      `At byte 3 the file says that it is DBN version ${version}; versions 1, 2 and 3 are read.`,
    );
  }
  const length = viewOf(bytes).getUint32(4, true);
  if (length < METADATA_BYTES_MIN || length > bytesMax) {
    throw new FeedError(
      `At byte 4 the file says that its metadata have ${length} bytes; ` +
        `${METADATA_BYTES_MIN} to ${bytesMax} can be true.`,
    );
  }
  return length;
}

export function beginsAsDbn(bytes: Uint8Array): boolean {
  return bytes[0] === 0x44 && bytes[1] === 0x42 && bytes[2] === 0x4e;
}

/** Throws an error that names the kind of a file that is not DBN; `bytes` are its first, up to 8. */
export function refuseOthers(bytes: Uint8Array): void {
  if (beginsAsDbn(bytes)) return;
  if (bytes.length === 0) throw new FeedError('The file is empty: it has 0 bytes.');
  const magic = bytes.length < 4 ? 0 : viewOf(bytes).getUint32(0, true);
  if (magic === ZSTD_MAGIC) {
    throw new FeedError('At byte 0 begins data compressed with zstd: decompress it first.');
  }
  if ((magic & 0xffff_fff0) === SKIPPABLE_MAGIC) {
    throw new FeedError(
      'At byte 0 begins a file of the old format DBZ (.dbz), which is not read: convert it to DBN.',
    );
  }
  const name = bytes[0]! * 4 >= HEADER_BYTES ? recordName(bytes[1] ?? -1) : null;
  if (name !== null) {
    throw new FeedError(
      `At byte 0 begins a ${name} record instead of the letters DBN: this is a fragment (.frag), ` +
        'which does not say its version, dataset and symbols. Only whole DBN files are read.',
    );
  }
  const start = [...bytes.subarray(0, 4)].map((byte) => byte.toString(16).padStart(2, '0'));
  throw new FeedError(
    `This is no DBN file: it must begin with the letters DBN, and at byte 0 stands ${start.join(' ')}.`,
  );
}

export function readMetadata(head: Uint8Array): DbnMetadata {
  if (head.length < FIXED_END) {
    throw new FeedError(
      `The metadata end at byte ${head.length}, before their fixed part does, at ${FIXED_END}.`,
    );
  }
  const view = viewOf(head);
  const version = head[3] as DbnVersion;
  const shift = version === 1 ? 8 : 0;
  const symbolBytes = version === 1 ? SYMBOL_BYTES_V1 : view.getUint16(53, true);
  // No version has shorter ones; with very short ones a small file could hold too many names.
  if (symbolBytes < SYMBOL_BYTES_V1 || symbolBytes > SYMBOL_BYTES_MAX) {
    throw new FeedError(
      `At byte 53 the file says that symbols have ${symbolBytes} bytes; ` +
        `${SYMBOL_BYTES_V1} to ${SYMBOL_BYTES_MAX} can be true.`,
    );
  }
  if (view.getUint32(LENGTHS_AT, true) !== 0) {
    throw new FeedError(
      `At byte ${LENGTHS_AT} stands a definition of the schema, which no DBN version has.`,
    );
  }
  const lists = new MetadataLists(head, view, symbolBytes);
  const nameKindIn = head[50 + shift]!;
  const nameKindOut = head[51 + shift]!;
  const schema = view.getUint16(24, true);
  const end = view.getBigUint64(34, true);
  const limit = view.getBigUint64(42, true);
  return {
    version,
    dataset: textAt(head, 8, 16),
    schema,
    schemaName: schemaName(schema),
    start: view.getBigUint64(26, true),
    end: end === NO_TIME ? null : end,
    limit: limit === 0n ? null : limit,
    nameKindIn,
    nameKindOut,
    hasSent: head[52 + shift] !== 0,
    symbolBytes,
    symbols: lists.names('symbols'),
    partial: lists.names('symbols found in part'),
    notFound: lists.names('symbols not found'),
    mappings: lists.mappings(nameKindIn, nameKindOut),
  };
}

/** Reads the lists after the fixed part. Bytes after the last list are padding. */
class MetadataLists {
  readonly #head: Uint8Array;
  readonly #view: DataView;
  readonly #symbolBytes: number;
  #at = FIXED_END;

  constructor(head: Uint8Array, view: DataView, symbolBytes: number) {
    this.#head = head;
    this.#view = view;
    this.#symbolBytes = symbolBytes;
  }

  names(what: string): string[] {
    const count = this.#count(what, this.#symbolBytes);
    return Array.from({ length: count }, () =>
      textAt(this.#head, this.#skipSymbol(), this.#symbolBytes),
    );
  }

  mappings(nameKindIn: number, nameKindOut: number): DbnMappings {
    const mappings = new DbnMappings(this.#head, this.#symbolBytes, nameKindIn, nameKindOut);
    const count = this.#count('mappings', this.#symbolBytes + 4);
    for (let mapping = 0; mapping < count; mapping += 1) {
      this.#need('a mapping', this.#symbolBytes);
      const nameAt = this.#skipSymbol();
      const intervals = this.#count('intervals of a mapping', 8 + this.#symbolBytes);
      for (let interval = 0; interval < intervals; interval += 1) {
        const fromDay = this.#view.getUint32(this.#at, true);
        const toDay = this.#view.getUint32(this.#at + 4, true);
        this.#at += 8;
        mappings.add({ nameAt, fromDay, toDay, outputAt: this.#skipSymbol() });
      }
    }
    return mappings;
  }

  /** Reads a count; rejects one that the bytes after it cannot hold. */
  #count(what: string, itemBytes: number): number {
    this.#need(`the number of ${what}`, 4);
    const at = this.#at;
    const count = this.#view.getUint32(at, true);
    this.#at += 4;
    if (count * itemBytes > this.#head.length - this.#at) {
      throw new FeedError(
        `At byte ${at} the file says that there are ${count} ${what}; ` +
          `its metadata end at byte ${this.#head.length} and cannot hold them.`,
      );
    }
    return count;
  }

  #need(what: string, bytes: number): void {
    if (this.#at + bytes <= this.#head.length) return;
    throw new FeedError(
      `The metadata end at byte ${this.#head.length}, where ${what} should stand at byte ${this.#at}.`,
    );
  }

  #skipSymbol(): number {
    const at = this.#at;
    this.#at += this.#symbolBytes;
    return at;
  }
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

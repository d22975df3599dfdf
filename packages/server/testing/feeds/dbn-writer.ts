/**
 * Writes DBN files, versions 1, 2 and 3, for tests, benchmarks and guides: the same bytes as Databento's tools, as the
 * real samples show. Input is not validated: a test may write invalid files.
 */

import type { DbnDefinition } from '../../src/feeds/dbn/dbn-definitions.ts';
import type { DbnMapping } from '../../src/feeds/dbn/dbn-mappings.ts';
import type { DbnVersion } from '../../src/feeds/dbn/dbn-metadata.ts';
import {
  DEFINITION_BYTES,
  DEFINITION_FIELDS,
  type DefinitionField,
} from '../../src/feeds/dbn/definition-layout.ts';

export const DBN_SCHEMAS = {
  mbo: 0,
  'mbp-1': 1,
  'mbp-10': 2,
  tbbo: 3,
  trades: 4,
  definition: 9,
  mixed: 0xffff,
} as const;

export interface DbnHead {
  readonly version: DbnVersion;
  readonly schema: number;
  readonly dataset?: string;
  readonly start?: bigint;
  readonly end?: bigint | null;
  readonly limit?: bigint | null;
  /** 1: raw symbols. */
  readonly nameKindIn?: number;
  readonly nameKindOut?: number;
  /** Records include the time they were sent. */
  readonly hasSent?: boolean;
  readonly symbols?: readonly string[];
  readonly partial?: readonly string[];
  readonly notFound?: readonly string[];
  readonly mappings?: Iterable<DbnMapping>;
}

export interface DbnRecord {
  readonly publisherId?: number;
  readonly instrumentId: number;
  /** `ts_event`, nanoseconds since 1970. */
  readonly event: bigint;
  readonly sent?: bigint;
}

export interface DbnTrade extends DbnRecord {
  /** In units of 1e-9. */
  readonly price: bigint;
  readonly size: number;
  readonly side: string;
  readonly action?: string;
  readonly flags?: number;
  readonly depth?: number;
  /** `ts_recv`; default: the event's time. */
  readonly received?: bigint;
  readonly inDelta?: number;
  readonly sequence?: number;
}

export interface DbnLevel {
  readonly bidPrice: bigint;
  readonly askPrice: bigint;
  readonly bidSize: number;
  readonly askSize: number;
  readonly bidCount: number;
  readonly askCount: number;
}

export interface DbnOrder extends DbnTrade {
  readonly orderId?: bigint;
  readonly channelId?: number;
}

const ALL_ONES = 0xffff_ffff_ffff_ffffn;
const NO_NANOS = 0x7fff_ffff_ffff_ffffn;
const NO_LEVEL: DbnLevel = {
  bidPrice: NO_NANOS,
  askPrice: NO_NANOS,
  bidSize: 0,
  askSize: 0,
  bidCount: 0,
  askCount: 0,
};
const RECORD_BYTES_MAX = 1_024;

export class DbnWriter {
  readonly #version: DbnVersion;
  readonly #hasSent: boolean;
  #bytes = new Uint8Array(RECORD_BYTES_MAX);
  #view = new DataView(this.#bytes.buffer);
  #length = 0;

  constructor(head: DbnHead) {
    this.#version = head.version;
    this.#hasSent = head.hasSent ?? false;
    this.raw(encodeHead(head));
  }

  get bytes(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  trade(trade: DbnTrade): this {
    return this.#record(0x00, 48, trade, (view, at) => writeTrade(view, at, trade));
  }

  /** `tbbo` and `mbp-1` with one level, `mbp-10` with ten. */
  book(update: DbnTrade, levels: readonly DbnLevel[], depth: 1 | 10 = 1): this {
    return this.#record(depth === 1 ? 0x01 : 0x0a, 48 + 32 * depth, update, (view, at) => {
      writeTrade(view, at, update);
      for (let level = 0; level < depth; level += 1) {
        writeLevel(view, at + 48 + 32 * level, levels[level] ?? NO_LEVEL);
      }
    });
  }

  order(order: DbnOrder): this {
    return this.#record(0xa0, 56, order, (view, at) => {
      view.setBigUint64(at + 16, order.orderId ?? 0n, true);
      view.setBigInt64(at + 24, order.price, true);
      view.setUint32(at + 32, order.size, true);
      view.setUint8(at + 36, order.flags ?? 0);
      view.setUint8(at + 37, order.channelId ?? 0);
      view.setUint8(at + 38, (order.action ?? 'T').charCodeAt(0));
      view.setUint8(at + 39, order.side.charCodeAt(0));
      view.setBigUint64(at + 40, order.received ?? order.event, true);
      view.setInt32(at + 48, order.inDelta ?? 0, true);
      view.setUint32(at + 52, order.sequence ?? 0, true);
    });
  }

  /** Missing fields are undefined in the format's sense. */
  definition(definition: Partial<DbnDefinition> & { readonly instrumentId: number }): this {
    const version = this.#version - 1;
    const record = { ...definition, event: definition.event ?? ALL_ONES };
    return this.#record(0x13, DEFINITION_BYTES[version]!, record, (view, at) => {
      // Reserved; real files have this value.
      if (this.#version === 1) view.setInt32(at + 156, 0x7fff_ffff, true);
      for (const [name, field] of Object.entries(DEFINITION_FIELDS)) {
        writeField(view, at, field, version, definition[name as keyof DbnDefinition] ?? null);
      }
    });
  }

  /** A live gateway's mapping of an id. */
  mapping(record: DbnRecord, input: string, output: string): this {
    const isFirst = this.#version === 1;
    return this.#record(0x16, isFirst ? 80 : 176, record, (view, at) => {
      if (!isFirst) view.setUint8(at + 88, 1);
      writeText(view, at + (isFirst ? 16 : 17), input);
      writeText(view, at + (isFirst ? 38 : 89), output);
      view.setBigUint64(at + (isFirst ? 64 : 160), ALL_ONES, true);
      view.setBigUint64(at + (isFirst ? 72 : 168), ALL_ONES, true);
    });
  }

  /** A message of a gateway; version 1 has no codes. */
  system(code: number, text: string, event: bigint): this {
    return this.#message(0x17, text, event, [[319, code]]);
  }

  error(code: number, text: string, event: bigint): this {
    return this.#message(0x15, text, event, [
      [318, code],
      [319, 1],
    ]);
  }

  /** A record of another type, filled with zeros. */
  other(rtype: number, bytes: number, record: DbnRecord): this {
    return this.#record(rtype, bytes, record, () => {});
  }

  raw(bytes: Uint8Array): this {
    this.#makeRoom(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
    return this;
  }

  #message(
    rtype: number,
    text: string,
    event: bigint,
    codes: readonly (readonly [at: number, value: number])[],
  ): this {
    const isFirst = this.#version === 1;
    const record = { publisherId: 0, instrumentId: 0, event };
    return this.#record(rtype, isFirst ? 80 : 320, record, (view, at) => {
      writeText(view, at + 16, text);
      if (!isFirst) for (const [place, value] of codes) view.setUint8(at + place, value);
    });
  }

  #record(
    rtype: number,
    bodyBytes: number,
    { publisherId, instrumentId, event, sent }: DbnRecord,
    write: (view: DataView, at: number) => void,
  ): this {
    const bytes = bodyBytes + (this.#hasSent ? 8 : 0);
    this.#makeRoom(bytes);
    const view = this.#view;
    const at = this.#length;
    view.setUint8(at, bytes / 4);
    view.setUint8(at + 1, rtype);
    view.setUint16(at + 2, publisherId ?? 1, true);
    view.setUint32(at + 4, instrumentId, true);
    view.setBigUint64(at + 8, event, true);
    write(view, at);
    if (this.#hasSent) view.setBigUint64(at + bodyBytes, sent ?? event, true);
    this.#length += bytes;
    return this;
  }

  #makeRoom(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return;
    const room = new Uint8Array(Math.max(this.#length + bytes, this.#bytes.length * 2));
    room.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = room;
    this.#view = new DataView(room.buffer);
  }
}

/** A file's head, up to its first record. */
export function encodeHead(head: DbnHead): Uint8Array {
  const { version, symbols = [], partial = [], notFound = [] } = head;
  const mappings = [...(head.mappings ?? [])];
  const symbolBytes = version === 1 ? 22 : 71;
  const names = [symbols, partial, notFound];
  const listBytes =
    names.reduce((sum, list) => sum + 4 + list.length * symbolBytes, 4) +
    mappings.reduce((sum, { intervals }) => {
      return sum + symbolBytes + 4 + intervals.length * (8 + symbolBytes);
    }, 0);
  const end = 112 + listBytes;
  const bytes = new Uint8Array(version === 3 ? Math.ceil(end / 8) * 8 : end);
  const view = new DataView(bytes.buffer);
  writeText(view, 0, 'DBN');
  view.setUint8(3, version);
  view.setUint32(4, bytes.length - 8, true);
  writeText(view, 8, head.dataset ?? 'GLBX.MDP3');
  view.setUint16(24, head.schema, true);
  view.setBigUint64(26, head.start ?? 0n, true);
  view.setBigUint64(34, head.end ?? ALL_ONES, true);
  view.setBigUint64(42, head.limit ?? 0n, true);
  const shift = version === 1 ? 8 : 0;
  if (version === 1) view.setBigUint64(50, ALL_ONES, true);
  view.setUint8(50 + shift, head.nameKindIn ?? 1);
  view.setUint8(51 + shift, head.nameKindOut ?? 0);
  view.setUint8(52 + shift, head.hasSent ? 1 : 0);
  if (version !== 1) view.setUint16(53, symbolBytes, true);
  let at = 112;
  const number = (value: number) => {
    view.setUint32(at, value, true);
    at += 4;
  };
  const symbol = (text: string) => {
    writeText(view, at, text);
    at += symbolBytes;
  };
  for (const list of names) {
    number(list.length);
    for (const name of list) symbol(name);
  }
  number(mappings.length);
  for (const { name, intervals } of mappings) {
    symbol(name);
    number(intervals.length);
    for (const { fromDay, toDay, output } of intervals) {
      number(fromDay);
      number(toDay);
      symbol(output);
    }
  }
  return bytes;
}

function writeTrade(view: DataView, at: number, trade: DbnTrade): void {
  view.setBigInt64(at + 16, trade.price, true);
  view.setUint32(at + 24, trade.size, true);
  view.setUint8(at + 28, (trade.action ?? 'T').charCodeAt(0));
  view.setUint8(at + 29, trade.side.charCodeAt(0));
  view.setUint8(at + 30, trade.flags ?? 0);
  view.setUint8(at + 31, trade.depth ?? 0);
  view.setBigUint64(at + 32, trade.received ?? trade.event, true);
  view.setInt32(at + 40, trade.inDelta ?? 0, true);
  view.setUint32(at + 44, trade.sequence ?? 0, true);
}

function writeLevel(view: DataView, at: number, level: DbnLevel): void {
  view.setBigInt64(at, level.bidPrice, true);
  view.setBigInt64(at + 8, level.askPrice, true);
  view.setUint32(at + 16, level.bidSize, true);
  view.setUint32(at + 20, level.askSize, true);
  view.setUint32(at + 24, level.bidCount, true);
  view.setUint32(at + 28, level.askCount, true);
}

function writeField(
  view: DataView,
  at: number,
  field: DefinitionField,
  version: number,
  value: unknown,
): void {
  const offset = field.at[version];
  if (offset === null || offset === undefined) return;
  const place = at + offset;
  const number = (none: number) => (value as number | null) ?? none;
  const big = (none: bigint) => (value as bigint | null) ?? none;
  const write: Readonly<Record<DefinitionField['kind'], () => void>> = {
    time: () => view.setBigUint64(place, big(ALL_ONES), true),
    nanos: () => view.setBigInt64(place, big(NO_NANOS), true),
    id: () => {
      const isLong = 'bytes' in field && field.bytes[version] === 8;
      if (isLong) view.setBigUint64(place, big(0n), true);
      else view.setUint32(place, Number(big(0n)), true);
    },
    text: () => writeText(view, place, (value as string | null) ?? ''),
    char: () => writeText(view, place, (value as string | null) ?? ''),
    i8: () => view.setInt8(place, number(0x7f)),
    u8: () => view.setUint8(place, number(0xff)),
    i16: () => view.setInt16(place, number(0x7fff), true),
    u16: () => view.setUint16(place, number(0xffff), true),
    i32: () => view.setInt32(place, number(0x7fff_ffff), true),
    u32: () => view.setUint32(place, number(0xffff_ffff), true),
  };
  write[field.kind]();
}

function writeText(view: DataView, at: number, text: string): void {
  for (let index = 0; index < text.length; index += 1) {
    view.setUint8(at + index, text.charCodeAt(index));
  }
}

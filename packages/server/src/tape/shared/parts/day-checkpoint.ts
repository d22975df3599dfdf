/**
 * An open day at one of its records, as in a node's memory: the rows of every contract and the sequencer's state. A
 * node that receives it need not read the earlier records. It is passed on in parts, as bytes: each has the rows since
 * the previous part, and the complete state at its end.
 */

//   header bytes u32 · 0 u32 · header (JSON, padded to 8) · per contract with new rows: ts u32…
//   (each the time since the row before; f64… where one is too long) · price i32… · size i32… · side i8… ·
//   each padded to 8

import type { UtcDay } from '@tapeloom/core/numbers';
import {
  type ColumnRows,
  type LiveColumns,
  SEGMENT_ROWS,
  type Segment,
} from '../../live-columns.ts';
import { TapeDamagedError } from '../../tape-errors.ts';
import type { LogEnd } from '../../write/log/day-log.ts';
import { NO_NOTES } from '../../write/notes/logged-note.ts';
import type { LaneState, SequencerState } from '../../write/sequencer/sequencer-state.ts';

/** Without notes; earlier programs read it too. */
const PLAIN_VERSION = 1;
const NOTES_VERSION = 2;
const PREFIX_BYTES = 8;
const GAP_TIMES: ReadonlySet<string> = new Set<'from' | 'to' | 'asked'>(['from', 'to', 'asked']);
/** The longest time between two rows that 32 bits can hold. */
const SHORT_NS_MAX = 0xffff_ffff;

export interface DayCheckpoint {
  readonly dataset: string;
  readonly day: UtcDay;
  readonly end: LogEnd;
  /** The number of its last record in the stream. */
  readonly sequence: number;
  /** The day's last commit is included. */
  readonly isEnded: boolean;
  readonly sequencer: SequencerState;
  /** By contract number in the log. Rows beyond `count`, added since, do not belong to it. */
  readonly contracts: readonly CheckpointContract[];
}

export interface CheckpointContract {
  readonly columns: LiveColumns;
  readonly count: number;
  readonly highestId: number;
}

/** The state at the end of a part. Its notes are all that the day has there. */
export interface ColumnPartHeader extends Omit<DayCheckpoint, 'contracts'> {
  readonly version: number;
  /** The end of the previous part. */
  readonly from: LogEnd;
  readonly contracts: readonly ColumnPartContract[];
}

interface ColumnPartContract {
  readonly symbol: string;
  readonly highestId: number;
  /** Rows in earlier parts, and in this one. */
  readonly before: number;
  readonly count: number;
  readonly firstNs: number;
  readonly isWide: boolean;
  readonly lateRanks: readonly number[];
  readonly lateByNs: readonly number[];
}

export interface ColumnPart {
  readonly header: ColumnPartHeader;
  /** In the order of the header's contracts. */
  readonly rows: readonly ColumnRows[];
}

export const NOTHING: LogEnd = { bytes: 0, records: 0, checksum: 0 };

/** Encodes everything since the previous part: `from` is its end, `before` the contracts' rows up to there. */
export function encodeColumnPart(
  { contracts, ...checkpoint }: DayCheckpoint,
  from: LogEnd,
  before: readonly number[],
): Uint8Array {
  const packed = contracts.map((contract, index) => pack(contract, before[index] ?? 0));
  const { notes, ...plain } = checkpoint.sequencer;
  const header = {
    version: notes.length === 0 ? PLAIN_VERSION : NOTES_VERSION,
    ...checkpoint,
    sequencer: notes.length === 0 ? plain : checkpoint.sequencer,
    from,
    contracts: packed.map(({ contract }) => contract),
  };
  const text = new TextEncoder().encode(JSON.stringify(header, printValue));
  const columns = packed.flatMap((one) => one.columns);
  const columnsBytes = columns.reduce((bytes, one) => bytes + align8(one.byteLength), 0);
  const bytes = new Uint8Array(PREFIX_BYTES + align8(text.length) + columnsBytes);
  new DataView(bytes.buffer).setUint32(0, text.length, true);
  bytes.set(text, PREFIX_BYTES);
  let at = PREFIX_BYTES + align8(text.length);
  for (const { buffer, byteLength } of columns) {
    bytes.set(new Uint8Array(buffer, 0, byteLength), at);
    at += align8(byteLength);
  }
  return bytes;
}

/** Throws `TapeDamagedError`, which names the file. */
export function decodeColumnPart(packed: Uint8Array, file: string): ColumnPart {
  const bytes = packed.byteOffset % 8 === 0 ? packed : packed.slice();
  try {
    const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
    const text = new TextDecoder().decode(bytes.subarray(PREFIX_BYTES, PREFIX_BYTES + length));
    const header = withNotes(JSON.parse(text, parseValue) as ColumnPartHeader);
    const reader = new ColumnReader(bytes, PREFIX_BYTES + align8(length));
    return { header, rows: header.contracts.map((contract) => readRows(reader, contract)) };
  } catch (error) {
    throw new TapeDamagedError('a part of a day cannot be read', { file, offset: 0 }, error);
  }
}

type Column =
  | Float64Array<ArrayBuffer>
  | Uint32Array<ArrayBuffer>
  | Int32Array<ArrayBuffer>
  | Int8Array<ArrayBuffer>;

function pack(
  { columns, count: end, highestId }: CheckpointContract,
  before: number,
): { readonly contract: ColumnPartContract; readonly columns: readonly Column[] } {
  const count = end - before;
  const { ts, price, size, side } = gather(columns.segments, before, count);
  const late = columns.lateRanks.flatMap((rank, index) =>
    rank > before && rank <= end ? [index] : [],
  );
  const short = shortTimes(ts);
  const contract = {
    ...{ symbol: columns.symbol, highestId, before, count, firstNs: ts[0] ?? 0 },
    isWide: short === null,
    lateRanks: late.map((index) => columns.lateRanks[index]!),
    lateByNs: late.map((index) => columns.lateByNs[index]!),
  };
  return { contract, columns: count === 0 ? [] : [short ?? ts, price, size, side] };
}

function gather(segments: readonly Segment[], before: number, count: number) {
  const ts = new Float64Array(count);
  const price = new Int32Array(count);
  const size = new Int32Array(count);
  const side = new Int8Array(count);
  for (let row = 0; row < count; ) {
    const segment = segments[Math.floor((before + row) / SEGMENT_ROWS)]!;
    const from = (before + row) % SEGMENT_ROWS;
    const to = Math.min(SEGMENT_ROWS, from + count - row);
    ts.set(segment.ts.subarray(from, to), row);
    price.set(segment.price.subarray(from, to), row);
    size.set(segment.size.subarray(from, to), row);
    side.set(segment.side.subarray(from, to), row);
    row += to - from;
  }
  return { ts, price, size, side };
}

/** Each time as the difference to the previous one; null when 32 bits are too few. */
function shortTimes(ts: Float64Array): Uint32Array<ArrayBuffer> | null {
  const short = new Uint32Array(ts.length);
  for (let row = 1; row < ts.length; row++) {
    const since = ts[row]! - ts[row - 1]!;
    if (since > SHORT_NS_MAX) return null;
    short[row] = since;
  }
  return short;
}

function readRows(
  reader: ColumnReader,
  { count, firstNs, isWide }: ColumnPartContract,
): ColumnRows {
  if (count === 0) return { count, ...gather([], 0, 0) };
  const ts = isWide
    ? reader.column(Float64Array, count)
    : longTimes(reader.column(Uint32Array, count), firstNs);
  const price = reader.column(Int32Array, count);
  const size = reader.column(Int32Array, count);
  return { count, ts, price, size, side: reader.column(Int8Array, count) };
}

function longTimes(short: Uint32Array, firstNs: number): Float64Array {
  const ts = new Float64Array(short.length);
  let ns = firstNs;
  for (let row = 0; row < ts.length; row++) {
    ns += short[row]!;
    ts[row] = ns;
  }
  return ts;
}

/** Reads consecutive columns; a RangeError means that the bytes end too early. */
class ColumnReader {
  readonly #bytes: Uint8Array;
  #at: number;

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes;
    this.#at = at;
  }

  column<T>(
    kind: {
      new (buffer: ArrayBufferLike, from: number, count: number): T;
      BYTES_PER_ELEMENT: number;
    },
    count: number,
  ): T {
    const { buffer, byteOffset, length } = this.#bytes;
    const from = this.#at;
    this.#at += align8(count * kind.BYTES_PER_ELEMENT);
    if (this.#at > length) throw new RangeError('it ends too early');
    return new kind(buffer, byteOffset + from, count);
  }
}

function withNotes(header: ColumnPartHeader): ColumnPartHeader {
  const { version, sequencer } = header;
  if (version === NOTES_VERSION) return header;
  if (version !== PLAIN_VERSION) throw new RangeError(`it is of version ${version}`);
  return { ...header, sequencer: { ...sequencer, notes: NO_NOTES } };
}

/** Bits as base64 text: there are few of them. The times of gaps as decimal text. */
function printValue(_name: string, value: unknown): unknown {
  if (typeof value === 'bigint') return `${value}`;
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value;
}

function parseValue(name: string, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (GAP_TIMES.has(name)) return BigInt(value);
  if (name !== ('windowBits' satisfies keyof LaneState)) return value;
  return new Uint8Array(Buffer.from(value, 'base64'));
}

function align8(count: number): number {
  return Math.ceil(count / 8) * 8;
}

/**
 * The trades of a DBN file, versions 1, 2 and 3, decompressed: bytes in pieces of any length go in, batches of trades come
 * out, in the order of the file. No I/O, no clock, and for an ordinary trade nothing is allocated.
 *
 * - A trade is a record with action T, in files of the schemas trades, tbbo, mbp-1, mbp-10 and mbo, and in live captures.
 *   Fills (F) are the other side of a trade and never count.
 * - Its time is `ts_event`. The file is ordered by `ts_recv`, so times may go backwards: whoever needs them ascending
 *   sorts each contract's day by time and keeps the order of the file among equals.
 * - A trade whose price, time or size is undefined, or whose size is 0, is left out and counted: the format allows
 *   it, and such a trade has no place on a tape. What the format does not allow (an unknown action or side, a price
 *   beyond 2^53, a length that does not fit) says that the file is damaged, and is refused.
 * - A file is good only when `end` has returned: a cut one gives trades too. After a refusal nothing more is taken.
 */

import { DAY_NS } from '@tapeloom/core/units';
import { type FeedCounts, FeedError, type FeedTrades } from '../feed-trades.ts';
import { DbnDay, HIGH } from './dbn-day.ts';
import { DbnInput, type DbnWindow, wholeRecordBytes } from './dbn-input.ts';
import { type DbnInstrument, DbnInstruments, type NamingDefinition } from './dbn-instruments.ts';
import {
  MIXED_SCHEMA,
  recordName,
  SENT_BYTES,
  SYMBOL_MAPPING_RTYPE,
  schemaName,
  TRADE_SCHEMA_NAMES,
  type TradeLayout,
  tradeLayoutOf,
  tradeLayoutOfSchema,
} from './dbn-kinds.ts';
import { beginsAsDbn, type DbnMetadata } from './dbn-metadata.ts';
import { readSymbolMapping } from './symbol-mapping.ts';
import { BATCH_ROWS, TradeBatchColumns } from './trade-batch-columns.ts';

const TRADE = 0x54;
/** Add, cancel, modify, clear, fill, none: what happens to a book besides trades. */
const OTHER_ACTIONS = new Set([...'ACMRFN'].map((letter) => letter.charCodeAt(0)));
const NO_SIDE = 2;
/** The aggressor by the byte of the side. */
const SIDES = new Int8Array(256).fill(NO_SIDE);
SIDES[0x41] = -1;
SIDES[0x42] = 1;
SIDES[0x4e] = 0;
const UNDEFINED_HALF = 0xffff_ffff;
const UNDEFINED_PRICE_HIGH = 0x7fff_ffff;
const UNDEFINED_SIZE = 0xffff_ffff;
/** Ids looked up last are found again by their lowest bits. */
const RECENT_IDS = 1_024;
const NOT_RECENT = -1;

export interface DbnDecoderOptions {
  /** From `definition` files beside: symbols where the file has none, and what is a future. */
  readonly definitions?: Iterable<NamingDefinition>;
}

export class DbnDecoder {
  readonly #input = new DbnInput();
  readonly #instruments: DbnInstruments;
  readonly #columns = new TradeBatchColumns();
  /** Of the kind of record that trades are taken from; null until the file has told. */
  #layout: TradeLayout | null = null;
  #isSchemaJudged = false;
  #isBusy = false;
  #records = 0;
  /** The day of the last trade, and the one on which its record was captured, by which ids are named. */
  readonly #day = new DbnDay();
  readonly #captured = new DbnDay();
  readonly #recentIds = new Uint32Array(RECENT_IDS);
  readonly #recentIndexes = new Int32Array(RECENT_IDS).fill(NOT_RECENT);
  #bookRecords = 0;
  readonly #leftOut = new Map<string, number>();
  /** Trades of instruments that are not wanted, by their place. */
  readonly #skipped = new Map<number, number>();

  constructor({ definitions = [] }: DbnDecoderOptions = {}) {
    this.#instruments = new DbnInstruments(definitions);
  }

  /** Of the file; null until it has arrived. */
  get metadata(): DbnMetadata | null {
    return this.#input.metadata;
  }

  /** Those that were met so far. Several may be of one contract, where the file does not say its symbol. */
  get instruments(): readonly DbnInstrument[] {
    return this.#instruments.list;
  }

  /** How many records were read so far. */
  get records(): number {
    return this.#records;
  }

  /** What was left out so far. */
  get counts(): FeedCounts {
    const counts = new Map<string, number>();
    for (const [index, count] of this.#skipped) {
      const { symbol, skipped, instrumentId } = this.#instruments.list[index]!;
      counts.set(`trades of ${symbol ?? `instrument ${instrumentId}`}, ${skipped}`, count);
    }
    for (const [what, count] of this.#leftOut) counts.set(what, count);
    if (this.#bookRecords > 0) counts.set('book records without a trade', this.#bookRecords);
    return counts;
  }

  /** Takes the next piece of the file, and gives the trades that are whole by then. All of them must be asked for. */
  *push(piece: Uint8Array): Generator<FeedTrades, void, undefined> {
    if (this.#isBusy) throw new Error('the piece before was refused, or not read to its end');
    this.#isBusy = true;
    const columns = this.#columns;
    for (const window of this.#input.windows(piece)) {
      this.#judgeSchema();
      while (this.#decode(window)) {
        yield columns;
        columns.count = 0;
      }
    }
    if (columns.count > 0) yield columns;
    columns.count = 0;
    this.#isBusy = false;
  }

  /** Refuses a file that is cut. Nothing of it may be used for good before. */
  end(): void {
    if (this.#isBusy) throw new Error('the piece before was refused, or not read to its end');
    this.#input.end(this.#records);
    this.#judgeSchema();
  }

  #judgeSchema(): void {
    if (this.#isSchemaJudged) return;
    const { schema } = this.#input.metadata!;
    this.#layout = tradeLayoutOfSchema(schema);
    if (this.#layout === null && schema !== MIXED_SCHEMA) {
      throw new FeedError(
        `At byte 24 the file says that its schema is ${schemaName(schema)}, which has no trades; ` +
          `files of these schemas are read: ${TRADE_SCHEMA_NAMES.join(', ')}.`,
      );
    }
    this.#instruments.useMappings(this.#input.metadata!.mappings);
    this.#isSchemaJudged = true;
  }

  /** Reads until the columns are full, then true, or no whole record is left. */
  #decode(window: DbnWindow): boolean {
    while (window.at < window.bytes.length) {
      if (this.#layout !== null) this.#decodeOrdinary(window, this.#layout);
      if (this.#columns.count === BATCH_ROWS) return true;
      if (window.at >= window.bytes.length) return false;
      const bytes = wholeRecordBytes(window, this.#records + 1);
      if (bytes === null) return false;
      this.#records += 1;
      this.#decodeOne(window, bytes);
      window.at += bytes;
    }
    return this.#columns.count === BATCH_ROWS;
  }

  /**
   * The loop that nearly all records go through: trades of an instrument that was met lately, on the day of the trade
   * before, with nothing undefined, and book records without a trade. It stops at any other record.
   */
  #decodeOrdinary(window: DbnWindow, layout: TradeLayout): void {
    const { view } = window;
    const { price: priceAt, size: sizeAt, action: actionAt, received: receivedAt } = layout;
    const { instruments, days, ns, prices, sizes, sides, rows } = this.#columns;
    const { day, startNs } = this.#day;
    const capturedStartNs = this.#captured.startNs;
    const recentIds = this.#recentIds;
    const recentIndexes = this.#recentIndexes;
    const usual = (layout.rtype << 8) | (layout.bytes / 4);
    const head = this.#input.metadata!.hasSent ? usual + SENT_BYTES / 4 : usual;
    const bytes = (head & 0xff) * 4;
    const lastAt = window.bytes.length - bytes;
    let { at } = window;
    let row = this.#records;
    let { count } = this.#columns;
    for (; at <= lastAt && count < BATCH_ROWS; at += bytes) {
      if (view.getUint16(at, true) !== head) break;
      const marks = view.getUint16(at + actionAt, true);
      if ((marks & 0xff) !== TRADE) {
        if (!OTHER_ACTIONS.has(marks & 0xff)) break;
        row += 1;
        this.#bookRecords += 1;
        continue;
      }
      const id = view.getUint32(at + 4, true);
      const slot = id % RECENT_IDS;
      const index = recentIndexes[slot]!;
      if (recentIds[slot] !== id || index < 0) break;
      const capturedNs =
        view.getUint32(at + receivedAt + 4, true) * HIGH -
        capturedStartNs +
        view.getUint32(at + receivedAt, true);
      if (capturedNs < 0 || capturedNs >= DAY_NS) break;
      const timeNs = view.getUint32(at + 12, true) * HIGH - startNs + view.getUint32(at + 8, true);
      if (timeNs < 0 || timeNs >= DAY_NS) break;
      const price =
        view.getInt32(at + priceAt + 4, true) * HIGH + view.getUint32(at + priceAt, true);
      if (price > Number.MAX_SAFE_INTEGER || price < Number.MIN_SAFE_INTEGER) break;
      const size = view.getUint32(at + sizeAt, true);
      const side = SIDES[marks >> 8]!;
      if (size === 0 || size === UNDEFINED_SIZE || side === NO_SIDE) break;
      row += 1;
      instruments[count] = index;
      days[count] = day;
      ns[count] = timeNs;
      prices[count] = price;
      sizes[count] = size;
      sides[count] = side;
      rows[count] = row;
      count += 1;
    }
    window.at = at;
    this.#records = row;
    this.#columns.count = count;
  }

  /** Any record, whole and counted already. */
  #decodeOne(window: DbnWindow, bytes: number): void {
    const rtype = window.bytes[window.at + 1]!;
    const layout = tradeLayoutOf(rtype);
    if (layout !== null) {
      this.#decodeTrade(window, bytes, layout);
    } else if (rtype === SYMBOL_MAPPING_RTYPE) {
      const { id, symbol } = readSymbolMapping(window, bytes, this.#records);
      this.#instruments.map(id, symbol);
      this.#recentIndexes.fill(NOT_RECENT);
    } else {
      this.#refuseAnotherFile(window);
      const name = recordName(rtype);
      this.#leaveOut(name === null ? `records of the unknown type ${rtype}` : `${name} records`);
    }
  }

  #decodeTrade(window: DbnWindow, bytes: number, layout: TradeLayout): void {
    const { view, at } = window;
    if (bytes !== layout.bytes && bytes !== layout.bytes + SENT_BYTES) {
      this.#refuse(window, `has ${bytes} bytes; ${layout.name} records have ${layout.bytes}`);
    }
    const action = view.getUint8(at + layout.action);
    if (OTHER_ACTIONS.has(action)) {
      this.#bookRecords += 1;
      return;
    }
    if (action !== TRADE)
      this.#refuse(window, `has the action ${byteText(action)}, which DBN has not`);
    this.#layout ??= layout;
    if (this.#layout !== layout) {
      this.#refuse(
        window,
        `is a trade in a ${layout.name} record, after or among ${this.#layout.name} records. ` +
          'A file of several schemas may have each trade several times',
      );
    }
    const side = SIDES[view.getUint8(at + layout.action + 1)]!;
    if (side === NO_SIDE) {
      const text = byteText(view.getUint8(at + layout.action + 1));
      this.#refuse(window, `has the side ${text}; A, B and N are sides`);
    }
    const missing = missingIn(view, at, layout);
    if (missing !== null) {
      this.#leaveOut(missing);
      return;
    }
    const high = view.getInt32(at + layout.price + 4, true);
    const price = high * HIGH + view.getUint32(at + layout.price, true);
    if (!Number.isSafeInteger(price)) {
      const exact = view.getBigInt64(at + layout.price, true);
      this.#refuse(window, `has the price ${exact} in 1e-9, more than can be exact (2^53)`);
    }
    const index = this.#instrumentAt(view, at, layout);
    if (this.#instruments.list[index]!.skipped !== null) {
      this.#skipped.set(index, (this.#skipped.get(index) ?? 0) + 1);
      return;
    }
    this.#append(view, at, layout, { index, price, side });
  }

  #append(
    view: DataView,
    at: number,
    layout: TradeLayout,
    { index, price, side }: { index: number; price: number; side: number },
  ): void {
    const high = view.getUint32(at + 12, true);
    const low = view.getUint32(at + 8, true);
    if (!this.#day.has(high, low)) this.#day.moveTo(high, low);
    const columns = this.#columns;
    const row = columns.count;
    columns.instruments[row] = index;
    columns.days[row] = this.#day.day;
    columns.ns[row] = high * HIGH - this.#day.startNs + low;
    columns.prices[row] = price;
    columns.sizes[row] = view.getUint32(at + layout.size, true);
    columns.sides[row] = side;
    columns.rows[row] = this.#records;
    columns.count += 1;
  }

  /** The place of the trade's instrument, by the day of its capture or, without one, of the trade. */
  #instrumentAt(view: DataView, at: number, layout: TradeLayout): number {
    const isCaptured = !isUndefinedTime(view, at + layout.received);
    const time = isCaptured ? at + layout.received : at + 8;
    const high = view.getUint32(time + 4, true);
    const low = view.getUint32(time, true);
    if (!this.#captured.has(high, low)) {
      this.#captured.moveTo(high, low);
      this.#recentIndexes.fill(NOT_RECENT);
    }
    const id = view.getUint32(at + 4, true);
    const slot = id % RECENT_IDS;
    const index = this.#instruments.indexOf(id, this.#captured.day);
    const isWanted = this.#instruments.list[index]!.skipped === null;
    this.#recentIds[slot] = id;
    this.#recentIndexes[slot] = isWanted ? index : NOT_RECENT;
    return index;
  }

  /** Files that were put behind each other would else be read as one with strange records. */
  #refuseAnotherFile(window: DbnWindow): void {
    if (!beginsAsDbn(window.bytes.subarray(window.at))) return;
    this.#refuse(window, 'is the head of another DBN file. Give each file on its own');
  }

  #leaveOut(what: string): void {
    this.#leftOut.set(what, (this.#leftOut.get(what) ?? 0) + 1);
  }

  #refuse(window: DbnWindow, fault: string): never {
    const place = window.position + window.at;
    throw new FeedError(`Record ${this.#records} at byte ${place} ${fault}.`, this.#records);
  }
}

/** What a trade lacks that it must have, for people; null where nothing is missing. */
function missingIn(view: DataView, at: number, layout: TradeLayout): string | null {
  if (isUndefinedTime(view, at + 8)) return 'trades without a time';
  const isPriceUndefined =
    view.getInt32(at + layout.price + 4, true) === UNDEFINED_PRICE_HIGH &&
    view.getUint32(at + layout.price, true) === UNDEFINED_HALF;
  if (isPriceUndefined) return 'trades without a price';
  const size = view.getUint32(at + layout.size, true);
  if (size === UNDEFINED_SIZE) return 'trades without a size';
  return size === 0 ? 'trades of size 0' : null;
}

function isUndefinedTime(view: DataView, at: number): boolean {
  return (
    view.getUint32(at, true) === UNDEFINED_HALF && view.getUint32(at + 4, true) === UNDEFINED_HALF
  );
}

function byteText(byte: number): string {
  const isPrintable = byte > 0x20 && byte < 0x7f;
  return isPrintable ? String.fromCharCode(byte) : `0x${byte.toString(16).padStart(2, '0')}`;
}

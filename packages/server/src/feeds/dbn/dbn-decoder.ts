/**
 * Decodes the trades of a DBN file, versions 1, 2 and 3, uncompressed: byte pieces of any length in, batches of trades
 * out, in file order. No I/O and no clock; an ordinary trade allocates nothing. A file is valid only once `end` has
 * returned, since a truncated one gives trades too. After an error the decoder accepts nothing more.
 */

import { type FeedCounts, FeedError, type FeedTrades } from '../feed-trades.ts';
import type { CaptureLayouts } from './capture-layouts.ts';
import { DbnDay, HIGH } from './dbn-day.ts';
import { definitionAt } from './dbn-definitions.ts';
import { DbnInput, type DbnWindow, wholeRecordBytes } from './dbn-input.ts';
import { type DbnInstrument, DbnInstruments, type NamingDefinition } from './dbn-instruments.ts';
import {
  DEFINITION_RTYPE,
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
import {
  type GatewayOptions,
  type GatewayRecord,
  gatewayRecordAt,
  isGatewayRecord,
} from './gateway-records.ts';
import { NO_SIDE, SIDES, TRADE, takeOrdinaryTrades } from './ordinary-trades.ts';
import { RecentInstruments } from './recent-instruments.ts';
import { readSymbolMapping } from './symbol-mapping.ts';
import { BATCH_ROWS, TradeBatchColumns } from './trade-batch-columns.ts';

/** Add, cancel, modify, clear, fill, none: book changes without a trade. */
const OTHER_ACTIONS = new Uint8Array(256);
for (const letter of 'ACMRFN') OTHER_ACTIONS[letter.charCodeAt(0)] = 1;
/** The high half of a time in 2189: below it, differences of high halves never overflow. */
const TIME_HIGH_MAX = 0x6000_0000;
const UNDEFINED_HALF = 0xffff_ffff;
const UNDEFINED_PRICE_HIGH = 0x7fff_ffff;
const UNDEFINED_SIZE = 0xffff_ffff;

export interface DbnDecoderOptions extends GatewayOptions {
  /** From separate `definition` files: symbols that the file does not have, and the instrument classes. */
  readonly definitions?: Iterable<NamingDefinition>;
  /** For a capture with several kinds of trade records: the kind to use for each instrument. */
  readonly layouts?: CaptureLayouts | null;
}

/**
 * - A trade is a record with action T, in files of the schemas trades, tbbo, mbp-1, mbp-10 and mbo, and in live
 *   captures. Fills (F) are the other side of a trade and never count.
 * - Its time is `ts_event`. The file is ordered by `ts_recv`, so times may go backwards. A caller that needs them
 *   ascending must sort each contract's day by time, with ties in file order.
 * - A trade with an undefined price, time or size, or of size 0, is left out and counted: the format allows it, but
 *   such a trade has no place on a tape. Anything that the format forbids (an unknown action or side, a price beyond
 *   2^53, a time in 2189 or later, a wrong length) means that the file is damaged, and is rejected.
 */
export class DbnDecoder {
  readonly #input: DbnInput;
  readonly #instruments: DbnInstruments;
  readonly #columns = new TradeBatchColumns();
  /** The record kind of the trades; null until known. */
  #layout: TradeLayout | null = null;
  #isSchemaJudged = false;
  #isBusy = false;
  #records = 0;
  /** The day of the last trade, and of its record's capture, which determines the meaning of ids. */
  readonly #day = new DbnDay();
  readonly #captured = new DbnDay();
  readonly #recent = new RecentInstruments();
  #bookRecords = 0;
  readonly #leftOut = new Map<string, number>();
  /** Trades of unwanted instruments, by index. */
  readonly #skipped = new Map<number, number>();

  readonly #layouts: CaptureLayouts | null;
  readonly #onGatewayRecord: ((record: GatewayRecord) => void) | null;

  constructor(options: DbnDecoderOptions = {}) {
    const { definitions = [], layouts = null, onGatewayRecord, headBytesMax } = options;
    this.#input = new DbnInput(headBytesMax);
    this.#layouts = layouts;
    this.#onGatewayRecord = onGatewayRecord ?? null;
    this.#instruments = new DbnInstruments(definitions);
  }

  /** Null until the file's head has arrived. */
  get metadata(): DbnMetadata | null {
    return this.#input.metadata;
  }

  /** The instruments so far. Several may be the same contract, if the file has no symbols. */
  get instruments(): readonly DbnInstrument[] {
    return this.#instruments.list;
  }

  /** The venue's symbol of an id on a day, from definitions; null without one. */
  definedSymbol(id: number, day: number): string | null {
    return this.#instruments.definedSymbol(id, day);
  }

  get records(): number {
    return this.#records;
  }

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

  /** Takes the next piece and yields the trades that are complete. The caller must consume all of them. */
  *push(piece: Uint8Array): Generator<FeedTrades, void, undefined> {
    if (this.#isBusy) throw new Error('the piece before was refused, or not read to its end');
    this.#isBusy = true;
    const columns = this.#columns;
    this.#input.open(piece);
    for (let window = this.#input.next(); window !== null; window = this.#input.next()) {
      this.#judgeSchema();
      while (this.#decode(window)) {
        yield columns;
        columns.clear();
      }
    }
    if (columns.count > 0) yield columns;
    columns.clear();
    this.#isBusy = false;
  }

  /** Rejects a truncated file. Use its trades for good only after this returns. */
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

  /** Reads until the columns are full (true), or no complete record is left (false). */
  #decode(window: DbnWindow): boolean {
    while (window.at < window.bytes.length) {
      if (this.#layout !== null) {
        this.#passBookRecords(window, this.#layout);
        this.#decodeTrades(window, this.#layout);
      }
      if (this.#columns.count === BATCH_ROWS) return true;
      if (window.at >= window.bytes.length) return false;
      const bytes = wholeRecordBytes(window, this.#records + 1);
      if (bytes === null) return false;
      // The trades before a message of the gateway are handed out before it.
      if (this.#columns.count > 0 && this.#isMessage(window)) return true;
      this.#records += 1;
      this.#decodeOne(window, bytes);
      window.at += bytes;
    }
    return this.#columns.count === BATCH_ROWS;
  }

  #decodeTrades(window: DbnWindow, layout: TradeLayout): void {
    if (this.#captured.day !== this.#day.day) return;
    const columns = this.#columns;
    const head = this.#headOf(layout);
    const count = takeOrdinaryTrades(window, head, layout, this.#recent, this.#day, columns);
    columns.add(count, this.#day.day, this.#records);
    this.#records += count;
  }

  #passBookRecords(window: DbnWindow, layout: TradeLayout): void {
    const { view } = window;
    const head = this.#headOf(layout);
    const bytes = (head & 0xff) * 4;
    const actionAt = layout.action;
    const lastAt = window.bytes.length - bytes;
    const before = this.#records;
    let { at } = window;
    for (; at <= lastAt; at += bytes) {
      if (view.getUint16(at, true) !== head) break;
      if (OTHER_ACTIONS[view.getUint8(at + actionAt)] === 0) break;
    }
    this.#records += (at - window.at) / bytes;
    this.#bookRecords += this.#records - before;
    window.at = at;
  }

  /** The first two bytes of a record of this layout: its length and type. */
  #headOf({ bytes, rtype }: TradeLayout): number {
    const sentBytes = this.#input.metadata!.hasSent ? SENT_BYTES : 0;
    return (rtype << 8) | ((bytes + sentBytes) / 4);
  }

  #decodeOne(window: DbnWindow, bytes: number): void {
    const rtype = window.bytes[window.at + 1]!;
    const layout = tradeLayoutOf(rtype);
    if (this.#isMessage(window)) {
      this.#onGatewayRecord!(gatewayRecordAt(window, bytes, this.#records));
    }
    if (layout !== null) {
      this.#decodeTrade(window, bytes, layout);
    } else if (rtype === SYMBOL_MAPPING_RTYPE) {
      const { id, symbol } = readSymbolMapping(window, bytes, this.#records);
      this.#instruments.map(id, symbol);
      this.#recent.forget();
    } else {
      this.#refuseAnotherFile(window);
      if (rtype === DEFINITION_RTYPE) {
        this.#instruments.define(definitionAt(window, bytes, this.#records));
        this.#recent.forget();
      }
      const name = recordName(rtype);
      this.#leaveOut(name === null ? `records of the unknown type ${rtype}` : `${name} records`);
    }
  }

  #isMessage({ bytes, at }: DbnWindow): boolean {
    return this.#onGatewayRecord !== null && isGatewayRecord(bytes[at + 1]!);
  }

  #decodeTrade(window: DbnWindow, bytes: number, layout: TradeLayout): void {
    const { view, at } = window;
    if (bytes !== layout.bytes && bytes !== layout.bytes + SENT_BYTES) {
      this.#refuse(window, `has ${bytes} bytes; ${layout.name} records have ${layout.bytes}`);
    }
    const action = view.getUint8(at + layout.action);
    if (OTHER_ACTIONS[action] === 1) {
      this.#bookRecords += 1;
      return;
    }
    if (action !== TRADE) {
      this.#refuse(window, `has the action ${byteText(action)}, which DBN has not`);
    }
    if (!this.#isChosen(window, layout)) {
      this.#leaveOut(`trades in ${layout.name} records, which other records have too`);
      return;
    }
    if (isUndefinedTime(view, at + 8)) {
      this.#leaveOut('trades without a time');
      return;
    }
    if (view.getUint32(at + 12, true) >= TIME_HIGH_MAX) {
      const time = view.getBigUint64(at + 8, true);
      this.#refuse(window, `has the time ${time}, which is 2189 or later`);
    }
    const index = this.#instrumentAt(view, at, layout);
    if (this.#instruments.list[index]!.skipped !== null) {
      this.#skipped.set(index, (this.#skipped.get(index) ?? 0) + 1);
      return;
    }
    const missing = missingIn(view, at, layout);
    if (missing === null) this.#append(window, layout, index);
    else this.#leaveOut(missing);
  }

  /** In a capture of several schemas each trade occurs several times; one is used. */
  #isChosen(window: DbnWindow, layout: TradeLayout): boolean {
    if (this.#layouts !== null) {
      return this.#layouts.get(window.view.getUint32(window.at + 4, true)) === layout;
    }
    this.#layout ??= layout;
    if (this.#layout === layout) return true;
    return this.#refuse(
      window,
      `is a trade in a ${layout.name} record, after or among ${this.#layout.name} records. ` +
        'A file of several schemas may have each trade several times',
    );
  }

  #append(window: DbnWindow, layout: TradeLayout, index: number): void {
    const { view, at } = window;
    const priceHigh = view.getInt32(at + layout.price + 4, true);
    const price = priceHigh * HIGH + view.getUint32(at + layout.price, true);
    if (!Number.isSafeInteger(price)) {
      const exact = view.getBigInt64(at + layout.price, true);
      this.#refuse(window, `has the price ${exact} in 1e-9, more than can be exact (2^53)`);
    }
    const sideByte = view.getUint8(at + layout.action + 1);
    const side = SIDES[sideByte]!;
    if (side === NO_SIDE) {
      this.#refuse(window, `has the side ${byteText(sideByte)}; A, B and N are sides`);
    }
    const high = view.getUint32(at + 12, true);
    const low = view.getUint32(at + 8, true);
    this.#day.moveTo(high, low);
    const columns = this.#columns;
    const row = columns.count;
    columns.instruments[row] = index;
    columns.ns[row] = this.#day.nsOf(high, low);
    columns.prices[row] = price;
    columns.sizes[row] = view.getUint32(at + layout.size, true);
    columns.sides[row] = side;
    columns.add(1, this.#day.day, this.#records - 1);
  }

  /** The index of a trade's instrument, by the day of its capture or, without one, of the trade. */
  #instrumentAt(view: DataView, at: number, layout: TradeLayout): number {
    const isCaptured = !isUndefinedTime(view, at + layout.received);
    const time = isCaptured ? at + layout.received : at + 8;
    const isNewDay = this.#captured.moveTo(
      view.getUint32(time + 4, true),
      view.getUint32(time, true),
    );
    if (isNewDay) this.#recent.forget();
    const id = view.getUint32(at + 4, true);
    const known = this.#recent.find(id);
    if (known !== null) return known;
    const index = this.#instruments.indexOf(id, this.#captured.day);
    this.#recent.keep(id, index, this.#instruments.list[index]!.skipped === null);
    return index;
  }

  /** Concatenated files would otherwise be read as one file with strange records. */
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

/** Names the missing part of a trade; null if nothing is missing. */
function missingIn(view: DataView, at: number, layout: TradeLayout): string | null {
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

/**
 * Decodes Sierra Chart files of intraday data (`.scid`) with single trades: byte pieces in, batches out, in file order.
 * Times are whole microseconds in UTC. Volume at the ask is a buy, at the bid a sell. Prices are 32-bit floats;
 * `decimalOf` recovers the decimal that was meant.
 */

import { DAY_SECONDS } from '@tapeloom/core/units';
import { dayFromNumber } from '@tapeloom/core/utc-day';
import { BATCH_ROWS, TableBatch } from '../columns/table-batch.ts';
import { type Decimal, POWERS, shortest } from '../decimals.ts';
import { type FeedCounts, FeedError, type FeedTrades } from '../feed-trades.ts';

const MARK = 'SCID';
const HEAD_BYTES_MIN = 56;
const HEAD_BYTES_MAX = 4_096;
const RECORD_BYTES = 40;
/** Days from 1899-12-30, the origin of its dates, to 1970. */
const EPOCH_DAYS = 25_569;
const DAY_US = DAY_SECONDS * 1_000_000;
const US_NS = 1_000;
const DAY_LEAST = 1_096;
const DAY_END = 2_932_897;
const HIGH = 2 ** 32;
/** The open field of a single trade, and of the first and last part of a split trade. */
const SINGLE_OPENS = new Set([0, Math.fround(-1.99900095e37), Math.fround(-1.99900197e37)]);
const SAFE_DIGITS = 1e7;
const DYADIC = 512;
const DYADIC_DECIMALS = 9;
const KNOWN_PRICES_MAX = 65_536;

export function beginsAsScid(first: Uint8Array): boolean {
  return Buffer.from(first.subarray(0, MARK.length)).toString('latin1') === MARK;
}

export class ScidDecoder {
  readonly #batch = new TableBatch();
  readonly #counts = new Map<string, number>();
  readonly #prices = new Map<number, Decimal>();
  #rest: Uint8Array = new Uint8Array();
  #hasHead = false;
  #records = 0;
  #day = -1;
  #date = 0;

  get counts(): FeedCounts {
    return this.#counts;
  }

  /** A batch is valid until the next one is requested. */
  *push(piece: Uint8Array): Generator<FeedTrades> {
    const bytes = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let at = 0;
    if (!this.#hasHead) {
      const headBytes = bytes.length < HEAD_BYTES_MIN ? HEAD_BYTES_MIN : headBytesOf(bytes, view);
      if (bytes.length < headBytes) {
        this.#rest = Uint8Array.from(bytes);
        return;
      }
      this.#hasHead = true;
      at = headBytes;
    }
    for (; at + RECORD_BYTES <= bytes.length; at += RECORD_BYTES) {
      this.#records += 1;
      if (!this.#add(view, at)) {
        yield this.#batch.take();
        // Alone in a batch, every number fits.
        this.#add(view, at);
      }
      if (this.#batch.count === BATCH_ROWS) yield this.#batch.take();
    }
    // A copy, since a piece is valid only until the next one.
    this.#rest = Uint8Array.from(bytes.subarray(at));
  }

  /** Rejects a truncated file. */
  *finish(): Generator<FeedTrades> {
    if (!this.#hasHead || this.#rest.length > 0) {
      throw new FeedError('The SCID file is cut: it ends inside of its head or of a record.');
    }
    if (this.#batch.count > 0) yield this.#batch.take();
  }

  /** False if the price needs its own batch. */
  #add(view: DataView, at: number): boolean {
    const volume = view.getUint32(at + 28, true);
    if (volume === 0) {
      this.#counts.set('size zero', (this.#counts.get('size zero') ?? 0) + 1);
      return true;
    }
    const trades = view.getUint32(at + 24, true);
    if (!SINGLE_OPENS.has(view.getFloat32(at + 8, true)) || trades > 1) {
      throw this.#refused(
        'is a bar and no trade. Sierra Chart keeps trades where "Intraday Data Storage Time Unit" is "1 Tick"',
      );
    }
    const batch = this.#batch;
    const row = batch.count;
    const { mantissa, decimals } = this.#priceOf(view.getFloat32(at + 20, true));
    if (!batch.prices.set(row, mantissa, decimals)) return false;
    batch.sizes.set(row, volume, 0);
    this.#setTime(view, at);
    const [bid, ask] = [view.getUint32(at + 32, true), view.getUint32(at + 36, true)];
    batch.sides[row] = ask > 0 === bid > 0 ? 0 : ask > 0 ? 1 : -1;
    batch.instruments[row] = 0;
    batch.rows[row] = this.#records;
    batch.count = row + 1;
    return true;
  }

  #setTime(view: DataView, at: number): void {
    const { days, ns, count } = this.#batch;
    const time = view.getInt32(at + 4, true) * HIGH + view.getUint32(at, true);
    let us = time - (EPOCH_DAYS + this.#day) * DAY_US;
    if (us < 0 || us >= DAY_US) {
      this.#day = Math.floor(time / DAY_US) - EPOCH_DAYS;
      if (!(this.#day >= DAY_LEAST && this.#day < DAY_END)) {
        throw this.#refused(
          'has a time before 1973 or after 9999. Files of old versions of Sierra Chart are read once a present one has opened them',
        );
      }
      this.#date = dayFromNumber(this.#day);
      us = time - (EPOCH_DAYS + this.#day) * DAY_US;
    }
    days[count] = this.#date;
    ns[count] = us * US_NS;
  }

  #priceOf(float: number): Decimal {
    const known = this.#prices.get(float);
    if (known !== undefined) return known;
    const price = decimalOf(float);
    if (price === null) throw this.#refused(`has the price ${float}, which is none`);
    if (this.#prices.size < KNOWN_PRICES_MAX) this.#prices.set(float, price);
    return price;
  }

  #refused(why: string): FeedError {
    return new FeedError(`Record ${this.#records} ${why}.`, this.#records);
  }
}

/**
 * What a 32-bit float means: the shortest decimal with the same float, if it has at most seven digits, which a float
 * always preserves; else the float itself if it is a multiple of 1/512 (bonds); else the shortest. Null: no price.
 */
function decimalOf(float: number): Decimal | null {
  if (!Number.isFinite(float) || Math.abs(float) >= Number.MAX_SAFE_INTEGER) return null;
  for (let decimals = 0; decimals <= DYADIC_DECIMALS; decimals += 1) {
    const mantissa = Math.round(float * POWERS[decimals]!);
    if (!Number.isSafeInteger(mantissa)) return null;
    if (Math.fround(mantissa / POWERS[decimals]!) !== float) continue;
    const isDyadic = Number.isInteger(float * DYADIC);
    if (Math.abs(mantissa) < SAFE_DIGITS || !isDyadic) return shortest(BigInt(mantissa), decimals);
    return shortest(BigInt(Math.round(float * POWERS[DYADIC_DECIMALS]!)), DYADIC_DECIMALS);
  }
  return null;
}

function headBytesOf(bytes: Uint8Array, view: DataView): number {
  if (!beginsAsScid(bytes)) throw new FeedError('The file does not begin as SCID does.');
  const [headBytes, recordBytes] = [view.getUint32(4, true), view.getUint32(8, true)];
  if (headBytes < HEAD_BYTES_MIN || headBytes > HEAD_BYTES_MAX || recordBytes !== RECORD_BYTES) {
    throw new FeedError(
      `The SCID file says that its head has ${headBytes} bytes and a record ${recordBytes}: files with records of ${RECORD_BYTES} are read.`,
    );
  }
  return headBytes;
}

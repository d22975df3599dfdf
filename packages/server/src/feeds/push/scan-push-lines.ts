/**
 * Reads ordinary lines of a pushed NDJSON body from its bytes: empty ones, and trades in the usual spelling, without
 * escapes and with nothing wrong. It allocates nothing per trade and stops at any other line, which `read-push-line.ts`
 * then reads or refuses. Both give the same trades.
 */

import { LOTS_MAX, TICKS_MAX } from '@tapeloom/core/numbers';
import { DAY_SECONDS, SECOND_NS } from '@tapeloom/core/units';
import { dayNumber, isUtcDay } from '@tapeloom/core/utc-day';
import { POWERS } from '../decimals.ts';
import { type BatchContract, unitsOf } from './push-contracts.ts';
import type { PushRows } from './push-rows.ts';
import { FIRST_DAY } from './read-push-line.ts';

const [QUOTE, COMMA, COLON, OPEN, CLOSE] = [0x22, 0x2c, 0x3a, 0x7b, 0x7d];
const [SPACE, LINE_FEED, RETURN, POINT, ZERO] = [0x20, 0x0a, 0x0d, 0x2e, 0x30];
const [MINUS, T_UPPER, Z_UPPER] = [0x2d, 0x54, 0x5a];
/** Their value is below 2^53 whatever they are. */
const DIGITS_MAX = 15;
const NANO_DIGITS = 9;
const SECONDS_DIGITS = 10;
const ASCII = new TextDecoder('latin1');

const [CONTRACT, ID, TS, PRICE, SIZE, SIDE] = [0, 1, 2, 3, 4, 5];
/** Every field but the side. */
const REQUIRED = 0b1_1111;
/** Names and words are compared by four bytes at once. The longest, with its quotes, has this many bytes. */
const WORD_BYTES_MAX = 12;
const fourOf = (text: string) => Buffer.from(text).readUint32BE();
const [CONT, RACT, PRIC, SIZE_WORD, SIDE_WORD] = ['cont', 'ract', 'pric', 'size', 'side'].map(
  fourOf,
);
const [ID_, TS_] = ['\0id"', '\0ts"'].map(fourOf);
const [BUY, SEL, UNK, NOWN, NULL] = ['"buy', '"sel', '"unk', 'nown', 'null'].map(fourOf);
const [LETTER_E, LETTER_L] = [0x65, 0x6c];

export class PushLineScan {
  /** The next byte. */
  at = 0;
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #rows: PushRows;
  #contract: BatchContract | null = null;
  #symbolFrom = 0;
  #symbolTo = 0;
  /** The last number: an integer of 10^-decimals. */
  #mantissa = 0;
  #decimals = 0;
  #day = -1;
  #ns = 0;
  /** The date of the last ISO time, as its number, and its day. */
  #date = 0;
  #dateDay = -1;
  #side = 0;

  constructor(bytes: Uint8Array, rows: PushRows) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#rows = rows;
  }

  /** Reads lines from `at` on; returns their number. `at` is then the start of another line, or the end. */
  read(): number {
    let lines = 0;
    while (this.at < this.#bytes.length) {
      const start = this.at;
      if (!this.#line()) {
        this.at = start;
        break;
      }
      lines += 1;
    }
    return lines;
  }

  #line(): boolean {
    const bytes = this.#bytes;
    this.#skipSpaces();
    if (bytes[this.at] !== OPEN) return this.#lineEnd();
    this.at += 1;
    let seen = 0;
    let [id, price, priceDecimals, size, sizeDecimals] = [0, 0, 0, 0, 0];
    this.#side = 0;
    for (;;) {
      this.#skipSpaces();
      const key = this.#key();
      if (key < 0 || (seen & (1 << key)) !== 0) return false;
      seen |= 1 << key;
      switch (key) {
        case CONTRACT:
          if (!this.#symbol()) return false;
          break;
        case ID:
          if (!this.#number() || this.#decimals !== 0) return false;
          id = this.#mantissa;
          break;
        case TS:
          if (!this.#time()) return false;
          break;
        case PRICE:
          if (!this.#number()) return false;
          price = this.#mantissa;
          priceDecimals = this.#decimals;
          break;
        case SIZE:
          if (!this.#number()) return false;
          size = this.#mantissa;
          sizeDecimals = this.#decimals;
          break;
        default:
          if (!this.#sideWord()) return false;
      }
      this.#skipSpaces();
      const mark = bytes[this.at];
      this.at += 1;
      if (mark === CLOSE) break;
      if (mark !== COMMA) return false;
    }
    if ((seen & REQUIRED) !== REQUIRED || !this.#lineEnd() || !this.#isTimely()) return false;
    const contract = this.#found();
    if (contract === null || id <= contract.lastId) return false;
    const { tickSizeNanos, lotSizeNanos } = contract.terms;
    const ticks = unitsOf(price, priceDecimals, tickSizeNanos);
    const lots = unitsOf(size, sizeDecimals, lotSizeNanos);
    if (!(ticks > 0 && ticks <= TICKS_MAX && lots > 0 && lots <= LOTS_MAX)) return false;
    this.#rows.add(contract, this.#day, this.#ns, id, ticks, lots, this.#side);
    return true;
  }

  #skipSpaces(): void {
    while (this.#bytes[this.at] === SPACE) this.at += 1;
  }

  /** The field's number, with `at` behind its colon; -1: another one. */
  #key(): number {
    const bytes = this.#bytes;
    if (bytes[this.at] !== QUOTE || this.at + WORD_BYTES_MAX > bytes.length) return -1;
    const key = this.#keyAt(this.at + 1);
    this.#skipSpaces();
    if (bytes[this.at] !== COLON) return -1;
    this.at += 1;
    this.#skipSpaces();
    return key;
  }

  /** Moves `at` behind the name's last quote. */
  #keyAt(at: number): number {
    const bytes = this.#bytes;
    const four = this.#view.getUint32(at);
    let key = -1;
    let end = at + 4;
    if (four === CONT && this.#view.getUint32(end) === RACT) {
      key = CONTRACT!;
      end += 4;
    } else if (four >>> 8 === ID_ || four >>> 8 === TS_) {
      key = four >>> 8 === ID_ ? ID! : TS!;
      end -= 2;
    } else if (four === PRIC && bytes[end] === LETTER_E) {
      key = PRICE!;
      end += 1;
    } else if (four === SIZE_WORD) key = SIZE!;
    else if (four === SIDE_WORD) key = SIDE!;
    this.at = end + 1;
    return bytes[end] === QUOTE ? key : -1;
  }

  #symbol(): boolean {
    const bytes = this.#bytes;
    if (bytes[this.at] !== QUOTE) return false;
    let at = this.at + 1;
    this.#symbolFrom = at;
    // Only plain characters: neither quotes nor escapes nor other alphabets.
    for (let byte = bytes[at]!; byte !== QUOTE; byte = bytes[at]!) {
      if (!(byte > SPACE && byte < 0x7f) || byte === 0x5c) return false;
      at += 1;
    }
    this.#symbolTo = at;
    this.at = at + 1;
    return true;
  }

  /** The contract of the symbol on the day of the time; null: to be refused. */
  #found(): BatchContract | null {
    const last = this.#contract;
    if (last !== null && last.day === this.#day && this.#isSymbol(last)) return last;
    for (const contract of this.#rows.contracts.list) {
      if (contract.day === this.#day && this.#isSymbol(contract)) {
        this.#contract = contract;
        return contract;
      }
    }
    const symbol = ASCII.decode(this.#bytes.subarray(this.#symbolFrom, this.#symbolTo));
    this.#contract = this.#rows.contracts.find(symbol, this.#day);
    return this.#contract;
  }

  #isSymbol({ bytes: symbol }: BatchContract): boolean {
    const bytes = this.#bytes;
    const from = this.#symbolFrom;
    if (symbol.length !== this.#symbolTo - from) return false;
    for (let index = 0; index < symbol.length; index += 1) {
      if (bytes[from + index] !== symbol[index]) return false;
    }
    return true;
  }

  /** A plain decimal number, with or without quotes. */
  #number(): boolean {
    const bytes = this.#bytes;
    const isText = bytes[this.at] === QUOTE;
    let at = isText ? this.at + 1 : this.at;
    const from = at;
    let value = 0;
    let byte = bytes[at]! - ZERO;
    const hasLeadingZero = byte === 0;
    while (byte >= 0 && byte <= 9) {
      value = value * 10 + byte;
      at += 1;
      byte = bytes[at]! - ZERO;
    }
    const wholes = at - from;
    if (wholes === 0 || (hasLeadingZero && wholes > 1)) return false;
    let decimals = 0;
    if (bytes[at] === POINT) {
      at += 1;
      const point = at;
      byte = bytes[at]! - ZERO;
      while (byte >= 0 && byte <= 9) {
        value = value * 10 + byte;
        at += 1;
        byte = bytes[at]! - ZERO;
      }
      decimals = at - point;
      if (decimals === 0) return false;
    }
    if (wholes + decimals > DIGITS_MAX) return false;
    if (isText) {
      if (bytes[at] !== QUOTE) return false;
      at += 1;
    }
    this.#mantissa = value;
    this.#decimals = decimals;
    this.at = at;
    return true;
  }

  /** Nanoseconds since 1970, or ISO 8601 in UTC. */
  #time(): boolean {
    const bytes = this.#bytes;
    const isText = bytes[this.at] === QUOTE;
    if (isText) this.at += 1;
    const isIso = bytes[this.at + 4] === MINUS;
    if (isIso ? !(isText && this.#isoTime()) : !this.#nanoseconds()) return false;
    if (!isText) return true;
    this.at += 1;
    return bytes[this.at - 1] === QUOTE;
  }

  #nanoseconds(): boolean {
    if (this.#bytes[this.at] === ZERO) return false;
    const seconds = this.#digits(SECONDS_DIGITS);
    const nanos = this.#digits(NANO_DIGITS);
    const next = this.#bytes[this.at]! - ZERO;
    if (Number.isNaN(seconds + nanos) || (next >= 0 && next <= 9)) return false;
    this.#day = Math.floor(seconds / DAY_SECONDS);
    this.#ns = (seconds - this.#day * DAY_SECONDS) * SECOND_NS + nanos;
    return true;
  }

  #isoTime(): boolean {
    const bytes = this.#bytes;
    const year = this.#digits(4);
    if (!this.#mark(MINUS)) return false;
    const month = this.#digits(2);
    if (!this.#mark(MINUS)) return false;
    const date = year * 10_000 + month * 100 + this.#digits(2);
    if (!this.#mark(T_UPPER)) return false;
    const hour = this.#digits(2);
    if (!this.#mark(COLON)) return false;
    const minute = this.#digits(2);
    if (!this.#mark(COLON)) return false;
    const second = this.#digits(2);
    let nanos = 0;
    if (bytes[this.at] === POINT) {
      this.at += 1;
      const from = this.at;
      let digit = bytes[this.at]! - ZERO;
      while (digit >= 0 && digit <= 9) {
        nanos = nanos * 10 + digit;
        this.at += 1;
        digit = bytes[this.at]! - ZERO;
      }
      const places = this.at - from;
      if (places === 0 || places > NANO_DIGITS) return false;
      nanos *= POWERS[NANO_DIGITS - places]!;
    }
    if (!this.#mark(Z_UPPER)) return false;
    // Also false for a part that is no number.
    if (!(hour < 24 && minute < 60 && second < 60 && this.#isDate(date))) return false;
    this.#day = this.#dateDay;
    this.#ns = (hour * 3_600 + minute * 60 + second) * SECOND_NS + nanos;
    return true;
  }

  #isDate(date: number): boolean {
    if (date === this.#date) return true;
    if (!isUtcDay(date)) return false;
    this.#date = date;
    this.#dateDay = dayNumber(date);
    return true;
  }

  /** Exactly this many digits; NaN otherwise. */
  #digits(count: number): number {
    let value = 0;
    for (const end = this.at + count; this.at < end; this.at += 1) {
      const digit = this.#bytes[this.at]! - ZERO;
      if (!(digit >= 0 && digit <= 9)) return Number.NaN;
      value = value * 10 + digit;
    }
    return value;
  }

  #mark(byte: number): boolean {
    if (this.#bytes[this.at] !== byte) return false;
    this.at += 1;
    return true;
  }

  #sideWord(): boolean {
    const bytes = this.#bytes;
    const { at } = this;
    if (at + WORD_BYTES_MAX > bytes.length) return false;
    const four = this.#view.getUint32(at);
    let end = at + 4;
    if (four === BUY) this.#side = 1;
    else if (four === SEL && bytes[end] === LETTER_L) {
      this.#side = -1;
      end += 1;
    } else if (four === UNK && this.#view.getUint32(end) === NOWN) {
      this.#side = 0;
      end += 4;
    } else if (four === NULL) {
      this.#side = 0;
      this.at = end;
      return true;
    } else return false;
    this.at = end + 1;
    return bytes[end] === QUOTE;
  }

  #lineEnd(): boolean {
    const bytes = this.#bytes;
    this.#skipSpaces();
    if (bytes[this.at] === RETURN) this.at += 1;
    if (this.at === bytes.length) return true;
    return this.#mark(LINE_FEED);
  }

  #isTimely(): boolean {
    const { latestDay, latestNs } = this.#rows;
    const day = this.#day;
    return day >= FIRST_DAY && (day < latestDay || (day === latestDay && this.#ns <= latestNs));
  }
}

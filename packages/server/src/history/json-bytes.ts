/**
 * Writes JSON straight into bytes, exactly as `JSON.stringify` has it in UTF-8. Results are objects of
 * short members and many small whole numbers, and nearly all time of a line went into making text of those
 * first.
 */

import { freeMemory } from '../platform/free-memory.ts';

/** More than any number takes, or what stands beside it. */
const ROOM_BYTES = 32;
/** A unit of text is at most so many bytes, or so many when it is escaped. */
const UNIT_BYTES_MAX = 6;
/** Longer texts are left to the runtime. */
const SHORT_UNITS = 64;

const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const ZERO = 0x30;
const COLON = 0x3a;
const BRACKET = { open: 0x5b, close: 0x5d } as const;
const BACKSLASH = 0x5c;
const BRACE = { open: 0x7b, close: 0x7d } as const;
const SPACE = 0x20;
const ASCII_END = 0x80;

export class JsonBytes implements Disposable {
  #bytes: Buffer<ArrayBuffer>;
  #at = 0;

  constructor(capacity: number) {
    this.#bytes = Buffer.allocUnsafeSlow(Math.max(capacity, ROOM_BYTES));
  }

  get length(): number {
    return this.#at;
  }

  /** A copy of all that was written, in memory of its own; starts afresh. */
  take(): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(this.#bytes.subarray(0, this.#at));
    this.#at = 0;
    return bytes;
  }

  /** Text as it is, ASCII only. */
  ascii(text: string): void {
    this.#reserve(text.length);
    this.#at += this.#bytes.write(text, this.#at, 'latin1');
  }

  /** A value that is made of nothing but what JSON has. */
  value(value: unknown): void {
    if (typeof value === 'number') this.#number(value);
    else if (typeof value === 'string') this.#string(value);
    else if (value === null || typeof value === 'boolean') this.ascii(String(value));
    else if (Array.isArray(value)) this.#array(value);
    else if (typeof value === 'object') this.#object(value as Readonly<Record<string, unknown>>);
    else throw new TypeError(`JSON has no ${typeof value}`);
  }

  [Symbol.dispose](): void {
    freeMemory(this.#bytes.buffer);
  }

  #array(values: readonly unknown[]): void {
    this.#byte(BRACKET.open);
    for (let at = 0; at < values.length; at += 1) {
      if (at > 0) this.#byte(COMMA);
      const value = values[at];
      if (typeof value === 'number') this.#number(value);
      else this.value(value);
    }
    this.#byte(BRACKET.close);
  }

  #object(members: Readonly<Record<string, unknown>>): void {
    this.#byte(BRACE.open);
    let isFirst = true;
    for (const name in members) {
      const value = members[name];
      if (value === undefined) continue;
      if (!isFirst) this.#byte(COMMA);
      isFirst = false;
      this.#string(name);
      this.#byte(COLON);
      this.value(value);
    }
    this.#byte(BRACE.close);
  }

  #number(value: number): void {
    const whole = value | 0;
    if (whole !== value) {
      this.ascii(Number.isFinite(value) ? String(value) : 'null');
      return;
    }
    this.#reserve(ROOM_BYTES);
    const bytes = this.#bytes;
    let at = this.#at;
    // Of the smallest one the opposite is no 32-bit number: it stays negative, and so do its digits.
    let rest = whole;
    if (whole < 0) {
      bytes[at] = MINUS;
      at += 1;
    } else {
      rest = -whole;
    }
    let digits = 1;
    for (let limit = -10; rest <= limit && digits < 10; limit *= 10) digits += 1;
    for (let digit = at + digits - 1; digit >= at; digit -= 1) {
      const tenth = (rest / 10) | 0;
      bytes[digit] = ZERO + tenth * 10 - rest;
      rest = tenth;
    }
    this.#at = at + digits;
  }

  #string(text: string): void {
    const { length } = text;
    if (length > SHORT_UNITS) {
      this.#text(text);
      return;
    }
    this.#reserve(length + ROOM_BYTES);
    const bytes = this.#bytes;
    const start = this.#at + 1;
    bytes[start - 1] = QUOTE;
    for (let unit = 0; unit < length; unit += 1) {
      const code = text.charCodeAt(unit);
      if (code < SPACE || code >= ASCII_END || code === QUOTE || code === BACKSLASH) {
        this.#text(text);
        return;
      }
      bytes[start + unit] = code;
    }
    bytes[start + length] = QUOTE;
    this.#at = start + length + 1;
  }

  #text(text: string): void {
    this.#reserve(text.length * UNIT_BYTES_MAX + ROOM_BYTES);
    this.#at += this.#bytes.write(JSON.stringify(text), this.#at);
  }

  #byte(byte: number): void {
    if (this.#at === this.#bytes.length) this.#reserve(ROOM_BYTES);
    this.#bytes[this.#at] = byte;
    this.#at += 1;
  }

  #reserve(count: number): void {
    const size = this.#at + count;
    if (size <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(size, this.#bytes.length * 2));
    this.#bytes.copy(larger, 0, 0, this.#at);
    freeMemory(this.#bytes.buffer);
    this.#bytes = larger;
  }
}

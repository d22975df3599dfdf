/**
 * Dates and times as text, read byte by byte; `iso` is the common part of RFC 3339 and ISO 8601. The part before the
 * fraction usually equals the previous row's; then it is compared and not parsed.
 */

import { isUtcDay } from '@tapeloom/core/utc-day';

const ISO = 'yyyy-MM-dd~HH:mm:ss[.F][X]';
const TOKEN =
  /'[ -&(-~]+'|yyyy|MM?|dd?|HH?|hh?|mm|ss|a|f{1,9}|\[\.F\]|u|\[X\]|X|[^A-Za-z[\]]|[TD]/y;
const NUMBERS = /^[yMdHhms]/;
const HALF_DAY_SECONDS = 43_200;
const PREFIX_MAX = 64;
const ZERO = 0x30;
const DOT = 0x2e;
const COLON = 0x3a;
const PLUS = 0x2b;
const MINUS = 0x2d;

/** The numbers before the fraction, by the first letter of their token. */
type Part = 'y' | 'M' | 'd' | 'H' | 'h' | 'm' | 's';
type Step =
  | { readonly kind: 'digits'; readonly part: Part; readonly least: number; readonly most: number }
  | { readonly kind: 'byte'; readonly byte: number }
  | { readonly kind: 'date-end' }
  | { readonly kind: 'half' };
type Tail =
  | { readonly kind: 'digits'; readonly count: number }
  | { readonly kind: 'fraction' }
  | { readonly kind: 'micros' }
  | { readonly kind: 'byte'; readonly byte: number }
  | { readonly kind: 'half' }
  | { readonly kind: 'offset'; readonly isOptional: boolean };

/**
 * A pattern consists of `yyyy`, `MM` or `M`, `dd` or `d`, `HH` or `H`, `hh` or `h` with `a` (AM or PM), `mm`, `ss`;
 * `f`, repeated for each digit of the fraction of a second; `[.F]`, an optional fraction of 1 to 9 digits; `u`, a count
 * of microseconds without leading zeros; `X`, an offset such as `Z` or `+01:00`, optional as `[X]`. Other characters
 * stand for themselves: `T`, `D`, and any quoted text (`' UTC'`).
 */
export class TimePattern {
  /** The values of the last text. Parts that the pattern does not have stay 0. */
  date = 0;
  secondOfDay = 0;
  fractionNs = 0;
  /** NaN without an offset in the text. */
  offsetSeconds = Number.NaN;
  readonly hasDate: boolean;
  readonly hasTime: boolean;
  readonly #steps: readonly Step[];
  readonly #tail: readonly Tail[];
  readonly #parts: Record<Part, number> = {
    y: 0,
    M: 0,
    d: 0,
    H: 0,
    h: 0,
    m: 0,
    s: 0,
  };
  readonly #prefix = new Uint8Array(PREFIX_MAX);
  #prefixLength = -1;
  /** Whether hours are 12-hour, and the seconds to add for PM. */
  readonly #isHalved: boolean;
  #halfSeconds = 0;
  #hourSeconds = 0;

  /** Throws a RangeError for an invalid pattern. */
  constructor(pattern: string) {
    const tokens = tokensOf(pattern === 'iso' ? ISO : pattern);
    const tailAt = tokens.findIndex((token) => /^(?:f|u|X|\[)/.test(token));
    const head = tailAt === -1 ? tokens : tokens.slice(0, tailAt);
    this.#steps = head.flatMap(stepsOf);
    this.#tail = tailAt === -1 ? [] : tokens.slice(tailAt).flatMap(tailsOf);
    const letters = head.flatMap((token) => (NUMBERS.test(token) ? [token[0]!] : [])).join('');
    this.#isHalved = letters.includes('h');
    if (this.#isHalved !== tokens.includes('a') || (this.#isHalved && letters.includes('H'))) {
      throw new RangeError(`the pattern "${pattern}" needs h together with a, or H alone`);
    }
    this.hasDate = /y/.test(letters) && /M/.test(letters) && /d/.test(letters);
    this.hasTime = /H/i.test(letters) && /m/.test(letters);
    if (new Set(letters).size !== letters.length) {
      throw new RangeError(`the pattern "${pattern}" has a part twice`);
    }
    if ((!this.hasDate && /[yMd]/.test(letters)) || (!this.hasTime && /[Hhms]/.test(letters))) {
      throw new RangeError(`the pattern "${pattern}" has only a part of a date or of a time`);
    }
    if (letters === '') throw new RangeError(`the pattern "${pattern}" has no date and no time`);
    if (this.#tail.length > 0 && !letters.includes('s')) {
      throw new RangeError(`the pattern "${pattern}" has a fraction or an offset without seconds`);
    }
  }

  /** Reads the bytes from `start` to `end`; false if they do not match the pattern completely. */
  read(bytes: Uint8Array, start: number, end: number): boolean {
    let at = this.#isPrefixKnown(bytes, start, end) ? start + this.#prefixLength : -1;
    if (at === -1) {
      this.#prefixLength = -1;
      at = this.#readPrefix(bytes, start, end);
      if (at === -1) return false;
      this.#remember(bytes, start, at);
    }
    if (this.#readTail(bytes, at, end) !== end) return false;
    this.secondOfDay = this.#hourSeconds + this.#halfSeconds;
    return true;
  }

  #isPrefixKnown(bytes: Uint8Array, start: number, end: number): boolean {
    const length = this.#prefixLength;
    if (length === -1 || start + length > end) return false;
    if (this.#tail.length === 0 && start + length !== end) return false;
    const prefix = this.#prefix;
    // Backwards, since differences are near the end.
    for (let at = length - 1; at >= 0; at -= 1) {
      if (prefix[at] !== bytes[start + at]) return false;
    }
    return true;
  }

  #remember(bytes: Uint8Array, start: number, end: number): void {
    if (end - start > PREFIX_MAX) return;
    for (let at = start; at < end; at += 1) this.#prefix[at - start] = bytes[at]!;
    this.#prefixLength = end - start;
  }

  #readPrefix(bytes: Uint8Array, start: number, end: number): number {
    const parts = this.#parts;
    let at = start;
    for (const step of this.#steps) {
      if (step.kind === 'date-end') {
        if (at >= end || (bytes[at] !== 0x54 && bytes[at] !== 0x74 && bytes[at] !== 0x20))
          return -1;
        at += 1;
      } else if (step.kind === 'byte') {
        if (at >= end || bytes[at] !== step.byte) return -1;
        at += 1;
      } else if (step.kind === 'half') {
        if (!this.#readHalf(bytes, at, end)) return -1;
        at += 2;
      } else {
        let value = 0;
        const first = at;
        while (at < end && at - first < step.most && isDigit(bytes[at]!)) {
          value = value * 10 + bytes[at]! - ZERO;
          at += 1;
        }
        if (at - first < step.least) return -1;
        parts[step.part] = value;
      }
    }
    const date = parts.y * 10_000 + parts.M * 100 + parts.d;
    if (this.hasDate && date !== this.date && !isUtcDay(date)) return -1;
    if (this.#isHalved) {
      if (parts.h < 1 || parts.h > 12) return -1;
      parts.H = parts.h % 12;
    }
    if (parts.H > 23 || parts.m > 59 || parts.s > 59) return -1;
    this.date = date;
    this.#hourSeconds = parts.H * 3_600 + parts.m * 60 + parts.s;
    return at;
  }

  /** AM or PM, in any case. */
  #readHalf(bytes: Uint8Array, at: number, end: number): boolean {
    if (at + 2 > end || (bytes[at + 1]! | 0x20) !== 0x6d) return false;
    const letter = bytes[at]! | 0x20;
    this.#halfSeconds = letter === 0x70 ? HALF_DAY_SECONDS : 0;
    return letter === 0x70 || letter === 0x61;
  }

  /** Returns the position after the tail, or -1. */
  #readTail(bytes: Uint8Array, from: number, end: number): number {
    this.fractionNs = 0;
    this.offsetSeconds = Number.NaN;
    let at = from;
    for (const part of this.#tail) {
      if (part.kind === 'byte') {
        if (at >= end || bytes[at] !== part.byte) return -1;
        at += 1;
      } else if (part.kind === 'half') {
        if (!this.#readHalf(bytes, at, end)) return -1;
        at += 2;
      } else if (part.kind === 'offset') {
        if (at === end && part.isOptional) continue;
        at = this.#readOffset(bytes, at, end);
        if (at === -1) return -1;
      } else {
        if (part.kind === 'fraction') {
          if (at >= end || bytes[at] !== DOT) continue;
          at += 1;
        }
        at = this.#readFraction(bytes, at, end, part);
        if (at === -1) return -1;
      }
    }
    return at;
  }

  #readFraction(
    bytes: Uint8Array,
    from: number,
    end: number,
    part: Exclude<Tail, { readonly kind: 'byte' | 'offset' | 'half' }>,
  ): number {
    const most = part.kind === 'digits' ? part.count : part.kind === 'micros' ? 6 : 9;
    let at = from;
    let value = 0;
    while (at < end && at - from < most && isDigit(bytes[at]!)) {
      value = value * 10 + bytes[at]! - ZERO;
      at += 1;
    }
    const digits = at - from;
    if (digits === 0 || (part.kind === 'digits' && digits !== part.count)) return -1;
    this.fractionNs = value * (part.kind === 'micros' ? 1_000 : 10 ** (9 - digits));
    return at;
  }

  #readOffset(bytes: Uint8Array, from: number, end: number): number {
    const byte = bytes[from];
    if (from < end && (byte === 0x5a || byte === 0x7a)) {
      this.offsetSeconds = 0;
      return from + 1;
    }
    if (from + 3 > end || (byte !== PLUS && byte !== MINUS)) return -1;
    const hours = twoDigits(bytes, from + 1);
    let at = from + 3;
    let minutes = 0;
    if (at < end) {
      if (bytes[at] === COLON) at += 1;
      if (at + 2 > end) return -1;
      minutes = twoDigits(bytes, at);
      at += 2;
    }
    if (!(hours <= 23 && minutes <= 59)) return -1;
    this.offsetSeconds = (byte === MINUS ? -1 : 1) * (hours * 3_600 + minutes * 60);
    return at;
  }
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= ZERO + 9;
}

function twoDigits(bytes: Uint8Array, at: number): number {
  if (!isDigit(bytes[at]!) || !isDigit(bytes[at + 1]!)) return Number.NaN;
  return (bytes[at]! - ZERO) * 10 + bytes[at + 1]! - ZERO;
}

function tokensOf(pattern: string): readonly string[] {
  const tokens: string[] = [];
  for (let at = 0; at < pattern.length; at += tokens.at(-1)!.length) {
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(pattern)?.[0];
    if (token === undefined || token.charCodeAt(0) > 0x7e) {
      throw new RangeError(
        `the pattern "${pattern}" has "${pattern[at]}", which means nothing there`,
      );
    }
    tokens.push(token);
  }
  return tokens;
}

function stepsOf(token: string): readonly Step[] {
  if (token === '~') return [{ kind: 'date-end' }];
  if (token === 'a') return [{ kind: 'half' }];
  return NUMBERS.test(token) ? [digitsOf(token)] : bytesIn(token);
}

/** A single character stands for itself, quoted text for its content. */
function bytesIn(token: string) {
  const text = token.length > 1 ? token.slice(1, -1) : token;
  return [...text].map((sign) => ({ kind: 'byte', byte: sign.charCodeAt(0) }) as const);
}

function digitsOf(token: string): Step {
  const isOpen = token.length === 1;
  return {
    kind: 'digits',
    part: token[0] as Part,
    least: token.length,
    most: isOpen ? 2 : token.length,
  };
}

function tailsOf(token: string): readonly Tail[] {
  if (token === '[.F]') return [{ kind: 'fraction' }];
  if (token === 'u') return [{ kind: 'micros' }];
  if (token === 'a') return [{ kind: 'half' }];
  if (token === 'X' || token === '[X]') return [{ kind: 'offset', isOptional: token !== 'X' }];
  if (token.startsWith('f')) return [{ kind: 'digits', count: token.length }];
  if (NUMBERS.test(token)) {
    throw new RangeError(`"${token}" stands after the fraction of a second`);
  }
  return bytesIn(token);
}

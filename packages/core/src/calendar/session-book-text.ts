/**
 * The session book as a JSON document: instants as decimal text, one session per line for readable diffs, and a CRC-32
 * over everything before it. Parsing returns exactly what was written or throws the reason; it never repairs.
 */

import type { EpochNs, UtcDay } from '../numbers.ts';
import { isUtcDay } from '../utc-day.ts';
import { SESSION_KINDS, type Session } from './session.ts';
import type { SessionBook } from './session-book.ts';

const INSTANT_TEXT = /^(0|[1-9]\d{0,18})$/;
const END = /,\n"crc32":"([0-9a-f]{8})"\n}\n$/;

/** The text is no session book, or a damaged one, or one of an unknown version. */
export class SessionBookError extends Error {
  override readonly name = 'SessionBookError';
}

export function formatSessionBook(book: SessionBook): string {
  const fields = [
    `"version":${book.version}`,
    `"calendar":${JSON.stringify(book.calendar)}`,
    `"from":${book.from}`,
    `"to":${book.to}`,
    ...SESSION_KINDS.map((kind) => `"${kind}":[\n${book[kind].map(formatRow).join(',\n')}\n]`),
  ];
  const body = `{\n${fields.join(',\n')}`;
  return `${body},\n"crc32":"${crc32(body)}"\n}\n`;
}

/** Parses a session book; throws a `SessionBookError` with the reason. */
export function parseSessionBook(text: string): SessionBook {
  const end = END.exec(text);
  if (end === null) throw new SessionBookError('the session book is cut off or is none');
  const body = text.slice(0, end.index);
  if (crc32(body) !== end[1]) {
    throw new SessionBookError(
      `the session book is damaged: its CRC-32 is ${crc32(body)}, ${end[1]} is written in it`,
    );
  }
  const book = parseObject(text);
  const { version, calendar, from, to } = book;
  if (version !== 1) {
    throw new SessionBookError(`the session book has version ${version}, known is 1`);
  }
  if (typeof calendar !== 'string' || !isDay(from) || !isDay(to) || from > to) {
    throw new SessionBookError('the session book lacks its calendar or its range of dates');
  }
  const [full, rth, utc] = SESSION_KINDS.map((kind) => parseRows(book[kind], kind, from, to));
  return { version, calendar, from, to, full: full!, rth: rth!, utc: utc! };
}

function formatRow(session: Session): string {
  return `[${session.date},"${session.open}","${session.close}"]`;
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new SessionBookError('the session book is not JSON', { cause });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new SessionBookError('the session book is not a JSON object');
  }
  return value as Readonly<Record<string, unknown>>;
}

function parseRows(rows: unknown, kind: string, from: UtcDay, to: UtcDay): Session[] {
  if (!Array.isArray(rows)) throw new SessionBookError(`the session book has no ${kind} sessions`);
  const sessions: Session[] = [];
  for (const row of rows) {
    const session = parseRow(row);
    const before = sessions.at(-1);
    if (session === null || session.date < from || session.date > to) {
      throw new SessionBookError(
        `the session book has a ${kind} session that is none: ${JSON.stringify(row)}`,
      );
    }
    if (before && (before.date >= session.date || before.close > session.open)) {
      throw new SessionBookError(
        `the session book has ${kind} sessions out of order at ${session.date}`,
      );
    }
    sessions.push(session);
  }
  return sessions;
}

function parseRow(row: unknown): Session | null {
  if (!Array.isArray(row) || row.length !== 3) return null;
  const [date, open, close] = row as readonly unknown[];
  if (!isDay(date) || !isInstantText(open) || !isInstantText(close)) return null;
  const session = { date, open: BigInt(open) as EpochNs, close: BigInt(close) as EpochNs };
  return session.open < session.close ? session : null;
}

function isDay(value: unknown): value is UtcDay {
  return typeof value === 'number' && isUtcDay(value);
}

function isInstantText(value: unknown): value is string {
  return typeof value === 'string' && INSTANT_TEXT.test(value);
}

/** CRC-32 (ISO 3309) of the UTF-8 text, as eight hexadecimal digits. */
function crc32(text: string): string {
  let crc = ~0;
  for (const byte of new TextEncoder().encode(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (0xedb88320 & -(crc & 1));
  }
  return (~crc >>> 0).toString(16).padStart(8, '0');
}

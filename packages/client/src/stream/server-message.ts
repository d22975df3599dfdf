/**
 * Validates messages of a server that may be newer than this client, or not Tapeloom. A valid message has all the
 * fields that the client relies on. Messages of an unknown kind are ignored; all others are bad.
 */

import type { ServerMessage } from '@tapeloom/protocol/server-messages';

const NANOSECONDS = /^\d{1,19}$/;
const DAY_DIGITS = 8;
const DIGITS_MAX = 19;
const [DOT, ZERO, NINE] = [46, 48, 57] as const;
/** The last valid time: successive versions of one object have the same one. */
let lastNs = '0';

type Fields = Readonly<Record<string, unknown>>;
type IsGood = (message: Fields) => boolean;

/** A message; null for one to ignore; `bad` for one that cannot be parsed. */
export function readServerMessage(text: unknown): ServerMessage | null | 'bad' {
  if (typeof text !== 'string') return 'bad';
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return 'bad';
  }
  if (!isFields(message) || typeof message.t !== 'string') return 'bad';
  const isGood = checkOf(message.t);
  if (isGood === null) return null;
  return isGood(message) ? (message as unknown as ServerMessage) : 'bad';
}

/** Nearly all messages are upserts: comparing a freshly parsed text is faster than a lookup. */
function checkOf(t: string): IsGood | null {
  if (t === 'upsert') return KINDS.upsert;
  return Object.hasOwn(KINDS, t) ? KINDS[t as keyof typeof KINDS] : null;
}

const KINDS: Record<ServerMessage['t'], IsGood> = {
  upsert: (it) => isText(it.sub) && isCursor(it.cursor) && isObject(it),
  remove: (it) => isText(it.sub) && isCursor(it.cursor) && isBare(it),
  hb: (it) => isNs(it.ts) && isAbsentOr(isText, it.sub) && isAbsentOr(isCursor, it.cursor),
  snapshot: (it) =>
    isText(it.sub) && isCursor(it.cursor) && Array.isArray(it.items) && it.items.every(isObject),
  status: (it) =>
    isText(it.sub) && isText(it.state) && isCount(it.lagMs) && isAbsentOr(isNs, it.partialSince),
  subscribed: (it) => isText(it.sub) && isText(it.contract) && isCount(it.tickSizeNanos),
  reset: (it) => isText(it.sub) && isText(it.reason),
  error: (it) => isAbsentOr(isText, it.sub) && isText(it.code) && isText(it.message),
  pong: (it) => isNs(it.ts),
  notice: (it) =>
    isText(it.kind) && isAbsentOr(isNs, it.effectiveAt) && isAbsentOr(isText, it.instrument),
};

function isObject(it: unknown): boolean {
  return isFields(it) && isBare(it) && typeof it.data === 'object' && it.data !== null;
}

function isBare(it: Fields): boolean {
  return isText(it.id) && typeof it.final === 'boolean' && isNs(it.ts);
}

function isFields(it: unknown): it is Fields {
  return typeof it === 'object' && it !== null && !Array.isArray(it);
}

function isText(it: unknown): boolean {
  return typeof it === 'string';
}

/** `<utcDay>.<rank>.<k>`, digit by digit: every message has one, and a regular expression is slower. */
function isCursor(it: unknown): boolean {
  if (typeof it !== 'string' || it.charCodeAt(DAY_DIGITS) !== DOT) return false;
  const rankEnd = numberEnd(it, DAY_DIGITS + 1);
  return (
    it.charCodeAt(0) !== ZERO &&
    numberEnd(it, 0) === DAY_DIGITS &&
    it.charCodeAt(rankEnd) === DOT &&
    numberEnd(it, rankEnd + 1) === it.length
  );
}

/** Where a number without leading zeros ends; -1 if there is none. */
function numberEnd(text: string, start: number): number {
  let end = start;
  while (end < text.length && text.charCodeAt(end) >= ZERO && text.charCodeAt(end) <= NINE) {
    end += 1;
  }
  const digits = end - start;
  const isNumber = digits === 1 || (digits > 1 && text.charCodeAt(start) !== ZERO);
  return isNumber && digits <= DIGITS_MAX ? end : -1;
}

function isNs(it: unknown): boolean {
  if (it === lastNs) return true;
  if (typeof it !== 'string' || !NANOSECONDS.test(it)) return false;
  lastNs = it;
  return true;
}

function isCount(it: unknown): boolean {
  return typeof it === 'number' && it >= 0;
}

function isAbsentOr(isGood: (it: unknown) => boolean, it: unknown): boolean {
  return it === undefined || isGood(it);
}

/** Keys in words: their hint, state and restrictions. */

import type { KeyView } from '../../api/portal-shapes.ts';
import { counted } from '../../components/number-text.ts';
import { dayText, millisecondsOf } from '../../components/time-text.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** More are shown as a count, and listed on a click. */
const INSTRUMENTS_NAMED_MAX = 2;

export interface StateWords {
  readonly text: string;
  readonly level: 'ok' | 'warn' | '';
  /** When it ends or ended. */
  readonly at: string | null;
}

/** The key as its owner recognises it: `svc_live_…7Kq2`. */
export function keyHint({ environment, hint }: Pick<KeyView, 'environment' | 'hint'>): string {
  return `svc_${environment}_…${hint}`;
}

export function isValid({ state }: Pick<KeyView, 'state'>): boolean {
  return state === 'active' || state === 'expiring';
}

export function stateWords(
  { state, expiresAt, revokedAt }: Pick<KeyView, 'state' | 'expiresAt' | 'revokedAt'>,
  nowMs: number,
): StateWords {
  if (state === 'revoked') return ended('Revoked', revokedAt, nowMs);
  if (state === 'expired') return ended('Expired', expiresAt, nowMs);
  if (expiresAt === undefined) return { text: 'Active', level: 'ok', at: null };
  const endMs = millisecondsOf(expiresAt);
  return { text: `Ends ${untilText(endMs, nowMs)}`, level: 'warn', at: expiresAt };
}

/** `in 5 h`, or a date if further away. */
function untilText(endMs: number, nowMs: number): string {
  const away = endMs - nowMs;
  if (away < MINUTE_MS) return 'in less than a minute';
  if (away < HOUR_MS) return `in ${Math.floor(away / MINUTE_MS)} min`;
  if (away < 2 * DAY_MS) return `in ${Math.floor(away / HOUR_MS)} h`;
  return nearDay(endMs, nowMs);
}

function ended(word: string, at: string | undefined, nowMs: number): StateWords {
  if (at === undefined) return { text: word, level: '', at: null };
  return { text: `${word} ${nearDay(millisecondsOf(at), nowMs)}`, level: '', at };
}

/** `2 Nov`, with the year if it is another one. */
function nearDay(ms: number, nowMs: number): string {
  const [day, year] = splitYear(dayText(ms));
  return year === splitYear(dayText(nowMs))[1] ? day : `${day} ${year}`;
}

function splitYear(text: string): [day: string, year: string] {
  return [text.slice(0, -5), text.slice(-4)];
}

/** Null: the key is unrestricted. */
export function restrictionWords({
  instruments,
  allowedIps,
}: Pick<KeyView, 'instruments' | 'allowedIps'>): string | null {
  const parts = [
    ...(instruments === undefined ? [] : [instrumentWords(instruments)]),
    ...(allowedIps === undefined ? [] : [counted(allowedIps.length, 'address', 'addresses')]),
  ];
  return parts.length === 0 ? null : parts.join(', ');
}

function instrumentWords(instruments: readonly string[]): string {
  if (instruments.length <= INSTRUMENTS_NAMED_MAX) return instruments.join(', ');
  return counted(instruments.length, 'instrument');
}

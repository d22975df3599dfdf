/** What the answers of all venues have in common: refusals, and JSON with the fields that were expected. */

import { DAY_MS, MS_NS } from '@tapeloom/core/units';
import type { PageAnswer, PageOutcome, PageRequest } from './feed.ts';
import type { FeedTrade } from './lines/line.ts';
import type { Network } from './network.ts';
import { onGrid } from './on-grid.ts';
import { reasonOf } from './reason-of.ts';
import { retryAfterMs } from './retry-after.ts';
import { VenueError } from './venue-kind.ts';

const SHOWN_CHARACTERS_MAX = 200;
/** The last millisecond of the year 9999. */
const TIME_MS_MAX = 253_402_300_799_999;
const WHY_BY_STATUS: Readonly<Record<number, string>> = {
  401: 'the venue wants a key',
  403: 'the venue refuses this machine',
  404: 'nothing is at this address',
  418: 'the venue has banned this address for a while',
  429: 'too many requests',
  451: 'the venue does not serve this country',
};

/** Null: the answer has what was requested. */
export function refusalOf({ status, headers, body }: PageAnswer): Refusal | null {
  if (status === 200) return null;
  const said = shownText(body);
  const why = WHY_BY_STATUS[status] ?? (status < 500 ? 'the venue rejects it' : 'the venue failed');
  return {
    kind: 'refused',
    why: `${why} (${status}${said === '' ? '' : `: ${said}`})`,
    retryAfterMs: retryAfterMs(headers['retry-after']),
  };
}

/** A venue's words for an operator: one short line, which cannot move the cursor of a terminal. */
export function shownText(text: string): string {
  return text
    .slice(0, SHOWN_CHARACTERS_MAX)
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim();
}

type Refusal = Extract<PageOutcome, { readonly kind: 'refused' }>;

/** Requests a JSON document. Rejects with a `VenueError` that names the address. */
export async function requestJson(
  network: Network,
  request: PageRequest,
  signal: AbortSignal,
): Promise<unknown> {
  const { host } = new URL(request.url);
  let answer: PageAnswer;
  try {
    answer = await network.request(request, signal);
  } catch (error) {
    throw new VenueError(`${host} cannot be reached: ${reasonOf(error)}`, true, { cause: error });
  }
  const refusal = refusalOf(answer);
  if (refusal !== null) {
    const isTemporary = answer.status === 418 || answer.status === 429 || answer.status >= 500;
    throw new VenueError(`${host} refused the request: ${refusal.why}`, isTemporary);
  }
  try {
    return JSON.parse(answer.body) as unknown;
  } catch (error) {
    throw new VenueError(`${host} did not answer with JSON`, true, { cause: error });
  }
}

/** The venue's message lacks a field, or has a wrong one: the message is not understood. */
export class FieldError extends Error {
  constructor(field: string, value: unknown) {
    const shown = JSON.stringify(value)?.slice(0, SHOWN_CHARACTERS_MAX) ?? 'nothing';
    super(`the field ${field} is ${shown}`);
  }
}

/** The description of a contract. Throws a `VenueError` for a field that is not as expected. */
export function understood<Value>(host: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof FieldError)) throw error;
    throw new VenueError(`The answer of ${host} is not understood: ${error.message}`, false, {
      cause: error,
    });
  }
}

/** A whole number without loss, also when the venue sends it as text. */
export function wholeOf(value: unknown, field: string): number {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value;
  if (Number.isSafeInteger(number)) return number as number;
  throw new FieldError(field, value);
}

/** The number of a trade: whole and not negative. */
export function numberOf(value: unknown, field: string): number {
  const number = wholeOf(value, field);
  if (number < 0) throw new FieldError(field, value);
  return number;
}

/** A decimal as text, also when the venue sends it as a number. */
export function decimalOf(value: unknown, field: string): string {
  if (typeof value === 'string' && value !== '') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return `${value}`;
  throw new FieldError(field, value);
}

export function textOf(value: unknown, field: string): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new FieldError(field, value);
}

/** An object with any fields. */
export function fieldsOf(value: unknown, field: string): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Readonly<Record<string, unknown>>;
  }
  throw new FieldError(field, value);
}

export function listOf(value: unknown, field: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new FieldError(field, value);
}

/** A decimal as a whole number of ticks or lots; a fraction off the grid, as `onGrid` has it. */
export function unitsOf(value: unknown, field: string, unitNanos: number): number {
  const units = onGrid(decimalOf(value, field), unitNanos);
  if (Number.isNaN(units)) throw new FieldError(field, value);
  return units;
}

/** Lots, as `unitsOf`. The tape would leave out a negative size, and no gap would name it. */
export function sizeOf(value: unknown, field: string, lotNanos: number): number {
  const lots = unitsOf(value, field, lotNanos);
  if (lots < 0) throw new FieldError(field, value);
  return lots;
}

/** Milliseconds since 1970 as a trade's time, in a year that a tape can have. */
export function timeOfMs(ms: number, field: string): Pick<FeedTrade, 'day' | 'ns'> {
  if (!(ms >= 0 && ms <= TIME_MS_MAX)) throw new FieldError(field, ms);
  const day = Math.floor(ms / DAY_MS);
  return { day, ns: (ms - day * DAY_MS) * MS_NS };
}

/** Whether a text of the venue names this contract, and not one whose longer name begins or ends like it. */
export function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const around = `${text[at - 1] ?? ' '}${text[at + word.length] ?? ' '}`;
    if (!/[A-Za-z0-9]/.test(around)) return true;
  }
  return false;
}

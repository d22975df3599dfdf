/**
 * Requests per minute, refilled continuously: a full allowance is `perMinute` requests at once, and
 * `perMinute` sixtieths come back every second. All arithmetic is exact in whole numbers: a request is
 * 60e9 parts, and each nanosecond gives `perMinute` parts back, so nothing is lost however often the
 * state is brought up to date. The largest limit is one whose parts a double still counts exactly.
 *
 * A request may count at several allowances at once (a test key's at its account's and at the one test
 * keys share): it passes where all have room, and else takes from none. An allowance whose limit changes
 * goes on with the requests that were spent of it, as far as the new limit holds them.
 *
 * A clock that jumps does little harm: back, and nothing refills during the jump; ahead, and the
 * allowance is full. In neither case is anybody locked out for more than a minute, or given more than
 * one full allowance.
 */

import type { EpochNs } from '../numbers.ts';
import { MINUTE_NS, SECOND_NS } from '../units.ts';

/** Parts of one request; a nanosecond gives back as many parts as the limit has requests. */
const REQUEST = MINUTE_NS;
/** Its parts stay below 2 ** 53, and no quotient of them is rounded to a whole number that it is not. */
const PER_MINUTE_MAX = 100_000;

export interface AllowanceState {
  readonly at: EpochNs;
  readonly perMinute: number;
  /** What was spent and has not come back, in parts of a request. */
  readonly spent: number;
}

/** An allowance at which a request counts; `state` is null where nothing has been spent. */
export interface Allowance {
  readonly state: AllowanceState | null;
  readonly perMinute: number;
}

export interface AllowanceVerdict {
  readonly granted: boolean;
  readonly limit: number;
  /** Requests that would pass now. */
  readonly remaining: number;
  /** Whole seconds after which everything spent has come back. */
  readonly resetSeconds: number;
  /** Whole seconds, at least 1, after which the next request passes; 0 when this one was granted. */
  readonly retryAfterSeconds: number;
}

/**
 * Takes one request of all these allowances, if it may be. Their states come back in the same order; the
 * verdict has the limit of the last of them, and of the rest what is least for whoever asks.
 */
export function takeFromAllowances(
  now: EpochNs,
  allowances: readonly Allowance[],
): { readonly states: readonly AllowanceState[]; readonly verdict: AllowanceVerdict } {
  // Plain loops: every request comes here.
  let granted = true;
  for (const { state, perMinute } of allowances) {
    granted = spentAt(now, state, perMinute) + REQUEST <= capacity(perMinute) && granted;
  }
  const states: AllowanceState[] = [];
  for (const { state, perMinute } of allowances) {
    const spent = spentAt(now, state, perMinute) + (granted ? REQUEST : 0);
    states.push({ at: now, perMinute, spent });
  }
  return { states, verdict: verdictOf(states, granted) };
}

/** The state as it is by now, with so many requests not spent. */
export function spentLess(state: AllowanceState, now: EpochNs, requests: number): AllowanceState {
  const spent = Math.max(refilled(state, now) - requests * REQUEST, 0);
  return { at: now, perMinute: state.perMinute, spent };
}

/** Whether nothing is spent any more: as good as no state at all. */
export function isFull(state: AllowanceState, now: EpochNs): boolean {
  return refilled(state, now) === 0;
}

function spentAt(now: EpochNs, state: AllowanceState | null, perMinute: number): number {
  if (!Number.isSafeInteger(perMinute) || perMinute < 1 || perMinute > PER_MINUTE_MAX) {
    const range = `a whole number of requests from 1 to ${PER_MINUTE_MAX}`;
    throw new RangeError(`a limit is ${range}, got ${perMinute}`);
  }
  return state === null ? 0 : Math.min(refilled(state, now), capacity(perMinute));
}

/** What of the spent has not come back by now. */
function refilled({ at, perMinute, spent }: AllowanceState, now: EpochNs): number {
  // A difference that is no exact double is longer than a minute, be it rounded or not.
  const elapsedNs = Math.min(Math.max(Number(now - at), 0), MINUTE_NS);
  return Math.max(spent - elapsedNs * perMinute, 0);
}

/** What to tell who asked, when these are the states after it. */
export function verdictOf(states: readonly AllowanceState[], granted: boolean): AllowanceVerdict {
  let remaining = Number.POSITIVE_INFINITY;
  let resetSeconds = 0;
  let retryAfterSeconds = 0;
  for (const { perMinute, spent } of states) {
    const free = capacity(perMinute) - spent;
    remaining = Math.min(remaining, Math.floor(free / REQUEST));
    resetSeconds = Math.max(resetSeconds, secondsToRefill(spent, perMinute));
    if (granted || free >= REQUEST) continue;
    retryAfterSeconds = Math.max(retryAfterSeconds, secondsToRefill(REQUEST - free, perMinute));
  }
  const { perMinute: limit } = states.at(-1)!;
  return { granted, limit, remaining, resetSeconds, retryAfterSeconds };
}

function secondsToRefill(parts: number, perMinute: number): number {
  return Math.ceil(parts / (SECOND_NS * perMinute));
}

function capacity(perMinute: number): number {
  return perMinute * REQUEST;
}

/**
 * A token bucket for requests per minute: it holds `perMinute` requests and refills continuously. The arithmetic is
 * exact in integers (a request is 60e9 parts, each nanosecond returns `perMinute` parts), so frequent updates lose
 * nothing. When the limit changes, spent requests carry over, as far as the new limit holds them. A clock that jumps
 * locks no caller out for more than a minute, and gives at most one full allowance.
 */

import type { EpochNs } from '../numbers.ts';
import { MINUTE_NS, SECOND_NS } from '../units.ts';

/** Parts of one request. A nanosecond returns as many parts as the limit has requests. */
const REQUEST = MINUTE_NS;
/** Up to this limit parts stay below 2 ** 53: doubles count them exactly, and no quotient is wrongly rounded. */
const PER_MINUTE_MAX = 100_000;

export interface AllowanceState {
  readonly at: EpochNs;
  readonly perMinute: number;
  /** What was spent and is not yet refilled, in parts of a request. */
  readonly spent: number;
}

/** An allowance that a request counts towards; `state` is null if nothing was spent. */
export interface Allowance {
  readonly state: AllowanceState | null;
  readonly perMinute: number;
}

export interface AllowanceVerdict {
  readonly granted: boolean;
  readonly limit: number;
  /** Requests that would pass now. */
  readonly remaining: number;
  /** Whole seconds until everything is refilled. */
  readonly resetSeconds: number;
  /** Whole seconds, at least 1, until the next request passes; 0 if this one was granted. */
  readonly retryAfterSeconds: number;
}

/**
 * Takes one request from all these allowances (a test key counts towards the account's and the shared one of test
 * keys), or from none if any is exhausted. The states come back in the same order. The verdict has the limit of the
 * last allowance and the strictest of the other values.
 */
export function takeFromAllowances(
  now: EpochNs,
  allowances: readonly Allowance[],
): { readonly states: readonly AllowanceState[]; readonly verdict: AllowanceVerdict } {
  // Plain loops: this runs for every request.
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

/** The state at `now`, with `requests` given back. */
export function spentLess(state: AllowanceState, now: EpochNs, requests: number): AllowanceState {
  const spent = Math.max(refilled(state, now) - requests * REQUEST, 0);
  return { at: now, perMinute: state.perMinute, spent };
}

/** Whether nothing is spent: equivalent to no state. */
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

/** The spent parts that are not yet refilled. */
function refilled({ at, perMinute, spent }: AllowanceState, now: EpochNs): number {
  // A difference too large for an exact double is longer than a minute, even if it is rounded.
  const elapsedNs = Math.min(Math.max(Number(now - at), 0), MINUTE_NS);
  return Math.max(spent - elapsedNs * perMinute, 0);
}

/** The verdict for the caller, from the states after the request. */
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

/**
 * Requests per minute, refilled continuously: a full allowance is `perMinute` requests at once, and
 * `perMinute` sixtieths come back every second. All arithmetic is exact in whole numbers: a request is
 * 60e9 parts, and each nanosecond gives `perMinute` parts back, so nothing is lost however often the
 * state is brought up to date.
 *
 * Whoever shares a state shares its requests, also with different limits (a test key and a live key of
 * one account): each request counts against every limit in use, and is judged by its own. 60 requests
 * with limit 60 leave 1,140 of 1,200, and 60 with limit 1,200 leave nothing of 60 until those come back.
 *
 * A clock that jumps does little harm: back, and nothing refills during the jump; ahead, and the
 * allowance is full. In neither case is anybody locked out for more than a minute, or given more than
 * one full allowance.
 */

import type { EpochNs } from '../numbers.ts';

const SECOND_NS = 1_000_000_000n;
const MINUTE_NS = 60n * SECOND_NS;
/** Parts of one request; a nanosecond gives back as many parts as the limit has requests. */
const REQUEST = MINUTE_NS;

/** What was spent under one limit and has not come back, in parts of a request. */
interface Lane {
  readonly perMinute: number;
  readonly spent: bigint;
}

export interface AllowanceState {
  readonly at: EpochNs;
  /** Those with something spent: at most as many as there were different limits in a minute. */
  readonly lanes: readonly Lane[];
}

export interface AllowanceVerdict {
  readonly granted: boolean;
  readonly limit: number;
  /** Requests that would pass now. */
  readonly remaining: number;
  /** Whole seconds after which `remaining` equals `limit`. */
  readonly resetSeconds: number;
  /** Whole seconds, at least 1, after which the next request passes; 0 when this one was granted. */
  readonly retryAfterSeconds: number;
}

/** Takes one request, if it may be; `state` is null for somebody who has spent nothing. */
export function takeFromAllowance(
  state: AllowanceState | null,
  now: EpochNs,
  perMinute: number,
): { readonly state: AllowanceState; readonly verdict: AllowanceVerdict } {
  if (!Number.isSafeInteger(perMinute) || perMinute < 1) {
    throw new RangeError(`a limit is a whole number of requests from 1 on, got ${perMinute}`);
  }
  const refilled = refill(state, now);
  const spent = spentUnder(refilled, perMinute);
  const granted = spent + REQUEST <= capacity(perMinute);
  if (!granted) {
    const lanes = withLane(refilled, { perMinute, spent });
    return { state: { at: now, lanes }, verdict: verdictOf(perMinute, spent, false) };
  }
  const lanes = withLane(refilled, { perMinute, spent }).map((lane) => ({
    ...lane,
    spent: least(lane.spent + REQUEST, capacity(lane.perMinute)),
  }));
  return { state: { at: now, lanes }, verdict: verdictOf(perMinute, spent + REQUEST, true) };
}

/** Whether nothing is spent any more: as good as no state at all. */
export function isFull(state: AllowanceState, now: EpochNs): boolean {
  return refill(state, now).length === 0;
}

function refill(state: AllowanceState | null, now: EpochNs): readonly Lane[] {
  if (state === null) return [];
  const elapsedNs = now > state.at ? least(now - state.at, MINUTE_NS) : 0n;
  return state.lanes
    .map(({ perMinute, spent }) => ({ perMinute, spent: spent - elapsedNs * BigInt(perMinute) }))
    .filter(({ spent }) => spent > 0n);
}

/** A limit not seen in this minute starts with what was spent under the others. */
function spentUnder(lanes: readonly Lane[], perMinute: number): bigint {
  const own = lanes.find((lane) => lane.perMinute === perMinute);
  if (own !== undefined) return own.spent;
  const most = lanes.reduce((sum, { spent }) => (spent > sum ? spent : sum), 0n);
  return least(most, capacity(perMinute));
}

function withLane(lanes: readonly Lane[], own: Lane): readonly Lane[] {
  return [...lanes.filter((lane) => lane.perMinute !== own.perMinute), own];
}

function verdictOf(limit: number, spent: bigint, granted: boolean): AllowanceVerdict {
  const free = capacity(limit) - spent;
  return {
    granted,
    limit,
    remaining: Number(free / REQUEST),
    resetSeconds: secondsToRefill(spent, limit),
    retryAfterSeconds: granted ? 0 : secondsToRefill(REQUEST - free, limit),
  };
}

function secondsToRefill(parts: bigint, perMinute: number): number {
  const partsPerSecond = SECOND_NS * BigInt(perMinute);
  return Number((parts + partsPerSecond - 1n) / partsPerSecond);
}

function capacity(perMinute: number): bigint {
  return BigInt(perMinute) * REQUEST;
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

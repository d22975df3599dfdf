/**
 * Requests per minute, refilled continuously: a full allowance is `perMinute` requests at once, and
 * `perMinute` sixtieths come back every second. All arithmetic is exact in whole numbers: a request is
 * 60e9 parts, and each nanosecond gives `perMinute` parts back, so nothing is lost however often the
 * state is brought up to date.
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

const SECOND_NS = 1_000_000_000n;
const MINUTE_NS = 60n * SECOND_NS;
/** Parts of one request; a nanosecond gives back as many parts as the limit has requests. */
const REQUEST = MINUTE_NS;

export interface AllowanceState {
  readonly at: EpochNs;
  readonly perMinute: number;
  /** What was spent and has not come back, in parts of a request. */
  readonly spent: bigint;
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
  const before = allowances.map(({ state, perMinute }) => broughtTo(now, state, perMinute));
  const granted = before.every(({ perMinute, spent }) => spent + REQUEST <= capacity(perMinute));
  const states = granted
    ? before.map((state) => ({ ...state, spent: state.spent + REQUEST }))
    : before;
  const verdicts = states.map((state) => verdictOf(state, granted));
  const most = (of: (verdict: AllowanceVerdict) => number) => Math.max(...verdicts.map(of));
  return {
    states,
    verdict: {
      granted,
      limit: verdicts.at(-1)!.limit,
      remaining: Math.min(...verdicts.map(({ remaining }) => remaining)),
      resetSeconds: most(({ resetSeconds }) => resetSeconds),
      retryAfterSeconds: most(({ retryAfterSeconds }) => retryAfterSeconds),
    },
  };
}

/** Whether nothing is spent any more: as good as no state at all. */
export function isFull(state: AllowanceState, now: EpochNs): boolean {
  return refilled(state, now) === 0n;
}

function broughtTo(now: EpochNs, state: AllowanceState | null, perMinute: number): AllowanceState {
  if (!Number.isSafeInteger(perMinute) || perMinute < 1) {
    throw new RangeError(`a limit is a whole number of requests from 1 on, got ${perMinute}`);
  }
  const spent = state === null ? 0n : least(refilled(state, now), capacity(perMinute));
  return { at: now, perMinute, spent };
}

/** What of the spent has not come back by now. */
function refilled({ at, perMinute, spent }: AllowanceState, now: EpochNs): bigint {
  const elapsedNs = now > at ? least(now - at, MINUTE_NS) : 0n;
  const left = spent - elapsedNs * BigInt(perMinute);
  return left > 0n ? left : 0n;
}

function verdictOf({ perMinute, spent }: AllowanceState, granted: boolean): AllowanceVerdict {
  const free = capacity(perMinute) - spent;
  return {
    granted,
    limit: perMinute,
    remaining: Number(free / REQUEST),
    resetSeconds: secondsToRefill(spent, perMinute),
    retryAfterSeconds: granted || free >= REQUEST ? 0 : secondsToRefill(REQUEST - free, perMinute),
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

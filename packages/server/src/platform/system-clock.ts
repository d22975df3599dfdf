/**
 * The machine's wall clock in nanoseconds, as clocks that threads share by a plain record. Time never runs backwards:
 * after the machine's clock is set back, the clock runs at half speed until the two meet. If it is set forward, the
 * clock follows at once.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { MS_NS_BIG } from '@tapeloom/core/units';
import { type Clock, SPEED_MAX, SPEED_MIN, WAIT_MS_MAX } from './clock.ts';

/** How far the flowing clock may drift from the machine's before it is corrected. */
const DRIFT_NS_MAX = 20_000_000n;
/** Below this the exact comparison is unnecessary: the error of doubles is less than a thousandth of it. */
const DRIFT_MS_PLAIN = 19;

/**
 * How to create a clock: the machine's time; time that showed `originNs` when the monotonic clock showed `startedAtNs`
 * and runs `speed` times faster since; or time that stands at `originNs` until `letGo`. Two threads with the same
 * record see the same time.
 */
export type ClockSetting =
  | { readonly kind: 'system' }
  | {
      readonly kind: 'accelerated';
      readonly originNs: bigint;
      readonly startedAtNs: bigint;
      readonly speed: number;
    }
  | {
      readonly kind: 'held';
      readonly originNs: bigint;
      /** In shared memory; 0 until `letGo`. */
      readonly startedAtNs: BigInt64Array<SharedArrayBuffer>;
      readonly speed: number;
    };

export interface Machine {
  readonly wallMs: () => number;
  readonly monotonicNs: () => bigint;
}

export const THIS_MACHINE: Machine = {
  wallMs: () => Date.now(),
  monotonicNs: () => process.hrtime.bigint(),
};

export function createClock(setting: ClockSetting, machine: Machine = THIS_MACHINE): Clock {
  switch (setting.kind) {
    case 'system':
      return { now: wallTime(machine), ...timers(1) };
    case 'accelerated':
      return { now: acceleratedTime(setting, machine), ...timers(setting.speed) };
    case 'held':
      return { now: heldTime(setting, machine), ...timers(setting.speed) };
    default:
      return setting satisfies never;
  }
}

/** A clock that shows `originNs` now and runs `speed` times faster than the machine's. */
export function acceleratedFrom(
  originNs: EpochNs,
  speed: number,
  machine: Machine = THIS_MACHINE,
): ClockSetting {
  requireSpeed(speed);
  return { kind: 'accelerated', originNs, startedAtNs: machine.monotonicNs(), speed };
}

/** A clock that stands at `originNs` until `letGo`, and runs `speed` times faster from then on. */
export function heldAt(originNs: EpochNs, speed: number): ClockSetting {
  requireSpeed(speed);
  const startedAtNs = new BigInt64Array(new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT));
  return { kind: 'held', originNs, startedAtNs, speed };
}

/** Starts a held clock in every thread that has it; other clocks, and one that runs already, are not affected. */
export function letGo(setting: ClockSetting, machine: Machine = THIS_MACHINE): void {
  if (setting.kind !== 'held') return;
  Atomics.compareExchange(setting.startedAtNs, 0, 0n, machine.monotonicNs());
}

function requireSpeed(speed: number): void {
  if (speed >= SPEED_MIN && speed <= SPEED_MAX) return;
  throw new RangeError(`speed must be from ${SPEED_MIN} to ${SPEED_MAX}, got ${speed}`);
}

function wallTime(machine: Machine): () => EpochNs {
  let seenMonotonic = machine.monotonicNs();
  let shown = BigInt(machine.wallMs()) * MS_NS_BIG;
  return () => {
    const monotonic = machine.monotonicNs();
    const elapsed = monotonic - seenMonotonic;
    seenMonotonic = monotonic;
    const wallMs = machine.wallMs();
    const flowed = shown + elapsed;
    if (Math.abs(Number(flowed) / 1e6 - wallMs) < DRIFT_MS_PLAIN) {
      shown = flowed;
      return shown as EpochNs;
    }
    const wall = BigInt(wallMs) * MS_NS_BIG;
    if (wall - flowed > DRIFT_NS_MAX) shown = wall;
    else if (flowed - wall <= DRIFT_NS_MAX) shown = flowed;
    else shown = later(wall, shown + elapsed / 2n);
    return shown as EpochNs;
  };
}

function later(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

function heldTime(setting: ClockSetting & { kind: 'held' }, machine: Machine): () => EpochNs {
  const { originNs, startedAtNs: shared, speed } = setting;
  let running: (() => EpochNs) | null = null;
  return () => {
    const startedAtNs = Atomics.load(shared, 0);
    if (startedAtNs === 0n) return originNs as EpochNs;
    running ??= acceleratedTime({ kind: 'accelerated', originNs, startedAtNs, speed }, machine);
    return running();
  };
}

function acceleratedTime(
  setting: ClockSetting & { kind: 'accelerated' },
  machine: Machine,
): () => EpochNs {
  // Whole thousandths keep the arithmetic exact; further decimals of the speed have no effect.
  const speedThousandths = BigInt(Math.round(setting.speed * 1000));
  return () => {
    const elapsed = machine.monotonicNs() - setting.startedAtNs;
    return (setting.originNs + (elapsed * speedThousandths) / 1000n) as EpochNs;
  };
}

function timers(speed: number): Pick<Clock, 'after' | 'every'> {
  const realMs = (ms: number): number => {
    if (!(ms >= 0 && ms <= WAIT_MS_MAX)) throw new RangeError(`cannot wait ${ms} ms`);
    return ms / speed;
  };
  return {
    after(ms, run) {
      return new Waiting(setTimeout(run, realMs(ms)));
    },
    every(ms, run) {
      return new Waiting(setInterval(run, realMs(ms)));
    },
  };
}

/** Minimal, since every connection has some. */
class Waiting implements Disposable {
  readonly #timer: NodeJS.Timeout;

  constructor(timer: NodeJS.Timeout) {
    this.#timer = timer;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }
}

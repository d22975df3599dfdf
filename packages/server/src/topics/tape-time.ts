/**
 * Tape time as subscribers see it, each with its delay, and its UTC day. The first message that proves a new day
 * changes the day, and all listeners are notified before any subscriber gets that message.
 */

import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { SECOND_NS_BIG } from '@tapeloom/core/units';
import { dayOf, epochNs } from '@tapeloom/core/utc-day';
import type { EngineSlot, EngineSlots } from './engine-slots.ts';

export type DayListener = (day: UtcDay) => void;

export class TapeTime {
  readonly #engines: EngineSlots;
  /** By the delay of the tape time they follow. */
  readonly #listeners = new Map<number, Set<DayListener>>();

  constructor(engines: EngineSlots) {
    this.#engines = engines;
  }

  /** The tape's watermark with this delay; null before the first one. */
  at(delaySeconds: number): EpochNs | null {
    const { promise } = this.#engines;
    return promise === null ? null : delayed(promise, { delaySeconds });
  }

  /** The UTC day of tape time: aliases roll when it changes, for delayed streams later. */
  dayAt(delaySeconds: number): UtcDay | null {
    const instant = this.at(delaySeconds);
    return instant === null ? null : dayOf(instant);
  }

  /** Calls when tape time, seen with this delay, enters another UTC day. */
  onDay(listener: DayListener, delaySeconds: number): Disposable {
    const listeners = this.#listeners.getOrInsertComputed(delaySeconds, () => new Set());
    listeners.add(listener);
    return { [Symbol.dispose]: () => listeners.delete(listener) };
  }

  advance(slot: EngineSlot, promise: EpochNs | null): void {
    this.#change(() => this.#engines.advance(slot, promise));
  }

  /** A topic has come to this day: so has the tape, whatever its engines have reported. */
  reach(delaySeconds: number, day: UtcDay): void {
    const known = this.dayAt(delaySeconds);
    if (known !== null && day <= known) return;
    const midnight = epochNs(day, 0) + BigInt(delaySeconds) * SECOND_NS_BIG;
    this.#change(() => this.#engines.reach(midnight as EpochNs));
  }

  clear(): void {
    this.#listeners.clear();
  }

  #change(change: () => void): void {
    const daysBefore = new Map<number, UtcDay | null>();
    for (const delay of this.#listeners.keys()) daysBefore.set(delay, this.dayAt(delay));
    change();
    for (const [delay, before] of daysBefore) {
      const day = this.dayAt(delay);
      if (day === null || day === before) continue;
      for (const listener of this.#listeners.get(delay) ?? []) listener(day);
    }
  }
}

/** The tape time that may be seen with this delay when the undelayed time is `instant`. */
export function delayed(
  instant: EpochNs,
  { delaySeconds }: { readonly delaySeconds: number },
): EpochNs {
  return (instant - BigInt(delaySeconds) * SECOND_NS_BIG) as EpochNs;
}

/**
 * The tape time of each dataset as subscribers see it, each with its delay, and its UTC day. The first message that
 * proves a new day changes the day, and all listeners are notified before any subscriber gets that message.
 */

import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { SECOND_NS_BIG } from '@tapeloom/core/units';
import { dayOf, epochNs } from '@tapeloom/core/utc-day';
import type { EngineSlot, EngineSlots } from './engine-slots.ts';

export type DayListener = (day: UtcDay, dataset: string) => void;

export class TapeTime {
  readonly #engines: EngineSlots;
  /** By the delay of the tape time they follow. */
  readonly #listeners = new Map<number, Set<DayListener>>();

  constructor(engines: EngineSlots) {
    this.#engines = engines;
  }

  /** A dataset's watermark with this delay; null before the first one. */
  at(dataset: string, delaySeconds: number): EpochNs | null {
    const promise = this.#engines.promiseOf(dataset);
    return promise === null ? null : delayed(promise, { delaySeconds });
  }

  /** The UTC day of tape time: aliases roll when it changes, for delayed streams later. */
  dayAt(dataset: string, delaySeconds: number): UtcDay | null {
    const instant = this.at(dataset, delaySeconds);
    return instant === null ? null : dayOf(instant);
  }

  /** Calls when the tape time of a dataset, seen with this delay, enters another UTC day. */
  onDay(listener: DayListener, delaySeconds: number): Disposable {
    const listeners = this.#listeners.getOrInsertComputed(delaySeconds, () => new Set());
    listeners.add(listener);
    return { [Symbol.dispose]: () => listeners.delete(listener) };
  }

  advance(slot: EngineSlot, dataset: string, promise: EpochNs): void {
    this.#change(dataset, () => this.#engines.advance(slot, dataset, promise));
  }

  /** A topic has come to this day: so has the tape, whatever its engines have reported. */
  reach(dataset: string, delaySeconds: number, day: UtcDay): void {
    const known = this.dayAt(dataset, delaySeconds);
    if (known !== null && day <= known) return;
    const midnight = epochNs(day, 0) + BigInt(delaySeconds) * SECOND_NS_BIG;
    this.#change(dataset, () => this.#engines.reach(dataset, midnight as EpochNs));
  }

  clear(): void {
    this.#listeners.clear();
  }

  #change(dataset: string, change: () => void): void {
    const daysBefore = new Map<number, UtcDay | null>();
    for (const delay of this.#listeners.keys()) daysBefore.set(delay, this.dayAt(dataset, delay));
    change();
    for (const [delay, before] of daysBefore) {
      const day = this.dayAt(dataset, delay);
      if (day === null || day === before) continue;
      for (const listener of this.#listeners.get(delay) ?? []) listener(day, dataset);
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

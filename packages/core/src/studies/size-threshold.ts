/**
 * The lots something must have to be shown: given as a parameter, or taken from the sizes of an
 * earlier session. It changes at a session's open only, so it never repaints (determinism 19).
 */

import { LargestSizes } from './largest-sizes.ts';

/** How far back a threshold may come from. */
export const LOOK_BACK_SESSIONS_MAX = 10;

export interface ThresholdRule {
  /** 0: the threshold comes from an earlier session. */
  readonly minSize: number;
  /** How many sizes of that earlier session reach the threshold. */
  readonly perSession: number;
}

export class SizeThreshold {
  /** Sizes of the open session; null when the threshold is given. */
  readonly #sizes: LargestSizes | null;
  /** Infinity while no earlier session gave one. */
  #lots: number;
  /** How many sessions ago the one was that gave the threshold. */
  #ageSessions = 0;

  constructor(rule: ThresholdRule) {
    this.#sizes = rule.minSize === 0 ? new LargestSizes(rule.perSession) : null;
    this.#lots = rule.minSize === 0 ? Number.POSITIVE_INFINITY : rule.minSize;
  }

  get lots(): number {
    return this.#lots;
  }

  /** True when the sizes of a session decide about a later one. */
  get isAutomatic(): boolean {
    return this.#sizes !== null;
  }

  /** False while the look-back has given nothing. */
  get warm(): boolean {
    return this.#lots !== Number.POSITIVE_INFINITY;
  }

  openSession(): void {
    if (this.#sizes === null) return;
    this.#ageSessions += 1;
    if (this.#sizes.smallest !== null) {
      this.#lots = this.#sizes.smallest;
      this.#ageSessions = 1;
    } else if (this.#ageSessions > LOOK_BACK_SESSIONS_MAX) {
      this.#lots = Number.POSITIVE_INFINITY;
    }
    this.#sizes.clear();
  }

  /** A size of the open session. */
  add(size: number): void {
    this.#sizes?.add(size);
  }
}

/** How many earlier sessions a run with this threshold may need. */
export function thresholdLookBackMax(minSize: number): number {
  return minSize === 0 ? LOOK_BACK_SESSIONS_MAX : 0;
}

/**
 * The lots that an object must have to be shown: a parameter, or derived from the sizes of an earlier complete session.
 * It changes only between sessions, so objects never repaint.
 */

import type { ParameterDefinition, Params } from './indicator.ts';
import { InheritedValue } from './inherited-value.ts';
import { LargestSizes } from './largest-sizes.ts';

/** The most sessions back from which a threshold may come. */
export const LOOK_BACK_SESSIONS_MAX = 10;

export const MIN_SIZE_PARAMETER = {
  name: 'minSize',
  type: 'integer',
  default: 0,
  minimum: 0,
  maximum: 1_000_000_000,
  unit: 'lots',
} as const satisfies Partial<ParameterDefinition>;

/** @param thing The object that must have the lots: `cluster`. */
export function thresholdParameters(thing: string): readonly ParameterDefinition[] {
  return [
    {
      ...MIN_SIZE_PARAMETER,
      description: `Lots that a ${thing} must have at least; with 0 the threshold comes from an earlier session.`,
    },
    {
      name: 'perSession',
      type: 'integer',
      default: 100,
      minimum: 1,
      maximum: 10_000,
      unit: `${thing}s`,
      description: `With minSize 0: the threshold is the size of the perSession-th largest ${thing} of the earlier session.`,
    },
  ];
}

export interface ThresholdRule {
  /** 0: the threshold comes from an earlier session. */
  readonly minSize: number;
  /** How many sizes of that earlier session reach the threshold. */
  readonly perSession: number;
}

export class SizeThreshold {
  /** Sizes of the open session; null if the threshold is a parameter. */
  readonly #sizes: LargestSizes | null;
  readonly #inherited = new InheritedValue<number>(LOOK_BACK_SESSIONS_MAX);
  /** Infinity while no earlier session gave one. */
  #lots: number;

  constructor(rule: ThresholdRule) {
    this.#sizes = rule.minSize === 0 ? new LargestSizes(rule.perSession) : null;
    this.#lots = rule.minSize === 0 ? Number.POSITIVE_INFINITY : rule.minSize;
  }

  get lots(): number {
    return this.#lots;
  }

  /** True if the sizes of a session decide about a later one. */
  get isAutomatic(): boolean {
    return this.#sizes !== null;
  }

  /** False while the look-back has given nothing. */
  get warm(): boolean {
    return this.#lots !== Number.POSITIVE_INFINITY;
  }

  /** Call it when all sizes of the session were added and none is still to be compared. */
  closeSession(isComplete: boolean): void {
    if (this.#sizes === null) return;
    this.#inherited.closeSession(this.#sizes.smallest, isComplete);
    this.#lots = this.#inherited.value ?? Number.POSITIVE_INFINITY;
    this.#sizes.clear();
  }

  add(size: number): void {
    this.#sizes?.add(size);
  }
}

/** How many earlier sessions a run with this threshold may need. */
export function thresholdLookBackMax({ minSize }: Params): number {
  return minSize === 0 ? LOOK_BACK_SESSIONS_MAX : 0;
}

export function thresholdOf({ minSize, perSession }: Params): SizeThreshold {
  return new SizeThreshold({ minSize: minSize as number, perSession: perSession as number });
}

/**
 * Limits what an assistant may spend. A call reserves its estimated cost before anything is charged, so concurrent
 * calls cannot jointly exceed the limits. At its end, the unused rest is released.
 */

export interface SpendingLimits {
  /** Compute units for one call. */
  readonly perCall: number;
  /** Compute units for all calls since the start. */
  readonly total: number;
}

/** Small against any plan's monthly budget: two days of a busy contract, and a fifth of the free plan. */
export const DEFAULT_LIMITS: SpendingLimits = { perCall: 1_000_000, total: 10_000_000 };

export interface Reservation extends Disposable {
  /** Books what a part of the call has cost. */
  spend(computeUnits: number): void;
}

/** The user's limits reject the call, not the service's: nothing was requested. */
export class CostRefusedError extends Error {}

export class Spending {
  readonly limits: SpendingLimits;
  #spent = 0;
  #reserved = 0;

  constructor(limits: SpendingLimits) {
    this.limits = limits;
  }

  get spent(): number {
    return this.#spent;
  }

  /** What may still be spent, without the reservations of running calls. */
  get left(): number {
    return Math.max(0, this.limits.total - this.#spent - this.#reserved);
  }

  /** Why a call may not spend this much now; null: it may. */
  refusal(computeUnits: number): string | null {
    const cost = `This would cost ${units(computeUnits)}`;
    const { perCall } = this.limits;
    if (computeUnits > perCall) {
      return `${cost}; the user allows ${units(perCall)} per call (--max-cost of tapeloom mcp).`;
    }
    if (computeUnits > this.left) {
      return (
        `${cost}; of the ${units(this.limits.total)} that the user allows this session ` +
        `(--max-total of tapeloom mcp) ${units(this.left)} are left.`
      );
    }
    return null;
  }

  reserve(computeUnits: number): Reservation {
    const refusal = this.refusal(computeUnits);
    if (refusal !== null) {
      throw new CostRefusedError(
        `${refusal} Nothing was charged. Ask for a shorter range, or ask the user to raise the limit.`,
      );
    }
    let reserved = computeUnits;
    this.#reserved += reserved;
    return {
      spend: (part) => {
        const covered = Math.min(part, reserved);
        reserved -= covered;
        this.#reserved -= covered;
        this.#spent += part;
      },
      [Symbol.dispose]: () => {
        this.#reserved -= reserved;
        reserved = 0;
      },
    };
  }
}

export function units(count: number): string {
  return `${count.toLocaleString('en')} compute units`;
}

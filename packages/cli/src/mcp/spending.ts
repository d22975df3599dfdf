/**
 * What an assistant may spend. A call reserves what it is estimated to cost before anything is charged, so
 * calls that run side by side cannot exceed together what each alone would respect; when it ends, what it
 * really cost stays and the rest is free again.
 */

export interface SpendingLimits {
  /** Compute units of one call. */
  readonly perCall: number;
  /** Compute units of all calls since the start. */
  readonly total: number;
}

/** Small beside a month's budget of any plan: two days of a busy contract, and a fifth of the free plan. */
export const DEFAULT_LIMITS: SpendingLimits = { perCall: 1_000_000, total: 10_000_000 };

export interface Reservation extends Disposable {
  /** Tells what a part of the call has cost. */
  spend(computeUnits: number): void;
}

/** The user's limits, not the service's: nothing was asked for. */
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

  /** What may still be spent, calls under way taken off. */
  get left(): number {
    return Math.max(0, this.limits.total - this.#spent - this.#reserved);
  }

  /** Why so much may not be spent by one call now; null: it may. */
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

  /** Throws `CostRefusedError` where the limits do not allow it. */
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

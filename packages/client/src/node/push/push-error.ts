/** An error of the push endpoint that a retry cannot mend, and its reading from a response. */

import type { OffTickPrice, PushFault, PushProblem } from '@tapeloom/protocol/push';
import { TapeloomError } from '../../tapeloom-error.ts';

/** A batch that was refused. Nothing of it was taken. `code` is the endpoint's, such as `OFF_TICK_PRICE`. */
export class PushError extends TapeloomError {
  /** The id of the batch; null for a request of the position. */
  readonly batch: string | null;
  /** Each fault with its line in the batch and its field. */
  readonly faults: readonly PushFault[];
  /** With `OFF_TICK_PRICE`: the contract, the price and the tick. */
  readonly offTick: OffTickPrice | null;

  constructor(batch: string | null, problem: PushProblem) {
    const { code, detail, status, errors = [] } = problem;
    super(code, detail, { status, errors });
    this.batch = batch;
    this.faults = errors;
    this.offTick = problem.offTick ?? null;
  }
}

/** The problem document of an error response; null if the response is another program's. */
export function problemIn(text: string): PushProblem | null {
  try {
    const value = JSON.parse(text) as Partial<PushProblem> | null;
    return typeof value?.code === 'string' ? (value as PushProblem) : null;
  } catch {
    return null;
  }
}

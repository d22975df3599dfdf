/**
 * Opens a charged answer while its price is being reserved: nothing is computed before. A rejection ends the opening.
 */

export interface Reserving {
  readonly reserved: Promise<void>;
  /** The opening's signal: also aborted when the reservation is rejected, with its error. */
  readonly signal: AbortSignal;
}

export function reserving(reserved: Promise<void>, signal: AbortSignal): Reserving {
  const refused = new AbortController();
  reserved.catch((error: unknown) => refused.abort(error));
  return { reserved, signal: AbortSignal.any([signal, refused.signal]) };
}

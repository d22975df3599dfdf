/**
 * What is paid for is opened while its price is being reserved; nothing of it is computed before that is done.
 * A reservation that is refused ends the opening at once.
 */

export interface Reserving {
  readonly reserved: Promise<void>;
  /** Of the opening: also aborted, with what was refused, when the reservation is. */
  readonly signal: AbortSignal;
}

export function reserving(reserved: Promise<void>, signal: AbortSignal): Reserving {
  const refused = new AbortController();
  reserved.catch((error: unknown) => refused.abort(error));
  return { reserved, signal: AbortSignal.any([signal, refused.signal]) };
}

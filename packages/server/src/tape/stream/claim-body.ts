/**
 * The body of a claim: almost always empty. `lost`: its writer knew of numbers that the stream no longer has, so no
 * node appends records from here on. `mended`: an operator's repair has restored them behind the loss. Both are stored
 * in the stream, so nodes that slept or restarted learn of them like of any message.
 */

import type { StreamMessage } from './tape-stream.ts';

export type ClaimNews =
  | { readonly kind: 'none' }
  /** The last number that was known to be stored. */
  | { readonly kind: 'lost'; readonly known: number }
  | { readonly kind: 'mended' };

const LOST = /^lost (\d{1,16})$/;
const MENDED = 'mended';

export const PLAIN_CLAIM: Uint8Array = new Uint8Array();

export function lostClaim(known: number): Uint8Array {
  return new TextEncoder().encode(`lost ${known}`);
}

/** Written after a repair of the stream: nodes that may lead can append again. */
export function mendedClaim(): Uint8Array {
  return new TextEncoder().encode(MENDED);
}

export function claimNews(body: Uint8Array): ClaimNews {
  if (body.length === 0) return { kind: 'none' };
  const text = new TextDecoder().decode(body);
  if (text === MENDED) return { kind: 'mended' };
  const lost = LOST.exec(text);
  return lost === null ? { kind: 'none' } : { kind: 'lost', known: Number(lost[1]) };
}

/** Whether a message records a loss of others. */
export function isLossTold(message: StreamMessage | null): boolean {
  return message?.subject === 'claim' && claimNews(message.body).kind === 'lost';
}

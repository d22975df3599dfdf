/**
 * What a claim says beside its writer. Almost always nothing. `lost`: its writer knew of numbers that the stream no longer
 * has, so from here on nobody appends records; `mended`: an operator's repair has put them back behind it. Both
 * stand in the stream, so nodes that were asleep or have restarted learn of them as of everything else.
 */

import type { StreamMessage } from './tape-stream.ts';

export type ClaimNews =
  | { readonly kind: 'none' }
  /** The last number that was known to be stored before. */
  | { readonly kind: 'lost'; readonly known: number }
  | { readonly kind: 'mended' };

const LOST = /^lost (\d{1,16})$/;
const MENDED = 'mended';

export const PLAIN_CLAIM: Uint8Array = new Uint8Array();

export function lostClaim(known: number): Uint8Array {
  return new TextEncoder().encode(`lost ${known}`);
}

/** For who has repaired the stream: after it whoever may append does so again. */
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

/** Whether a message says that the stream has lost others. */
export function isLossTold(message: StreamMessage | null): boolean {
  return message?.subject === 'claim' && claimNews(message.body).kind === 'lost';
}

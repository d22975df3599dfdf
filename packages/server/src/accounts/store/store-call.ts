/** What every change of the store is told: who does it, and when. */

import type { EpochNs } from '@tapeloom/core/numbers';
import type { OnceRequest } from './once.ts';

/**
 * Who does it: the operator, who runs the service and its commands, may all; the owner, who is signed in to the
 * portal, may all with the account's own, but not too often; `billing` is what a payment provider said; a key
 * may only what its rights cover, and not too often. What a key asks for with `once` is done once; the answer
 * that is remembered is the new key's id.
 */
export type Actor =
  | { readonly kind: 'operator' | 'owner' | 'billing' }
  | { readonly kind: 'key'; readonly keyId: string; readonly once?: OnceRequest };

export interface StoreCall {
  readonly now: EpochNs;
  readonly actor: Actor;
}

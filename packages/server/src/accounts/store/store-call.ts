/** The arguments of every change of the store: the actor and the time. */

import type { EpochNs } from '@tapeloom/core/numbers';
import type { OnceRequest } from './once.ts';

/**
 * The actor of a change. The operator, who runs the service and its commands, may do everything. The owner, signed in
 * to the portal, may do everything with the own account, but not too often. `billing` applies a provider's reports. A
 * key may do what its rights cover, but not too often; with `once`, its request is done once and its answer is the new
 * key's id.
 */
export type Actor =
  | { readonly kind: 'operator' | 'owner' | 'billing' }
  | { readonly kind: 'key'; readonly keyId: string; readonly once?: OnceRequest };

export interface StoreCall {
  readonly now: EpochNs;
  readonly actor: Actor;
}

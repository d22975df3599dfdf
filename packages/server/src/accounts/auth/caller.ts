/** Who is asking, once the key or token was recognised: what every door needs to decide. */

import type { Entitlements } from '@tapeloom/core/entitlement/entitlements';

export interface Caller {
  readonly accountId: string;
  readonly keyId: string;
  /** A suspended account is recognised but may do nothing. */
  readonly isSuspended: boolean;
  readonly entitlements: Entitlements;
}

/** The caller behind a recognised key or token: all that an endpoint needs for its decisions. */

import type { Entitlements } from '@tapeloom/core/entitlement/entitlements';

export interface Caller {
  readonly accountId: string;
  readonly keyId: string;
  /** A suspended account is recognised but may do nothing. */
  readonly isSuspended: boolean;
  readonly entitlements: Entitlements;
}

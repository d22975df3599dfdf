/** The state of the running service that portal routes read. */

import type { AuthThrottle } from '../../accounts/auth/auth-throttle.ts';
import type { Allowances } from '../../accounts/limits/allowances.ts';
import type { AccountStore } from '../../accounts/store/account-store.ts';
import type { Mailer } from '../../mail/mailer.ts';

export interface PortalFacts {
  readonly store: AccountStore;
  readonly authThrottle: Pick<AuthThrottle, 'judge'>;
  readonly allowances: Allowances;
  readonly mailer: Mailer;
  /** The public origin of the service: every link begins with it, whatever a request claims. */
  readonly origin: string;
}

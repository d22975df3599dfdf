/** The state of the running service that portal routes read. */

import type { Doorkeeper } from '../../accounts/auth/doorkeeper.ts';
import type { Allowances } from '../../accounts/limits/allowances.ts';
import type { AccountStore } from '../../accounts/store/account-store.ts';
import type { Mailer } from '../../mail/mailer.ts';

export interface PortalFacts {
  readonly store: AccountStore;
  readonly doorkeeper: Pick<Doorkeeper, 'judge'>;
  readonly allowances: Allowances;
  readonly mailer: Mailer;
  /** The public origin of the service: every link begins with it, whatever a request claims. */
  readonly origin: string;
}

/**
 * Composes what users of the portal meet: its pages, the facts behind its routes and behind buying, and due deletions
 * of accounts.
 */

import { withdrawalForm } from '../../billing/withdrawal-form.ts';
import type { Config } from '../../config/config.ts';
import type { PublicAddress } from '../../config/public-address.ts';
import { supportAddress } from '../../config/support-address.ts';
import type { Mailer } from '../../mail/mailer.ts';
import type { PageRoute } from '../../pages/page-route.ts';
import { Pages } from '../../pages/pages.ts';
import type { PlainPages } from '../../pages/plain-pages.ts';
import type { Portal } from '../../pages/portal.ts';
import { supportPage } from '../../pages/support-page.ts';
import type { Log } from '../../platform/log/log.ts';
import type { RestParts } from '../doors/rest-door.ts';
import type { Reloadable } from '../reloadable.ts';
import type { AccountServices } from './account-services.ts';
import type { BillingServices } from './billing-services.ts';
import { DueDeletions } from './due-deletions.ts';

export interface PortalServicesOptions {
  readonly publicAddress: PublicAddress;
  readonly mailer: Mailer;
  readonly config: Pick<Config, 'support'>;
  readonly log: Log;
  readonly accounts: AccountServices;
  readonly live: () => Reloadable;
  /** Pages of payment providers; omitted: none. */
  readonly providerPages?: readonly PageRoute[];
  /** Omitted: no purchases. */
  readonly billing?: Pick<BillingServices, 'billing' | 'payments'>;
  /** Served at `/`; omitted: nothing. */
  readonly portal?: Portal;
}

export class PortalServices implements AsyncDisposable {
  readonly #options: PortalServicesOptions;
  readonly #deletions: DueDeletions;

  constructor(options: PortalServicesOptions) {
    this.#options = options;
    this.#deletions = dueDeletions(options);
  }

  get parts(): Pick<RestParts, 'pages' | 'offers' | 'operatorPages' | 'billing' | 'payments'> {
    const { live, billing, portal, config, providerPages = [] } = this.#options;
    const support = config.support === null ? null : supportAddress(config.support);
    const form = withdrawalForm(() => billing!.billing.withdrawals);
    const made = [...providerPages, supportPage(support)];
    const routes = billing === undefined ? made : [...made, form];
    const publicUrl = () => this.#origin;
    return {
      offers: () => live().offers,
      operatorPages: () => live().operatorPages,
      billing: () => billing!.billing,
      payments: () => billing!.payments,
      ...(portal === undefined
        ? {}
        : { pages: (plain: PlainPages) => new Pages({ portal, routes, publicUrl, plain }) }),
    };
  }

  open(): void {
    void this.#options.portal?.open(this.#origin);
  }

  /** No client waits for pages any more. */
  stopBuilding(): void {
    this.#options.portal?.[Symbol.dispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stopBuilding();
    await this.#deletions[Symbol.asyncDispose]();
  }

  get #origin(): string {
    return this.#options.publicAddress.origin;
  }
}

function dueDeletions({ accounts, billing, log }: PortalServicesOptions): DueDeletions {
  const { store, clock, inTurn } = accounts;
  return new DueDeletions({
    store,
    clock,
    inTurn,
    // Without billing there are no payments to end.
    beforeDeletion: async (accountId) => billing?.billing.beforeDeletion(accountId),
    onFault: (error, accountId) => {
      log.error({ error, accountId }, 'an account could not be deleted yet');
    },
  });
}

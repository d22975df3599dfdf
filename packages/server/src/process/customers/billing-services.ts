/**
 * Composes buying: the payment providers, the orders made from their reports, and periodic rounds that find what was
 * not reported. On shutdown, work in progress gets a moment; the rest is stored and done after the next start.
 */

import { HOUR_MS } from '@tapeloom/core/units';
import { AccountsUnavailableError } from '../../accounts/store/account-store.ts';
import { Billing } from '../../billing/billing.ts';
import { Leaving } from '../../billing/leaving.ts';
import type { OfferBook } from '../../billing/offer-book.ts';
import { forgetOldOrders } from '../../billing/order-retention.ts';
import type { PaymentProvider } from '../../billing/payment-provider.ts';
import { Payments } from '../../billing/payments.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log/log.ts';
import type { AccountServices } from './account-services.ts';

/** Time for work in progress; the rest stays pending until the next start. */
const IDLE_WITHIN_MS = 1_000;
/** How often due work is looked for; a request of an operator waits no longer than this. */
const ROUND_EVERY_MS = 5_000;
const RETENTION_EVERY_MS = HOUR_MS;

export interface BillingServicesOptions {
  readonly accounts: Pick<AccountServices, 'store' | 'clock' | 'inTurn'>;
  readonly providers: readonly PaymentProvider[];
  readonly offers: () => OfferBook;
  readonly publicUrl: () => string;
  /** For how many years after the deletion of an account its orders are kept. */
  readonly ordersYears: number;
  readonly log: Log;
}

export class BillingServices implements AsyncDisposable {
  readonly payments: Payments;
  readonly billing: Billing;
  readonly #clock: Clock;
  readonly #timer: Disposable;
  readonly #retention: Disposable;

  constructor(options: BillingServicesOptions) {
    const { accounts, providers, offers, publicUrl, log } = options;
    const { store, clock, inTurn } = accounts;
    this.#clock = clock;
    this.payments = new Payments({ store, providers, clock, log });
    const { payments } = this;
    this.billing = new Billing({ store, payments, offers, publicUrl, clock, log });
    const leaving = new Leaving({ store, billing: this.billing, clock, log });
    const { ordersYears: years } = options;
    this.#retention = clock.every(RETENTION_EVERY_MS, () => {
      inTurn(() => forgetOldOrders({ store, clock, log, years })).catch((error: unknown) => {
        log.error({ error }, 'old orders could not be removed');
      });
    });
    this.#timer = clock.every(ROUND_EVERY_MS, () => {
      const onFault = (error: unknown) => {
        // `AccountServices` reports unavailable accounts once.
        if (error instanceof AccountsUnavailableError) return;
        log.error({ error }, 'payments could not be reconciled');
      };
      inTurn(() => payments.reconcile()).catch(onFault);
      inTurn(() => this.billing.withdrawals.carryOut()).catch(onFault);
      inTurn(() => leaving.look()).catch(onFault);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#timer[Symbol.dispose]();
    this.#retention[Symbol.dispose]();
    const { promise: late, resolve } = Promise.withResolvers<void>();
    using _ = this.#clock.after(IDLE_WITHIN_MS, resolve);
    const idle = Promise.all([this.billing.withdrawals.idle(), this.payments.idle()]);
    await Promise.race([idle, late]);
  }
}

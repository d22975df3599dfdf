/** The operator's setup at the local Stripe: the account, tax, and the customers' card page. */

import type Stripe from 'stripe';
import { LIVE_MODE } from './stripe-world-objects.ts';

export function accountObject(): Stripe.Account {
  return {
    id: 'acct_1',
    object: 'account',
    charges_enabled: true,
    country: 'DE',
    default_currency: 'eur',
    details_submitted: true,
    email: 'operator@example.com',
    payouts_enabled: true,
    type: 'standard',
  };
}

export function taxSettings(): Stripe.Tax.Settings {
  return {
    object: 'tax.settings',
    defaults: { provider: 'stripe', tax_behavior: 'inclusive', tax_code: 'txcd_10000000' },
    head_office: null,
    livemode: LIVE_MODE,
    status: 'active',
    status_details: { active: {} },
  };
}

export function portalConfiguration(created: number): Stripe.BillingPortal.Configuration {
  return {
    id: 'bpc_1',
    object: 'billing_portal.configuration',
    active: true,
    application: null,
    business_profile: { headline: null, privacy_policy_url: null, terms_of_service_url: null },
    created,
    default_return_url: null,
    features: {
      customer_update: { allowed_updates: ['address', 'tax_id'], enabled: true },
      invoice_history: { enabled: true },
      payment_method_update: { enabled: true, payment_method_configuration: null },
      subscription_cancel: {
        cancellation_reason: { enabled: false, feedback_options: null, options: [] },
        enabled: true,
        mode: 'at_period_end',
        proration_behavior: 'none',
      },
      subscription_pause: {
        duration: { interval_options: [], type: 'indefinite' },
        enabled: false,
      },
      subscription_update: {
        billing_cycle_anchor: null,
        default_allowed_updates: [],
        enabled: false,
        proration_behavior: 'none',
        schedule_at_period_end: { conditions: [] },
        trial_update_behavior: 'end_trial',
      },
    },
    is_default: true,
    livemode: LIVE_MODE,
    login_page: { enabled: false, url: null },
    metadata: {},
    name: null,
    updated: created,
  };
}

export function portalSession(
  id: string,
  created: number,
  customer: string,
  returnUrl: string | null,
): Stripe.BillingPortal.Session {
  return {
    id,
    object: 'billing_portal.session',
    configuration: 'bpc_1',
    created,
    customer,
    customer_account: null,
    flow: null,
    livemode: LIVE_MODE,
    locale: null,
    on_behalf_of: null,
    return_url: returnUrl,
    url: `https://billing.stripe.com/p/session/${id}`,
  };
}

/**
 * Shapes of the portal's routes, as in the contract. Instants are nanoseconds as decimal text, money is in minor units.
 */

import type {
  KeyEnvironment as Environment,
  Instrument,
  KeyRecord,
  KeyState,
  NewKeyRequest,
  OfferName as OfferId,
  PlanName as Plan,
  Pricing,
  Usage,
} from '@tapeloom/client';
import type { PaymentState } from '@tapeloom/core/entitlement/payment';
import type { IncidentCause, PastDayState } from '@tapeloom/core/status/status-history';

// Shapes shared with the public API.
export type {
  KeyEnvironment as Environment,
  KeyRecord as KeyView,
  KeyScope as Scope,
  KeyState,
  NewKey as CreatedKey,
  OfferName as OfferId,
  Offers as OffersView,
  PlanLimits,
  PlanName as Plan,
  RotatedKey,
  ServiceStatus as StatusView,
  StreamToken,
} from '@tapeloom/client';

/** The states of the last 90 days. */
export interface StatusHistoryView {
  /** Null: nothing is recorded yet. */
  readonly recordedSince: string | null;
  /** Oldest first; the last one is today. */
  readonly days: readonly {
    /** `2026-11-18` */
    readonly day: string;
    readonly state: PastDayState;
    readonly recordedSeconds: number;
    readonly partialSeconds: number;
    readonly downSeconds: number;
  }[];
  /** Newest first. */
  readonly incidents: readonly {
    readonly from: string;
    /** Null: it is ongoing. */
    readonly until: string | null;
    readonly cause: IncidentCause;
  }[];
}

export type LinkPurpose =
  | 'sign-in'
  | 'email-approval'
  | 'email-change'
  | 'deletion'
  | 'recovery'
  | 'recovery-stop'
  | 'claim';

/** What a link would do, looked up without consuming it. */
export interface LinkView {
  readonly purpose: LinkPurpose;
  /** Masked, as `y…@example.com`; null if the link names no address. */
  readonly email: string | null;
  readonly newEmail: string | null;
  readonly account: string | null;
  /** The link signs in only together with a passkey. */
  readonly needsPasskey: boolean;
  readonly expiresAt: string;
}

/** The acts that need a passkey's confirmation. */
export type PasskeyAct =
  | 'add-passkey'
  | 'remove-passkey'
  | 'second-factor'
  | 'email'
  | 'deletion'
  | 'key';

/** A challenge signed by a passkey, in base64url. */
export interface PasskeyAssertion {
  readonly id: string;
  readonly clientDataJSON: string;
  readonly authenticatorData: string;
  readonly signature: string;
  readonly userHandle?: string;
}

export interface NewCredential {
  readonly id: string;
  readonly clientDataJSON: string;
  readonly attestationObject: string;
  readonly transports: readonly string[];
}

export interface PasskeyView {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
}

export interface PasskeyList {
  /** Oldest first. */
  readonly passkeys: readonly PasskeyView[];
  readonly max: number;
  readonly secondFactor: boolean;
  readonly recovery: { readonly askedAt: string; readonly dueAt: string } | null;
  /** The first passkey needs a fresh sign-in. */
  readonly mayAdd: boolean;
}

export interface SessionView {
  readonly id: string;
  readonly browser: string;
  readonly createdAt: string;
  readonly lastUsedAt: string;
  readonly isThis: boolean;
}

export interface AccountView {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly createdAt: string;
  readonly plan: Plan;
  readonly grants: readonly { readonly plan: OfferId; readonly until: string | null }[];
  readonly deletion: { readonly askedAt: string; readonly dueAt: string } | null;
  /** The pending removal of lost passkeys. */
  readonly recovery: { readonly askedAt: string; readonly dueAt: string } | null;
  readonly mails: { readonly usage: boolean };
  readonly sessions: readonly SessionView[];
  /** The missing half of an order for both offers; null: none, or declined. */
  readonly otherHalf: OfferId | null;
  readonly serverTime: string;
}

export interface NewKey extends Omit<NewKeyRequest, 'expiresAt'> {
  readonly expiresAt?: string;
}

export interface KeyList {
  readonly keys: readonly KeyRecord[];
  readonly limits: { readonly valid: number; readonly validMax: number };
}

export interface InstrumentView
  extends Pick<Instrument, 'symbol' | 'alias' | 'tickSizeNanos' | 'status'> {
  readonly updatedAt: string | null;
  readonly name?: string;
}

export type Used = Usage['used'];

export interface UsageView extends Usage {
  /** Thirteen months, oldest first. */
  readonly months: readonly { readonly period: string; readonly used: Used }[];
  /** The month that `days`, `byKey` and `byPortal` cover. */
  readonly reportPeriod: string;
  /** Days with charges, as `2026-11-15`. */
  readonly days: readonly {
    readonly day: string;
    readonly used: { readonly computeUnits: number; readonly exportBytes: number };
  }[];
  /** Used by the portal's own charts. */
  readonly byPortal: Used;
  /** Highest usage first. */
  readonly byKey: readonly {
    readonly keyId: string;
    readonly name: string;
    readonly hint: string;
    readonly environment: Environment;
    readonly state: KeyState;
    readonly used: Used;
  }[];
  /** Whether the account ever streamed an object, by a key or in the portal. */
  readonly hasStreamed: boolean;
  readonly open: {
    readonly connections: number;
    readonly subscriptions: number;
    readonly customConfigs: number;
  };
}

export interface PricingView extends Omit<Pricing, 'prices'> {
  readonly prices: readonly Omit<Pricing['prices'][number], 'withdrawal'>[];
}

export type WaiverText = Pricing['waiver'];

/** The billing address, as the buyer entered it. */
export interface BillTo {
  readonly name: string;
  /** Several lines. */
  readonly address: string;
  readonly taxId: string | null;
}

export interface OrderView {
  readonly id: string;
  readonly offer: OfferId;
  readonly state: PaymentState;
  readonly amountMinor: number;
  readonly currency: string;
  readonly interval: 'month' | null;
  readonly country: string;
  readonly billTo: BillTo | null;
  /** The payment page while the order is unpaid; null: there is nothing to pay. */
  readonly payUrl: string | null;
  readonly provider: string;
  readonly createdAt: string;
  readonly paidAt: string | null;
  readonly paidUntil: string | null;
  readonly endsAt: string | null;
  readonly waiverVersion: string;
  readonly taxIncluded: boolean;
  /** Null: the right of withdrawal has ended or does not apply. */
  readonly withdrawal: { readonly until: string; readonly amountMinor: number } | null;
  readonly withdrawn: {
    readonly at: string;
    readonly amountMinor: number;
    readonly state: 'open' | 'pending' | 'by_hand' | 'done';
    readonly mailedAt: string | null;
    readonly settledAt: string | null;
  } | null;
}

export interface WithdrawalView {
  readonly order: OrderView;
  /** The declared statement, or the one that would be declared. */
  readonly statement: string;
}

/** A charge, from the payment provider. */
export interface ReceiptView {
  readonly id: string;
  readonly at: string;
  /** Tax included. */
  readonly totalMinor: number;
  /** Null: the provider does not report it. */
  readonly taxMinor: number | null;
  readonly refundedMinor: number;
  readonly currency: string;
  readonly state: 'paid' | 'open' | 'failed' | 'refunded';
  readonly url: string | null;
}

export interface NewCheckout {
  readonly offer: OfferId;
  readonly country: string;
  readonly billTo?: BillTo;
  readonly waiver: { readonly accepted: boolean; readonly version: string };
  /** Both offers are wanted; they are ordered one after the other. */
  readonly both: boolean;
}

/** A page that the operator wrote. The server renders `html` from Markdown and is its only source. */
export interface OperatorPage {
  readonly title: string;
  readonly html: string;
}

/** A saved arrangement of charts. */
export interface LayoutView {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly bytes: number;
  /** The number of its newest state. */
  readonly state: number;
}

export interface LayoutList {
  /** Last changed first. */
  readonly layouts: readonly LayoutView[];
  /** Can be undeleted; last deleted first. */
  readonly deleted: readonly (LayoutView & {
    readonly deletedAt: string;
    readonly keptUntil: string;
  })[];
  readonly max: number;
}

export interface WholeLayout extends LayoutView {
  /** As a page has sent it; a newer page may have. */
  readonly layout: unknown;
}

export interface LayoutStates {
  /** Newest first; the first one is the present one. */
  readonly states: readonly {
    readonly state: number;
    readonly savedAt: string;
    readonly bytes: number;
  }[];
}

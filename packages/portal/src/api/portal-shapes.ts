/**
 * What the routes of the portal take and answer, as the contract has it. Instants are nanoseconds since 1970 as decimal
 * texts, money is whole minor units.
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

// What customers' programs are answered as well.
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

/** The state of the last 90 days. */
export interface StatusHistoryView {
  /** Null: nothing was recorded yet. */
  readonly recordedSince: string | null;
  /** The oldest first; the last one is today. */
  readonly days: readonly {
    /** `2026-11-18` */
    readonly day: string;
    readonly state: PastDayState;
    readonly recordedSeconds: number;
    readonly partialSeconds: number;
    readonly downSeconds: number;
  }[];
  /** The newest first. */
  readonly incidents: readonly {
    readonly from: string;
    /** Null: it goes on. */
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

/** What a link would do, looked at without using it up. */
export interface LinkView {
  readonly purpose: LinkPurpose;
  /** Shortened, as `y…@example.com`; null where the link names no address. */
  readonly email: string | null;
  /** The address that is to be approved. */
  readonly newEmail: string | null;
  readonly account: string | null;
  /** It signs in with a passkey beside it only. */
  readonly needsPasskey: boolean;
  readonly expiresAt: string;
}

/** What the service asks for a passkey for. */
export type PasskeyAct =
  | 'add-passkey'
  | 'remove-passkey'
  | 'second-factor'
  | 'email'
  | 'deletion'
  | 'key';

/** A challenge that a passkey signed; all in base64url. */
export interface PasskeyAssertion {
  readonly id: string;
  readonly clientDataJSON: string;
  readonly authenticatorData: string;
  readonly signature: string;
  readonly userHandle?: string;
}

/** A passkey that a browser made. */
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
  /** The oldest first. */
  readonly passkeys: readonly PasskeyView[];
  readonly max: number;
  readonly secondFactor: boolean;
  readonly recovery: { readonly askedAt: string; readonly dueAt: string } | null;
  /** The first one needs a fresh sign-in. */
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
  /** Of lost passkeys, while it is under way. */
  readonly recovery: { readonly askedAt: string; readonly dueAt: string } | null;
  readonly mails: { readonly usage: boolean };
  readonly sessions: readonly SessionView[];
  /** What is left to buy of an order for both offers; null: nothing, or it was declined. */
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
  /** Thirteen months, the oldest first. */
  readonly months: readonly { readonly period: string; readonly used: Used }[];
  /** The month of `days`, `byKey` and `byPortal`. */
  readonly reportPeriod: string;
  /** Days on which something was charged, as `2026-11-15`. */
  readonly days: readonly {
    readonly day: string;
    readonly used: { readonly computeUnits: number; readonly exportBytes: number };
  }[];
  /** What the portal's own charts used. */
  readonly byPortal: Used;
  /** Those that used most first. */
  readonly byKey: readonly {
    readonly keyId: string;
    readonly name: string;
    readonly hint: string;
    readonly environment: Environment;
    readonly state: KeyState;
    readonly used: Used;
  }[];
  /** The account ever streamed an object, by a key or here. */
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

/** Whom an order is billed to, as the buyer gave it. */
export interface BillTo {
  readonly name: string;
  /** In lines. */
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
  /** Where it is paid, while it is not; null: there is nothing to pay. */
  readonly payUrl: string | null;
  readonly provider: string;
  readonly createdAt: string;
  readonly paidAt: string | null;
  readonly paidUntil: string | null;
  readonly endsAt: string | null;
  readonly waiverVersion: string;
  readonly taxIncluded: boolean;
  /** Null: it may not be withdrawn from. */
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
  /** What was declared, or would be. */
  readonly statement: string;
}

/** A charge, as the payment provider lists it. */
export interface ReceiptView {
  readonly id: string;
  readonly at: string;
  /** With tax. */
  readonly totalMinor: number;
  /** Null: the provider does not say. */
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
  /** Both offers are wanted, and ordered one after the other. */
  readonly both: boolean;
}

/** A page the operator wrote; `html` was made by the server from plain Markdown, and nobody else writes it. */
export interface OperatorPage {
  readonly title: string;
  readonly html: string;
}

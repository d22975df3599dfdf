/**
 * What the service answers, as it answers: times are nanoseconds since 1970 as text (`nsOf`, `dateOf` and
 * `instantOf` read them). Fields may be added by the service in time.
 */

import type { EngineState, InstrumentState } from '@tapeloom/protocol/status-states';

export interface Catalogue {
  readonly version: string;
  /** Changes with the computation of any indicator. */
  readonly engineFingerprint: string;
  readonly indicators: readonly CatalogueIndicator[];
}

export interface CatalogueIndicator {
  readonly id: string;
  readonly version: number;
  readonly name: string;
  readonly description: string;
  readonly parameters: readonly CatalogueParameter[];
  /** JSON Schema of `params`. */
  readonly paramsSchema: Readonly<Record<string, unknown>>;
  /** JSON Schema of an object's `data`. */
  readonly data: Readonly<Record<string, unknown>>;
  readonly computeUnitsPerTrade: number;
  readonly presets: readonly {
    readonly id: string;
    readonly name: string;
    readonly params: Readonly<Record<string, ParameterValue>>;
  }[];
  readonly example: {
    readonly id: string;
    readonly final: boolean;
    readonly ts: string;
    readonly data: unknown;
  };
}

export type ParameterValue = number | string | boolean;

export interface CatalogueParameter {
  readonly name: string;
  readonly type: 'integer' | 'number' | 'string' | 'boolean';
  readonly default: ParameterValue;
  /** Where the default depends on another parameter. */
  readonly defaultBy?: {
    readonly by: string;
    readonly values: Readonly<Record<string, ParameterValue>>;
  };
  readonly minimum?: number;
  readonly maximum?: number;
  readonly multipleOf?: number;
  readonly values?: readonly string[];
  readonly unit?: string;
  /** `view`: it changes what is shown, not what is computed. */
  readonly category?: 'view';
  readonly description: string;
}

/** UTC days, as `2026-11-16`. */
export interface InstrumentHistory {
  readonly firstDay: string;
  /** It may still grow. */
  readonly lastDay: string;
  /** Days between on which the market was open and that are not there, or not whole: the first 1,000 of them. */
  readonly missingDays: readonly string[];
  readonly missingDaysTotal: number;
  /** Where a dataset was asked for: what is there, as ranges of days that are alike; the last 200. */
  readonly quality?: readonly DaysQuality[];
}

/** Days that are alike, the first and the last of them. */
export interface DaysQuality {
  readonly from: string;
  readonly to: string;
  readonly state: 'complete' | 'no-trades' | 'partial' | 'open' | 'damaged' | 'missing';
  /** Null where there is nothing to be read. */
  readonly origin: 'live' | 'imported' | 'replaced' | null;
  /** Of a partial day: the open hours that are missing, in nanoseconds since 1970 UTC. */
  readonly gaps?: readonly { readonly from: string; readonly to: string }[];
  /** Of one day: trades outside of the market's hours, which indicators leave out. */
  readonly outsideHours?: number;
}

export interface Instrument {
  readonly symbol: string;
  readonly alias: string | null;
  readonly tickSizeNanos: number;
  readonly status: InstrumentState;
  readonly updatedAt: string;
  readonly dataset: string;
  readonly name: string;
  readonly exchange: string;
  readonly currency: string;
  readonly lotSizeNanos: number;
  readonly pointValueNanos: number;
  readonly calendar: string;
  readonly expiresAt: string;
  readonly streamed: boolean;
  /** What the key can ask of its history; null: nothing. */
  readonly history: InstrumentHistory | null;
  /** Every alias that means it at some time, past or planned; without `to`: until it expires. */
  readonly aliases: readonly {
    readonly alias: string;
    readonly from: string;
    readonly to?: string;
  }[];
  /** Which contract the alias means from when on. */
  readonly rolls?: readonly { readonly from: string; readonly symbol: string }[];
}

export interface ServiceStatus {
  readonly engine: { readonly state: EngineState };
  readonly instruments: readonly {
    readonly symbol: string;
    readonly alias: string | null;
    readonly state: InstrumentState;
  }[];
  readonly version: string;
}

export type PlanName = 'sandbox' | 'live' | 'history' | 'live_history';
export type OfferName = 'live' | 'history';

/** Of the whole account; 0 where the plan has none of something. */
export interface PlanLimits {
  readonly computeBudget: number;
  readonly exportBytes: number;
  readonly restPerMinute: number;
  readonly historyDays: number;
  readonly delaySeconds: number;
  readonly maxConnections: number;
  readonly maxSubscriptions: number;
  readonly maxCustomConfigs: number;
  readonly realtime: boolean;
}

export interface Offers {
  readonly offers: readonly {
    readonly id: OfferName;
    readonly name: string;
    readonly billing: 'monthly' | 'once';
    readonly grants: readonly OfferName[];
  }[];
  /** Every combination of offers, the free one first. */
  readonly plans: readonly {
    readonly id: PlanName;
    readonly offers: readonly OfferName[];
    readonly limits: PlanLimits;
  }[];
}

export interface Pricing {
  /** ISO 4217. */
  readonly currency: string;
  /** Whether prices are what a consumer pays. */
  readonly taxIncluded: boolean;
  readonly prices: readonly {
    readonly offer: OfferName;
    /** In the currency's smallest unit. */
    readonly amountMinor: number;
    /** How often it is charged; null: once. */
    readonly interval: 'month' | null;
    /** The text of the withdrawal waiver at this price, where it is another. */
    readonly waiver?: { readonly version: string; readonly text: string };
    /** The right of withdrawal. */
    readonly withdrawal: {
      /** Whole days after the day of the contract; 0: there is no right. */
      readonly days: number;
      /** `access`: the right is lost as soon as access is provided. */
      readonly lostAt: 'access' | 'never';
      /** `rest`: what is still to come of the period that is paid for. */
      readonly refund: 'rest' | 'all';
    };
  }[];
  /** Where it can be bought, and who takes the payment there. */
  readonly countries: readonly { readonly code: string; readonly provider: string }[];
  /** The current text of the withdrawal waiver. */
  readonly waiver: { readonly version: string; readonly text: string };
}

export interface Usage {
  /** The month, `YYYY-MM`. */
  readonly period: string;
  readonly resetsAt: string;
  readonly plan: PlanName;
  readonly limits: PlanLimits;
  readonly used: {
    readonly computeUnits: number;
    readonly historyItems: number;
    readonly exportBytes: number;
    readonly restRequests: number;
  };
  readonly remaining: { readonly computeUnits: number; readonly exportBytes: number };
}

export interface StreamToken {
  /** Good for 60 seconds and one connection. */
  readonly token: string;
  readonly expiresAt: string;
}

export type KeyEnvironment = 'live' | 'test';
export type KeyScope = 'stream' | 'history' | 'export' | 'keys';
export type KeyState = 'active' | 'expiring' | 'expired' | 'revoked';

export interface KeyRecord {
  readonly id: string;
  readonly name: string;
  readonly environment: KeyEnvironment;
  readonly scopes: readonly KeyScope[];
  readonly instruments?: readonly string[];
  readonly allowedIps?: readonly string[];
  readonly expiresAt?: string;
  readonly state: KeyState;
  /** What the key looks like, without being it. */
  readonly hint: string;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
  readonly revokedAt?: string;
  readonly rotatedTo?: string;
}

export interface NewKey extends KeyRecord {
  /** The secret, shown this once; missing where the request was a repeat of one that had succeeded. */
  readonly key?: string;
}

export interface RotatedKey extends NewKey {
  readonly previous: {
    readonly id: string;
    readonly state: KeyState;
    readonly expiresAt?: string;
  };
}

/** A part of a range that is not there; the market was open at its beginning and before its end. */
export interface HistoryGap {
  /** Nanoseconds since 1970 UTC. */
  readonly from: string;
  /** Not included. */
  readonly to: string;
  /** `partial`: other hours of the day are there. */
  readonly why: 'missing' | 'damaged' | 'partial';
}

/** In answers to requests with `gaps: 'allow'`. */
export interface ListedGaps {
  /** The first 1,000. */
  readonly gaps?: readonly HistoryGap[];
  readonly gapsTotal?: number;
}

export interface Estimate extends ListedGaps {
  readonly instrument: string;
  readonly contract: string;
  readonly computeUnits: number;
  readonly trades: number;
  readonly days: number;
  readonly missingDays: readonly string[];
  readonly missingDaysTotal: number;
  readonly lookBackFrom: string | null;
  readonly remainingComputeUnits: number;
  /** Of several indicators: what each adds, in their order. */
  readonly studies?: readonly EstimatedStudy[];
}

export interface EstimatedStudy {
  readonly indicator: string;
  readonly computeUnits: number;
  readonly lookBackFrom: string | null;
}

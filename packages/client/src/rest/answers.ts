/**
 * The responses of the service, unchanged. Times are nanoseconds since 1970 as text: read them with `nsOf`, `dateOf` or
 * `instantOf`. The service may add fields.
 */

import type { EngineState, InstrumentState } from '@tapeloom/protocol/status-states';

export interface Catalogue {
  readonly version: string;
  /** Changes whenever the computation of any indicator changes. */
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

export type ParameterValue = number | string | boolean | readonly number[];

export interface CatalogueParameter {
  readonly name: string;
  readonly type: 'integer' | 'number' | 'string' | 'boolean' | 'integers';
  readonly default: ParameterValue;
  /** Present if the default depends on another parameter. */
  readonly defaultBy?: {
    readonly by: string;
    readonly values: Readonly<Record<string, ParameterValue>>;
  };
  /** Of a number, and of each number of a list. */
  readonly minimum?: number;
  readonly maximum?: number;
  readonly multipleOf?: number;
  /** How many numbers a list has. */
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly values?: readonly string[];
  readonly unit?: string;
  /** `view`: changes only the display, not the computation. */
  readonly category?: 'view';
  readonly description: string;
}

/** UTC days, as `2026-11-16`. */
export interface InstrumentHistory {
  readonly firstDay: string;
  /** This day may still grow. */
  readonly lastDay: string;
  /** Days in between on which the market was open and data is missing or incomplete: the first 1,000. */
  readonly missingDays: readonly string[];
  readonly missingDaysTotal: number;
  /** If you name a dataset: its days as ranges of equal quality; the last 200. */
  readonly quality?: readonly DaysQuality[];
}

/** A range of days of equal quality, from its first to its last day. */
export interface DaysQuality {
  readonly from: string;
  readonly to: string;
  readonly state: 'complete' | 'no-trades' | 'partial' | 'open' | 'damaged' | 'missing';
  /** Null if there is no data. */
  readonly origin: 'live' | 'imported' | 'replaced' | null;
  /** For a partial day: the open hours without data, in nanoseconds since 1970 UTC. */
  readonly gaps?: readonly { readonly from: string; readonly to: string }[];
  /** For a single day: trades outside the market's hours, which indicators ignore. */
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
  /** The history that your key may request; null: none. */
  readonly history: InstrumentHistory | null;
  /** Every alias that ever means this contract, past or planned. Without `to` it lasts until the contract expires. */
  readonly aliases: readonly {
    readonly alias: string;
    readonly from: string;
    readonly to?: string;
  }[];
  /** The contracts of the alias, each with the start of its period. */
  readonly rolls?: readonly { readonly from: string; readonly symbol: string }[];
}

/** The trading sessions of a contract. */
export interface Sessions {
  /** As you named it. */
  readonly instrument: string;
  readonly contract: string;
  readonly dataset: string;
  /** The name of its trading calendar. */
  readonly calendar: string;
  /** The IANA time zone of its trading days at the start of the range, such as `America/Chicago`. */
  readonly timeZone: string;
  /** In ascending order. */
  readonly sessions: readonly TradingSession[];
}

export interface TradingSession {
  /** The trading date, as `2026-11-16`. The session may open on the evening before. */
  readonly date: string;
  readonly open: string;
  /** Exclusive. */
  readonly close: string;
  /** Its regular hours; null: it has none. */
  readonly regular: { readonly open: string; readonly close: string } | null;
}

export interface ServiceStatus {
  readonly engine: { readonly state: EngineState };
  readonly instruments: readonly {
    readonly symbol: string;
    readonly alias: string | null;
    readonly state: InstrumentState;
  }[];
  /** The datasets of these instruments, each with a source of its own; absent: the service is older. */
  readonly datasets?: readonly {
    readonly dataset: string;
    readonly state: InstrumentState;
    readonly instruments: readonly string[];
  }[];
  readonly version: string;
}

export type PlanName = 'sandbox' | 'live' | 'history' | 'live_history';
export type OfferName = 'live' | 'history';

/** Limits of the whole account. 0: the plan does not include it. */
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
  /** Whether consumers pay these prices, tax included. */
  readonly taxIncluded: boolean;
  readonly prices: readonly {
    readonly offer: OfferName;
    /** In the currency's smallest unit. */
    readonly amountMinor: number;
    /** How often it is charged; null: once. */
    readonly interval: 'month' | null;
    /** The text of the withdrawal waiver at this price, if it differs. */
    readonly waiver?: { readonly version: string; readonly text: string };
    /** The right of withdrawal. */
    readonly withdrawal: {
      /** Whole days after the day of the contract; 0: there is no right of withdrawal. */
      readonly days: number;
      /** `access`: the right ends as soon as access is provided. */
      readonly lostAt: 'access' | 'never';
      /** `rest`: the unused part of the paid period. */
      readonly refund: 'rest' | 'all';
    };
  }[];
  /** The countries where you can buy, and the payment provider there. */
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
  /** Valid for 60 seconds and one connection. */
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
  /** An abbreviation of the key, for recognition only. */
  readonly hint: string;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
  readonly revokedAt?: string;
  readonly rotatedTo?: string;
}

export interface NewKey extends KeyRecord {
  /** The secret, shown only once. Missing if the request repeated one that had succeeded. */
  readonly key?: string;
}

export interface RotatedKey extends NewKey {
  readonly previous: {
    readonly id: string;
    readonly state: KeyState;
    readonly expiresAt?: string;
  };
}

/** A part of a range without data. The market was open at its beginning and before its end. */
export interface HistoryGap {
  /** Nanoseconds since 1970 UTC. */
  readonly from: string;
  /** Exclusive. */
  readonly to: string;
  /** `partial`: other hours of the day are there. */
  readonly why: 'missing' | 'damaged' | 'partial';
}

/** In responses to requests with `gaps: 'allow'`. */
export interface ListedGaps {
  /** The first 1,000 gaps. */
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
  /** With several indicators: what each adds, in the order of the request. */
  readonly studies?: readonly EstimatedStudy[];
}

export interface EstimatedStudy {
  readonly indicator: string;
  readonly computeUnits: number;
  readonly lookBackFrom: string | null;
}

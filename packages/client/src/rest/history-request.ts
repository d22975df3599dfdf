/** What is asked of the past, and how it is written into an address. */

import type { StreamMode } from '@tapeloom/protocol/client-messages';
import type { IndicatorName, ParamsOf } from '../indicator-objects.ts';
import { type Time, timeText } from '../times.ts';
import type { CallOptions } from './service-http.ts';

/** A range of the past of one indicator: from `from` on, up to `to` or up to and with `untilCursor`. */
export interface PastRequest<I extends string = IndicatorName> extends CallOptions {
  readonly indicator: I;
  /** A contract, or an alias: it means the contract it meant at `from`. */
  readonly instrument: string;
  readonly params?: ParamsOf<I>;
  /** Included. */
  readonly from: Time;
  /** Not included; left out: the newest time the key sees. */
  readonly to?: Time;
  /** In place of `to`: the last update of the range. */
  readonly untilCursor?: string;
  readonly mode?: StreamMode;
  /** Needed for a contract that is no longer streamed. */
  readonly dataset?: string;
}

export interface HistoryRequest<I extends string = IndicatorName> extends PastRequest<I> {
  /** Results of a page: 1 to 10,000, by default 1,000. */
  readonly limit?: number;
  /** `next` of a page: goes on there. */
  readonly cursor?: string;
  /** The state at `from`, then every version that a stream published. */
  readonly snapshot?: boolean;
}

type Query = Readonly<Record<string, string | undefined>>;

export function pastQuery(request: PastRequest): Query {
  const { indicator, instrument, params, from, to, untilCursor, mode, dataset } = request;
  return {
    instrument,
    indicator,
    params: params === undefined ? undefined : JSON.stringify(params),
    from: timeText(from),
    to: to === undefined ? undefined : timeText(to),
    untilCursor,
    mode,
    dataset,
  };
}

export function historyQuery(request: HistoryRequest): Query {
  const { limit, cursor, snapshot } = request;
  return {
    ...pastQuery(request),
    limit: limit === undefined ? undefined : String(limit),
    cursor,
    snapshot: snapshot === undefined ? undefined : String(snapshot),
  };
}

/** The requests for the past, and their query strings. */

import type { StreamMode } from '@tapeloom/protocol/client-messages';
import type { IndicatorName, NamedIndicator, ParamsOf } from '../indicator-objects.ts';
import { TapeloomError } from '../tapeloom-error.ts';
import { type Time, timeText } from '../times.ts';
import type { CallOptions, ServiceRequest } from './service-http.ts';

/** A range of the past of one indicator: from `from` up to `to` (exclusive) or `untilCursor` (inclusive). */
export interface PastRequest<I extends string = IndicatorName> extends CallOptions {
  readonly indicator: I & NamedIndicator<I>;
  /** A contract, or an alias: it stands for the contract it meant at `from`. */
  readonly instrument: string;
  readonly params?: ParamsOf<I>;
  /** Inclusive. */
  readonly from: Time;
  /** Exclusive. Default: the newest time that the key may see. */
  readonly to?: Time;
  /** The last update of the range, instead of `to`. */
  readonly untilCursor?: string;
  readonly mode?: StreamMode;
  /** Required for a contract that is no longer streamed. */
  readonly dataset?: string;
  /** `allow`: returns the data there is if days or hours of the range are missing. Default: an error. */
  readonly gaps?: 'refuse' | 'allow';
}

/** One of several indicators of an export. */
export interface StudyRequest {
  readonly indicator: IndicatorName;
  readonly params?: Readonly<Record<string, unknown>>;
}

/** A range of the past of several indicators of one contract. */
export interface StudiesRequest extends Omit<PastRequest, 'indicator' | 'params'> {
  /** 2 to 8. The same indicator may occur with different parameters. */
  readonly studies: readonly StudyRequest[];
}

export interface HistoryRequest<I extends string = IndicatorName> extends PastRequest<I> {
  /** Results per page: 1 to 10,000. Default: 1,000. */
  readonly limit?: number;
  /** `next` of a page: continues there. */
  readonly cursor?: string;
  /** Returns the state at `from`, then every version that a stream published. */
  readonly snapshot?: boolean;
}

type Query = NonNullable<ServiceRequest['query']>;

export function pastQuery(request: PastRequest | StudiesRequest): Query {
  const { instrument, from, to, untilCursor, mode, dataset, gaps } = request;
  return {
    instrument,
    ...('studies' in request ? studiesQuery(request.studies) : studyQuery(request)),
    from: timeText(from),
    to: to === undefined ? undefined : timeText(to),
    untilCursor,
    mode,
    dataset,
    gaps,
  };
}

function studyQuery({ indicator, params }: PastRequest): Query {
  return { indicator, params: params === undefined ? undefined : JSON.stringify(params) };
}

function studiesQuery(studies: readonly StudyRequest[]): Query {
  if (studies.length < 2) {
    const message = 'studies are several indicators: ask for one with "indicator".';
    throw new TapeloomError('CONFIGURATION', message);
  }
  const hasParams = studies.some(({ params }) => params !== undefined);
  return {
    indicator: studies.map(({ indicator }) => indicator),
    params: hasParams ? studies.map(({ params = {} }) => JSON.stringify(params)) : undefined,
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

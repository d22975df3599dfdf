/** What is asked of the past, and how it is written into an address. */

import type { StreamMode } from '@tapeloom/protocol/client-messages';
import type { IndicatorName, NamedIndicator, ParamsOf } from '../indicator-objects.ts';
import { TapeloomError } from '../tapeloom-error.ts';
import { type Time, timeText } from '../times.ts';
import type { CallOptions, ServiceRequest } from './service-http.ts';

/** A range of the past of one indicator: from `from` on, up to `to` or up to and with `untilCursor`. */
export interface PastRequest<I extends string = IndicatorName> extends CallOptions {
  readonly indicator: I & NamedIndicator<I>;
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
  /** `allow`: what is there, where days or hours of the range are missing; else that is refused. */
  readonly gaps?: 'refuse' | 'allow';
}

/** One of several indicators of an export. */
export interface StudyRequest {
  readonly indicator: IndicatorName;
  readonly params?: Readonly<Record<string, unknown>>;
}

/** A range of the past of several indicators of one contract. */
export interface StudiesRequest extends Omit<PastRequest, 'indicator' | 'params'> {
  /** 2 to 8; the same indicator may be there with several sets of parameters. */
  readonly studies: readonly StudyRequest[];
}

export interface HistoryRequest<I extends string = IndicatorName> extends PastRequest<I> {
  /** Results of a page: 1 to 10,000, by default 1,000. */
  readonly limit?: number;
  /** `next` of a page: goes on there. */
  readonly cursor?: string;
  /** The state at `from`, then every version that a stream published. */
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

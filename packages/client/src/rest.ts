/** The REST interface of the service: catalogue, prices, history and the account. */

import type { ExportLine, StudyLine } from './export/export-lines.ts';
import {
  ExportReading,
  type ExportRequest,
  type StudiesExportRequest,
} from './export/export-reading.ts';
import type { IndicatorName } from './indicator-objects.ts';
import type { ClientOptions } from './options.ts';
import type {
  Catalogue,
  CatalogueIndicator,
  Estimate,
  Instrument,
  Offers,
  Pricing,
  ServiceStatus,
  Sessions,
  StreamToken,
  Usage,
} from './rest/answers.ts';
import { HistoryReading } from './rest/history-reading.ts';
import { type HistoryRequest, historyQuery, type StudiesRequest } from './rest/history-request.ts';
import { Keys } from './rest/keys.ts';
import { restOptions } from './rest/rest-options.ts';
import { type CallOptions, type RateLimit, ServiceHttp } from './rest/service-http.ts';
import { TapeloomError } from './tapeloom-error.ts';
import { type Time, timeText } from './times.ts';

export interface InstrumentsRequest extends CallOptions {
  /** All contracts of a dataset, including those that are no longer streamed. */
  readonly dataset?: string;
}

/** A range of an instrument's trading sessions. */
export interface SessionsRequest extends CallOptions {
  /** A contract, or an alias: it stands for the contract it means at `from`. */
  readonly instrument: string;
  /** Inclusive. */
  readonly from: Time;
  /** Exclusive. Default: the end of the known sessions, some weeks ahead. */
  readonly to?: Time;
  /** Required for a contract that is no longer streamed. */
  readonly dataset?: string;
}

/** REST alone. `TapeloomClient` has the same methods, and streams. */
export class RestClient {
  /** Needs a key with the scope `keys`. */
  readonly keys: Keys;
  readonly #http: ServiceHttp;
  readonly #options: ClientOptions;

  constructor(options: ClientOptions = {}) {
    this.#options = options;
    this.#http = new ServiceHttp(restOptions(options));
    this.keys = new Keys(this.#http);
  }

  /**
   * The requests left in this minute, from the last response that reported it; null before. Every response to a request
   * with a key reports it, errors included.
   */
  get rateLimit(): RateLimit | null {
    return this.#http.rateLimit;
  }

  /** @internal The stream has reached the service, so the address is right and a failed request is worth a retry. */
  protected markReached(): void {
    this.#http.isReached = true;
  }

  /** The catalogue. Needs no key. */
  indicators(call: CallOptions = {}): Promise<Catalogue> {
    return this.#http.json({ path: '/v1/indicators', isPublic: true, ...call });
  }

  /** One indicator of the catalogue. Throws `UNKNOWN_INDICATOR` if there is none. */
  async indicator(id: string, call: CallOptions = {}): Promise<CatalogueIndicator> {
    const { indicators } = await this.indicators(call);
    const found = indicators.find((indicator) => indicator.id === id);
    if (found !== undefined) return found;
    throw new TapeloomError('UNKNOWN_INDICATOR', `The catalogue has no indicator "${id}".`);
  }

  /** The instruments that you can subscribe to. */
  async instruments(request: InstrumentsRequest = {}): Promise<readonly Instrument[]> {
    const { dataset, signal } = request;
    const { instruments } = await this.#http.json<{ readonly instruments: readonly Instrument[] }>({
      path: '/v1/instruments',
      query: { dataset },
      signal,
    });
    return instruments;
  }

  /** One instrument, by symbol or alias. Throws `UNKNOWN_INSTRUMENT` if there is none. */
  async instrument(name: string, request: InstrumentsRequest = {}): Promise<Instrument> {
    const instruments = await this.instruments(request);
    const found = instruments.find(({ symbol, alias }) => symbol === name || alias === name);
    if (found !== undefined) return found;
    throw new TapeloomError('UNKNOWN_INSTRUMENT', `There is no instrument "${name}".`);
  }

  /** The trading sessions of an instrument that overlap a range, past and future: at most 400. */
  sessions(request: SessionsRequest): Promise<Sessions> {
    const { instrument, from, to, dataset, signal } = request;
    const end = to === undefined ? undefined : timeText(to);
    const query = { instrument, from: timeText(from), to: end, dataset };
    return this.#http.json({ path: '/v1/sessions', query, signal });
  }

  /** The state of the service and of each instrument. Needs no key. */
  status(call: CallOptions = {}): Promise<ServiceStatus> {
    return this.#http.json({ path: '/v1/status', isPublic: true, ...call });
  }

  /** The offers, and the limits of each plan. Needs no key. Throws `NOT_FOUND` if the service has no billing. */
  offers(call: CallOptions = {}): Promise<Offers> {
    return this.#http.json({ path: '/v1/offers', isPublic: true, ...call });
  }

  /** The prices of the offers. Needs no key. Throws `NOT_FOUND` if the service has no billing. */
  pricing(call: CallOptions = {}): Promise<Pricing> {
    return this.#http.json({ path: '/v1/pricing', isPublic: true, ...call });
  }

  /** The limits of your plan, and this month's usage and remainder. */
  usage(call: CallOptions = {}): Promise<Usage> {
    return this.#http.json({ path: '/v1/usage', ...call });
  }

  /** A token for a browser, which must not have the key: valid for 60 seconds and one connection. */
  streamToken(call: CallOptions = {}): Promise<StreamToken> {
    return this.#http.json({ method: 'POST', path: '/v1/stream-tokens', ...call });
  }

  /** The cost of a history query. Free. */
  estimate<I extends string = IndicatorName>(
    request: HistoryRequest<I> | StudiesRequest,
  ): Promise<Estimate> {
    const query = historyQuery(request as unknown as HistoryRequest);
    return this.#http.json({ path: '/v1/history/estimate', query, signal: request.signal });
  }

  /** The past, page by page. Nothing is requested before you iterate. */
  history<I extends string = IndicatorName>(request: HistoryRequest<I>): HistoryReading<I> {
    return new HistoryReading(this.#http, request);
  }

  /** The past as a file: charged in full when it starts, resumed by itself. Nothing is requested before you iterate. */
  export<I extends string = IndicatorName>(request: ExportRequest<I>): ExportReading<I>;
  /** The same for several indicators of one contract, one after the other. Each result names its study. */
  export(request: StudiesExportRequest): ExportReading<IndicatorName, StudyLine>;
  export(
    request: ExportRequest | StudiesExportRequest,
  ): ExportReading<IndicatorName, ExportLine<IndicatorName> | StudyLine> {
    return new ExportReading(this.#http, request, this.#options);
  }
}

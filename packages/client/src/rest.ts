/** The service over REST: what there is, what it costs, the past, and the account. */

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
  StreamToken,
  Usage,
} from './rest/answers.ts';
import { HistoryReading } from './rest/history-reading.ts';
import { type HistoryRequest, historyQuery, type StudiesRequest } from './rest/history-request.ts';
import { Keys } from './rest/keys.ts';
import { restOptions } from './rest/rest-options.ts';
import { type CallOptions, type RateLimit, ServiceHttp } from './rest/service-http.ts';
import { TapeloomError } from './tapeloom-error.ts';

export interface InstrumentsRequest extends CallOptions {
  /** All contracts of a dataset, also those that are no longer streamed. */
  readonly dataset?: string;
}

export class RestClient {
  /** For a key with the scope `keys`. */
  readonly keys: Keys;
  readonly #http: ServiceHttp;
  readonly #options: ClientOptions;

  constructor(options: ClientOptions = {}) {
    this.#options = options;
    this.#http = new ServiceHttp(restOptions(options));
    this.keys = new Keys(this.#http);
  }

  /**
   * Requests of this minute that are left, as the last answer said that told it; null before one did. It is told with every
   * request that a key was needed for, refused ones included.
   */
  get rateLimit(): RateLimit | null {
    return this.#http.rateLimit;
  }

  /** @internal The stream has reached the service: what fails now is the moment, not the address. */
  protected markReached(): void {
    this.#http.isReached = true;
  }

  /** The catalogue. No key is needed. */
  indicators(call: CallOptions = {}): Promise<Catalogue> {
    return this.#http.json({ path: '/v1/indicators', isPublic: true, ...call });
  }

  /** One indicator of the catalogue; one that is not there throws `UNKNOWN_INDICATOR`. */
  async indicator(id: string, call: CallOptions = {}): Promise<CatalogueIndicator> {
    const { indicators } = await this.indicators(call);
    const found = indicators.find((indicator) => indicator.id === id);
    if (found !== undefined) return found;
    throw new TapeloomError('UNKNOWN_INDICATOR', `The catalogue has no indicator "${id}".`);
  }

  /** What can be subscribed to. */
  async instruments(request: InstrumentsRequest = {}): Promise<readonly Instrument[]> {
    const { dataset, signal } = request;
    const { instruments } = await this.#http.json<{ readonly instruments: readonly Instrument[] }>({
      path: '/v1/instruments',
      query: { dataset },
      signal,
    });
    return instruments;
  }

  /** One of them, by symbol or alias; one that is not there throws `UNKNOWN_INSTRUMENT`. */
  async instrument(name: string, request: InstrumentsRequest = {}): Promise<Instrument> {
    const instruments = await this.instruments(request);
    const found = instruments.find(({ symbol, alias }) => symbol === name || alias === name);
    if (found !== undefined) return found;
    throw new TapeloomError('UNKNOWN_INSTRUMENT', `There is no instrument "${name}".`);
  }

  /** Of the service and of each instrument. No key is needed. */
  status(call: CallOptions = {}): Promise<ServiceStatus> {
    return this.#http.json({ path: '/v1/status', isPublic: true, ...call });
  }

  /** What can be bought, and the limits of each plan. No key is needed. A service without billing throws `NOT_FOUND`. */
  offers(call: CallOptions = {}): Promise<Offers> {
    return this.#http.json({ path: '/v1/offers', isPublic: true, ...call });
  }

  /** What it costs. No key is needed. A service without billing throws `NOT_FOUND`. */
  pricing(call: CallOptions = {}): Promise<Pricing> {
    return this.#http.json({ path: '/v1/pricing', isPublic: true, ...call });
  }

  /** Limits of the plan, what was used this month, and what is left. */
  usage(call: CallOptions = {}): Promise<Usage> {
    return this.#http.json({ path: '/v1/usage', ...call });
  }

  /** For a browser, which must not have the key: good for 60 seconds and one connection. */
  streamToken(call: CallOptions = {}): Promise<StreamToken> {
    return this.#http.json({ method: 'POST', path: '/v1/stream-tokens', ...call });
  }

  /** What a history query would cost. Free. */
  estimate<I extends string = IndicatorName>(
    request: HistoryRequest<I> | StudiesRequest,
  ): Promise<Estimate> {
    const query = historyQuery(request as unknown as HistoryRequest);
    return this.#http.json({ path: '/v1/history/estimate', query, signal: request.signal });
  }

  /** The past, page after page; nothing is asked for before it is iterated. */
  history<I extends string = IndicatorName>(request: HistoryRequest<I>): HistoryReading<I> {
    return new HistoryReading(this.#http, request);
  }

  /** The past as a file: charged whole when it starts, resumed by itself. Nothing is asked for before it is iterated. */
  export<I extends string = IndicatorName>(request: ExportRequest<I>): ExportReading<I>;
  /** Likewise of several indicators of one contract, one after the other; each result names its study. */
  export(request: StudiesExportRequest): ExportReading<IndicatorName, StudyLine>;
  export(
    request: ExportRequest | StudiesExportRequest,
  ): ExportReading<IndicatorName, ExportLine<IndicatorName> | StudyLine> {
    return new ExportReading(this.#http, request, this.#options);
  }
}

/**
 * The past of an indicator, page by page. A page is requested only when you read on, so unread pages cost nothing. A
 * failed page is requested again and charged once. All pages share the end of the first one. A page that does not move
 * forward is an error.
 */

import { compareCursors } from '../cursors.ts';
import { arrayOf, Finals } from '../finals.ts';
import type { IndicatorName } from '../indicator-objects.ts';
import { RESUMES_MAX } from '../resumes.ts';
import { TapeloomError } from '../tapeloom-error.ts';
import type { ListedGaps } from './answers.ts';
import { entryOf, type HistoryEntry } from './history-entries.ts';
import { type HistoryRequest, historyQuery } from './history-request.ts';
import { onceText } from './keys.ts';
import type { ServiceHttp } from './service-http.ts';

export interface HistoryPage<I extends string> extends ListedGaps {
  readonly instrument: string;
  /** The contract that the page is of. */
  readonly contract: string;
  /** The dataset of the trades. Earlier service versions do not send it. */
  readonly dataset?: string;
  readonly tickSizeNanos: number;
  readonly engineFingerprint: string;
  /** The end of the range: a time, or a cursor. */
  readonly to?: string;
  readonly untilCursor?: string;
  readonly lookBackFrom: string | null;
  readonly snapshot?: true;
  readonly items: readonly HistoryEntry<I>[];
  /** The start of the next page, and for imported contracts the revision of their days; null on the last page. */
  readonly next: string | null;
  /** The cost of this page. */
  readonly computeUnits: number;
}

/** Iterate over it for all results, or over `pages()`. Each iteration sends new requests and is charged again. */
export class HistoryReading<I extends string = IndicatorName>
  implements AsyncIterable<HistoryEntry<I>>
{
  readonly #http: ServiceHttp;
  readonly #request: HistoryRequest<I>;

  constructor(http: ServiceHttp, request: HistoryRequest<I>) {
    this.#http = http;
    this.#request = request;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<HistoryEntry<I>, void, undefined> {
    for await (const { items } of this.pages()) yield* items;
  }

  /** Only the final objects, each once. */
  finals(): Finals<I> {
    return new Finals(this);
  }

  /** All results. Resolves after the last page. */
  toArray(): Promise<HistoryEntry<I>[]> {
    return arrayOf(this);
  }

  async *pages(): AsyncGenerator<HistoryPage<I>, void, undefined> {
    let request = this.#request;
    for (;;) {
      const page = await this.#page(request);
      yield page;
      const { next, to } = page;
      if (next === null) return;
      if (
        request.cursor !== undefined &&
        compareCursors(placeOf(next), placeOf(request.cursor)) <= 0
      ) {
        throw invalid(`the page after ${request.cursor} leads back to ${next}`);
      }
      // Without an end in the request, the newest time moves on between pages: all pages use that of the first.
      request = { ...request, cursor: next, ...(to === undefined ? {} : { to }) };
    }
  }

  async #page(request: HistoryRequest<I>): Promise<HistoryPage<I>> {
    const page = await this.#http.json<Omit<HistoryPage<I>, 'items'> & { items: unknown }>({
      path: '/v1/history',
      query: historyQuery(request as unknown as HistoryRequest),
      signal: request.signal,
      // Repeated requests for this page are charged once.
      idempotencyKey: onceText(),
      retriesMax: RESUMES_MAX,
    });
    const { items, next } = page;
    const isPage = Array.isArray(items) && (next === null || typeof next === 'string');
    if (!isPage) throw invalid('the answer is not a page');
    const entries = items.map((item, at) => entryOf<I>(item, `Item ${at} of GET /v1/history`));
    return { ...page, items: entries };
  }
}

/** The cursor without the revision. */
function placeOf(next: string): string {
  return next.split('~', 1)[0]!;
}

function invalid(what: string): TapeloomError {
  return new TapeloomError('INVALID_RESPONSE', `GET /v1/history: ${what}.`);
}

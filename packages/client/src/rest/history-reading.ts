/**
 * The past of an indicator, page after page as it is asked for, so that nothing is charged that nobody reads. A page
 * that does not arrive is asked for again, and charged once. Pages follow each other up to the end that the first one had; a service that leads in circles is not
 * followed.
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
  /** The one that was read. */
  readonly contract: string;
  /** Where its trades come from; services of earlier versions do not say it. */
  readonly dataset?: string;
  readonly tickSizeNanos: number;
  readonly engineFingerprint: string;
  /** The end it was computed for: a time, or a cursor. */
  readonly to?: string;
  readonly untilCursor?: string;
  readonly lookBackFrom: string | null;
  readonly snapshot?: true;
  readonly items: readonly HistoryEntry<I>[];
  /** Where the next page begins, and of imported contracts the revision of their days; null on the last one. */
  readonly next: string | null;
  /** What this page cost. */
  readonly computeUnits: number;
}

/** Iterate over it for all results, or over `pages()`. Each iteration asks anew, and is charged anew. */
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

  /** The final objects alone, each once. */
  finals(): Finals<I> {
    return new Finals(this);
  }

  /** All results, once the last page has come. */
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
      // An end that was left out moves on meanwhile; all pages are of one range.
      request = { ...request, cursor: next, ...(to === undefined ? {} : { to }) };
    }
  }

  async #page(request: HistoryRequest<I>): Promise<HistoryPage<I>> {
    const page = await this.#http.json<Omit<HistoryPage<I>, 'items'> & { items: unknown }>({
      path: '/v1/history',
      query: historyQuery(request as unknown as HistoryRequest),
      signal: request.signal,
      // However often this page is asked for, it is charged once.
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

/** The cursor alone. */
function placeOf(next: string): string {
  return next.split('~', 1)[0]!;
}

function invalid(what: string): TapeloomError {
  return new TapeloomError('INVALID_RESPONSE', `GET /v1/history: ${what}.`);
}

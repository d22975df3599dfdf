/**
 * `GET /v1/history`: one page of results. Before it starts, all trades from its start to the end of the range must fit
 * into the remaining budget; only the trades it covered are charged. A client that disconnects before the page is ready
 * ends the work uncharged. A conditional request (`If-None-Match`) that matches costs nothing: no budget is reserved
 * and nothing is computed. A repeat with the same idempotency key is free, ten times at most.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { CURSOR_PATTERN, NEXT_PATTERN } from '@tapeloom/protocol/text-patterns';
import type { Caller } from '../../accounts/auth/caller.ts';
import {
  type OnceRefused,
  type OnceRequest,
  PAGE_REMEMBERED_NS,
  PAGE_REQUEST,
} from '../../accounts/store/once.ts';
import type { CoveredQuery } from '../../history/covered-query.ts';
import { type HistoryPage, HistoryPages } from '../../history/history-pages.ts';
import { pageTag } from '../../history/page-tag.ts';
import { isNamed } from '../../platform/network/encoded-body.ts';
import { GapsView } from '../contract/gaps-schema.ts';
import { IndicatorObject } from '../contract/indicator-schemas.ts';
import { Instant } from '../contract/instant-schema.ts';
import { LookBackFrom } from '../contract/look-back-from-schema.ts';
import { namedObject, Type } from '../contract/schema.ts';
import { PageEncoder, pageEncoding } from '../server/answers/encoded-page.ts';
import { onceProblem } from '../server/idempotency.ts';
import { defineRoute, NOT_MODIFIED, type Route } from '../server/route.ts';
import { FREE_REPEATS, FreeRepeats } from './free-repeats.ts';
import {
  askedQuery,
  coveredQuery,
  HISTORY_ERRORS,
  type HistoryFacts,
  passingDamage,
} from './history-access.ts';
import { historyParameters } from './history-parameters.ts';
import { reserving } from './reserving.ts';

/** Only the caller may cache it, and must revalidate it each time. */
const KEPT_BY_CALLER = 'private, no-cache';

const CursorText = Type.String({ pattern: CURSOR_PATTERN });
const { data: _data, ...objectFields } = IndicatorObject.properties;
const Item = Type.Union(
  [
    namedObject('HistoryUpsert', {
      t: Type.Literal('upsert'),
      cursor: CursorText,
      ...IndicatorObject.properties,
    }),
    namedObject('HistoryRemove', {
      t: Type.Literal('remove'),
      cursor: CursorText,
      ...objectFields,
    }),
    namedObject('HistorySnapshot', {
      t: Type.Literal('snapshot'),
      cursor: CursorText,
      items: Type.Array(IndicatorObject),
    }),
  ],
  { title: 'HistoryItem' },
);

const HistoryPageView = namedObject('HistoryPage', {
  instrument: Type.String({ description: 'The instrument as the request names it.' }),
  contract: Type.String({ description: 'The contract whose tape was read.' }),
  dataset: Type.String({ description: 'The source of its trades.' }),
  tickSizeNanos: Type.Integer({
    description: 'A price in currency is ticks × tickSizeNanos / 1,000,000,000.',
  }),
  engineFingerprint: Type.String({ description: 'The fingerprint of the computation.' }),
  to: Type.Optional(Instant('The end of the range')),
  untilCursor: Type.Optional(
    Type.String({
      pattern: CURSOR_PATTERN,
      description: 'The cursor of the last update of the range.',
    }),
  ),
  lookBackFrom: LookBackFrom,
  ...GapsView,
  snapshot: Type.Optional(Type.Literal(true, { description: '`items` begin with a snapshot.' })),
  items: Type.Array(Item, {
    description: 'The updates as the stream sent them, in the order of their cursors.',
  }),
  next: Type.Union([Type.String({ pattern: NEXT_PATTERN }), Type.Null()], {
    description:
      'To get the next page, pass it as `cursor`; null on the last page. For an imported contract it ' +
      'has the revision of its days. If the days have been replaced since, the request for the next ' +
      'page gets 410.',
  }),
  computeUnits: Type.Integer({ minimum: 0, description: 'The compute units that this page cost.' }),
});

export function historyRoute(history: () => HistoryFacts): Route {
  const encoder = new PageEncoder();
  const repeats = new FreeRepeats();
  return defineRoute({
    method: 'GET',
    path: '/v1/history',
    operationId: 'getHistory',
    summary: 'Results of an indicator over a range of time, in pages.',
    description:
      'The final objects and the removals, in the order of their cursors. In mode `live` the last page ' +
      'ends with the objects that still form. A page costs the trades that it covers. It is compressed ' +
      'with zstd or gzip if `Accept-Encoding` accepts that. A page of sealed days, with a `to` or ' +
      '`untilCursor`, has an `ETag`. If you request it again with `If-None-Match`, it costs a request ' +
      'and no compute units. A page may not have reached you: with an `Idempotency-Key` you can request ' +
      `it again within an hour, up to ${FREE_REPEATS} times, for a request each and no compute units. ` +
      'The `Link` of a page leads to the next one. HEAD checks the query and costs no compute units.',
    isIdempotent: true,
    access: { scope: 'history' },
    query: historyParameters('history'),
    judgesQuery: true,
    isTagged: true,
    answer: HistoryPageView,
    errors: [...HISTORY_ERRORS, { code: 'QUOTA_EXCEEDED', status: 429 }],
    head: async ({ query: raw, caller, signal, setHeader }) => {
      const facts = history();
      const query = askedQuery(facts, { raw, operation: 'history', caller });
      await coveredQuery(facts, query, caller, signal);
      setHeader('content-type', 'application/json; charset=utf-8');
      setHeader('vary', 'Accept-Encoding');
    },
    handle: async ({ query, caller, id, signal, header, setHeader, once, markReplayed }) => {
      const facts = history();
      const page = once && { ...once, request: `${PAGE_REQUEST}${once.request}` };
      const reply = { header, setHeader, markReplayed };
      const request = { raw: query, caller, id, signal, once: page };
      const asked = { facts, encoder, repeats, ...request, ...reply };
      const before =
        page && (await facts.requests.findOnce(facts.accountsNow(), whose(asked, page)));
      return before === null ? await pageOf(asked, false) : await repeated(asked, before);
    },
  });
}

interface PageAsked {
  readonly facts: HistoryFacts;
  readonly encoder: PageEncoder;
  readonly repeats: FreeRepeats;
  /** The raw query of the request. */
  readonly raw: Readonly<Record<string, unknown>>;
  readonly caller: Caller;
  readonly id: string;
  readonly signal: AbortSignal;
  readonly once: OnceRequest | null;
  header(name: string): string | undefined;
  setHeader(name: string, value: string): void;
  markReplayed(): void;
}

function whose({ caller: { accountId, keyId } }: PageAsked, once: OnceRequest) {
  return { accountId, keyId, once };
}

/** Repeats a paid page, with the same range even if that had no end. After too many repeats it is charged again. */
async function repeated(asked: PageAsked, before: OnceRefused) {
  const { facts, repeats, raw, caller, once, markReplayed } = asked;
  if (before.refused !== 'done-before') throw onceProblem(before, facts.accountsNow());
  const end = raw.untilCursor === undefined ? { to: before.answer } : {};
  const same = { ...asked, raw: { ...raw, ...end }, once: null };
  if (!repeats.take(caller.keyId, once!)) return await pageOf(same, false);
  const page = await pageOf(same, true);
  markReplayed();
  return page;
}

async function pageOf(asked: PageAsked, isPaid: boolean): Promise<Buffer | typeof NOT_MODIFIED> {
  const { facts, encoder, raw, caller, id, signal, header, setHeader } = asked;
  // If they change while the page is made, it carries the old revision, and a cursor from it is rejected.
  const servedDays = facts.servedDays();
  const query = askedQuery(facts, { raw, operation: 'history', caller });
  let covered = await coveredQuery(facts, query, caller, signal);
  const { charges, engineFingerprint, version, sources } = facts;
  const encoding = pageEncoding(header('accept-encoding'));
  let tag = pageTag(covered, { version, engineFingerprint, encoding });
  const kept = (isTagged: boolean) => {
    setHeader('vary', 'Accept-Encoding');
    if (tag === null || !isTagged) return;
    setHeader('etag', tag);
    setHeader('cache-control', KEPT_BY_CALLER);
  };
  if (tag !== null && isNamed(tag, header('if-none-match'))) {
    kept(true);
    return NOT_MODIFIED;
  }
  const reservation = isPaid
    ? Promise.resolve()
    : charges.reserve('page', id, caller, covered.computeUnits);
  const reserved = reserving(reservation, signal);
  try {
    const pages = new HistoryPages({ ...sources, engineFingerprint, servedDays });
    const page = await passingDamage(async (found) => {
      if (found > 0) {
        // It costs no more than was reserved: trades of damaged days are not read.
        covered = await coveredQuery(facts, query, caller, signal);
        tag = pageTag(covered, { version, engineFingerprint, encoding });
      }
      return await pages.page(covered, caller.accountId, reserved);
    });
    signal.throwIfAborted();
    const before = isPaid ? null : await settled(asked, page, covered);
    if (before !== null) {
      await charges.giveBack(id);
      return await repeated(asked, before);
    }
    const encoded = await encoder.encoded(caller.accountId, page.bytes, encoding);
    kept(encoded.isAsAlways);
    if (page.next !== null) setHeader('link', nextLink(raw, page.next));
    if (encoded.encoding !== null) setHeader('content-encoding', encoded.encoding);
    return encoded.bytes;
  } catch (error) {
    // An error of the reservation takes precedence.
    await reservation;
    await charges.giveBack(id);
    throw signal.aborted ? signal.reason : error;
  }
}

/** Charges the page. Not null: another attempt has paid for it meanwhile, and nothing was charged. */
async function settled(
  asked: PageAsked,
  { computeUnits, items }: HistoryPage,
  { query }: CoveredQuery,
): Promise<OnceRefused | null> {
  const { facts, id, once } = asked;
  if (once === null) {
    await facts.charges.settle(id, computeUnits, items);
    return null;
  }
  const expiresAt = (facts.accountsNow() + PAGE_REMEMBERED_NS) as EpochNs;
  const done = { ...whose(asked, once), answer: String(query.to), expiresAt };
  return await facts.charges.settleOnce(id, computeUnits, done, items);
}

/** The same query for the next page, as a relative address. */
function nextLink(raw: object, next: string): string {
  const query = new URLSearchParams({ ...(raw as Record<string, string>), cursor: next });
  return `<?${query}>; rel="next"`;
}

/**
 * `GET /v1/sessions`: the trading days of an instrument, exactly as indicators see them, with those to come as far as
 * they are resolved. A calendar is no market data: no delay applies, and any key may read it.
 */

import { createHash } from 'node:crypto';
import type { Session, SessionTable } from '@tapeloom/core/calendar/session';
import type { EpochNs } from '@tapeloom/core/numbers';
import { dayOf } from '@tapeloom/core/utc-day';
import { INSTANT_TEXT_PATTERN } from '@tapeloom/protocol/text-patterns';
import type { Static } from 'typebox';
import { FieldReader, readInstant, readName } from '../../history/history-fields.ts';
import { requireContract, requireRight } from '../../history/history-query.ts';
import { isNamed } from '../../platform/network/encoded-body.ts';
import { dayText } from '../../platform/refusal-answer.ts';
import { Instant } from '../contract/instant-schema.ts';
import { closedObject, namedObject, Type } from '../contract/schema.ts';
import { invalidParameters } from '../server/problems/problem-error.ts';
import { defineRoute, EncodedJson, NOT_MODIFIED, type Route } from '../server/route.ts';
import type { InstrumentFacts } from './instrument-view.ts';

/** More than a year has, so a year needs one request. */
export const SESSIONS_MAX = 400;
/** Only the caller may cache it, and must revalidate it each time: sessions that have not opened may change. */
const KEPT_BY_CALLER = 'private, no-cache';
const INSTANT = 'nanoseconds since 1970-01-01 UTC, an RFC 3339 time, or a date YYYY-MM-DD';

const SessionsQuery = closedObject({
  instrument: Type.String({
    description: 'Symbol or alias. An alias designates the contract that it designates at `from`.',
  }),
  from: Type.String({
    pattern: INSTANT_TEXT_PATTERN,
    description: `Start of the range: ${INSTANT}.`,
  }),
  to: Type.Optional(
    Type.String({
      pattern: INSTANT_TEXT_PATTERN,
      description: `End of the range, exclusive: ${INSTANT}. Default: the end of the known sessions.`,
    }),
  ),
  dataset: Type.Optional(
    Type.String({
      description: 'The dataset of the contract. Required if the contract is not streamed.',
    }),
  ),
});

const SessionTimes = { open: Instant('Open'), close: Instant('Close, exclusive') };

const SessionView = namedObject('TradingSession', {
  date: Type.String({
    format: 'date',
    description: 'The trading date. A session may open on the evening before.',
  }),
  ...SessionTimes,
  regular: Type.Union([namedObject('RegularHours', SessionTimes), Type.Null()], {
    description: 'The regular hours of the session; null: it has none.',
  }),
});

const SessionList = namedObject('SessionList', {
  instrument: Type.String({ description: 'The instrument as the request names it.' }),
  contract: Type.String({ description: 'The contract whose sessions these are.' }),
  dataset: Type.String({ description: 'The source of its trades.' }),
  calendar: Type.String({ description: 'The name of its trading calendar.' }),
  timeZone: Type.String({
    description: 'The IANA time zone of its trading days at `from`, such as `America/Chicago`.',
  }),
  sessions: Type.Array(SessionView, {
    maxItems: SESSIONS_MAX,
    description: 'Every session that is open at some time of the range, in ascending order.',
  }),
});

export function sessionsRoute(facts: () => InstrumentFacts): Route {
  return defineRoute({
    method: 'GET',
    path: '/v1/sessions',
    operationId: 'listSessions',
    summary: 'The trading sessions of an instrument.',
    description:
      'The sessions that indicators use: past ones never change; those that have not opened follow the ' +
      `calendar, some weeks ahead. At most ${SESSIONS_MAX} in a response, which has an \`ETag\`.`,
    access: 'key',
    query: SessionsQuery,
    judgesQuery: true,
    isTagged: true,
    answer: SessionList,
    errors: [{ code: 'UNKNOWN_INSTRUMENT', status: 404 }],
    handle: ({ query: raw, caller: { entitlements }, header, setHeader }) => {
      const market = facts();
      const { instrument, dataset, from, to } = readFields(raw);
      const { book, now } = market;
      const contract = requireContract({ instrument, dataset, from }, market);
      const today = market.tapeDay(instrument);
      requireRight(instrument, contract, { entitlements, book, now, today });
      const answer: Static<typeof SessionList> = {
        instrument,
        contract: contract.symbol,
        dataset: contract.dataset,
        calendar: contract.calendar,
        timeZone: market.timeZoneOf(contract.symbol, dayOf(from)),
        sessions: sessionsIn(market.fullSessions(contract.symbol), from, to).map(viewSession),
      };
      const text = JSON.stringify(answer);
      // Nodes of a cluster have the same sessions, and so the same tag.
      const tag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
      setHeader('etag', tag);
      setHeader('cache-control', KEPT_BY_CALLER);
      return isNamed(tag, header('if-none-match')) ? NOT_MODIFIED : new EncodedJson(text);
    },
  });
}

interface SessionFields {
  readonly instrument: string;
  readonly dataset: string | null;
  readonly from: EpochNs;
  /** Null: all that are known. */
  readonly to: EpochNs | null;
}

function readFields(raw: Readonly<Record<string, unknown>>): SessionFields {
  const reader = new FieldReader(raw, Object.keys(SessionsQuery.properties));
  const instrument = reader.required('instrument', readName);
  const from = reader.required('from', readInstant);
  const to = reader.optional('to', readInstant);
  const dataset = reader.optional('dataset', readName);
  if (from !== null && to !== null && to <= from) reader.fault('/to', 'must be after /from');
  if (reader.faults.length > 0) throw invalidParameters(reader.faults);
  return { instrument: instrument!, dataset, from: from!, to };
}

function sessionsIn(table: SessionTable, from: EpochNs, to: EpochNs | null): readonly Session[] {
  const found: Session[] = [];
  let next = table.atOrAfter(from);
  while (next !== null && (to === null || next.open < to)) {
    if (found.length === SESSIONS_MAX) throw tooMany(found.at(-1)!);
    found.push(next);
    next = table.atOrAfter(next.close);
  }
  return found;
}

function tooMany({ close }: Session) {
  const message = `must be at most ${close}: the range has more than ${SESSIONS_MAX} sessions`;
  return invalidParameters([{ path: '/to', message }]);
}

function viewSession({ date, open, close, regular }: Session): Static<typeof SessionView> {
  return {
    date: dayText(date),
    open: open.toString(),
    close: close.toString(),
    regular:
      regular === undefined
        ? null
        : { open: regular.open.toString(), close: regular.close.toString() },
  };
}

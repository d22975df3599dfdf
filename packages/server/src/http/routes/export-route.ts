/**
 * `GET /v1/export`: the whole history of a query as one compressed file. Its range is charged when it starts,
 * however little of it is read; a token lets it be resumed for 24 hours without being charged again, lines at
 * any line, a table at any byte. Bytes are charged at the end of every response, cut ones too: those that were written.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { periodOf } from '@tapeloom/core/quota/month';
import { dayOf } from '@tapeloom/core/utc-day';
import type { TObject } from 'typebox';
import type { Caller } from '../../accounts/auth/caller.ts';
import type { AccountStore } from '../../accounts/store/account-store.ts';
import type { OnceRefused, OnceRequest } from '../../accounts/store/once.ts';
import { exportFrames, NoSuchLineError } from '../../exports/export-frames.ts';
import type { ExportPace } from '../../exports/export-pace.ts';
import { exportTable, NoSuchByteError } from '../../exports/export-table.ts';
import { type ExportBegun, type ExportTokens, TOKEN_VALID_NS } from '../../exports/export-token.ts';
import { FLAT_INDICATORS } from '../../exports/table-columns.ts';
import type { TableThread } from '../../exports/table-thread.ts';
import { type CoveredQuery, lookBackText } from '../../history/covered-query.ts';
import type { ExportFormat } from '../../history/history-fields.ts';
import type { HistoryQuery } from '../../history/history-query.ts';
import type { SkippedLines } from '../../results/settled-days.ts';
import { Type } from '../contract/schema.ts';
import { IDEMPOTENCY_KEY, onceProblem } from '../server/idempotency.ts';
import { invalidParameters, ProblemError } from '../server/problem-error.ts';
import { defineRoute, type Route } from '../server/route.ts';
import { StreamedAnswer } from '../server/streamed-answer.ts';
import { reserveCompute, secondsToRenewal } from './compute-charge.ts';
import {
  askedQuery,
  coveredQuery,
  HISTORY_ERRORS,
  type HistoryFacts,
  visibleTo,
} from './history-access.ts';
import { historyParameters } from './history-parameters.ts';

/**
 * How long a process that died holds back what it reserved. A download that takes longer is charged all the
 * same: a reservation that has ended by itself can still be settled.
 */
const VOLUME_RESERVED_NS = 600_000_000_000n;
const COUNT = /^(?:0|[1-9]\d{0,14})$/;
const RESUME_FIELDS: readonly string[] = ['resume', 'line', 'byte'];

interface FormatFacts {
  readonly contentType: string;
  readonly extension: string;
  /** What a resumed export is told to begin with. */
  readonly place: 'line' | 'byte';
}

const FORMATS: Readonly<Record<ExportFormat, FormatFacts>> = {
  ndjson: { contentType: 'application/zstd', extension: 'ndjson.zst', place: 'line' },
  parquet: {
    contentType: 'application/vnd.apache.parquet',
    extension: 'parquet',
    place: 'byte',
  },
  arrow: {
    contentType: 'application/vnd.apache.arrow.stream',
    extension: 'arrows',
    place: 'byte',
  },
};

export interface ExportFacts extends HistoryFacts {
  /** What was done for requests with an idempotency key. */
  readonly requests: Pick<AccountStore, 'findOnce'>;
  readonly tokens: ExportTokens;
  readonly tables: TableThread;
  readonly pace: ExportPace;
}

/** What is to be sent. */
interface Asked {
  readonly facts: ExportFacts;
  readonly caller: Caller;
  /** The request id. */
  readonly id: string;
  readonly signal: AbortSignal;
  readonly once: OnceRequest | null;
  readonly markReplayed: () => void;
}
interface Delivery {
  readonly covered: CoveredQuery;
  /** What its token is of. */
  readonly begun: ExportBegun;
  readonly token: string;
  /** The first line, or byte of a table, that is wanted. */
  readonly first: number;
}

const Parameters: TObject = Type.Object(
  {
    ...historyParameters('export').properties,
    resume: Type.Optional(
      Type.String({ description: 'A token; then only `line` or `byte` may be given besides.' }),
    ),
    line: Type.Optional(
      Type.Integer({
        minimum: 0,
        default: 0,
        description: 'With `resume` of `ndjson`: complete lines already held.',
      }),
    ),
    byte: Type.Optional(
      Type.Integer({
        minimum: 0,
        default: 0,
        description: 'With `resume` of `parquet` or `arrow`: bytes already held.',
      }),
    ),
  },
  { additionalProperties: false },
);

export function exportRoute(exports: () => ExportFacts): Route {
  return defineRoute({
    method: 'GET',
    path: '/v1/export',
    operationId: 'exportHistory',
    summary: 'The history of a query as a compressed file.',
    description:
      'Lines of JSON, compressed with zstd: a header, one result a line as in history, an end with ' +
      'their number; or the same results as the rows of a table, with what the header says in its ' +
      'metadata. `X-Export-Token` of the answer, passed as `resume` within 24 hours, continues it at a ' +
      'line, a table at a byte, without being charged compute units again. Takes the query, or `resume`.',
    access: { scope: 'export' },
    isIdempotent: true,
    query: Parameters,
    judgesQuery: true,
    hasNoHead: true,
    answer: Type.String(),
    answerTypes: Object.values(FORMATS).map(({ contentType }) => contentType),
    errors: [...HISTORY_ERRORS, { code: 'QUOTA_EXCEEDED', status: 429 }],
    handle: async ({ query: raw, caller, id, signal, once, markReplayed }) => {
      const facts = exports();
      const asked = { facts, caller, id, signal, once, markReplayed };
      if ('resume' in raw) return await resumed(asked, raw);
      const refused =
        once && (await facts.requests.findOnce(facts.accountsNow(), whose(asked, once)));
      return refused === null ? await started(asked, raw) : await repeated(asked, refused);
    },
  });
}

/** From its first line on, like a resume: charged are its bytes, and no units. */
async function repeated(asked: Asked, refused: OnceRefused): Promise<StreamedAnswer> {
  const { facts, caller, id, markReplayed } = asked;
  const now = facts.accountsNow();
  if (refused.refused !== 'done-before') throw onceProblem(refused, now);
  if (facts.tokens.read(now, caller.accountId, refused.answer).t !== 'good') {
    throw new ProblemError(
      'CURSOR_EXPIRED',
      `The service computes otherwise by now: start a new export, with another ${IDEMPOTENCY_KEY}.`,
    );
  }
  // Its volume is reserved under a name of its own: of two that come together, the later has begun before.
  const answer = await resumed({ ...asked, id: `${id} repeated` }, { resume: refused.answer });
  markReplayed();
  return answer;
}

function whose({ caller: { accountId, keyId } }: Asked, once: OnceRequest) {
  return { accountId, keyId, once };
}

async function started(asked: Asked, raw: Readonly<Record<string, unknown>>) {
  const { facts, caller, id, signal, once } = asked;
  const query = askedQuery(facts, { raw, operation: 'export', caller });
  requireColumns(query);
  requireVolume(caller);
  const covered = await coveredQuery(facts, query, caller, signal);
  const charge = await reserveCompute(facts, id, caller, covered.computeUnits);
  let answer: StreamedAnswer | null = null;
  try {
    const { engineFingerprint } = facts;
    const now = facts.accountsNow();
    const begun = { query, engineFingerprint, inputs: covered.coverage.inputs };
    const token = facts.tokens.issue(now, caller.accountId, begun);
    answer = await delivered(asked, { covered, begun, token, first: 0 });
    signal.throwIfAborted();
    if (once === null) {
      await charge.settle(covered.computeUnits, 0);
      return answer;
    }
    // No longer than the token is good for.
    const done = {
      ...whose(asked, once),
      answer: token,
      expiresAt: (now + TOKEN_VALID_NS) as EpochNs,
    };
    const refused = await charge.settleOnce(covered.computeUnits, done);
    if (refused === null) return answer;
    await answer.discard();
    await charge.giveBack();
    answer = null;
    return await repeated(asked, refused);
  } catch (error) {
    await answer?.discard();
    await charge.giveBack();
    throw error;
  }
}

async function resumed(asked: Asked, raw: Readonly<Record<string, unknown>>) {
  const { facts, caller, signal } = asked;
  const { resume: token, ...places } = raw;
  const faults = Object.entries(places).flatMap(([name, value]) => {
    if (!RESUME_FIELDS.includes(name)) {
      return [{ path: `/${name}`, message: 'cannot be combined with /resume' }];
    }
    const isCount = typeof value === 'string' && COUNT.test(value);
    return isCount ? [] : [{ path: `/${name}`, message: `must be a count of ${name}s` }];
  });
  if (faults.length > 0) throw invalidParameters(faults);
  const begun = begunBy(asked, String(token));
  const { query, inputs } = begun;
  const { place } = FORMATS[query.format];
  for (const name of Object.keys(places).filter((other) => other !== place)) {
    const message = `does not fit a token of ${query.format}, which is resumed at /${place}`;
    throw invalidParameters([{ path: `/${name}`, message }]);
  }
  requireVolume(caller);
  requireRights(asked, query);
  const covered = await coveredQuery(facts, query, caller, signal);
  if (inputs !== null && covered.coverage.inputs !== inputs) {
    const detail = 'Days before the range came to the tape or left it: start a new export.';
    throw new ProblemError('CURSOR_EXPIRED', detail);
  }
  const first = Number(places[place] ?? 0);
  return await delivered(asked, { covered, begun, token: String(token), first });
}

function begunBy({ facts, caller }: Asked, token: string): ExportBegun {
  const reading = facts.tokens.read(facts.accountsNow(), caller.accountId, token);
  switch (reading.t) {
    case 'good':
      return reading;
    case 'unknown':
      throw invalidParameters([{ path: '/resume', message: 'is not a token of this account' }]);
    case 'too-old':
      throw new ProblemError('CURSOR_EXPIRED', 'The token is older than 24 hours.');
    case 'outdated':
      throw new ProblemError(
        'CURSOR_EXPIRED',
        'The computation or the format has changed: start a new export.',
      );
    default:
      throw new RangeError(`no such reading: ${JSON.stringify(reading satisfies never)}`);
  }
}

/** Of another key of the account, or of one whose rights have changed. */
function requireRights({ facts, caller }: Asked, query: HistoryQuery): void {
  const { entitlements } = caller;
  const { instrument: name, from, to } = query;
  const book = facts.book();
  const now = facts.now();
  const visible = visibleTo(caller, facts);
  const contract = book.contract(query.contract);
  const isAllowed =
    contract !== null &&
    entitlements.allowsInstrument({ name, contract, book, today: dayOf(visible), now });
  if (!isAllowed) {
    throw new ProblemError('FORBIDDEN', `The key has no right to the instrument "${name}".`);
  }
  const earliest = entitlements.historyFrom(now);
  if (earliest === null || from < earliest || to > entitlements.visibleUntil(now)) {
    throw new ProblemError('FORBIDDEN', 'The plan does not cover this export any more.');
  }
  // After a restart the tape may need a moment to come back to where it was.
  if (to > visible) {
    throw new ProblemError('WARMING', 'The service is still reading its tape. Try again soon.');
  }
}

function requireColumns({ format, indicator }: HistoryQuery): void {
  if (format === 'ndjson' || FLAT_INDICATORS.includes(indicator)) return;
  const names = FLAT_INDICATORS.join(', ');
  const message = `has ${format} only for indicators with flat data, not for ${indicator}: ${names}`;
  throw invalidParameters([{ path: '/format', message }]);
}

function requireVolume({ entitlements }: Caller): void {
  if (entitlements.limits.exportBytes > 0) return;
  throw new ProblemError('FORBIDDEN', 'The plan has no exports.');
}

/** Everything that can be refused is refused before this resolves. */
async function delivered(asked: Asked, delivery: Delivery): Promise<StreamedAnswer> {
  const { facts, caller, signal } = asked;
  const { token } = delivery;
  const { query } = delivery.covered;
  const { contentType, place } = FORMATS[query.format];
  const volume = await reserveVolume(asked);
  try {
    const chunks = bodyOf(asked, delivery);
    const body = facts.pace.paced(chunks, caller.accountId, signal);
    const first = await body.next();
    return new StreamedAnswer({
      headers: {
        'content-type': contentType,
        'content-disposition': `attachment; filename="${fileName(query)}"`,
        'x-export-token': token,
      },
      chunks: withFirst(first, body),
      onWritten: (bytes) => volume.settle(bytes),
    });
  } catch (error) {
    await volume.giveBack();
    if (error instanceof NoSuchLineError || error instanceof NoSuchByteError) {
      throw invalidParameters([{ path: `/${place}`, message: 'is more than the export has' }]);
    }
    throw signal.aborted ? signal.reason : error;
  }
}

function bodyOf({ facts, caller, signal }: Asked, delivery: Delivery): AsyncGenerator<Uint8Array> {
  const { covered, begun, first } = delivery;
  const { query, until, coverage } = covered;
  const { contract, indicator, params, mode, untilCursor, from, format } = query;
  const { sources, tables } = facts;
  const { accountId: account } = caller;
  const firstDay = dayOf(from);
  const hasTail = mode === 'live' && untilCursor === null;
  const { engineFingerprint, inputs } = begun;
  const lookBackFrom = inputs === null ? undefined : lookBackText(coverage);
  const request = { account, contract, indicator, params, firstDay, from, until, hasTail };
  const open = (skip?: SkippedLines) =>
    sources.days.read({ ...request, form: 'frames', ...(skip && { skip }) }, signal);
  return format === 'ndjson'
    ? exportFrames({ query, engineFingerprint, lookBackFrom, line: first, open })
    : exportTable({
        query,
        format,
        engineFingerprint,
        lookBackFrom,
        account,
        byte: first,
        tables,
        open,
      });
}

/** A chunk that was taken, before those that were not. */
function withFirst(
  first: IteratorResult<Uint8Array>,
  rest: AsyncGenerator<Uint8Array>,
): AsyncIterableIterator<Uint8Array> {
  let taken: IteratorResult<Uint8Array> | null = first;
  return {
    next: async () => {
      const next = taken ?? (await rest.next());
      taken = null;
      return next;
    },
    return: () => rest.return(undefined),
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/** How much it will be is not known: a response may start while anything is left. */
async function reserveVolume({ facts, caller, id }: Asked) {
  const { budgets } = facts;
  const now = facts.accountsNow();
  const volumeId = `${id} volume`;
  const verdict = await budgets.reserve(now, {
    id: volumeId,
    accountId: caller.accountId,
    keyId: caller.keyId,
    budget: 'exportBytes',
    amount: 1,
    ...caller.entitlements.counted('exportBytes'),
    period: periodOf(now),
    expiresAt: (now + VOLUME_RESERVED_NS) as EpochNs,
  });
  if (!verdict.granted) {
    throw new ProblemError('QUOTA_EXCEEDED', 'The export volume of this month is used up.', {
      status: 429,
      headers: { 'retry-after': String(secondsToRenewal(now)) },
    });
  }
  return {
    settle: async (amount: number) => {
      await budgets.settle(facts.accountsNow(), volumeId, { amount });
    },
    giveBack: async () => {
      await budgets.voidReservation(facts.accountsNow(), volumeId);
    },
  };
}

function fileName({ contract, indicator, from, to, format }: HistoryQuery): string {
  const days = `${dayOf(from)}-${dayOf((to - 1n) as EpochNs)}`;
  return `${contract}-${indicator}-${days}.${FORMATS[format].extension}`;
}

/**
 * `GET /v1/export`: the whole history of a query as one compressed file. Its range is charged when it starts,
 * however little of it is read; a token lets it be resumed at any line for 24 hours without being charged
 * again. Bytes are charged at the end of every response, cut ones too: those that were written.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { periodOf } from '@tapeloom/core/quota/month';
import { dayOf } from '@tapeloom/core/utc-day';
import { type TObject, Type } from 'typebox';
import type { Caller } from '../accounts/caller.ts';
import { exportFrames, NoSuchLineError } from '../exports/export-frames.ts';
import type { ExportTokens } from '../exports/export-token.ts';
import type { CoveredQuery } from '../history/covered-query.ts';
import type { HistoryQuery } from '../history/history-query.ts';
import { reserveCompute, secondsToRenewal } from './compute-charge.ts';
import {
  askedQuery,
  coveredQuery,
  HISTORY_ERRORS,
  type HistoryFacts,
  historyProblem,
  visibleTo,
} from './history-access.ts';
import { historyParameters } from './history-parameters.ts';
import { invalidParameters, ProblemError } from './problem-error.ts';
import { defineRoute, type Route } from './route.ts';
import { StreamedAnswer } from './streamed-answer.ts';

/**
 * How long a process that died holds back what it reserved. A download that takes longer is charged all the
 * same: a reservation that has ended by itself can still be settled.
 */
const VOLUME_RESERVED_NS = 600_000_000_000n;
const LINE = /^(?:0|[1-9]\d{0,14})$/;
const RESUME_FIELDS: readonly string[] = ['resume', 'line'];

export interface ExportFacts extends HistoryFacts {
  readonly tokens: ExportTokens;
}

/** What is to be sent. */
interface Asked {
  readonly facts: ExportFacts;
  readonly caller: Caller;
  /** The request id. */
  readonly id: string;
  readonly signal: AbortSignal;
}
interface Delivery {
  readonly covered: CoveredQuery;
  readonly token: string;
  readonly line: number;
}

const Parameters: TObject = Type.Object(
  {
    ...historyParameters('export').properties,
    resume: Type.Optional(
      Type.String({ description: 'A token; then only `line` may be given besides.' }),
    ),
    line: Type.Optional(
      Type.Integer({ minimum: 0, default: 0, description: 'Complete lines already held.' }),
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
      'their number. `X-Export-Token` of the answer, passed as `resume` within 24 hours, continues it ' +
      'at a line without being charged compute units again. Takes the query, or `resume`.',
    access: { scope: 'export' },
    query: Parameters,
    judgesQuery: true,
    hasNoHead: true,
    answer: Type.String({ contentMediaType: 'application/zstd' }),
    answerType: 'application/zstd',
    errors: [...HISTORY_ERRORS, { code: 'QUOTA_EXCEEDED', status: 429 }],
    handle: async ({ query: raw, caller, id, signal }) => {
      const asked = { facts: exports(), caller, id, signal };
      return 'resume' in raw ? await resumed(asked, raw) : await started(asked, raw);
    },
  });
}

async function started(asked: Asked, raw: Readonly<Record<string, unknown>>) {
  const { facts, caller, id, signal } = asked;
  const query = askedQuery(facts, { raw, operation: 'export', caller });
  requireVolume(caller);
  const covered = await coveredQuery(facts, query, caller);
  const charge = await reserveCompute(facts, id, caller, covered.computeUnits);
  let answer: StreamedAnswer | null = null;
  try {
    const token = facts.tokens.issue(facts.accountsNow(), caller.accountId, query);
    answer = await delivered(asked, { covered, token, line: 0 });
    signal.throwIfAborted();
    await charge.settle(covered.computeUnits, 0);
    return answer;
  } catch (error) {
    await answer?.discard();
    await charge.giveBack();
    throw error;
  }
}

async function resumed(asked: Asked, raw: Readonly<Record<string, unknown>>) {
  const { facts, caller } = asked;
  const { resume: token, line = '0' } = raw;
  const faults = Object.keys(raw)
    .filter((name) => !RESUME_FIELDS.includes(name))
    .map((name) => ({ path: `/${name}`, message: 'cannot be combined with /resume' }));
  const isLine = typeof line === 'string' && LINE.test(line);
  if (!isLine) faults.push({ path: '/line', message: 'must be a count of lines' });
  if (faults.length > 0) throw invalidParameters(faults);
  const query = queryOf(asked, String(token));
  requireVolume(caller);
  requireRights(asked, query);
  const covered = await coveredQuery(facts, query, caller);
  return await delivered(asked, { covered, token: String(token), line: Number(line) });
}

function queryOf({ facts, caller }: Asked, token: string): HistoryQuery {
  const reading = facts.tokens.read(facts.accountsNow(), caller.accountId, token);
  switch (reading.t) {
    case 'good':
      return reading.query;
    case 'unknown':
      throw invalidParameters([{ path: '/resume', message: 'is not a token of this account' }]);
    case 'too-old':
      throw new ProblemError('CURSOR_EXPIRED', 'The token is older than 24 hours.');
    case 'outdated':
      throw new ProblemError('CURSOR_EXPIRED', 'The computation has changed: start a new export.');
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
  if (earliest === null || from < earliest || to > visible) {
    throw new ProblemError('FORBIDDEN', 'The plan does not cover this export any more.');
  }
}

function requireVolume({ entitlements }: Caller): void {
  if (entitlements.limits.exportBytes > 0) return;
  throw new ProblemError('FORBIDDEN', 'The plan has no exports.');
}

/** Everything that can be refused is refused before this resolves. */
async function delivered(asked: Asked, delivery: Delivery): Promise<StreamedAnswer> {
  const { facts, caller, signal } = asked;
  const { covered, token, line } = delivery;
  const { query, until } = covered;
  const { engineFingerprint, sources } = facts;
  const { contract, indicator, params, mode, untilCursor, from } = query;
  const volume = await reserveVolume(asked);
  try {
    const frames = exportFrames({
      query,
      engineFingerprint,
      line,
      open: () =>
        sources.days.read(
          {
            account: caller.accountId,
            contract,
            indicator,
            params,
            firstDay: dayOf(from),
            until,
            hasTail: mode === 'live' && untilCursor === null,
            form: 'frames',
          },
          signal,
        ),
    });
    const first = await frames.next();
    return new StreamedAnswer({
      headers: {
        'content-type': 'application/zstd',
        'content-disposition': `attachment; filename="${fileName(query)}"`,
        'x-export-token': token,
      },
      chunks: withFirst(first, frames),
      onWritten: (bytes) => volume.settle(bytes),
    });
  } catch (error) {
    await volume.giveBack();
    if (error instanceof NoSuchLineError) {
      throw invalidParameters([{ path: '/line', message: 'is more than the export has' }]);
    }
    throw historyProblem(signal.aborted ? signal.reason : error);
  }
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
    budget: 'exportBytes',
    amount: 1,
    limit: caller.entitlements.limits.exportBytes,
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

function fileName({ contract, indicator, from, to }: HistoryQuery): string {
  return `${contract}-${indicator}-${dayOf(from)}-${dayOf((to - 1n) as EpochNs)}.ndjson.zst`;
}

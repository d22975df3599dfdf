/**
 * `GET /v1/export`: the whole history of a query as one compressed file. Its range is charged when it starts, however
 * little of it is read. For 24 hours a token resumes it without another charge: lines at any line, a table at any byte.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import type { TObject } from 'typebox';
import type { Caller } from '../../accounts/auth/caller.ts';
import type { OnceRefused, OnceRequest } from '../../accounts/store/once.ts';
import { TOKEN_VALID_NS } from '../../exports/export-token.ts';
import { TABLE_INDICATORS } from '../../exports/table-columns.ts';
import type { CoveredQuery } from '../../history/covered-query.ts';
import type { HistoryQuery } from '../../history/history-query.ts';
import { closedObject, Type } from '../contract/schema.ts';
import type { StreamedAnswer } from '../server/answers/streamed-answer.ts';
import { IDEMPOTENCY_KEY, onceProblem } from '../server/idempotency.ts';
import { invalidParameters, ProblemError } from '../server/problems/problem-error.ts';
import { defineRoute, type Route } from '../server/route.ts';
import {
  EXPORT_FORMATS,
  type ExportAsked,
  type ExportFacts,
  exportAnswer,
  volumeOf,
} from './export-answer.ts';
import { readResume, requireRights } from './export-resume.ts';
import {
  askedQueries,
  coveredQueries,
  HISTORY_ERRORS,
  passingDamage,
  unitsOf,
} from './history-access.ts';
import { historyParameters } from './history-parameters.ts';
import { reserving } from './reserving.ts';

const Parameters: TObject = closedObject({
  ...historyParameters('export').properties,
  resume: Type.Optional(
    Type.String({
      description:
        'The token of an export that you continue. The only other parameter is then `line` or `byte`.',
    }),
  ),
  line: Type.Optional(
    Type.Integer({
      minimum: 0,
      default: 0,
      description: 'With `resume` of `ndjson`: the number of complete lines that you have.',
    }),
  ),
  byte: Type.Optional(
    Type.Integer({
      minimum: 0,
      default: 0,
      description:
        'With `resume` of `parquet`, `arrow` or `csv`: the number of bytes that you have.',
    }),
  ),
});

export function exportRoute(exports: () => ExportFacts): Route {
  return defineRoute({
    method: 'GET',
    path: '/v1/export',
    operationId: 'exportHistory',
    summary: 'The history of a query as a compressed file.',
    description:
      'The response is lines of JSON, compressed with zstd: a header, one line for each result as in ' +
      'history, and an end with the number of results. As a table, it has the same results as rows, and ' +
      'the content of the header as metadata. Its `X-Export-Token`, passed as `resume` within 24 hours, ' +
      'continues the export: lines of JSON at a line, a table at a byte. No compute units are charged ' +
      'again. A request has the query or `resume`. Several indicators of one contract follow one ' +
      'another, as lines that name their `indicator` and `study`. A response ends with its ' +
      '`Content-Digest` (RFC 9530) as a trailer. If the whole response is known when it begins, the ' +
      'digest and the length are headers. HEAD checks the query and costs no compute units.',
    access: { scope: 'export' },
    isIdempotent: true,
    query: Parameters,
    judgesQuery: true,
    answer: Type.String(),
    answerTypes: Object.values(EXPORT_FORMATS).map(({ contentType }) => contentType),
    errors: [...HISTORY_ERRORS, { code: 'QUOTA_EXCEEDED', status: 429 }],
    head: async ({ query: raw, caller, id, signal, once, markReplayed, setHeader }) => {
      const facts = exports();
      const asked = { facts, caller, id, signal, once, markReplayed };
      const queries = 'resume' in raw ? readResume(asked, raw).begun.queries : askedOf(asked, raw);
      await coveredQueries(facts, queries, caller, signal);
      setHeader('content-type', EXPORT_FORMATS[queries[0]!.format].contentType);
    },
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

/** Repeats it from its first line, like a resume: bytes are charged, compute units are not. */
async function repeated(asked: ExportAsked, refused: OnceRefused): Promise<StreamedAnswer> {
  const { facts, caller, id, markReplayed } = asked;
  const now = facts.accountsNow();
  if (refused.refused !== 'done-before') throw onceProblem(refused, now);
  if (facts.tokens.read(now, caller.accountId, refused.answer).t !== 'good') {
    throw new ProblemError(
      'CURSOR_EXPIRED',
      `The computation has changed since: start a new export with a new ${IDEMPOTENCY_KEY}.`,
    );
  }
  // The repeat reserves its volume under its own id: of two concurrent requests, the later one has already reserved.
  const answer = await resumed({ ...asked, id: `${id} repeated` }, { resume: refused.answer });
  markReplayed();
  return answer;
}

function whose({ caller: { accountId, keyId } }: ExportAsked, once: OnceRequest) {
  return { accountId, keyId, once };
}

async function started(asked: ExportAsked, raw: Readonly<Record<string, unknown>>) {
  const queries = askedOf(asked, raw);
  return await passingDamage((found) => {
    // The earlier reservation was given back, and its id is used up.
    const id = found === 0 ? asked.id : `${asked.id} without ${found}`;
    return delivered({ ...asked, id }, queries);
  });
}

/** The requested queries. Throws when the plan or the format does not allow them. */
function askedOf({ facts, caller }: ExportAsked, raw: Readonly<Record<string, unknown>>) {
  const queries = askedQueries(facts, { raw, operation: 'export', caller });
  requireColumns(queries);
  requireVolume(caller);
  return queries;
}

async function delivered(asked: ExportAsked, queries: readonly HistoryQuery[]) {
  const { facts, caller, id, signal, once } = asked;
  const covered = await coveredQueries(facts, queries, caller, signal);
  const computeUnits = unitsOf(covered);
  const { charges } = facts;
  const reservation = charges.reserveAll(caller, [
    { kind: 'export', id, amount: computeUnits },
    { kind: 'firstVolume', id: volumeOf(asked), amount: 1 },
  ]);
  const { reserved, signal: opening } = reserving(reservation, signal);
  let answer: StreamedAnswer | null = null;
  try {
    const { engineFingerprint } = facts;
    const now = facts.accountsNow();
    const begun = { queries, engineFingerprint, inputs: inputsOf(covered) };
    const token = facts.tokens.issue(now, caller.accountId, begun);
    const delivery = { covered, begun, token, first: 0, reserved };
    answer = await exportAnswer({ ...asked, signal: opening }, delivery);
    signal.throwIfAborted();
    if (once === null) {
      await charges.settle(id, computeUnits);
      return answer;
    }
    // Remembered no longer than the token is valid.
    const done = {
      ...whose(asked, once),
      answer: token,
      expiresAt: (now + TOKEN_VALID_NS) as EpochNs,
    };
    const refused = await charges.settleOnce(id, computeUnits, done);
    if (refused === null) return answer;
    await answer.discard();
    await charges.giveBack(id);
    answer = null;
    return await repeated(asked, refused);
  } catch (error) {
    await reserved;
    await answer?.discard();
    await charges.giveBack(id);
    throw error;
  }
}

async function resumed(asked: ExportAsked, raw: Readonly<Record<string, unknown>>) {
  const { facts, caller, signal } = asked;
  const resume = readResume(asked, raw);
  const { queries, inputs } = resume.begun;
  requireVolume(caller);
  // The queries differ only in parts that no right concerns.
  requireRights(asked, queries[0]!);
  const covered = await coveredQueries(facts, queries, caller, signal);
  if (inputs !== null && inputsOf(covered) !== inputs) {
    const detail = 'Days before the range were added or removed since: start a new export.';
    throw new ProblemError('CURSOR_EXPIRED', detail);
  }
  const reservation = facts.charges.reserve('volume', volumeOf(asked), caller, 1);
  const { reserved, signal: opening } = reserving(reservation, signal);
  return await exportAnswer({ ...asked, signal: opening }, { ...resume, covered, reserved });
}

function inputsOf(covered: readonly CoveredQuery[]): string {
  return covered.map(({ coverage }) => coverage.inputs).join(' ');
}

function requireColumns(queries: readonly HistoryQuery[]): void {
  const { format, indicator } = queries[0]!;
  if (format !== 'ndjson' && queries.length > 1) {
    const message = 'must be ndjson for several indicators: a table can hold only one';
    throw invalidParameters([{ path: '/format', message }]);
  }
  if (format === 'ndjson' || TABLE_INDICATORS[format].includes(indicator)) return;
  const names = TABLE_INDICATORS[format].join(', ');
  const message = `must not be ${format} for ${indicator}, whose data is not flat; ${format} is available for ${names}`;
  throw invalidParameters([{ path: '/format', message }]);
}

function requireVolume({ entitlements }: Caller): void {
  if (entitlements.limits.exportBytes > 0) return;
  throw new ProblemError('FORBIDDEN', 'Your plan does not include exports.');
}

/**
 * Sends an export from the requested line or byte on, no faster than the client reads. The bytes written are charged,
 * also when the response is cut off.
 */

import { parseCursor } from '@tapeloom/core/cursor';
import type { EpochNs } from '@tapeloom/core/numbers';
import { dayOf } from '@tapeloom/core/utc-day';
import type { Caller } from '../../accounts/auth/caller.ts';
import type { OnceRequest } from '../../accounts/store/once.ts';
import type { DigestThread } from '../../exports/digest-thread.ts';
import { exportFrames, NoSuchLineError } from '../../exports/export-frames.ts';
import type { ExportPace } from '../../exports/export-pace.ts';
import { exportTable, NoSuchByteError } from '../../exports/export-table.ts';
import type { ExportBegun, ExportTokens } from '../../exports/export-token.ts';
import type { TableThread } from '../../exports/table-thread.ts';
import { type CoveredQuery, lookBackText } from '../../history/covered-query.ts';
import { gapListOf } from '../../history/gap-list.ts';
import type { ExportFormat } from '../../history/history-fields.ts';
import type { HistoryQuery } from '../../history/history-query.ts';
import type { SettledDaysRequest } from '../../results/settled-days.ts';
import { digestText, StreamedAnswer } from '../server/answers/streamed-answer.ts';
import { invalidParameters } from '../server/problems/problem-error.ts';
import type { HistoryFacts } from './history-access.ts';

interface FormatFacts {
  readonly contentType: string;
  readonly extension: string;
  /** The parameter that sets where a resumed export begins. */
  readonly place: 'line' | 'byte';
}

export const EXPORT_FORMATS: Readonly<Record<ExportFormat, FormatFacts>> = {
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
  csv: { contentType: 'application/zstd', extension: 'csv.zst', place: 'byte' },
};

export interface ExportFacts extends HistoryFacts {
  readonly tokens: ExportTokens;
  readonly tables: TableThread;
  readonly digests: Pick<DigestThread, 'begin'>;
  readonly pace: ExportPace;
}

export interface ExportAsked {
  readonly facts: ExportFacts;
  readonly caller: Caller;
  readonly id: string;
  readonly signal: AbortSignal;
  readonly once: OnceRequest | null;
  readonly markReplayed: () => void;
}

export interface ExportDelivery {
  /** One for each study. */
  readonly covered: readonly CoveredQuery[];
  /** The content of its token. */
  readonly begun: ExportBegun;
  readonly token: string;
  /** The first requested line, or byte of a table. */
  readonly first: number;
  /** Resolves when its volume and its other costs are reserved: nothing is computed before. */
  readonly reserved: Promise<void>;
}

/** The reservation's id of an answer's bytes. */
export function volumeOf({ id }: ExportAsked): string {
  return `${id} volume`;
}

/** Every error comes before this resolves, the reservation's first. */
export async function exportAnswer(
  asked: ExportAsked,
  delivery: ExportDelivery,
): Promise<StreamedAnswer> {
  const { facts, caller, signal } = asked;
  const { charges } = facts;
  const volume = volumeOf(asked);
  const { token } = delivery;
  const queries = delivery.covered.map(({ query }) => query);
  const { contentType, place } = EXPORT_FORMATS[queries[0]!.format];
  const gaps = gapListOf(delivery.covered);
  try {
    let known = {};
    const chunks = bodyOf(asked, delivery, (whole) => {
      known = { 'content-length': String(whole.length), 'content-digest': digestText(whole) };
    });
    const body = facts.pace.paced(chunks, caller.accountId, signal);
    const first = await body.next();
    return new StreamedAnswer({
      headers: {
        'content-type': contentType,
        'content-disposition': `attachment; filename="${fileName(queries)}"`,
        'x-export-token': token,
        ...(gaps === null ? {} : { 'x-export-gaps': String(gaps.gapsTotal) }),
        ...known,
      },
      chunks: withFirst(first, body),
      digest: () => facts.digests.begin(),
      onWritten: (bytes) => charges.settle(volume, bytes),
    });
  } catch (error) {
    await delivery.reserved;
    await charges.giveBack(volume);
    if (error instanceof NoSuchLineError || error instanceof NoSuchByteError) {
      throw invalidParameters([{ path: `/${place}`, message: 'is beyond the end of the export' }]);
    }
    throw signal.aborted ? signal.reason : error;
  }
}

function bodyOf(
  { facts, caller, signal }: ExportAsked,
  delivery: ExportDelivery,
  onWhole: (body: Uint8Array) => void,
): AsyncGenerator<Uint8Array> {
  const { covered, begun, first, reserved } = delivery;
  const { sources, tables } = facts;
  const { accountId: account } = caller;
  const { engineFingerprint, inputs } = begun;
  const form = covered.length === 1 ? 'frames' : 'blocks';
  const studies = covered.map(({ query, until, coverage }) => {
    const request = { ...requestOf(query, account), until };
    const lookBackFrom = inputs === null ? undefined : lookBackText(coverage);
    const opened = async (how: Pick<SettledDaysRequest, 'form' | 'skip'>) => {
      await using opening = new AsyncDisposableStack();
      const read = opening.use(await sources.days.read({ ...request, ...how }, signal));
      await reserved;
      opening.move();
      return read;
    };
    const open = (skip: number) => opened({ form, skip });
    const openTable = () => opened({ form: 'frames' });
    return { query, lookBackFrom, open, openTable };
  });
  const { query, lookBackFrom, openTable } = studies[0]!;
  const { format } = query;
  const gaps = gapListOf(covered);
  if (format === 'ndjson') {
    return exportFrames({ studies, engineFingerprint, gaps, line: first, onWhole });
  }
  const table = { format, engineFingerprint, gaps, account, byte: first, tables };
  return exportTable({ query, lookBackFrom, ...table, open: openTable });
}

function requestOf(
  { contract, indicator, params, mode, untilCursor, from, allowsGaps = false }: HistoryQuery,
  account: string,
) {
  const last = untilCursor === null ? null : parseCursor(untilCursor);
  const hasTail = mode === 'live' && untilCursor === null;
  return { account, contract, indicator, params, from, last, hasTail, allowsGaps };
}

/** Puts a chunk that was already taken before the rest. */
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

function fileName(queries: readonly HistoryQuery[]): string {
  const { contract, from, to, format } = queries[0]!;
  const indicator = queries.map((query) => query.indicator).join('+');
  const days = `${dayOf(from)}-${dayOf((to - 1n) as EpochNs)}`;
  return `${contract}-${indicator}-${days}.${EXPORT_FORMATS[format].extension}`;
}

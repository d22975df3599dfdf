/**
 * Turns the fields of a request into queries for this caller: one contract, one visible range, canonical parameters.
 * History, estimates and exports share it, so they cannot disagree. The first error of this order is returned: fields,
 * indicator, instrument, the right to it, the right to history, range, age of the cursor, revision. Rights are judged
 * where the read starts (`from`, or the cursor of a further page), so a range does not expire while it is paged. No
 * tape is needed here.
 */

import type { Entitlements } from '@tapeloom/core/entitlement/entitlements';
import type { Contract } from '@tapeloom/core/instrument/contract';
import type { InstrumentBook } from '@tapeloom/core/instrument/instrument-book';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { INDICATORS, indicatorNamed } from '@tapeloom/core/studies/catalogue';
import type { Indicator, Params } from '@tapeloom/core/studies/indicator';
import { canonicalText } from '@tapeloom/core/studies/params';
import { MS_NS_BIG } from '@tapeloom/core/units';
import { dayOf, epochNs } from '@tapeloom/core/utc-day';
import type { StreamMode } from '@tapeloom/protocol/client-messages';
import { didYouMean } from '../config/nearest-name.ts';
import { Refusal } from '../platform/refusal.ts';
import { dayText } from '../platform/refusal-answer.ts';
import type { ExportFormat, HistoryFields, HistoryOperation } from './history-fields.ts';
import { readStudyFields } from './study-fields.ts';
import { type ServedDays, tapeRevision } from './tape-revision.ts';

/** Objects in a snapshot of an indicator without a `depth` parameter. */
const DEPTH_DEFAULT = 500;

export interface HistoryQuery {
  /** As requested: a symbol or an alias. */
  readonly instrument: string;
  /** The contract to read: for an alias, the one it designated at `from`. */
  readonly contract: string;
  /** The source of its trades; absent in tokens of earlier versions. */
  readonly dataset?: string;
  readonly tickSizeNanos: number;
  readonly indicator: string;
  /** Canonical, without `view` parameters. */
  readonly params: Params;
  /** Objects in a snapshot. */
  readonly depth: number;
  readonly computeUnitsPerTrade: number;
  readonly mode: StreamMode;
  readonly hasSnapshot: boolean;
  readonly from: EpochNs;
  /** At most the visible end. With `untilCursor`: exactly the visible end. */
  readonly to: EpochNs;
  /** The requested end of a further page, if not visible here: a node that is ahead may have sent the first page. */
  readonly endAhead?: EpochNs;
  /** Whether the request fixes the end, so that it is the same at any time. */
  readonly hasEnd?: boolean;
  /** An included upper bound. */
  readonly untilCursor: string | null;
  /** Where a further page starts: what follows is strictly after it. */
  readonly cursor: string | null;
  /** Whether gaps are passed over; left out, they are an error. */
  readonly allowsGaps?: boolean;
  readonly limit: number;
  /** Of an export. */
  readonly format: ExportFormat;
}

/** The caller and the time of the request. */
export interface HistoryContext {
  readonly entitlements: Entitlements;
  readonly book: InstrumentBook;
  /** Whether a contract is streamed in real time. */
  readonly isStreamed: (symbol: string) => boolean;
  readonly servedDays: ServedDays;
  /** The service's time. */
  readonly now: EpochNs;
  /** The instant up to which this caller sees the tape: the tape has reached it and the delay has passed. */
  readonly visible: EpochNs;
}

/** What the right to an instrument depends on. */
type RightContext = Pick<HistoryContext, 'entitlements' | 'book' | 'now'> & {
  readonly today: UtcDay;
};

/** Before the instrument of the request is known. */
export interface HistoryCaller extends Omit<HistoryContext, 'visible'> {
  visibleOf(instrument: string): EpochNs;
}

/** One query for each study, with the same contract and range, in the order of the request. */
export function readHistoryQueries(
  raw: Readonly<Record<string, unknown>>,
  operation: HistoryOperation,
  caller: HistoryCaller,
): readonly HistoryQuery[] {
  const read = readStudyFields(raw, operation);
  if ('faults' in read) throw Refusal.ofFields(read.faults);
  const { studies } = read;
  const indicators = studies.map(({ indicator }) => knownIndicator(indicator));
  // All further fields are the same for all studies.
  const fields = studies[0]!;
  const context = { ...caller, visible: caller.visibleOf(fields.instrument) };
  const contract = requireContract(fields, context);
  requireRight(fields.instrument, contract, { ...caller, today: dayOf(context.visible) });
  requireDepth(fields, context);
  requireRange(fields, context);
  requireAge(fields, context);
  requireRevision(fields, contract, context);
  return studies.map((study, at) => queryOf(study, indicators[at]!, contract, context));
}

function knownIndicator(id: string): Indicator {
  const indicator = indicatorNamed(id);
  if (indicator !== null) return indicator;
  const near = didYouMean(
    id,
    INDICATORS.map((known) => known.id),
  );
  const detail = `There is no indicator "${id}".${near}`;
  throw Refusal.ofQuestion({ code: 'UNKNOWN_INDICATOR', detail });
}

/** The member lets a client that joins history to a stream see that the history is empty and nothing is wrong. */
export function untilBeforeFrom(): Refusal {
  const faults = [{ path: '/untilCursor', message: 'must not be before /from' }];
  return Refusal.ofFields(faults, { endsBeforeFrom: true });
}

/** The canonical text of a query: equal for equal queries, however they were written. */
export function historyQueryText(query: HistoryQuery): string {
  const { limit: _limit, cursor: _cursor, hasEnd: _hasEnd, from, to, ...rest } = query;
  return JSON.stringify({ ...rest, from: String(from), to: String(to) });
}

/** The query of a canonical text, from its start, with this page limit. */
export function parseHistoryQueryText(text: string, limit: number): HistoryQuery {
  const { from, to, ...rest } = JSON.parse(text) as Omit<HistoryQuery, 'from' | 'to'> & {
    readonly from: string;
    readonly to: string;
  };
  return {
    ...rest,
    from: BigInt(from) as EpochNs,
    to: BigInt(to) as EpochNs,
    cursor: null,
    limit,
  };
}

type Named = Pick<HistoryFields, 'instrument' | 'dataset' | 'from'>;
type Listed = Pick<HistoryContext, 'book' | 'isStreamed'>;

/** Throws if there is no contract that such a request can read. */
export function requireContract(named: Named, listed: Listed): Contract {
  const contract = contractOf(named, listed);
  if (contract === null) throw unknownInstrument(named, listed);
  return contract;
}

/** The contract that a request reads. One that is not streamed must be requested with its dataset. */
function contractOf(
  { instrument, dataset, from }: Named,
  { book, isStreamed }: Listed,
): Contract | null {
  const contract = book.resolve(instrument, dayOf(from));
  if (contract === null) return null;
  if (dataset !== null) return contract.dataset === dataset ? contract : null;
  const isNamed = instrument === contract.symbol;
  return isNamed && !isStreamed(contract.symbol) ? null : contract;
}

function unknownInstrument(
  { instrument, dataset, from }: Named,
  { book, isStreamed }: Listed,
): Refusal {
  return Refusal.ofQuestion({ code: 'UNKNOWN_INSTRUMENT', detail: detail() });

  function detail(): string {
    const alias = book.alias(instrument);
    if (alias !== null && (dataset ?? alias.dataset) === alias.dataset) {
      return `"${instrument}" designated no contract on ${dayText(dayOf(from))}.`;
    }
    const isThere = (it: Contract) =>
      dataset === null ? isStreamed(it.symbol) : it.dataset === dataset;
    const aliases = book.allAliases().filter((it) => (dataset ?? it.dataset) === it.dataset);
    const isKnown = book.contract(instrument) !== null || alias !== null;
    const near = didYouMean(isKnown ? '' : instrument, [
      ...aliases.map((it) => it.alias),
      ...book
        .all()
        .filter(isThere)
        .map(({ symbol }) => symbol),
    ]);
    return dataset === null
      ? `No instrument "${instrument}" is streamed. To read one that is not streamed, pass its dataset.${near}`
      : `The dataset "${dataset}" has no instrument "${instrument}".${near}`;
  }
}

/** `today`: the day whose aliases apply. */
export function requireRight(
  name: string,
  contract: Contract,
  { entitlements, book, now, today }: RightContext,
): void {
  if (entitlements.allowsInstrument({ name, contract, book, today, now })) return;
  const detail = `The key does not allow the instrument "${name}".`;
  throw Refusal.ofQuestion({ code: 'FORBIDDEN', detail });
}

function requireDepth(
  { from, cursor }: HistoryFields,
  { entitlements, now }: HistoryContext,
): void {
  const earliest = entitlements.historyFrom(now);
  if (earliest === null || entitlements.limits.computeBudget === 0) {
    throw Refusal.ofQuestion({ code: 'FORBIDDEN', detail: 'Your plan does not include history.' });
  }
  if (cursor !== null || from >= earliest) return;
  const detail = `Your plan includes no history before ${new Date(Number(earliest / MS_NS_BIG)).toISOString()}.`;
  throw Refusal.ofQuestion({ code: 'FORBIDDEN', detail });
}

function requireRange(fields: HistoryFields, { visible }: HistoryContext): void {
  const { from, to, untilCursor, cursor } = fields;
  const first = dayOf(from);
  if (from >= visible) {
    const message = 'must be before the newest time that the key can see';
    throw Refusal.ofFields([{ path: '/from', message }]);
  }
  if (to !== null && to <= from) {
    throw Refusal.ofFields([{ path: '/to', message: 'must be after /from' }]);
  }
  if (untilCursor !== null && untilCursor.day < first) {
    throw untilBeforeFrom();
  }
  if (cursor === null) return;
  if (cursor.day < first) {
    throw Refusal.ofFields([{ path: '/cursor', message: 'must not be before /from' }]);
  }
  // A cursor that is not visible yet is judged later, after a wait.
  const isSeen = cursor.day <= dayOf(visible);
  if (isSeen && to !== null && epochNs(cursor.day, 0) > to) {
    throw Refusal.ofFields([
      { path: '/cursor', message: 'must not be after the end of the range' },
    ]);
  }
}

/** A cursor is too old if its day has left the plan's window. */
function requireAge({ cursor }: HistoryFields, { entitlements, now }: HistoryContext): void {
  const earliest = entitlements.historyFrom(now)!;
  if (cursor === null || epochNs(cursor.day, 0) >= earliest) return;
  const detail = 'The cursor is older than the history of your plan.';
  throw Refusal.ofQuestion({ code: 'CURSOR_EXPIRED', detail });
}

/** A stream's cursor has no revision and is judged by its position alone. */
function requireRevision(
  { cursor, from }: HistoryFields,
  { symbol }: Contract,
  { servedDays }: HistoryContext,
): void {
  if (cursor === null || cursor.revision === null) return;
  if (cursor.revision === tapeRevision(servedDays, symbol, dayOf(from), cursor.day)) return;
  const detail =
    'Days of this range were imported, replaced or removed since the previous page. Start again without `cursor`.';
  throw Refusal.ofQuestion({ code: 'CURSOR_EXPIRED', detail });
}

function queryOf(
  fields: HistoryFields,
  indicator: Indicator,
  contract: Contract,
  { entitlements, now, visible }: HistoryContext,
): HistoryQuery {
  const { instrument, from, to, mode, hasSnapshot, limit, untilCursor, cursor, format } = fields;
  const { allowsGaps } = fields;
  const params = fields.params!;
  const { depth } = params;
  const isAhead = to !== null && to > visible && to <= entitlements.visibleUntil(now);
  return {
    instrument,
    contract: contract.symbol,
    dataset: contract.dataset,
    tickSizeNanos: contract.tickSizeNanos,
    indicator: indicator.id,
    params: JSON.parse(canonicalText(indicator, params)) as Params,
    depth: typeof depth === 'number' ? depth : DEPTH_DEFAULT,
    computeUnitsPerTrade: indicator.computeUnitsPerTrade,
    mode,
    hasSnapshot,
    from,
    to: to !== null && to < visible ? to : visible,
    ...(isAhead && cursor !== null ? { endAhead: to } : {}),
    hasEnd: untilCursor !== null || (to !== null && to <= visible),
    untilCursor: untilCursor?.text ?? null,
    cursor: cursor?.text ?? null,
    ...(allowsGaps ? { allowsGaps } : {}),
    limit,
    format,
  };
}

/**
 * The public view of an instrument at this moment. Status and time of the last change are pure functions of the book,
 * the calendar, the clock and the tape: no state is kept here.
 */

import type { SessionTable } from '@tapeloom/core/calendar/session';
import { tradesOnUtcDay } from '@tapeloom/core/calendar/session-table';
import type { Entitlements } from '@tapeloom/core/entitlement/entitlements';
import type { Contract } from '@tapeloom/core/instrument/contract';
import type { InstrumentBook } from '@tapeloom/core/instrument/instrument-book';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { dayOf, earlier, epochNs, epochNsText } from '@tapeloom/core/utc-day';
import { INSTRUMENT_STATES, type InstrumentState } from '@tapeloom/protocol/status-states';
import type { Static } from 'typebox';
import {
  DAY_ORIGINS,
  DAY_STATES,
  type DayQuality,
  type DayState,
  type QualityRange,
  qualityRanges,
} from '../../history/day-quality.ts';
import type { DaysByContract } from '../../history/known-days.ts';
import { dayText, missingMembers } from '../../platform/refusal-answer.ts';
import { whenKnown } from '../../platform/waiting/when-known.ts';
import { hasSessions, missingDays } from '../../runs/coverage.ts';
import { byDay } from '../../runs/missing-times.ts';
import { Instant } from '../contract/instant-schema.ts';
import { namedObject, Type } from '../contract/schema.ts';
import { KeptAnswers } from '../server/answers/kept-answers.ts';
import type { EncodedJson } from '../server/route.ts';

const Nanos = (description: string) => Type.Integer({ minimum: 1, description });

const Day = (description: string) => Type.String({ description, format: 'date' });

/** Most ranges of days listed for one contract: the newest. */
const RANGES_MAX = 200;
/** Most gaps listed for one day. */
const GAPS_A_DAY_MAX = 24;

const DayQualityView = namedObject('DayQuality', {
  from: Day('The first day.'),
  to: Day('The last day.'),
  state: Type.Enum([...DAY_STATES], {
    title: 'DayState',
    description:
      '`partial`: hours are missing, see `gaps`. `open`: the day still grows; `gaps` has what is missing so ' +
      'far. `damaged`: no data of the day can be read. `missing`: the market was open, but the tape has no data.',
  }),
  origin: Type.Union([Type.Enum([...DAY_ORIGINS], { title: 'DayOrigin' }), Type.Null()], {
    description:
      '`replaced`: imported, in place of other trades. Null if the day has no readable data.',
  }),
  gaps: Type.Optional(
    Type.Array(namedObject('DayGap', { from: Instant('Start'), to: Instant('End, exclusive') }), {
      description: `Of a partial day, or an open one with gaps: the open market hours that are missing, the first ${GAPS_A_DAY_MAX}.`,
    }),
  ),
  outsideHours: Type.Optional(
    Type.Integer({
      minimum: 1,
      description:
        "Of one day: the number of trades outside the market's hours. Indicators ignore them. The " +
        'calendar of the product may be wrong.',
    }),
  ),
});

const InstrumentHistory = namedObject('InstrumentHistory', {
  firstDay: Day('The first UTC day with data.'),
  lastDay: Day('The last UTC day with data; it may still grow.'),
  missingDays: Type.Array(Day('A UTC day.'), {
    description:
      'Days between the first and the last on which the market was open, but data is missing or ' +
      'incomplete; the first 1,000.',
  }),
  missingDaysTotal: Type.Integer({ minimum: 0, description: 'The number of missing days.' }),
  quality: Type.Optional(
    Type.Array(DayQualityView, {
      description: `With \`dataset\`: the quality of the data, as ranges of days that are alike; the last ${RANGES_MAX}.`,
    }),
  ),
});

export const InstrumentView = namedObject('Instrument', {
  symbol: Type.String({ description: 'The symbol of the contract.' }),
  alias: Type.Union([Type.String(), Type.Null()], {
    description:
      'The alias that designates the contract today; the first one if there are several.',
  }),
  tickSizeNanos: Nanos(
    'The smallest step of the price, in 1e-9 of its unit. Prices are whole numbers of ticks.',
  ),
  status: Type.Enum(INSTRUMENT_STATES, {
    title: 'InstrumentState',
    description: '`down`: the source of its trades is unavailable.',
  }),
  updatedAt: Instant(
    'Time of the last trade or change; for a delayed key at most the newest time that it may see',
  ),
  dataset: Type.String({ description: 'The source of its trades.' }),
  name: Type.String({ description: 'The name, for people.' }),
  exchange: Type.String(),
  currency: Type.String({ description: 'ISO 4217.' }),
  lotSizeNanos: Nanos('One lot of volume, in 1e-9 of a contract.'),
  pointValueNanos: Nanos(
    'The value of a full point of the price for one contract, in 1e-9 of the currency.',
  ),
  calendar: Type.String({ description: 'The name of its trading calendar.' }),
  expiresAt: Instant('Expiry'),
  streamed: Type.Boolean({ description: 'Whether the contract is streamed in real time.' }),
  history: Type.Union([InstrumentHistory, Type.Null()], {
    description: 'The part of its history that the key can request; null: none.',
  }),
  aliases: Type.Array(
    namedObject('AliasRange', {
      alias: Type.String(),
      from: Instant('Start'),
      to: Type.Optional(Instant('End, exclusive')),
    }),
    {
      description:
        'Every alias that designates the contract at some time, past or planned, with that time. Without ' +
        '`to`: until the contract expires.',
    },
  ),
  rolls: Type.Optional(
    Type.Array(namedObject('Roll', { from: Instant('Start'), symbol: Type.String() }), {
      description:
        'The contracts that the alias designates, past and planned, each from a time on.',
    }),
  ),
});

export type InstrumentView = Static<typeof InstrumentView>;

export interface InstrumentFacts {
  readonly book: InstrumentBook;
  readonly now: EpochNs;
  /** The day whose aliases apply to an instrument: that of its tape's time. */
  tapeDay(instrument: string): UtcDay;
  isSourceUp(instrument: string): boolean;
  /** Whether its feed brings trades. */
  isFed(instrument: string): boolean;
  /** Changes whenever anything but `now` does. */
  readonly revision: number;
  isStreamed(symbol: string): boolean;
  /** The full trading days of a contract. */
  fullSessions(symbol: string): SessionTable;
  /** The time zone of its trading days on this date. */
  timeZoneOf(symbol: string, date: UtcDay): string;
  /** Time of the newest trade on the tape; null when it has none. */
  lastTradeAt(symbol: string): EpochNs | null;
  /** The watermark of an instrument's tape; null while it is not known. */
  tapeTime(instrument: string): EpochNs | null;
  days(): Promise<DaysByContract> | DaysByContract;
}

/** The streamed contracts that have not expired, in the book's order, with their present states. */
export function streamedInstruments(
  facts: InstrumentFacts,
): { symbol: string; alias: string | null; state: InstrumentState }[] {
  return fixedParts(facts)
    .parts.filter(
      ({ contract }) => contract.expiresAt > facts.now && facts.isStreamed(contract.symbol),
    )
    .map(({ contract, alias }) => {
      return { symbol: contract.symbol, alias, state: moment(facts, contract, facts.now).status };
    });
}

export interface DatasetStatus {
  readonly dataset: string;
  readonly state: InstrumentState;
  readonly instruments: string[];
}

/** The datasets of these instruments. One is open if any of its instruments is. */
export function datasetStates(
  facts: Pick<InstrumentFacts, 'book'>,
  streamed: ReturnType<typeof streamedInstruments>,
): DatasetStatus[] {
  const byDataset = Map.groupBy(streamed, ({ symbol }) => facts.book.contract(symbol)!.dataset);
  return Array.from(byDataset, ([dataset, of]) => {
    const has = (state: InstrumentState) => of.some((one) => one.state === state);
    const state = has('open') ? 'open' : has('down') ? 'down' : 'closed';
    return { dataset, state, instruments: of.map(({ symbol }) => symbol) };
  });
}

/** `{ instruments }` in JSON, in the book's order: streamed contracts or a dataset's, with visible facts only. */
export function instrumentsJson(
  facts: InstrumentFacts,
  dataset: string | null,
  entitlements: Entitlements,
): Promise<EncodedJson> | EncodedJson {
  return whenKnown(facts.days(), (days) => instrumentsWith(facts, dataset, entitlements, days));
}

function instrumentsWith(
  facts: InstrumentFacts,
  dataset: string | null,
  entitlements: Entitlements,
  days: DaysByContract,
): EncodedJson {
  const { answers, parts, days: fixedDays } = fixedParts(facts);
  const seen = new Map<string, Seen>();
  for (const [of, { symbol }] of fixedDays) {
    if (dataset === null || of === dataset) seen.set(of, seenOf(symbol, entitlements, facts));
  }
  const kind = `${dataset ?? ''} ${Array.from(seen.values(), seenText).join()} ${entitlements.restriction}`;
  return answers.answer(kind, facts.revision, facts.now, () => {
    const texts: string[] = [];
    let end: EpochNs | null = null;
    for (const part of parts) {
      const isStreamed = facts.isStreamed(part.contract.symbol);
      if (dataset === null ? !isStreamed : part.contract.dataset !== dataset) continue;
      const { visibleUntil, reach } = seen.get(part.contract.dataset)!;
      const { status, updatedAt, until } = moment(facts, part.contract, visibleUntil);
      const now = `"status":"${status}","updatedAt":"${updatedAt}","streamed":${isStreamed}`;
      const isAllowed = reach !== null && mayRead(entitlements, facts, part.contract);
      const of = { symbol: part.contract.symbol, hasQuality: dataset !== null };
      const history = isAllowed ? historyOf(facts, of, reach, days) : null;
      texts.push(`${part.head},${now},"history":${JSON.stringify(history)},${part.tail}`);
      if (until !== null && (end === null || until < end)) end = until;
    }
    return { text: `{"instruments":[${texts.join(',')}]}`, until: end };
  });
}

/** Days without missing parts, unless they have gaps. */
const WHOLE_STATES: ReadonlySet<DayState> = new Set(['complete', 'no-trades', 'open']);

/** What a caller may see of the contracts of a dataset, which share their time. */
interface Seen {
  readonly isDelayed: boolean;
  readonly visibleUntil: EpochNs;
  /** Null: no history. */
  readonly reach: Reach | null;
}

function seenOf(symbol: string, entitlements: Entitlements, facts: InstrumentFacts): Seen {
  // A delay is measured on the tape. Without one the last trade is visible, even ahead of the tape's watermark.
  const isDelayed = entitlements.visibleUntil(facts.now) < facts.now;
  return {
    isDelayed,
    visibleUntil: isDelayed ? visibleOnTape(symbol, entitlements, facts) : facts.now,
    reach: historyReach(symbol, entitlements, facts),
  };
}

/** Callers with a delay see other times. */
function seenText({ isDelayed, reach }: Seen): string {
  const past = reach === null ? '' : `${reach.first} ${reach.last}`;
  return `${isDelayed ? 'delayed' : 'now'} ${past}`;
}

interface Reach {
  readonly first: UtcDay;
  readonly last: UtcDay;
}

/** The days that may be requested now, whatever the tape has; null: none. */
function historyReach(
  symbol: string,
  entitlements: Entitlements,
  facts: InstrumentFacts,
): Reach | null {
  const earliest = entitlements.historyFrom(facts.now);
  const hasHistory = entitlements.hasScope('history') && entitlements.limits.computeBudget > 0;
  if (earliest === null || !hasHistory) return null;
  const visible = visibleOnTape(symbol, entitlements, facts);
  return { first: dayOf(earliest), last: dayOf((visible - 1n) as EpochNs) };
}

/** Up to the tape's watermark, less the delay; a fast clock shows nothing sooner. */
function visibleOnTape(
  symbol: string,
  entitlements: Entitlements,
  { now, tapeTime }: InstrumentFacts,
): EpochNs {
  return entitlements.visibleUntil(earlier(tapeTime(symbol) ?? now, now));
}

function mayRead(entitlements: Entitlements, facts: InstrumentFacts, contract: Contract): boolean {
  const { book, now } = facts;
  const today = facts.tapeDay(contract.symbol);
  return entitlements.allowsInstrument({ name: contract.symbol, contract, book, today, now });
}

/** Null when the tape has nothing of these days. */
function historyOf(
  facts: InstrumentFacts,
  { symbol, hasQuality }: { readonly symbol: string; readonly hasQuality: boolean },
  { first, last }: Reach,
  days: DaysByContract,
): InstrumentView['history'] {
  const onTape = days.get(symbol) ?? new Map<UtcDay, DayQuality>();
  const full = facts.fullSessions(symbol);
  const found = [...onTape.keys()].filter((day) => {
    const { state } = onTape.get(day)!;
    const isOffDay = state === 'no-trades' && !tradesOnUtcDay(full, day);
    const isThere = state !== 'damaged' && !isOffDay;
    return isThere && day >= first && day <= last && hasSessions(full, day);
  });
  if (found.length === 0) return null;
  const [from, to] = [found[0]!, found.at(-1)!];
  const isWhole = (day: UtcDay) => {
    const found = onTape.get(day);
    return found !== undefined && WHOLE_STATES.has(found.state) && found.gaps.length === 0;
  };
  const missing = missingDays(byDay(isWhole), full, epochNs(from, 0), epochNs(to, 0));
  const reach = { firstDay: dayText(from), lastDay: dayText(to), ...missingMembers(missing) };
  if (!hasQuality) return reach;
  const ranges = qualityRanges(onTape, full, from, to);
  return { ...reach, quality: ranges.slice(-RANGES_MAX).map(rangeView) };
}

function rangeView({ from, to, state, origin, gaps, outside }: QualityRange) {
  const named = gaps.slice(0, GAPS_A_DAY_MAX).map(([start, end]) => ({
    from: epochNsText(from, start),
    to: epochNsText(from, end),
  }));
  return {
    from: dayText(from),
    to: dayText(to),
    state,
    origin,
    ...(state === 'partial' || named.length > 0 ? { gaps: named } : {}),
    ...(outside === undefined ? {} : { outsideHours: outside }),
  };
}

/** The part that stays the same all day: most of the bytes, made once a day. */
interface FixedPart {
  readonly contract: Contract;
  readonly alias: string | null;
  /** The first fields in JSON, without the closing brace, and the last ones without the opening one. */
  readonly head: string;
  readonly tail: string;
}

interface FixedParts {
  /** By dataset, one of its contracts and the day of its tape. */
  readonly days: ReadonlyMap<string, { readonly symbol: string; readonly day: UtcDay }>;
  readonly parts: readonly FixedPart[];
  readonly answers: KeptAnswers;
}

const fixedByBook = new WeakMap<InstrumentBook, FixedParts>();

function fixedParts({ book, tapeDay }: InstrumentFacts): FixedParts {
  const found = fixedByBook.get(book);
  if (found?.days.values().every(({ symbol, day }) => tapeDay(symbol) === day)) return found;
  const contracts = book.all();
  const days: [string, { symbol: string; day: UtcDay }][] = contracts.map(({ dataset, symbol }) => [
    dataset,
    { symbol, day: tapeDay(symbol) },
  ]);
  const parts = contracts.map((contract, index) => fixedPart(book, days[index]![1].day, contract));
  const fixed = { days: new Map(days), parts, answers: new KeptAnswers() };
  fixedByBook.set(book, fixed);
  return fixed;
}

function fixedPart(book: InstrumentBook, day: UtcDay, contract: Contract): FixedPart {
  const designated = book.aliasOf(contract.symbol, day);
  const alias = designated?.alias ?? null;
  const { symbol, tickSizeNanos } = contract;
  const first = { symbol, alias, tickSizeNanos };
  const last = {
    dataset: contract.dataset,
    name: contract.name,
    exchange: contract.exchange,
    currency: contract.currency,
    lotSizeNanos: contract.lotSizeNanos,
    pointValueNanos: contract.pointValueNanos,
    calendar: contract.calendar,
    expiresAt: contract.expiresAt.toString(),
    aliases: book.aliasesOf(symbol).map(({ alias, from, to }) => ({
      alias,
      from: epochNsText(from, 0),
      ...(to !== null && { to: epochNsText(to, 0) }),
    })),
    rolls: designated?.rolls.map((roll) => ({
      from: epochNsText(roll.from, 0),
      symbol: roll.symbol,
    })),
  };
  const head = JSON.stringify(first).slice(0, -1);
  return { contract, alias, head, tail: JSON.stringify(last).slice(1) };
}

interface Moment {
  readonly status: InstrumentState;
  readonly updatedAt: EpochNs;
  /** The first instant at which time alone changes it; null: never. */
  readonly until: EpochNs | null;
}

/** State and last change: the newest of trade, opening and closing; at the end, the expiry. */
function moment(
  facts: InstrumentFacts,
  { symbol, expiresAt }: Contract,
  visibleUntil: EpochNs,
): Moment {
  const { now } = facts;
  if (expiresAt <= now) return { status: 'expired', updatedAt: expiresAt, until: null };
  const sessions = facts.fullSessions(symbol);
  const session = sessions.atOrBefore(now);
  const isOpen = session !== null && now < session.close;
  const isUp = facts.isSourceUp(symbol) && (facts.isFed(symbol) || !isOpen);
  const isDown = !isUp && facts.isStreamed(symbol);
  const trade = facts.lastTradeAt(symbol) ?? (0n as EpochNs);
  const seen = trade < visibleUntil ? trade : visibleUntil;
  const edge = session === null ? seen : isOpen ? session.open : session.close;
  // The visible part of a newer trade moves with time, and beyond the session table the next edge is unknown.
  const isFixed = trade <= visibleUntil;
  const next = isOpen ? session.close : sessions.atOrAfter(now)?.open;
  const until = isFixed ? (next ?? now) : now;
  return {
    status: isDown ? 'down' : isOpen ? 'open' : 'closed',
    updatedAt: edge > seen ? edge : seen,
    until: until < expiresAt ? until : expiresAt,
  };
}

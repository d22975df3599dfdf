/**
 * Describes, in sentences, the changes for users when one instruments file replaces another. Changes of the past are
 * rejected: the meaning of an alias on a past day, and, if the tape is known, terms and existence of contracts with
 * days on it. Only a tape knows rolls decided by volume: without one, only their future is compared.
 */

import { isDeepStrictEqual } from 'node:util';
import type { Calendar } from '@tapeloom/core/calendar/calendar';
import { resolveSessions } from '@tapeloom/core/calendar/resolve-sessions';
import type { Session, SessionKind } from '@tapeloom/core/calendar/session';
import type { Contract, Designation } from '@tapeloom/core/instrument/contract';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { formatPrice } from '@tapeloom/core/price';
import { MINUTE_MS } from '@tapeloom/core/units';
import { addDays, dayOf } from '@tapeloom/core/utc-day';
import {
  aliasesOf,
  contractsOf,
  type DecidedByAlias,
  type InstrumentsFile,
  type ListedDataset,
  type LiveFeed,
} from './instruments-file.ts';

/** How far ahead sessions are compared. */
const AHEAD_DAYS = 400;
/** How far back opened sessions are compared, to report that they stay. */
const BACK_DAYS = 31;
const SHOWN_MAX = 5;

export interface InstrumentsChange {
  readonly dataset: string;
  /** True: it contradicts the past, and must not be applied. */
  readonly isRefused: boolean;
  readonly sentence: string;
}

/** Facts fixed by the tape of a dataset, which no file can change. */
export interface DatasetFacts {
  /** Contracts with days on the tape. */
  readonly contracts: ReadonlySet<string>;
  readonly decided: DecidedByAlias;
}

/** Without facts (null) two files are compared, and the use of their instruments is unknown. */
export function diffInstruments(
  before: InstrumentsFile,
  after: InstrumentsFile,
  now: EpochNs,
  facts: ((dataset: string) => DatasetFacts) | null = null,
): readonly InstrumentsChange[] {
  const names = [...before.datasets, ...after.datasets].map(({ name }) => name);
  return [...new Set(names)].flatMap((name) => {
    const list = new Changes(name, facts?.(name) ?? null);
    const [old, young] = [before, after].map((it) => it.datasets.find((at) => at.name === name));
    if (old === undefined) {
      list.tell(`The dataset is new, with ${count(young!.contracts.length, 'contract')}.`);
    } else if (young === undefined) {
      diffContracts(list, contractsOf(old), []);
      list.tell(`The dataset is gone, with ${count(old.contracts.length, 'contract')}.`);
    } else {
      diffLive(list, old, young);
      diffContracts(list, contractsOf(old), contractsOf(young));
      diffMembers(list, old, young);
      diffCalendars(list, old, young, now);
      diffAliases(list, old, young, dayOf(now));
    }
    return list.all;
  });
}

class Changes {
  readonly all: InstrumentsChange[] = [];
  readonly dataset: string;
  readonly facts: DatasetFacts | null;

  constructor(dataset: string, facts: DatasetFacts | null) {
    this.dataset = dataset;
    this.facts = facts;
  }

  tell(sentence: string, isRefused = false): void {
    this.all.push({ dataset: this.dataset, isRefused, sentence });
  }

  /** Splits these contracts into those with days on the tape and those without. */
  split(symbols: readonly string[]): readonly [used: readonly string[], free: readonly string[]] {
    const isUsed = (symbol: string) => this.facts?.contracts.has(symbol) === true;
    return [symbols.filter(isUsed), symbols.filter((symbol) => !isUsed(symbol))];
  }
}

/** Days that were received and days that were imported are in different files. */
function diffLive(
  list: Changes,
  { live: before }: ListedDataset,
  { live: after }: ListedDataset,
): void {
  if (isDeepStrictEqual(before, after)) return;
  const isUsed = (list.facts?.contracts.size ?? 0) > 0;
  const keep = isUsed ? ' It has days on the tape. Choose another name for the new dataset.' : '';
  if (before === undefined) list.tell(`Its trades are received, not imported.${keep}`, isUsed);
  else if (after === undefined) list.tell(`Its trades are imported, not received.${keep}`, isUsed);
  else if (before.source === 'composite' || after.source === 'composite') {
    diffComposite(list, before, after, keep, isUsed);
  } else {
    const minutes = after.gapAfterMs / MINUTE_MS;
    list.tell(`The watermark stays ${after.graceMs} ms back; gaps begin after ${minutes} minutes.`);
  }
}

function diffComposite(
  list: Changes,
  before: LiveFeed,
  after: LiveFeed,
  keep: string,
  isUsed: boolean,
): void {
  if (after.source !== 'composite') list.tell(`It is no composite any more.${keep}`, isUsed);
  else if (before.source !== 'composite') list.tell(`It becomes a composite.${keep}`, isUsed);
  else {
    const minutes = after.leaveOutAfterMs / MINUTE_MS;
    list.tell(`A member that stands still is left out after ${minutes} minutes.`);
  }
}

/** From now on the trades of others are merged; what is on the tape stays. */
function diffMembers(list: Changes, before: ListedDataset, after: ListedDataset): void {
  for (const { contract, members } of after.contracts) {
    const old = before.contracts.find((one) => one.contract.symbol === contract.symbol);
    const names = (of: typeof members) => (of ?? []).map(({ symbol }) => symbol);
    const [was, is] = [names(old?.members), names(members)];
    if (old === undefined || isDeepStrictEqual(was, is)) continue;
    list.tell(`The members of ${contract.symbol} become ${some(is)}, they were ${some(was)}.`);
  }
}

function diffContracts(
  list: Changes,
  before: readonly Contract[],
  after: readonly Contract[],
): void {
  const young = new Map(after.map((contract) => [contract.symbol, contract]));
  const known = new Set(before.map(({ symbol }) => symbol));
  const added = [...young.keys()].filter((symbol) => !known.has(symbol));
  if (added.length > 0) list.tell(`New: ${some(added)}.`);
  const [used, free] = list.split([...known].filter((symbol) => !young.has(symbol)));
  if (free.length > 0 && young.size > 0) list.tell(`Gone: ${some(free)}.`);
  if (used.length > 0) {
    list.tell(
      `Gone: ${some(used)}, of which there are days on the tape. Remove those first.`,
      true,
    );
  }
  const both = before.flatMap((old) => {
    const is = young.get(old.symbol);
    return is === undefined ? [] : [[old, is] as const];
  });
  for (const term of Object.keys(TERM_NAMES) as Term[]) diffTerm(list, term, both);
}

const TERM_NAMES = {
  root: 'product',
  tickSizeNanos: 'tick',
  lotSizeNanos: 'lot',
  pointValueNanos: 'point value',
  calendar: 'calendar',
  expiresAt: 'expiry',
  name: 'name',
  exchange: 'exchange',
  currency: 'currency',
} as const;
type Term = keyof typeof TERM_NAMES;
/** Terms that stored days and computed results depend on. */
const FIXED_TERMS: ReadonlySet<Term> = new Set([
  'root',
  'tickSizeNanos',
  'lotSizeNanos',
  'calendar',
]);

/** Contracts whose term changes in the same way share a sentence. */
function diffTerm(
  list: Changes,
  term: Term,
  both: readonly (readonly [before: Contract, after: Contract])[],
): void {
  const changed = both.filter(([before, after]) => before[term] !== after[term]);
  const alike = Map.groupBy(changed, ([before, after]) => {
    return `becomes ${termText(after, term)}, it was ${termText(before, term)}`;
  });
  for (const [change, contracts] of alike) {
    const symbols = contracts.map(([{ symbol }]) => symbol);
    const [used, free] = FIXED_TERMS.has(term) ? list.split(symbols) : [[], symbols];
    const what = `The ${TERM_NAMES[term]} of`;
    if (free.length > 0) list.tell(`${what} ${some(free)} ${change}.`);
    if (used.length > 0) {
      list.tell(`${what} ${some(used)} ${change}: there are days on the tape by it.`, true);
    }
  }
}

function termText(contract: Contract, term: Term): string {
  const value = contract[term];
  if (typeof value === 'bigint') return Temporal.Instant.fromEpochNanoseconds(value).toString();
  return typeof value === 'number' ? formatPrice(1, value) : value;
}

function diffCalendars(
  list: Changes,
  before: ListedDataset,
  after: ListedDataset,
  now: EpochNs,
): void {
  for (const calendar of after.calendars) {
    const old = before.calendars.find(({ name }) => name === calendar.name);
    if (old === undefined || isDeepStrictEqual(old, calendar)) continue;
    const today = dayOf(now);
    for (const kind of ['full', 'rth'] as const) {
      const changed = changedSessions(old, calendar, kind, today);
      const isOpened = ({ open }: SessionChange) => open <= now;
      const what = `${calendar.name}, ${kind === 'full' ? 'trading day' : 'regular hours'}`;
      const ahead = changed.filter((change) => !isOpened(change)).map(({ text }) => text);
      if (ahead.length > 0) list.tell(`${what}: ${some(ahead, '; ')}.`);
      const opened = changed.filter(isOpened).length;
      if (opened > 0) {
        list.tell(
          `${what}: ${count(opened, 'session')} of the last ${BACK_DAYS} days would differ, ` +
            'but what has opened stays as it was.',
        );
      }
    }
  }
}

interface SessionChange {
  /** The earlier open of the two versions. */
  readonly open: EpochNs;
  readonly text: string;
}

function changedSessions(
  before: Calendar,
  after: Calendar,
  kind: SessionKind,
  today: UtcDay,
): SessionChange[] {
  const [from, to] = [addDays(today, -BACK_DAYS), addDays(today, AHEAD_DAYS)];
  const byDate = (calendar: Calendar) =>
    new Map(resolveSessions(calendar, kind, from, to).map((session) => [session.date, session]));
  const [old, young] = [byDate(before), byDate(after)];
  const dates = [...new Set([...old.keys(), ...young.keys()])].sort((a, b) => a - b);
  return dates.flatMap((date) => {
    const [was, is] = [old.get(date), young.get(date)];
    if (was?.open === is?.open && was?.close === is?.close) return [];
    const opens = [was, is].flatMap((session) => session?.open ?? []);
    const text = `${dateText(date)} ${sessionText(is)}, it was ${sessionText(was)}`;
    return [{ open: opens.reduce((a, b) => (a < b ? a : b)), text }];
  });
}

function sessionText(session: Session | undefined): string {
  if (session === undefined) return 'closed';
  const [open, close] = [session.open, session.close].map((instant) =>
    Temporal.Instant.fromEpochNanoseconds(instant).toString().slice(0, 16).replace('T', ' '),
  );
  return `${open} to ${close} UTC`;
}

function diffAliases(
  list: Changes,
  before: ListedDataset,
  after: ListedDataset,
  today: UtcDay,
): void {
  const decided = list.facts?.decided ?? new Map();
  const lost = lostRoll(after, decided);
  if (lost !== null) {
    // Without that contract the rolls of the new file cannot be computed.
    list.tell(lost, true);
    return;
  }
  const old = rollsIn(before, decided);
  const young = rollsIn(after, decided);
  for (const [alias, is] of young) {
    const was = old.get(alias);
    if (was === undefined) list.tell(`The alias ${alias} is new.`);
    else diffRolls(list, alias, was, is, today);
  }
  for (const alias of old.keys()) {
    if (!young.has(alias)) list.tell(`The alias ${alias} is gone.`);
  }
}

/** An alias continues from its last decided contract, and has meant all earlier ones: each must stay listed. */
function lostRoll(after: ListedDataset, decided: DecidedByAlias): string | null {
  const known = new Set(contractsOf(after).map(({ symbol }) => symbol));
  for (const alias of after.aliases) {
    const rolls = decided.get(alias.alias)?.rolls ?? [];
    const links = alias.kind === 'volume' ? alias.chain.links.map(({ symbol }) => symbol) : null;
    const lost = rolls.find(
      ({ symbol }) => !(known.has(symbol) && links?.includes(symbol) !== false),
    );
    if (lost === undefined) continue;
    const since = dateText(lost.from);
    return `${alias.alias} has meant ${lost.symbol} since ${since}, and could not any more.`;
  }
  return null;
}

interface Rolls {
  readonly isByVolume: boolean;
  /** The last day for which the alias's meaning is decided, if known. */
  readonly through: UtcDay | null;
  readonly rolls: readonly Designation[];
}

function rollsIn(dataset: ListedDataset, decided: DecidedByAlias): ReadonlyMap<string, Rolls> {
  return new Map(
    aliasesOf(dataset, decided).map(({ alias, rolls }, index) => {
      const isByVolume = dataset.aliases[index]!.kind === 'volume';
      const through = decided.get(alias)?.through ?? null;
      return [alias, { isByVolume, through, rolls }];
    }),
  );
}

function diffRolls(list: Changes, alias: string, before: Rolls, after: Rolls, today: UtcDay): void {
  if (before.isByVolume !== after.isByVolume) {
    const [is, was] = [after, before].map((it) => (it.isByVolume ? 'by volume' : 'by plan'));
    list.tell(`${alias} rolls ${is}, it was ${was}.`);
  }
  const [old, young] = [before.rolls, after.rolls];
  const changed = [...new Set([...old, ...young].map(({ from }) => from))]
    .sort((a, b) => a - b)
    .filter((day) => meaning(old, day) !== meaning(young, day));
  const latest = after.isByVolume ? ' at the latest' : '';
  const sentence = (day: UtcDay) =>
    `${alias} means ${meaning(young, day)} from ${dateText(day)} on${latest}, ` +
    `it was ${meaning(old, day)}`;
  // Before its first roll an alias means nothing, so no result contradicts a change.
  const past = changed.filter((day) => day <= settledThrough(list, before, after, today));
  const contradicted = past.filter((day) => meaning(old, day) !== 'nothing');
  if (contradicted.length > 0) {
    list.tell(`${some(contradicted.map(sentence), '; ')}: rolls in effect never change.`, true);
  }
  const planned = changed.filter((day) => day > today);
  if (planned.length > 0) list.tell(`${some(planned.map(sentence), '; ')}.`);
}

/** The last day whose meaning users may have seen; 0: none. */
function settledThrough(list: Changes, before: Rolls, after: Rolls, today: UtcDay): number {
  if (before.isByVolume) return before.through ?? 0;
  if (list.facts !== null) return list.facts.contracts.size > 0 ? today : 0;
  return after.isByVolume ? 0 : today;
}

function meaning(rolls: readonly Designation[], day: UtcDay): string {
  return rolls.findLast(({ from }) => from <= day)?.symbol ?? 'nothing';
}

function some(items: readonly string[], between = ', '): string {
  const shown = items.slice(0, SHOWN_MAX).join(between);
  const more = items.length - SHOWN_MAX;
  return more > 0 ? `${shown}${between}and ${more} more` : shown;
}

function count(value: number, what: string): string {
  return `${value} ${what}${value === 1 ? '' : 's'}`;
}

function dateText(day: UtcDay): string {
  return String(day).replace(/(....)(..)(..)/, '$1-$2-$3');
}

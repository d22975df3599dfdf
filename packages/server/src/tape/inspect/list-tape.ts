/** Lists a tape by contract and day. Read-only; may run beside a writer. */

import type { UtcDay } from '@tapeloom/core/numbers';
import { addDays } from '@tapeloom/core/utc-day';
import type { Disk } from '../../platform/disk/disk.ts';
import { isReadLive } from '../live-dataset.ts';
import { isSafeName } from '../tape-paths.ts';
import { SessionStore } from '../write/session-store.ts';
import { type DayListing, listImportedDays, listRepairedDays } from './list-days.ts';

export interface ContractListing {
  readonly dataset: string;
  readonly symbol: string;
  readonly firstDay: UtcDay;
  readonly lastDay: UtcDay;
  readonly days: number;
  readonly trades: number;
  /** Trades and bytes of the sealed days, Arrow file and sidecar. */
  readonly sealedTrades: number;
  readonly sealedBytes: number;
  /** `open` when the last day still grows. */
  readonly state: 'sealed' | 'open' | 'imported';
  /** Days between the first and the last that are not on the tape, though the market was open. */
  readonly gaps: readonly UtcDay[];
  readonly quality: {
    readonly complete: number;
    readonly partial: number;
    readonly noTrades: number;
    readonly damaged: number;
    readonly replaced: number;
  };
}

/** The name of a contract's calendar; null when unknown, so that every day counts as a trading day. */
export type CalendarOf = (dataset: string, symbol: string) => string | null;

export interface ContractDays {
  readonly listing: ContractListing;
  /** Ascending, without missing days. */
  readonly days: readonly DayListing[];
}

/** Sorted by dataset and contract. Rejects with `TapeDamagedError` when an index is damaged. */
export async function listTape(
  disk: Disk,
  tapeRoot: string,
  calendarOf: CalendarOf = () => null,
): Promise<readonly ContractDays[]> {
  const contracts: ContractDays[] = [];
  for (const dataset of (await disk.list(tapeRoot)).filter(isSafeName)) {
    const isLive = await isReadLive(disk, tapeRoot, dataset);
    const found = await (isLive ? listRepairedDays : listImportedDays)(disk, tapeRoot, dataset);
    const openDays = new OpenDays(new SessionStore(disk, tapeRoot, dataset));
    for (const [symbol, days] of [...found].sort(([a], [b]) => (a < b ? -1 : 1))) {
      if (days.size === 0) continue;
      const isOpen = await openDays.of(calendarOf(dataset, symbol));
      contracts.push(describe({ dataset, symbol, isLive }, days, isOpen));
    }
  }
  return contracts;
}

/** The days on which a market was open, by the session books of a dataset. */
class OpenDays {
  readonly #store: SessionStore;
  readonly #known = new Map<string, Promise<ReadonlySet<UtcDay> | null>>();

  constructor(store: SessionStore) {
    this.#store = store;
  }

  async of(calendar: string | null): Promise<(day: UtcDay) => boolean> {
    if (calendar === null) return () => true;
    const days = await this.#known.getOrInsertComputed(calendar, async () => {
      const book = await this.#store.load(calendar);
      return book === null ? null : new Set(book.utc.map(({ date }) => date));
    });
    return (day) => days === null || days.has(day);
  }
}

function describe(
  contract: { readonly dataset: string; readonly symbol: string; readonly isLive: boolean },
  found: ReadonlyMap<UtcDay, DayListing>,
  isOpen: (day: UtcDay) => boolean,
): ContractDays {
  const days = [...found.values()].sort((a, b) => a.day - b.day);
  const [firstDay, lastDay] = [days[0]!.day, days.at(-1)!.day];
  const gaps: UtcDay[] = [];
  for (let day = firstDay; day < lastDay; day = addDays(day, 1)) {
    if (!found.has(day) && isOpen(day)) gaps.push(day);
  }
  const sum = (value: (day: DayListing) => number) =>
    days.reduce((total, day) => total + value(day), 0);
  const count = (quality: DayListing['quality']) => sum((day) => Number(day.quality === quality));
  const { dataset, symbol, isLive } = contract;
  const listing: ContractListing = {
    dataset,
    symbol,
    firstDay,
    lastDay,
    days: days.length,
    trades: sum(({ trades }) => trades),
    sealedTrades: sum(({ trades, isSealed }) => (isSealed ? trades : 0)),
    sealedBytes: sum(({ bytes }) => bytes),
    state: !isLive ? 'imported' : count('open') > 0 ? 'open' : 'sealed',
    gaps,
    quality: {
      complete: count('complete'),
      partial: count('partial'),
      noTrades: count('no trades'),
      damaged: count('damaged'),
      replaced: sum(({ origin }) => Number(origin === 'replaced')),
    },
  };
  return { listing, days };
}

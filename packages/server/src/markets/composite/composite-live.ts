/** A dataset of composites in the thread that writes its tape. Its contracts and members can be replaced while it runs. */

import type { Calendar } from '@tapeloom/core/calendar/calendar';
import type { SessionTable } from '@tapeloom/core/calendar/session';
import { extendSessionBook, sessionTable } from '@tapeloom/core/calendar/session-book';
import { addDays, dayOf } from '@tapeloom/core/utc-day';
import type { Clock } from '../../platform/clock.ts';
import type { Disk } from '../../platform/disk/disk.ts';
import { FilesMarket } from '../files-market.ts';
import type { CompositeMember, ListedDataset } from '../instruments/instruments-file.ts';
import type { FillPlan, LiveMarket, MarketListing, SourceOptions, TradeSource } from '../market.ts';
import type { CompositeSetting } from '../market-setting.ts';
import { claimTape } from '../source-claim.ts';
import { CompositeSource } from './composite-source.ts';
import type { MemberTape } from './member-tape.ts';

const ADVICE =
  'Give the dataset of instruments.yaml another name, or choose another data directory.';
/** Sessions of members are needed around the present only. */
const HOURS_DAYS = 14;

export class CompositeLive implements LiveMarket {
  readonly dataset: string;
  readonly #setting: CompositeSetting;
  readonly #tapes = new Map<string, MemberTape>();
  #listed: ListedDataset;
  #market: FilesMarket;
  #source: CompositeSource | null = null;

  constructor(setting: CompositeSetting) {
    this.dataset = setting.listed.name;
    this.#setting = setting;
    this.#listed = setting.listed;
    this.#market = marketOf(setting.listed);
  }

  listing(): MarketListing {
    return this.#market.listing();
  }

  calendar(name: string): Calendar {
    return this.#market.calendar(name);
  }

  relist(listed: ListedDataset): void {
    this.#listed = listed;
    this.#market = marketOf(listed);
    this.#source?.relist();
  }

  /** The tape of a member's dataset can be read in this thread. */
  join(dataset: string, tape: MemberTape): void {
    this.#tapes.set(dataset, tape);
  }

  async claim(disk: Disk, tapeRoot: string): Promise<void> {
    await claimTape(disk, tapeRoot, this.dataset, { source: 'composite' }, ADVICE);
  }

  /** Past days are made out of those of the members, not by the source. */
  async planFill(): Promise<FillPlan> {
    return { ready: [], rest: [] };
  }

  async fill(): Promise<readonly string[]> {
    return [];
  }

  source(options: SourceOptions): TradeSource {
    const { leaveOutAfterMs } = this.#setting.feed;
    const hours = new MemberHours(options.clock);
    this.#source = new CompositeSource({
      ...options,
      leaveOutAfterMs,
      listed: () => this.#listed.contracts,
      tapes: this.#tapes,
      memberHours: (member) => hours.of(member),
    });
    return this.#source;
  }
}

function marketOf(listed: ListedDataset): FilesMarket {
  return new FilesMarket(listed, new Map(), new Map());
}

/** The trading days of the members' calendars, made anew every day. */
class MemberHours {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #tables = new Map<Calendar, SessionTable>();
  #madeOn = 0;

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  of({ calendar }: CompositeMember): SessionTable {
    const now = this.#clock.now();
    const today = dayOf(now);
    if (today !== this.#madeOn) this.#tables.clear();
    this.#madeOn = today;
    return this.#tables.getOrInsertComputed(calendar, () => {
      const [from, to] = [addDays(today, -HOURS_DAYS), addDays(today, HOURS_DAYS)];
      return sessionTable(extendSessionBook(null, calendar, from, to, now), 'full');
    });
  }
}

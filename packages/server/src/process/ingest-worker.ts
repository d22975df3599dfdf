/**
 * The ingest thread: opens the tape, keeps the session books, runs the source, and fills past days.
 * Only this thread writes the tape's log. What it does, in order:
 *
 * 1. Opens and repairs the tape, and fixes the service's clock. A tape that lies ahead of it is refused.
 * 2. Removes days that are too old to be kept, now and whenever the books are brought up to date. Plans which past days to make, brings the session books up to date, for those too, and is `opened`. So no
 *    day ever comes to the tape without its sessions.
 * 3. Seals the days that the first streams need, and beside it lets the source catch up with the clock. Who follows
 *    joins when those days are there: nobody sees today before what it stands on.
 * 4. Live: seals the remaining days behind the source.
 *
 * What the machine cannot do just now is waited for; the source waits as long as the tape does. When the tape
 * fails it says `down` and lives on, so that what is in shared memory stays readable.
 */

import { dirname } from 'node:path';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { extendSessionBook, type SessionBook } from '@tapeloom/core/calendar/session-book';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { addDays, dayOf } from '@tapeloom/core/utc-day';
import {
  FillError,
  type FillItem,
  type FillPlan,
  TapeClaimedError,
  type TradeSource,
} from '../markets/market.ts';
import { openLiveMarket } from '../markets/open-live-market.ts';
import type { Clock } from '../platform/clock.ts';
import { NodeDisk } from '../platform/node-disk.ts';
import { isPassingThreadFault } from '../platform/passing-fault.ts';
import { Patience, type PatienceOptions } from '../platform/patience.ts';
import { PatientDisk } from '../platform/patient-disk.ts';
import {
  acceleratedFrom,
  type ClockSetting,
  createClock,
  heldAt,
} from '../platform/system-clock.ts';
import { ThreadDesk } from '../platform/thread-desk.ts';
import type { ContractRemoval } from '../tape/remove/plan-removal.ts';
import { LogMissingError, TapeDamagedError } from '../tape/tape-errors.ts';
import { loadEncoder } from '../tape/write/encode-day.ts';
import { type OpenTape, openTape } from '../tape/write/open-tape.ts';
import { sessionDates } from '../tape/write/session-dates.ts';
import { SessionStore } from '../tape/write/session-store.ts';
import { IngestReporter } from './ingest-reporter.ts';
import type { FromIngest, IngestOpened, IngestShape, IngestWorkerData } from './ingest-wire.ts';
import { removeOldImportedDays, removeOldLiveDays } from './old-days.ts';
import { TapeAheadError } from './tape-ahead-error.ts';

const REPORT_MS = 1_000;
const LIVE_CHECK_MS = 20;
/** A source less than this behind, in real time, has caught up. */
const LIVE_LAG_MS_MAX = 1_000;
/** How often, in the service's time, contracts and session books are brought up to date. */
const REFRESH_EVERY_MS = 6 * 3_600_000;
/** When a start is over, what midnight needs is loaded: then it would find the machine at its busiest. */
const ENCODER_AFTER_MS = 5_000;
/** A clock this little behind the tape is waited for; more is refused. */
const AHEAD_NS_MAX = 10_000_000_000n;

const desk = new ThreadDesk<IngestShape>(parentPort!);
const { tapeRoot, speed, keepDays, ...setting } = workerData as IngestWorkerData;
const market = openLiveMarket(setting.market);
const timers = createClock({ kind: 'system' });
const waits: PatienceOptions = {
  clock: timers,
  onWait: (error) => send({ t: 'waiting', error }),
  onOver: (ms) => send({ t: 'waited', ms }),
};
const patience = new Patience(waits);
/** Of its own: the tape does not wait for past days. */
const fillPatience = new Patience(waits);
const disk = new PatientDisk(new NodeDisk(), patience);
let listing = market.listing(dayOf(timers.now()));

function send(news: FromIngest): void {
  desk.tell(news);
}

class Ingest {
  readonly opened: IngestOpened;
  readonly #tape: OpenTape;
  readonly #clock: Clock;
  readonly #reporter: IngestReporter;
  readonly #source: TradeSource;
  readonly #stopping = new AbortController();
  readonly #background = new DisposableStack();
  readonly #work: Promise<void>;
  /** Who waits for the first days; null once they are there. */
  #joining: MessagePort[] | null = [];
  #isRefreshing = false;

  /** `today` is the day that the plan was made on: what it does not fill is the source's. */
  constructor(tape: OpenTape, clock: Clock, today: UtcDay, plan: FillPlan, opened: IngestOpened) {
    this.opened = opened;
    this.#tape = tape;
    this.#clock = clock;
    this.#reporter = new IngestReporter(tape);
    this.#source = market.source({
      disk,
      intake: this.#reporter.timed(tape.intake),
      clock,
      resumeDay: today,
      openDay: tape.report.logs.find((log) => !log.ended)?.day ?? null,
    });
    this.#background.use(timers.every(REPORT_MS, () => this.#report()));
    this.#background.use(clock.every(REFRESH_EVERY_MS, () => void this.#refresh()));
    this.#work = this.#run(plan);
  }

  follow({ port }: IngestShape['orders']): void {
    if (this.#joining === null) this.#tape.publisher.addFollower(port);
    else this.#joining.push(port);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#background.dispose();
    await this.#work;
    try {
      await this.#tape[Symbol.asyncDispose]();
    } catch (error) {
      send({ t: 'down', error });
    }
  }

  async #run(plan: FillPlan): Promise<void> {
    try {
      const { signal } = this.#stopping;
      const fillAll = async () => {
        await this.#fill('first', plan.ready);
        this.#letJoin();
        await this.#live(signal);
        if (!signal.aborted) await this.#fill('rest', plan.rest);
      };
      await Promise.all([this.#source.run(signal), fillAll()]);
    } catch (error) {
      send({ t: 'down', error });
    }
  }

  #letJoin(): void {
    for (const port of this.#joining ?? []) this.#tape.publisher.addFollower(port);
    this.#joining = null;
  }

  /** Days that could not be sealed are missing, which is told; the source needs none of them. */
  async #fill(part: 'first' | 'rest', items: readonly FillItem[]): Promise<void> {
    if (items.length === 0) return;
    const done = new Set<FillItem>();
    const tell = (item: FillItem | null) =>
      send({ t: 'filled', part, days: done.size, daysTotal: items.length, item });
    tell(null);
    const onSealed = (item: FillItem) => {
      done.add(item);
      tell(item);
    };
    try {
      const today = dayOf(this.#clock.now());
      const { signal } = this.#stopping;
      const { manifest } = this.#tape;
      const fillRest = () => {
        const rest = items.filter((item) => !done.has(item));
        return market.fill({ tapeRoot, today, items: rest, manifest, signal, onSealed });
      };
      const isPassing = (error: unknown) =>
        isPassingThreadFault(error instanceof FillError ? error.cause : error);
      const conflicts = await fillPatience.run(fillRest, { isPassing, signal });
      if (conflicts.length > 0) throw new Error(conflicts.join(', '));
    } catch (error) {
      send({ t: 'fault', what: 'some past days could not be made', error });
    }
  }

  /** Says that all is live as soon as it is, and resolves then, or when it is aborted. */
  async #live(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    signal.addEventListener('abort', () => resolve(), { once: true });
    const timer = timers.every(LIVE_CHECK_MS, () => {
      if (this.#source.lagMs > LIVE_LAG_MS_MAX * (speed ?? 1)) return;
      timer[Symbol.dispose]();
      resolve();
      this.#report();
      send({ t: 'live' });
      this.#background.use(timers.after(ENCODER_AFTER_MS, () => void this.#loadEncoder()));
    });
    this.#background.use(timer);
    await promise;
  }

  async #loadEncoder(): Promise<void> {
    try {
      await loadEncoder();
    } catch (error) {
      send({ t: 'fault', what: 'what days are sealed with could not be loaded', error });
    }
  }

  #report(): void {
    const isPaused = patience.isWaiting && this.#tape.intake.isTurningDay;
    const { waitsTotal } = patience;
    send({ ...this.#reporter.report(), lagMs: this.#source.lagMs, isPaused, waitsTotal });
  }

  async #refresh(): Promise<void> {
    if (this.#isRefreshing) return;
    this.#isRefreshing = true;
    try {
      send({ t: 'sessions', books: await enterDay(this.#clock.now()) });
      for (const { symbol, days } of await removeOldDays(this.#tape, dayOf(this.#clock.now()))) {
        for (const day of days) send({ t: 'removed', item: { symbol, day } });
      }
    } catch (error) {
      send({ t: 'fault', what: 'the session books could not be brought up to date', error });
    } finally {
      this.#isRefreshing = false;
    }
  }
}

async function start(): Promise<Ingest> {
  await market.claim(disk, tapeRoot);
  // Before the service's clock is fixed, the machine's time judges which times are absurd.
  let clock: Clock = timers;
  const tape = await openTape({
    disk,
    tapeRoot,
    dataset: market.dataset,
    listed: (day) => listing.streamedOn(day).map(({ symbol }) => symbol),
    now: () => clock.now(),
    onFailure: (error) => send({ t: 'down', error }),
  });
  const clockUsed = clockSetting(tape.report.promise);
  clock = createClock(clockUsed);
  const now = clock.now();
  await removeOldDays(tape, dayOf(now));
  const plan = onlyKept(await market.planFill(disk, tapeRoot, now), tape, dayOf(now));
  const daysToCome = [...plan.ready, ...plan.rest].map(({ day }) => day);
  const books = await enterDay(now, daysToCome);
  return new Ingest(tape, clock, dayOf(now), plan, {
    clock: clockUsed,
    books,
    recovery: tape.report,
  });
}

function clockSetting(promise: EpochNs | null): ClockSetting {
  const now = timers.now();
  if (market.played !== undefined) {
    const { from, isHeld } = market.played;
    return isHeld ? heldAt(from, speed ?? 1) : acceleratedFrom(from, speed ?? 1);
  }
  if (speed !== null) {
    return acceleratedFrom(promise !== null && promise > now ? promise : now, speed);
  }
  if (promise !== null && promise - now > AHEAD_NS_MAX) throw new TapeAheadError(promise, now);
  return { kind: 'system' };
}

/** What was removed is not made again, nor what would be. */
function onlyKept({ ready, rest }: FillPlan, { manifest }: OpenTape, today: UtcDay): FillPlan {
  const oldest = keepDays === 0 ? 0 : addDays(today, -keepDays);
  const isWanted = ({ symbol, day }: FillItem) => day >= oldest && !manifest.isRemoved(symbol, day);
  return { ready: ready.filter(isWanted), rest: rest.filter(isWanted) };
}

/** What cannot be removed now is tried again with the next refresh; nothing depends on it. */
async function removeOldDays(
  { manifest }: OpenTape,
  today: UtcDay,
): Promise<readonly ContractRemoval[]> {
  if (keepDays === 0) return [];
  const place = { disk, data: dirname(tapeRoot), keepDays };
  const calendarOf = (symbol: string) => listing.book.contract(symbol)?.calendar ?? null;
  try {
    await removeOldImportedDays(place);
    return await removeOldLiveDays(place, market.dataset, manifest, today, calendarOf);
  } catch (error) {
    send({ t: 'fault', what: 'old days could not be removed', error });
    return [];
  }
}

/** Brings contracts and session books up to date; the books are on disk before anybody uses them. */
async function enterDay(now: EpochNs, daysToCome?: readonly UtcDay[]): Promise<SessionBook[]> {
  listing = market.listing(dayOf(now));
  const { dataset } = market;
  const store = new SessionStore(disk, tapeRoot, dataset);
  const { from, to } = await sessionDates(disk, tapeRoot, dataset, now, daysToCome);
  const books: SessionBook[] = [];
  for (const name of new Set(listing.contracts.map(({ calendar }) => calendar))) {
    const book = extendSessionBook(await store.load(name), market.calendar(name), from, to, now);
    await store.save(book);
    books.push(book);
  }
  return books;
}

/** Why it cannot start, for the operator to judge. */
function refusalOf(error: unknown): string {
  const kinds = [TapeAheadError, TapeClaimedError, TapeDamagedError, LogMissingError];
  if (!(error instanceof Error && kinds.some((kind) => error instanceof kind))) throw error;
  return error.message;
}

const starting = start();
// It is asked to open before it begins: who asked hears of it.
starting.catch(() => undefined);
desk.open({
  calls: { open: async () => (await starting).opened },
  obey: (order) => void starting.then((ingest) => ingest.follow(order)),
  refusalOf,
  stop: async () => await (await starting).stop(),
});

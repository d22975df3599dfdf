/**
 * The ingest thread: opens the tape, keeps the session books, runs the source and generates past days. Only this thread
 * writes the log. Machine faults are retried, and the source waits as long as the tape does. If the tape fails, the
 * thread sends `down` and stays alive, so that shared memory stays readable.
 */

import { type MessagePort, workerData } from 'node:worker_threads';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { dayOf } from '@tapeloom/core/utc-day';
import type { ListedDataset } from '../../markets/instruments/instruments-file.ts';
import {
  type FillPlan,
  type PushedTrades,
  SourceRefusedError,
  type TradeSource,
} from '../../markets/market.ts';
import type { Clock } from '../../platform/clock.ts';
import {
  acceleratedFrom,
  type ClockSetting,
  createClock,
  heldAt,
  THIS_MACHINE,
} from '../../platform/system-clock.ts';
import { assertAlone } from '../../tape/shared/shared-directory.ts';
import { ForeignDirectoryError } from '../../tape/shared/shared-errors.ts';
import { LogMissingError, TapeDamagedError } from '../../tape/tape-errors.ts';
import { type OpenTape, openTape } from '../../tape/write/open-tape.ts';
import {
  ENCODER_AFTER_MS,
  LIVE_CHECK_MS,
  LIVE_LAG_MS_MAX,
  loadSealing,
  openIngestGround,
  REFRESH_EVERY_MS,
  REPORT_MS,
} from './ingest-ground.ts';
import { IngestReporter } from './ingest-reporter.ts';
import type { IngestOpened, IngestWorkerData } from './ingest-wire.ts';
import { JoiningFollowers } from './joining-followers.ts';
import { TapeAheadError } from './tape-ahead-error.ts';

/** If the tape is ahead of the clock by no more than this, the service waits; beyond it, the start fails. */
const AHEAD_NS_MAX = 10_000_000_000n;

const setting = workerData as IngestWorkerData;
const { tapeRoot, speed } = setting;
const { desk, send, market, timers, faultRetry, disk, upkeep, members } = openIngestGround(setting);

/**
 * 1. Opens and repairs the tape, and fixes the service's clock. If the tape is far ahead of it, the start fails.
 * 2. Removes days that are too old, now and at every refresh. Plans the past days and extends the session books over
 *    them, then is `opened`: no day reaches the tape without its sessions.
 * 3. Seals the days that the first streams need while the source catches up. Followers join after that, so no reader
 *    sees today before the days it depends on.
 * 4. Once live, seals the remaining past days.
 */
class Ingest {
  readonly opened: IngestOpened;
  readonly #tape: OpenTape;
  readonly #clock: Clock;
  readonly #reporter: IngestReporter;
  readonly #source: TradeSource;
  readonly #stopping = new AbortController();
  readonly #background = new DisposableStack();
  readonly #work: Promise<void>;
  readonly #followers: JoiningFollowers;
  #isRefreshing = false;

  /** `today` is the day on which the plan was made; the source provides the days that the plan does not fill. */
  constructor(tape: OpenTape, clock: Clock, today: UtcDay, plan: FillPlan, opened: IngestOpened) {
    this.opened = opened;
    this.#tape = tape;
    this.#clock = clock;
    this.#reporter = new IngestReporter(tape);
    this.#followers = new JoiningFollowers(tape.publisher);
    this.#source = market.source({
      disk,
      intake: this.#reporter.timed(tape.intake),
      clock,
      monotonicNs: THIS_MACHINE.monotonicNs,
      random: Math.random,
      resumeDay: today,
      openDay: tape.report.logs.find((log) => !log.ended)?.day ?? null,
      hoursOf: (symbol) => upkeep.hoursOf(symbol),
      onOffTick: (contract, price) => send({ t: 'off-tick', contract, price }),
      onContractDown: (contract, why) => send({ t: 'contract-down', contract, why }),
    });
    this.#background.use(timers.every(REPORT_MS, () => this.#report()));
    this.#background.use(clock.every(REFRESH_EVERY_MS, () => void this.#refresh()));
    this.#work = this.#run(plan);
  }

  follow(port: MessagePort): void {
    this.#followers.follow(port);
  }

  relist(listed: ListedDataset): void {
    market.relist?.(listed);
    members.relist(listed);
    void this.#refresh();
  }

  get pushed(): PushedTrades | null {
    return this.#source.pushed ?? null;
  }

  requestWatermark(): void {
    this.#source.requestWatermark();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    members[Symbol.dispose]();
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
      const { manifest } = this.#tape;
      const fill = (part: 'first' | 'rest', items: FillPlan['ready']) =>
        upkeep.fill(part, items, { manifest, today: dayOf(this.#clock.now()), signal });
      const fillAll = async () => {
        await fill('first', plan.ready);
        this.#followers.letJoin();
        await this.#live(signal);
        if (!signal.aborted) await fill('rest', plan.rest);
      };
      await Promise.all([this.#source.run(signal), fillAll()]);
    } catch (error) {
      send({ t: 'down', error });
    }
  }

  /** Sends `live` once the source has caught up, and resolves then or on abort. */
  async #live(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    signal.addEventListener('abort', () => resolve(), { once: true });
    const timer = timers.every(LIVE_CHECK_MS, () => {
      const { feed, lagMs } = this.#source;
      if (feed === undefined && lagMs > LIVE_LAG_MS_MAX * (speed ?? 1)) return;
      timer[Symbol.dispose]();
      resolve();
      this.#report();
      send({ t: 'live' });
      this.#background.use(timers.after(ENCODER_AFTER_MS, () => void loadSealing(send)));
    });
    this.#background.use(timer);
    await promise;
  }

  #report(): void {
    const isPaused = faultRetry.isWaiting && this.#tape.intake.isTurningDay;
    const { waitsTotal } = faultRetry;
    const { lagMs, feed } = this.#source;
    send({ ...this.#reporter.report(), lagMs, isPaused, waitsTotal, ...(feed && { feed }) });
  }

  async check(symbol: string, day: UtcDay): Promise<void> {
    try {
      const isSound = await this.#tape.manifest.check(symbol, day);
      if (isSound !== null) send({ t: 'checked', symbol, day, isSound });
    } catch (error) {
      send({ t: 'fault', what: 'a sealed day could not be checked', error });
    }
  }

  async #refresh(): Promise<void> {
    if (this.#isRefreshing) return;
    this.#isRefreshing = true;
    try {
      const now = this.#clock.now();
      send({ t: 'sessions', books: await upkeep.enterDay(now) });
      const removals = await upkeep.removeOldDays(this.#tape.manifest, now);
      for (const { symbol, days } of removals) {
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
  await assertAlone(disk, tapeRoot, market.dataset);
  await market.claim(disk, tapeRoot);
  // Until the service's clock is fixed, the machine's clock decides which trade times are absurd.
  let clock: Clock = timers;
  const tape = await openTape({
    disk,
    tapeRoot,
    dataset: market.dataset,
    listed: (day) => upkeep.listed(day),
    now: () => clock.now(),
    onFailure: (error) => send({ t: 'down', error }),
  });
  const clockUsed = setting.clock ?? clockSetting(tape.report.promise);
  clock = createClock(clockUsed);
  const now = clock.now();
  const { manifest, intake } = tape;
  await upkeep.removeOldDays(manifest, now);
  const planned = await market.planFill(disk, tapeRoot, now, intake);
  const plan = upkeep.onlyKept(planned, manifest, dayOf(now));
  const daysToCome = [...plan.ready, ...plan.rest].map(({ day }) => day);
  const books = await upkeep.enterDay(now, daysToCome);
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

/** The message for the operator; other errors are thrown on. */
function refusalOf(error: unknown): string {
  const kinds = [
    TapeAheadError,
    SourceRefusedError,
    TapeDamagedError,
    LogMissingError,
    ForeignDirectoryError,
  ];
  if (!(error instanceof Error && kinds.some((kind) => error instanceof kind))) throw error;
  return error.message;
}

const starting = start();
// The caller of `open` gets the error.
starting.catch(() => undefined);
desk.open({
  // A single process: no other node has further days.
  calls: {
    open: async () => (await starting).opened,
    daysHere: () => true,
    push: async (request) => await (await starting).pushed!.push(request),
    pushPosition: async () => (await starting).pushed!.position(),
  },
  obey: (order) => {
    // The other orders concern a cluster.
    if (order.t === 'follow') void starting.then((ingest) => ingest.follow(order.port));
    if (order.t === 'join') void members.join(order.dataset, order.port);
    if (order.t === 'watermark-wanted') void starting.then((ingest) => ingest.requestWatermark());
    if (order.t === 'relist') void starting.then((ingest) => ingest.relist(order.listed));
    if (order.t === 'check') void starting.then((ingest) => ingest.check(order.symbol, order.day));
  },
  refusalOf,
  stop: async () => await (await starting).stop(),
});

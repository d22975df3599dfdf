/**
 * The ingest thread of a node with a shared tape. It follows the tape; while this node appends, it also does the work
 * of a single process: session books, past days, the source. An unreachable stream is retried; after a while the thread
 * reports `isPaused` until the stream is back. A fault that cannot be recovered is sent once as `down`; shared memory
 * stays readable.
 */

import { isDeepStrictEqual } from 'node:util';
import { workerData } from 'node:worker_threads';
import type { SessionBook } from '@tapeloom/core/calendar/session-book';
import { parseSessionBook } from '@tapeloom/core/calendar/session-book-text';
import type { UtcDay } from '@tapeloom/core/numbers';
import { MS_NS } from '@tapeloom/core/units';
import { dayOf } from '@tapeloom/core/utc-day';
import type { ListedDataset } from '../../markets/instruments/instruments-file.ts';
import type {
  FeedReport,
  FillItem,
  FillPlan,
  PushedTrades,
  TradeSource,
} from '../../markets/market.ts';
import { listedOf } from '../../markets/market-setting.ts';
import type { PushAnswer } from '../../platform/push-exchange.ts';
import { THIS_MACHINE } from '../../platform/system-clock.ts';
import { SerialQueue } from '../../platform/waiting/serial-queue.ts';
import { zstdAside } from '../../platform/zstd-aside.ts';
import { SharedTape } from '../../tape/shared/shared-tape.ts';
import type { LeadTerm } from '../../tape/shared/shared-tape-options.ts';
import type { TapeBook } from '../../tape/stream/tape-book.ts';
import { type OpenedStream, openStream, sharedRefusalOf } from '../cluster/open-stream.ts';
import { SharedFloors } from '../cluster/shared-floors.ts';
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
import type { IngestOpened, IngestOrder, IngestWorkerData } from './ingest-wire.ts';
import { JoiningFollowers } from './joining-followers.ts';

/** A stop waits five seconds for an append in progress, and must be over after eight. */
const CUT_OFF_MS = 5_500;
/** Longer than an election of NATS servers takes. */
const SILENT_MS_MAX = 15_000;
/** As long as a feed is silent until it counts as down. */
const FOLLOWED_DOWN_MS = 60_000;
/** A look takes some seconds at most, so the reported value is at most about ten seconds old. */
const SERVERS_EVERY_MS = 5_000;

/** The leadership has just changed. */
const NOT_LEADING: PushAnswer = {
  t: 'refused',
  code: 'NO_LEADER',
  detail: 'This node does not lead the dataset any more. Push the same batch again in 1 s.',
  retryAfterSeconds: 1,
};

const setting = workerData as IngestWorkerData;
const { tapeRoot } = setting;
const { nats, clusterId, nodeId, mayLead } = setting.shared!;
const { desk, send, market, timers, faultRetry, disk, upkeep, members } = openIngestGround(setting);
// The machine's clock is the service's time here.
const clock = timers;

/**
 * 1. Opens the stream, which must belong to this cluster, and joins the tape with the data in the directory.
 * 2. Follows. With the first book, from another node or its own, it is `opened`: no day is read without its sessions.
 * 3. When the days that the first streams need are here and the end of the stream was reached, followers join and
 *    `live` is sent.
 * 4. While it appends, it runs the source and generates past days, which the other nodes fetch.
 */
class SharedIngest {
  readonly opened: Promise<IngestOpened>;
  readonly #nats: OpenedStream;
  readonly #tape: SharedTape;
  readonly #reporter: IngestReporter;
  readonly #stopping = new AbortController();
  readonly #background = new DisposableStack();
  readonly #work: Promise<void>;
  readonly #followers: JoiningFollowers;
  #sessionsTold: TapeBook['sessions'] | null = null;
  /** Set while this node appends. */
  #source: TradeSource | null = null;
  /** Set while this node appends. */
  #keepBooksNow: (() => Promise<void>) | null = null;
  readonly #floors: SharedFloors;
  #serversIncomplete: number | null = null;
  /** Runs checks of day files one after another. */
  readonly #checks = new SerialQueue();
  #isLooking = false;

  constructor(nats: OpenedStream, tape: SharedTape) {
    this.#nats = nats;
    this.#tape = tape;
    this.#reporter = new IngestReporter(tape);
    this.#followers = new JoiningFollowers(tape.publisher);
    this.#floors = new SharedFloors({
      ...{ tape, clock, send },
      listed: (day) => upkeep.listed(day),
    });
    this.#work = this.#run();
    this.opened = this.#open();
    this.#background.use(clock.every(REPORT_MS, () => this.report()));
    this.#background.use(clock.every(REFRESH_EVERY_MS, () => this.#refresh()));
    this.#background.use(clock.every(SERVERS_EVERY_MS, () => void this.#lookAtServers()));
    this.#background.use(nats.stream.onWatermarkWanted(() => this.#source?.requestWatermark()));
    void this.#live();
  }

  obey(order: IngestOrder): void {
    if (order.t === 'join') void members.join(order.dataset, order.port);
    else if (order.t === 'follow') this.#followers.follow(order.port);
    else if (order.t === 'agree') this.#floors.agree(order.computations);
    else if (order.t === 'spread') this.#floors.heard(order.spread);
    else if (order.t === 'watermark-wanted') this.#requestWatermark();
    else if (order.t === 'check') this.#checkLater(order.symbol, order.day);
    else if (order.t === 'relist') this.#relist(order.listed);
    else this.#floors.hold(order.text);
  }

  /** The node that appends writes the session books. */
  #relist(listed: ListedDataset): void {
    market.relist?.(listed);
    members.relist(listed);
    upkeep.refreshListing(clock.now());
    if (this.#keepBooksNow !== null) void this.#keepBooksNow();
  }

  /** The source runs on the node that appends. */
  #requestWatermark(): void {
    if (this.#source !== null) this.#source.requestWatermark();
    else this.#nats.stream.wantWatermark();
  }

  fetched(): void {
    this.#floors.sendMissing();
  }

  report(): void {
    const { report, publisher } = this.#tape;
    const behind = Number(clock.now() - (publisher.promise ?? clock.now())) / MS_NS;
    const isFed = listedOf(setting.market) !== null;
    const feed = this.#source === null && isFed ? followedFeed(behind) : this.#source?.feed;
    const isOutOfReach =
      report.silentMs >= SILENT_MS_MAX || report.role === 'refused' || report.role === 'shrunk';
    send({
      ...this.#reporter.report(),
      lagMs: this.#source?.lagMs ?? Math.max(0, behind),
      ...(feed && { feed }),
      isPaused: isOutOfReach,
      waitsTotal: faultRetry.waitsTotal,
      shared:
        this.#serversIncomplete === null
          ? report
          : { ...report, serversIncomplete: this.#serversIncomplete },
    });
  }

  /** On the node that appends. */
  get pushed(): PushedTrades | null {
    return this.#source?.pushed ?? null;
  }

  async daysHere(symbol: string, first: UtcDay, last: UtcDay): Promise<boolean> {
    await this.#checks.idle;
    return (await this.#tape.want(symbol, first, last)) !== 'coming';
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    members[Symbol.dispose]();
    this.#floors[Symbol.dispose]();
    this.#background.dispose();
    // If no server responds, pending requests would delay the stop.
    using _cut = clock.after(CUT_OFF_MS, () => void this.#nats[Symbol.asyncDispose]());
    await this.#tape.leave();
    await this.#tape[Symbol.asyncDispose]();
    await this.#work;
    await this.#nats[Symbol.asyncDispose]();
  }

  /** This node appends until the signal aborts. */
  async lead(term: LeadTerm): Promise<void> {
    const { intake, openDay, signal, bookChanged, setReady } = term;
    const { manifest } = this.#tape;
    const now = clock.now();
    const today = dayOf(now);
    await upkeep.removeOldDays(manifest, now);
    const planned = await market.planFill(disk, tapeRoot, now, intake);
    const plan = this.#onlyMissing(upkeep.onlyKept(planned, manifest, today));
    await upkeep.enterDay(
      now,
      [...plan.ready, ...plan.rest].map(({ day }) => day),
    );
    await this.#floors.lead(term);
    await bookChanged();
    const timed = this.#reporter.timed(intake);
    const source = market.source({
      ...{ disk, intake: timed, clock, resumeDay: today, openDay },
      monotonicNs: THIS_MACHINE.monotonicNs,
      random: Math.random,
      hoursOf: (symbol) => upkeep.hoursOf(symbol),
      onOffTick: (contract, price) => send({ t: 'off-tick', contract, price }),
      onContractDown: (contract, why) => send({ t: 'contract-down', contract, why }),
    });
    this.#source = source;
    const fillAll = async () => {
      const { isReady } = this.#tape.book;
      // Before the first days are there, no node serves clients.
      await this.#floors.name(isReady ? [...plan.ready, ...plan.rest] : plan.rest);
      if (isReady) await this.#floors.allHaveRead();
      await upkeep.fill('first', plan.ready, { manifest, today, signal });
      setReady();
      await bookChanged();
      await upkeep.fill('rest', plan.rest, { manifest, today, signal });
      this.#floors.made();
    };
    this.#keepBooksNow = () => this.#keepBooks(term);
    const refreshing = clock.every(REFRESH_EVERY_MS, () => void this.#keepBooks(term));
    try {
      await Promise.all([source.run(signal), fillAll()]);
    } finally {
      refreshing[Symbol.dispose]();
      this.#keepBooksNow = null;
      this.#source = null;
    }
  }

  async book(book: TapeBook): Promise<void> {
    const holding = this.#floors.tell(book);
    if (!isDeepStrictEqual(book.sessions, this.#sessionsTold)) {
      this.#sessionsTold = book.sessions;
      send({ t: 'sessions', books: booksOf(book) });
    }
    await holding;
  }

  async #run(): Promise<void> {
    try {
      await this.#tape.run();
    } catch (error) {
      if (!this.#stopping.signal.aborted) send({ t: 'down', error });
    }
  }

  async #open(): Promise<IngestOpened> {
    await Promise.race([this.#tape.booked, this.#work]);
    const { manifest, publisher } = this.#tape;
    return {
      clock: { kind: 'system' },
      books: booksOf(this.#tape.book),
      recovery: {
        promise: publisher.promise,
        logs: [],
        unfinishedRemoved: 0,
        missing: manifest.missingFiles,
        setAside: [],
      },
    };
  }

  /** Sends `live` once all of it is. */
  async #live(): Promise<void> {
    await Promise.all([this.#tape.ready, this.#tape.caughtUp]);
    this.#followers.letJoin();
    if (this.#stopping.signal.aborted) return;
    void this.#lookAtServers();
    const timer = clock.every(LIVE_CHECK_MS, () => {
      const isFed = this.#source?.feed !== undefined;
      if (!isFed && (this.#source?.lagMs ?? 0) > LIVE_LAG_MS_MAX) return;
      timer[Symbol.dispose]();
      this.report();
      send({ t: 'live' });
      this.#background.use(clock.after(ENCODER_AFTER_MS, () => void loadSealing(send)));
    });
    this.#background.use(timer);
  }

  /** A NATS server with missing messages may consider itself complete, and then no other component reports it. */
  async #lookAtServers(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      this.#serversIncomplete = await this.#nats.incompleteServers();
    } catch {
      // The servers cannot be reached now: the last value stays.
    } finally {
      this.#isLooking = false;
    }
  }

  /** Days that other nodes have generated, or that are in memory, are not generated again. */
  #onlyMissing({ ready, rest }: FillPlan): FillPlan {
    const { book, publisher } = this.#tape;
    const isMissing = ({ symbol, day }: FillItem) =>
      book.days[symbol]?.[day] === undefined &&
      publisher.days.every((live) => live.day !== day || live.find(symbol) === null);
    return { ready: ready.filter(isMissing), rest: rest.filter(isMissing) };
  }

  #checkLater(symbol: string, day: UtcDay): void {
    void this.#checks.run(() => this.#checked(symbol, day));
  }

  /** An unsound day is fetched again; until then nothing that depends on it is shown here. */
  async #checked(symbol: string, day: UtcDay): Promise<void> {
    try {
      const isSound = await this.#tape.check(symbol, day);
      if (isSound === null) return;
      this.#floors.sendMissing();
      send({ t: 'checked', symbol, day, isSound });
    } catch (error) {
      send({ t: 'fault', what: 'a sealed day could not be checked', error });
    }
  }

  /** The listing changes on followers too. */
  #refresh(): void {
    upkeep.refreshListing(clock.now());
    send({ t: 'sessions', books: booksOf(this.#tape.book) });
    void upkeep.removeOldRepairs(this.#tape.manifest, clock.now());
  }

  async #keepBooks({ bookChanged, signal }: LeadTerm): Promise<void> {
    try {
      const now = clock.now();
      await upkeep.enterDay(now);
      const removals = await upkeep.removeOldDays(this.#tape.manifest, now);
      await bookChanged();
      for (const { symbol, days } of removals) {
        for (const day of days) send({ t: 'removed', item: { symbol, day } });
      }
    } catch (error) {
      if (signal.aborted) return;
      send({ t: 'fault', what: 'the session books could not be brought up to date', error });
    }
  }
}

async function start(): Promise<SharedIngest> {
  const { dataset } = market;
  const place = { nats, dataset, client: nodeId, clusterId };
  const opened = await openStream(place, clock, (error) =>
    send({ t: 'fault', what: 'waiting for the stream in NATS', error }),
  );
  let ingest: SharedIngest | null = null;
  let fetched = 0;
  let doesAppend = false;
  try {
    const tape = await SharedTape.open({
      ...{ disk, tapeRoot, dataset, cluster: clusterId, node: nodeId, mayLead, clock },
      stream: opened.stream,
      objects: opened.objects,
      packing: zstdAside,
      random: Math.random,
      listed: (day: UtcDay) => upkeep.listed(day),
      now: () => clock.now(),
      handler: {
        book: (book) => ingest?.book(book),
        dayFetched: (symbol, day, left) => {
          fetched += 1;
          const daysTotal = fetched + left;
          send({ t: 'filled', part: 'fetched', days: fetched, daysTotal, item: { symbol, day } });
          ingest?.fetched();
        },
        dayRemoved: (symbol, day) => send({ t: 'removed', item: { symbol, day } }),
        lead: (term) => ingest!.lead(term),
        state: ({ role }) => {
          if ((role === 'leading') === doesAppend) return;
          doesAppend = !doesAppend;
          ingest?.report();
          send({ t: 'appends', doesAppend });
        },
        fault: (what, error) => send({ t: 'fault', what, error }),
      },
    });
    await market.claim(disk, tapeRoot);
    ingest = new SharedIngest(opened, tape);
    return ingest;
  } catch (error) {
    await opened[Symbol.asyncDispose]();
    throw error;
  }
}

/** A node that follows knows the feed by its watermark only. */
function followedFeed(lagMs: number): FeedReport {
  const state = lagMs < FOLLOWED_DOWN_MS ? 'live' : 'down';
  return { state, reconnects: 0, gapsOpen: 0, gapsClosed: 0, requestsLeft: null };
}

function booksOf({ sessions }: TapeBook): SessionBook[] {
  return Object.values(sessions).map(parseSessionBook);
}

const starting = start();
// The caller of `open` gets the error.
starting.catch(() => undefined);
desk.open({
  calls: {
    open: async () => await (await starting).opened,
    daysHere: async (...days) => await (await starting).daysHere(...days),
    push: async (request) => (await (await starting).pushed?.push(request)) ?? NOT_LEADING,
    pushPosition: async () => (await starting).pushed?.position() ?? null,
  },
  obey: (order) => void starting.then((ingest) => ingest.obey(order)).catch(() => undefined),
  refusalOf: sharedRefusalOf,
  stop: async () => await (await starting).stop(),
});

/**
 * Everything that clients reach: the engines behind their hub, the compute threads, the gateway and the REST interface.
 * REST and streams share one authenticator and the same counters, so a limit holds for both together. Before an
 * endpoint opens, it is known which cursors of earlier computations are no longer valid.
 */

import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { SessionBook } from '@tapeloom/core/calendar/session-book';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { publishedDefinitions } from '@tapeloom/core/studies/catalogue';
import { dayOf } from '@tapeloom/core/utc-day';
import { AccountsBusyError } from '../../accounts/store/thread/accounts-busy-error.ts';
import type { Config } from '../../config/config.ts';
import type { PublicAddress } from '../../config/public-address.ts';
import { EngineCrew, enginesFor } from '../../engine/engine-crew.ts';
import { EngineHandle } from '../../engine/engine-handle.ts';
import type { Gateway } from '../../gateway/connection/gateway.ts';
import { type CatalogueFacts, catalogueFacts } from '../../http/routes/indicators-route.ts';
import type { UnreadAnswers } from '../../http/server/answers/unread-answers.ts';
import type { HttpServer } from '../../http/server/http-server.ts';
import type { Outcome } from '../../http/server/route-handler.ts';
import { FilesMarket } from '../../markets/files-market.ts';
import type { ListedDataset } from '../../markets/instruments/instruments-file.ts';
import { MarketClashError } from '../../markets/joined-listing.ts';
import type { MarketSetting } from '../../markets/market-setting.ts';
import { openMarket } from '../../markets/open-market.ts';
import type { Clock } from '../../platform/clock.ts';
import type { AnsweredRequest } from '../../platform/log/access-log.ts';
import type { Log } from '../../platform/log/log.ts';
import { DoorSockets, type SocketLimits } from '../../platform/network/door-sockets.ts';
import { createClock, letGo } from '../../platform/system-clock.ts';
import type { TopicSpec } from '../../topics/engine-link.ts';
import { STALE_AFTER_MS, type TopicHub } from '../../topics/topic-hub.ts';
import type { NodeServices } from '../cluster/node-services.ts';
import { PortalServices, type PortalServicesOptions } from '../customers/portal-services.ts';
import { CursorEpochs } from '../days/cursor-epochs.ts';
import type { ImportedDatasets } from '../days/imported-datasets.ts';
import { TapeDamage } from '../days/tape-damage.ts';
import { TradingWorld, type TryExample } from '../days/trading-world.ts';
import type { NewestDays } from '../ingest/ingest-wire.ts';
import type { Ingests, TapesOpened } from '../ingest/ingests.ts';
import { WatermarkRequests } from '../ingest/watermark-requests.ts';
import type { HistoryReadings } from '../metrics/service-metrics.ts';
import { watchMemory } from '../watch/memory-watch.ts';
import type { ServingThreads } from '../watch/readiness.ts';
import { HistoryServices } from './history-services.ts';
import { listenPublicly, type PublicPort } from './listen.ts';
import { composeRest, type RestDoor } from './rest-door.ts';
import { composeStream } from './stream-door.ts';

/** Time that a response in progress may take at shutdown. */
const ANSWERED_WITHIN_MS = 250;
/** Time that the end of a request may take after its connection is cut. */
const CHARGED_WITHIN_MS = 1_000;

/** What serving needs of the threads that write the tapes. */
type TapeIngests = Pick<
  Ingests,
  'check' | 'datasets' | 'daysHere' | 'follow' | 'received' | 'relist' | 'timeOf' | 'wantWatermark'
>;

export interface DoorOptions extends PortalServicesOptions {
  readonly config: Config;
  readonly version: string;
  readonly opened: TapesOpened;
  readonly ingests: TapeIngests;
  readonly markets: readonly MarketSetting[];
  readonly imported: ImportedDatasets;
  /** Limits on the connections of the public port, by kind. */
  readonly connections: SocketLimits;
  readonly unread: UnreadAnswers;
  /** State shared with other nodes; omitted for a single process. */
  readonly node?: DoorNode;
}

export interface DoorNode extends Pick<NodeServices, 'isDisputed' | 'tokenSecrets'> {
  /** Whether other nodes are known to have more of the tape than this one. */
  isBehind(): boolean;
}

export interface DoorEvents {
  lastTradeAt(symbol: string): EpochNs | null;
  /** How many reports of last trades have arrived. */
  tradesTold(): number;
  onEngineLost(): void;
  onAnswered(path: string | null, request: AnsweredRequest): void;
  /** A stream that ended, or a connection rejected before it sent a request. */
  onEnded(request: AnsweredRequest): void;
  onOutcome(path: string, outcome: Outcome, bytes: number): void;
}

export class Doors implements AsyncDisposable {
  readonly hub: TopicHub;
  readonly sockets: DoorSockets;
  readonly gateway: Gateway;
  readonly http: HttpServer;
  /** The service's state as this node currently sees it. */
  readonly noted: RestDoor['noted'];
  readonly #config: Config;
  readonly #imported: ImportedDatasets;
  #port: PublicPort | null = null;
  #watching: Disposable | null = null;
  #memory: Disposable | null = null;
  readonly #events: DoorEvents;
  readonly #opened: TapesOpened;
  readonly #clock: Clock;
  /** Real time. */
  readonly #timers: Clock;
  readonly #world: TradingWorld;
  readonly #engines: EngineCrew;
  readonly #past: HistoryServices;
  readonly #catalogue: CatalogueFacts;
  readonly #log: Log;
  readonly #publicAddress: PublicAddress;
  readonly #people: PortalServices;
  readonly #tapeKnown = Promise.withResolvers<void>();
  /** Datasets whose watermark is not known yet, although they have one or will soon. */
  readonly #unknownTapes: Set<string>;
  readonly #ingests: TapeIngests;
  readonly #epochs: CursorEpochs;
  readonly #damage: TapeDamage;
  /** By dataset, the session books of its tape's writer. */
  readonly #liveBooks: Map<string, readonly SessionBook[]>;

  constructor(options: DoorOptions, events: DoorEvents) {
    const { config, log, opened, ingests, accounts } = options;
    const timers = accounts.clock;
    const clock = createClock(opened.clock);
    this.#config = config;
    this.#ingests = ingests;
    this.#imported = options.imported;
    this.sockets = new DoorSockets(options.connections);
    this.#log = log;
    this.#events = events;
    this.#opened = opened;
    this.#clock = clock;
    this.#timers = timers;
    this.#publicAddress = options.publicAddress;
    this.#world = worldOf(options, dayOf(clock.now()));
    this.#liveBooks = booksByDataset(opened);
    this.#unknownTapes = tapesToKnow(opened, ingests.received);
    this.#noteKnown(null);
    this.#catalogue = catalogueFacts(publishedDefinitions());
    this.#engines = this.#startEngines(log, timers);
    const sessions = () => this.#world.tradingSessions;
    const imported = this.#imported.names;
    const { node } = options;
    const shared = node === undefined ? {} : { tokenSecrets: node.tokenSecrets };
    this.#past = new HistoryServices({
      ...{ config, imported, log, timers, ingests, sessions, ...shared },
      onDamaged: (damage) => this.#damage.found(damage),
    });
    const stream = composeStream({
      clock,
      timers,
      accounts,
      sockets: this.sockets,
      trustedProxies: () => options.live().trustedProxies,
      engines: this.#engines.links,
      replays: this.#past.compute,
      staleAfterMs: STALE_AFTER_MS * (config.speed ?? 1),
      epochReset: (spec, cursor) => this.#epochs.resetOf(spec, cursor),
      isBehind: () => node?.isBehind() ?? false,
      onEnded: (stream) => this.#events.onEnded(stream),
      market: {
        book: () => this.#world.book,
        isStreamed: (symbol) => this.#world.isStreamed(symbol),
        fullSessions: (symbol) => this.#world.fullSessions(symbol),
        lastDayOf: (dataset, symbols) => this.#lastDayOf(dataset, symbols),
        isImported: (symbol) => !ingests.datasets.includes(this.#world.datasetOf(symbol) ?? ''),
        datasets: ingests.datasets,
        timeOf: (instrument) => this.#world.timeOf(instrument),
        enter: (dataset, day) => {
          this.#enter(dataset, day);
          this.#sessionsChanged();
          this.#noteKnown(dataset);
        },
      },
      onFault: (error) => {
        // Counted where it was rejected.
        if (!(error instanceof AccountsBusyError)) log.error({ error }, 'a connection failed');
      },
    });
    this.hub = stream.hub;
    this.gateway = stream.gateway;
    this.#epochs = new CursorEpochs({
      directory: config.data,
      log,
      world: this.#world,
      hub: this.hub,
      timers,
      replays: this.#past.compute,
      pastRefreshed: () => this.#past.compute.refreshed(),
      tapeKnown: this.tapeKnown,
      ...(node !== undefined && { isDisputed: (indicator: string) => node.isDisputed(indicator) }),
    });
    this.#damage = this.#watchDamage(options);
    this.#people = new PortalServices(options);
    ({ http: this.http, noted: this.noted } = this.#createRest(options));
  }

  #noteKnown(dataset: string | null): void {
    if (dataset !== null) this.#unknownTapes.delete(dataset);
    if (this.#unknownTapes.size === 0) this.#tapeKnown.resolve();
  }

  /** Null for a live dataset: it has the time of its tape, also where imports repaired days. */
  #lastDayOf(dataset: string, symbols: ReadonlySet<string>): UtcDay | null {
    const isLive = this.#ingests.datasets.includes(dataset);
    return isLive ? null : this.#imported.lastDayOf(dataset, symbols);
  }

  /** Resolves when the engines have reported how far the tapes reach. */
  get tapeKnown(): Promise<void> {
    return this.#tapeKnown.promise;
  }

  get example(): TryExample {
    return this.#world.example;
  }

  get threads(): ServingThreads {
    return { engines: this.#engines.links.length, compute: this.#past.compute.counts.threads };
  }

  async listen(): Promise<string> {
    const { host, port } = this.#config;
    await this.#epochs.open(dayOf(this.#clock.now()));
    await this.#past.open();
    this.#watching = this.#watchImports();
    this.#memory = watchMemory(this.hub, this.#timers);
    await this.http.app.ready();
    this.#port = await listenPublicly(this.http.app.server, host, port, {
      host: 'TAPELOOM_HOST',
      port: 'TAPELOOM_PORT',
    });
    const { address } = this.#port;
    this.#publicAddress.opened(address);
    this.#people.open();
    void this.#past.tidyCache();
    return address;
  }

  /** Starts a clock that was held. */
  letTimeGo(): void {
    letGo(this.#opened.clock);
  }

  relist(listed: readonly ListedDataset[]): void {
    for (const one of listed) {
      if (!this.#ingests.relist(one)) continue;
      this.#world.replaceMarket(new FilesMarket(one, new Map(), new Map()));
      this.#sessionsChanged();
    }
    this.#imported.relist(listed);
  }

  get history(): HistoryReadings {
    return { ...this.#past.readings, damagedDays: () => this.#damage.count };
  }

  /** A past day was added to the tape or removed from it. */
  noteFilled({ symbol, day }: { readonly symbol: string; readonly day: UtcDay }): void {
    this.#damage.sound(symbol, day);
    this.#epochs.noteFilled(symbol, day);
  }

  /** The nodes of a cluster agreed on which cursors are valid. */
  noteSharedEpochs(dataset: string, text: string): void {
    this.#epochs.noteShared(dataset, text);
  }

  /** Days that other nodes of the cluster have and this one is missing. */
  noteMissing(dataset: string, newest: NewestDays): void {
    this.#epochs.noteMissing(dataset, newest);
  }

  /** The files of a day were checked because a thread could not read it. */
  noteChecked(symbol: string, day: UtcDay, isSound: boolean): void {
    this.#damage.checked(symbol, day, isSound);
  }

  /** Whether everything shown is computed with the days on this node. */
  get isComputed(): boolean {
    return this.#epochs.isComputed;
  }

  updateSessions(dataset: string, books: readonly SessionBook[]): void {
    this.#liveBooks.set(dataset, books);
    this.#world.replaceBooks(dataset, this.#imported.withEarlier(dataset, books));
    this.#sessionsChanged();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#people.stopBuilding();
    this.#watching?.[Symbol.dispose]();
    this.#memory?.[Symbol.dispose]();
    await this.gateway[Symbol.asyncDispose]();
    // Responses that are nearly complete may finish. After that time every connection is cut.
    await Promise.race([this.http.idle(), setTimeout(ANSWERED_WITHIN_MS, null, { ref: false })]);
    this.#port?.[Symbol.dispose]();
    await this.http.app.close();
    await this.#people[Symbol.asyncDispose]();
    this.hub[Symbol.dispose]();
    await this.#past[Symbol.asyncDispose]();
    // Computation has stopped. The work for cut connections ends and is charged.
    const isIdle = this.http.idle().then(() => true);
    const isLate = setTimeout(CHARGED_WITHIN_MS, false, { ref: false });
    if (!(await Promise.race([isIdle, isLate]))) this.#log.error('some requests did not end');
    await this.#engines[Symbol.asyncDispose]();
  }

  #watchDamage({ log, opened }: DoorOptions): TapeDamage {
    const check = (symbol: string, day: UtcDay) => {
      // The writer of the tape has other files of a repaired day.
      if (this.#imported.servedDays.get(symbol)?.has(day) === true) return;
      this.#ingests.check(this.#world.datasetOf(symbol), symbol, day);
    };
    const damage = new TapeDamage({
      log,
      missing: [...opened.recoveries.values()].flatMap(({ missing }) => missing),
      tellReaders: (...day) => {
        this.#past.compute.noteDamaged(...day);
        this.hub.noteDamaged(...day);
      },
      epochs: this.#epochs,
      check,
    });
    this.hub.onDayDamaged = (found) => damage.found(found);
    this.hub.onDayChanged = (contract, day) => {
      this.#epochs.noteChanged(contract, day);
      check(contract, day);
    };
    return damage;
  }

  #startEngines(log: Log, timers: Clock): EngineCrew {
    const setup = {
      tapeRoot: join(this.#config.data, 'tape'),
      imported: this.#imported.names,
    };
    return new EngineCrew(
      {
        count: enginesFor(availableParallelism()),
        timers,
        start: (index, sessions, onGone) => {
          const tapePorts = this.#ingests.follow();
          const onFault = (error: unknown, spec: TopicSpec | null) => {
            if (spec === null) onGone(error);
            else log.error({ error, spec }, 'a stream failed');
          };
          return new EngineHandle({ ...setup, index, tapePorts, sessions, onFault });
        },
        onReplaced: (index, engine) => this.hub.replace(index, engine),
        onGone: (engine, error, isGivenUp) => {
          if (!isGivenUp)
            return log.error({ error, engine }, 'an engine has stopped; a new one starts');
          log.fatal({ error, engine }, 'an engine has stopped; existing data is still served');
          this.#events.onEngineLost();
        },
      },
      this.#world.tradingSessions,
    );
  }

  /** If a name becomes ambiguous, the operator must resolve it. Until then the old listing stays. */
  #enter(dataset: string, day: UtcDay): void {
    try {
      this.#world.enter(dataset, day);
    } catch (error) {
      if (!(error instanceof MarketClashError)) throw error;
      this.#log.error({ error }, 'the listed instruments contradict each other from today on');
    }
  }

  #watchImports(): Disposable {
    return this.#imported.watch(this.#timers, {
      changed: async ({ dataset, market, books, days }) => {
        const live = this.#liveBooks.get(dataset);
        if (market !== null) {
          this.#world.replaceMarket(market);
          this.#world.replaceBooks(dataset, books);
          this.#sessionsChanged();
        } else if (live !== undefined) this.updateSessions(dataset, live);
        const changed = [...days].flatMap(([contract, of]) => of.map((day) => ({ contract, day })));
        // The day that could not be read may be one that was repaired.
        if (market === null)
          for (const { contract, day } of changed) this.#damage.sound(contract, day);
        if (changed.length > 0) this.#past.compute.refresh(dataset, changed);
        const isOver = await this.#epochs.noteImported(days);
        this.gateway.lookAtNames();
        return isOver;
      },
      onFault: (error, dataset) => {
        this.#log.error({ error, dataset }, 'the imported days cannot be read');
      },
    });
  }

  #sessionsChanged(): void {
    const sessions = this.#world.tradingSessions;
    this.#engines.updateSessions(sessions);
    this.#past.compute.updateSessions(sessions);
  }

  #createRest(options: DoorOptions): RestDoor {
    const { config, version, log, accounts, mailer, unread } = options;
    const { sockets, hub } = this;
    const { onAnswered, onEnded: onRefused, onOutcome, lastTradeAt, tradesTold } = this.#events;
    const world = this.#world;
    const origin = () => this.#publicAddress.origin;
    const ingests = this.#ingests;
    const watermarks = new WatermarkRequests(this.#timers, (dataset) => {
      ingests.wantWatermark(dataset);
      hub.wantWatermark(dataset, this.#clock.now());
    });
    return composeRest({
      ...this.#people.parts,
      ...{ version, log, accounts, mailer, sockets, unread, onAnswered, onOutcome, origin },
      onRefused,
      trustedProxies: () => options.live().trustedProxies,
      docsUrl: () => config.docsUrl ?? `${origin()}/docs`,
      onUpgrade: (request, socket, head) => this.gateway.handleUpgrade(request, socket, head),
      catalogue: () => this.#catalogue,
      serviceClock: this.#clock,
      past: () => this.#past.parts,
      tapeDays: this.#past.compute,
      market: {
        book: () => world.book,
        isStreamed: (symbol) => world.isStreamed(symbol),
        servedDays: () => this.#imported.servedDays,
        fullSessions: (symbol) => world.fullSessions(symbol),
        timeZoneOf: (symbol, date) => world.timeZoneOf(symbol, date),
        lastTradeAt,
        revision: () => world.revision + tradesTold() + hub.sourceChanges,
        engineState: () => hub.state,
        isSourceUp: (instrument) => hub.state === 'up' && hub.isSourceUp(instrument),
        isFed: (instrument) => hub.isFed(instrument),
        tapeTime: (instrument) => hub.tapeTimeOf(instrument),
        tapeDay: (instrument) => hub.tapeDayOf(instrument),
        requestWatermark: (instrument) => watermarks.request(world.timeOf(instrument)),
        ...(options.node !== undefined && {
          isBehind: () => options.node!.isBehind(),
          daysHere: (contract: string, first: UtcDay, last: UtcDay) =>
            ingests.daysHere(world.datasetOf(contract), contract, first, last),
        }),
      },
    });
  }
}

function worldOf({ markets, imported, ingests, opened }: DoorOptions, day: UtcDay): TradingWorld {
  return new TradingWorld({
    markets: [...markets.map(openMarket), ...imported.markets],
    day,
    timeOf: (dataset) => ingests.timeOf(dataset),
    books: [...withEarlierSessions(opened.books, imported), ...imported.books],
  });
}

function booksByDataset({ books }: TapesOpened): Map<string, readonly SessionBook[]> {
  const byDataset = Map.groupBy(books, ({ dataset }) => dataset);
  return new Map(
    Array.from(byDataset, ([dataset, of]) => [dataset, of.map(({ book }) => book)] as const),
  );
}

function withEarlierSessions(
  books: TapesOpened['books'],
  imported: ImportedDatasets,
): TapesOpened['books'] {
  return books.flatMap(({ dataset, book }) =>
    imported.withEarlier(dataset, [book]).map((joined) => ({ dataset, book: joined })),
  );
}

/** An empty tape that waits for trades from elsewhere may stay empty. */
function tapesToKnow({ recoveries }: TapesOpened, received: readonly string[]): Set<string> {
  const known = [...recoveries].filter(([dataset, { promise }]) => {
    return promise !== null || !received.includes(dataset);
  });
  return new Set(known.map(([dataset]) => dataset));
}

/**
 * Everything customers meet: the engines behind their hub, the compute threads, the gateway and the REST
 * interface. Both doors ask the same authenticator and the same counters, so what one refuses the other
 * does not give. Before a door opens it is known which cursors of earlier computations are worthless.
 */

import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { MessageChannel } from 'node:worker_threads';
import type { Cursor } from '@tapeloom/core/cursor';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { INDICATORS, indicatorNamed, publishedDefinitions } from '@tapeloom/core/studies/catalogue';
import { computationOf } from '@tapeloom/core/studies/computation';
import { dayOf } from '@tapeloom/core/utc-day';
import type { ResetReason } from '@tapeloom/protocol/server-messages';
import type { AccountServices } from './account-services.ts';
import { AccountsBusyError } from './accounts/accounts-busy-error.ts';
import { openNow } from './accounts/open-now.ts';
import type { OfferBook } from './billing/offer-book.ts';
import type { BillingServices } from './billing-services.ts';
import type { Config } from './config/config.ts';
import type { PublicAddress } from './config/public-address.ts';
import { DueDeletions } from './due-deletions.ts';
import { EngineCrew, enginesFor } from './engine/engine-crew.ts';
import { EngineHandle } from './engine/engine-handle.ts';
import { ExportPace } from './exports/export-pace.ts';
import { ExportSecretError, exportSecret } from './exports/export-secret.ts';
import { ExportTokens } from './exports/export-token.ts';
import { TableThread } from './exports/table-thread.ts';
import { createGateway, type Gateway } from './gateway/gateway.ts';
import { createResolver } from './gateway/stream-request.ts';
import { AWAITED_LIMITS } from './history/awaited-cursors.ts';
import { removeUnfinished } from './history/cache-entries.ts';
import { CacheSize } from './history/cache-size.ts';
import { ComputeCounters } from './history/compute-counters.ts';
import { startComputeThread } from './history/compute-handle.ts';
import { ComputePool, computeThreadsFor } from './history/compute-pool.ts';
import { SessionTables } from './history/session-tables.ts';
import type { ExportFacts } from './http/export-route.ts';
import { createHttpServer, type HttpServer } from './http/http-server.ts';
import { type CatalogueFacts, catalogueFacts } from './http/indicators-route.ts';
import type { InstrumentFacts } from './http/instrument-view.ts';
import type { PortalFacts } from './http/portal/portal-facts.ts';
import { restRoutes } from './http/rest-routes.ts';
import type { Outcome } from './http/route-handler.ts';
import type { UnreadAnswers } from './http/unread-answers.ts';
import type { IngestHandle } from './ingest-handle.ts';
import type { IngestOpened } from './ingest-wire.ts';
import { listen } from './listen.ts';
import type { Mailer } from './mail/mailer.ts';
import { OperatorPages } from './pages/operator-pages.ts';
import type { PageRoute } from './pages/page-route.ts';
import { Pages } from './pages/pages.ts';
import type { Portal } from './pages/portal.ts';
import type { Clock } from './platform/clock.ts';
import { DoorSockets, type SocketLimits } from './platform/door-sockets.ts';
import type { Log } from './platform/log.ts';
import { NodeDisk } from './platform/node-disk.ts';
import { Patience } from './platform/patience.ts';
import { PatientDisk } from './platform/patient-disk.ts';
import { SharedPlaces } from './platform/shared-places.ts';
import { createClock } from './platform/system-clock.ts';
import type { ServingThreads } from './readiness.ts';
import type { HistoryReadings } from './service-metrics.ts';
import { SIM_DATASET } from './sources/sim-universe.ts';
import { StartRefusedError } from './start-refused-error.ts';
import { tapeEnds } from './tape-ends.ts';
import { dayMatters, type StreamSessions, TapeRepairs } from './tape-repairs.ts';
import type { TopicSpec } from './topics/engine-link.ts';
import { brokenBy } from './topics/epoch-floors.ts';
import { EpochStore } from './topics/epoch-store.ts';
import { STALE_AFTER_MS, TopicHub } from './topics/topic-hub.ts';
import { TradingWorld } from './trading-world.ts';

/** What an answer may take that is under way at the end. */
const ANSWERED_WITHIN_MS = 250;
/** What the end of a request may take once its connection is cut. */
const CHARGED_WITHIN_MS = 1_000;

export interface DoorOptions {
  readonly config: Config;
  /** Learns which port was opened. */
  readonly publicAddress: PublicAddress;
  readonly mailer: Mailer;
  readonly version: string;
  readonly log: Log;
  readonly opened: IngestOpened;
  readonly ingest: IngestHandle;
  readonly accounts: AccountServices;
  /** How many connections the public port may hold, and of what kinds. */
  readonly connections: SocketLimits;
  readonly unread: UnreadAnswers;
  /** What is sold. */
  readonly offers: OfferBook;
  /** Pages that belong to payment providers; left out: none. */
  readonly providerPages?: readonly PageRoute[];
  /** What the operator says of himself; left out: nothing. */
  readonly operatorPages?: OperatorPages;
  /** Left out: nobody buys. */
  readonly billing?: Pick<BillingServices, 'billing' | 'payments'>;
  /** What is served at `/`; left out: nothing. */
  readonly portal?: Portal;
}

export interface DoorEvents {
  lastTradeAt(symbol: string): EpochNs | null;
  onEngineLost(): void;
  onAnswered(path: string | null, status: number, seconds: number): void;
  onOutcome(path: string, outcome: Outcome, bytes: number): void;
}

export class Doors implements AsyncDisposable {
  readonly hub: TopicHub;
  readonly sockets: DoorSockets;
  readonly gateway: Gateway;
  readonly http: HttpServer;
  readonly #config: Config;
  readonly #events: DoorEvents;
  readonly #clock: Clock;
  readonly #world: TradingWorld;
  readonly #engines: EngineCrew;
  readonly #compute: ComputePool;
  readonly #computeCounters = new ComputeCounters();
  readonly #cacheSize: CacheSize;
  readonly #tables: TableThread;
  readonly #pace = new ExportPace();
  readonly #catalogue: CatalogueFacts;
  readonly #awaited = new SharedPlaces(AWAITED_LIMITS);
  readonly #log: Log;
  readonly #publicAddress: PublicAddress;
  readonly #portal: Portal | null;
  readonly #providerPages: readonly PageRoute[];
  readonly #mailer: Mailer;
  readonly #deletions: DueDeletions;
  readonly #tapeKnown = Promise.withResolvers<void>();
  readonly #repairs: TapeRepairs;
  readonly #epochsOpen = Promise.withResolvers<EpochStore>();
  /** Whether no cursor was issued before this process began. */
  #isFirstStart = false;
  /** Null until the doors open. */
  #epochs: EpochStore | null = null;
  #exportTokens: ExportTokens | null = null;

  constructor(options: DoorOptions, events: DoorEvents) {
    const { config, log, opened, ingest, accounts } = options;
    const timers = accounts.clock;
    const clock = createClock(opened.clock);
    this.#config = config;
    this.sockets = new DoorSockets(options.connections);
    this.#log = log;
    this.#events = events;
    this.#clock = clock;
    this.#publicAddress = options.publicAddress;
    this.#portal = options.portal ?? null;
    this.#providerPages = options.providerPages ?? [];
    this.#mailer = options.mailer;
    this.#world = new TradingWorld(
      { seed: config.simSeed, printsScale: config.simScale },
      dayOf(clock.now()),
      opened.books,
    );
    this.#catalogue = catalogueFacts(publishedDefinitions());
    this.#engines = this.#startEngines(ingest, log, timers);
    this.#cacheSize = new CacheSize({
      disk: new NodeDisk(),
      root: this.#cacheRoot,
      now: () => performance.now(),
      onFault: (error) => log.warn({ error }, 'the cache could not be looked through'),
    });
    this.#compute = this.#startCompute(ingest);
    this.#tables = new TableThread({
      onFault: (error) => log.error({ error }, 'a table of an export failed'),
    });
    this.hub = new TopicHub({
      clock,
      timers,
      fullSessions: (symbol) => this.#world.fullSessions(symbol),
      staleAfterMs: STALE_AFTER_MS * (config.speed ?? 1),
    });
    this.#repairs = this.#createRepairs();
    // Before the gateway's own listener: at midnight it asks for what the new day's aliases mean.
    this.hub.onTapeDay((day) => {
      this.#world.enter(day);
      this.#sessionsChanged();
      this.#tapeKnown.resolve();
    });
    this.hub.connect(this.#engines.links);
    this.gateway = createGateway({
      hub: this.hub,
      authenticator: accounts.authenticator,
      doorkeeper: accounts.doorkeeper,
      sockets: this.sockets,
      leases: accounts.leases,
      budgets: accounts.store,
      replays: this.#compute,
      noteKeyUse: (keyId) => accounts.meter.noteKeyUse(keyId),
      trustedProxies: config.trustedProxies,
      clock,
      timers,
      resolve: createResolver({
        book: () => this.#world.book,
        isStreamed: (symbol) => this.#world.isStreamed(symbol),
        epochReset: (spec, cursor) => this.#epochReset(spec, cursor),
      }),
      onFault: (error) => {
        // Counted where it was refused.
        if (!(error instanceof AccountsBusyError)) log.error({ error }, 'a connection failed');
      },
    });
    this.#deletions = this.#createDeletions(options);
    this.http = this.#createHttp(options);
  }

  /** Resolves when the engines have told how far the tape has come: before, history is refused. */
  get tapeKnown(): Promise<void> {
    return this.#tapeKnown.promise;
  }

  /** The threads that customers are served by. */
  get threads(): ServingThreads {
    return { engines: this.#engines.links.length, compute: this.#compute.counts.threads };
  }

  /** The address of the public port. */
  async listen(): Promise<string> {
    const { host, port } = this.#config;
    this.#epochs = await this.#openEpochs();
    this.#epochsOpen.resolve(this.#epochs);
    this.#exportTokens = new ExportTokens({ secret: await this.#exportSecret() });
    await this.http.app.ready();
    const address = await listen(this.http.app.server, host, port, 'TAPELOOM_PORT');
    this.#publicAddress.opened(address);
    void this.#portal?.open(this.#publicAddress.origin);
    void this.#tidyCache();
    return address;
  }

  /** What can be watched of history. */
  get history(): HistoryReadings {
    return {
      compute: () => this.#compute.counts,
      tablesOpen: () => this.#tables.openCount,
      refused: () => ({
        cursors: this.#awaited.refusedCount,
        tables: this.#tables.refusedCount,
        bytes: this.#pace.refusedCount,
      }),
      pace: this.#pace,
      counters: this.#computeCounters,
      cacheBytes: () => this.#cacheSize.bytes,
      cacheBytesMax: this.#config.cacheBytes,
    };
  }

  /** A day was sealed that the tape had passed over. */
  noteFilled({ symbol, day }: { readonly symbol: string; readonly day: UtcDay }): void {
    this.#repairs.noteFilled(symbol, day);
  }

  updateSessions(books: IngestOpened['books']): void {
    this.#world.replaceBooks(books);
    this.#sessionsChanged();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#portal?.[Symbol.dispose]();
    await this.gateway[Symbol.asyncDispose]();
    // What is nearly done may end; nobody is waited for longer, and every connection is cut.
    await Promise.race([this.http.idle(), setTimeout(ANSWERED_WITHIN_MS, null, { ref: false })]);
    await this.http.app.close();
    await this.#deletions[Symbol.asyncDispose]();
    this.hub[Symbol.dispose]();
    await this.#compute[Symbol.asyncDispose]();
    await this.#tables[Symbol.asyncDispose]();
    // Nothing is computed any more: what was done for those who were cut off ends, and is charged.
    const isIdle = this.http.idle().then(() => true);
    const isLate = setTimeout(CHARGED_WITHIN_MS, false, { ref: false });
    if (!(await Promise.race([isIdle, isLate]))) this.#log.error('some requests did not end');
    await this.#engines[Symbol.asyncDispose]();
  }

  #startEngines(ingest: IngestHandle, log: Log, timers: Clock): EngineCrew {
    const setup = { tapeRoot: join(this.#config.data, 'tape'), dataset: SIM_DATASET };
    return new EngineCrew(
      {
        count: enginesFor(availableParallelism()),
        timers,
        start: (index, sessions, onGone) => {
          const { port1, port2 } = new MessageChannel();
          ingest.follow(port1);
          const onFault = (error: unknown, spec: TopicSpec | null) => {
            if (spec === null) onGone(error);
            else log.error({ error, spec }, 'a stream failed');
          };
          return new EngineHandle({ ...setup, index, tapePort: port2, sessions, onFault });
        },
        onReplaced: (index, engine) => this.hub.replace(index, engine),
        onGone: (engine, error, isGivenUp) => {
          if (!isGivenUp)
            return log.error({ error, engine }, 'an engine has stopped; another follows');
          log.fatal({ error, engine }, 'an engine has stopped; what is there is still served');
          this.#events.onEngineLost();
        },
      },
      this.#world.engineSessions,
    );
  }

  #startCompute(ingest: IngestHandle): ComputePool {
    const { data, cacheBytes } = this.#config;
    return new ComputePool({
      threads: computeThreadsFor(availableParallelism()),
      startThread: () => {
        const { port1, port2 } = new MessageChannel();
        ingest.follow(port1);
        return startComputeThread({
          tapePort: port2,
          tapeRoot: join(data, 'tape'),
          dataset: SIM_DATASET,
          sessions: this.#world.engineSessions,
          cache: cacheBytes === 0 ? null : { root: this.#cacheRoot, bytesMax: cacheBytes },
          counts: this.#computeCounters.addThread(),
        });
      },
      onFault: (error, request) => {
        if (request !== null) this.#log.error({ error, request }, 'a computation failed');
        else this.#log.error({ error }, 'a compute thread has stopped; another follows');
      },
    });
  }

  get #cacheRoot(): string {
    return join(this.#config.data, 'cache');
  }

  /** What a process that died left behind goes. */
  async #tidyCache(): Promise<void> {
    try {
      const removed = await removeUnfinished(new NodeDisk(), this.#cacheRoot);
      if (removed > 0) this.#log.info({ removed }, 'unfinished results of the cache were removed');
      await this.#cacheSize.look();
    } catch (error) {
      this.#log.warn({ error }, 'the cache could not be tidied');
    }
  }

  #sessionsChanged(): void {
    const sessions = this.#world.engineSessions;
    this.#engines.updateSessions(sessions);
    this.#compute.updateSessions(sessions);
  }

  async #exportSecret(): Promise<Uint8Array> {
    try {
      return await exportSecret(this.#config.data, (what) => this.#log.warn(what));
    } catch (error) {
      if (!(error instanceof ExportSecretError)) throw error;
      throw new StartRefusedError(error.message, { cause: error });
    }
  }

  /** Why a cursor of a stream is no longer good, if it is not. */
  #epochReset(spec: TopicSpec, cursor: Cursor): ResetReason | null {
    const matters = (day: UtcDay) => dayMatters(this.#sessionsOf(spec), cursor, day);
    if (this.#repairs.underWay(spec.contract).some(matters)) return 'source_gap';
    return brokenBy(this.#epochs?.epochs.floors ?? [], spec, cursor, matters);
  }

  #sessionsOf({ contract, indicator: id, params }: TopicSpec): StreamSessions {
    const indicator = indicatorNamed(id)!;
    const tables = new SessionTables(this.#world.engineSessions);
    const sessions = tables.of(contract, indicator.sessionKind(params));
    return { sessions, lookBack: indicator.lookBackSessionsMax(params) };
  }

  #createRepairs(): TapeRepairs {
    return new TapeRepairs({
      computeAnew: (contract) => this.hub.repair(contract),
      epochs: this.#epochsOpen.promise,
      mayHaveCursors: (symbol) => !this.#isFirstStart || this.hub.hasServed(symbol),
      onFault: (error) => this.#log.error({ error }, 'a repair of the tape could not be recorded'),
    });
  }

  async #openEpochs(): Promise<EpochStore> {
    const day = dayOf(this.#clock.now());
    const contracts = Object.keys(this.#world.engineSessions.calendars);
    const patience = new Patience({
      clock: createClock({ kind: 'system' }),
      onWait: (error) => this.#log.warn({ error }, 'the record of epochs waits for the machine'),
    });
    const store = await EpochStore.open({
      disk: new PatientDisk(new NodeDisk(), patience),
      directory: this.#config.data,
      computations: Object.fromEntries(INDICATORS.map((it) => [it.id, computationOf(it)])),
      tapeEnds: () => tapeEnds(this.#compute, contracts, day),
    });
    const { start } = store;
    this.#isFirstStart = start.t === 'first';
    if (start.t === 'changed') {
      const { indicators } = start;
      this.#log.info({ indicators }, 'indicators have a new version: their older cursors end');
    }
    if (start.t === 'unreadable') this.#log.warn('the record of epochs was damaged: cursors end');
    return store;
  }

  #createHttp(options: DoorOptions): HttpServer {
    const { config, version, log, accounts, unread, offers, billing } = options;
    const catalogue = this.#catalogue;
    const operatorPages = options.operatorPages ?? new OperatorPages();
    return createHttpServer({
      authenticator: accounts.authenticator,
      doorkeeper: accounts.doorkeeper,
      sockets: this.sockets,
      allowances: accounts.allowances,
      addresses: accounts.addresses,
      clock: accounts.clock,
      trustedProxies: config.trustedProxies,
      unread,
      log,
      portal: {
        sessions: accounts.sessions,
        store: accounts.store,
        origin: () => this.#publicAddress.origin,
      },
      docsUrl: () => config.docsUrl ?? `${this.#publicAddress.origin}/docs`,
      onUpgrade: (request, socket, head) => this.gateway.handleUpgrade(request, socket, head),
      meter: accounts.meter,
      onAnswered: this.#events.onAnswered,
      onOutcome: this.#events.onOutcome,
      ...this.#pages(),
      routes: restRoutes({
        version,
        publicOrigin: () => this.#publicAddress.origin,
        catalogue: () => catalogue,
        engineState: () => this.hub.state,
        instruments: () => this.#instrumentFacts(),
        store: () => accounts.store,
        usageOf: (...of) => accounts.meter.usageOf(...of),
        openNow: (now, accountId) => openNow(accounts.leases, now, accountId),
        history: () => this.#historyFacts(accounts),
        portal: () => this.#portalFacts(accounts),
        offers: () => offers,
        operatorPages: () => operatorPages,
        billing: () => billing!.billing,
        payments: () => billing!.payments,
        addresses: accounts.addresses,
      }),
    });
  }

  #pages(): { readonly pages?: Pages } {
    const portal = this.#portal;
    if (portal === null) return {};
    const publicUrl = () => this.#publicAddress.origin;
    return { pages: new Pages({ portal, routes: this.#providerPages, publicUrl }) };
  }

  #createDeletions({ accounts, billing }: DoorOptions): DueDeletions {
    const { store, clock } = accounts;
    return new DueDeletions({
      store,
      clock,
      mailer: this.#mailer,
      // Without billing there is nothing to end.
      beforeDeletion: async (accountId) => billing?.billing.beforeDeletion(accountId),
      onFault: (error, accountId) => {
        this.#log.error({ error, accountId }, 'an account could not be deleted yet');
      },
    });
  }

  #portalFacts({ store, doorkeeper, allowances }: AccountServices): PortalFacts {
    const mailer = this.#mailer;
    return { store, doorkeeper, allowances, mailer, origin: this.#publicAddress.origin };
  }

  #historyFacts({ store, clock }: AccountServices): ExportFacts {
    return {
      tokens: this.#exportTokens!,
      tables: this.#tables,
      pace: this.#pace,
      book: () => this.#world.book,
      isStreamed: (symbol) => this.#world.isStreamed(symbol),
      now: () => this.#clock.now(),
      tapeTime: () => this.hub.tapeTime,
      pause: (ms) => setTimeout(ms),
      awaited: this.#awaited,
      sources: { days: this.#compute, replays: this.#compute },
      engineFingerprint: this.#catalogue.engineFingerprint,
      budgets: store,
      requests: store,
      accountsNow: () => clock.now(),
    };
  }

  #instrumentFacts(): InstrumentFacts {
    const now = this.#clock.now();
    return {
      book: this.#world.book,
      now,
      day: this.hub.tapeDay ?? dayOf(now),
      isSourceUp: this.hub.state === 'up',
      isStreamed: (symbol) => this.#world.isStreamed(symbol),
      fullSessions: (symbol) => this.#world.fullSessions(symbol),
      lastTradeAt: (symbol) => this.#events.lastTradeAt(symbol),
    };
  }
}

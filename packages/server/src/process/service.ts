/**
 * The running service. It composes the ingest thread and, on a node that serves clients, the public endpoints, and owns
 * their lifetime. Public endpoints open once the tape is open. Until the source has caught up, streams warm up and
 * `notReadyBecause` gives the reason. If trades can no longer be ingested or computed, existing data is still served.
 */

import type { Server } from 'node:http';
import { join } from 'node:path';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { OffTickPrice } from '@tapeloom/protocol/push';
import type { ClusterConfig } from '../config/cluster-settings.ts';
import { announcedAddress } from '../config/internal-address.ts';
import { addressHere } from '../config/public-address.ts';
import type { PushLeader } from '../http/push/push-desk.ts';
import type { PushRoutes } from '../http/push/push-routes.ts';
import { UnreadAnswers } from '../http/server/answers/unread-answers.ts';
import { createInternalServer } from '../http/server/internal-server.ts';
import type { ListedDataset } from '../markets/instruments/instruments-file.ts';
import { type MarketSettings, pushedDatasets, relisted } from '../markets/read-markets.ts';
import { nodeReport } from '../operations/cluster/node-report.ts';
import { readServiceMarkets } from '../operations/start/service-markets.ts';
import { waitForDisk } from '../platform/disk/disk-again.ts';
import { diskFault, mayPass } from '../platform/disk/disk-fault.ts';
import { NodeDisk } from '../platform/disk/node-disk.ts';
import { createClock, THIS_MACHINE } from '../platform/system-clock.ts';
import { isBehindOthers } from './cluster/behind-others.ts';
import { nodeReadings } from './cluster/node-readings.ts';
import type { NodeServices } from './cluster/node-services.ts';
import { pushLeader } from './cluster/push-leader.ts';
import { tapeSpread } from './cluster/tape-spread.ts';
import type { FirstKeys } from './customers/demo-account.ts';
import type { Doors } from './doors/doors.ts';
import { listen } from './doors/listen.ts';
import type { IngestNews } from './ingest/ingest-handle.ts';
import type { IngestReport, SharedTapeSetting } from './ingest/ingest-wire.ts';
import { Ingests } from './ingest/ingests.ts';
import { type TapeState, TapeStates } from './ingest/tape-states.ts';
import { LateMetrics } from './metrics/late-metrics.ts';
import type { Reloadable } from './reloadable.ts';
import type { ServiceOptions } from './service-options.ts';
import { Serving, type ServingAddresses } from './serving.ts';
import { tellOldDays, tellRecovery } from './tell-recovery.ts';
import { tellFeed } from './watch/feed-news.ts';
import { Pulse } from './watch/pulse.ts';
import { Readiness } from './watch/readiness.ts';
import { watchClock } from './watch/watch-clock.ts';
import { watchSpace } from './watch/watch-space.ts';

const OFF_TICK =
  'a price is between two ticks: nothing of its batch was taken, and the contract is down; list a contract with a finer tick under the same alias (docs/operating/push.md)';
const CONTRACT_DOWN =
  'the trades of this contract are not taken; the others go on (docs/operating/feeds.md)';
const APPENDS = 'this node appends to the tape of its cluster from now on';
const APPENDS_NO_MORE = 'this node no longer appends to the tape of its cluster';
/** Delay after the start until the metrics are loaded, unless they are scraped before. */
const LATER_MS = 1_000;
/** Time over which a leaving node sends its clients to other nodes. */
const SEND_AWAY_MS = 5_000;
/** Connections of the internal server, out of the open files that the service reserves for itself. */
const INTERNAL_CONNECTIONS_MAX = 32;

export interface ServiceAddresses extends ServingAddresses {
  readonly internal: string;
  /** Where a developer reads mails. Null if mails are really sent, or if others can reach the service. */
  readonly mailbox: string | null;
}

/**
 * Why a process ends without a signal: the node was asked to leave, another process has taken its identity, or the disk
 * accepts writes again after a failed tape write, which only a restart may trust.
 */
export type LeaveReason = 'drained' | 'displaced' | 'disk';

export class Service implements AsyncDisposable {
  readonly #options: ServiceOptions;
  #markets: MarketSettings;
  readonly #metrics: LateMetrics;
  readonly #watches = new DisposableStack();
  readonly #readiness: Readiness;
  readonly #internal: Server;
  /** Unread responses of the public and the internal port. */
  readonly #unread = new UnreadAnswers(createClock({ kind: 'system' }));
  readonly #ingests: Ingests;
  readonly #tapes: TapeStates;
  readonly #caughtUp = Promise.withResolvers<void>();
  readonly #live = Promise.withResolvers<void>();
  readonly #lastTrades = new Map<string, EpochNs>();
  #tradesTold = 0;
  readonly #pulse = new Pulse(THIS_MACHINE.monotonicNs);
  /** Why streams are not served while the service starts or stops; null while it is up. */
  #phase: string | null = 'the tape is being opened';
  #isStopping = false;
  /** The first component that is gone for good. */
  #lost: string | null = null;
  /** State shared with other nodes; null for a single process. */
  readonly #node: NodeServices | null;
  readonly #leaving = Promise.withResolvers<LeaveReason>();
  readonly #serving: Serving | null;
  /** Null without a dataset whose trades are pushed. */
  #push: PushRoutes | null = null;
  #internalAddress = '';
  /** Where other machines reach it; null: not open yet, or unknown. */
  #internalUrl: string | null = null;
  #addresses: ServiceAddresses | null = null;

  private constructor(options: ServiceOptions, markets: MarketSettings, node: NodeServices | null) {
    const { config, log } = options;
    this.#options = options;
    this.#node = node;
    this.#markets = markets;
    this.#metrics = new LateMetrics(options.logLinesLeftOut);
    this.#readiness = new Readiness({
      clock: createClock({ kind: 'system' }),
      facts: () => ({
        lost: this.#lost,
        accounts: this.#serving?.accounts?.notReadyBecause ?? null,
        phase: this.#phase,
        isPaused: this.#tapes.isPaused,
        isShared: node !== null,
        takesNobody: this.#serving === null ? null : (node?.register.cannotTakeBecause ?? null),
        threads: this.#serving?.doors?.threads ?? null,
      }),
    });
    this.#internal = createInternalServer({
      registry: () => this.#metrics.registry(),
      notReadyBecause: () => this.#readiness.reason,
      topics: () => this.#serving?.doors?.hub.topics() ?? [],
      mailbox: (request) => this.#serving?.mail?.answer(request) ?? null,
      push: { handle: (...exchange) => this.#push?.handle(...exchange) ?? false },
      onFault: (error) => log.error({ error }, 'metrics failed'),
    });
    this.#internal.maxConnections = INTERNAL_CONNECTIONS_MAX;
    this.#unread.watch(this.#internal);
    this.#metrics.tell((it) => it.watchAnswers(this.#unread));
    this.#ingests = new Ingests(
      markets.live,
      {
        tapeRoot: join(config.data, 'tape'),
        speed: config.speed,
        keepDays: config.keepDays,
        ...(node === null ? {} : { shared: sharedTape(config.cluster!, node) }),
      },
      {
        hear: (dataset, message) => this.#hear(dataset, message),
        down: (dataset, error) => this.#ingestDown(dataset, error),
      },
    );
    this.#tapes = new TapeStates(this.#ingests.datasets);
    this.#serving = config.cluster?.roles.serve === false ? null : this.#serve(options, markets);
  }

  /** Opens the tape and the endpoints. If that fails, it closes everything again and rejects. */
  static async start(options: ServiceOptions): Promise<Service> {
    const markets = await readServiceMarkets(options);
    const node = await openNode(options);
    const service = new Service(options, markets, node);
    try {
      await service.#open();
      return service;
    } catch (error) {
      await service[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Null on a node that only ingests trades: it has no public endpoints. */
  get addresses(): ServiceAddresses | null {
    return this.#addresses;
  }

  get internalAddress(): string {
    return this.#internalAddress;
  }

  /** Resolves when all data up to the present can be requested; rejects if that will never be possible. */
  get live(): Promise<void> {
    return this.#live.promise;
  }

  get streams(): Pick<Doors, 'hub' | 'gateway' | 'letTimeGo' | 'example'> | null {
    return this.#serving?.doors ?? null;
  }

  /** The keys of the first account, returned once; null if the account database is unavailable. */
  async firstKeys(): Promise<FirstKeys | null> {
    try {
      return await this.#serving!.accounts!.firstKeys();
    } catch (error) {
      this.#options.log.error({ error }, 'the first account could not be created');
      return null;
    }
  }

  /** Whether the threads make progress. If false, only a restart helps. */
  get isAlive(): boolean {
    return this.#isStopping || this.#tapes.isDown || this.#pulse.isBeating;
  }

  get markets(): MarketSettings {
    return this.#markets;
  }

  /** Applies new settings. If `listed` is null, the instruments stay as they are. */
  async reload(next: Reloadable, listed: readonly ListedDataset[] | null): Promise<void> {
    if (listed !== null) this.#markets = relisted(this.#markets, listed);
    await this.#serving?.reload(next, listed);
  }

  countReload(outcome: 'applied' | 'refused'): void {
    this.#metrics.tell((it) => it.countReload(outcome));
  }

  /** A link that signs in to the account of a replay and opens its chart; null if that failed. */
  async chartLink(): Promise<string | null> {
    try {
      return await this.#serving!.accounts!.replayLink(this.#addresses!.portal);
    } catch (error) {
      this.#options.log.error({ error }, 'the link to the chart could not be created');
      return null;
    }
  }

  /** Resolves when the process has to end although no signal was received. */
  get leaving(): Promise<LeaveReason> {
    return this.#leaving.promise;
  }

  /** Drains clients, stops the ingest, closes. Resolves to whether everything closed cleanly in time. */
  async stop(): Promise<boolean> {
    this.#isStopping = true;
    this.#phase = 'the service is stopping';
    if (this.#node !== null) await this.#leaveCluster(this.#node);
    this.#serving?.doors?.http.stopAccepting();
    const [isClean] = await Promise.all([
      this.#ingests.stop(),
      this.#serving?.doors?.gateway.drain(),
    ]);
    await this[Symbol.asyncDispose]();
    return isClean;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#internal.closeAllConnections();
    this.#internal.close();
    this.#readiness[Symbol.dispose]();
    this.#watches.dispose();
    await this.#serving?.[Symbol.asyncDispose]();
    await this.#ingests[Symbol.asyncDispose]();
    await this.#node?.[Symbol.asyncDispose]();
  }

  /** Clients move to other nodes gradually, while the tape still grows here for the remaining ones. */
  async #leaveCluster(node: NodeServices): Promise<void> {
    await node.sayLeaving();
    await this.#serving?.doors?.gateway.drain(SEND_AWAY_MS);
  }

  #serve(options: ServiceOptions, markets: MarketSettings): Serving {
    const isBehind = () =>
      Object.values(this.#tapes.shared).some((tape) => isBehindOthers(tape, this.#tapes.isDown));
    return new Serving({
      ...options,
      markets,
      ingests: this.#ingests,
      unread: this.#unread,
      metrics: this.#metrics,
      ...(this.#node === null ? {} : { node: this.#node, isBehind }),
      events: {
        lastTradeAt: (symbol) => this.#lastTrades.get(symbol) ?? null,
        tradesTold: () => this.#tradesTold,
        onEngineLost: () => {
          this.#lost ??= 'the engine has stopped';
        },
      },
    });
  }

  #joinCluster(node: NodeServices): void {
    node.report = () =>
      nodeReport({
        tapes: this.#tapes.reported,
        lagMs: this.#tapes.lagMs,
        connections: this.#serving?.doors?.gateway.metrics.connections ?? 0,
        notReady: this.#readiness.reason,
        internalUrl: this.#internalUrl,
      });
    const { cluster } = this.#options.config;
    const clock = createClock({ kind: 'system' });
    const readings = nodeReadings(cluster!, node, clock, () => this.#tapes.shared);
    this.#metrics.tell((it) => it.watchCluster(readings));
    node.start({
      drain: () => this.#leaving.resolve('drained'),
      displaced: () => this.#leaving.resolve('displaced'),
      older: () => this.#serving?.accountsMayBeOlder(),
      agreed: (computations) => this.#ingests.agree(computations),
      looked: (nodes) => {
        for (const dataset of this.#ingests.datasets) {
          this.#ingests.spread(dataset, tapeSpread(nodes, dataset));
        }
      },
    });
  }

  async #open(): Promise<void> {
    if (this.#node !== null) this.#joinCluster(this.#node);
    this.#push = await this.#openPush();
    const { internalHost, internalPort, cluster } = this.#options.config;
    const internal = await listen(this.#internal, internalHost, internalPort, {
      host: 'TAPELOOM_INTERNAL_HOST',
      port: 'TAPELOOM_INTERNAL_PORT',
    });
    this.#internalAddress = addressHere(internal);
    this.#internalUrl = announcedAddress(cluster?.internalUrl ?? null, internal);
    if (this.#serving === null) await this.#openTape();
    else await this.#openDoors(this.#serving);
    this.#phase = 'the tape is being filled';
    const tapeKnown = this.#serving?.doors?.tapeKnown;
    void Promise.all([this.#caughtUp.promise, tapeKnown]).then(() => this.#becomeReady());
  }

  async #openPush(): Promise<PushRoutes | null> {
    const { config, log } = this.#options;
    const datasets = pushedDatasets(this.#markets);
    if (datasets.length === 0) return null;
    const { PushRoutes } = await import('../http/push/push-routes.ts');
    const { PushSecret } = await import('../http/push/push-secret.ts');
    const { pushSecretFile: path } = config;
    const clock = createClock({ kind: 'system' });
    const onFault = (error: unknown) => log.error({ error }, 'the push endpoint has a fault');
    const disk = new NodeDisk();
    return new PushRoutes({
      desk: {
        datasets: () => datasets,
        leaderOf: (dataset) => this.#leaderOf(dataset),
        push: (dataset, request) => this.#ingests.push(dataset, request),
        position: (dataset) => this.#ingests.pushPosition(dataset),
      },
      secret: path === null ? null : new PushSecret({ path, disk, clock, onFault }),
      clock,
      monotonicNs: THIS_MACHINE.monotonicNs,
      onFault,
    });
  }

  /** Where a dataset is written. */
  #leaderOf(dataset: string): PushLeader {
    if (this.#node === null) return { t: 'here' };
    const { id, nodes } = this.#node.register;
    return pushLeader(this.#tapes.shared[dataset], nodes, id);
  }

  /** For a node without public endpoints. */
  async #openTape(): Promise<void> {
    tellRecovery(this.#options.log, await this.#ingests.opened);
    this.#watchSpace();
  }

  async #openDoors(serving: Serving): Promise<void> {
    const doors = await serving.compose();
    for (const [dataset, tape] of this.#tapes.entries()) {
      const { missing, floors, isPaused, isDown, feedNews } = tape;
      doors.noteMissing(dataset, missing);
      if (floors !== null) doors.noteSharedEpochs(dataset, floors);
      if (isPaused || isDown) doors.hub.setSource(dataset, 'down');
      if (feedNews.state === 'down') doors.hub.setFeed(dataset, 'down');
    }
    this.#watchSpace();
    const addresses = await serving.listen();
    const internal = this.#internalAddress;
    const mailbox = serving.mail!.isDevelopment ? `${internal}/mailbox` : null;
    this.#addresses = { ...addresses, internal, mailbox };
  }

  #watchSpace(): void {
    const { config, log } = this.#options;
    const timers = createClock({ kind: 'system' });
    const { datasets } = this.#ingests;
    const space = this.#watches.use(watchSpace(config.data, datasets, timers, log));
    this.#metrics.tell((it) => it.watchSpace(config.data, space));
    this.#watchClock();
  }

  #watchClock(): void {
    const { config, log, market } = this.#options;
    // Accelerated and replayed time do not follow this clock. On a shared tape, other nodes' clocks may be right.
    const isOwn = config.speed === null && market === undefined && this.#node === null;
    const clock = watchClock({
      ...{ log, timers: createClock({ kind: 'system' }) },
      tapeTime: () => (isOwn ? this.#tapes.latest : null),
      onAhead: (isAhead) => this.#serving?.doors?.hub.setAhead(isAhead),
    });
    const watch = this.#watches.use(clock);
    this.#metrics.tell((it) => it.watchClock(watch));
  }

  #becomeReady(): void {
    if (!this.#isStopping) this.#phase = null;
    this.#live.resolve();
    const load = () => void this.#metrics.registry().catch(() => undefined);
    this.#watch(createClock({ kind: 'system' }).after(LATER_MS, load));
  }

  #hear(dataset: string, message: IngestNews): void {
    const { log, onFill } = this.#options;
    const tape = this.#tapes.of(dataset);
    switch (message.t) {
      case 'floors':
        tape.floors = message.text;
        this.#serving?.doors?.noteSharedEpochs(dataset, message.text);
        this.#ingests.floorsHold(dataset, message.text);
        return;
      case 'days-missing':
        tape.missing = message.newest;
        this.#serving?.doors?.noteMissing(dataset, message.newest);
        return;
      case 'report':
        this.#pulse.beat();
        tape.report = this.#withDaysComputed(tape, message);
        this.#metrics.tell((it) => it.takeReport(dataset, message));
        this.#setPaused(dataset, message.isPaused);
        this.#setFeed(dataset, message);
        for (const [symbol, at] of message.lastTrades) this.#lastTrades.set(symbol, at);
        this.#tradesTold += 1;
        return;
      case 'filled': {
        const { days, daysTotal } = this.#tapes.filled(dataset, message.part, message);
        this.#metrics.tell(({ fill }) => Object.assign(fill, { days, daysTotal }));
        onFill(message.part, days, daysTotal);
        if (message.item !== null) this.#serving?.doors?.noteFilled(message.item);
        return;
      }
      case 'removed':
        this.#serving?.doors?.noteFilled(message.item);
        return;
      case 'checked':
        this.#serving?.doors?.noteChecked(message.symbol, message.day, message.isSound);
        return;
      case 'old-days':
        tellOldDays(log, message.news);
        this.#metrics.tell((it) => it.noteOldDays(message.news));
        return;
      case 'appends':
        log.info({ dataset }, message.doesAppend ? APPENDS : APPENDS_NO_MORE);
        return;
      case 'off-tick':
        this.#noteOffTick(dataset, message.contract, message.price);
        return;
      case 'contract-down':
        log.error({ dataset, contract: message.contract, why: message.why }, CONTRACT_DOWN);
        this.#serving?.doors?.hub.setContract(message.contract, 'down');
        return;
      case 'live':
        tape.isLive = true;
        if (this.#tapes.isLive) this.#caughtUp.resolve();
        return;
      case 'sessions':
        this.#serving?.doors?.updateSessions(dataset, message.books);
        return;
      case 'waiting':
        log.warn(
          { dataset, error: message.error },
          'the machine cannot do this at the moment; the service keeps trying',
        );
        return;
      case 'waited':
        log.warn({ dataset, ms: message.ms }, 'the retried operation succeeded');
        return;
      case 'fault':
        log.error({ dataset, error: message.error }, message.what);
        return;
      default:
        message satisfies never;
    }
  }

  /** A contract whose prices are off the tick grid is down until its trades can be taken again. */
  #noteOffTick(dataset: string, contract: string, price: OffTickPrice | null): void {
    const { log } = this.#options;
    if (price === null)
      log.warn({ dataset, contract }, 'the trades of this contract are taken again');
    else log.error({ dataset, ...price }, OFF_TICK);
    this.#serving?.doors?.hub.setContract(contract, price === null ? 'up' : 'down');
    this.#metrics.tell((it) => it.noteOffTick(contract, price !== null));
  }

  /** Reports a fetched day as present only after the streams that depend on it are recomputed. */
  #withDaysComputed(before: TapeState, report: IngestReport): IngestReport {
    const { shared } = report;
    if (shared === undefined || (this.#serving?.doors?.isComputed ?? true)) return report;
    return { ...report, shared: { ...shared, daysAt: before.report?.shared?.daysAt ?? 0 } };
  }

  /** Streams are down while no trades come although their market is open. */
  #setFeed(dataset: string, report: IngestReport): void {
    const tape = this.#tapes.of(dataset);
    const before = tape.feedNews;
    tape.feedNews = tellFeed(this.#options.log, dataset, report, before, performance.now());
    const { state } = tape.feedNews;
    if (state === null || state === before.state) return;
    this.#serving?.doors?.hub.setFeed(dataset, state === 'down' ? 'down' : 'up');
  }

  /** Marks streams as down while no trades are ingested; they resume afterwards. */
  #setPaused(dataset: string, isPaused: boolean): void {
    const tape = this.#tapes.of(dataset);
    if (isPaused === tape.isPaused || tape.isDown) return;
    tape.isPaused = isPaused;
    this.#serving?.doors?.hub.setSource(dataset, isPaused ? 'down' : 'up');
  }

  /** Also disposes of a watch that is added after disposal. */
  #watch(watch: Disposable): void {
    if (this.#watches.disposed) watch[Symbol.dispose]();
    else this.#watches.use(watch);
  }

  #ingestDown(dataset: string, error: unknown): void {
    this.#tapes.of(dataset).isDown = true;
    const { log, config } = this.#options;
    // For a disk fault, the directory is the useful information; the stack is not.
    const why = diskFault(error) === null ? { error } : { data: config.data, why: String(error) };
    log.fatal({ dataset, ...why }, 'no more trades are ingested; existing data is still served');
    this.#lost ??= 'the ingest has stopped';
    this.#serving?.doors?.hub.setSource(dataset, 'down');
    if (mayPass(error)) {
      const onAgain = () => this.#leaving.resolve('disk');
      const clock = createClock({ kind: 'system' });
      this.#watch(waitForDisk({ directory: config.data, clock, onAgain }));
    }
    this.#live.reject(error);
    // A failed start reports itself. After the start, the log line above is the report.
    this.#live.promise.catch(() => undefined);
  }
}

async function openNode({ config, version, log }: ServiceOptions): Promise<NodeServices | null> {
  const { cluster, data } = config;
  if (cluster === null) return null;
  const { NodeServices } = await import('./cluster/node-services.ts');
  const clock = createClock({ kind: 'system' });
  return NodeServices.open({ data, cluster, version, clock, log });
}

function sharedTape({ nats, roles }: ClusterConfig, node: NodeServices): SharedTapeSetting {
  const { clusterId, register } = node;
  return { nats, clusterId, nodeId: register.id, mayLead: roles.ingest };
}

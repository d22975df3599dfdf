/**
 * The running service: composes the threads and the doors, and owns their life. Public doors open when
 * the tape is open; until the source has caught up, streams warm up and `notReadyBecause` says why.
 * When trades can no longer be taken in or computed, everything that is there is still served.
 */

import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MessageChannel } from 'node:worker_threads';
import type { EpochNs } from '@tapeloom/core/numbers';
import { publishedDefinitions } from '@tapeloom/core/studies/catalogue';
import { dayOf } from '@tapeloom/core/utc-day';
import type { Registry } from 'prom-client';
import type { Authenticator } from './accounts/authenticator.ts';
import { DevKeyAuthenticator } from './accounts/dev-key-authenticator.ts';
import type { Config } from './config/config.ts';
import { EngineHandle } from './engine/engine-handle.ts';
import { createGateway, type Gateway } from './gateway/gateway.ts';
import { createResolver } from './gateway/stream-request.ts';
import { createHttpServer, type HttpServer } from './http/http-server.ts';
import { catalogueFacts } from './http/indicators-route.ts';
import type { InstrumentFacts } from './http/instrument-view.ts';
import { createInternalServer } from './http/internal-server.ts';
import { restRoutes } from './http/rest-routes.ts';
import { IngestHandle, type IngestNews } from './ingest-handle.ts';
import type { IngestOpened } from './ingest-wire.ts';
import type { Clock } from './platform/clock.ts';
import type { Log } from './platform/log.ts';
import { createMetrics } from './platform/metrics.ts';
import { createClock } from './platform/system-clock.ts';
import { ServiceMetrics } from './service-metrics.ts';
import { SIM_DATASET } from './sources/sim-universe.ts';
import { StartRefusedError } from './start-refused-error.ts';
import { STALE_AFTER_MS, TopicHub } from './topics/topic-hub.ts';
import { TradingWorld } from './trading-world.ts';

export interface ServiceOptions {
  readonly config: Config;
  readonly version: string;
  readonly log: Log;
  /** Simulated past days are being made. */
  readonly onFill: (part: 'first' | 'rest', days: number, daysTotal: number) => void;
}

export interface ServiceAddresses {
  /** `http://127.0.0.1:8080` */
  readonly rest: string;
  readonly stream: string;
  readonly internal: string;
}

export class Service implements AsyncDisposable {
  readonly #options: ServiceOptions;
  readonly #registry: Registry;
  readonly #metrics: ServiceMetrics;
  readonly #internal: Server;
  readonly #ingest: IngestHandle;
  readonly #live = Promise.withResolvers<void>();
  readonly #lastTrades = new Map<string, EpochNs>();
  #notReady: string | null = 'the tape is being opened';
  #doors: Doors | null = null;
  #addresses: ServiceAddresses | null = null;

  private constructor(options: ServiceOptions) {
    const { config, log } = options;
    this.#options = options;
    this.#registry = createMetrics();
    this.#metrics = new ServiceMetrics(this.#registry);
    this.#internal = createInternalServer({
      registry: this.#registry,
      notReadyBecause: () => this.#notReady,
      topics: () => this.#doors?.hub.topics() ?? [],
      onFault: (error) => log.error({ error }, 'metrics failed'),
    });
    this.#ingest = new IngestHandle(
      {
        tapeRoot: join(config.data, 'tape'),
        sim: { seed: config.simSeed, printsScale: config.simScale },
        speed: config.speed,
      },
      { hear: (message) => this.#hear(message), down: (error) => this.#ingestDown(error) },
    );
  }

  /** Opens the tape and the doors; rejects, with everything closed again, when that cannot be done. */
  static async start(options: ServiceOptions): Promise<Service> {
    const service = new Service(options);
    try {
      await service.#open();
      return service;
    } catch (error) {
      await service[Symbol.asyncDispose]();
      throw error;
    }
  }

  get addresses(): ServiceAddresses {
    return this.#addresses!;
  }

  /** Resolves when the source has caught up with the clock; rejects when it never will. */
  get live(): Promise<void> {
    return this.#live.promise;
  }

  /** Notice, drain, sync. Resolves to whether everything closed cleanly in time. */
  async stop(): Promise<boolean> {
    this.#notReady = 'the service is stopping';
    this.#doors?.http.stopAccepting();
    const [isClean] = await Promise.all([this.#ingest.stop(), this.#doors?.gateway.drain()]);
    await this[Symbol.asyncDispose]();
    return isClean;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#internal.closeAllConnections();
    this.#internal.close();
    await this.#doors?.[Symbol.asyncDispose]();
    await this.#ingest[Symbol.asyncDispose]();
  }

  async #open(): Promise<void> {
    const { config, log } = this.#options;
    const internal = await listen(
      this.#internal,
      config.internalHost,
      config.internalPort,
      'TAPELOOM_INTERNAL_PORT',
    );
    const opened = await this.#ingest.opened;
    logRecovery(log, opened);
    this.#doors = new Doors(this.#options, opened, this.#ingest, {
      lastTradeAt: (symbol) => this.#lastTrades.get(symbol) ?? null,
      onEngineLost: () => {
        this.#notReady = 'the engine has stopped';
      },
      onAnswered: (path, status, seconds) => this.#metrics.countRequest(path, status, seconds),
    });
    this.#metrics.watchStreams(this.#doors.hub, this.#doors.gateway.metrics);
    const rest = await this.#doors.listen();
    this.#addresses = { rest, stream: `${rest.replace('http', 'ws')}/v1`, internal };
    if (this.#notReady === 'the tape is being opened') this.#notReady = 'the tape is being filled';
  }

  #hear(message: IngestNews): void {
    const { log, onFill } = this.#options;
    switch (message.t) {
      case 'report':
        this.#metrics.takeReport(message);
        for (const [symbol, at] of message.lastTrades) this.#lastTrades.set(symbol, at);
        return;
      case 'filled':
        this.#metrics.fill.days = message.days;
        this.#metrics.fill.daysTotal = message.daysTotal;
        onFill(message.part, message.days, message.daysTotal);
        return;
      case 'live':
        this.#notReady = null;
        this.#live.resolve();
        return;
      case 'sessions':
        this.#doors?.updateSessions(message.books);
        return;
      case 'fault':
        log.error({ error: message.error }, message.what);
        return;
      default:
        message satisfies never;
    }
  }

  #ingestDown(error: unknown): void {
    this.#options.log.fatal(
      { error },
      'no more trades are taken in; what is there is still served',
    );
    this.#notReady = 'the ingest has stopped';
    this.#doors?.hub.setSource('down');
    this.#live.reject(error);
    // A start that fails says so itself; afterwards the log line above is the report.
    this.#live.promise.catch(() => undefined);
  }
}

interface DoorEvents {
  lastTradeAt(symbol: string): EpochNs | null;
  onEngineLost(): void;
  onAnswered(path: string | null, status: number, seconds: number): void;
}

/** Everything customers meet: the engine behind its hub, the gateway and the REST interface. */
class Doors implements AsyncDisposable {
  readonly hub: TopicHub;
  readonly gateway: Gateway;
  readonly http: HttpServer;
  readonly #config: Config;
  readonly #events: DoorEvents;
  readonly #clock: Clock;
  readonly #world: TradingWorld;
  readonly #engine: EngineHandle;
  readonly #docsUrl: { address: string };

  constructor(
    options: ServiceOptions,
    opened: IngestOpened,
    ingest: IngestHandle,
    events: DoorEvents,
  ) {
    const { config, log } = options;
    const timers = createClock({ kind: 'system' });
    const clock = createClock(opened.clock);
    this.#config = config;
    this.#events = events;
    this.#clock = clock;
    this.#docsUrl = { address: config.docsUrl ?? '' };
    this.#world = new TradingWorld(
      { seed: config.simSeed, printsScale: config.simScale },
      dayOf(clock.now()),
      opened.books,
    );
    this.#engine = this.#startEngine(ingest, log);
    this.hub = new TopicHub({
      clock,
      timers,
      fullSessions: (symbol) => this.#world.fullSessions(symbol),
      staleAfterMs: STALE_AFTER_MS * (config.speed ?? 1),
    });
    // Before the gateway's own listener: at midnight it asks for what the new day's aliases mean.
    this.hub.onTapeDay((day) => {
      this.#world.enter(day);
      this.#engine.updateSessions(this.#world.engineSessions);
    });
    this.hub.connect([this.#engine]);
    const authenticator: Authenticator = new DevKeyAuthenticator(config.devKey);
    this.gateway = createGateway({
      hub: this.hub,
      authenticator,
      clock,
      timers,
      resolve: createResolver({
        book: () => this.#world.book,
        isStreamed: (symbol) => this.#world.isStreamed(symbol),
      }),
      onFault: (error) => log.error({ error }, 'a connection failed'),
    });
    this.http = this.#createHttp(options, authenticator);
  }

  /** The address of the public port. */
  async listen(): Promise<string> {
    const { host, port } = this.#config;
    await this.http.app.ready();
    const address = await listen(this.http.app.server, host, port, 'TAPELOOM_PORT');
    if (this.#config.docsUrl === null) this.#docsUrl.address = `${address}/docs`;
    return address;
  }

  updateSessions(books: IngestOpened['books']): void {
    this.#world.replaceBooks(books);
    this.#engine.updateSessions(this.#world.engineSessions);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.gateway[Symbol.asyncDispose]();
    await this.http.app.close();
    this.hub[Symbol.dispose]();
    await this.#engine[Symbol.asyncDispose]();
  }

  #startEngine(ingest: IngestHandle, log: Log): EngineHandle {
    const { port1, port2 } = new MessageChannel();
    ingest.follow(port1);
    return new EngineHandle({
      tapePort: port2,
      tapeRoot: join(this.#config.data, 'tape'),
      dataset: SIM_DATASET,
      sessions: this.#world.engineSessions,
      onFault: (error, spec) => {
        if (spec !== null) return log.error({ error, spec }, 'a stream failed');
        log.fatal({ error }, 'the engine has stopped; what is there is still served');
        this.#events.onEngineLost();
      },
    });
  }

  #createHttp(options: ServiceOptions, authenticator: Authenticator): HttpServer {
    const coreSource = dirname(
      dirname(fileURLToPath(import.meta.resolve('@tapeloom/core/studies/catalogue'))),
    );
    const catalogue = catalogueFacts(publishedDefinitions(), coreSource);
    return createHttpServer({
      authenticator,
      log: options.log,
      docsUrl: () => this.#docsUrl.address,
      onUpgrade: (request, socket, head) => this.gateway.handleUpgrade(request, socket, head),
      onAnswered: this.#events.onAnswered,
      routes: restRoutes({
        version: options.version,
        catalogue: () => catalogue,
        engineState: () => this.hub.state,
        instruments: () => this.#instrumentFacts(),
      }),
    });
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

async function listen(
  server: Server,
  host: string,
  port: number,
  variable: string,
): Promise<string> {
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (error) {
    const why =
      (error as NodeJS.ErrnoException).code === 'EADDRINUSE' ? 'the port is in use' : String(error);
    throw new StartRefusedError(`cannot listen on ${host}:${port} (${variable}): ${why}`, {
      cause: error,
    });
  }
  const { port: actual, family, address } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${actual}`;
}

function logRecovery(log: Log, { recovery }: IngestOpened): void {
  for (const { day, trades, tornBytes, ended } of recovery.logs) {
    log.info({ day, trades, ended }, 'a day was found in its log');
    if (tornBytes > 0)
      log.warn({ day, tornBytes }, 'a torn record was cut off; it was never acknowledged');
  }
  const { unfinishedRemoved } = recovery;
  if (unfinishedRemoved > 0) log.warn({ unfinishedRemoved }, 'unfinished files were removed');
}

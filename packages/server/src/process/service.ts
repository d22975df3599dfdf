/**
 * The running service: composes the threads and the doors, and owns their life. Public doors open when
 * the tape is open; until the source has caught up, streams warm up and `notReadyBecause` says why.
 * When trades can no longer be taken in or computed, everything that is there is still served.
 */

import type { Server } from 'node:http';
import { join } from 'node:path';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { OfferBook } from '../billing/offer-book.ts';
import type { Config } from '../config/config.ts';
import { PublicAddress } from '../config/public-address.ts';
import type { EchoServer } from '../gateway/wire/echo-server.ts';
import { createInternalServer } from '../http/server/internal-server.ts';
import { UnreadAnswers } from '../http/server/unread-answers.ts';
import { MailServices } from '../mail/mail-services.ts';
import type { Mailer } from '../mail/mailer.ts';
import type { MarketSettings } from '../markets/read-markets.ts';
import type { OperatorPages } from '../pages/operator-pages.ts';
import type { Portal } from '../pages/portal.ts';
import type { Clock } from '../platform/clock.ts';
import type { SocketLimits } from '../platform/door-sockets.ts';
import type { FreeSpace } from '../platform/free-space.ts';
import type { Log } from '../platform/log.ts';
import { createClock } from '../platform/system-clock.ts';
import { AccountServices } from './account-services.ts';
import type { BillingServices } from './billing-services.ts';
import { readConnectionLimits } from './connection-limits.ts';
import type { FirstKeys } from './demo-account.ts';
import type { Doors } from './doors.ts';
import { IngestHandle, type IngestNews } from './ingest-handle.ts';
import { listen } from './listen.ts';
import { openImported, readServiceMarkets } from './market-services.ts';
import { LateMetrics } from './metrics/late-metrics.ts';
import type { OpenedProviders } from './open-providers.ts';
import { Readiness } from './readiness.ts';
import { tellRecovery } from './tell-recovery.ts';
import { watchSpace } from './watch-space.ts';

/** Metrics come so long after the service is up, unless somebody asks for them before. */
const LATER_MS = 1_000;
/** Part of the open files that the service keeps for itself. */
const INTERNAL_CONNECTIONS_MAX = 32;

export interface ServiceOptions {
  readonly config: Config;
  /** What is traded; left out: what the configuration says. */
  readonly market?: MarketSettings['live'];
  readonly version: string;
  readonly log: Log;
  /** What is sold. */
  readonly offers: OfferBook;
  /** What the operator says of himself; left out: nothing. */
  readonly operatorPages?: OperatorPages;
  /** What is served at `/`; left out: nothing. */
  readonly portal?: Portal;
  /** Lines that were too many for the log. */
  readonly logLinesLeftOut?: () => number;
  /** Shows a link that was mailed to who started the service; left out where that is no terminal. */
  readonly showLink?: (subject: string, to: string, link: string) => void;
  /** Simulated past days are being made. */
  readonly onFill: (part: 'first' | 'rest', days: number, daysTotal: number) => void;
}

export interface ServiceAddresses {
  /** Where people reach it: `https://tapeloom.example.com`. */
  readonly portal: string;
  /** `http://127.0.0.1:8080` */
  readonly rest: string;
  readonly stream: string;
  readonly internal: string;
  /** Where who develops reads mails; null: they are sent, or others can reach the service. */
  readonly mailbox: string | null;
  /** Where messages are echoed; null unless asked for. */
  readonly echo: string | null;
}

export class Service implements AsyncDisposable {
  readonly #options: ServiceOptions;
  readonly #markets: MarketSettings;
  readonly #publicAddress: PublicAddress;
  readonly #connections: SocketLimits;
  readonly #metrics: LateMetrics;
  #later: Disposable | null = null;
  readonly #readiness: Readiness;
  readonly #internal: Server;
  /** On both ports. */
  readonly #unread = new UnreadAnswers(createClock({ kind: 'system' }));
  readonly #ingest: IngestHandle;
  readonly #caughtUp = Promise.withResolvers<void>();
  readonly #live = Promise.withResolvers<void>();
  readonly #lastTrades = new Map<string, EpochNs>();
  #tradesTold = 0;
  /** What keeps the service from serving streams on its way up or down; null while it is up. */
  #phase: string | null = 'the tape is being opened';
  #isStopping = false;
  #isPaused = false;
  #isIngestDown = false;
  /** The part that is gone for good, the first if there are several. */
  #lost: string | null = null;
  #accountsOpening: Promise<AccountServices> | null = null;
  #accounts: AccountServices | null = null;
  #space: FreeSpace | null = null;
  #mail: MailServices | null = null;
  #doors: Doors | null = null;
  #providers: OpenedProviders | null = null;
  #billing: BillingServices | null = null;
  #echo: EchoServer | null = null;
  #addresses: ServiceAddresses | null = null;

  private constructor(options: ServiceOptions, markets: MarketSettings) {
    const { config, log } = options;
    this.#options = options;
    this.#markets = markets;
    this.#publicAddress = new PublicAddress(config.publicUrl, config.port);
    this.#connections = readConnectionLimits(log);
    this.#metrics = new LateMetrics(options.logLinesLeftOut);
    this.#readiness = new Readiness({
      clock: createClock({ kind: 'system' }),
      facts: () => ({
        lost: this.#lost,
        accounts: this.#accounts?.notReadyBecause ?? null,
        phase: this.#phase,
        isPaused: this.#isPaused,
        threads: this.#doors?.threads ?? null,
      }),
    });
    this.#internal = createInternalServer({
      registry: () => this.#metrics.registry(),
      notReadyBecause: () => this.#readiness.reason,
      topics: () => this.#doors?.hub.topics() ?? [],
      mailbox: (request) => this.#mail?.answer(request) ?? null,
      onFault: (error) => log.error({ error }, 'metrics failed'),
    });
    this.#internal.maxConnections = INTERNAL_CONNECTIONS_MAX;
    this.#unread.watch(this.#internal);
    this.#metrics.tell((it) => it.watchAnswers(this.#unread));
    this.#ingest = new IngestHandle(
      {
        tapeRoot: join(config.data, 'tape'),
        market: markets.live,
        speed: config.speed,
        keepDays: config.keepDays,
      },
      { hear: (message) => this.#hear(message), down: (error) => this.#ingestDown(error) },
    );
  }

  /** Opens the tape and the doors; rejects, with everything closed again, when that cannot be done. */
  static async start(options: ServiceOptions): Promise<Service> {
    const service = new Service(options, await readServiceMarkets(options));
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

  /** Resolves when everything can be asked for, up to this moment; rejects when that will never be. */
  get live(): Promise<void> {
    return this.#live.promise;
  }

  /** What streams are served by. */
  get streams(): Pick<Doors, 'hub' | 'gateway' | 'letTimeGo' | 'example'> | null {
    return this.#doors;
  }

  /** The keys of the account to begin with, once; null when the accounts cannot be asked. */
  async firstKeys(): Promise<FirstKeys | null> {
    try {
      return await this.#accounts!.firstKeys();
    } catch (error) {
      this.#options.log.error({ error }, 'the first account could not be made');
      return null;
    }
  }

  /** Notice, drain, sync. Resolves to whether everything closed cleanly in time. */
  async stop(): Promise<boolean> {
    this.#isStopping = true;
    this.#phase = 'the service is stopping';
    this.#doors?.http.stopAccepting();
    const [isClean] = await Promise.all([this.#ingest.stop(), this.#doors?.gateway.drain()]);
    await this[Symbol.asyncDispose]();
    return isClean;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#internal.closeAllConnections();
    this.#internal.close();
    this.#readiness[Symbol.dispose]();
    this.#later?.[Symbol.dispose]();
    this.#space?.[Symbol.dispose]();
    await this.#echo?.[Symbol.asyncDispose]();
    await this.#doors?.[Symbol.asyncDispose]();
    await this.#billing?.[Symbol.asyncDispose]();
    await this.#providers?.[Symbol.asyncDispose]();
    // After the doors, whose last answers still count.
    await this.#mail?.[Symbol.asyncDispose]();
    // They may still have been on their way when the start failed.
    const accounts = await this.#accountsOpening?.catch(() => null);
    await accounts?.[Symbol.asyncDispose]();
    await this.#ingest[Symbol.asyncDispose]();
  }

  async #open(): Promise<void> {
    const { config, log } = this.#options;
    const begun = Promise.withResolvers<void>();
    this.#accountsOpening = AccountServices.open({
      data: config.data,
      log,
      auditDays: config.auditDays,
      onBegun: begun.resolve,
    });
    // Whoever waits for it hears of it.
    this.#accountsOpening.catch(() => undefined);
    const internal = await listen(
      this.#internal,
      config.internalHost,
      config.internalPort,
      'TAPELOOM_INTERNAL_PORT',
    );
    // The larger part of the program is loaded while the two threads come up.
    await Promise.race([begun.promise, this.#accountsOpening]);
    const { Doors } = await import('./doors.ts');
    const accounts = await this.#accountsOpening;
    this.#accounts = accounts;
    this.#mail = this.#openMail(accounts.clock);
    this.#billing = await this.#openBilling(accounts, this.#mail);
    const opened = await this.#ingest.opened;
    tellRecovery(log, opened);
    this.#doors = new Doors(
      {
        ...this.#options,
        market: this.#markets.live,
        imported: await openImported(config.data, this.#markets, opened.clock),
        publicAddress: this.#publicAddress,
        mailer: this.#mail,
        opened,
        accounts,
        providerPages: this.#providers?.pages ?? [],
        billing: this.#billing,
        ingest: this.#ingest,
        unread: this.#unread,
        connections: this.#connections,
      },
      {
        lastTradeAt: (symbol) => this.#lastTrades.get(symbol) ?? null,
        tradesTold: () => this.#tradesTold,
        onEngineLost: () => {
          this.#lost ??= 'the engine has stopped';
        },
        onAnswered: (...answer) => this.#metrics.tell((it) => it.countRequest(...answer)),
        onOutcome: (...outcome) => this.#metrics.tell((it) => it.countOutcome(...outcome)),
      },
    );
    if (this.#isPaused || this.#isIngestDown) this.#doors.hub.setSource('down');
    this.#space = watchSpace(config.data, this.#doors.dataset, accounts.clock, log);
    this.#watchParts(accounts, this.#doors, this.#mail, this.#billing, this.#space);
    const rest = await this.#doors.listen();
    this.#mail.tellWhatIsMissing();
    this.#tellOfConcerns();
    const echo = await this.#openEcho();
    const mailbox = this.#mail.isDevelopment ? `${internal}/mailbox` : null;
    const stream = `${rest.replace('http', 'ws')}/v1`;
    this.#addresses = { portal: this.#publicAddress.origin, rest, stream, internal, mailbox, echo };
    this.#phase = 'the tape is being filled';
    const { tapeKnown } = this.#doors;
    void Promise.all([this.#caughtUp.promise, tapeKnown]).then(() => this.#becomeReady());
  }

  async #openBilling(accounts: AccountServices, mailer: Mailer): Promise<BillingServices> {
    const { config, log, offers } = this.#options;
    const publicAddress = this.#publicAddress;
    const { BillingServices } = await import('./billing-services.ts');
    const { openProviders } = await import('./open-providers.ts');
    const { clock } = accounts;
    this.#providers = await openProviders({ config, offers, publicAddress, clock, log });
    const { providers } = this.#providers;
    const publicUrl = () => publicAddress.origin;
    const { ordersYears } = config;
    const parts = { accounts, providers, offers, mailer, publicUrl, ordersYears, log };
    return new BillingServices(parts);
  }

  #becomeReady(): void {
    if (!this.#isStopping) this.#phase = null;
    this.#live.resolve();
    this.#later = this.#accounts!.clock.after(LATER_MS, () => {
      this.#metrics.registry().catch(() => undefined);
    });
  }

  #watchParts(
    accounts: AccountServices,
    doors: Doors,
    mail: MailServices,
    { payments, billing }: BillingServices,
    space: FreeSpace,
  ): void {
    const { data } = this.#options.config;
    this.#metrics.tell((it) => {
      it.watchAccounts(accounts);
      it.watchMail(mail);
      it.watchPayments(payments, billing.withdrawals);
      it.watchDoor(accounts, doors.sockets);
      it.watchSpace(data, space);
      it.watchStreams(doors.hub, doors.gateway.metrics);
      it.watchHistory(doors.history);
    });
  }

  #tellOfConcerns(): void {
    const { log, config } = this.#options;
    const { origin } = this.#publicAddress;
    const trustsProxies = config.trustedProxies.length > 0;
    for (const concern of this.#publicAddress.concerns({ trustsProxies })) {
      log.warn({ origin }, concern);
    }
  }

  #openMail(clock: Clock): MailServices {
    const { config, log, showLink } = this.#options;
    const shown = showLink === undefined ? {} : { showLink };
    return new MailServices({ config, publicAddress: this.#publicAddress, clock, log, ...shown });
  }

  /** On the loopback interface whatever the other doors listen on. */
  async #openEcho(): Promise<string | null> {
    const { echoPort } = this.#options.config;
    if (echoPort === null) return null;
    const { EchoServer } = await import('../gateway/wire/echo-server.ts');
    this.#echo = new EchoServer();
    const address = await listen(this.#echo.http, '127.0.0.1', echoPort, '--echo-port');
    return address.replace('http', 'ws');
  }

  #hear(message: IngestNews): void {
    const { log, onFill } = this.#options;
    switch (message.t) {
      case 'report':
        this.#metrics.tell((it) => it.takeReport(message));
        this.#setPaused(message.isPaused);
        for (const [symbol, at] of message.lastTrades) this.#lastTrades.set(symbol, at);
        this.#tradesTold += 1;
        return;
      case 'filled':
        this.#metrics.tell(({ fill }) => {
          fill.days = message.days;
          fill.daysTotal = message.daysTotal;
        });
        onFill(message.part, message.days, message.daysTotal);
        if (message.item !== null) this.#doors?.noteFilled(message.item);
        return;
      case 'removed':
        this.#doors?.noteFilled(message.item);
        return;
      case 'live':
        this.#caughtUp.resolve();
        return;
      case 'sessions':
        this.#doors?.updateSessions(message.books);
        return;
      case 'waiting':
        log.warn({ error: message.error }, 'the machine cannot do this now; it is waited for');
        return;
      case 'waited':
        log.warn({ ms: message.ms }, 'what was waited for is done');
        return;
      case 'fault':
        log.error({ error: message.error }, message.what);
        return;
      default:
        message satisfies never;
    }
  }

  /** While no trades are taken in, streams are told so, and go on by themselves afterwards. */
  #setPaused(isPaused: boolean): void {
    if (isPaused === this.#isPaused || this.#isIngestDown) return;
    this.#isPaused = isPaused;
    this.#doors?.hub.setSource(isPaused ? 'down' : 'up');
  }

  #ingestDown(error: unknown): void {
    this.#isIngestDown = true;
    this.#options.log.fatal(
      { error },
      'no more trades are taken in; what is there is still served',
    );
    this.#lost ??= 'the ingest has stopped';
    this.#doors?.hub.setSource('down');
    this.#live.reject(error);
    // A start that fails says so itself; afterwards the log line above is the report.
    this.#live.promise.catch(() => undefined);
  }
}

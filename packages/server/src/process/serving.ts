/**
 * What a serving node has beside its tape: accounts, mail, payments and the public endpoints. The accounts thread
 * starts while most of the program is still loading. On shutdown the endpoints close first, since their last responses
 * still count; the accounts close last.
 */

import type { OwedMail } from '../accounts/mails/mails-store.ts';
import { addressHere, PublicAddress } from '../config/public-address.ts';
import type { EchoServer } from '../echo/echo-server.ts';
import type { UnreadAnswers } from '../http/server/answers/unread-answers.ts';
import { MailServices } from '../mail/mail-services.ts';
import type { Mailer } from '../mail/mailer.ts';
import { OwedMailTexts } from '../mail/owed-mail-texts.ts';
import type { ListedDataset } from '../markets/instruments/instruments-file.ts';
import type { MarketSettings } from '../markets/read-markets.ts';
import { readConnectionLimits } from '../operations/start/connection-limits.ts';
import { OperatorPages } from '../pages/operator-pages.ts';
import { AccessLog } from '../platform/log/access-log.ts';
import type { SocketLimits } from '../platform/network/door-sockets.ts';
import type { NodeServices } from './cluster/node-services.ts';
import { AccountServices } from './customers/account-services.ts';
import type { BillingServices } from './customers/billing-services.ts';
import type { OpenedProviders } from './customers/open-providers.ts';
import { openImported } from './days/open-imported.ts';
import type { DoorEvents, DoorNode, Doors } from './doors/doors.ts';
import { listen } from './doors/listen.ts';
import type { Ingests, TapesOpened } from './ingest/ingests.ts';
import type { LateMetrics } from './metrics/late-metrics.ts';
import type { Reloadable } from './reloadable.ts';
import type { ServiceOptions } from './service-options.ts';
import { tellRecovery } from './tell-recovery.ts';
import { StatusRecorder } from './watch/status-recorder.ts';

export interface ServingParts extends ServiceOptions {
  /** State shared with other nodes; omitted for a single process. */
  readonly node?: NodeServices;
  /** Whether other nodes are known to have more of the tape than this one. */
  readonly isBehind?: () => boolean;
  readonly markets: MarketSettings;
  readonly ingests: Ingests;
  readonly unread: UnreadAnswers;
  readonly metrics: LateMetrics;
  readonly events: Pick<DoorEvents, 'lastTradeAt' | 'tradesTold' | 'onEngineLost'>;
}

export interface ServingAddresses {
  /** The public origin: `https://tapeloom.example.com`. */
  readonly portal: string;
  /** `http://127.0.0.1:8080` */
  readonly rest: string;
  readonly stream: string;
  /** The echo endpoint; null unless it is configured. */
  readonly echo: string | null;
}

export class Serving implements AsyncDisposable {
  readonly #parts: ServingParts;
  readonly #publicAddress: PublicAddress;
  readonly #connections: SocketLimits;
  readonly #accountsBegun = Promise.withResolvers<void>();
  readonly #accountsOpening: Promise<AccountServices>;
  #live: Reloadable;
  #accounts: AccountServices | null = null;
  #mail: MailServices | null = null;
  #doors: Doors | null = null;
  #providers: OpenedProviders | null = null;
  #billing: BillingServices | null = null;
  #echo: EchoServer | null = null;
  /** Null: no access log is written. */
  #access: AccessLog | null = null;
  #recorder: StatusRecorder | null = null;

  constructor(parts: ServingParts) {
    const { config, log } = parts;
    this.#parts = parts;
    const { offers, operatorPages = new OperatorPages() } = parts;
    this.#live = { offers, operatorPages, trustedProxies: config.trustedProxies };
    this.#publicAddress = new PublicAddress(config.publicUrl, config.port);
    this.#connections = readConnectionLimits(log);
    this.#accountsOpening = AccountServices.open({
      data: config.data,
      cluster: config.cluster,
      log,
      auditDays: config.auditDays,
      ...(parts.node === undefined ? {} : { shared: parts.node }),
      onBegun: this.#accountsBegun.resolve,
    });
    // A failure is reported to the callers that await it.
    this.#accountsOpening.catch(() => undefined);
  }

  get accounts(): AccountServices | null {
    return this.#accounts;
  }

  get mail(): MailServices | null {
    return this.#mail;
  }

  get doors(): Doors | null {
    return this.#doors;
  }

  /** Composes everything behind the endpoints once the tape is open; `listen` opens them. */
  async compose(): Promise<Doors> {
    // Loads most of the program while the accounts and ingest threads start.
    await Promise.race([this.#accountsBegun.promise, this.#accountsOpening]);
    const { Doors } = await import('./doors/doors.ts');
    const accounts = await this.#accountsOpening;
    this.#accounts = accounts;
    this.#access = this.#openAccessLog(accounts);
    this.#mail = this.#openMail(accounts);
    this.#billing = await this.#openBilling(accounts);
    const { markets, config, log, ingests } = this.#parts;
    const opened = await ingests.opened;
    tellRecovery(log, opened);
    const imported = await openImported(config.data, markets, opened.clock);
    const options = this.#doorParts(opened, accounts, this.#mail, this.#billing);
    this.#doors = new Doors({ ...options, imported }, this.#doorEvents());
    this.#watchParts(accounts, this.#doors, this.#mail, this.#billing);
    return this.#doors;
  }

  /** The database may be older than before: fetches payments again. The store itself rechecks keys and sessions. */
  accountsMayBeOlder(): void {
    this.#billing?.payments.listAgain();
  }

  /** Later requests use the new settings. New contracts become available within a second. */
  async reload(next: Reloadable, listed: readonly ListedDataset[] | null): Promise<void> {
    this.#live = next;
    if (listed !== null) this.#doors?.relist(listed);
    const { config, log } = this.#parts;
    const { tellOfSales } = await import('./customers/open-providers.ts');
    tellOfSales({ config, offers: next.offers, publicAddress: this.#publicAddress, log });
    this.#tellOfConcerns();
  }

  async listen(): Promise<ServingAddresses> {
    const rest = addressHere(await this.#doors!.listen());
    this.#recorder = this.#recordStatus(this.#accounts!, this.#doors!);
    this.#mail!.tellWhatIsMissing();
    this.#tellOfConcerns();
    const echo = await this.#openEcho();
    const stream = `${rest.replace('http', 'ws')}/v1`;
    return { portal: this.#publicAddress.origin, rest, stream, echo };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#echo?.[Symbol.asyncDispose]();
    await this.#recorder?.[Symbol.asyncDispose]();
    await this.#doors?.[Symbol.asyncDispose]();
    await this.#access?.[Symbol.asyncDispose]();
    await this.#billing?.[Symbol.asyncDispose]();
    await this.#providers?.[Symbol.asyncDispose]();
    // The last responses of the endpoints may still send mail.
    await this.#mail?.[Symbol.asyncDispose]();
    // The accounts may still be opening if the start failed.
    const accounts = await this.#accountsOpening.catch(() => null);
    await accounts?.[Symbol.asyncDispose]();
  }

  #doorParts(
    opened: TapesOpened,
    accounts: AccountServices,
    mailer: Mailer,
    billing: BillingServices,
  ) {
    const { markets, node, isBehind = () => false, ...parts } = this.#parts;
    return {
      ...parts,
      markets: markets.live,
      live: () => this.#live,
      publicAddress: this.#publicAddress,
      mailer,
      opened,
      accounts,
      providerPages: this.#providers?.pages ?? [],
      billing,
      connections: this.#connections,
      ...(node === undefined ? {} : { node: doorNode(node, isBehind) }),
    };
  }

  #doorEvents(): DoorEvents {
    const { metrics, events } = this.#parts;
    return {
      ...events,
      onAnswered: (path, request) => {
        const { status, ms } = request;
        metrics.tell((it) => it.countRequest(path, status, ms / 1000));
        this.#access?.note(request);
      },
      onEnded: (request) => this.#access?.noteSampled(request),
      onOutcome: (...outcome) => metrics.tell((it) => it.countOutcome(...outcome)),
    };
  }

  async #openBilling(accounts: AccountServices): Promise<BillingServices> {
    const { config, log, offers } = this.#parts;
    const publicAddress = this.#publicAddress;
    const { BillingServices } = await import('./customers/billing-services.ts');
    const { openProviders } = await import('./customers/open-providers.ts');
    const { clock } = accounts;
    this.#providers = await openProviders({ config, offers, publicAddress, clock, log });
    const { providers } = this.#providers;
    const publicUrl = () => publicAddress.origin;
    const { ordersYears } = config;
    const sold = () => this.#live.offers;
    const parts = { accounts, providers, offers: sold, publicUrl, ordersYears, log };
    return new BillingServices(parts);
  }

  #watchParts(
    accounts: AccountServices,
    doors: Doors,
    mail: MailServices,
    { payments, billing }: BillingServices,
  ): void {
    this.#parts.metrics.tell((it) => {
      it.watchAccounts(accounts);
      it.watchMail(mail);
      it.watchPayments(payments, billing.withdrawals);
      it.watchDoor(accounts, doors.sockets);
      it.watchStreams(doors.hub, doors.gateway.metrics);
      it.watchHistory(doors.history);
    });
  }

  #tellOfConcerns(): void {
    const { log } = this.#parts;
    const { origin } = this.#publicAddress;
    for (const concern of this.#publicAddress.concerns(this.#live.trustedProxies)) {
      log.warn({ origin }, concern);
    }
  }

  #openMail({ store, clock, inTurn }: AccountServices): MailServices {
    const { config, log, showLink, offers } = this.#parts;
    const publicAddress = this.#publicAddress;
    const texts = new OwedMailTexts({
      store,
      offers,
      publicUrl: () => publicAddress.origin,
      receiptOf: async (order) => (await this.#billing?.billing.receipts.newestOf(order)) ?? null,
    });
    const owed = { store, inTurn, textOf: (mail: OwedMail) => texts.textOf(mail) };
    const shown = showLink === undefined ? {} : { showLink };
    return new MailServices({ config, publicAddress, clock, log, owed, ...shown });
  }

  #openAccessLog({ clock }: AccountServices): AccessLog | null {
    const { config, log, metrics } = this.#parts;
    const { data, accessDays: days } = config;
    if (days === 0) return null;
    const onFault = (error: unknown) => log.error({ error }, 'the access log cannot be written');
    const access = new AccessLog({ data, days, clock, onFault });
    metrics.tell((it) => it.watchAccessLog(access));
    return access;
  }

  #recordStatus({ store, clock }: AccountServices, { noted }: Doors): StatusRecorder {
    const { config, log } = this.#parts;
    return new StatusRecorder({
      store: store.status,
      clock,
      node: config.cluster?.node ?? '',
      state: noted,
      onFault: (error) => log.error({ error }, "the service's state could not be recorded"),
    });
  }

  /** Listens on the loopback interface, whatever the public host is. */
  async #openEcho(): Promise<string | null> {
    const { echoPort } = this.#parts.config;
    if (echoPort === null) return null;
    const { EchoServer } = await import('../echo/echo-server.ts');
    this.#echo = new EchoServer();
    const address = await listen(this.#echo.http, '127.0.0.1', echoPort, {
      port: '--echo-port',
    });
    return address.replace('http', 'ws');
  }
}

function doorNode(node: NodeServices, isBehind: () => boolean): DoorNode {
  const { tokenSecrets } = node;
  return { tokenSecrets, isBehind, isDisputed: (indicator) => node.isDisputed(indicator) };
}

/**
 * The REST API in one process, without threads and sockets: the real server, routes and account store on SQLite in
 * memory, and a manual clock. Requests are injected, from any address.
 */

import { randomBytes } from 'node:crypto';
import { channel } from 'node:diagnostics_channel';
import type { AddressInfo } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import type { SessionKind } from '@tapeloom/core/calendar/session';
import { parseIpRange } from '@tapeloom/core/entitlement/ip-range';
import { type KeyRights, SCOPES } from '@tapeloom/core/entitlement/key-rights';
import type { Grant, Plan } from '@tapeloom/core/entitlement/plan';
import type { InstrumentBook } from '@tapeloom/core/instrument/instrument-book';
import type { EpochNs } from '@tapeloom/core/numbers';
import { INDICATORS, publishedDefinitions } from '@tapeloom/core/studies/catalogue';
import type { Problem } from '@tapeloom/protocol/problem';
import { ManualClock } from '../../../../simulation/clock/manual-clock.ts';
import { AddressThrottle } from '../../src/accounts/auth/address-throttle.ts';
import { AuthThrottle } from '../../src/accounts/auth/auth-throttle.ts';
import { digestOf, newKeyText } from '../../src/accounts/auth/secret.ts';
import { SessionKeeper } from '../../src/accounts/auth/session-keeper.ts';
import { StoreAuthenticator } from '../../src/accounts/auth/store-authenticator.ts';
import type { KeyRecord } from '../../src/accounts/keys/keys-store.ts';
import { Charges } from '../../src/accounts/limits/charges.ts';
import { MemoryAllowances } from '../../src/accounts/limits/memory-allowances.ts';
import { MemoryLeases } from '../../src/accounts/limits/memory-leases.ts';
import { UsageMeter } from '../../src/accounts/limits/usage-meter.ts';
import type { AccountStore } from '../../src/accounts/store/account-store.ts';
import { openSqliteAccountStore } from '../../src/accounts/store/sqlite/sqlite-account-store.ts';
import type { StoreCall } from '../../src/accounts/store/store-call.ts';
import { Billing } from '../../src/billing/billing.ts';
import type { OfferBook } from '../../src/billing/offer-book.ts';
import { offerBook, type Pricing } from '../../src/billing/offers.ts';
import { DEFAULT_PRICING } from '../../src/billing/offers-default.ts';
import { Payments } from '../../src/billing/payments.ts';
import { DigestThread } from '../../src/exports/digest-thread.ts';
import { ExportPace } from '../../src/exports/export-pace.ts';
import { ExportTokens } from '../../src/exports/export-token.ts';
import { TableThread } from '../../src/exports/table-thread.ts';
import { AWAITED_LIMITS, type CoverSources } from '../../src/history/awaited-cover.ts';
import type { HistorySources } from '../../src/history/history-pages.ts';
import { type CatalogueFacts, catalogueFacts } from '../../src/http/routes/indicators-route.ts';
import { UnreadAnswers, type UnreadLimits } from '../../src/http/server/answers/unread-answers.ts';
import type {
  HttpServer,
  HttpServerOptions,
  HttpTimeouts,
} from '../../src/http/server/http-server.ts';
import type { Route } from '../../src/http/server/route.ts';
import type { OutgoingMail } from '../../src/mail/mailer.ts';
import type { Pages } from '../../src/pages/pages.ts';
import type { PlainPages } from '../../src/pages/plain-pages.ts';
import { createLog } from '../../src/platform/log/log.ts';
import { DoorSockets, socketLimits } from '../../src/platform/network/door-sockets.ts';
import { SharedSlots } from '../../src/platform/sharing/shared-slots.ts';
import { composeRest, type RestParts } from '../../src/process/doors/rest-door.ts';
import { SettledDaysReader } from '../../src/results/settled-days-reader.ts';
import { StudyReplays } from '../../src/runs/study-replays.ts';
import { ScriptedProvider } from '../billing/scripted-provider.ts';
import { owedMailsOver } from '../mail/owed-mail-desk.ts';
import { MarketTape } from '../tape/market-tape.ts';
import { SettableMarket } from './settable-market.ts';

export const DOCS_URL = 'https://docs.example/api';
export const ORIGIN = 'https://portal.example';
/** A Wednesday morning in Chicago: every market is open. */
const START = instantOf('2026-11-11T16:00:00Z');
/** The default source address of requests, from the range for documentation. */
export const HOME_ADDRESS = '203.0.113.7';

const CATALOGUE: CatalogueFacts = catalogueFacts(publishedDefinitions());
/** Publishes responses for `npm test -- --validated`. */
const answers = channel('tapeloom:rest-answers');
const NEVER: Disposable = { [Symbol.dispose]: () => {} };
const NO_TIMERS = { after: () => NEVER, every: () => NEVER };

const GRANTS: Readonly<Record<Plan, readonly Grant['plan'][]>> = {
  sandbox: [],
  live: ['live'],
  history: ['history'],
  live_history: ['live', 'history'],
};

export interface RestServiceOptions {
  readonly start?: EpochNs;
  /** Proxies whose `X-Forwarded-For` is trusted, in CIDR. */
  readonly trustedProxies?: readonly string[];
  readonly timeouts?: HttpTimeouts;
  /** The connection slots; default: more than a test needs. */
  readonly sockets?: DoorSockets;
  /** Takes over the sockets of WebSocket requests. */
  readonly onUpgrade?: HttpServerOptions['onUpgrade'];
  readonly onAnswered?: HttpServerOptions['onAnswered'];
  readonly onRefused?: HttpServerOptions['onRefused'];
  /** Limits of pending output. */
  readonly unread?: Partial<UnreadLimits>;
  /** The instruments; default: the simulated market's. */
  readonly book?: InstrumentBook;
  /** What is served at `/`; default: nothing. */
  readonly pages?: (plain: PlainPages) => Pages;
  readonly origin?: string;
  /** The accounts; default: new ones. They are closed with the service. */
  readonly store?: AccountStore;
  /** The operator's pricing; default: the built-in one. */
  readonly pricing?: Pricing;
}

export interface RestRequest {
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON; strings and bytes are sent unchanged. */
  readonly body?: unknown;
  readonly address?: string;
  /** The secret of a key. */
  readonly key?: string | undefined;
}

export interface RestAnswer<Body> {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
  readonly body: Body;
}

export interface TestKey {
  readonly secret: string;
  readonly record: KeyRecord;
}

export class RestService implements AsyncDisposable {
  readonly clock: ManualClock;
  readonly store: AccountStore;
  readonly meter: UsageMeter;
  readonly leases = new MemoryLeases();
  readonly authenticator: StoreAuthenticator;
  readonly authThrottle: AuthThrottle;
  readonly sockets: DoorSockets;
  readonly http: HttpServer;
  readonly unread: UnreadAnswers;
  readonly routes: readonly Route[];
  readonly logged: string[] = [];
  readonly mails: OutgoingMail[] = [];
  /** The payment providers: this one for all countries but the US, the other for the US. */
  readonly provider = new ScriptedProvider('test');
  readonly otherProvider = new ScriptedProvider('other');
  readonly payments: Payments;
  readonly billing: Billing;
  readonly sessions: SessionKeeper;
  readonly allowances = new MemoryAllowances();
  /** The public address. */
  readonly origin: string;
  /** A test can change its state. */
  readonly market: SettableMarket;
  readonly tape = new MarketTape();
  /** Total waiting time of requests; the clock stands still meanwhile. */
  pausedMs = 0;
  /** What a wait takes; default: one turn. */
  pausing: () => Promise<unknown> = () => turn();
  readonly awaited = new SharedSlots(AWAITED_LIMITS);
  /** The sources that read the tape; a test can replace them. */
  sources: HistorySources & CoverSources;
  readonly #reader: SettledDaysReader;
  /** A test can change it. */
  catalogue = CATALOGUE;
  /** A test can change it. */
  offers: OfferBook;
  /** A test can replace them by another service's. */
  tokens: ExportTokens;
  readonly #tables: TableThread;
  readonly #digests: DigestThread;
  readonly pace: ExportPace;
  readonly #replays: StudyReplays;
  #accounts = 0;

  private constructor(options: RestServiceOptions, store: AccountStore) {
    const { start = START, trustedProxies = [], timeouts } = options;
    const proxies = trustedProxies.map((text) => parseIpRange(text)!);
    this.clock = new ManualClock(start);
    this.pace = new ExportPace(this.clock);
    this.store = store;
    this.origin = options.origin ?? ORIGIN;
    this.market = new SettableMarket(this.clock, options.book);
    const shared = {
      tape: this.tape,
      indicators: new Map(INDICATORS.map((indicator) => [indicator.id, indicator])),
      sessionsOf: (symbol: string, kind: SessionKind) => this.market.sessionsOf(symbol, kind),
      yieldTurn: () => turn(),
    };
    this.#reader = new SettledDaysReader({ ...shared, cache: null });
    this.#replays = new StudyReplays({ ...shared, damaged: this.#reader.damaged });
    this.tokens = new ExportTokens({ secret: randomBytes(32) });
    this.sources = {
      days: this.#reader,
      replays: this.#replays,
    };
    const onFault = (error: unknown) => {
      throw error;
    };
    this.#tables = new TableThread({ timers: this.clock, onFault });
    this.#digests = new DigestThread({ onFault });
    // Stores its counts only on command: a month has too many seconds.
    const untimed = { ...NO_TIMERS, now: () => this.clock.now() };
    this.meter = new UsageMeter({ store, clock: untimed, onFault });
    this.authenticator = new StoreAuthenticator({ store, clock: this.clock, onFault });
    this.sessions = new SessionKeeper({ store, clock: this.clock, onFault });
    const addresses = new AddressThrottle();
    const { authenticator, clock } = this;
    this.authThrottle = new AuthThrottle({ authenticator, addresses, clock });
    this.sockets = options.sockets ?? new DoorSockets(socketLimits(1_000));
    this.offers = offerBook(options.pricing ?? DEFAULT_PRICING);
    ({ payments: this.payments, billing: this.billing } = this.#billingOver(store));
    this.unread = new UnreadAnswers(this.clock, options.unread);
    const { allowances, leases, meter, sessions, sockets, unread, authThrottle } = this;
    const charges = new Charges(store, clock);
    const asked = { authenticator, authThrottle, allowances, addresses, clock };
    const door = composeRest({
      accounts: { ...asked, store, sessions, meter, leases, charges },
      version: '1.2.3',
      sockets,
      unread,
      serviceClock: clock,
      catalogue: () => this.catalogue,
      market: this.market.facts,
      past: () => this.#past(),
      tapeDays: this.#reader,
      offers: () => this.offers,
      billing: () => this.billing,
      payments: () => this.payments,
      mailer: { send: (mail) => this.mails.push(mail) > 0 },
      origin: () => this.origin,
      trustedProxies: () => proxies,
      log: createLog({
        level: 'info',
        readable: false,
        write: (line) => this.logged.push(line),
      }),
      docsUrl: () => DOCS_URL,
      ...(options.pages === undefined ? {} : { pages: options.pages }),
      ...(timeouts === undefined ? {} : { timeouts }),
      ...(options.onUpgrade === undefined ? {} : { onUpgrade: options.onUpgrade }),
      ...(options.onAnswered === undefined ? {} : { onAnswered: options.onAnswered }),
      ...(options.onRefused === undefined ? {} : { onRefused: options.onRefused }),
    });
    this.http = door.http;
    this.routes = door.routes;
  }

  static async start(options: RestServiceOptions = {}): Promise<RestService> {
    return new RestService(options, options.store ?? (await openSqliteAccountStore(':memory:')));
  }

  async deliverMails(): Promise<void> {
    const { store, clock, offers } = this;
    const publicUrl = () => this.origin;
    const deliver = async (mail: OutgoingMail) => void this.mails.push(mail);
    await using owed = owedMailsOver({ store, clock, offers, publicUrl, deliver });
    await owed.look();
  }

  #billingOver(store: AccountStore): { readonly payments: Payments; readonly billing: Billing } {
    const { clock } = this;
    const offers = offerBook({
      ...this.offers,
      countries: this.offers.countries.map(({ code, provider }) => ({
        code,
        provider: code === 'US' ? 'other' : provider,
      })),
    });
    const log = createLog({
      level: 'warn',
      readable: false,
      write: (line) => this.logged.push(line),
    });
    const publicUrl = () => this.origin;
    const providers = [this.provider, this.otherProvider];
    const payments = new Payments({ store, providers, clock, log });
    return {
      payments,
      billing: new Billing({ store, payments, offers: () => offers, publicUrl, clock, log }),
    };
  }

  /** Creates an account; returns its id. */
  async account(plan: Plan = 'sandbox'): Promise<string> {
    this.#accounts += 1;
    const name = `account ${this.#accounts}`;
    const grants = GRANTS[plan].map((granted) => ({ plan: granted, until: null }));
    const made = await this.store.createAccount(this.#operator(), { name, grants });
    if ('refused' in made) throw new Error(`${name}: ${made.refused}`);
    return made.id;
  }

  /** A new key, made by the operator: live, with all scopes and no restrictions, unless `rights` differ. */
  async key(accountId: string, rights: Partial<KeyRights> = {}): Promise<TestKey> {
    const whole: KeyRights = {
      environment: 'live',
      scopes: [...SCOPES],
      instruments: null,
      allowedIps: null,
      expiresAt: null,
      ...rights,
    };
    const secret = newKeyText(whole.environment, randomBytes);
    const record = await this.store.createKey(
      this.#operator(),
      accountId,
      { name: 'made by the operator', ...whole },
      digestOf(secret),
    );
    if ('refused' in record) throw new Error(`key: ${record.refused}`);
    return { secret, record };
  }

  /** The secret of a key with all rights in a new account. */
  async customer(plan: Plan = 'sandbox'): Promise<string> {
    return (await this.key(await this.account(plan))).secret;
  }

  async request<Body = Problem>(
    method: string,
    url: string,
    request: RestRequest = {},
  ): Promise<RestAnswer<Body>> {
    const { headers = {}, body, address = HOME_ADDRESS, key } = request;
    const isText = typeof body === 'string' || Buffer.isBuffer(body);
    const answer = await this.http.app.inject({
      method: method as 'GET',
      url,
      remoteAddress: address,
      headers: {
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { payload: isText ? body : JSON.stringify(body) }),
    });
    answers.publish({ method, url, answer });
    const isJson = answer.body !== '' && /\bjson\b/.test(String(answer.headers['content-type']));
    return {
      status: answer.statusCode,
      headers: answer.headers as Record<string, string | undefined>,
      text: answer.body,
      body: (isJson ? JSON.parse(answer.body) : undefined) as Body,
    };
  }

  get<Body = Problem>(url: string, request?: RestRequest): Promise<RestAnswer<Body>> {
    return this.request('GET', url, request);
  }

  post<Body = Problem>(url: string, request?: RestRequest): Promise<RestAnswer<Body>> {
    return this.request('POST', url, request);
  }

  delete<Body = Problem>(url: string, request?: RestRequest): Promise<RestAnswer<Body>> {
    return this.request('DELETE', url, request);
  }

  /** Listens on a loopback port, for tests that need real sockets; returns the port. */
  async listen(): Promise<number> {
    await this.http.app.listen({ port: 0, host: '127.0.0.1' });
    return (this.http.app.server.address() as AddressInfo).port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.http.app.close();
    await this.#tables[Symbol.asyncDispose]();
    await this.#digests[Symbol.asyncDispose]();
    this.#replays[Symbol.dispose]();
    await this.meter[Symbol.asyncDispose]();
    this.authenticator[Symbol.dispose]();
    this.sessions[Symbol.dispose]();
    await this.payments.idle();
    await this.store[Symbol.asyncDispose]();
  }

  #operator(): StoreCall {
    return { now: this.clock.now(), actor: { kind: 'operator' } };
  }

  #past(): ReturnType<RestParts['past']> {
    return {
      tokens: this.tokens,
      tables: this.#tables,
      digests: this.#digests,
      pace: this.pace,
      pause: async (ms) => {
        this.pausedMs += ms;
        await this.pausing();
      },
      awaited: this.awaited,
      sources: this.sources,
    };
  }
}

export function instantOf(text: string): EpochNs {
  return (BigInt(Date.parse(text)) * 1_000_000n) as EpochNs;
}

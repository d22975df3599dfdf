/**
 * The process under the REST benchmark; it ends with the bench. It runs the real HTTP server with
 * real accounts in their own thread and file, all checks on. On another port, a bare route responds
 * with given bytes.
 */

import { randomBytes } from 'node:crypto';
import type { Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { calendarNamed } from '@tapeloom/core/calendar/calendars';
import { extendSessionBook } from '@tapeloom/core/calendar/session-book';
import { SCOPES } from '@tapeloom/core/entitlement/key-rights';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { addDays, dayOf } from '@tapeloom/core/utc-day';
import { digestOf, newKeyText } from '@tapeloom/server/accounts/auth/secret';
import type { InstrumentFacts } from '@tapeloom/server/http/routes/instrument-view';
import { restRoutes } from '@tapeloom/server/http/routes/rest-routes';
import { createHttpServer } from '@tapeloom/server/http/server/http-server';
import { SimDataset } from '@tapeloom/server/markets/sim/sim-dataset';
import { createLog } from '@tapeloom/server/platform/log/log';
import { DoorSockets, socketLimits } from '@tapeloom/server/platform/network/door-sockets';
import { AccountServices } from '@tapeloom/server/process/customers/account-services';
import { TradingWorld } from '@tapeloom/server/process/days/trading-world';
import type { DatasetBook } from '@tapeloom/server/runs/session-tables';
import type { FromRestServer, ToRestServer } from './rest-wire.ts';

const ACCOUNTS = 500;
const SECOND_NS = 1_000_000_000n;
const MARKET = new SimDataset({ seed: 1, printsScale: 0.01 });

interface BareApp {
  readonly server: Server;
  get(path: string, answer: (request: unknown, reply: BareReply) => unknown): void;
  listen(options: { readonly port: number; readonly host: string }): Promise<string>;
}
interface BareReply {
  header(name: string, value: string): BareReply;
  send(body: string): BareReply;
}
/** The same framework as the server's, from its dependencies. */
const { fastify } = createRequire(import.meta.resolve('@tapeloom/server/http/server/http-server'))(
  'fastify',
) as { fastify: () => BareApp };

const log = createLog({ level: 'error', readable: true, write: (line) => console.error(line) });
const accounts = await AccountServices.open({
  data: process.argv[2]!,
  log,
});
const keys: string[] = [];
for (let number = 1; number <= ACCOUNTS; number += 1) keys.push(await makeKey(`account ${number}`));

const { app } = createHttpServer({
  authenticator: accounts.authenticator,
  authThrottle: accounts.authThrottle,
  sockets: new DoorSockets(socketLimits(20_000)),
  allowances: accounts.allowances,
  addresses: accounts.addresses,
  meter: accounts.meter,
  clock: accounts.clock,
  trustedProxies: () => [],
  log,
  portal: { sessions: accounts.sessions, store: accounts.store, origin: () => 'http://127.0.0.1' },
  docsUrl: () => 'http://127.0.0.1/docs',
  routes: restRoutes({
    version: '0',
    catalogue: unasked,
    engineState: () => 'up',
    statusHistory: unasked,
    instruments: marketFacts(),
    store: () => accounts.store,
    usageOf: (...of) => accounts.meter.usageOf(...of),
    openNow: unasked,
    history: unasked,
    portal: unasked,
    billing: unasked,
    payments: unasked,
    offers: unasked,
  }),
});
const bare = fastify();
const bareAnswers = new Map<string, string>();
for (const path of ['/v1/usage', '/v1/instruments']) {
  bare.get(path, (_request, reply) =>
    reply.header('content-type', 'application/json; charset=utf-8').send(bareAnswers.get(path)!),
  );
}
await app.listen({ port: 0, host: '127.0.0.1' });
await bare.listen({ port: 0, host: '127.0.0.1' });

process.on('disconnect', () => process.exit(0));
process.on('message', (message: ToRestServer) => {
  if (message.t === 'bare-answer') bareAnswers.set(message.path, message.body);
  tell({
    t: 'cpu',
    allMs: milliseconds(process.cpuUsage()),
    mainMs: milliseconds(process.threadCpuUsage()),
  });
});
tell({ t: 'ready', port: portOf(app.server), barePort: portOf(bare.server), keys });

function tell(message: FromRestServer): void {
  process.send!(message);
}

async function makeKey(name: string): Promise<string> {
  const call = { now: accounts.clock.now(), actor: { kind: 'operator' } } as const;
  const account = await accounts.store.createAccount(call, {
    name,
    grants: [
      { plan: 'live', until: null },
      { plan: 'history', until: null },
    ],
  });
  if ('refused' in account) throw new Error(account.refused);
  const secret = newKeyText('live', randomBytes);
  const rights = {
    name: 'bench',
    environment: 'live',
    scopes: SCOPES,
    instruments: null,
    allowedIps: ['127.0.0.0/8'],
    expiresAt: null,
  } as const;
  const made = await accounts.store.createKey(call, account.id, rights, digestOf(secret));
  if ('refused' in made) throw new Error(made.refused);
  return secret;
}

/** The simulated market of today; trades become known once a second, as the ingest reports them. */
function marketFacts(): () => InstrumentFacts {
  const now = accounts.clock.now();
  const day = dayOf(now);
  const world = worldOf(day, sessionBooks(now));
  const days = Array.from({ length: 10 }, (_, back) => addDays(day, back - 9));
  const complete = { state: 'complete', origin: 'live', gaps: [] } as const;
  const known = new Map(days.map((one) => [one, complete]));
  const onTape = new Map(world.book.all().map(({ symbol }) => [symbol, known]));
  return () => {
    const at = accounts.clock.now();
    return {
      book: world.book,
      now: at,
      tapeDay: () => day,
      isSourceUp: () => true,
      isFed: () => true,
      revision: Number(at / SECOND_NS),
      isStreamed: (symbol) => world.isStreamed(symbol),
      fullSessions: (symbol) => world.fullSessions(symbol),
      timeZoneOf: (symbol, date) => world.timeZoneOf(symbol, date),
      lastTradeAt: () => (at - (at % SECOND_NS)) as EpochNs,
      tapeTime: () => at,
      days: () => onTape,
    };
  };
}

function worldOf(day: UtcDay, books: readonly DatasetBook[]): TradingWorld {
  return new TradingWorld({ markets: [MARKET], day, timeOf: () => MARKET.dataset, books });
}

function sessionBooks(now: EpochNs) {
  const day = dayOf(now);
  const names = worldOf(day, [])
    .book.all()
    .map(({ calendar }) => calendar);
  const [from, to] = [addDays(day, -10), addDays(day, 10)];
  return [...new Set(names)].map((name) => {
    const book = extendSessionBook(null, calendarNamed(name), from, to, now);
    return { dataset: MARKET.dataset, book };
  });
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

function milliseconds({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1_000;
}

function unasked(): never {
  throw new Error('the bench does not ask for it');
}

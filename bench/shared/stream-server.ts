/**
 * The process under benchmarks of the whole stream; it ends with the bench. It composes accounts,
 * tape, engine, hub, gateway and HTTP server as the service does, over a source that the bench
 * drives.
 */

import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { MessageChannel, Worker } from 'node:worker_threads';
import type { EpochNs } from '@tapeloom/core/numbers';
import { dayOf } from '@tapeloom/core/utc-day';
import { offerBook } from '@tapeloom/server/billing/offers';
import { DEFAULT_PRICING } from '@tapeloom/server/billing/offers-default';
import { readConfig } from '@tapeloom/server/config/config';
import { PublicAddress } from '@tapeloom/server/config/public-address';
import { UnreadAnswers } from '@tapeloom/server/http/server/answers/unread-answers';
import { simSetting } from '@tapeloom/server/markets/market-setting';
import { openMarket } from '@tapeloom/server/markets/open-market';
import { createSimUniverse } from '@tapeloom/server/markets/sim/sim-universe';
import { onlyMarket } from '@tapeloom/server/operations/start/service-markets';
import { OperatorPages } from '@tapeloom/server/pages/operator-pages';
import { createLog } from '@tapeloom/server/platform/log/log';
import { socketLimits } from '@tapeloom/server/platform/network/door-sockets';
import { AccountServices } from '@tapeloom/server/process/customers/account-services';
import { openImported } from '@tapeloom/server/process/days/open-imported';
import { Doors } from '@tapeloom/server/process/doors/doors';
import type { IngestOpened } from '@tapeloom/server/process/ingest/ingest-wire';
import { makeAccounts } from '../../tests/account-maker.ts';
import { BareWriter } from '../peers/bare-writes.ts';
import type { DrivenIngestData } from '../tape/driven-ingest.ts';
import type { BarePlay, FromStreamServer, ToDrivenIngest, ToStreamServer } from './stream-wire.ts';

const ALIAS = 'BTC.c.0';

const [data = '', accountsText = ''] = process.argv.slice(2);
const config = readConfig({
  env: { TAPELOOM_DATA: data, TAPELOOM_PORT: '0', TAPELOOM_LOG_LEVEL: 'error' },
  args: [],
  readFile: () => '',
});
const log = createLog({ level: 'error', readable: true, write: (line) => console.error(line) });
const names = Array.from({ length: Number(accountsText) }, (_, index) => `account ${index}`);
const keys = await makeAccounts(data, names);
const accounts = await AccountServices.open({ data, log });

const now = accounts.clock.now();
const { book } = createSimUniverse({ seed: config.simSeed, printsScale: 1 }, dayOf(now));
const { symbol } = book.resolve(ALIAS, dayOf(now))!;
const setting: DrivenIngestData = { tapeRoot: join(data, 'tape'), symbol };
const ingest = new Worker(new URL('../tape/driven-ingest.ts', import.meta.url), {
  workerData: setting,
});
const [opened] = (await once(ingest, 'message')) as [IngestOpened];
ingest.on('message', (message: FromStreamServer) => tell(message));

const live = {
  offers: offerBook(DEFAULT_PRICING),
  operatorPages: new OperatorPages(),
  trustedProxies: config.trustedProxies,
};
const unread = new UnreadAnswers(accounts.clock);
const { dataset } = openMarket(simSetting(config));
const follow = () => {
  const { port1, port2 } = new MessageChannel();
  tellIngest({ t: 'follow', port: port1 }, [port1]);
  return new Map([[dataset, port2]]);
};
const doors = new Doors(
  {
    config,
    live: () => live,
    mailer: { send: () => true },
    publicAddress: new PublicAddress(config.publicUrl, config.port),
    version: '0',
    log,
    opened: {
      clock: opened.clock,
      books: opened.books.map((book) => ({ dataset, book })),
      recoveries: new Map([[dataset, opened.recovery]]),
    },
    markets: [simSetting(config)],
    imported: await openImported(data, onlyMarket(simSetting(config)), opened.clock),
    accounts,
    unread,
    ingests: {
      follow,
      datasets: [dataset],
      received: [],
      timeOf: () => dataset,
      check: () => undefined,
      relist: () => false,
      daysHere: () => Promise.resolve(true),
      wantWatermark: () => undefined,
    },
    connections: socketLimits(20_000),
  },
  {
    lastTradeAt: () => null as EpochNs | null,
    tradesTold: () => 0,
    onEngineLost: () => process.exit(1),
    onAnswered: () => {},
    onEnded: () => {},
    onOutcome: () => {},
  },
);
await doors.listen();
const bare = new BareWriter();

process.on('disconnect', () => process.exit(0));
process.on('message', (message: ToStreamServer) => {
  if (message.t === 'usage') tellUsage();
  else if (message.t === 'bare') void playBare(message);
  else tellIngest(message);
});
const { port } = doors.http.app.server.address() as AddressInfo;
tell({ t: 'ready', port, barePort: await bare.listen(), keys, symbol });

async function playBare({ rows, topics }: BarePlay): Promise<void> {
  tell({ t: 'bare', times: await bare.play(rows, topics) });
}

function tellUsage(): void {
  const all = process.cpuUsage();
  const main = process.threadCpuUsage();
  tell({
    t: 'usage',
    cpuMs: (all.user + all.system) / 1_000,
    mainCpuMs: (main.user + main.system) / 1_000,
    residentBytes: process.memoryUsage.rss(),
    closes: doors.gateway.metrics.closesTotal,
  });
}

function tellIngest(message: ToDrivenIngest, moved: readonly MessagePort[] = []): void {
  ingest.postMessage(message, moved);
}

function tell(message: FromStreamServer): void {
  process.send!(message);
}

/**
 * The process under the history and export benchmarks; it ends with the bench. It runs the whole
 * service on a prepared data directory. In the same thread and framework, bare routes send a file
 * from disk: as it is, and with the digest and the commits of an export.
 */

import { createReadStream, statSync } from 'node:fs';
import type { Server, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { offerBook } from '@tapeloom/server/billing/offers';
import { DEFAULT_PRICING } from '@tapeloom/server/billing/offers-default';
import { readConfig } from '@tapeloom/server/config/config';
import { createLog } from '@tapeloom/server/platform/log/log';
import { Service } from '@tapeloom/server/process/service';
import { DigestedFile } from './digested-file.ts';
import type { FromHistoryServer, ToHistoryServer } from './history-wire.ts';

const SAMPLE_MS = 25;
/** Today's market continues meanwhile, with hardly a trade. */
const SIM_SCALE = '0.001';

interface FileApp {
  readonly server: Server;
  get(path: string, answer: (request: unknown, reply: FileReply) => unknown): void;
  listen(options: { readonly port: number; readonly host: string }): Promise<string>;
}
interface FileReply {
  header(name: string, value: string | number): FileReply;
  send(body: Readable): FileReply;
  hijack(): void;
  readonly raw: ServerResponse;
}
/** The same framework as the service's, from its dependencies. */
const { fastify } = createRequire(import.meta.resolve('@tapeloom/server/http/server/http-server'))(
  'fastify',
) as { fastify: () => FileApp };

const data = process.argv[2]!;
const config = readConfig({
  env: {
    TAPELOOM_DATA: data,
    TAPELOOM_PORT: '0',
    TAPELOOM_INTERNAL_PORT: '0',
    TAPELOOM_SIM_SCALE: SIM_SCALE,
    TAPELOOM_LOG_LEVEL: 'error',
  },
  args: [],
  readFile: () => '',
});
const service = await Service.start({
  offers: offerBook(DEFAULT_PRICING),
  config,
  version: '0',
  log: createLog({ level: 'error', readable: true, write: (line) => process.stderr.write(line) }),
  onFill: () => {},
});
await service.live;

const app = fastify();
let file = '';
app.get('/file', (_request, reply) =>
  reply
    .header('content-type', 'application/zstd')
    .header('content-length', statSync(file).size)
    .send(createReadStream(file)),
);
const digested = new DigestedFile(join(data, 'floor.db'));
app.get('/digested-file', async (_request, reply) => {
  reply.hijack();
  await digested.send(file, reply.raw);
});
await app.listen({ port: 0, host: '127.0.0.1' });

let peak = 0;
setInterval(() => {
  peak = Math.max(peak, process.memoryUsage.rss());
}, SAMPLE_MS);
process.on('disconnect', () => process.exit(0));
process.on('message', (message: ToHistoryServer) => {
  if (message.t === 'file') file = message.path;
  const { user, system } = process.cpuUsage();
  const rssBytes = process.memoryUsage.rss();
  const rssPeakBytes = Math.max(peak, rssBytes);
  peak = 0;
  tell({ t: 'usage', cpuMs: (user + system) / 1_000, rssBytes, rssPeakBytes });
});
tell({
  t: 'ready',
  port: Number(new URL(service.addresses!.rest).port),
  filePort: (app.server.address() as AddressInfo).port,
});

function tell(message: FromHistoryServer): void {
  process.send!(message);
}

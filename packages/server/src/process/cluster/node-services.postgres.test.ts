import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import type { EpochNs } from '@tapeloom/core/numbers';
import { pino } from 'pino';
import { ManualClock } from '../../../../../simulation/clock/manual-clock.ts';
import { PostgresCopy } from '../../../testing/platform/postgres-copy.ts';
import { PostgresServer } from '../../../testing/platform/postgres-server.ts';
import { prepareSharedTables } from '../../accounts/shared/shared-tables.ts';
import type { ClusterConfig } from '../../config/cluster-settings.ts';
import { ExportTokens } from '../../exports/export-token.ts';
import type { HistoryQuery } from '../../history/history-query.ts';
import { changeSecret } from '../../operations/cluster/change-secret.ts';
import { openPostgres } from '../../platform/postgres/postgres.ts';
import { createClock } from '../../platform/system-clock.ts';
import { NodeServices } from './node-services.ts';

const SECRETS_EVERY_MS = 10_000;
const QUERY: HistoryQuery = {
  instrument: 'BTC.c.0',
  contract: 'BTCZ6',
  tickSizeNanos: 1_000_000_000,
  indicator: 'bars',
  params: { bar: 'tick', size: 5 },
  depth: 500,
  computeUnitsPerTrade: 1,
  mode: 'live',
  hasSnapshot: false,
  format: 'ndjson',
  from: 1n as EpochNs,
  to: 2n as EpochNs,
  untilCursor: null,
  cursor: null,
  limit: 1,
};

let server: PostgresServer;
let data: string;
before(async () => {
  data = await mkdtemp(join(tmpdir(), 'tapeloom-node-'));
  server = await PostgresServer.start();
});
after(async () => {
  await server[Symbol.asyncDispose]();
  await rm(data, { recursive: true });
});

test('put back to an older copy, the secret of exports is that of the copy with the next beat, and who counts on what came after hears of it', async () => {
  const url = await server.database();
  {
    await using postgres = openPostgres({ url, connectionsMax: 1 });
    await prepareSharedTables(postgres);
    await postgres.query(`insert into cluster values (true, 'cluster_1', 1)`);
  }
  const cluster = {
    node: 'a',
    roles: { ingest: true, serve: true },
    postgres: { url, passwordFile: null, caFile: null },
  } as ClusterConfig;
  const clock = new ManualClock(createClock({ kind: 'system' }).now());
  const log = pino({ level: 'silent' });
  await using node = await NodeServices.open({ data, cluster, version: '1', clock, log });
  let older = 0;
  const ignored = () => undefined;
  const news = { drain: ignored, displaced: ignored, agreed: ignored, looked: ignored };
  node.start({
    ...news,
    older: () => {
      older += 1;
    },
  });
  const tokens = new ExportTokens({ secret: node.tokenSecrets });
  const begun = { queries: [QUERY], engineFingerprint: 'engine', inputs: null };
  const issued = () => tokens.issue(clock.now(), 'acc_1', begun);
  const readings = (...all: readonly string[]) =>
    all.map((token) => tokens.read(clock.now(), 'acc_1', token).t);
  const signed = () => Buffer.from(node.tokenSecrets().signing).toString('hex');
  const until = async (isSo: () => boolean) => {
    while (!isSo()) await wait(1);
  };

  const [first, early] = [signed(), issued()];
  const copy = await PostgresCopy.of(server);
  await changeSecret(cluster, true);
  clock.advance(SECRETS_EVERY_MS);
  await until(() => signed() !== first);
  const late = issued();
  assert.deepEqual(readings(early, late), ['unknown', 'good']);
  assert.equal(older, 0);
  await copy.putBack();
  // The clock does not move, so no timer reads them.
  while (older === 0) await node.register.beat();
  await until(() => signed() === first);
  assert.equal(older, 1);
  assert.deepEqual(readings(early, late), ['good', 'unknown']);
});

/**
 * The accounts of a cluster from a dump, by the real `pg_dump` and `pg_restore`: made while nodes
 * run, restored into a new database, or in the place of a newer one below running nodes.
 */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { openPostgres } from '@tapeloom/server/platform/postgres/postgres';
import {
  postgresTool,
  postgresToolsMissing,
} from '../../packages/server/testing/platform/find-postgres-tools.ts';
import { natsServerMissing } from '../../packages/server/testing/tape/find-nats-server.ts';
import { ClusterNode } from './cluster-node.ts';
import { ClusterRig } from './cluster-rig.ts';
import { answers } from './in-the-end.ts';
import { makeSharedAccounts } from './shared-accounts.ts';

/** Tables that nodes do not change on their own, unlike counters of requests. */
const STEADY = ['accounts', 'audit_log', 'cluster', 'grants', 'shared_secrets'];

suite('accounts out of a dump', { skip: natsServerMissing || postgresToolsMissing }, () => {
  let rig: ClusterRig;
  before(async () => {
    const nodes = { first: 'ingest,serve', second: 'serve' } as const;
    rig = await ClusterRig.make({ nodes, replicas: 1, nats: { count: 1 } });
    await rig.startNodes();
  });
  after(async () => await rig?.[Symbol.asyncDispose]());

  const dumped = async (name: string, url: string): Promise<string> => {
    const file = join(rig.directory, name);
    await postgresTool('pg_dump', '--format=custom', `--file=${file}`, `--dbname=${url}`);
    return file;
  };
  const restored = async (file: string): Promise<string> => {
    const url = await rig.postgres.database();
    await postgresTool('pg_restore', '--exit-on-error', `--dbname=${url}`, file);
    return url;
  };

  test('made while nodes run it has the same rows, and nodes go on with one in a new database', async () => {
    const [key] = await makeSharedAccounts(rig.database, ['kept']);
    await bothAnswer(key!, 200);
    const running = await restored(await dumped('running', rig.database));
    const [copied, own] = [await sumsOf(running), await sumsOf(rig.database)];
    for (const table of STEADY) assert.equal(copied.get(table), own.get(table), table);
    for (const node of rig.nodes.values()) assert.equal(await node.stop(), 0);
    const url = await restored(await dumped('whole', rig.database));
    const sums = await sumsOf(url);
    assert.ok(sums.size > 30, `${sums.size} tables`);
    assert.deepEqual(sums, await sumsOf(rig.database));
    for (const [name, { setting }] of rig.nodes) {
      const env = { ...setting.env, TAPELOOM_POSTGRES_URL: url };
      rig.nodes.set(name, new ClusterNode({ ...setting, env }));
    }
    await rig.startNodes();
    await bothAnswer(key!, 200);
  });

  test('an older one in the place of the database: nodes that run forget what it does not know, and miss no revocation', async () => {
    const url = rig.node('first').setting.env.TAPELOOM_POSTGRES_URL!;
    const [early] = await makeSharedAccounts(url, ['early']);
    await bothAnswer(early!, 200);
    const file = await dumped('older', url);
    const late = await makeSharedAccounts(url, ['late', 'later', 'latest']);
    for (const key of late) await bothAnswer(key, 200);

    const older = await restored(file);
    await putInPlace(older, url);
    // The nodes had cached these keys as valid, and no revocation exists.
    for (const key of late) await bothAnswer(key, 401);
    await bothAnswer(early!, 200);
    // Its event reuses a number that the nodes have received for another event.
    const { id } = (await keysOf(url, 'early'))[0]!;
    const revoked = await rig.commandWith(
      { TAPELOOM_POSTGRES_URL: url },
      'key',
      'revoke',
      id,
      '--yes',
    );
    assert.equal(revoked.code, 0, revoked.stderr);
    await bothAnswer(early!, 401);
  });

  test('one from before the nodes were started: they end with a sentence, and come up again', async () => {
    const url = rig.node('first').setting.env.TAPELOOM_POSTGRES_URL!;
    await putInPlace(await restored(join(rig.directory, 'running')), url);
    for (const node of rig.nodes.values()) {
      const { service } = node;
      assert.equal(await service.ended, 1);
      assert.match(
        `${service.output}${service.errors}`,
        /PostgreSQL was restored from an older backup/,
      );
      await node.kill();
    }
    await rig.startNodes();
    for (const node of rig.nodes.values()) assert.equal(await node.stop(), 0);
  });

  async function bothAnswer(key: string, status: number): Promise<void> {
    for (const node of rig.nodes.values()) await answers(node, key, status);
  }

  /** Gives one database the name of another, whose connections end. */
  async function putInPlace(older: string, url: string): Promise<void> {
    const [from, to] = [older, url].map((one) => new URL(one).pathname.slice(1));
    await using postgres = openPostgres({ url: rig.postgres.urlOf('postgres') });
    await postgres.query(`alter database ${to} allow_connections false`);
    await postgres.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1',
      [to],
    );
    await postgres.query(`alter database ${to} rename to ${from}_lost`);
    await postgres.query(`alter database ${from} rename to ${to}`);
  }
});

async function keysOf(url: string, account: string): Promise<readonly { readonly id: string }[]> {
  await using postgres = openPostgres({ url, connectionsMax: 1 });
  return await postgres.query<{ readonly id: string }>(
    'select k.id from keys k join accounts a on a.id = k.account_id where a.name = $1',
    [account],
  );
}

/** The row count and digest of each table. */
async function sumsOf(url: string): Promise<ReadonlyMap<string, string>> {
  await using postgres = openPostgres({ url, connectionsMax: 1 });
  const tables = await postgres.query<{ readonly name: string }>(
    `select tablename as name from pg_tables where schemaname = 'public' order by 1`,
  );
  const sums = new Map<string, string>();
  for (const { name } of tables) {
    const [row] = await postgres.query<{ readonly sum: string }>(
      `select count(*) || ' ' || coalesce(md5(string_agg(t::text, '|' order by t::text)), '') as sum from ${name} t`,
    );
    sums.set(name, row!.sum);
  }
  return sums;
}

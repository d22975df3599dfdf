/** Accounts in PostgreSQL, shared by the nodes of a cluster and the operator's commands. */

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { after, before, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { commands } from '@tapeloom/cli/commands';
import { sharedSecrets } from '@tapeloom/server/accounts/shared/shared-secrets';
import { prepareSharedTables } from '@tapeloom/server/accounts/shared/shared-tables';
import { StartRefusedError } from '@tapeloom/server/operations/start/start-refused-error';
import { createLog } from '@tapeloom/server/platform/log/log';
import { openPostgres } from '@tapeloom/server/platform/postgres/postgres';
import { createClock } from '@tapeloom/server/platform/system-clock';
import { AccountServices } from '@tapeloom/server/process/customers/account-services';
import { runRecorded } from '../../packages/cli/testing/recorded-io.ts';
import { PostgresServer } from '../../packages/server/testing/platform/postgres-server.ts';
import { ManualClock } from '../../simulation/clock/manual-clock.ts';

/** The interval at which a node probes an unreachable database. */
const PROBE_MS = 5_000;
/** The interval of the probes during a start. */
const START_AGAIN_MS = 1_000;
let server: PostgresServer;
before(async () => {
  server = await PostgresServer.start();
});
after(async () => await server[Symbol.asyncDispose]());

function manualClock(): ManualClock {
  return new ManualClock(createClock({ kind: 'system' }).now());
}

async function openNode(url: string, clock = manualClock()) {
  const log = createLog({ level: 'fatal', readable: false, write: () => {} });
  const cluster = { node: 'a', postgres: { url, passwordFile: null, caFile: null } };
  const accounts = await AccountServices.open({ data: tmpdir(), log, clock, cluster });
  return Object.assign(accounts, { timers: clock });
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await wait(10);
}

test('of nodes that start on an empty database at once, one makes the first account and tells its keys', async () => {
  const url = await server.database();
  const nodes = await Promise.all([openNode(url), openNode(url), openNode(url)]);
  const told = await Promise.all(nodes.map((node) => node.firstKeys()));
  const secrets = told.map((first) => first.secrets).filter((first) => first !== null);
  assert.equal(secrets.length, 1);
  for (const { authenticator } of nodes) {
    for (const secret of Object.values(secrets[0]!)) {
      const { verdict } = await authenticator.authenticate(`Bearer ${secret}`);
      assert.equal(verdict, 'accepted');
    }
  }
  assert.equal((await nodes[0]!.store.listAccounts()).length, 1);
  for (const node of nodes) await node[Symbol.asyncDispose]();
});

test('commands work on the accounts of the cluster, and its nodes hear of what they do', async () => {
  const url = await server.database();
  await using node = await openNode(url);
  const env = {
    TAPELOOM_POSTGRES_URL: url,
    TAPELOOM_NATS_URL: 'nats://127.0.0.1:4222',
    TAPELOOM_DATA: '/nowhere',
  };
  const run = (...words: readonly string[]) => runRecorded(commands, words, { env });
  assert.equal((await run('account', 'create', 'acme', '--plan', 'live')).code, 0);
  const options = ['--name', 'app', '--environment', 'live', '--scopes', 'stream', '--json'];
  const made = await run('key', 'create', '--account', 'acme', ...options);
  assert.equal(made.code, 0, made.err);
  const { id, key } = JSON.parse(made.out) as { readonly id: string; readonly key: string };

  const seen = await node.authenticator.authenticate(`Bearer ${key}`);
  assert.ok(seen.verdict === 'accepted');
  using _ = node.authenticator.watch(seen.caller);
  const ended = Promise.withResolvers<string>();
  using _hearing = node.authenticator.onRightsChange((change) => {
    if (change.t === 'key-ended') ended.resolve(change.keyId);
  });
  assert.equal((await run('key', 'revoke', id, '--yes')).code, 0);
  assert.equal(await ended.promise, id);
  assert.equal((await node.authenticator.authenticate(`Bearer ${key}`)).verdict, 'revoked');

  const copied = await run('backup', '/tmp/never.db');
  assert.equal(copied.code, 1);
  assert.match(copied.err, /in PostgreSQL: copy them with pg_dump/);
});

test('the secret of exports is changed for all nodes, not twice in a minute, and ended at once where it leaked', async () => {
  const url = await server.database();
  await using postgres = openPostgres({ url, connectionsMax: 2 });
  const env = { TAPELOOM_POSTGRES_URL: url, TAPELOOM_NATS_URL: 'nats://127.0.0.1:4222' };
  const run = (...words: readonly string[]) =>
    runRecorded(commands, ['cluster', 'secret', ...words], { env });
  const none = await run();
  assert.deepEqual([none.code, /tapeloom cluster init/.test(none.err)], [1, true], none.err);
  await prepareSharedTables(postgres);
  await postgres.query(`insert into cluster values (true, 'cluster_1', 1)`);
  const secrets = () => sharedSecrets('export', { postgres, random: randomBytes });
  const [first] = await secrets();
  const changed = await run();
  assert.equal(changed.code, 0, changed.err);
  assert.match(changed.out, /signs from a minute from now on.*stay valid for their 24 hours/);
  assert.deepEqual((await secrets())[1], first);
  const again = await run();
  assert.equal(again.code, 1);
  assert.match(
    again.err,
    /the secret was not changed: it was changed a moment ago: try again in \d+ s/,
  );
  const leaked = await run('--leaked', '--yes', '--json');
  assert.deepEqual(JSON.parse(leaked.out), { isChanged: true, endsOthers: true });
  assert.equal((await secrets()).length, 1);
});

test('while PostgreSQL is out of reach a node says so and recognises nobody; then it goes on by itself', async () => {
  const url = await server.database();
  await using node = await openNode(url);
  const { secrets } = await node.firstKeys();
  const authorization = `Bearer ${secrets!.live}`;
  const { authenticator } = node;
  assert.equal((await authenticator.authenticate(authorization)).verdict, 'accepted');
  await server.stop();
  await until(() => node.notReadyBecause !== null);
  assert.equal(node.notReadyBecause, 'the accounts cannot be reached');
  await assert.rejects(authenticator.authenticate(authorization), { trouble: 'unreachable' });
  const clock = manualClock();
  let refusal: unknown = null;
  void openNode(url, clock).catch((error: unknown) => {
    refusal = error;
  });
  // A start retries for a while, since PostgreSQL may start together with the node.
  await until(() => {
    clock.advance(START_AGAIN_MS);
    return refusal !== null;
  });
  assert.ok(refusal instanceof StartRefusedError);
  assert.match(refusal.message, /in PostgreSQL cannot be used: the accounts cannot be reached/);
  await server.start();
  await until(() => {
    node.timers.advance(PROBE_MS);
    return node.notReadyBecause === null;
  });
  assert.equal((await authenticator.authenticate(authorization)).verdict, 'accepted');
});

/** The messages for an operator when the PostgreSQL of a cluster cannot be used, with real servers. */

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { PostgresServer } from '../../../testing/platform/postgres-server.ts';
import { ownCertificate } from '../../../testing/rest/own-authority.ts';
import { prepareSharedTables } from '../../accounts/shared/shared-tables.ts';
import type { ClusterConfig } from '../../config/cluster-settings.ts';
import { openPostgres } from '../../platform/postgres/postgres.ts';
import { postgresFault } from './postgres-fault.ts';

let server: PostgresServer;
let directory: string;
before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tapeloom-fault-'));
  server = await PostgresServer.start();
});
after(async () => {
  await server[Symbol.asyncDispose]();
  await rm(directory, { recursive: true, force: true });
});

type Place = ClusterConfig['postgres'];

/** The message of a start that creates the tables; null if it succeeds. */
async function told(place: Partial<Place> & Pick<Place, 'url'>): Promise<string | null> {
  const where = { passwordFile: null, caFile: null, ...place };
  try {
    await using postgres = openPostgres({ ...where, connectionsMax: 1 });
    await prepareSharedTables(postgres);
    return null;
  } catch (error) {
    return postgresFault(where, error).sentence;
  }
}

async function as(sql: string): Promise<void> {
  await using postgres = openPostgres({ url: server.urlOf('postgres'), connectionsMax: 1 });
  await postgres.query(sql);
}

test('a wrong password, a missing file and an unknown database name the setting', async () => {
  await as(`create role closed login password 'right'`);
  await server.askPasswordOf('closed');
  const url = server.urlOf('postgres').replace('tapeloom@', 'closed@');
  const passwordFile = join(directory, 'password');
  await writeFile(passwordFile, 'wrong\n');
  const wrong = await told({ url, passwordFile });
  assert.match(
    wrong!,
    /^TAPELOOM_POSTGRES_PASSWORD_FILE: PostgreSQL at 127\.0\.0\.1:\d+ rejects the login as closed: password authentication failed/,
  );
  const inUrl = await told({ url: url.replace('closed@', 'closed:wrong@') });
  assert.match(inUrl!, /^TAPELOOM_POSTGRES_URL: .* rejects the login as closed/);
  assert.match((await told({ url }))!, /^TAPELOOM_POSTGRES_URL: .* rejects the login as closed/);
  const gone = join(directory, 'gone');
  assert.match(
    (await told({ url, passwordFile: gone }))!,
    /^TAPELOOM_POSTGRES_PASSWORD_FILE: the file cannot be read/,
  );
  assert.equal(
    await told({ url: server.urlOf('nowhere') }).then((it) => it!.replace(/:\d+ /, ' ')),
    'TAPELOOM_POSTGRES_URL: PostgreSQL at 127.0.0.1 has no database nowhere',
  );
  // Only the file is corrected.
  await writeFile(passwordFile, 'right\n');
  const mayNot = await told({ url, passwordFile });
  assert.match(
    mayNot!,
    /^TAPELOOM_POSTGRES_URL: closed may not create tables in postgres at .*: make it the owner/,
  );
});

test('a server that only reads, one without room for connections and one that is not there are told apart', async () => {
  const url = await server.database();
  const name = new URL(url).pathname.slice(1);
  await as(`alter database ${name} set default_transaction_read_only = on`);
  assert.match((await told({ url }))!, /^TAPELOOM_POSTGRES_URL: .* is read-only, like a standby/);
  await as(`create role crowded login connection limit 0`);
  const crowded = server.urlOf('postgres').replace('tapeloom@', 'crowded@');
  assert.match(
    (await told({ url: crowded }))!,
    /^TAPELOOM_POSTGRES_URL: .* has no free connection: raise max_connections/,
  );
  const nobody = 'postgresql://tapeloom@127.0.0.1:1/tapeloom';
  assert.match(
    (await told({ url: nobody }))!,
    /^TAPELOOM_POSTGRES_URL: PostgreSQL cannot be reached as tapeloom at 127\.0\.0\.1:1\/tapeloom: connect ECONNREFUSED/,
  );
});

test('TLS: who has none, whose certificate nobody vouches for, and whose somebody does', async () => {
  const plain = server.urlOf('postgres').replace('sslmode=disable', 'sslmode=verify-full');
  assert.match(
    (await told({ url: plain }))!,
    /^TAPELOOM_POSTGRES_URL: .* has no TLS: turn it on there, or use \?sslmode=disable/,
  );
  const tls = ownCertificate();
  const caFile = join(directory, 'ca.pem');
  await writeFile(caFile, tls.cert);
  await using secure = await PostgresServer.start({ tls });
  const url = secure.urlOf('postgres').replace('sslmode=disable', 'sslmode=verify-full');
  assert.match(
    (await told({ url }))!,
    /^TAPELOOM_POSTGRES_CA_FILE: the certificate of PostgreSQL at .* is not trusted: set it to a file with its CA/,
  );
  assert.equal(await told({ url, caFile }), null);
  const byName = url.replace('127.0.0.1', 'localhost');
  assert.match(
    (await told({ url: byName, caFile }))!,
    /^TAPELOOM_POSTGRES_URL: the certificate of PostgreSQL at localhost:\d+ is not good/,
  );
  const noFile = join(directory, 'no-ca.pem');
  assert.match(
    (await told({ url, caFile: noFile }))!,
    /^TAPELOOM_POSTGRES_CA_FILE: the file cannot be read/,
  );
});

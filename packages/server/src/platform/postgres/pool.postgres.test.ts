import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { PostgresServer } from '../../../testing/platform/postgres-server.ts';
import { openPostgres, PostgresError, PostgresUnreachableError } from './postgres.ts';

let server: PostgresServer;
let url: string;
before(async () => {
  server = await PostgresServer.start();
  url = await server.database();
});
after(async () => await server[Symbol.asyncDispose]());

test('a count of 64 bits comes back as it went', async () => {
  await using postgres = openPostgres({ url });
  const value = 9_223_372_036_854_775_807n;
  const rows = await postgres.query<{ value: bigint }>('select $1::int8 as value', [value]);
  assert.deepEqual(rows, [{ value }]);
});

test('a transaction is all or nothing', async () => {
  await using postgres = openPostgres({ url });
  await postgres.query('create table numbers (number int8 primary key)');
  await postgres.transaction((connection) => connection.query('insert into numbers values (1)'));
  const twice = postgres.transaction(async (connection) => {
    await connection.query('insert into numbers values (2)');
    await connection.query('insert into numbers values (1)');
  });
  await assert.rejects(twice, (error) => error instanceof PostgresError && error.code === '23505');
  assert.deepEqual(await postgres.query('select number from numbers'), [{ number: 1n }]);
});

test('a server that is killed is out of reach, and its connections are replaced when it is back', async () => {
  await using postgres = openPostgres({ url });
  await postgres.query('select 1');
  const held = await postgres.connect();
  const sleeping = assert.rejects(postgres.query('select pg_sleep(4)'), PostgresUnreachableError);
  await server.kill();
  await sleeping;
  await assert.rejects(held.query('select 1'), PostgresUnreachableError);
  held.release();
  await assert.rejects(postgres.query('select 1'), PostgresUnreachableError);
  await server.start();
  assert.deepEqual(await postgres.query('select 1 as one'), [{ one: 1 }]);
});

test('a password is read from its file at every connection, and a wrong one reaches nothing', async () => {
  await using operator = openPostgres({ url });
  await operator.query("create role guarded login password 'first'");
  const rules = join(server.directory, 'data', 'pg_hba.conf');
  await writeFile(rules, `host all guarded all scram-sha-256\n${await readFile(rules, 'utf8')}`);
  await operator.query('select pg_reload_conf()');

  const passwordFile = join(server.directory, 'password');
  await writeFile(passwordFile, 'first\n');
  const guarded = { url: url.replace('tapeloom@', 'guarded@'), passwordFile };
  await using postgres = openPostgres(guarded);
  assert.deepEqual(await postgres.query('select 1 as one'), [{ one: 1 }]);

  await operator.query("alter role guarded password 'second'");
  await using late = openPostgres(guarded);
  await assert.rejects(late.query('select 1'), PostgresUnreachableError);
  await writeFile(passwordFile, 'second\n');
  assert.deepEqual(await late.query('select 1 as one'), [{ one: 1 }]);
});

test('a connection to a server that only reads is not kept: the next one may lead to another', async () => {
  await using operator = openPostgres({ url });
  await operator.query('create table written (number int8)');
  await operator.query('create role mover login in role tapeloom');
  await operator.query('alter role mover set default_transaction_read_only = on');
  await using postgres = openPostgres({
    url: url.replace('tapeloom@', 'mover@'),
    connectionsMax: 1,
  });
  const write = () => postgres.query('insert into written values (1)');
  await postgres.query('select 1');
  await operator.query('alter role mover reset default_transaction_read_only');
  await assert.rejects(
    write(),
    (error) => error instanceof PostgresError && error.code === '25006',
  );
  await write();
});

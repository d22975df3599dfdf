import assert from 'node:assert/strict';
import { test } from 'node:test';
import { postgresAddress } from './postgres-address.ts';

test('an address of PostgreSQL is taken apart; TLS is checked unless it is on this machine', () => {
  assert.deepEqual(postgresAddress('postgresql://loom:a%20b@db.example.com:6432/tape-loom'), {
    host: 'db.example.com',
    port: 6_432,
    user: 'loom',
    password: 'a b',
    database: 'tape-loom',
    sslMode: 'verify-full',
  });
  const local = postgresAddress('postgres://loom@[::1]/tapeloom');
  assert.deepEqual(local, {
    host: '::1',
    port: 5_432,
    user: 'loom',
    password: null,
    database: 'tapeloom',
    sslMode: 'disable',
  });
  const beside = postgresAddress('postgresql://loom@%2Frun%2Fpostgresql/tapeloom');
  assert.deepEqual([beside?.host, beside?.sslMode], ['/run/postgresql', 'disable']);
  const asked = postgresAddress('postgresql://loom@10.0.0.9/tapeloom?sslmode=disable');
  assert.equal(asked?.sslMode, 'disable');
});

test('what is no such address is refused', () => {
  for (const text of [
    'http://loom@db/tapeloom',
    'postgresql://db/tapeloom',
    'postgresql://loom@db',
    'postgresql://loom@db/',
    'postgresql://loom@db/a/b',
    'postgresql://loom@db/tapeloom?sslmode=require',
    'postgresql://loom@db/tapeloom?sslmode=disable&sslmode=verify-full',
    'postgresql://loom@db/tapeloom?host=/tmp',
    'postgresql://loom@db/tapeloom#x',
    'postgresql://lo%om@db/tapeloom',
    'postgresql://loom@db /tapeloom',
    'postgresql://loom@db/tapeloom?sslmode=verify-ca',
  ]) {
    assert.equal(postgresAddress(text), null, text);
  }
});

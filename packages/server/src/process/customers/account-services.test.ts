import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { Problem } from '@tapeloom/protocol/problem';
import { sql } from 'kysely';
import { ManualClock } from '../../../../../simulation/clock/manual-clock.ts';
import { spoilDatabase } from '../../../testing/accounts/store/spoiled-database.ts';
import { RestService } from '../../../testing/rest/rest-service.ts';
import { openSqlAccountStore } from '../../accounts/store/sql-account-store.ts';
import { accountsPath } from '../../accounts/store/sqlite/accounts-path.ts';
import { openSqliteDatabase } from '../../accounts/store/sqlite/sqlite-database.ts';
import { keysRoutes } from '../../http/routes/keys-routes.ts';
import { usageRoute } from '../../http/routes/usage-route.ts';
import { createHttpServer } from '../../http/server/http-server.ts';
import { StartRefusedError } from '../../operations/start/start-refused-error.ts';
import { createLog } from '../../platform/log/log.ts';
import { DoorSockets, socketLimits } from '../../platform/network/door-sockets.ts';
import { AccountServices, type AccountServicesOptions } from './account-services.ts';

const directory = mkdtempSync(join(tmpdir(), 'tapeloom-services-'));
after(() => rmSync(directory, { recursive: true, force: true }));
let made = 0;

const START = 1_790_000_000_000_000_000n as EpochNs;

/** The accounts of a service, in their thread, behind the real REST endpoints. */
async function open(
  options: Partial<Pick<AccountServicesOptions, 'data' | 'store' | 'auditDays'>> = {},
) {
  made += 1;
  const { data = join(directory, `${made}`) } = options;
  const timers = new ManualClock(START);
  const logged: string[] = [];
  const log = createLog({ level: 'info', readable: false, write: (line) => logged.push(line) });
  const accounts = await AccountServices.open({ ...options, data, log, clock: timers });
  const { authenticator, authThrottle, allowances, addresses, meter, clock } = accounts;
  const http = createHttpServer({
    routes: [
      usageRoute((...of) => meter.usageOf(...of)),
      ...keysRoutes({ store: () => accounts.store, instrumentFault: () => null }),
    ],
    authenticator,
    authThrottle,
    sockets: new DoorSockets(socketLimits(100)),
    allowances,
    addresses,
    meter,
    clock,
    log,
    trustedProxies: () => [],
    portal: {
      sessions: accounts.sessions,
      store: accounts.store,
      origin: () => 'https://portal.example',
    },
    docsUrl: () => 'https://docs.example',
  });
  const { secrets } = await accounts.firstKeys();
  const authorization = `Bearer ${secrets?.live}`;
  return {
    data,
    timers,
    accounts,
    logged,
    get: (url: string) => http.app.inject({ method: 'GET', url, headers: { authorization } }),
    async [Symbol.asyncDispose]() {
      await http.app.close();
      await accounts[Symbol.asyncDispose]();
    },
  };
}

test('accounts that are damaged while they are used are not ready, and every key gets 503', async () => {
  await using service = await open();
  const { accounts, data, logged } = service;
  assert.equal((await service.get('/v1/usage')).statusCode, 200);
  assert.equal(accounts.notReadyBecause, null);
  spoilDatabase(accountsPath(data));
  // The first request after the fault gets the same response as later ones, whether the key is cached or not.
  for (const url of ['/v1/keys', '/v1/usage', '/v1/keys']) {
    const answer = await service.get(url);
    assert.equal(answer.statusCode, 503);
    assert.equal(answer.json<Problem>().code, 'CAPACITY');
    assert.equal(answer.headers['retry-after'], '5');
  }
  assert.equal(accounts.notReadyBecause, 'the accounts are damaged');
  assert.equal(logged.filter((line) => line.includes('request failed')).length, 0);
  assert.equal(
    logged.filter((line) => line.includes('no key or session can be verified any more')).length,
    1,
  );
});

test('accounts that were damaged before the start are refused with their file and how to restore it', async () => {
  const { data } = await (async () => {
    await using service = await open();
    return service;
  })();
  spoilDatabase(accountsPath(data));
  const log = createLog({ level: 'silent', readable: false, write: () => {} });
  await assert.rejects(AccountServices.open({ data, log }), (error) => {
    assert.ok(error instanceof StartRefusedError);
    assert.match(error.message, /the accounts in .*accounts\.db cannot be used: .*damaged/);
    assert.match(error.message, /tapeloom restore/);
    return true;
  });
});

test('accounts that others could read or write are closed to them at the start, and that is told', async () => {
  const data = join(directory, 'exposed');
  {
    await using _service = await open({ data });
  }
  const path = accountsPath(data);
  chmodSync(path, 0o646);
  await using service = await open({ data });
  assert.equal(statSync(path).mode & 0o777, 0o600);
  const told = service.logged.filter((line) => line.includes('other users could write'));
  assert.equal(told.length, 1);
});

test('a full disk for accounts is 503 and not ready, for as long as nothing can be written', async () => {
  const database = openSqliteDatabase(':memory:');
  const probe = database.probe.bind(database);
  const store = await openSqlAccountStore(database);
  await using service = await open({ store });
  const { accounts, timers, logged } = service;
  const full = async () => {
    throw Object.assign(new Error('database or disk is full'), { errcode: 13 });
  };
  const pass = async (ms: number) => {
    timers.advance(ms);
    await turn();
  };
  assert.equal((await service.get('/v1/usage')).statusCode, 200);
  await sql.raw('PRAGMA max_page_count = 1').execute(database.kysely);
  database.probe = full;
  const wide = { name: 'x'.repeat(10_000), grants: [] };
  const call = { now: START, actor: { kind: 'operator' } } as const;
  await assert.rejects(store.createAccount(call, wide), { trouble: 'full' });
  for (let round = 0; round < 3; round += 1) {
    const answer = await service.get('/v1/usage');
    assert.equal(answer.statusCode, 503);
    assert.equal(answer.json<Problem>().code, 'CAPACITY');
    assert.equal(accounts.notReadyBecause, 'the disk of the accounts is full');
    await pass(5_000);
  }
  database.probe = probe;
  await sql.raw('PRAGMA max_page_count = 1000000').execute(database.kysely);
  await pass(5_000);
  assert.equal(accounts.notReadyBecause, null);
  assert.equal((await service.get('/v1/usage')).statusCode, 200);
  assert.equal(
    logged.filter((line) => line.includes('the disk of the accounts is full')).length,
    1,
  );
  assert.equal(
    logged.filter((line) => line.includes('the account database is available again')).length,
    1,
  );
});

test('what finds no room on disk for accounts is answered with 503, and works when there is room', async () => {
  const database = openSqliteDatabase(':memory:');
  const store = await openSqlAccountStore(database);
  await using service = await RestService.start({ store });
  const customers = [await service.customer(), await service.customer()];
  const limitPages = (pages: number) =>
    sql.raw(`PRAGMA max_page_count = ${pages}`).execute(database.kysely);
  const wanted = { name: 'x'.repeat(64), environment: 'live', scopes: ['stream'] };
  const allowedIps = Array.from({ length: 10 }, (_, index) => `2001:db8:${index}::/48`);
  const create = (key: string) =>
    service.post('/v1/keys', { key, body: { ...wanted, allowedIps } });
  await limitPages(1);
  const statuses: number[] = [];
  for (let index = 0; index < 16 && !statuses.includes(503); index += 1) {
    const answer = await create(customers[index % 2]!);
    statuses.push(answer.status);
    if (answer.status === 201) continue;
    assert.equal(answer.body.code, 'CAPACITY');
    assert.equal(answer.headers['retry-after'], '5');
  }
  assert.ok(statuses.includes(503), statuses.join());
  await limitPages(1_000_000);
  assert.equal((await create(customers[0]!)).status, 201);
});

test('the audit log ends where the operator chose, a minute later at most [SEC-40]', async () => {
  await using service = await open({ auditDays: 30 });
  const { accounts, timers } = service;
  const { store } = accounts;
  for (const days of [31n, 29n]) {
    const now = (START - days * 86_400_000_000_000n) as EpochNs;
    const call = { now, actor: { kind: 'operator' } } as const;
    await store.createAccount(call, { name: `${days} days ago`, grants: [] });
  }
  const names = async () => (await store.audit({ limit: 9 })).map(({ details }) => details.name);
  const before = await names();
  assert.deepEqual(before.slice(-2), ['31 days ago', '29 days ago']);
  timers.advance(60_000);
  while ((await names()).length === before.length) await turn();
  assert.deepEqual(await names(), [...before.slice(0, -2), '29 days ago']);
});

test('accounts that are gone from a directory which has served are not made anew in silence', async () => {
  made += 1;
  const data = join(directory, `${made}`);
  const path = accountsPath(data);
  {
    await using _ = await open({ data });
  }
  // A service creates this once its accounts are open.
  writeFileSync(join(data, 'export-secret'), 'x'.repeat(32));
  {
    await using _ = await open({ data });
  }
  const losses = [
    () => rmSync(path),
    () => writeFileSync(path, ''),
    () => {
      rmSync(path);
      new DatabaseSync(path).exec('pragma user_version = 1');
    },
    () => rmSync(dirname(path), { recursive: true }),
  ];
  for (const lose of losses) {
    for (const beside of ['-wal', '-shm']) rmSync(`${path}${beside}`, { force: true });
    lose();
    await assert.rejects(open({ data }), (error: Error) => {
      assert.ok(error instanceof StartRefusedError);
      assert.match(
        error.message,
        /accounts of .* are missing.*tapeloom restore.*tapeloom account create/s,
      );
      return true;
    });
  }
});

test('a first start that was killed before it had accounts begins again', async () => {
  made += 1;
  const data = join(directory, `${made}`);
  mkdirSync(dirname(accountsPath(data)), { recursive: true });
  writeFileSync(accountsPath(data), '');
  await using service = await open({ data });
  assert.equal((await service.get('/v1/usage')).statusCode, 200);
});

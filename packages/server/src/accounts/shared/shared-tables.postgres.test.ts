import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import fc from 'fast-check';
import { testAllowances } from '../../../testing/accounts/limits/allowances.contract.ts';
import { testLeases } from '../../../testing/accounts/limits/leases.contract.ts';
import { SliceModel } from '../../../testing/accounts/limits/slice-model.ts';
import { PostgresServer } from '../../../testing/platform/postgres-server.ts';
import { openPostgres, type Postgres } from '../../platform/postgres/postgres.ts';
import { OneAtATime } from './one-at-a-time.ts';
import { PostgresLeases } from './postgres-leases.ts';
import { postgresSlices } from './postgres-slices.ts';
import { SharedAllowances } from './shared-allowances.ts';
import {
  changeSharedSecret,
  replaceSharedSecret,
  SecretIsNewError,
  sharedSecrets,
} from './shared-secrets.ts';
import { prepareSharedTables } from './shared-tables.ts';

const START = 1_800_000_000_000_000_000n;

let server: PostgresServer;
let postgres: Postgres;

before(async () => {
  server = await PostgresServer.start();
  postgres = openPostgres({ url: await server.database() });
  await prepareSharedTables(postgres);
});

after(async () => {
  await postgres[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

async function emptyLeases(): Promise<PostgresLeases> {
  await postgres.query('truncate nodes, leases');
  await postgres.query(
    `insert into nodes values ('n', 'r', 'n', 'serve', '1', '{}', 0, 0, false, '{}')`,
  );
  return new PostgresLeases({ postgres, node: { id: 'n', run: 'r' }, time: 'callers' });
}

testLeases('PostgreSQL leases', emptyLeases, 4);

testAllowances('shared allowances', async () => {
  await postgres.query('truncate allowances');
  return new SharedAllowances({ slice: postgresSlices(postgres, 'callers') });
});

test('several nodes that find an empty database at once all find the tables ready', async () => {
  await using other = openPostgres({ url: await server.database() });
  await Promise.all(Array.from({ length: 4 }, () => prepareSharedTables(other)));
  await prepareSharedTables(other);
  const rows = await other.query('select version from shared_schema_version');
  assert.deepEqual(rows, [{ version: 1 }, { version: 2 }]);
});

test('18 callers on three nodes together get exactly what an account may have', async () => {
  await postgres.query('truncate nodes, leases');
  const nodes = ['a', 'b', 'c'].map((id) => {
    return new PostgresLeases({ postgres, node: { id, run: id } });
  });
  for (const id of ['a', 'b', 'c']) {
    await postgres.query('select * from tapeloom_join($1, $1, $1, $2, $2, $3, 0)', [id, '', '{}']);
  }
  const asked = Array.from({ length: 18 }, async (_, caller) => {
    let granted = 0;
    for (let count = 0; count < 10; count += 1) {
      const holder = `${caller}.${count}`;
      const request = { accountId: 'x', kind: 'subscription', holder, thing: holder } as const;
      const isTaken = await nodes[caller % 3]!.take(0n as EpochNs, {
        ...request,
        limit: 100,
        testLimit: null,
      });
      if (isTaken) granted += 1;
    }
    return granted;
  });
  const granted = (await Promise.all(asked)).reduce((sum, of) => sum + of, 0);
  assert.equal(granted, 100);
  assert.equal(await nodes[1]!.count(0n as EpochNs, 'x', 'subscription'), 100);
});

const limits = fc.record({
  limit: fc.option(fc.integer({ min: 1, max: 100 }), { freq: 4 }),
  testLimit: fc.option(fc.integer({ min: 1, max: 60 })),
});
const slices = fc.array(
  fc.record({
    perMinute: limits.filter(({ limit, testLimit }) => limit !== null || testLimit !== null),
    needed: fc.integer({ min: 1, max: 30 }),
    ahead: fc.integer({ min: 0, max: 30 }),
    stepNs: fc.bigInt({ min: -1_000_000_000n, max: 9_000_000_000n }),
  }),
  { maxLength: 25 },
);

test('the database gives the slices that the arithmetic of allowances gives', async () => {
  const slice = postgresSlices(postgres, 'callers');
  let walk = 0;
  await fc.assert(
    fc.asyncProperty(slices, async (asked) => {
      const model = new SliceModel();
      const who = `walk ${walk++}`;
      let now = START;
      for (const { perMinute, needed, ahead, stepNs } of asked) {
        now += stepNs;
        const request = { who, perMinute, needed, wanted: needed + ahead };
        const given = await slice(now as EpochNs, request);
        assert.deepEqual(given, model.slice(now as EpochNs, request));
      }
    }),
    { numRuns: 40 },
  );
});

test('work is done by one node at a time, and by the next one when the first is cut off or ends', async () => {
  const [first, second] = [new OneAtATime(postgres), new OneAtATime(postgres)];
  const done: string[] = [];
  const both = async () => {
    await first.run(async () => done.push('first'));
    await second.run(async () => done.push('second'));
    return done.splice(0);
  };
  assert.deepEqual(await both(), ['first']);
  assert.deepEqual(await both(), ['first']);
  assert.deepEqual([first.isHolder, second.isHolder], [true, false]);
  await postgres.query(
    `select pg_terminate_backend(pid, 5000) from pg_locks where locktype = 'advisory'`,
  );
  assert.equal((await both()).length, 1, 'one goes on, whoever it is');
  await first[Symbol.asyncDispose]();
  assert.deepEqual(await both(), [first.isHolder ? 'first' : 'second']);
  await first[Symbol.asyncDispose]();
  await second[Symbol.asyncDispose]();
});

test('a shared secret is made once by whoever asks first, and two of them are good while it is changed', async () => {
  const options = { postgres, random: randomBytes };
  const found = await Promise.all([1, 2, 3].map(() => sharedSecrets('x', options)));
  const [first] = found[0]!;
  for (const of of found) assert.deepEqual(of, [{ secret: first!.secret, signsFrom: 0n }]);
  await changeSharedSecret('x', options);
  const [second, ...before] = await sharedSecrets('x', options);
  assert.deepEqual(before, [first]);
  const [clock] = await postgres.query<{ now: bigint }>('select tapeloom_now() as now');
  assert.ok(second!.signsFrom > clock!.now, 'nobody signs with it before all know it');
  await assert.rejects(changeSharedSecret('x', options), SecretIsNewError);
  assert.deepEqual(await sharedSecrets('x', options), [second, first], 'nothing has ended');
  await postgres.query(`update shared_secrets set signs_from = 1 where signs_from > 0`);
  await changeSharedSecret('x', options);
  const [third, ...others] = await sharedSecrets('x', options);
  assert.notDeepEqual(third!.secret, second!.secret);
  assert.deepEqual(others, [{ ...second, signsFrom: 1n }]);
  await replaceSharedSecret('x', options);
  const [fourth, ...rest] = await sharedSecrets('x', options);
  assert.deepEqual([fourth!.signsFrom, rest], [0n, []]);
  assert.equal((await sharedSecrets('y', options)).length, 1);
});

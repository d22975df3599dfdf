import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import { pino } from 'pino';
import { CuttingLine } from '../../../../../simulation/network/cutting-line.ts';
import { PostgresServer } from '../../../testing/platform/postgres-server.ts';
import type { Clock } from '../../platform/clock.ts';
import { openPostgres, type Postgres } from '../../platform/postgres/postgres.ts';
import { createClock } from '../../platform/system-clock.ts';
import type { HeldLease, LeaseRequest } from '../limits/leases.ts';
import { askToDrain, knownNodes } from './known-nodes.ts';
import { NodeIdentityError, nodeIdentity } from './node-identity.ts';
import { NodeRegister, NodeTwiceError } from './node-register.ts';
import { PostgresLeases } from './postgres-leases.ts';
import { prepareSharedTables } from './shared-tables.ts';

const ANY_TIME = 0n as EpochNs;
const SYSTEM = createClock({ kind: 'system' });
/** Nodes beat only when the test calls for it. */
const STILL: Clock = {
  now: () => SYSTEM.now(),
  after: (ms, run) => SYSTEM.after(ms, run),
  every: () => ({ [Symbol.dispose]: () => undefined }),
};

let server: PostgresServer;
let postgres: Postgres;
let url: string;

before(async () => {
  server = await PostgresServer.start();
  url = await server.database();
  postgres = openPostgres({ url });
  await prepareSharedTables(postgres);
});

beforeEach(async () => {
  await postgres.query('truncate nodes, leases');
});

after(async () => {
  await postgres[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

interface Joining {
  readonly clock?: Clock;
  readonly run?: string;
  readonly computations?: Readonly<Record<string, string>>;
  /** The register's database; default: the one of all tests. */
  readonly database?: Pick<Postgres, 'query'>;
}

async function joined(
  id: string,
  { clock = STILL, run = id, computations = {}, database = postgres }: Joining = {},
) {
  const told: string[] = [];
  const node = { id, name: `${id}-name`, roles: ['serve'], program: '1', computations };
  const log = pino({ level: 'silent' });
  const register = await NodeRegister.join({ postgres: database, clock, log, node, run });
  const leases = new PostgresLeases({
    postgres,
    node: register,
    cannotTakeBecause: () => register.cannotTakeBecause,
  });
  const lost: string[] = [];
  leases.onLost(({ kind, holder }: HeldLease) => void lost.push(`${kind} ${holder}`));
  register.start({
    over: (databaseNow) => {
      told.push('over');
      leases.mayBeLost(databaseNow);
    },
    older: () => void told.push('older'),
    drain: () => void told.push('drain'),
    displaced: () => void told.push('displaced'),
    looked: () => {},
  });
  const beat = async () => {
    await register.beat();
    await leases.renew(ANY_TIME);
    return told.splice(0);
  };
  const take = (holder: string, limit = 2, more: Partial<LeaseRequest> = {}) => {
    const request = { accountId: 'a', kind: 'connection', holder, thing: holder } as const;
    return leases.take(ANY_TIME, { ...request, limit, testLimit: null, ...more });
  };
  const count = () => leases.count(ANY_TIME, 'a', 'connection');
  return { register, leases, beat, take, count, lost };
}

/** As if the node had sent no beat and taken nothing for this long; to the node it looks like a restored database. */
async function sleep(id: string, seconds: number): Promise<void> {
  const ns = BigInt(seconds) * 1_000_000_000n;
  await postgres.query('update nodes set renewed_at = renewed_at - $2::bigint where id = $1', [
    id,
    ns,
  ]);
  await postgres.query('update leases set taken_at = taken_at - $2::bigint where node_id = $1', [
    id,
    ns,
  ]);
}

/** The database started so long ago that no silent node is still waited for. */
async function longAfterStart(): Promise<void> {
  await postgres.query(
    `create or replace function tapeloom_started_at() returns bigint language sql stable as 'select 0::bigint'`,
  );
}

/** Resolves when a take waits for another transaction's lock, as the database reports it. */
async function takeWaits(): Promise<void> {
  const waits = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%take_lease%'`;
  while ((await postgres.query(waits)).length === 0) await new Promise(setImmediate);
}

test('a node that was paused beyond its lease takes everything again, oldest first, and loses what others took', async () => {
  await longAfterStart();
  const [sleeper, other] = [await joined('sleeper'), await joined('other')];
  assert.deepEqual(await Promise.all([sleeper.beat(), other.beat()]), [[], []]);
  assert.equal(await sleeper.take('old'), true);
  assert.equal(await sleeper.take('young'), true);
  assert.equal(await other.take('third'), false);
  await sleep('sleeper', 89);
  assert.equal(await other.take('third'), false, 'not before its time');
  await sleep('sleeper', 2);
  assert.equal(await other.take('third'), true);
  assert.equal(await other.count(), 1);
  assert.deepEqual(await sleeper.beat(), ['older', 'over']);
  assert.deepEqual(sleeper.lost, ['connection young']);
  assert.equal(await other.count(), 2);
  assert.deepEqual(await sleeper.beat(), []);
  await sleeper.leases.release('a', 'connection', 'old');
  assert.equal(await other.take('fourth'), true);
  assert.equal(sleeper.leases.size, 0);
  for (const { register } of [sleeper, other]) await register[Symbol.asyncDispose]();
  assert.deepEqual(await postgres.query('select * from leases'), []);
});

test('what a beat reveals is handled with the next one if the look at the nodes fails behind it', async () => {
  let isBroken = false;
  const database: Pick<Postgres, 'query'> = {
    query: async (statement, values) => {
      const isLook = typeof statement === 'string' && statement.includes('from nodes order by');
      if (isBroken && isLook) throw new Error('the connection is gone');
      return await postgres.query(statement, values);
    },
  };
  await longAfterStart();
  const [sleeper, other] = [await joined('sleeper', { database }), await joined('other')];
  assert.equal(await sleeper.take('old'), true);
  await sleep('sleeper', 91);
  isBroken = true;
  assert.deepEqual([await sleeper.beat(), await sleeper.beat()], [[], []]);
  isBroken = false;
  assert.deepEqual(await sleeper.beat(), ['older', 'over']);
  assert.deepEqual(await sleeper.beat(), []);
  for (const { register } of [sleeper, other]) await register[Symbol.asyncDispose]();
});

test('put back to an older copy the database has what was given back since and lacks what was taken since: each node sets its own right', async () => {
  const [one, two] = [await joined('one'), await joined('two')];
  for (const holder of ['1', '2']) assert.equal(await one.take(holder, 4), true);
  assert.equal(await two.take('3', 4), true);
  await postgres.query('create table kept_nodes as table nodes');
  await postgres.query('create table kept_leases as table leases');
  for (const holder of ['1', '2']) await one.leases.release('a', 'connection', holder);
  for (const holder of ['4', '5']) assert.equal(await one.take(holder, 4), true);
  assert.deepEqual(await Promise.all([one.beat(), two.beat()]), [[], []]);

  await postgres.query('truncate nodes, leases');
  await postgres.query('insert into nodes table kept_nodes');
  await postgres.query('insert into leases table kept_leases');
  await postgres.query('drop table kept_nodes, kept_leases');
  // Judged by the restored state, before the beat that detects it.
  assert.equal(await one.take('6', 4), true);
  assert.equal(await one.take('7', 4), false, 'by what the copy has');
  const told = ['older', 'over'];
  assert.deepEqual(await Promise.all([one.beat(), two.beat()]), [told, told]);
  assert.deepEqual([one.lost, two.lost], [[], []]);
  assert.deepEqual([await one.count(), one.leases.heldCount, two.leases.heldCount], [4, 3, 1]);
  assert.equal(await two.take('7', 4), false);
  assert.deepEqual(await Promise.all([one.beat(), two.beat()]), [[], []]);
  for (const { register } of [one, two]) await register[Symbol.asyncDispose]();
});

test('one that says at this very moment that it is there is waited for', async () => {
  await longAfterStart();
  const [late, other] = [await joined('late'), await joined('other')];
  assert.equal(await late.take('1', 1), true);
  await sleep('late', 100);
  const connection = await postgres.connect();
  await connection.query('begin');
  await connection.query('update nodes set renewed_at = tapeloom_now() where id = $1', ['late']);
  let isTaken = false;
  const taking = other.take('2', 1).finally(() => {
    isTaken = true;
  });
  await takeWaits();
  assert.equal(isTaken, false);
  await connection.query('commit');
  connection.release();
  assert.equal(await taking, false);
  for (const { register } of [late, other]) await register[Symbol.asyncDispose]();
});

test('of two processes of one identity the younger refuses, and one whose place was taken is told', async () => {
  const first = await joined('twin', { run: 'first' });
  // The first node beats while the second waits to retry.
  const clock: Clock = {
    ...STILL,
    after: (_ms, run) => {
      void first.register.beat().then(run);
      return { [Symbol.dispose]: () => undefined };
    },
  };
  await assert.rejects(joined('twin', { clock, run: 'second' }), (error) => {
    assert.ok(error instanceof NodeTwiceError);
    assert.match(error.message, /node twin runs already, as twin-name.*node\.json from the copy/);
    return true;
  });
  // Silent for longer than the limit: a process that starts in its directory joins at once.
  await first.take('1');
  await sleep('twin', 4);
  const second = await joined('twin', { run: 'second' });
  assert.equal(await second.count(), 0, 'the sockets of a process that is gone are gone');
  assert.deepEqual(await first.beat(), ['displaced']);
  assert.equal(first.register.cannotTakeBecause, 'another process has taken over as this node');
  await assert.rejects(first.take('2'), /another process/);
  await first.register[Symbol.asyncDispose]();
  assert.equal((await knownNodes(postgres)).length, 1, 'the place is the second one’s');
  await second.register[Symbol.asyncDispose]();
});

test('a node whose clock is 10 s off is told, takes nothing new, and counts by the time of the database', async () => {
  let offNs = 10_000_000_000n;
  const clock = { ...STILL, now: () => (SYSTEM.now() + offNs) as EpochNs };
  const [wrong, right] = [await joined('wrong', { clock }), await joined('right')];
  assert.ok(Number(wrong.register.offsetNs) / -1e9 > 9.5, `${wrong.register.offsetNs}`);
  assert.equal(wrong.register.cannotTakeBecause, 'the clock of this node is wrong');
  await assert.rejects(wrong.take('1'), /clock of this node is wrong/);
  assert.equal(await right.take('1', 1), true);
  assert.equal(await wrong.count(), 1);
  offNs = 0n;
  await wrong.beat();
  assert.equal(wrong.register.cannotTakeBecause, null);
  assert.equal(await wrong.take('2', 1), false);
  for (const { register } of [wrong, right]) await register[Symbol.asyncDispose]();
});

test('after a restart of the database everybody counts for 90 s, and what could not be given back is', async () => {
  await postgres.query(`
    create or replace function tapeloom_started_at() returns bigint language sql stable as $$
      select (extract(epoch from pg_postmaster_start_time()) * 1000000)::bigint * 1000 $$`);
  const [one, two] = [await joined('one'), await joined('two')];
  assert.equal(await one.take('1'), true);
  assert.equal(await one.take('2'), true);
  await sleep('one', 200);
  await server.stop();
  await assert.rejects(two.take('3'), {
    name: 'Error',
    message: /open connections and subscriptions could not be counted/,
  });
  await one.leases.release('a', 'connection', '2');
  await assert.rejects(two.beat(), /open connections and subscriptions could not be counted/);
  await server.start();
  assert.equal(await two.take('3'), false, 'the first one back does not get what others hold');
  assert.deepEqual(await one.beat(), ['older', 'over']);
  assert.deepEqual(one.lost, []);
  assert.equal(await two.take('3'), true);
  assert.equal(await two.take('4'), false);
  for (const { register } of [one, two]) await register[Symbol.asyncDispose]();
});

test('a take that nobody answered, and that the database does afterwards, is given back', async () => {
  const { register } = await joined('cut');
  await using line = await CuttingLine.open(server.port);
  await using overLine = openPostgres({ url: url.replace(`:${server.port}/`, `:${line.port}/`) });
  const leases = new PostgresLeases({ postgres: overLine, node: register });
  const now = SYSTEM.now();
  const later = (seconds: bigint) => (now + seconds * 1_000_000_000n) as EpochNs;
  const place = { accountId: 'a', kind: 'connection', holder: 'h', thing: 'h' } as const;
  const count = () => leases.count(now, 'a', 'connection');
  const other = await postgres.connect();
  await other.query('begin');
  await other.query(`select pg_advisory_xact_lock(7402003, hashtext('connection a'))`);
  const taking = leases.take(now, { ...place, limit: 1, testLimit: null });
  await takeWaits();
  line.cut();
  await assert.rejects(taking);
  line.mend();
  await leases.renew(later(1n));
  await other.query('commit');
  other.release();
  while ((await count()) === 0) await new Promise(setImmediate);
  await leases.renew(later(2n));
  assert.equal(await count(), 0);
  // By now the lost take can no longer be performed.
  await leases.renew(later(20n));
  assert.equal(await leases.take(later(21n), { ...place, limit: 1, testLimit: null }), true);
  await leases.renew(later(22n));
  assert.equal(await count(), 1);
  await register[Symbol.asyncDispose]();
});

test('nodes know each other, and one that is asked to leave hears of it once', async () => {
  const [one, two] = [
    await joined('one', { computations: { vwap: '1.1' } }),
    await joined('two', { computations: { vwap: '1.2' } }),
  ];
  one.register.report = () => ({ sequence: 7 });
  await one.beat();
  await two.beat();
  const [first, second] = two.register.nodes;
  assert.deepEqual(
    [first!.name, first!.roles, first!.isAlive, first!.report.sequence],
    ['one-name', ['serve'], true, 7],
  );
  assert.deepEqual(second!.computations, { vwap: '1.2' });
  await one.register.seenByAll();
  assert.deepEqual(await askToDrain(postgres, 'nobody'), []);
  assert.deepEqual(
    (await askToDrain(postgres, 'two-name')).map(({ id }) => id),
    ['two'],
  );
  assert.deepEqual(await two.beat(), ['drain']);
  assert.deepEqual(await two.beat(), []);
  assert.deepEqual(await one.beat(), []);
  for (const { register } of [one, two]) await register[Symbol.asyncDispose]();
});

test('a directory keeps the identity that was made for it, and one that says nothing is refused', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'tapeloom-node-'));
  const id = await nodeIdentity(directory, randomBytes);
  assert.match(id, /^node_[0-9a-f]{24}$/);
  assert.equal(await nodeIdentity(directory, randomBytes), id);
  writeFileSync(join(directory, 'node.json'), '{}');
  await assert.rejects(nodeIdentity(directory, randomBytes), NodeIdentityError);
});

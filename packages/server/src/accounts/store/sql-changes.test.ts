import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { Kysely } from 'kysely';
import type { AccountSchema } from './account-schema.ts';
import type { AuditEvent } from './account-store.ts';
import { openSqlAccountStore } from './sql-account-store.ts';
import { SqlChanges } from './sql-changes.ts';
import { openSqliteDatabase } from './sqlite/sqlite-database.ts';

const OPERATOR = { now: 1n as EpochNs, actor: { kind: 'operator' } } as const;

/** A log that the test writes, and one watcher of it, which is given its own events. */
async function rig() {
  const [database, replacement] = [openSqliteDatabase(':memory:'), openSqliteDatabase(':memory:')];
  const store = await openSqlAccountStore(database);
  const other = await openSqlAccountStore(replacement);
  let isReplaced = false;
  const changes = new SqlChanges(
    moving(() => (isReplaced ? replacement : database).kysely),
    null,
  );
  const heard: (string | null)[] = [];
  changes.listen(({ accountId }) => heard.push(accountId));
  let accounts = 0;
  return {
    changes,
    async write(): Promise<AuditEvent> {
      accounts += 1;
      const written = isReplaced ? other : store;
      await written.createAccount(OPERATOR, { name: `${accounts}`, grants: [] });
      return (await written.audit({ limit: 1, newestFirst: true }))[0]!;
    },
    /** From now on there is another database, without anything written before. */
    replace(): void {
      isReplaced = true;
    },
    hearsOfAll(): void {
      assert.deepEqual(heard.splice(0), [null]);
    },
    hears(...events: AuditEvent[]): void {
      assert.deepEqual(
        heard.splice(0),
        events.map(({ accountId }) => accountId),
      );
    },
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
      await other[Symbol.asyncDispose]();
    },
  };
}

/** The database that is current at each query. */
function moving(database: () => Kysely<AccountSchema>): Kysely<AccountSchema> {
  return new Proxy(database(), {
    get: (_, name) => {
      const value: unknown = Reflect.get(database(), name);
      return typeof value === 'function' ? value.bind(database()) : value;
    },
  });
}

test('events of others between own ones are told, and own ones not again', async () => {
  await using log = await rig();
  const [first, foreign, last] = [await log.write(), await log.write(), await log.write()];
  log.changes.madeHere([first]);
  log.changes.madeHere([last]);
  log.hears(first, last);
  await log.changes.lookElsewhere();
  log.hears(foreign);
  await log.changes.lookElsewhere();
  log.hears();
});

test('an own event that a look came across first is told once', async () => {
  await using log = await rig();
  const event = await log.write();
  await log.changes.lookElsewhere();
  log.changes.madeHere([event]);
  log.hears(event);
  log.changes.nothingElsewhere();
  const next = await log.write();
  await log.changes.lookElsewhere();
  log.hears(next);
});

test('after any time in which nobody else wrote, the next event of others is told', async () => {
  await using log = await rig();
  const own = await log.write();
  log.changes.madeHere([own]);
  for (let look = 0; look < 10; look += 1) log.changes.nothingElsewhere();
  log.hears(own);
  const foreign = await log.write();
  await log.changes.lookElsewhere();
  log.hears(foreign);
});

test('more events than are read at a time are all told, in order', async () => {
  await using log = await rig();
  const events: AuditEvent[] = [];
  for (let count = 0; count < 1_001; count += 1) events.push(await log.write());
  await log.changes.lookElsewhere();
  log.hears(...events);
});

/** The next look finds another database with this many events; later events are reported as before. */
async function noticesReplacement(
  log: Awaited<ReturnType<typeof rig>>,
  writtenSince: number,
): Promise<void> {
  log.replace();
  for (let count = 0; count < writtenSince; count += 1) await log.write();
  await log.changes.lookElsewhere();
  log.hearsOfAll();
  const next = await log.write();
  await log.changes.lookElsewhere();
  log.hears(next);
}

test('a database that was put back is noticed by the last event, whatever was written since', async () => {
  for (const writtenSince of [0, 1, 2, 3]) {
    await using log = await rig();
    const events = [await log.write(), await log.write()];
    await log.changes.lookElsewhere();
    log.hears(...events);
    await noticesReplacement(log, writtenSince);
  }
});

test('a database that was put back before a look came across what was made here is noticed, whatever was written since', async () => {
  for (const writtenSince of [0, 1, 2, 3]) {
    await using log = await rig();
    const lost = [await log.write(), await log.write()];
    log.changes.madeHere(lost);
    log.hears(...lost);
    await noticesReplacement(log, writtenSince);
  }
});

test('what is made here with the number of what was lost is told at once, and all that anything may be otherwise', async () => {
  await using log = await rig();
  const lost = await log.write();
  log.changes.madeHere([lost]);
  log.replace();
  const other = await log.write();
  assert.equal(other.sequence, lost.sequence);
  log.changes.madeHere([other]);
  log.hears(lost, other);
  await log.changes.lookElsewhere();
  log.hearsOfAll();
});

test('what is made here while the log is read is not missed in it', async () => {
  await using log = await rig();
  const [first, second] = [await log.write(), await log.write()];
  log.changes.madeHere([first]);
  const looked = log.changes.lookElsewhere();
  log.changes.madeHere([{ ...second, sequence: second.sequence + 1 }]);
  await looked;
  log.hears(first, second, second);
});

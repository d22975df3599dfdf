import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { AuditEvent } from './account-store.ts';
import { openSqlAccountStore } from './sql-account-store.ts';
import { SqlChanges } from './sql-changes.ts';
import { openSqliteDatabase } from './sqlite-database.ts';

const OPERATOR = { now: 1n as EpochNs, actor: { kind: 'operator' } } as const;

/** A log that the test writes, and one watcher of it that is told what is its own. */
async function rig() {
  const database = openSqliteDatabase(':memory:');
  const store = await openSqlAccountStore(database);
  const changes = new SqlChanges(database.kysely, 0);
  const heard: string[] = [];
  changes.listen(({ accountId }) => heard.push(accountId));
  let accounts = 0;
  return {
    changes,
    async write(): Promise<AuditEvent> {
      accounts += 1;
      await store.createAccount(OPERATOR, { name: `${accounts}`, grants: [] });
      return (await store.audit({ limit: 1, newestFirst: true }))[0]!;
    },
    hears(...events: AuditEvent[]): void {
      assert.deepEqual(
        heard.splice(0),
        events.map(({ accountId }) => accountId),
      );
    },
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
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

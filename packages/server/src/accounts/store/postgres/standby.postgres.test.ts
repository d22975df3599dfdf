/** A standby replaces the primary of the accounts at the same address, without the primary's last changes. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import type { EpochNs } from '@tapeloom/core/numbers';
import { CuttingLine } from '../../../../../../simulation/network/cutting-line.ts';
import { PostgresServer } from '../../../../testing/platform/postgres-server.ts';
import { PostgresStandby } from '../../../../testing/platform/postgres-standby.ts';
import { openPostgres } from '../../../platform/postgres/postgres.ts';
import { type AccountStore, AccountsTroubleError } from '../account-store.ts';
import { openPostgresAccountStore } from './postgres-account-store.ts';

const NOW = 1_790_000_000_123_456_789n as EpochNs;
const OPERATOR = { now: NOW, actor: { kind: 'operator' } } as const;
/** The whole statement on the wire. */
const COMMIT = 'commit\0';

test('while the server only reads its accounts are out of reach, and all connections are good once it takes over', async () => {
  await using world = await World.make();
  const { store, line, primary, standby } = world;
  await make(store, 'before');
  await standby.caughtUp();
  await primary.kill();
  line.leadTo(standby.server.port);
  const tries = Array.from({ length: 8 }, (_, index) => make(store, `early ${index}`));
  for (const end of await Promise.allSettled(tries)) {
    assert.ok(end.status === 'rejected' && end.reason instanceof AccountsTroubleError, String(end));
    assert.equal(end.reason.trouble, 'unreachable');
  }
  await standby.promote();
  await Promise.all(Array.from({ length: 8 }, (_, index) => make(store, `late ${index}`)));
  assert.equal((await store.listAccounts()).length, 9);
});

test('a commit that the new server never had is not taken for another one of the same number', async () => {
  await using world = await World.make();
  const { store, line, primary, standby } = world;
  await standby.caughtUp();
  await standby.cutOff();
  line.cutAt(COMMIT, { isDelivered: true, isForGood: true });
  const making = make(store, 'lost');
  const outcome = making.then(
    () => 'made',
    (error: AccountsTroubleError) => error.trouble,
  );
  while (line.cuts === 0) await wait(1);
  await primary.kill();
  await standby.promote();
  // Others write there: every number up to ours and beyond belongs to their commits.
  await using others = openPostgres({ url: standby.server.urlOf(world.database) });
  for (let count = 0; count < 200; count += 1) {
    await others.query('update schema_version set version = version where version = 1');
  }
  line.leadTo(standby.server.port);
  line.mend();
  assert.equal(await outcome, 'unreachable');
  assert.deepEqual(await store.listAccounts(), []);
});

class World implements AsyncDisposable {
  readonly primary: PostgresServer;
  readonly standby: PostgresStandby;
  readonly line: CuttingLine;
  readonly store: AccountStore;
  readonly database: string;

  private constructor(parts: Pick<World, 'primary' | 'standby' | 'line' | 'store' | 'database'>) {
    this.primary = parts.primary;
    this.standby = parts.standby;
    this.line = parts.line;
    this.store = parts.store;
    this.database = parts.database;
  }

  static async make(): Promise<World> {
    const primary = await PostgresServer.start();
    const url = await primary.database();
    const line = await CuttingLine.open(primary.port);
    const store = await openPostgresAccountStore({
      url: url.replace(`:${primary.port}/`, `:${line.port}/`),
    });
    const standby = await PostgresStandby.of(primary);
    const database = new URL(url).pathname.slice(1);
    return new World({ primary, standby, line, store, database });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.store[Symbol.asyncDispose]();
    await this.line[Symbol.asyncDispose]();
    await this.standby[Symbol.asyncDispose]();
    await this.primary[Symbol.asyncDispose]();
  }
}

async function make(store: AccountStore, name: string): Promise<void> {
  const account = await store.createAccount(OPERATOR, { name, grants: [] });
  assert.ok('id' in account);
}

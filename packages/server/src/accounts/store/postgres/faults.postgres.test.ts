/** Calls while PostgreSQL, or the connection to it, breaks. */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import { CuttingLine } from '../../../../../../simulation/network/cutting-line.ts';
import { PostgresServer } from '../../../../testing/platform/postgres-server.ts';
import { openPostgres } from '../../../platform/postgres/postgres.ts';
import type { NewKey } from '../../keys/keys-store.ts';
import { type AccountStore, AccountsTroubleError } from '../account-store.ts';
import { openPostgresAccountStore } from './postgres-account-store.ts';

const NOW = 1_790_000_000_123_456_789n as EpochNs;
const OPERATOR = { now: NOW, actor: { kind: 'operator' } } as const;
const PERIOD = '2026-09';
/** The whole statement on the wire. */
const COMMIT = 'commit\0';
const KEY: NewKey = {
  name: 'a key',
  environment: 'live',
  scopes: ['stream'],
  instruments: null,
  allowedIps: null,
  expiresAt: null,
};

let server: PostgresServer;
before(async () => {
  server = await PostgresServer.start();
});
after(async () => await server[Symbol.asyncDispose]());

/** A store behind a connection that can be cut, and one beside it. */
async function openBoth() {
  const url = await server.database();
  const line = await CuttingLine.open(server.port);
  const far = url.replace(`:${server.port}/`, `:${line.port}/`);
  const beside = await openPostgresAccountStore({ url });
  // Its only connection is the one that is cut.
  const store = await openPostgresAccountStore({ url: far, connectionsMax: 1 });
  const accountId = await accountIn(beside, 'a');
  return {
    line,
    store,
    beside,
    accountId,
    async [Symbol.asyncDispose]() {
      for (const one of [store, beside, line]) await one[Symbol.asyncDispose]();
    },
  };
}

async function accountIn(store: AccountStore, name: string): Promise<string> {
  const account = await store.createAccount(OPERATOR, { name, grants: [] });
  assert.ok('id' in account);
  return account.id;
}

function secretOf(text: string) {
  const hash = createHash('sha256').update(text).digest('hex');
  return { hash, hint: hash.slice(-4) };
}

function reservation(accountId: string, id: string, amount = 10) {
  const limits = { limit: 1_000_000, testLimit: null };
  const expiresAt = (NOW + 600_000_000_000n) as EpochNs;
  const of = { accountId, keyId: 'key_1', budget: 'computeUnits', period: PERIOD } as const;
  return { ...of, ...limits, id, amount, expiresAt, isSynced: false };
}

for (const isDelivered of [true, false]) {
  const where = isDelivered ? 'after the server has done it' : 'before the server gets it';

  test(`a commit whose line breaks ${where} happened once, and its answer is right`, async () => {
    await using both = await openBoth();
    const { line, store, beside, accountId } = both;
    line.cutAt(COMMIT, { isDelivered });
    const key = await store.createKey(OPERATOR, accountId, KEY, secretOf('one'));
    assert.ok('id' in key);
    assert.deepEqual(
      (await beside.listKeys(NOW, accountId)).map(({ id }) => id),
      [key.id],
    );
    const expiresAt = (NOW + 60_000_000_000n) as EpochNs;
    const token = { hash: secretOf('token').hash, keyId: key.id, expiresAt };
    assert.equal(await store.issueToken(NOW, token), true);
    line.cutAt(COMMIT, { isDelivered });
    assert.equal((await store.consumeToken(NOW, token.hash))?.key.id, key.id);
    assert.equal(await beside.consumeToken(NOW, token.hash), null);

    line.cutAt(COMMIT, { isDelivered });
    const used = { accountId, keyId: key.id, isTest: false, period: PERIOD };
    await store.addUsage([{ ...used, restRequests: 7 }]);
    assert.equal((await beside.usageOf(NOW, accountId, PERIOD)).used.restRequests, 7);
    assert.equal(line.cuts, 3);
  });

  test(`a reservation and its settlement whose lines break ${where} are taken and charged once`, async () => {
    await using both = await openBoth();
    const { line, store, beside, accountId } = both;
    line.cutAt('accounts_reserve_2', { isDelivered });
    const wish = reservation(accountId, 'r');
    assert.deepEqual(await store.reserve(NOW, wish), { granted: true });
    const held = await beside.usageOf(NOW, accountId, PERIOD);
    assert.equal(held.reserved.computeUnits, 10);
    line.cutAt('accounts_close_1', { isDelivered });
    assert.equal(await store.settle(NOW, 'r', { amount: 4 }), true);
    const { used, reserved } = await beside.usageOf(NOW, accountId, PERIOD);
    assert.deepEqual([used.computeUnits, reserved.computeUnits], [4, 0]);
    assert.equal(await store.settle(NOW, 'r', { amount: 4 }), false);
    assert.equal(line.cuts, 2);
  });
}

test('a commit of which nobody can say whether it happened rejects as out of reach', async () => {
  await using both = await openBoth();
  const { line, store, beside, accountId } = both;
  const troubles: string[] = [];
  using _ = store.onTrouble(({ trouble }) => troubles.push(trouble));
  line.cutAt(COMMIT, { isDelivered: true, isForGood: true });
  const making = store.createKey(OPERATOR, accountId, KEY, secretOf('one'));
  await assert.rejects(making, (error) => {
    assert.ok(error instanceof AccountsTroubleError);
    assert.equal(error.trouble, 'unreachable');
    return true;
  });
  assert.ok(troubles.length > 0 && troubles.every((trouble) => trouble === 'unreachable'));
  line.mend();
  await store.probe();
  assert.equal((await store.listKeys(NOW, accountId)).length, 1);
  assert.equal((await beside.listKeys(NOW, accountId)).length, 1);
});

test('what others do while the line is cut is heard when it is mended', async () => {
  await using both = await openBoth();
  const { line, store, beside, accountId } = both;
  const key = await beside.createKey(OPERATOR, accountId, KEY, secretOf('one'));
  assert.ok('id' in key);
  const { promise, resolve } = Promise.withResolvers<void>();
  using _ = store.onChange(({ kind, keyId }) => {
    if (kind === 'key.revoked' && keyId === key.id) resolve();
  });
  line.cutAt('select', { isForGood: true });
  await assert.rejects(store.findAccount(accountId), { trouble: 'unreachable' });
  await beside.revokeKey(OPERATOR, accountId, key.id);
  line.mend();
  await promise;
});

test('a server that is killed and restarted in the middle of everything loses and doubles nothing that was answered', async () => {
  const url = await server.database();
  const stores = [await openPostgresAccountStore({ url }), await openPostgresAccountStore({ url })];
  const accountId = await accountIn(stores[0]!, 'a');
  const told = { settled: 0, unknown: 0, names: new Set<string>(), doubted: new Set<string>() };
  let isOver = false;
  const caller = async (index: number) => {
    const store = stores[index % stores.length]!;
    for (let round = 0; !isOver; round += 1) {
      const name = `${index} ${round}`;
      let amount = 0;
      try {
        await store.reserve(NOW, reservation(accountId, name));
        amount = 1 + (round % 9);
        if (await store.settle(NOW, name, { amount })) told.settled += amount;
      } catch (error) {
        assert.ok(error instanceof AccountsTroubleError, String(error));
        told.unknown += amount;
      }
      try {
        await accountIn(store, name);
        told.names.add(name);
      } catch (error) {
        assert.ok(error instanceof AccountsTroubleError, String(error));
        told.doubted.add(name);
      }
    }
  };
  const callers = Array.from({ length: 8 }, (_, index) => caller(index));
  const enough = async (count: number) => {
    while (told.names.size < count) await new Promise(setImmediate);
  };
  for (const end of [() => server.kill(), () => server.stop(), () => server.kill()]) {
    await enough(told.names.size + 40);
    await end();
    await server.start();
  }
  await enough(told.names.size + 40);
  isOver = true;
  await Promise.all(callers);

  const { used } = await stores[0]!.usageOf(NOW, accountId, PERIOD);
  assert.ok(used.computeUnits >= told.settled, `${used.computeUnits} of ${told.settled}`);
  assert.ok(used.computeUnits <= told.settled + told.unknown);
  const days = await stores[0]!.usageDays(accountId, PERIOD);
  assert.deepEqual(
    days.map((day) => day.used.computeUnits),
    [used.computeUnits],
  );
  const names = (await stores[0]!.listAccounts()).map(({ name }) => name);
  for (const name of told.names) assert.ok(names.includes(name), `${name} is gone`);
  const extra = names.filter((name) => name !== 'a' && !told.names.has(name));
  assert.ok(extra.every((name) => told.doubted.has(name)));
  await using postgres = openPostgres({ url });
  const [log] = await postgres.query<{ count: bigint }>(
    `select count(*) as count from audit_log where kind = 'account.created'`,
  );
  assert.equal(Number(log!.count), names.length);
  for (const store of stores) await store[Symbol.asyncDispose]();
});

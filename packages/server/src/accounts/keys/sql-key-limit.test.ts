import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import {
  ALL_RIGHTS,
  DAY_NS,
  SECOND_NS,
  StoreRig,
} from '../../../testing/accounts/store/account-store-rig.ts';
import { openSqliteAccountStore } from '../store/sqlite/sqlite-account-store.ts';
import { ENDED_KEY_SHOWN_NS, KEYS_LISTED_MAX, type KeyRecord } from './keys-store.ts';

const directory = mkdtempSync(join(tmpdir(), 'tapeloom-key-limit-'));
after(() => rmSync(directory, { recursive: true, force: true }));

test('the list holds so many keys whoever makes them; a key leaves it 30 days after its end, and then there is room for one [SEC-40]', async () => {
  await using store = await openSqliteAccountStore(':memory:');
  const rig = new StoreRig({ store, other: store });
  const { id: accountId } = await rig.account();
  const manager = await rig.key(accountId);
  // A key that expires; it leaves the list after all keys that are revoked below.
  const expiring = await rig.key(accountId, { expiresAt: rig.later(DAY_NS) });
  let newest = await rig.key(accountId);
  const endings: EpochNs[] = [];
  const rotate = (key: KeyRecord, grace: number) =>
    store.rotateKey(rig.operator, accountId, key.id, grace, rig.secret());
  while (endings.length + 3 < KEYS_LISTED_MAX) {
    rig.pass(SECOND_NS);
    const rotated = await rotate(newest, 0);
    assert.ok('created' in rotated);
    newest = rotated.created;
    endings.push(rig.now);
  }
  const listed = async () => (await store.listKeys(rig.now, accountId)).length;
  assert.equal(await listed(), KEYS_LISTED_MAX);
  const create = () => store.createKey(rig.operator, accountId, ALL_RIGHTS, rig.secret());
  const full = (ending: EpochNs) => ({ refused: 'list-full', until: ending + ENDED_KEY_SHOWN_NS });
  assert.deepEqual(await create(), full(endings[0]!));
  assert.deepEqual(await rotate(newest, 0), full(endings[0]!));
  assert.deepEqual(await rotate(newest, 60), full(endings[0]!));
  assert.deepEqual(await store.createKey(rig.by(manager), accountId, ALL_RIGHTS, rig.secret()), {
    ...full(endings[0]!),
  });
  // Revoking frees no slot: the key stays in the list, and the time of the next free slot is unchanged.
  await store.revokeKey(rig.operator, accountId, newest.id);
  assert.deepEqual(await create(), full(endings[0]!));
  const others = await rig.account();
  assert.ok('id' in (await store.createKey(rig.operator, others.id, ALL_RIGHTS, rig.secret())));

  rig.now = (endings[0]! + ENDED_KEY_SHOWN_NS - 1n) as EpochNs;
  assert.deepEqual(await create(), full(endings[0]!));
  rig.now = (endings[0]! + ENDED_KEY_SHOWN_NS) as EpochNs;
  assert.equal(await listed(), KEYS_LISTED_MAX - 1);
  assert.ok('id' in (await create()));
  assert.deepEqual(await create(), full(endings[1]!));
  rig.now = (endings.at(-1)! + ENDED_KEY_SHOWN_NS) as EpochNs;
  const left = await store.listKeys(rig.now, accountId);
  assert.equal(left.length, 3);
  assert.ok(left.some(({ id }) => id === manager.id) && left.some(({ id }) => id === expiring.id));
});

test('no statement about keys, tokens, budgets or housekeeping reads a whole table [SEC-40]', async (context) => {
  const path = join(directory, 'statements.db');
  const prepared = new Set<string>();
  const { prepare } = DatabaseSync.prototype;
  context.mock.method(
    DatabaseSync.prototype,
    'prepare',
    function (this: DatabaseSync, text: string) {
      prepared.add(text);
      return prepare.call(this, text);
    },
  );
  {
    await using store = await openSqliteAccountStore(path);
    prepared.clear();
    await everything(new StoreRig({ store, other: store }));
  }
  context.mock.restoreAll();
  assert.ok(prepared.size > 40, `${prepared.size} statements`);
  // With foreign keys, plans name tables that are only read when a constraint is violated.
  using database = new DatabaseSync(path, { enableForeignKeyConstraints: false });
  const scans = [...prepared].filter((text) => {
    if (/^(begin|commit|rollback|pragma)|sqlite_schema/i.test(text)) return false;
    const steps = database.prepare(`EXPLAIN QUERY PLAN ${text}`).all();
    // The values of an INSERT are one constant row, and the beginning of the audit log is one row.
    return steps.some(({ detail }) =>
      /^SCAN (?!CONSTANT ROW|audit_beginning)/.test(String(detail)),
    );
  });
  assert.deepEqual(scans, []);
});

async function everyLayout(
  { store: { layouts }, now }: StoreRig,
  accountId: string,
): Promise<void> {
  const made = await layouts.createLayout(now, accountId, { name: 'one', text: '{}' });
  assert.ok('id' in made);
  const change = { name: 'two', layout: { state: 1, text: '[]' } };
  await layouts.changeLayout(now, accountId, made.id, change);
  await layouts.layoutStates(accountId, made.id);
  await layouts.restoreLayout(now, accountId, made.id, 1);
  await layouts.findLayout(accountId, made.id);
  await layouts.deleteLayout(now, accountId, made.id);
  await layouts.undeleteLayout(now, accountId, made.id);
  await layouts.layoutsOf(now, accountId);
  await layouts.wholeLayout(accountId, made.id);
}

/** Everything that customers make the store do, and its own housekeeping. */
async function everything(rig: StoreRig): Promise<void> {
  const { store } = rig;
  const { id: accountId } = await rig.account();
  const manager = await rig.key(accountId);
  const once = { idempotencyKey: 'once', request: 'r' };
  const call = { now: rig.now, actor: { kind: 'key', keyId: manager.id, once } } as const;
  const secret = rig.secret();
  const made = await store.createKey(call, accountId, ALL_RIGHTS, secret);
  assert.ok('id' in made);
  await store.createKey(call, accountId, ALL_RIGHTS, rig.secret());
  const lesser = await rig.key(accountId, { scopes: ['keys'] });
  await store.revokeKey(rig.by(lesser), accountId, manager.id);
  await store.rotateKey(rig.by(manager), accountId, made.id, 0, rig.secret());
  await store.rotateKey(rig.by(manager), accountId, lesser.id, 60, rig.secret());
  await store.revokeKey(rig.by(manager), accountId, lesser.id);
  while (
    !('refused' in (await store.createKey(rig.operator, accountId, ALL_RIGHTS, rig.secret())))
  );
  await store.createKey(rig.by(manager), accountId, ALL_RIGHTS, rig.secret());
  await store.findKey(secret.hash);
  await store.findKeyById(accountId, made.id);
  await store.findKeyById(null, made.id);
  await store.listKeys(rig.now, accountId);
  await store.touchKeys(new Map([[manager.id, rig.now]]));
  await everyLayout(rig, accountId);
  const token = { hash: 'h', keyId: manager.id, expiresAt: rig.later(SECOND_NS) };
  await store.issueToken(rig.now, token);
  await store.consumeToken(rig.now, 'h');
  const request = rig.request(accountId, { keyId: manager.id, testLimit: 100 });
  await store.reserve(rig.now, request);
  await store.reserve(rig.now, rig.request(accountId, { limit: 1 }));
  await store.settle(rig.now, request.id, { amount: 1 });
  await store.voidReservation(rig.now, request.id);
  const expiresAt = rig.later(DAY_NS);
  const done = { accountId, keyId: manager.id, once, answer: '', expiresAt };
  await store.settleOnce(rig.now, 'none', { amount: 0 }, done);
  await store.findOnce(rig.now, done);
  const count = { accountId, keyId: manager.id, isTest: false, period: '2026-09', restRequests: 1 };
  await store.addUsage([count]);
  await store.usageOf(rig.now, accountId, '2026-09');
  await store.usageByKey(accountId, '2026-09');
  await store.findAccount(accountId);
  await store.setGrants(rig.operator, accountId, []);
  await store.setSuspended(rig.operator, accountId, true);
  await store.audit({ after: 0, limit: 1 });
  await store.audit({ accountId, limit: 1, newestFirst: true });
  await store.sweep(rig.later(100n * DAY_NS), 50n * DAY_NS);
  await store.probe();
}

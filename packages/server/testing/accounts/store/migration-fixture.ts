/**
 * Databases as earlier versions left them, as SQL text in `fixtures/`: one per schema version, with rows in every
 * table. Before a new migration, run `node packages/server/testing/accounts/store/migration-fixture.ts` to make the
 * fixture of the present schema; existing fixtures stay unchanged.
 */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { AccountStore } from '../../../src/accounts/store/account-store.ts';
import { SCHEMA_VERSION } from '../../../src/accounts/store/migrations/migrate.ts';
import { openSqliteAccountStore } from '../../../src/accounts/store/sqlite/sqlite-account-store.ts';

const FIXTURE_NOW = 1_790_000_000_123_456_789n as EpochNs;
const DAY_NS = 86_400_000_000_000n;

/** The SQL of a database of this version; null if it has no fixture. */
export function fixtureOf(version: number): string | null {
  const path = pathOf(version);
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}

/** Creates an account with rows in every table. */
export async function fillStore(store: AccountStore): Promise<void> {
  const call = { now: FIXTURE_NOW, actor: { kind: 'operator' } } as const;
  const grants = [{ plan: 'live', until: (FIXTURE_NOW + DAY_NS) as EpochNs }] as const;
  const account = await store.createAccount(call, { name: 'fixture', grants });
  if ('refused' in account) throw new Error('the fixture is made in an empty store');
  const rights = {
    name: 'first',
    environment: 'live',
    scopes: ['keys', 'stream'],
    instruments: ['ES.c.0'],
    allowedIps: ['10.0.0.0/8'],
    expiresAt: null,
  } as const;
  const digest = (letter: string) => ({ hash: letter.repeat(64), hint: letter.repeat(4) });
  const key = await store.createKey(call, account.id, rights, digest('a'));
  if ('refused' in key) throw new Error(`the fixture's key was refused: ${key.refused}`);
  await store.rotateKey(call, account.id, key.id, 3_600, digest('b'));
  const expiresAt = (FIXTURE_NOW + DAY_NS) as EpochNs;
  await store.issueToken(FIXTURE_NOW, { hash: 'c'.repeat(64), keyId: key.id, expiresAt });
  const request = { accountId: account.id, budget: 'computeUnits', period: '2026-09' } as const;
  const limits = { keyId: key.id, limit: 100, testLimit: null };
  const reservation = { ...request, amount: 10, ...limits, expiresAt };
  await store.reserve(FIXTURE_NOW, { ...reservation, id: 'settled' });
  await store.reserve(FIXTURE_NOW, { ...reservation, id: 'open' });
  await store.settle(FIXTURE_NOW, 'settled', { amount: 7, historyItems: 3 });
  const once = { idempotencyKey: 'once', request: 'd'.repeat(64) };
  const done = { accountId: account.id, keyId: key.id, once, answer: 'done', expiresAt };
  await store.settleOnce(FIXTURE_NOW, 'none', { amount: 0 }, done);
  await fillOrders(store, account.id);
  await fillPeople(store, account.id);
  await fillLayouts(store, account.id);
  await store.people.markStreamed(FIXTURE_NOW, [account.id]);
  const noted = { node: '', from: FIXTURE_NOW, until: FIXTURE_NOW, state: 'up' } as const;
  await store.status.noteStatus(noted);
}

/** Its owner, a claim, and a new owner whose account is scheduled for deletion. */
async function fillPeople(store: AccountStore, accountId: string): Promise<void> {
  const { people } = store;
  const operator = { now: FIXTURE_NOW, actor: { kind: 'operator' } } as const;
  const addressOf = (email: string) => ({ email, key: email.toLowerCase() });
  await people.setOwner(operator, accountId, addressOf('Ada@example.com'));
  const claim = { purpose: 'claim', address: null, accountId, askedFrom: null } as const;
  await people.addLink(FIXTURE_NOW, 'e'.repeat(64), claim);
  const address = addressOf('bob@example.com');
  const link = { purpose: 'sign-in', address, accountId: null, askedFrom: 'c0000207' } as const;
  await people.addLink(FIXTURE_NOW, 'f'.repeat(64), link);
  const session = { browser: 'Firefox on Linux', replaces: null, askedFrom: 'c0000207' };
  const signedIn = await people.signIn(FIXTURE_NOW, 'f'.repeat(64), {
    ...session,
    hash: '0'.repeat(64),
  });
  if ('refused' in signedIn) throw new Error(`the sign-in was refused: ${signedIn.refused}`);
  const owner = { now: FIXTURE_NOW, actor: { kind: 'owner' } } as const;
  await people.askDeletion(owner, signedIn.session.accountId, null);
  await fillPasskeys(store, accountId);
  const token = { hash: '1'.repeat(64), sessionId: signedIn.session.id };
  const expiresAt = (FIXTURE_NOW + DAY_NS) as EpochNs;
  await store.issueSessionToken(FIXTURE_NOW, accountId, { ...token, expiresAt });
}

/** The owner's passkey, a challenge, and a recovery that was requested by a link. */
async function fillPasskeys({ people, passkeys }: AccountStore, accountId: string): Promise<void> {
  const owner = { now: FIXTURE_NOW, actor: { kind: 'owner' } } as const;
  const made = { credentialId: 'credential', publicKey: 'key', counter: 1, transports: ['usb'] };
  await passkeys.addPasskey(owner, accountId, { ...made, name: 'a security key' });
  const challenge = { purpose: 'sign-in', sessionId: null, askedBy: 'c0000207' } as const;
  await passkeys.addChallenge(FIXTURE_NOW, '2'.repeat(64), challenge);
  const address = { email: 'Ada@example.com', key: 'ada@example.com' };
  const link = { purpose: 'recovery', address, accountId, askedFrom: 'c0000207' } as const;
  await people.addLink(FIXTURE_NOW, '3'.repeat(64), link);
  const stop = { hash: '4'.repeat(64), token: 'stop' };
  const asked = await passkeys.askRecovery(owner, '3'.repeat(64), stop);
  if ('refused' in asked) throw new Error(`the recovery was refused: ${asked.refused}`);
}

/** A layout with two states, and a deleted one. */
async function fillLayouts({ layouts }: AccountStore, accountId: string): Promise<void> {
  const text = '{"version":1}';
  const made = async (name: string) => {
    const layout = await layouts.createLayout(FIXTURE_NOW, accountId, { name, text });
    return 'refused' in layout ? Promise.reject(new Error(layout.refused)) : layout.id;
  };
  const layout = { state: 1, text: '{"version":1,"charts":[]}' };
  await layouts.changeLayout(FIXTURE_NOW, accountId, await made('Morning'), { layout });
  await layouts.deleteLayout(FIXTURE_NOW, accountId, await made('Old'));
}

async function fillOrders({ orders }: AccountStore, accountId: string): Promise<void> {
  const terms = {
    id: 'ord_fixture',
    offer: 'history',
    grants: ['history'],
    kind: 'purchase',
    amountMinor: 49_900,
    currency: 'EUR',
    taxIncluded: true,
    country: 'DE',
    provider: 'test',
    ref: 'pay_fixture',
    url: 'http://127.0.0.1/pay/test/pay_fixture',
    waiverVersion: '2026-09-01',
    withdrawal: { days: 14, lostAt: 'access', refund: 'all' },
  } as const;
  const call = { now: FIXTURE_NOW, actor: { kind: 'owner' }, sessionId: null } as const;
  await orders.placeOrder(call, accountId, terms, { text: 'the waiver', address: '192.0.2.7' });
  const { provider, ref: objectRef } = terms;
  await orders.receiveEvent(FIXTURE_NOW, { provider, id: 'e', objectRef, at: FIXTURE_NOW });
  await orders.noteListing({
    provider,
    listedUntil: FIXTURE_NOW,
    listedAt: FIXTURE_NOW,
    listAt: FIXTURE_NOW,
  });
}

/** Tables with their rows first; indexes and triggers would hinder the inserts. */
export function sqlOf(database: DatabaseSync): string {
  const parts = database
    .prepare(`SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'`)
    .all() as { type: string; name: string; sql: string }[];
  const tables = parts.filter(({ type }) => type === 'table');
  const rest = parts.filter(({ type }) => type !== 'table');
  return [
    'PRAGMA foreign_keys = OFF',
    ...tables.flatMap(({ name, sql }) => [sql, ...rowsOf(database, name)]),
    ...rest.map(({ sql }) => sql),
    '',
  ].join(';\n');
}

function rowsOf(database: DatabaseSync, table: string): readonly string[] {
  const rows = database.prepare(`SELECT * FROM "${table}"`);
  rows.setReadBigInts(true);
  return rows.all().map((row) => {
    const values = Object.values(row).map((value) =>
      typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : `${value}`,
    );
    return `INSERT INTO "${table}" VALUES (${values.join(', ')})`;
  });
}

async function writeFixture(): Promise<void> {
  const path = pathOf(SCHEMA_VERSION);
  if (existsSync(path)) throw new Error(`${path} exists; a fixture is never made again`);
  const directory = await mkdtemp(join(tmpdir(), 'tapeloom-fixture-'));
  const file = join(directory, 'accounts.db');
  {
    await using store = await openSqliteAccountStore(file);
    await fillStore(store);
  }
  const database = new DatabaseSync(file);
  writeFileSync(path, sqlOf(database));
  database.close();
  await rm(directory, { recursive: true });
}

function pathOf(version: number): string {
  return join(import.meta.dirname, 'fixtures', `accounts.v${version}.sql`);
}

if (import.meta.main) await writeFixture();

/**
 * Several processes with many clients each on one account store: no unit of budget over the limit,
 * no eleventh valid key, no token used twice. At the end the store has exactly what was
 * acknowledged, even when one process is killed (`isKilled`); its reservations then expire.
 */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseInstant } from '@tapeloom/core/instant-text';
import type { EpochNs } from '@tapeloom/core/numbers';
import { VALID_KEYS_MAX } from '@tapeloom/server/accounts/keys/keys-store';
import type { AccountStore } from '@tapeloom/server/accounts/store/account-store';
import { openSqliteAccountStore } from '@tapeloom/server/accounts/store/sqlite/sqlite-account-store';
import type { ClientsTask } from './accounts-clients.ts';
import { type Entry, readLedger } from './accounts-ledger.ts';

const CLIENTS_SCRIPT = join(import.meta.dirname, 'accounts-clients.ts');
/** Calls pass the time, so the run has one fixed instant. */
const NOW = parseInstant('2026-11-15T12:00:00Z')!;
const PERIOD = '2026-11';
const RESERVED_NS = 600_000_000_000n;
const TOKENS = 200;
const SAMPLE_MS = 20;

export interface StoreRace {
  readonly directory: string;
  readonly processes: number;
  readonly clientsEach: number;
  readonly requests: number;
  readonly isKilled: boolean;
  readonly seed: number;
}

export async function raceOnStore(race: StoreRace): Promise<void> {
  const database = join(race.directory, `accounts-${race.seed}.db`);
  await using store = await openSqliteAccountStore(database);
  const { accountId, tokens } = await prepare(store);
  // Low enough that reservations are rejected, high enough that the race lasts to the end.
  const limit = race.processes * race.clientsEach * race.requests * 4;
  const tasks = Array.from({ length: race.processes }, (_, index): ClientsTask => {
    const ledger = join(race.directory, `ledger-${race.seed}-${index}`);
    writeFileSync(ledger, '');
    return {
      database,
      ledger,
      accountId,
      limit,
      period: PERIOD,
      nowNs: String(NOW),
      expiresAtNs: String(NOW + RESERVED_NS),
      tokens,
      clients: race.clientsEach,
      // The process to kill would never finish, so the kill always interrupts its work.
      requests: isVictim(race, index) ? Number.MAX_SAFE_INTEGER : race.requests,
      seed: race.seed * 100 + index,
    };
  });
  const children = tasks.map((task) => startClients(task));
  const ended = Promise.all(children.map(({ end }) => end)).then(() => true);
  const check = () => assertWithin(store, accountId, limit);
  for (let isOver = false; !isOver; ) {
    await check();
    if (race.isKilled && readLedger(tasks[0]!.ledger).length > race.requests * race.clientsEach) {
      children[0]!.kill();
    }
    isOver = await Promise.race([ended, pause(SAMPLE_MS, false)]);
  }
  await check();
  const ledgers = tasks.map(({ ledger }) => readLedger(ledger));
  for (const [index, ledger] of ledgers.entries()) {
    const isWhole = ledger.at(-1)?.t === 'end';
    assert.equal(isWhole, !isVictim(race, index), `process ${index} ended early or late`);
  }
  await assertExact(store, accountId, ledgers.flat(), tokens);
}

function isVictim(race: StoreRace, index: number): boolean {
  return race.isKilled && index === 0;
}

async function prepare(store: AccountStore) {
  const call = { now: NOW, actor: { kind: 'operator' } } as const;
  const account = await store.createAccount(call, { name: 'acme', grants: [] });
  const issuer = await store.createAccount(call, { name: 'issuer', grants: [] });
  if ('refused' in account || 'refused' in issuer) return assert.fail('the name is taken');
  const rights = { environment: 'live', scopes: ['stream'], expiresAt: null } as const;
  const key = await store.createKey(
    call,
    issuer.id,
    { ...rights, name: 'issuer', instruments: null, allowedIps: null },
    { hash: 'a'.repeat(64), hint: 'aaaa' },
  );
  if ('refused' in key) return assert.fail(key.refused);
  const tokens = Array.from({ length: TOKENS }, (_, index) => String(index).padStart(64, '0'));
  const expiresAt = (NOW + 60_000_000_000n) as EpochNs;
  for (const hash of tokens) {
    assert.ok(await store.issueToken(NOW, { hash, keyId: key.id, expiresAt }));
  }
  return { accountId: account.id, tokens };
}

function startClients(task: ClientsTask) {
  const child = spawn(process.execPath, [CLIENTS_SCRIPT, JSON.stringify(task)], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  return { kill: () => child.kill('SIGKILL'), end: once(child, 'close') };
}

/** Checks what holds at any moment. */
async function assertWithin(store: AccountStore, accountId: string, limit: number): Promise<void> {
  const { used, reserved, tests } = await store.usageOf(NOW, accountId, PERIOD);
  const taken = used.computeUnits + reserved.computeUnits;
  assert.ok(taken <= limit, `${taken} of ${limit} units are used or reserved`);
  const byTests = tests.used.computeUnits + tests.reserved.computeUnits;
  assert.ok(byTests <= limit / 2, `${byTests} of ${limit / 2} units are of test keys`);
  const valid = (await store.listKeys(NOW, accountId)).filter((key) => key.revokedAt === null);
  assert.ok(valid.length <= VALID_KEYS_MAX, `${valid.length} valid keys`);
}

/** Checks the end: exactly what was acknowledged, except for calls that a kill left unanswered. */
async function assertExact(
  store: AccountStore,
  accountId: string,
  entries: readonly Entry[],
  tokens: readonly string[],
): Promise<void> {
  const later = (NOW + RESERVED_NS) as EpochNs;
  const { used, reserved, tests } = await store.usageOf(later, accountId, PERIOD);
  assert.equal(reserved.computeUnits, 0, 'something is still reserved');
  assert.equal(tests.reserved.computeUnits, 0, 'something of test keys is still reserved');
  const [ofKey] = await store.usageByKey(accountId, PERIOD);
  assert.equal(ofKey?.used.computeUnits ?? 0, used.computeUnits, 'all was used by one key');
  const [settled, settling] = [sumOf(entries, 'settled'), sumOf(entries, 'settling')];
  assert.ok(settled <= used.computeUnits, `charged ${used.computeUnits}, acknowledged ${settled}`);
  assert.ok(used.computeUnits <= settling, `charged ${used.computeUnits}, tried ${settling}`);

  const ids = (t: Entry['t']) =>
    new Set(entries.flatMap((entry) => (entry.t === t && 'id' in entry ? [entry.id] : [])));
  const [created, revoking, revoked] = [ids('created'), ids('revoking'), ids('revoked')];
  const keys = new Map((await store.listKeys(NOW, accountId)).map((key) => [key.id, key]));
  for (const id of created) {
    const revokedAt = keys.get(id)?.revokedAt;
    if (revoked.has(id)) assert.notEqual(revokedAt, null, `${id} is valid again`);
    else if (!revoking.has(id)) assert.equal(revokedAt, null, `${id} is lost`);
  }

  const uses = entries.flatMap((entry) => (entry.t === 'consumed' ? [entry.token] : []));
  assert.equal(new Set(uses).size, uses.length, 'a token was used twice');
  for (const token of tokens) {
    const isLeft = (await store.consumeToken(NOW, token)) !== null;
    assert.ok(!(isLeft && uses.includes(token)), 'a token that was used is there again');
  }
}

function sumOf(entries: readonly Entry[], t: 'settled' | 'settling'): number {
  return entries.reduce((sum, entry) => (entry.t === t ? sum + entry.amount : sum), 0);
}

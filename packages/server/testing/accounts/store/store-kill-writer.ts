/**
 * A process that writes to an account store until it is killed; `store-kill.test.ts` runs it. Each printed line is an
 * acknowledged write. Arguments: the database file, and a prefix for its ids.
 * It prints to descriptor 3, where writes wait for a slow reader. The standard output of a process with threads never
 * waits: a write there fails once the reader is too far behind.
 */

import { writeSync } from 'node:fs';
import type { EpochNs } from '@tapeloom/core/numbers';
import { AccountsHandle } from '../../../src/accounts/store/thread/accounts-handle.ts';

const CLIENTS = 8;
const ACKNOWLEDGED_FD = 3;
const NOW = 1_790_000_000_123_456_789n as EpochNs;
const RIGHTS = {
  environment: 'live',
  scopes: ['stream', 'keys'],
  instruments: null,
  allowedIps: null,
  expiresAt: null,
} as const;
const OPERATOR = { now: NOW, actor: { kind: 'operator' } } as const;

const [path, word] = process.argv.slice(2) as [string, string];
const store = await AccountsHandle.open({
  path,
  onFault: (error) => {
    throw error;
  },
});
await store.createAccount(OPERATOR, { name: 'killed', grants: [] });
const account = (await store.findAccount('killed'))!;
const manager = await theManager();
for (let client = 0; client < CLIENTS; client += 1) void write(client);

async function write(client: number): Promise<void> {
  for (let round = 0; ; round += 1) {
    const id = `${word} ${client} ${round}`;
    const request = { accountId: account.id, budget: 'computeUnits', period: '2026-09' } as const;
    const expiresAt = (NOW + 1n) as EpochNs;
    // Every other one is of a test key.
    const testLimit = round % 2 === 0 ? null : 1_000_000_000;
    const limits = { keyId: `key ${client}`, limit: 1_000_000_000, testLimit };
    const reservation = { ...request, id, amount: 10, ...limits, expiresAt };
    await store.reserve(NOW, reservation);
    acknowledged('reserved', id);
    const once = { idempotencyKey: id, request: id };
    const key = await store.createKey(
      { now: NOW, actor: { kind: 'key', keyId: manager, once } },
      account.id,
      { ...RIGHTS, name: id },
      { hash: id, hint: 'hint' },
    );
    if ('id' in key) {
      acknowledged('key', id);
      await store.revokeKey(OPERATOR, account.id, key.id);
      acknowledged('revoked', id);
    }
    if (round % 3 === 0) continue;
    await store.settle(NOW, id, { amount: round % 10 });
    acknowledged('settled', id);
  }
}

/** The key that creates all others; the first process makes it. */
async function theManager(): Promise<string> {
  const known = await store.findKey('manager');
  if (known !== null) return known.key.id;
  const secret = { hash: 'manager', hint: 'hint' };
  const made = await store.createKey(OPERATOR, account.id, { ...RIGHTS, name: 'manager' }, secret);
  if ('refused' in made) throw new Error(made.refused);
  return made.id;
}

function acknowledged(what: string, id: string): void {
  writeSync(ACKNOWLEDGED_FD, `${what}:${id}\n`);
}

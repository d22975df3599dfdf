/**
 * A process that writes to an account store until it is killed: `store-kill.test.ts` runs it. Each line it
 * prints is something that was acknowledged. Arguments: the database file, and a word for its ids.
 */

import { writeSync } from 'node:fs';
import type { EpochNs } from '@tapeloom/core/numbers';
import { AccountsHandle } from './accounts-handle.ts';

const CLIENTS = 8;
const NOW = 1_790_000_000_123_456_789n as EpochNs;
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
    const key = await store.createKey(
      OPERATOR,
      account.id,
      {
        name: id,
        environment: 'live',
        scopes: ['stream'],
        instruments: null,
        allowedIps: null,
        expiresAt: null,
      },
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

function acknowledged(what: string, id: string): void {
  writeSync(1, `${what}:${id}\n`);
}

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import type { Readable } from 'node:stream';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { EpochNs } from '@tapeloom/core/numbers';
import { VALID_KEYS_MAX } from '../keys/keys-store.ts';
import { openSqliteAccountStore } from './sqlite/sqlite-account-store.ts';

const WRITER = fileURLToPath(
  new URL('../../../testing/accounts/store/store-kill-writer.ts', import.meta.url),
);
const NOW = 1_790_000_000_123_456_789n as EpochNs;
const KILLS = 2;

const directory = mkdtempSync(join(tmpdir(), 'tapeloom-store-kill-'));
after(() => rmSync(directory, { recursive: true, force: true }));

/** Lets the writer acknowledge this many calls, then kills it; returns all it acknowledged. */
async function writeAndKill(path: string, word: string, calls: number): Promise<readonly string[]> {
  const writer = spawn(process.execPath, [WRITER, path, word], {
    stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
  });
  const lines: string[] = [];
  const exited = once(writer, 'exit');
  for await (const line of createInterface({ input: writer.stdio[3] as Readable })) {
    lines.push(line);
    if (lines.length === calls) writer.kill('SIGKILL');
  }
  assert.deepEqual(await exited, [null, 'SIGKILL']);
  return lines;
}

test('after SIGKILL among many writes the store has all that was acknowledged, and its sums agree', async () => {
  const path = join(directory, 'accounts.db');
  const acknowledged: string[] = [];
  for (let kill = 0; kill < KILLS; kill += 1) {
    acknowledged.push(...(await writeAndKill(path, `writer${kill}`, 150 + 37 * kill)));
    await using store = await openSqliteAccountStore(path);
    const database = new DatabaseSync(path, { readOnly: true, readBigInts: true });
    const rows = (query: string) => database.prepare(query).all() as Record<string, unknown>[];
    assert.deepEqual(rows('PRAGMA integrity_check').map(Object.values), [['ok']]);
    assert.deepEqual(rows('PRAGMA foreign_key_check'), []);

    const reservations = rows('SELECT id, state FROM reservations');
    const states = new Map(reservations.map(({ id, state }) => [id, state]));
    const keys = new Map(
      rows('SELECT id, hash, revoked_at FROM keys').map((row) => [row.hash, row]),
    );
    const remembered = rows('SELECT idempotency_key, answer FROM idempotent_requests');
    database.close();
    for (const line of acknowledged) {
      const [what, id] = line.split(':') as [string, string];
      if (what === 'reserved') assert.ok(states.has(id), line);
      else if (what === 'settled') assert.equal(states.get(id), 'settled');
      else if (what === 'key') assert.ok(keys.has(id), line);
      else assert.ok(keys.get(id)?.revoked_at, line);
    }

    // Each remembered key was made and each made key is remembered: none can be made twice.
    const made = [...keys.values()].filter(({ hash }) => hash !== 'manager');
    assert.deepEqual(
      new Map(remembered.map((row) => [row.idempotency_key, row.answer])),
      new Map(made.map(({ hash, id }) => [hash, id])),
    );

    const account = (await store.findAccount('killed'))!;
    const settled = [...states].filter(([, state]) => state === 'settled').map(([id]) => id);
    const roundOf = (id: unknown) => Number(`${id}`.split(' ')[2]);
    const isTest = (id: unknown) => roundOf(id) % 2 === 1;
    const open = [...states].filter(([, state]) => state === 'open').map(([id]) => id);
    const tally = (isCounted: (id: unknown) => boolean) => {
      const sum = (total: number, id: unknown) => total + (roundOf(id) % 10);
      const computeUnits = settled.filter(isCounted).reduce<number>(sum, 0);
      return {
        used: { computeUnits, historyItems: 0, exportBytes: 0, restRequests: 0 },
        reserved: { computeUnits: 10 * open.filter(isCounted).length, exportBytes: 0 },
      };
    };
    const month = await store.usageOf(NOW, account.id, '2026-09');
    const all = tally(() => true);
    assert.deepEqual(month, { ...all, tests: tally(isTest) });
    const byKey = await store.usageByKey(account.id, '2026-09');
    const ofKeys = byKey.reduce((total, { used }) => total + used.computeUnits, 0);
    assert.equal(ofKeys, all.used.computeUnits);
    const valid = [...keys.values()].filter(({ revoked_at }) => revoked_at === null);
    assert.ok(valid.length <= VALID_KEYS_MAX);
    const told = await store.audit({ accountId: account.id, limit: 100_000 });
    assert.equal(told.filter(({ kind }) => kind === 'key.created').length, keys.size);
    assert.equal(
      told.filter(({ kind }) => kind === 'key.revoked').length,
      keys.size - valid.length,
    );

    const later = (NOW + 1n) as EpochNs;
    await store.sweep(later);
    const after = await store.usageOf(NOW, account.id, '2026-09');
    assert.deepEqual([after.reserved.computeUnits, after.tests.reserved.computeUnits], [0, 0]);
  }
});

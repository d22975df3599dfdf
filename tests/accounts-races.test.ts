import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { makeAccounts } from './account-maker.ts';
import { killServices, NO_TRADES, RunningService } from './running-service.ts';
import {
  assertKept,
  killAmongCreations,
  openAll,
  raceForKeys,
  raceForSubscriptions,
  raceForToken,
  VALID_KEYS_MAX,
  validKeys,
} from './torture/accounts-doors.ts';
import { raceOnStore } from './torture/accounts-store.ts';

const directory = mkdtempSync(join(tmpdir(), 'tapeloom-races-'));
const data = join(directory, 'data');
after(() => {
  killServices();
  rmSync(directory, { recursive: true, force: true });
});

test('four processes with 16 clients each on one store: nothing over a limit, nothing lost, also with one killed [SEC-05] [SEC-27]', async () => {
  const race = { directory, processes: 4, clientsEach: 16, requests: 10, isKilled: true, seed: 1 };
  await raceOnStore(race);
});

test('64 clients at the doors of one service: ten keys, one use of a token, fifty subscriptions', async () => {
  const service = new RunningService({ data, env: NO_TRADES });
  await service.ready();
  const [keys, tokens, subscriptions] = await makeAccounts(data, ['keys', 'tokens', 'subs']);
  const { valid, limited } = await raceForKeys(service, keys!, { clients: 64, requests: 3 });
  assert.equal(limited, 0, 'the race stays below the allowance of requests, and of keys a day');
  const listed = await validKeys(service, keys!);
  assert.ok(listed.length <= VALID_KEYS_MAX);
  const expected = [...valid.keys()].sort();
  const found = listed.map(({ id }) => id).filter((id) => valid.has(id));
  assert.deepEqual(found.sort(), expected, 'every acknowledged key is valid');
  for (const secret of valid.values()) {
    assert.equal((await service.send('GET', '/v1/usage', { key: secret })).status, 200);
  }
  for (let token = 0; token < 3; token += 1) await raceForToken(service, tokens!, 64);
  await raceForSubscriptions(service, subscriptions!, 30);
  assert.equal((await service.stop('SIGTERM')).code, 0, service.errors);
});

test('killed among creations: after the restart every acknowledged key works, never more than ten, and nobody meets 4029', async () => {
  const service = new RunningService({ data, env: NO_TRADES });
  await service.ready();
  const [key] = await makeAccounts(data, ['killed']);
  await openAll(service, key!);
  const acknowledged = await killAmongCreations(service, key!, { clients: 32, requests: 60 });
  assert.ok(acknowledged.created.size >= VALID_KEYS_MAX - 1);
  assert.ok(acknowledged.revocationsSent.size > 0, 'keys were revoked too');
  const restarted = new RunningService({ data, env: NO_TRADES });
  await restarted.ready();
  await assertKept(restarted, key!, acknowledged);
  await openAll(restarted, key!);
  assert.equal((await restarted.stop('SIGTERM')).code, 0, restarted.errors);
});

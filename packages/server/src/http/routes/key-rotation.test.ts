import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { KeyRequests, refusedAt } from '../../../testing/accounts/key-requests.ts';
import { checkProblem } from '../../../testing/rest/problem-check.ts';
import { DOCS_URL, RestService } from '../../../testing/rest/rest-service.ts';

const SECOND_NS = 1_000_000_000n;
const DAY_NS = 86_400n * SECOND_NS;

let service: RestService;
let keys: KeyRequests;
before(async () => {
  service = await RestService.start();
  keys = new KeyRequests(service);
});
after(() => service[Symbol.asyncDispose]());

test('a rotation needs a whole number of seconds from 0 to 604,800 [KEY-36] [KEY-37] [ERR-16]', async () => {
  const key = await service.customer('live_history');
  const { id } = await keys.made(key);
  const path = `/v1/keys/${id}/rotate`;
  assert.deepEqual(await refusedAt(service.post(path, { key, body: {} })), ['/gracePeriodSeconds']);
  for (const wrong of ['60', 1.5, null, -1, 604_801, 1e300, true, [60], {}]) {
    assert.deepEqual(await refusedAt(keys.rotate(key, id, wrong)), ['/gracePeriodSeconds']);
  }
  assert.deepEqual(await refusedAt(service.post(path, { key })), ['']);
  assert.equal((await keys.list(key)).length, 2, 'nothing was rotated');
  assert.equal((await keys.rotate(key, id, 604_800)).status, 201);
  assert.equal((await keys.rotate(key, (await keys.made(key)).id, 0)).status, 201);
});

test('with a grace period the old key is expiring until its end [KEY-38] [KEY-43]', async () => {
  const key = await service.customer('live_history');
  const later = service.clock.now() + DAY_NS;
  for (const fields of [{}, { expiresAt: `${later}` }]) {
    const old = await keys.made(key, fields);
    const end = service.clock.now() + 60n * SECOND_NS;
    const { status, body: fresh } = await keys.rotate(key, old.id, 60);
    assert.equal(status, 201);
    assert.deepEqual(fresh.previous, { id: old.id, state: 'expiring', expiresAt: `${end}` });
    assert.equal(await keys.use(fresh.key), 200);
    service.clock.advanceTo(end - 1n);
    assert.equal(await keys.use(old.key), 200);
    service.clock.advanceTo(end);
    assert.equal(await keys.use(old.key), 401);
    assert.equal(await keys.stateOf(key, old.id), 'expired');
  }
  const soon = service.clock.now() + 10n * SECOND_NS;
  const short = await keys.made(key, { expiresAt: `${soon}` });
  const { previous } = (await keys.rotate(key, short.id, 60)).body;
  assert.equal(previous.expiresAt, `${soon}`, 'its own earlier expiry holds');
});

test('without a grace period the old key is revoked at once [KEY-39] [KEY-43]', async () => {
  const key = await service.customer('live_history');
  const old = await keys.made(key);
  assert.equal(await keys.use(old.key), 200);
  const fresh = (await keys.rotate(key, old.id, 0)).body;
  assert.deepEqual(fresh.previous, { id: old.id, state: 'revoked' });
  assert.equal(await keys.use(old.key), 401);
  assert.equal(await keys.use(fresh.key), 200);
  const listed = (await keys.list(key)).find(({ id }) => id === old.id)!;
  assert.equal(listed.state, 'revoked');
  assert.equal(listed.rotatedTo, fresh.id);
});

test('the new key has the name, environment, scopes, restrictions and expiry of the old [KEY-40] [KEY-41] [KEY-42]', async () => {
  const key = await service.customer('live_history');
  const restrictions = {
    name: 'näme',
    scopes: ['history', 'stream', 'keys'],
    instruments: ['ES.c.0', 'ESZ6'],
    allowedIps: ['203.0.113.0/24', '::1'],
    expiresAt: `${service.clock.now() + DAY_NS}`,
  };
  const kept = ['name', 'environment', 'scopes', 'instruments', 'allowedIps', 'expiresAt'] as const;
  for (const fields of [{}, restrictions]) {
    for (const grace of [0, 60]) {
      const old = await keys.made(key, fields);
      const fresh = (await keys.rotate(key, old.id, grace)).body;
      for (const field of kept) assert.deepEqual(fresh[field], old[field], field);
      assert.notEqual(fresh.id, old.id);
      assert.notEqual(fresh.key, old.key);
      assert.equal(fresh.state, old.state);
    }
    service.clock.advance(60_000);
  }
});

test('a second rotation is 409 CONFLICT and changes nothing [KEY-44] [KEY-45] [ERR-33]', async () => {
  const key = await service.customer('live_history');
  const conflict = { status: 409, code: 'CONFLICT' } as const;
  for (const first of [0, 3_600]) {
    const old = await keys.made(key);
    await keys.rotate(key, old.id, first);
    const before = await keys.list(key);
    for (const second of [0, 60]) {
      checkProblem(await keys.rotate(key, old.id, second), DOCS_URL, conflict);
    }
    assert.deepEqual(await keys.list(key), before);
  }
});

test('a key that was revoked or has expired cannot be rotated', async () => {
  const key = await service.customer('live_history');
  const revoked = await keys.made(key);
  await keys.revoke(key, revoked.id);
  const expired = await keys.made(key, { expiresAt: `${service.clock.now() + SECOND_NS}` });
  service.clock.advance(1_000);
  for (const { id } of [revoked, expired]) {
    checkProblem(await keys.rotate(key, id, 60), DOCS_URL, { status: 409, code: 'CONFLICT' });
  }
});

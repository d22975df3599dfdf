import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { KeyRequests } from '../../../testing/accounts/key-requests.ts';
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

test('a key without allowedIps works from any address [KEY-14]', async () => {
  const manager = await service.customer('live_history');
  const { key, allowedIps } = await keys.made(manager);
  assert.equal(allowedIps, undefined);
  for (const address of ['198.51.100.7', '2001:db8::7']) {
    assert.equal((await service.get('/v1/usage', { key, address })).status, 200);
  }
});

test('creating answers 201 with the record, its id and the secret, which works [KEY-21]', async () => {
  const manager = await service.customer('live_history');
  const created = await keys.made(manager);
  const { key, ...record } = created;
  assert.deepEqual(record, {
    id: created.id,
    name: 'robot',
    environment: 'live',
    scopes: ['stream'],
    state: 'active',
    hint: key.slice(-4),
    createdAt: `${service.clock.now()}`,
    lastUsedAt: null,
  });
  assert.equal(typeof created.id, 'string');
  assert.equal(await keys.use(key), 200);
});

test('the id of a key is what the paths take that rotate and revoke it [KEY-01]', async () => {
  const key = await service.customer('live_history');
  const { id } = await keys.made(key);
  assert.equal(typeof id, 'string');
  const rotated = await keys.rotate(key, id, 60);
  assert.equal(rotated.status, 201);
  assert.equal(rotated.body.previous.id, id);
  const revoked = await keys.revoke(key, id);
  assert.equal(revoked.status, 200);
  assert.equal(revoked.body.id, id);
  assert.equal(revoked.body.state, 'revoked');
});

test('a secret is shown once: no later answer holds it [KEY-22] [SEC-02]', async () => {
  const key = await service.customer('live_history');
  const secrets = [key];
  const later: string[] = [];
  const first = await keys.made(key);
  const second = await keys.made(key);
  secrets.push(first.key, second.key);
  later.push((await service.get('/v1/keys', { key })).text);
  const rotated = await keys.rotate(key, first.id, 60);
  const { key: _shown, ...rest } = rotated.body;
  later.push(JSON.stringify(rest));
  secrets.push(rotated.body.key);
  later.push((await keys.revoke(key, second.id)).text);
  later.push((await keys.revoke(key, second.id)).text);
  later.push((await keys.rotate(key, first.id, 60)).text);
  later.push((await service.get('/v1/keys', { key })).text, service.logged.join('\n'));
  for (const text of later) {
    assert.ok(!text.includes('"key"'));
    for (const secret of secrets) assert.ok(!text.includes(secret.slice(9, 30)), text);
  }
});

test('a key without expiresAt is active, one with it is expiring until that instant and expired from it on [KEY-20] [KEY-25] [KEY-26] [KEY-27] [KEY-34]', async () => {
  const key = await service.customer('live_history');
  const active = await keys.made(key);
  assert.equal(active.state, 'active');
  const expiresAt = service.clock.now() + 10n * SECOND_NS;
  const expiring = await keys.made(key, { expiresAt: `${expiresAt}` });
  const revoked = await keys.made(key);
  await keys.revoke(key, revoked.id);
  assert.equal(expiring.state, 'expiring');
  assert.equal(await keys.stateOf(key, active.id), 'active');
  assert.equal(await keys.use(active.key), 200);

  service.clock.advanceTo(expiresAt - 1n);
  assert.equal(await keys.use(expiring.key), 200);
  assert.equal(await keys.stateOf(key, expiring.id), 'expiring');
  service.clock.advanceTo(expiresAt);
  assert.equal(await keys.use(expiring.key), 401);
  assert.equal(await keys.stateOf(key, expiring.id), 'expired');
  assert.equal(await keys.stateOf(key, revoked.id), 'revoked');
  const states = (await keys.list(key)).map(({ state }) => state);
  assert.deepEqual(states, ['revoked', 'expired', 'active', 'active'], 'the newest first');
});

test('an expired key gets 401 with exactly the detail API key expired [KEY-28]', async () => {
  const account = await service.account('live_history');
  const expiresAt = (service.clock.now() + SECOND_NS) as never;
  const { secret } = await service.key(account, { expiresAt });
  service.clock.advance(1_000);
  const problem = checkProblem(await service.get('/v1/usage', { key: secret }), DOCS_URL, {
    status: 401,
    code: 'UNAUTHORIZED',
  });
  assert.equal(problem.detail, 'API key expired');
});

test('revoking works at once, from active and from expiring, and again changes nothing [KEY-30]', async () => {
  const key = await service.customer('live_history');
  for (const fields of [{}, { expiresAt: `${service.clock.now() + DAY_NS}` }]) {
    const target = await keys.made(key, fields);
    assert.equal(await keys.use(target.key), 200);
    const revoked = await keys.revoke(key, target.id);
    assert.equal(revoked.status, 200);
    assert.equal(revoked.body.state, 'revoked');
    assert.equal(revoked.body.revokedAt, `${service.clock.now()}`);
    assert.equal(await keys.use(target.key), 401);
    assert.equal(await keys.stateOf(key, target.id), 'revoked');
    service.clock.advance(5_000);
    const again = await keys.revoke(key, target.id);
    assert.equal(again.status, 200);
    assert.deepEqual(again.body, { ...revoked.body, lastUsedAt: again.body.lastUsedAt });
  }
});

test('a key can revoke itself, and is then refused', async () => {
  const account = await service.account('live_history');
  const { secret, record } = await service.key(account);
  assert.equal((await service.delete(`/v1/keys/${record.id}`, { key: secret })).status, 200);
  assert.equal((await service.delete(`/v1/keys/${record.id}`, { key: secret })).status, 401);
});

test('an unknown id, and the id of a foreign key, is 404 NOT_FOUND [KEY-32] [ERR-32] [SEC-06]', async () => {
  const key = await service.customer('live_history');
  const foreign = await keys.made(await service.customer('live_history'));
  const unknown = { status: 404, code: 'NOT_FOUND' } as const;
  const ids = [foreign.id, 'key_nothing', '%00', '%F0%9F%98%80', 'x'.repeat(4_000), '..%2F..', "'"];
  for (const id of ids) {
    checkProblem(await keys.revoke(key, id), DOCS_URL, unknown);
    checkProblem(await keys.rotate(key, id, 0), DOCS_URL, unknown);
  }
  assert.equal(await keys.use(foreign.key), 200);
  assert.ok(!(await service.get('/v1/keys', { key })).text.includes(foreign.id));
});

test('the list holds every key of the account, whoever made it', async () => {
  const account = await service.account('live_history');
  const live = await service.key(account, { environment: 'live' });
  service.clock.advance(1);
  const trial = await service.key(account, { environment: 'test' });
  const byLive = await keys.made(live.secret);
  const byTrial = await keys.made(trial.secret, {
    environment: 'test',
    expiresAt: `${service.clock.now() + DAY_NS}`,
  });
  const expected = [byTrial.id, byLive.id, trial.record.id, live.record.id];
  for (const key of [live.secret, trial.secret]) {
    const listed = await keys.list(key);
    assert.deepEqual(
      listed.map(({ id }) => id),
      expected,
    );
    assert.deepEqual(
      listed.map(({ state }) => state),
      ['expiring', 'active', 'active', 'active'],
    );
  }
});

test('a revoked or expired key is listed for 30 days [KEY-35]', async () => {
  const key = await service.customer('live_history');
  const endsAt = service.clock.now() + 5n * SECOND_NS;
  const expired = await keys.made(key, { expiresAt: `${endsAt}` });
  const revoked = await keys.made(key);
  service.clock.advanceTo(endsAt);
  await keys.revoke(key, revoked.id);
  service.clock.advanceTo(endsAt + 30n * DAY_NS - 1n);
  assert.equal(await keys.stateOf(key, expired.id), 'expired');
  assert.equal(await keys.stateOf(key, revoked.id), 'revoked');
  service.clock.advance(1_000);
  assert.equal(await keys.stateOf(key, expired.id), undefined);
  assert.equal(await keys.stateOf(key, revoked.id), undefined);
  assert.equal((await keys.list(key)).length, 1);
});

test('an account has at most ten valid keys; ended ones do not count [KEY-46] [KEY-47] [ERR-26]', async () => {
  const key = await service.customer('live_history');
  const full = { status: 409, code: 'QUOTA_EXCEEDED' } as const;
  const ids: string[] = [];
  for (let count = 2; count <= 10; count += 1) ids.push((await keys.made(key)).id);
  checkProblem(await keys.create(key), DOCS_URL, full);
  checkProblem(await keys.rotate(key, ids[0]!, 60), DOCS_URL, full);
  assert.equal((await keys.list(key)).length, 10);
  assert.equal((await keys.rotate(key, ids[0]!, 0)).status, 201, 'a rotation without grace fits');
  checkProblem(await keys.create(key), DOCS_URL, full);

  await keys.revoke(key, ids[1]!);
  const soon = await keys.made(key, { expiresAt: `${service.clock.now() + SECOND_NS}` });
  checkProblem(await keys.create(key), DOCS_URL, full);
  service.clock.advance(1_000);
  assert.equal(await keys.stateOf(key, soon.id), 'expired');
  await keys.made(key);
  checkProblem(await keys.create(key), DOCS_URL, full);
});

test('of sixteen keys asked for at once exactly nine are made beside the first [KEY-46]', async () => {
  const key = await service.customer('live_history');
  const answers = await Promise.all(Array.from({ length: 16 }, () => keys.create(key)));
  const statuses = answers.map(({ status }) => status).sort();
  assert.deepEqual(statuses, [...Array<number>(9).fill(201), ...Array<number>(7).fill(409)]);
});

test('lastUsedAt is null before the first use and the minute of the last use after it', async () => {
  const key = await service.customer('live_history');
  const used = await keys.made(key);
  assert.equal((await keys.list(key)).find(({ id }) => id === used.id)!.lastUsedAt, null);
  await service.get('/v1/usage', { key: used.key });
  await service.meter.flush();
  const minute = (service.clock.now() / (60n * SECOND_NS)) * 60n * SECOND_NS;
  assert.equal((await keys.list(key)).find(({ id }) => id === used.id)!.lastUsedAt, `${minute}`);
});

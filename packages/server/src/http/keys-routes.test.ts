import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { SCOPES } from '@tapeloom/core/entitlement/key-rights';
import fc from 'fast-check';
import { checkProblem } from '../../../../simulation/problem-check.ts';
import { DOCS_URL, type RestAnswer, RestService } from '../../../../simulation/rest-service.ts';
import type { KeyView } from './key-view.ts';

const SECOND_NS = 1_000_000_000n;
const DAY_NS = 86_400n * SECOND_NS;

interface CreatedKey extends KeyView {
  readonly key: string;
}
interface RotatedKey extends CreatedKey {
  readonly previous: { readonly id: string; readonly state: string; readonly expiresAt?: string };
}
interface InstrumentNames {
  readonly instruments: readonly { readonly symbol: string; readonly alias: string | null }[];
}

let service: RestService;
before(async () => {
  service = await RestService.start();
});
after(() => service[Symbol.asyncDispose]());

const body = (fields: object = {}) => ({
  name: 'robot',
  environment: 'live',
  scopes: ['stream'],
  ...fields,
});
const without = (field: string) =>
  Object.fromEntries(Object.entries(body()).filter(([name]) => name !== field));

const create = (key: string, fields: object = {}) => {
  service.clock.advance(1);
  return service.post<CreatedKey>('/v1/keys', { key, body: body(fields) });
};
const rotate = (key: string, id: string, gracePeriodSeconds: unknown) =>
  service.post<RotatedKey>(`/v1/keys/${id}/rotate`, { key, body: { gracePeriodSeconds } });
const list = async (key: string) =>
  (await service.get<{ keys: KeyView[] }>('/v1/keys', { key })).body.keys;
const stateOf = async (key: string, id: string) =>
  (await list(key)).find((listed) => listed.id === id)?.state;

/** A key that was really created: 201, and the record revealed nothing but what it should. */
async function made(answer: Promise<RestAnswer<CreatedKey>>): Promise<CreatedKey> {
  const { status, text, body: created } = await answer;
  assert.equal(status, 201, text);
  return created;
}

/** The pointers of a refused body, in the order of their places. */
async function refusedAt(answer: Promise<RestAnswer<unknown>>): Promise<string[]> {
  const problem = checkProblem(await answer, DOCS_URL, { status: 400, code: 'INVALID_PARAMETERS' });
  return problem.errors!.map(({ path }) => path).sort();
}

const post = (key: string, sent: unknown) => service.post('/v1/keys', { key, body: sent });
const names = async (key: string) => {
  const { body: listed } = await service.get<InstrumentNames>('/v1/instruments?dataset=SIM', {
    key,
  });
  return listed.instruments;
};

test('a name is mandatory and a string of 1 to 64 code points without control characters [KEY-02] [KEY-03] [ERR-14] [ERR-15]', async () => {
  const key = await service.customer('live_history');
  for (const sent of [without('name'), body({ name: 7 }), body({ name: null })]) {
    assert.deepEqual(await refusedAt(post(key, sent)), ['/name']);
  }
  for (const name of [
    '',
    'x'.repeat(65),
    'é'.repeat(65),
    '😀'.repeat(65),
    'a\nb',
    '\u0000',
    '\ud800',
  ]) {
    assert.deepEqual(await refusedAt(post(key, body({ name }))), ['/name'], JSON.stringify(name));
  }
  for (const name of [
    'x',
    'x'.repeat(64),
    '😀'.repeat(64),
    ' ',
    '<b>&"',
    '名前',
    "'; drop table",
  ]) {
    const created = await made(create(key, { name }));
    assert.equal(created.name, name);
    await service.delete(`/v1/keys/${created.id}`, { key });
  }
});

test('an environment is mandatory, live or test, and the text of the key begins with it [KEY-04] [KEY-05] [KEY-23] [KEY-24]', async () => {
  const account = await service.account('live_history');
  for (const environment of ['live', 'test'] as const) {
    const { secret } = await service.key(account, { environment });
    const created = await made(create(secret, { environment }));
    assert.equal(created.environment, environment);
    assert.ok(created.key.startsWith(`svc_${environment}_`));
    assert.equal(created.hint, created.key.slice(-4));
  }
  const key = await service.customer('live_history');
  assert.deepEqual(await refusedAt(post(key, without('environment'))), ['/environment']);
  for (const environment of ['Live', 'prod', '', 'LIVE', ' live', 1, null, ['live']]) {
    assert.deepEqual(await refusedAt(post(key, body({ environment }))), ['/environment']);
  }
});

test('scopes are mandatory, at least one of the four words [KEY-06] [KEY-07] [KEY-08]', async () => {
  const key = await service.customer('live_history');
  for (const sent of [without('scopes'), body({ scopes: 'stream' }), body({ scopes: [] })]) {
    assert.deepEqual(await refusedAt(post(key, sent)), ['/scopes']);
  }
  for (const word of ['Stream', 'admin', '', 'keys ', 7, null]) {
    assert.deepEqual(await refusedAt(post(key, body({ scopes: ['stream', word] }))), ['/scopes/1']);
  }
  for (const scopes of [...SCOPES.map((scope) => [scope]), [...SCOPES]]) {
    const created = await made(create(key, { scopes }));
    assert.deepEqual(created.scopes, scopes);
  }
});

test('instruments are up to 32 listed symbols and aliases, case-sensitive [KEY-10] [KEY-11] [KEY-12]', async () => {
  const key = await service.customer('live_history');
  const listed = await names(key);
  const symbols = listed.map(({ symbol }) => symbol);
  assert.ok(symbols.length >= 33);
  for (const instruments of [[symbols[0]!], ['ES.c.0'], symbols.slice(0, 32)]) {
    assert.deepEqual((await made(create(key, { instruments }))).instruments, instruments);
  }
  const tooMany = await refusedAt(post(key, body({ instruments: symbols.slice(0, 33) })));
  assert.deepEqual(tooMany, ['/instruments']);
  for (const name of ['esz6', 'es.c.0', 'ES.C.0', 'ESz6', ' ESZ6', 'ESZ6 ']) {
    assert.deepEqual(await refusedAt(post(key, body({ instruments: [name] }))), ['/instruments/0']);
  }
  for (const instruments of [[], 'ESZ6', null, {}]) {
    assert.deepEqual(await refusedAt(post(key, body({ instruments }))), ['/instruments']);
  }
});

test('an unknown instrument is reported at its index and nowhere else [KEY-13]', async () => {
  const key = await service.customer('live_history');
  const instruments = ['ESZ6', 'ES.c.0', 'NOPE'];
  assert.deepEqual(await refusedAt(post(key, body({ instruments }))), ['/instruments/2']);
  const mixed = ['', 'ESZ6', 7, '__proto__'];
  assert.deepEqual(await refusedAt(post(key, body({ instruments: mixed }))), [
    '/instruments/0',
    '/instruments/2',
    '/instruments/3',
  ]);
});

test('allowedIps are up to 32 addresses and ranges; a malformed one is reported at its index [KEY-15] [KEY-16] [KEY-17]', async () => {
  const key = await service.customer('live_history');
  const many = Array.from({ length: 33 }, (_, index) => `10.0.0.${index}`);
  for (const allowedIps of [
    ['198.51.100.7'],
    ['198.51.100.0/24'],
    ['2001:db8::7'],
    ['2001:db8::/32'],
    many.slice(0, 32),
  ]) {
    assert.deepEqual((await made(create(key, { allowedIps }))).allowedIps, allowedIps);
  }
  assert.deepEqual(await refusedAt(post(key, body({ allowedIps: many }))), ['/allowedIps']);
  const wrong = ['300.1.1.1', '10.0.0.0/33', 'abc', '192.168.1', '::1::', '2001:db8::/129', ''];
  for (const [index] of wrong.entries()) {
    const allowedIps = ['10.0.0.1', '10.0.0.2', wrong[index]];
    assert.deepEqual(await refusedAt(post(key, body({ allowedIps }))), ['/allowedIps/2']);
  }
  const all = wrong.map((_, index) => `/allowedIps/${index}`);
  assert.deepEqual(await refusedAt(post(key, body({ allowedIps: wrong }))), all);
  for (const allowedIps of [[], '10.0.0.1', null]) {
    assert.deepEqual(await refusedAt(post(key, body({ allowedIps }))), ['/allowedIps']);
  }
});

test('a key without allowedIps works from any address [KEY-14]', async () => {
  const manager = await service.customer('live_history');
  const { key, allowedIps } = await made(create(manager));
  assert.equal(allowedIps, undefined);
  for (const address of ['198.51.100.7', '2001:db8::7']) {
    assert.equal((await service.get('/v1/usage', { key, address })).status, 200);
  }
});

test('expiresAt is a decimal string of nanoseconds in the future [KEY-18] [KEY-19]', async () => {
  const key = await service.customer('live_history');
  const now = service.clock.now();
  const wrong = [
    Number(now) * 2,
    '2027-01-01T00:00:00Z',
    '1.5',
    `${now + DAY_NS}.0`,
    `+${now + DAY_NS}`,
    ` ${now + DAY_NS}`,
    '1e30',
    '0x7fffffffffffffff',
    '',
    '9223372036854775808',
    '9'.repeat(40),
    '0',
    '-1',
    `${now}`,
    `${now - 1n}`,
    null,
    true,
  ];
  for (const expiresAt of wrong) {
    assert.deepEqual(await refusedAt(post(key, body({ expiresAt }))), ['/expiresAt']);
  }
  for (const expiresAt of [`${now + 1n}`, '9223372036854775807']) {
    const created = await made(service.post('/v1/keys', { key, body: body({ expiresAt }) }));
    assert.equal(created.expiresAt, expiresAt);
  }
});

test('all faults of a body are reported at once, unknown fields too [ERR-09] [ERR-13]', async () => {
  const key = await service.customer('live_history');
  const paths = await refusedAt(
    service.post('/v1/keys?dry=1', {
      key,
      body: {
        environment: 'prod',
        scopes: ['stream', 'fly'],
        instruments: ['ESZ6', 'NOPE'],
        allowedIps: ['10.0.0.1', '10.0.0.256'],
        expiresAt: '1',
        'a/b~c': 1,
      },
    }),
  );
  assert.deepEqual(paths, [
    '/allowedIps/1',
    '/a~1b~0c',
    '/dry',
    '/environment',
    '/expiresAt',
    '/instruments/1',
    '/name',
    '/scopes/1',
  ]);
});

test('an entry listed twice counts and stays once', async () => {
  const key = await service.customer('live_history');
  const created = await made(
    create(key, {
      scopes: ['stream', 'stream'],
      instruments: ['ESZ6', 'ESZ6', 'ES.c.0'],
      allowedIps: ['10.0.0.1', '10.0.0.1'],
    }),
  );
  assert.deepEqual(created.scopes, ['stream']);
  assert.deepEqual(created.instruments, ['ESZ6', 'ES.c.0']);
  assert.deepEqual(created.allowedIps, ['10.0.0.1']);
});

test('creating answers 201 with the record, its id and the secret, which works [KEY-21]', async () => {
  const manager = await service.customer('live_history');
  const created = await made(create(manager));
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
  assert.equal((await service.get('/v1/usage', { key })).status, 200);
});

test('the id of a key is what the paths take that rotate and revoke it [KEY-01]', async () => {
  const key = await service.customer('live_history');
  const { id } = await made(create(key));
  assert.equal(typeof id, 'string');
  const rotated = await rotate(key, id, 60);
  assert.equal(rotated.status, 201);
  assert.equal(rotated.body.previous.id, id);
  const revoked = await service.delete<KeyView>(`/v1/keys/${id}`, { key });
  assert.equal(revoked.status, 200);
  assert.equal(revoked.body.id, id);
  assert.equal(revoked.body.state, 'revoked');
});

test('a secret is shown once: no later answer holds it [KEY-22] [SEC-02]', async () => {
  const key = await service.customer('live_history');
  const secrets = [key];
  const later: string[] = [];
  const first = await made(create(key));
  const second = await made(create(key));
  secrets.push(first.key, second.key);
  later.push((await service.get('/v1/keys', { key })).text);
  const rotated = await rotate(key, first.id, 60);
  const { key: _shown, ...rest } = rotated.body;
  later.push(JSON.stringify(rest));
  secrets.push(rotated.body.key);
  later.push((await service.delete(`/v1/keys/${second.id}`, { key })).text);
  later.push((await service.delete(`/v1/keys/${second.id}`, { key })).text);
  later.push((await rotate(key, first.id, 60)).text);
  later.push((await service.get('/v1/keys', { key })).text, service.logged.join('\n'));
  for (const text of later) {
    assert.ok(!text.includes('"key"'));
    for (const secret of secrets) assert.ok(!text.includes(secret.slice(9, 30)), text);
  }
});

test('a key without expiresAt is active, one with it is expiring until that instant and expired from it on [KEY-20] [KEY-25] [KEY-26] [KEY-27] [KEY-34]', async () => {
  const key = await service.customer('live_history');
  const active = await made(create(key));
  assert.equal(active.state, 'active');
  const expiresAt = service.clock.now() + 10n * SECOND_NS;
  const expiring = await made(create(key, { expiresAt: `${expiresAt}` }));
  const revoked = await made(create(key));
  await service.delete(`/v1/keys/${revoked.id}`, { key });
  assert.equal(expiring.state, 'expiring');
  assert.equal(await stateOf(key, active.id), 'active');
  assert.equal((await service.get('/v1/usage', { key: active.key })).status, 200);

  service.clock.advanceTo(expiresAt - 1n);
  assert.equal((await service.get('/v1/usage', { key: expiring.key })).status, 200);
  assert.equal(await stateOf(key, expiring.id), 'expiring');
  service.clock.advanceTo(expiresAt);
  assert.equal((await service.get('/v1/usage', { key: expiring.key })).status, 401);
  assert.equal(await stateOf(key, expiring.id), 'expired');
  assert.equal(await stateOf(key, revoked.id), 'revoked');
  const states = (await list(key)).map(({ state }) => state);
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
    const target = await made(create(key, fields));
    assert.equal((await service.get('/v1/usage', { key: target.key })).status, 200);
    const revoked = await service.delete<KeyView>(`/v1/keys/${target.id}`, { key });
    assert.equal(revoked.status, 200);
    assert.equal(revoked.body.state, 'revoked');
    assert.equal(revoked.body.revokedAt, `${service.clock.now()}`);
    assert.equal((await service.get('/v1/usage', { key: target.key })).status, 401);
    assert.equal(await stateOf(key, target.id), 'revoked');
    service.clock.advance(5_000);
    const again = await service.delete<KeyView>(`/v1/keys/${target.id}`, { key });
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
  const foreign = await made(create(await service.customer('live_history')));
  const unknown = { status: 404, code: 'NOT_FOUND' } as const;
  const ids = [foreign.id, 'key_nothing', '%00', '%F0%9F%98%80', 'x'.repeat(4_000), '..%2F..', "'"];
  for (const id of ids) {
    checkProblem(await service.delete(`/v1/keys/${id}`, { key }), DOCS_URL, unknown);
    checkProblem(await rotate(key, id, 0), DOCS_URL, unknown);
  }
  assert.equal((await service.get('/v1/usage', { key: foreign.key })).status, 200);
  assert.ok(!(await service.get('/v1/keys', { key })).text.includes(foreign.id));
});

test('the list holds every key of the account, whoever made it [KEY-33]', async () => {
  const account = await service.account('live_history');
  const live = await service.key(account, { environment: 'live' });
  service.clock.advance(1);
  const trial = await service.key(account, { environment: 'test' });
  const byLive = await made(create(live.secret));
  const byTrial = await made(
    create(trial.secret, { environment: 'test', expiresAt: `${service.clock.now() + DAY_NS}` }),
  );
  const expected = [byTrial.id, byLive.id, trial.record.id, live.record.id];
  for (const key of [live.secret, trial.secret]) {
    const keys = await list(key);
    assert.deepEqual(
      keys.map(({ id }) => id),
      expected,
    );
    assert.deepEqual(
      keys.map(({ state }) => state),
      ['expiring', 'active', 'active', 'active'],
    );
  }
});

test('a revoked or expired key is listed for 30 days [KEY-35]', async () => {
  const key = await service.customer('live_history');
  const endsAt = service.clock.now() + 5n * SECOND_NS;
  const expired = await made(create(key, { expiresAt: `${endsAt}` }));
  const revoked = await made(create(key));
  service.clock.advanceTo(endsAt);
  await service.delete(`/v1/keys/${revoked.id}`, { key });
  service.clock.advanceTo(endsAt + 30n * DAY_NS - 1n);
  assert.equal(await stateOf(key, expired.id), 'expired');
  assert.equal(await stateOf(key, revoked.id), 'revoked');
  service.clock.advance(1_000);
  assert.equal(await stateOf(key, expired.id), undefined);
  assert.equal(await stateOf(key, revoked.id), undefined);
  assert.equal((await list(key)).length, 1);
});

test('a rotation needs a whole number of seconds from 0 to 604,800 [KEY-36] [KEY-37] [ERR-16]', async () => {
  const key = await service.customer('live_history');
  const { id } = await made(create(key));
  const path = `/v1/keys/${id}/rotate`;
  assert.deepEqual(await refusedAt(service.post(path, { key, body: {} })), ['/gracePeriodSeconds']);
  for (const wrong of ['60', 1.5, null, -1, 604_801, 1e300, true, [60], {}]) {
    assert.deepEqual(await refusedAt(rotate(key, id, wrong)), ['/gracePeriodSeconds']);
  }
  assert.deepEqual(await refusedAt(service.post(path, { key })), ['']);
  assert.equal((await list(key)).length, 2, 'nothing was rotated');
  assert.equal((await rotate(key, id, 604_800)).status, 201);
  assert.equal((await rotate(key, (await made(create(key))).id, 0)).status, 201);
});

test('with a grace period the old key is expiring until its end [KEY-38] [KEY-43]', async () => {
  const key = await service.customer('live_history');
  const later = service.clock.now() + DAY_NS;
  for (const fields of [{}, { expiresAt: `${later}` }]) {
    const old = await made(create(key, fields));
    const end = service.clock.now() + 60n * SECOND_NS;
    const { status, body: fresh } = await rotate(key, old.id, 60);
    assert.equal(status, 201);
    assert.deepEqual(fresh.previous, { id: old.id, state: 'expiring', expiresAt: `${end}` });
    assert.equal((await service.get('/v1/usage', { key: fresh.key })).status, 200);
    service.clock.advanceTo(end - 1n);
    assert.equal((await service.get('/v1/usage', { key: old.key })).status, 200);
    service.clock.advanceTo(end);
    assert.equal((await service.get('/v1/usage', { key: old.key })).status, 401);
    assert.equal(await stateOf(key, old.id), 'expired');
  }
  const soon = service.clock.now() + 10n * SECOND_NS;
  const short = await made(create(key, { expiresAt: `${soon}` }));
  const { previous } = (await rotate(key, short.id, 60)).body;
  assert.equal(previous.expiresAt, `${soon}`, 'its own earlier expiry holds');
});

test('without a grace period the old key is revoked at once [KEY-39] [KEY-43]', async () => {
  const key = await service.customer('live_history');
  const old = await made(create(key));
  assert.equal((await service.get('/v1/usage', { key: old.key })).status, 200);
  const fresh = (await rotate(key, old.id, 0)).body;
  assert.deepEqual(fresh.previous, { id: old.id, state: 'revoked' });
  assert.equal((await service.get('/v1/usage', { key: old.key })).status, 401);
  assert.equal((await service.get('/v1/usage', { key: fresh.key })).status, 200);
  const listed = (await list(key)).find(({ id }) => id === old.id)!;
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
      const old = await made(create(key, fields));
      const fresh = (await rotate(key, old.id, grace)).body;
      for (const field of kept) assert.deepEqual(fresh[field], old[field], field);
      assert.notEqual(fresh.id, old.id);
      assert.notEqual(fresh.key, old.key);
      assert.equal(fresh.state, old.state);
    }
    service.clock.advance(60_000);
  }
});

test('a second rotation is 409 CONFLICT and changes nothing [KEY-44] [KEY-45]', async () => {
  const key = await service.customer('live_history');
  const conflict = { status: 409, code: 'CONFLICT' } as const;
  for (const first of [0, 3_600]) {
    const old = await made(create(key));
    await rotate(key, old.id, first);
    const before = await list(key);
    for (const second of [0, 60]) {
      checkProblem(await rotate(key, old.id, second), DOCS_URL, conflict);
    }
    assert.deepEqual(await list(key), before);
  }
});

test('a key that was revoked or has expired cannot be rotated', async () => {
  const key = await service.customer('live_history');
  const revoked = await made(create(key));
  await service.delete(`/v1/keys/${revoked.id}`, { key });
  const expired = await made(create(key, { expiresAt: `${service.clock.now() + SECOND_NS}` }));
  service.clock.advance(1_000);
  for (const { id } of [revoked, expired]) {
    checkProblem(await rotate(key, id, 60), DOCS_URL, { status: 409, code: 'CONFLICT' });
  }
});

test('an account has at most ten valid keys; ended ones do not count [KEY-46] [KEY-47] [ERR-26]', async () => {
  const key = await service.customer('live_history');
  const full = { status: 409, code: 'QUOTA_EXCEEDED' } as const;
  const ids: string[] = [];
  for (let count = 2; count <= 10; count += 1) ids.push((await made(create(key))).id);
  checkProblem(await create(key), DOCS_URL, full);
  checkProblem(await rotate(key, ids[0]!, 60), DOCS_URL, full);
  assert.equal((await list(key)).length, 10);
  assert.equal((await rotate(key, ids[0]!, 0)).status, 201, 'a rotation without grace fits');
  checkProblem(await create(key), DOCS_URL, full);

  await service.delete(`/v1/keys/${ids[1]}`, { key });
  const soon = await made(create(key, { expiresAt: `${service.clock.now() + SECOND_NS}` }));
  checkProblem(await create(key), DOCS_URL, full);
  service.clock.advance(1_000);
  assert.equal(await stateOf(key, soon.id), 'expired');
  await made(create(key));
  checkProblem(await create(key), DOCS_URL, full);
});

test('of sixteen keys asked for at once exactly nine are made beside the first [KEY-46]', async () => {
  const key = await service.customer('live_history');
  const answers = await Promise.all(Array.from({ length: 16 }, () => create(key)));
  const statuses = answers.map(({ status }) => status).sort();
  assert.deepEqual(statuses, [...Array<number>(9).fill(201), ...Array<number>(7).fill(409)]);
});

test('lastUsedAt is null before the first use and the minute of the last use after it', async () => {
  const key = await service.customer('live_history');
  const used = await made(create(key));
  assert.equal((await list(key)).find(({ id }) => id === used.id)!.lastUsedAt, null);
  await service.get('/v1/usage', { key: used.key });
  await service.meter.flush();
  const minute = (service.clock.now() / (60n * SECOND_NS)) * 60n * SECOND_NS;
  assert.equal((await list(key)).find(({ id }) => id === used.id)!.lastUsedAt, `${minute}`);
});

test('any body at all is answered with a key or a complete list of its faults', async () => {
  const account = await service.account('live_history');
  const anyOf = (...values: unknown[]) => fc.oneof(fc.constantFrom(...values), fc.jsonValue());
  const sent = fc.record(
    {
      name: anyOf('robot', ''),
      environment: anyOf('live', 'test'),
      scopes: anyOf(['stream'], ['keys', 'nothing'], []),
      instruments: anyOf(['ESZ6'], ['NOPE'], []),
      allowedIps: anyOf(['10.0.0.0/8'], ['10'], []),
      expiresAt: anyOf('9000000000000000000', '1', 1),
    },
    { requiredKeys: [] },
  );
  await fc.assert(
    fc.asyncProperty(fc.oneof(sent, fc.jsonValue()), async (value) => {
      const { secret, record } = await service.key(account);
      const answer = await post(secret, JSON.stringify(value));
      if (answer.status !== 201) checkProblem(answer, DOCS_URL);
      else
        await service.delete(`/v1/keys/${(answer.body as unknown as CreatedKey).id}`, {
          key: secret,
        });
      await service.delete(`/v1/keys/${record.id}`, { key: secret });
    }),
    { numRuns: 100 },
  );
});

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Environment, SCOPES } from '@tapeloom/core/entitlement/key-rights';
import {
  type CreatedKey,
  KeyRequests,
  keyBody,
  type RotatedKey,
  refusedAt,
} from '../../../testing/accounts/key-requests.ts';
import { PortalBrowser } from '../../../testing/portal/portal-browser.ts';
import { checkProblem } from '../../../testing/rest/problem-check.ts';
import { DOCS_URL, RestService } from '../../../testing/rest/rest-service.ts';
import { digestOf } from '../../accounts/auth/secret.ts';
import { KEYS_MADE_MAX } from '../../accounts/keys/keys-store.ts';
import type { KeyView } from '../routes/key-view.ts';

const SECOND_NS = 1_000_000_000n;

interface KeyList {
  readonly keys: readonly KeyView[];
  readonly limits: { readonly valid: number; readonly validMax: number };
}

/** Of the interface. */
const VALID_KEYS_MAX = 10;

let service: RestService;
let keys: KeyRequests;
let people = 0;
before(async () => {
  service = await RestService.start();
  keys = new KeyRequests(service);
});
after(() => service[Symbol.asyncDispose]());

class Owner {
  readonly browser = new PortalBrowser(service);
  readonly accountId: string;

  private constructor(accountId: string, browser: PortalBrowser) {
    this.accountId = accountId;
    this.browser = browser;
  }

  static async signIn(): Promise<Owner> {
    people += 1;
    const browser = new PortalBrowser(service);
    await browser.signIn(`owner${people}@example.com`);
    const { body } = await browser.get<{ id: string }>('/v1/portal/account');
    return new Owner(body.id, browser);
  }

  create(fields: object = {}) {
    service.clock.advance(1);
    return this.browser.post<CreatedKey>('/v1/portal/keys', keyBody(fields));
  }

  async made(fields: object = {}): Promise<CreatedKey> {
    const { status, text, body } = await this.create(fields);
    assert.equal(status, 201, text);
    return body;
  }

  rotate(id: string, gracePeriodSeconds = 60) {
    const path = `/v1/portal/keys/${id}/rotate`;
    return this.browser.post<RotatedKey>(path, { gracePeriodSeconds });
  }

  revoke(id: string) {
    return this.browser.delete<KeyView>(`/v1/portal/keys/${id}`);
  }

  async list(): Promise<KeyList> {
    return (await this.browser.get<KeyList>('/v1/portal/keys')).body;
  }
}

test('the owner makes, rotates and revokes keys of either environment with any rights, without the criteria that keys are held to [PORTAL-08]', async () => {
  const owner = await Owner.signIn();
  const far = `${service.clock.now() + 10_000n * SECOND_NS}`;
  const wanted = (['live', 'test'] as const).flatMap((environment: Environment) => [
    { environment, scopes: [...SCOPES] },
    { environment, scopes: ['keys'], instruments: ['ES.c.0'], allowedIps: ['10.0.0.0/8'] },
    { environment, scopes: ['export'], expiresAt: far },
  ]);
  for (const fields of wanted) {
    const { key, ...record } = await owner.made(fields);
    assert.match(key, new RegExp(`^svc_${fields.environment}_`));
    assert.deepEqual({ ...record, ...fields }, record, 'as it was asked for');
    const rotated = await owner.rotate(record.id);
    assert.equal(rotated.status, 201, rotated.text);
    assert.deepEqual(rotated.body.scopes, fields.scopes);
    assert.equal(rotated.body.previous.id, record.id);
    for (const id of [record.id, rotated.body.id]) {
      const revoked = await owner.revoke(id);
      assert.deepEqual([revoked.status, revoked.body.state], [200, 'revoked']);
    }
    assert.equal(await keys.use(key), 401);
  }
});

test('the owner manages what a key of the account may not [PORTAL-08]', async () => {
  const owner = await Owner.signIn();
  const manager = await owner.made({ environment: 'test', scopes: ['keys'] });
  const target = await owner.made({ environment: 'live', scopes: ['stream', 'export'] });
  for (const refused of [
    await keys.revoke(manager.key, target.id),
    await keys.rotate(manager.key, target.id, 60),
  ]) {
    checkProblem(refused, DOCS_URL, { status: 403, code: 'FORBIDDEN' });
  }
  assert.equal((await owner.rotate(target.id)).status, 201);
  assert.equal((await owner.revoke(target.id)).status, 200);
});

test('a key lists every key of the account: both environments, made by keys and by the portal, active and expiring [KEY-33]', async () => {
  const owner = await Owner.signIn();
  const portalLive = await owner.made({ scopes: ['keys', 'stream'] });
  const portalTest = await owner.made({ environment: 'test', scopes: ['history'] });
  const expiresAt = `${service.clock.now() + 600n * SECOND_NS}`;
  const portalExpiring = await owner.made({ expiresAt });
  const testManager = await owner.made({ environment: 'test', scopes: ['keys'] });
  const ofKey = await keys.made(portalLive.key, { name: 'by a key' });
  const ofKeyExpiring = await keys.made(portalLive.key, { name: 'by a key', expiresAt });
  const ofTestKey = await keys.made(testManager.key, { environment: 'test', scopes: ['keys'] });
  const all = [
    portalLive,
    portalTest,
    portalExpiring,
    testManager,
    ofKey,
    ofKeyExpiring,
    ofTestKey,
  ];
  const expected = all.map(({ id, environment, state }) => [id, environment, state]).toReversed();
  const shown = (list: readonly KeyView[]) =>
    list.map(({ id, environment, state }) => [id, environment, state]);
  for (const { key } of [portalLive, testManager]) {
    assert.deepEqual(shown(await keys.list(key)), expected);
  }
  assert.deepEqual(new Set(expected.map(([, , state]) => state)), new Set(['active', 'expiring']));
  const { keys: listed, limits } = await owner.list();
  assert.deepEqual(shown(listed), expected);
  assert.deepEqual(limits, { valid: all.length, validMax: VALID_KEYS_MAX });
});

test('what the owner does is in the audit log as the owner’s, and shows no secret', async () => {
  const owner = await Owner.signIn();
  const { id, key } = await owner.made({ name: 'audited' });
  const rotated = (await owner.rotate(id)).body;
  await owner.revoke(id);
  const events = await service.store.audit({ accountId: owner.accountId, limit: 100 });
  const ofKeys = events.filter(({ kind }) => kind.startsWith('key.'));
  assert.deepEqual(
    ofKeys.map(({ kind, actor, keyId }) => [kind, actor, keyId]),
    [
      ['key.created', 'owner', id],
      ['key.rotated', 'owner', id],
      ['key.revoked', 'owner', id],
    ],
  );
  const texts = [JSON.stringify(events, plain), JSON.stringify(await owner.list())];
  for (const secret of [key, rotated.key]) {
    for (const text of [...texts, ...service.logged])
      assert.ok(!text.includes(secret.slice(9, 30)));
  }
});

test('the portal is held to the limits of keys: ten valid ones, and so many made in a day [KEY-46]', async () => {
  const owner = await Owner.signIn();
  for (let count = 0; count < VALID_KEYS_MAX; count += 1) await owner.made();
  const full = await owner.create();
  checkProblem(full, DOCS_URL, { status: 409, code: 'QUOTA_EXCEEDED' });
  const [first] = (await owner.list()).keys;
  await owner.revoke(first!.id);
  assert.equal((await owner.create()).status, 201);

  // The rest of the day's keys are made as the owner, without a browser: its requests per minute are limited too.
  const call = () => ({ now: service.clock.now(), actor: { kind: 'owner' } }) as const;
  const rights = { name: 'x', environment: 'live', scopes: ['stream'] } as const;
  const whole = { ...rights, instruments: null, allowedIps: null, expiresAt: null };
  for (const { id } of (await owner.list()).keys) {
    await service.store.revokeKey(call(), owner.accountId, id);
  }
  for (let count = VALID_KEYS_MAX + 1; count < KEYS_MADE_MAX; count += 1) {
    const made = await service.store.createKey(
      call(),
      owner.accountId,
      whole,
      digestOf(`${owner.accountId} ${count}`),
    );
    assert.ok(!('refused' in made), JSON.stringify(made, plain));
    await service.store.revokeKey(call(), owner.accountId, made.id);
  }
  const over = await owner.create();
  checkProblem(over, DOCS_URL, { status: 429, code: 'RATE_LIMITED' });
  assert.ok(Number(over.headers['retry-after']) > 0);
});

test('faults of a new key are told by their fields', async () => {
  const owner = await Owner.signIn();
  const body = {
    name: ' ',
    scopes: [],
    instruments: ['ES.c.0', 'NOPE'],
    allowedIps: ['300.1.1.1'],
    expiresAt: '1',
    extra: 1,
  };
  assert.deepEqual(await refusedAt(owner.create(body)), [
    '/allowedIps/0',
    '/expiresAt',
    '/extra',
    '/instruments/1',
    '/name',
    '/scopes',
  ]);
});

test('of another account nothing can be seen or done, and nothing without a session or from another page', async () => {
  const [owner, stranger] = [await Owner.signIn(), await Owner.signIn()];
  const { id, key } = await owner.made();
  assert.deepEqual((await stranger.list()).keys, []);
  for (const answer of [await stranger.rotate(id), await stranger.revoke(id)]) {
    checkProblem(answer, DOCS_URL, { status: 404, code: 'NOT_FOUND' });
  }
  const nobody = new PortalBrowser(service);
  for (const answer of [
    await nobody.get('/v1/portal/keys'),
    await nobody.post('/v1/portal/keys', keyBody()),
    // A key is no session.
    await service.get('/v1/portal/keys', { key }),
  ]) {
    checkProblem(answer, DOCS_URL, { status: 401, code: 'UNAUTHORIZED' });
  }
  const headers = { origin: 'https://evil.example' };
  const forged = await owner.browser.request('DELETE', `/v1/portal/keys/${id}`, undefined, {
    headers,
  });
  checkProblem(forged, DOCS_URL, { status: 403, code: 'FORBIDDEN' });
  assert.equal(await keys.use(key), 200);
});

test('a suspended account makes no keys', async () => {
  const owner = await Owner.signIn();
  const call = { now: service.clock.now(), actor: { kind: 'operator' } } as const;
  await service.store.setSuspended(call, owner.accountId, true);
  const problem = checkProblem(await owner.create(), DOCS_URL, { status: 403, code: 'FORBIDDEN' });
  assert.equal(problem.detail, 'The account is suspended.');
});

function plain(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}

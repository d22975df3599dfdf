import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ManagementCriterion } from '@tapeloom/core/entitlement/key-management';
import type { KeyRights } from '@tapeloom/core/entitlement/key-rights';
import type { EpochNs } from '@tapeloom/core/numbers';
import { checkProblem } from '../../../testing/rest/problem-check.ts';
import {
  DOCS_URL,
  HOME_ADDRESS,
  type RestAnswer,
  RestService,
} from '../../../testing/rest/rest-service.ts';

const DAY_NS = 86_400_000_000_000n;

let service: RestService;
before(async () => {
  service = await RestService.start();
});
after(() => service[Symbol.asyncDispose]());

type Rights = Partial<KeyRights>;
const OPERATIONS = ['create', 'rotate', 'revoke'] as const;

/** Does all three to a target with these rights, by a manager with those; a fresh account each. */
async function manage(manager: Rights, target: Rights): Promise<RestAnswer<unknown>[]> {
  const account = await service.account('live_history');
  const { secret: key } = await service.key(account, manager);
  const attempt = async (operation: (typeof OPERATIONS)[number]) => {
    if (operation === 'create') return service.post('/v1/keys', { key, body: bodyOf(target) });
    const { record } = await service.key(account, target);
    const path = `/v1/keys/${record.id}`;
    if (operation === 'revoke') return service.delete(path, { key });
    return service.post(`${path}/rotate`, { key, body: { gracePeriodSeconds: 0 } });
  };
  const answers: RestAnswer<unknown>[] = [];
  for (const operation of OPERATIONS) answers.push(await attempt(operation));
  return answers;
}

function bodyOf({ environment = 'live', scopes, instruments, allowedIps, expiresAt }: Rights) {
  return {
    name: 'target',
    environment,
    scopes: scopes ?? ['stream', 'history', 'export', 'keys'],
    ...(instruments == null ? {} : { instruments }),
    ...(allowedIps == null ? {} : { allowedIps }),
    ...(expiresAt == null ? {} : { expiresAt: `${expiresAt}` }),
  };
}

async function isAccepted(manager: Rights, target: Rights): Promise<void> {
  const statuses = (await manage(manager, target)).map(({ status }) => status);
  assert.deepEqual(statuses, [201, 201, 200]);
}

async function isRefused(
  manager: Rights,
  target: Rights,
  criterion: ManagementCriterion,
): Promise<void> {
  for (const answer of await manage(manager, target)) {
    const problem = checkProblem(answer, DOCS_URL, { status: 403, code: 'FORBIDDEN' });
    assert.ok(problem.detail.startsWith(`${criterion}: `), problem.detail);
  }
}

const soon = () => (service.clock.now() + DAY_NS) as EpochNs;

test('managing keys needs the scope keys, listing them too [MGMT-01] [AUTH-15]', async () => {
  const account = await service.account('live_history');
  const { secret: key } = await service.key(account, { scopes: ['stream', 'history', 'export'] });
  const { record } = await service.key(account, { scopes: ['stream'] });
  const attempts = [
    service.post('/v1/keys', { key, body: bodyOf({ scopes: ['stream'] }) }),
    service.post(`/v1/keys/${record.id}/rotate`, { key, body: { gracePeriodSeconds: 0 } }),
    service.delete(`/v1/keys/${record.id}`, { key }),
    service.get('/v1/keys', { key }),
    // Also where the body is wrong or the key unknown: rights come first.
    service.post('/v1/keys', { key, body: {} }),
    service.delete('/v1/keys/nothing', { key }),
  ];
  for (const answer of await Promise.all(attempts)) {
    checkProblem(answer, DOCS_URL, { status: 403, code: 'FORBIDDEN' });
  }
});

test('a target with exactly the same rights is allowed on all operations [MGMT-03]', async () => {
  const rights: Rights = {
    environment: 'test',
    scopes: ['keys', 'stream'],
    instruments: ['ES.c.0', 'ESZ6'],
    allowedIps: [HOME_ADDRESS, '198.51.100.0/24'],
    expiresAt: soon(),
  };
  await isAccepted(rights, rights);
  await isAccepted({}, {});
});

test('the target must be of the same environment [MGMT-02] [MGMT-04] [MGMT-13]', async () => {
  await isRefused({ environment: 'live' }, { environment: 'test' }, 'environment');
  await isRefused({ environment: 'test' }, { environment: 'live' }, 'environment');
});

test('the scopes of the target must be among those of the manager [MGMT-02] [MGMT-05] [MGMT-13]', async () => {
  const manager: Rights = { scopes: ['keys', 'stream'] };
  await isAccepted(manager, { scopes: ['stream'] });
  await isRefused(manager, { scopes: ['stream', 'history'] }, 'scopes');
  await isRefused(manager, { scopes: ['export'] }, 'scopes');
});

test('instrument entries must literally be those of the manager [MGMT-02] [MGMT-06] [MGMT-07] [MGMT-08] [MGMT-13]', async () => {
  const manager: Rights = { instruments: ['ES.c.0', 'NQZ6'] };
  await isAccepted(manager, { instruments: ['NQZ6'] });
  await isRefused(manager, { instruments: null }, 'instruments');
  await isRefused(manager, { instruments: ['NQZ6', 'ESH7'] }, 'instruments');
  // ES.c.0 designates ESZ6 today, yet neither entry stands for the other.
  await isRefused(manager, { instruments: ['ESZ6'] }, 'instruments');
  await isRefused({ instruments: ['ESZ6'] }, { instruments: ['ES.c.0'] }, 'instruments');
});

test('each address range must lie within one of the manager [MGMT-02] [MGMT-09] [MGMT-10] [MGMT-13]', async () => {
  const manager: Rights = { allowedIps: ['203.0.113.0/24', '10.0.0.0/25', '10.0.0.128/25'] };
  for (const range of ['203.0.113.0/25', '203.0.113.9', '::ffff:203.0.113.9']) {
    await isAccepted(manager, { allowedIps: [range] });
  }
  for (const range of ['203.0.112.0/23', '10.0.0.0/24', '192.0.2.1', '0.0.0.0/0', '::/0']) {
    await isRefused(manager, { allowedIps: ['203.0.113.9', range] }, 'allowedIps');
  }
  await isRefused(manager, { allowedIps: null }, 'allowedIps');
});

test('a manager that expires manages only what expires no later [MGMT-02] [MGMT-11] [MGMT-13]', async () => {
  const expiresAt = soon();
  await isAccepted({ expiresAt }, { expiresAt });
  await isAccepted({ expiresAt }, { expiresAt: (expiresAt - 1n) as EpochNs });
  await isRefused({ expiresAt }, { expiresAt: (expiresAt + 1n) as EpochNs }, 'expiresAt');
  await isRefused({ expiresAt }, { expiresAt: null }, 'expiresAt');
});

test('a manager without restrictions manages restricted and unrestricted targets [MGMT-12]', async () => {
  const restricted: Rights = {
    instruments: ['ESZ6'],
    allowedIps: ['192.0.2.0/24'],
    expiresAt: soon(),
  };
  await isAccepted({}, restricted);
  await isAccepted({}, {});
  // Each criterion follows from its own restriction alone.
  const { instruments, expiresAt } = restricted as Required<Rights>;
  const allowedIps = [HOME_ADDRESS];
  for (const own of [{ instruments }, { allowedIps }, { expiresAt }]) {
    await isAccepted(own, own);
    await isAccepted(own, { ...restricted, ...own });
  }
});

test('what is refused changes nothing and is in the audit log', async () => {
  const account = await service.account('live_history');
  const { secret: key, record: manager } = await service.key(account, { scopes: ['keys'] });
  const { record } = await service.key(account);
  const before = (await service.get('/v1/keys', { key })).body;
  await service.delete(`/v1/keys/${record.id}`, { key });
  assert.deepEqual((await service.get('/v1/keys', { key })).body, before);
  const [event] = await service.store.audit({ accountId: account, limit: 1, newestFirst: true });
  assert.equal(event!.kind, 'key.management-refused');
  assert.equal(event!.actor, manager.id);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import { waitText } from '@tapeloom/core/person/wait-text';
import { KeyRequests } from '../../../testing/accounts/key-requests.ts';
import { checkProblem } from '../../../testing/rest/problem-check.ts';
import { DOCS_URL, type RestAnswer, RestService } from '../../../testing/rest/rest-service.ts';
import type { AccountStore } from '../../accounts/store/account-store.ts';
import { openSqliteAccountStore } from '../../accounts/store/sqlite/sqlite-account-store.ts';

const LIMITED = { status: 429, code: 'RATE_LIMITED' } as const;
const SECOND_MS = 1_000;
/** As documented. */
const [KEYS_MADE_MAX, KEYS_LISTED_MAX] = [200, 1_000];

interface Crowded extends AsyncDisposable {
  readonly service: RestService;
  readonly keys: KeyRequests;
  readonly manager: string;
  /** A valid key beside the manager. */
  readonly target: string;
  /** Which methods of the store were called by now. */
  readonly calls: Set<string>;
}

/** A service, and an account that has made this many keys, one each millisecond, and revoked most of them. */
async function crowded(count: number, by: 'operator' | 'key'): Promise<Crowded> {
  const store = await openSqliteAccountStore(':memory:');
  const calls = new Set<string>();
  const watched = new Proxy(store, {
    get(target, name) {
      calls.add(String(name));
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
  const service = await RestService.start({ store: watched as AccountStore });
  const account = await service.account('live_history');
  const { secret: manager, record } = await service.key(account);
  let { record: target } = await service.key(account);
  for (let made = 2; made < count; made += 1) {
    service.clock.advance(1);
    const actor =
      by === 'key' ? ({ kind: 'key', keyId: record.id } as const) : ({ kind: by } as const);
    const call = { now: service.clock.now() as EpochNs, actor };
    const secret = { hash: `${made}`, hint: 'hint' };
    const rotated = await store.rotateKey(call, account, target.id, 0, secret);
    assert.ok('created' in rotated);
    target = rotated.created;
  }
  const keys = new KeyRequests(service);
  const dispose = () => service[Symbol.asyncDispose]();
  return { service, keys, manager, target: target.id, calls, [Symbol.asyncDispose]: dispose };
}

/** The response is 429, and after its seconds the same request succeeds, not a second earlier. */
async function isTruthful(
  service: RestService,
  ask: () => Promise<RestAnswer<unknown>>,
  detail: RegExp,
): Promise<number> {
  const refused = await ask();
  const problem = checkProblem(refused, DOCS_URL, LIMITED);
  const seconds = Number(refused.headers['retry-after']);
  assert.match(problem.detail, detail);
  assert.match(problem.detail, new RegExp(`Try again in ${waitText(Number(seconds))}\\.$`));
  service.clock.advance((seconds - 1) * SECOND_MS);
  assert.equal((await ask()).headers['retry-after'], '1');
  service.clock.advance(SECOND_MS);
  assert.equal((await ask()).status, 201);
  return seconds;
}

test('more than 200 keys created and rotated in 24 hours: 429 with Retry-After, after which one more is made [SEC-40]', async () => {
  await using crowd = await crowded(KEYS_MADE_MAX, 'key');
  const { service, keys, manager, target } = crowd;
  const detail = /^The account has created and rotated 200 keys in 24 hours\./;
  checkProblem(await keys.rotate(manager, target, 60), DOCS_URL, LIMITED);
  const seconds = await isTruthful(service, () => keys.create(manager), detail);
  assert.equal(seconds, 86_400, 'the first were made a fraction of a second ago');
  // Revoking is never limited.
  assert.equal((await keys.revoke(manager, target)).status, 200);
});

test('a list of 1,000 keys is answered whole, and no key is added to it until one leaves [SEC-40]', async () => {
  await using crowd = await crowded(KEYS_LISTED_MAX, 'operator');
  const { service, keys, manager, target } = crowd;
  const listed = await keys.list(manager);
  assert.equal(new Set(listed.map(({ id }) => id)).size, KEYS_LISTED_MAX);
  // The day of the creations is over.
  service.clock.advance(86_400 * SECOND_MS);
  const detail =
    /^The account's list of keys is full: 1000, including those that ended in the last 30 days\./;
  const seconds = await isTruthful(service, () => keys.rotate(manager, target, 60), detail);
  assert.equal(seconds, 29 * 86_400);
  assert.ok((await keys.list(manager)).length <= KEYS_LISTED_MAX);
});

test('keys are rotated, revoked and judged by their ids: no list is read for it [SEC-40]', async () => {
  await using crowd = await crowded(3, 'key');
  const { service, keys, manager, target, calls } = crowd;
  calls.clear();
  const headers = { 'idempotency-key': 'again' };
  const body = { gracePeriodSeconds: 60 };
  for (let time = 0; time < 2; time += 1) {
    const rotated = await service.post(`/v1/keys/${target}/rotate`, {
      key: manager,
      headers,
      body,
    });
    assert.equal(rotated.status, 201);
  }
  assert.equal((await keys.revoke(manager, target)).status, 200);
  assert.equal((await keys.rotate(manager, 'key_none', 0)).status, 404);
  assert.ok(calls.has('findKeyById') && calls.has('rotateKey'));
  assert.ok(!calls.has('listKeys') && !calls.has('listAccounts'), [...calls].join());
});

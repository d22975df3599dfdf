import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { checkProblem } from '../../../testing/rest/problem-check.ts';
import { DOCS_URL, HOME_ADDRESS, RestService } from '../../../testing/rest/rest-service.ts';

interface StreamToken {
  readonly token: string;
  readonly expiresAt: string;
}

let service: RestService;
before(async () => {
  service = await RestService.start();
});
after(() => service[Symbol.asyncDispose]());

const issue = (key: string, more: object = {}) =>
  service.post<StreamToken>('/v1/stream-tokens', { key, ...more });

test('a token needs no body and is answered with its expiry in 60 seconds [TOK-01] [TOK-03] [TOK-04]', async () => {
  const key = await service.customer();
  const { status, body } = await issue(key);
  assert.equal(status, 201);
  assert.deepEqual(Object.keys(body), ['token', 'expiresAt']);
  assert.match(body.token, /^svc_token_[0-9A-Za-z]+$/);
  assert.equal(body.expiresAt, `${service.clock.now() + 60_000_000_000n}`);
  assert.notEqual((await issue(key)).body.token, body.token);
});

test('an empty object is as good as no body, under any type where it is empty; fields are refused', async () => {
  const key = await service.customer();
  assert.equal((await issue(key, { body: {} })).status, 201);
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  assert.equal((await issue(key, { body: '', headers: form })).status, 201);
  assert.equal((await issue(key, { body: '' })).status, 201);
  const refused = await issue(key, { body: { ttl: 3_600 } });
  const problem = checkProblem(refused, DOCS_URL, { status: 400, code: 'INVALID_PARAMETERS' });
  assert.deepEqual(
    problem.errors!.map(({ path }) => path),
    ['/ttl'],
  );
  for (const body of [[], 7, null]) {
    assert.equal((await issue(key, { body: JSON.stringify(body) })).status, 400);
  }
  assert.equal((await issue(key, { body: 'x', headers: form })).status, 415);
});

test('a key without scope stream gets no token [TOK-02]', async () => {
  const account = await service.account();
  const { secret } = await service.key(account, { scopes: ['history', 'export', 'keys'] });
  checkProblem(await issue(secret), DOCS_URL, { status: 403, code: 'FORBIDDEN' });
});

test('the addresses of a key hold for the request of a token [TOK-10]', async () => {
  const account = await service.account();
  const { secret } = await service.key(account, { allowedIps: [HOME_ADDRESS] });
  assert.equal((await issue(secret)).status, 201);
  const outside = await issue(secret, { address: '198.51.100.1' });
  checkProblem(outside, DOCS_URL, { status: 403, code: 'FORBIDDEN' });
});

test('a token of a key that was revoked opens nothing; one of a valid key opens once', async () => {
  const account = await service.account();
  const { secret, record } = await service.key(account);
  const kept = (await issue(secret)).body.token;
  const { verdict } = await service.authenticator.consumeToken(kept);
  assert.equal(verdict, 'accepted');
  assert.notEqual((await service.authenticator.consumeToken(kept)).verdict, 'accepted');
  const { token } = (await issue(secret)).body;
  assert.equal((await service.delete(`/v1/keys/${record.id}`, { key: secret })).status, 200);
  assert.notEqual((await service.authenticator.consumeToken(token)).verdict, 'accepted');
});

test('a token is no key', async () => {
  const { token } = (await issue(await service.customer())).body;
  const answer = await service.get('/v1/usage', { key: token });
  checkProblem(answer, DOCS_URL, { status: 401, code: 'UNAUTHORIZED' });
});

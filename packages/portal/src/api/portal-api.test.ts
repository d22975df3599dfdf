import assert from 'node:assert/strict';
import { afterEach, mock, test } from 'node:test';
import { onSessionEnded } from './call.ts';
import { portalApi } from './portal-api.ts';
import { PortalError } from './portal-error.ts';

afterEach(() => mock.restoreAll());

function answers(status: number, body: unknown, headers: Record<string, string> = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return mock.method(globalThis, 'fetch', async () => new Response(text, { status, headers }));
}

async function refusal(promise: Promise<unknown>): Promise<PortalError> {
  const error = await promise.then(
    () => assert.fail('it succeeded'),
    (cause: unknown) => cause,
  );
  assert.ok(error instanceof PortalError);
  return error;
}

test('a call posts JSON to our own origin and nothing else', async () => {
  const fetched = answers(202, {});
  await portalApi.askForLink('you@example.com');
  const [path, init] = fetched.mock.calls[0]!.arguments as unknown as [string, RequestInit];
  assert.equal(path, '/v1/portal/sign-in');
  assert.equal(init.method, 'POST');
  assert.equal(init.credentials, 'same-origin');
  assert.equal(init.body, '{"email":"you@example.com"}');
});

test('an id in a path cannot become another path', async () => {
  const fetched = answers(200, {});
  await portalApi.revokeKey('../account');
  const [path] = fetched.mock.calls[0]!.arguments as unknown as [string];
  assert.equal(path, '/v1/portal/keys/..%2Faccount');
});

test('a refusal has the code, the sentence, the faulty fields and when to come back', async () => {
  const errors = [{ path: '/email', message: 'is not an e-mail address' }];
  const problem = { code: 'INVALID_PARAMETERS', detail: 'No.', instance: 'req_1', errors };
  answers(400, problem, { 'retry-after': '30' });
  const error = await refusal(portalApi.askForLink('x'));
  assert.equal(error.code, 'INVALID_PARAMETERS');
  assert.equal(error.requestId, 'req_1');
  assert.equal(error.fault('/email'), 'is not an e-mail address');
  assert.equal(error.fault('/name'), null);
  assert.equal(error.retryAfterSeconds, 30);
});

test('no answer, and one that is not the service’s, are said to be that', async () => {
  mock.method(globalThis, 'fetch', () => Promise.reject(new TypeError('network')));
  assert.equal((await refusal(portalApi.status())).code, 'UNREACHABLE');
  mock.restoreAll();
  answers(502, '<html>');
  const error = await refusal(portalApi.status());
  assert.deepEqual([error.code, error.status], ['UNREACHABLE', 502]);
  mock.restoreAll();
  answers(200, '{"broken');
  assert.equal((await refusal(portalApi.status())).code, 'UNREACHABLE');
});

test('only a call that needs the session tells that the session has ended', async () => {
  const ended = mock.fn();
  const stop = onSessionEnded(ended);
  answers(401, { code: 'UNAUTHORIZED', detail: 'Sign in.' });
  await refusal(portalApi.lookAtLink('token'));
  await refusal(portalApi.confirmEmail('token'));
  assert.equal(ended.mock.callCount(), 0);
  await refusal(portalApi.keys());
  assert.equal(ended.mock.callCount(), 1);
  stop();
  await refusal(portalApi.keys());
  assert.equal(ended.mock.callCount(), 1);
});

test('a call that its page gave up is no error of the service', async () => {
  const abort = new AbortController();
  mock.method(globalThis, 'fetch', (_path: string, init: RequestInit) => {
    abort.abort();
    return Promise.reject(init.signal?.reason);
  });
  await assert.rejects(portalApi.account({ signal: abort.signal }), { name: 'AbortError' });
});

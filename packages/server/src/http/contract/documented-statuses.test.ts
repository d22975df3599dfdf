/** Every operation responds as documented to requests without rights, with unknown fields, too large, or too many. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { PortalBrowser } from '../../../testing/portal/portal-browser.ts';
import {
  type RestAnswer,
  type RestRequest,
  RestService,
} from '../../../testing/rest/rest-service.ts';

interface Operation {
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly responses: Readonly<Record<string, unknown>>;
}
interface Case {
  readonly method: string;
  readonly path: string;
  readonly url: string;
  readonly statuses: readonly string[];
  readonly needs: 'key' | 'session' | null;
}

const { paths } = JSON.parse(
  readFileSync(new URL('../../../../../contract/openapi.json', import.meta.url), 'utf8'),
) as { paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> };
const CASES: readonly Case[] = Object.entries(paths).flatMap(([path, operations]) =>
  Object.entries(operations).map(([verb, { security, responses }]) => ({
    method: verb.toUpperCase(),
    path,
    url: path.replace('{provider}', 'test').replace(/\{\w+\}/g, 'none'),
    statuses: Object.keys(responses),
    needs: security.length !== 1 ? null : 'session' in security[0]! ? 'session' : 'key',
  })),
);

let service: RestService;
before(async () => {
  service = await RestService.start();
});
after(() => service[Symbol.asyncDispose]());

/** All of these cases that do not respond with this status, though it is documented. */
async function others(
  status: number,
  cases: readonly Case[],
  ask: (one: Case) => Promise<RestAnswer<unknown>>,
): Promise<readonly string[]> {
  const told: string[] = [];
  for (const one of cases.filter(({ statuses }) => statuses.includes(String(status)))) {
    const answer = await ask(one);
    if (answer.status !== status) told.push(`${one.method} ${one.path}: ${answer.status}`);
  }
  return told;
}

/** Sends the request with the needed rights: with a key, or signed in, with another account each time. */
async function asking(one: Case, more: RestRequest = {}, query = ''): Promise<RestAnswer<unknown>> {
  const url = `${one.url}${query}`;
  if (one.needs === 'key') {
    const key = await service.customer('live_history');
    return await service.request(one.method, url, { key, ...more });
  }
  const browser = new PortalBrowser(service);
  people += 1;
  if (one.needs === 'session') await browser.signIn(`person${people}@example.com`);
  return await browser.request(one.method, url, undefined, more);
}
let people = 0;

const isPortal = ({ path }: Case) => path.startsWith('/v1/portal/');
const isRead = ({ method }: Case) => method === 'GET';
/** It accepts any and larger bodies: the provider's signature covers its bytes. */
const isWebhook = ({ path }: Case) => path.startsWith('/v1/webhooks/');

test('whoever has no rights is told so by every operation that says it', async () => {
  const needy = CASES.filter(({ needs }) => needs !== null);
  const nobody = new PortalBrowser(service);
  assert.deepEqual(await others(401, needy, (one) => nobody.request(one.method, one.url)), []);
  const foreign = { headers: { origin: 'https://other.example' } };
  const changing = CASES.filter((one) => isPortal(one) && !isRead(one));
  assert.deepEqual(await others(403, changing, (one) => asking(one, foreign)), []);
  const account = await service.account('live_history');
  const { secret: key } = await service.key(account, { allowedIps: ['203.0.113.9/32'] });
  const keyed = CASES.filter(({ needs }) => needs === 'key');
  assert.deepEqual(
    await others(403, keyed, (one) => service.request(one.method, one.url, { key })),
    [],
  );
});

test('fields and bodies that nobody asked for are refused by every operation that says it', async () => {
  const text = { body: 'x', headers: { 'content-type': 'text/plain' } };
  const packed = { body: 'x', headers: { 'content-encoding': 'gzip' } };
  const large = (one: Case) => ({
    body: `{"x":"${'x'.repeat(isWebhook(one) ? 300_000 : 70_000)}"}`,
  });
  assert.deepEqual(await others(413, CASES, (one) => asking(one, large(one))), []);
  assert.deepEqual(
    await others(415, CASES, (one) => asking(one, isWebhook(one) ? packed : text)),
    [],
  );
  // `/v1/portal/try/` with a plan that does not allow it is rejected earlier.
  const reads = CASES.filter((one) => isRead(one) && !one.path.startsWith('/v1/portal/try/'));
  assert.deepEqual(await others(400, reads, (one) => asking(one, {}, '?nobody=1')), []);
  const changes = CASES.filter((one) => !isRead(one));
  assert.deepEqual(await others(400, changes, (one) => asking(one, { body: { nobody: 1 } })), []);
});

test('one request too many is refused by every operation, of a key, of a session and of nobody', async () => {
  const { secret: key } = await service.key(await service.account());
  const browser = new PortalBrowser(service);
  await browser.signIn('busy@example.com');
  const stranger = new PortalBrowser(service);
  const exhaust = async (ask: () => Promise<RestAnswer<unknown>>) => {
    for (let count = 0; count < 1_000; count += 1) if ((await ask()).status === 429) return;
    assert.fail('no limit was met');
  };
  await exhaust(() => service.get('/v1/usage', { key }));
  await exhaust(() => browser.get('/v1/portal/usage'));
  await exhaust(() => stranger.get('/v1/offers'));
  const of = (needs: Case['needs']) =>
    CASES.filter((one) => one.needs === needs && !isWebhook(one));
  const asKey = (one: Case) => service.request(one.method, one.url, { key });
  assert.deepEqual(await others(429, of('key'), asKey), []);
  const asked = (by: PortalBrowser) => (one: Case) => by.request(one.method, one.url);
  assert.deepEqual(await others(429, of('session'), asked(browser)), []);
  assert.deepEqual(await others(429, of(null), asked(stranger)), []);
});

test('what has not changed is 304 for every public operation that says it', async () => {
  const reads = CASES.filter((one) => isRead(one) && one.needs === null && !isPortal(one));
  assert.deepEqual(
    await others(304, reads, async ({ url }) => {
      const { headers } = await service.get(url);
      return await service.get(url, { headers: { 'if-none-match': headers.etag ?? '' } });
    }),
    [],
  );
});
